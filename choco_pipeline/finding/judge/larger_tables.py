"""Trials of words: the search is repeated in a larger table of the game, and must have the same result.

Idea of rules on pictures: they say that the number of P-positions among some cells is even. In a large box nearly all cells are
none, so it is enough to look where a P-position is one of the cells: each is moved by the steps of the rule, and a cell that is met
an odd number of times is one at which the rule is wrong. It costs some sorting of as many numbers as there are P-positions and steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.judge.bounds import BOUND_OF_SEEN, FURTHER, largest_number
from choco_pipeline.finding.judge.by_chance import SEARCHES, says
from choco_pipeline.finding.statements.scope import Tables
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.mining.cellular import mine_cellular
from choco_pipeline.mining.counts import MOST_TERMS
from choco_pipeline.mining.pictures import SIDE
from choco_pipeline.mining.self_similarity import mine_blocks
from choco_pipeline.mining.table_findings import MOST_SAID, BlocksFinding, CellularFinding, Finding
from choco_pipeline.mining.task import mine_table
from choco_pipeline.tables.cells import Cells, Ints, Truths, are_positions
from choco_pipeline.tables.computing import cost_of, table
from choco_pipeline.tables.spec import Quantity

#: Most seconds for a larger table.
SECONDS = 0.5
#: Side of larger pictures, for which a rule is solved in some seconds.
LARGER_SIDE = 2 * SIDE
#: Longest step of a rule.
_MARGIN = 8
#: Most columns of a table; they take about a second.
MOST_COLUMNS = 1 << 20
_PICTURES: Mapping[str, Callable[..., Sequence[Finding]]] = {
    "cellular": mine_cellular,
    "blocks": mine_blocks,
}


@dataclass(frozen=True)
class SearchedAgain:
    """Whether a larger table confirms a statement, and a text for its verdict."""

    found: bool
    text: str


def searched_again(statement: FoundStatement, tables: Tables) -> SearchedAgain | None:
    """Return whether a larger table confirms the words of a statement on one game; None without such a table."""
    source = statement.source
    if source is None:  # no search is known that says it
        return None
    game = parse_ruleset(source.ruleset)
    for (name, quantity), bound in tables.bounds.items():
        if name != source.ruleset:
            continue
        number = largest_number(game)
        larger = _larger(game, bound, quantity, FURTHER * bound)
        if statement.kind == "count":  # of which no more terms are looked at
            larger = min(larger, MOST_TERMS - 1)
        if number >= larger:
            why = f"the game's rules have the number {number:,}, and tables of it were looked at to bound {larger:,}"
            return SearchedAgain(False, why)
        if isinstance(source.finding, CellularFinding | BlocksFinding):
            farther = _farther(source.finding, larger)
            if farther is not None and (larger > bound or bound > SIDE):
                return farther
        is_picture = SEARCHES[statement.kind] in _PICTURES
        is_larger = larger > bound or (is_picture and bound > SIDE)
        if not is_larger:  # the same cells would say the same again
            return None
        table_of = f"a table to bound {larger:,}"
        where = f"pictures of side {LARGER_SIDE}" if is_picture else table_of
        if not _is_found(statement, game, larger, quantity):
            why = f"right to bound {bound:,}, and not found in {where}"
            return SearchedAgain(False, why)
        return SearchedAgain(True, f"the same search says it of {where}")
    return None


def _farther(finding: CellularFinding | BlocksFinding, bound: int) -> SearchedAgain | None:
    """Return whether a larger table confirms a rule on pictures; None if it cannot be decided."""
    game = parse_ruleset(finding.ruleset)
    bound = _larger(game, bound, "p-positions", max(bound, BOUND_OF_SEEN - 1))
    while (bound + 1) ** 2 > MOST_COLUMNS:
        bound //= 2
    is_right = is_right_to(finding, bound)
    if is_right is None:
        return None
    return SearchedAgain(
        is_right, f"it is {'right' if is_right else 'wrong'} in a table to bound {bound:,}"
    )


def _is_found(statement: FoundStatement, game: Ruleset, bound: int, quantity: Quantity) -> bool:
    """Whether the search has the same result in a table to some bound."""
    try:
        statements = _mined(game, bound, quantity, SEARCHES[statement.kind])
    except ChocoError:
        return False
    return says(statements, statement)


def _mined(game: Ruleset, bound: int, quantity: Quantity, search: str) -> Sequence[Finding]:
    data = table(game, bound, quantity)
    mine = _PICTURES.get(search)
    if mine is None:
        return mine_table([search], game, bound, quantity, data)
    return mine(game, bound, data, LARGER_SIDE)


def _larger(game: Ruleset, bound: int, quantity: Quantity, larger: int) -> int:
    """Return the bound of a larger table that is computed quickly, or the same bound if there is none."""
    while larger > bound:
        try:
            if cost_of(game, larger, quantity).seconds <= SECONDS:
                return larger
        except ChocoError:  # heights from a file end before
            pass
        larger //= 2
    return bound


def is_right_to(finding: CellularFinding | BlocksFinding, bound: int) -> bool | None:
    """Return whether a rule on pictures of a game with three coordinates is right up to a bound; None if it cannot be decided."""
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
    """Return the P-positions up to a bound with the passes left of a rule, as rows in the order of the axes."""
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
    """Return the cells at which a cellular rule is wrong."""
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
    """Yield for each residue the cells at which the relation to half the coordinates is wrong."""
    for relation in finding.relations:
        residue = np.array(relation.residue)
        own = p[((p - residue) % 2 == 0).all(axis=1)]
        halves = [(own - residue) // 2, *(p - np.array(step) for _, *step in relation.terms)]
        cells = 2 * _met_oddly(halves, bound) + residue
        cells = cells[(cells <= bound).all(axis=1) & (cells[:, 0] >= finding.begins)]
        yield cells[_legal(finding, game, cells)]


def _met_oddly(parts: Sequence[Ints], bound: int) -> Ints:
    """Return the rows that are in an odd number of arrays of distinct rows."""
    side = bound + 2 * _MARGIN + 1
    rows = np.concatenate(parts) + _MARGIN
    keys, numbers = np.unique(
        (rows[:, 0] * side + rows[:, 1]) * side + rows[:, 2], return_counts=True
    )
    odd = keys[numbers % 2 == 1]
    return np.column_stack([odd // (side * side), odd // side % side, odd % side]) - _MARGIN


def _legal(finding: CellularFinding | BlocksFinding, game: Ruleset, cells: Ints) -> Truths:
    """Return which cells are positions."""
    legal: Truths = np.all(cells >= 0, axis=1)
    legal[legal] = are_positions(game.base, dict(zip(finding.axes, cells[legal].T, strict=True)))
    return legal
