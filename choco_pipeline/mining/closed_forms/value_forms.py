"""Forms of sets of integers as conditions on v, and the frontier up to which a set has every number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from itertools import count, pairwise
from math import gcd

import numpy as np

from choco_pipeline.formula import parse
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.shifted_powers import MOST_SHIFT, ShiftedPowers
from choco_pipeline.mining.closed_forms.atoms import Truths
from choco_pipeline.mining.table_findings import ValueForm

#: At most this many values are listed.
MOST_LISTED = 64
#: A form is not believed on fewer members than this.
FEWEST = 4
#: Most numbers of a set that is finite if it stays the same, and most others beside powers.
MOST_MEMBERS, MOST_EXTRAS = 8, 2
#: Remainders are looked at modulo at most this.
LARGEST_MODULUS = 64
#: A law for frontiers is fitted on two of them; fewest others for which it must hold.
FEWEST_OTHERS = 2

#: Fewest periods of a set among the numbers from which it is guessed.
PERIODS = 4
#: A set of numbers is not said to be more residues than these.
MOST_RESIDUES = 6


def within(*conditions: str) -> ValueForm:
    """Return that all values satisfy some conditions.

    Examples
    --------
    >>> within("v % 4 == 0", "v >= 0").text
    '{v : v ≡ 0 (mod 4), v ≥ 0}'
    """
    text = f"{{v : {', '.join(map(math_text, conditions))}}}"
    return ValueForm("conditions", text, " and ".join(conditions), "within")


def forms(values: Sequence[int]) -> list[ValueForm]:
    """Return the forms with few or with rare members that a set, in ascending order, has, the narrowest first; for most sets none.

    Examples
    --------
    >>> [form.text for form in forms([0, 1, 2, 6, 14, 30])]
    ['{2^n − 2 : n ≥ 1} ∪ {1}', '{0, 1, 2, 6, 14, 30}']
    """
    narrow = []
    powers = _powers(values)
    if powers is not None:
        narrow.append(powers)
    if 0 < len(values) <= MOST_MEMBERS:
        name = "zero" if list(values) == [0] else "finite"
        text = f"{{{', '.join(map(str, values))}}}"
        narrow.append(ValueForm(name, text, " or ".join(f"v == {v}" for v in values)))
    return narrow


def conditions(values: Sequence[int]) -> list[str]:
    """Return conditions that all members of a set satisfy: a remainder, the coarsest last, and bounds.

    Examples
    --------
    >>> conditions([0, 4, 8, 12, 20, 24, 28, 32, 36])
    ['v % 4 == 0', 'v % 2 == 0', 'v >= 0', 'v <= 36']
    """
    if len(values) < FEWEST:
        return []
    modulus = reduce(gcd, (b - a for a, b in pairwise(values)))
    remainders = [
        f"v % {m} == {values[0] % m}"
        for m in range(min(modulus, LARGEST_MODULUS), 1, -1)
        if not modulus % m
    ]
    return [*remainders, f"v >= {values[0]}", f"v <= {values[-1]}"]


def list_form(values: Sequence[int]) -> ValueForm:
    """Return a list of the first values, the form of a set without any."""
    shown = ", ".join(map(str, values[:MOST_LISTED])) + (", …" if len(values) > MOST_LISTED else "")
    return ValueForm("list", f"{{{shown}}}")


def frontier(values: Sequence[int]) -> int:
    """Return the largest F such that all of 0, …, F are among `values`; -1 if 0 is not."""
    members = set(values)
    return next(n for n in count() if n not in members) - 1


def frontier_law(frontiers: Sequence[tuple[int, int]]) -> str | None:
    """Return a·B + c for the frontier within boxes of side B, if it fits all of them exactly, except the first ones.

    These are pairs of side and frontier, sides ascending.

    Examples
    --------
    >>> frontier_law([(16, 3), (32, 15), (64, 31), (128, 63), (256, 127), (512, 255)])
    'B/2 - 1'
    >>> frontier_law([(16, 3), (32, 15), (64, 31), (128, 60), (256, 127), (512, 255)]) is None
    True
    """
    for first in range(len(frontiers) - FEWEST_OTHERS - 1):
        (b, f), (other, g), *rest = frontiers[first:]
        slope = Fraction(g - f, other - b)
        constant = f - slope * b
        if slope > 0 and all(slope * side + constant == frontier for side, frontier in rest):
            above, below = slope.numerator, slope.denominator
            text = ("B" if above == 1 else f"{above}·B") + (f"/{below}" if below > 1 else "")
            sign = "+" if constant > 0 else "-"
            return text + (f" {sign} {abs(constant)}" if constant else "")
    return None


def _powers(values: Sequence[int]) -> ValueForm | None:
    """Return {2^n - c} without a gap, and at most few other numbers."""
    best: tuple[int, int, int, list[int], list[int]] | None = None
    for c in range(-MOST_SHIFT, MOST_SHIFT + 1):
        members = [v for v in values if ShiftedPowers.from_first(c, v) is not None]
        extras = sorted(set(values) - set(members))
        doubled = all(2 * (a + c) == b + c for a, b in pairwise(members))
        if len(members) >= FEWEST and doubled and len(extras) <= MOST_EXTRAS:
            best = min(filter(None, (best, (len(extras), abs(c), c, members, extras))))
    if best is None:
        return None
    _, _, c, members, extras = best
    powers = ShiftedPowers(c, (members[0] + c).bit_length() - 1)
    text, condition = powers.text, powers.condition
    if extras:
        text += f" ∪ {{{', '.join(map(str, extras))}}}"
        condition = " or ".join([*(f"v == {v}" for v in extras), condition])
    return ValueForm("two-powers-minus-two" if c == 2 else "powers", text, condition)


def conditions_on(name: str, inside: Truths) -> Iterator[str]:
    """Yield conditions on a number that are true of exactly the numbers in a set, as far as it is known, the best first.

    Of 0, 1, … is given whether they are in the set.

    Examples
    --------
    >>> list(conditions_on("a", np.arange(64) % 5 == 2))
    ['a%5 == 2']
    """
    longest = len(inside) // PERIODS
    periods = (p for p in range(1, longest + 1) if (inside[p:] == inside[:-p]).all())
    period = next(periods, 1)
    if period > 1:
        residues = np.flatnonzero(inside[:period]).tolist()
        steps = {larger - smaller for smaller, larger in pairwise(residues)}
        if len(residues) > 2 and len(steps) == 1:
            yield _progression(f"{name}%{period}", residues[0], residues[-1], *steps)
        elif 0 < len(residues) <= MOST_RESIDUES:
            yield " or ".join(f"{name}%{period} == {residue}" for residue in residues)
        return
    members = np.flatnonzero(inside).tolist()
    if len(members) >= FEWEST:
        for form in forms(members):
            yield parse(form.condition).rename({"v": name}).text


def _progression(term: str, first: int, last: int, step: int) -> str:
    """Return that a term is in an arithmetic progression.

    The end is the first number after it: of the residues 0, 2, …, k-2 that is k, the number taken.
    """
    parts = [f"{term}%{step} == {first % step}"] if step > 1 else []
    parts += [f"{term} >= {first}"] if first >= step else []
    return " and ".join([*parts, f"{term} < {last + step}"])
