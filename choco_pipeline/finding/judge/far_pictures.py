"""Rules on pictures of P-positions, tried farther away than pictures are drawn.

Idea: a rule says that the number of P-positions among some cells is even. In a large box nearly all cells are none, so it is enough
to look where a P-position is one of the cells: each is moved by the steps of the rule, and a cell that is met an odd number of times
is one at which the rule is wrong. It costs some sorting of as many numbers as there are P-positions and steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from choco_pipeline.finding.judge.sampled_positions import are_positions
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.mining.table_findings import MOST_SAID, BlocksFinding, CellularFinding
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.reading.cells import Cells, Ints, Truths

#: No step of a rule is longer.
_MARGIN = 8
#: So many columns of a table are looked at, in about a second.
MOST_COLUMNS = 1 << 20


def is_right_to(finding: CellularFinding | BlocksFinding, bound: int) -> bool | None:
    """Return whether a rule on the pictures of a game is right up to a bound; None where that cannot be told.

    Parameters
    ----------
    finding
        The rule: of pictures of a game with three coordinates.
    bound
        The largest coordinate.
    """
    game = parse_ruleset(finding.ruleset)
    if isinstance(finding, CellularFinding):
        terms: Sequence[tuple[int, ...]] = finding.terms
    else:
        terms = [term for relation in finding.relations for term in relation.terms]
    if not terms or any(len(term) != 1 + len(game.base.coordinates) or term[0] for term in terms):
        return None
    p = _p_positions(finding, game, bound)
    if isinstance(finding, CellularFinding):
        return not len(_wrong_sums(finding, game, p, bound))
    return not any(len(wrong) for wrong in _wrong_halves(finding, game, p, bound))


def _p_positions(finding: CellularFinding | BlocksFinding, game: Ruleset, bound: int) -> Ints:
    """Return the P-positions up to a bound with as many passes left, a row for each, in the order of the pictures' axes."""
    data = table(game, bound, "p-positions")
    rows: list[Ints] = []
    for points in Cells.of(game, bound, data).p_positions():
        cells = np.column_stack([points[axis] for axis in finding.axes])
        chosen = (cells <= bound).all(axis=1)
        if finding.passes is not None and "p" in points:
            chosen &= points["p"] == finding.passes
        rows.append(cells[chosen])
    p: Ints = np.concatenate(rows)
    return p


def _wrong_sums(finding: CellularFinding, game: Ruleset, p: Ints, bound: int) -> Ints:
    """Return the cells at which the sum of a cellular rule is wrong."""
    steps = np.array([(0, 0, 0), *(step for _, *step in finding.terms)])
    odd = _met_oddly([p + step for step in steps], bound)
    wrong: Ints = odd[(odd - steps.min(axis=0) <= bound).all(axis=1)]
    if finding.where == "positions":
        wrong = wrong[_legal(finding, game, wrong)]
    elif finding.where == "inside":
        for step in steps:
            wrong = wrong[_legal(finding, game, wrong - step)]
    named = finding.exceptions
    if named is None or len(named) > MOST_SAID:  # then the sentence does not name all of them
        return wrong[wrong[:, 0] >= finding.begins]
    return wrong[[tuple(cell) not in named for cell in wrong.tolist()]]


def _wrong_halves(finding: BlocksFinding, game: Ruleset, p: Ints, bound: int) -> Iterator[Ints]:
    """Yield for each residue the cells for which the relation to cells at half the coordinates is wrong."""
    for relation in finding.relations:
        residue = np.array(relation.residue)
        own = p[((p - residue) % 2 == 0).all(axis=1)]
        halves = [(own - residue) // 2, *(p - np.array(step) for _, *step in relation.terms)]
        cells = 2 * _met_oddly(halves, bound) + residue
        cells = cells[(cells <= bound).all(axis=1) & (cells[:, 0] >= finding.begins)]
        yield cells[_legal(finding, game, cells)]


def _met_oddly(parts: Sequence[Ints], bound: int) -> Ints:
    """Return the rows that are in an odd number of arrays, in each of which a row is at most once."""
    side = bound + 2 * _MARGIN + 1
    rows = np.concatenate(parts) + _MARGIN
    keys, numbers = np.unique(
        (rows[:, 0] * side + rows[:, 1]) * side + rows[:, 2], return_counts=True
    )
    odd = keys[numbers % 2 == 1]
    return np.column_stack([odd // (side * side), odd // side % side, odd % side]) - _MARGIN


def _legal(finding: CellularFinding | BlocksFinding, game: Ruleset, cells: Ints) -> Truths:
    """Return which cells are positions."""
    order = [finding.axes.index(name) for name in game.base.coordinates]
    legal = np.all(cells >= 0, axis=1)
    legal[legal] = are_positions(game.base, cells[legal][:, order])
    return np.asarray(legal)
