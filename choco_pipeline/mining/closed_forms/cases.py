"""Formulas by cases: residues of coordinates, which of two is larger, and where one is large for another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product

import numpy as np

from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms.atoms import Ints, Length, Truths, length
from choco_pipeline.mining.closed_forms.synthesis import Atoms, Target

#: In fewer positions than this a formula may be right by chance.
FEWEST = 8
#: As many of them have a number, where others have none.
FEWEST_NUMBERS = 2
MULTIPLES = range(1, 4)
Part = tuple[str | None, Truths]

#: A formula is guessed where a coordinate is more than a multiple of the other one by its largest value divided by `FAR`, and then
#: must be right from where it is more by that divided by `NEAR`: with a smaller `FAR` too few positions are left to guess from.
FAR, NEAR = 4, 8
#: Beyond a slope, in fewer positions than this.
FEWEST_BEYOND = 16


@dataclass(frozen=True)
class FormulaCase:
    """A formula, and at which positions it is meant; everywhere without a condition."""

    where: str | None
    formula: str

    def __str__(self) -> str:
        return self.formula + (f" where {self.where}" if self.where else "")


def shortest_cases(
    atoms: Atoms, points: Mapping[str, Ints], target: Target
) -> tuple[FormulaCase, ...] | None:
    """Return the shortest formulas that are right at all points, together or by cases; None if there are none.

    Every position of the game is in exactly one of the cases. If some points are forgiven, only passes distinguish them.
    """
    best: tuple[Length, tuple[FormulaCase, ...]] | None = None
    fine = () if target.forgiven else _by_residue_or_size(atoms.sizes, points)
    for parts in chain(_by_pass(atoms, points), fine):
        cases = _by_cases(atoms, target, parts)
        if cases is not None:
            size = length(" ".join(f"{case.formula} {case.where or ''}" for case in cases))
            if best is None or size < best[0]:
                best = size, cases
            if len(cases) == 1:
                break
    return None if best is None else best[1]


def widest_case(
    atoms: Atoms, points: Mapping[str, Ints], target: Target
) -> tuple[FormulaCase, ...] | None:
    """Return the shortest formula that is right in the largest part of the points, of those with one residue modulo 2."""
    best: tuple[tuple[int, Length], FormulaCase] | None = None
    for parts in by_residue(atoms.sizes, points, 2):
        for text, chosen in parts:
            formula = _formula(atoms, target, chosen)
            if formula is not None:
                key = -int(chosen.sum()), length(f"{formula} {text}")
                if best is None or key < best[0]:
                    best = key, FormulaCase(text, formula)
    return None if best is None else (best[1],)


def _by_cases(atoms: Atoms, target: Target, parts: list[Part]) -> tuple[FormulaCase, ...] | None:
    """Return a formula for each part, parts with the same formula together; None if one has none."""
    where: dict[str, list[str]] = {}
    for text, chosen in parts:
        formula = _formula(atoms, target, chosen)
        if formula is None:
            return None
        where.setdefault(formula, []).extend([text] if text else [])
    if len(where) == 1:
        return tuple(FormulaCase(None, formula) for formula in where)
    return tuple(FormulaCase(" or ".join(texts), formula) for formula, texts in where.items())


def _formula(atoms: Atoms, target: Target, chosen: Truths) -> str | None:
    """Return the shortest formula for a part of the points that is not too small."""
    least = FEWEST * (1 + target.forgiven)
    with_number = (chosen & target.asked).sum()
    if chosen.sum() < least or with_number < (least if target.forgiven else FEWEST_NUMBERS):
        return None
    return atoms.shortest(target, chosen)


def _by_pass(atoms: Atoms, points: Mapping[str, Ints]) -> Iterator[list[Part]]:
    """Yield all positions as one case, and one case for each number of passes that may be left."""
    yield [(None, np.ones(len(points[atoms.names[0]]), np.bool_))]
    for name, most in atoms.passes.items():
        yield [(f"{name} == {left}", points[name] == left) for left in range(most + 1)]


def _by_residue_or_size(sizes: Sequence[str], points: Mapping[str, Ints]) -> Iterator[list[Part]]:
    """Yield ways to distinguish cases, in each of which every position is in exactly one case."""
    yield from by_residue(sizes, points, 2)
    yield from by_residue(sizes, points, 4)
    for first, second in combinations(sizes, 2):
        for a, b in product(MULTIPLES, repeat=2):
            if a != b or a == 1:
                left, right = (f"{n}*{x}" if n > 1 else x for n, x in ((a, first), (b, second)))
                least = a * points[first] <= b * points[second]
                yield [(f"{left} <= {right}", least), (f"{left} > {right}", ~least)]


def by_residue(
    sizes: Sequence[str], points: Mapping[str, Ints], modulus: int
) -> Iterator[list[Part]]:
    """Yield the parts in which a sum of coordinates has one residue, for each such sum."""
    for number in range(1, len(sizes) + 1):
        for chosen in combinations(sizes, number):
            text = "+".join(chosen) if number == 1 else f"({'+'.join(chosen)})"
            value = np.sum([points[name] for name in chosen], axis=0) % modulus
            yield [(f"{text}%{modulus} == {rest}", value == rest) for rest in range(modulus)]


def beyond_slopes(
    names: Sequence[str], points: Mapping[str, Ints], target: Target, own: Sequence[int]
) -> Iterator[Iterator[FormulaCase]]:
    """Yield, class by class, formulas for the points beyond a line v + c = a·u, the least steep first.

    A formula that is right in all of a class is left out.

    Multiples a are looked for next to the game's own numbers.
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
    if far.sum() < FEWEST_BEYOND:
        return None
    some = np.flatnonzero(far)
    some = some[:: max(1, some.size // (4 * FEWEST_BEYOND))]
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
