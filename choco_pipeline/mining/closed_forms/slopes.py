"""Formulas that are right beyond a slope: where one coordinate is large for another one, in one residue class or in all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, permutations

import numpy as np

from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms.atoms import Ints, Truths
from choco_pipeline.mining.closed_forms.cases import FormulaCase, Part, by_residue
from choco_pipeline.mining.closed_forms.synthesis import Atoms, Target

#: A formula is guessed where a coordinate is more than a multiple of the other one by its largest value divided by `FAR`, and then
#: must be right from where it is more by that divided by `NEAR`: with a smaller `FAR` too few positions are left to guess from.
FAR, NEAR = 4, 8
#: In fewer positions than this a formula may be right by chance.
FEWEST = 16


def beyond_slopes(
    names: Sequence[str], points: Mapping[str, Ints], target: Target, own: Sequence[int]
) -> Iterator[Iterator[FormulaCase]]:
    """Yield, class by class, formulas for the points beyond a line v + c = a·u, the least steep first.

    A formula that is right in all of a class is left out.

    Parameters
    ----------
    names
        The two coordinates.
    points, target
        All positions of a box, and the numbers there.
    own
        The game's own numbers, next to which multiples are looked for.
    """
    every = np.ones(target.numbers.shape, np.bool_)
    multiples = sorted({near for n in (1, *own) for near in (n - 1, n, n + 1) if near > 0})
    for text, chosen in chain([(None, every)], *by_residue(names, points, 2)):
        for low, high in permutations(names, 2):
            part, pair = (text, chosen), (low, high)
            cases = (_case(part, pair, a, names, points, target) for a in multiples)
            yield filter(None, cases)


def _case(
    part: Part,
    pair: tuple[str, str],
    a: int,
    names: Sequence[str],
    points: Mapping[str, Ints],
    target: Target,
) -> FormulaCase | None:
    (text, chosen), (low, high) = part, pair
    more = points[high] - a * points[low]
    most = int(points[high].max())
    far: Truths = chosen & (more >= most // FAR) & (points[low] > 0)
    if far.sum() < FEWEST:
        return None
    some = np.flatnonzero(far)
    some = some[:: max(1, some.size // (4 * FEWEST))]
    here = {name: points[name][some] for name in names}
    few = Target(target.numbers[some])
    atoms = Atoms.at(tuple(names), here)
    formula = atoms.shortest(few, np.ones(some.size, np.bool_))
    if formula is None:
        return None
    wrong = chosen & ~target.right(np.asarray(parse(formula).evaluate(points)))
    if not wrong.any():
        return None
    least = int(more[wrong].max()) + 1
    if least > most // NEAR:
        return None
    left = f"{high}{-least:+d}" if least else high
    where = f"{left} >= {f'{a}*' if a > 1 else ''}{low}"
    return FormulaCase(where if text is None else f"{text} and {where}", formula)
