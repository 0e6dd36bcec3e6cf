"""Values of nim-sums and sums at P-positions: their growth and their forms.

A form says nothing about a game if random values have it, too. Random values are those at shuffled positions: each coordinate is
taken from another P-position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import count, pairwise, product
from math import gcd

import numpy as np

from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.written.math_text import MOST_SHIFT, ShiftedPowers, math_text
from choco_pipeline.games import Ruleset
from choco_pipeline.mining.closed_forms.synthesis import linear_sum
from choco_pipeline.mining.table_findings import (
    Evidence,
    GrowthStep,
    Tried,
    ValueForm,
    ValueSetFinding,
)
from choco_pipeline.tables.cells import (
    Cells,
    Ints,
    Points,
    Truths,
    are_positions,
    growing_bounds,
    holds_at,
    select,
)

#: The relation of the values to the set, in the statement language.
SIGNS = {"exactly": "==", "within": "<=", "contains-all": ">="}
#: The same in words.
WORDS = {
    "exactly": "exactly the values ",
    "within": "only values in ",
    "contains-all": "every value: ",
}
#: Larger than any coordinate.
NEVER = np.iinfo(np.int64).max
#: A form is found up to the table's bound divided by this, and must then hold for the whole table.
SMALLER = 4
#: Bound for expressions that are not in the papers.
FAR = 512
#: Most coordinates in sums, with multiples from -1 to 1.
MOST_IN_SUMS = 3
#: A frontier is no chance if at least this share of shuffled positions has values beyond it.
LEAST_SHARE = 0.1

#: Most values in a list.
MOST_LISTED = 64
#: Fewest members of a set with a form.
FEWEST = 4
#: Most members of a finite set, and most members of a set of powers that are no powers.
MOST_MEMBERS, MOST_EXTRAS = 8, 2
#: Largest modulus of remainders.
LARGEST_MODULUS = 64
#: Two frontiers determine a law; it must hold for at least this number of others.
FEWEST_OTHERS = 2

#: Fewest periods of a set in the numbers from which it is guessed.
PERIODS = 4
#: Most residues in a condition.
MOST_RESIDUES = 6

#: Most P-positions in each block whose coordinates are shuffled.
SHUFFLED = 1 << 14
#: Fewest shuffled positions that contradict a form, and fewest held-out P-positions that would contradict it by chance.
FEWEST_CONTRADICTED, FEWEST_EXPECTED = 5, 20


def mine_value_sets(cells: Cells) -> list[ValueSetFinding]:
    """Return the sets of values that have a form; without any, the first set.

    There are none for rectangular bars.
    """
    game, bound = cells.game, cells.bound
    if game.base.rules.face is not None:
        return []
    sets = [
        ValueSet(parse(text), bound, bound if not i else min(bound, FAR))
        for i, text in enumerate(expressions(game))
    ]
    random = np.random.default_rng(0)
    held_out: list[Points] = []
    for points in cells.p_positions():
        size = cells.sizes(points)
        for values in sets:
            values.add(points, size)
        chosen = np.flatnonzero(size > bound // SMALLER)
        if chosen.size > SHUFFLED:
            chosen = random.choice(chosen, SHUFFLED, replace=False)
        held_out.append({name: points[name][chosen] for name in game.coordinates})
    columns = {
        name: random.permutation(np.concatenate([part[name] for part in held_out]))[: 4 * SHUFFLED]
        for name in game.coordinates
    }
    shuffled = select(columns, are_positions(game, columns))
    tried = Tried(
        candidates=len(sets),
        what="values of nim-sums, with shifts, and of sums with signs: few numbers, 2^n−c, remainders, bounds,"
        " everything up to a frontier",
    )
    findings = [_finding(values, shuffled, values is sets[0], tried) for values in sets]
    by_text = {(one.growth, one.form.text): one for one in findings if not one.nothing}
    # If an expression is always 0, the other forms follow.
    zeros = [finding for finding in by_text.values() if finding.form.name == "zero"]
    return zeros or [*by_text.values()] or findings[:1]


def nim_sum_of(game: Ruleset) -> str | None:
    """Return the nim-sum that the papers use for a game, or None.

    Examples
    --------
    >>> from choco_pipeline import StripBar, WithPass
    >>> nim_sum_of(WithPass(StripBar(k=4, s=2)))
    '(x+2) ^ y ^ (z+2) ^ p'
    """
    rules = game.base.rules
    bar = rules.bar
    if not rules.is_nim and (bar is None or bar.triple is None):
        return None
    shifted = {*rules.coordinates} - {bar.up} if bar is not None and bar.shift else ()
    by = bar.shift if bar is not None else 0
    return " ^ ".join(f"({name}+{by})" if name in shifted else name for name in game.coordinates)


def expressions(game: Ruleset) -> list[str]:
    """Return the expressions: the papers' nim-sum, other nim-sums, and sums.

    Examples
    --------
    >>> from choco_pipeline import Nim, WithPass
    >>> expressions(WithPass(Nim(2)))
    ['a ^ b ^ p', 'a ^ b', 'a+b', 'b-a']
    """
    base, passes = game.base, game.passes
    names = base.coordinates
    texts = [nim_sum_of(game)]
    bar = base.rules.bar
    shifts: dict[str, tuple[int, ...]] = dict.fromkeys(names, (0,))
    if bar is not None and bar.shift:
        shifts |= {name: (0, bar.shift) for name in names if name != bar.up}
    ways = [*product(*shifts.values())]
    if bar is not None and bar.triple is not None and not bar.is_flat:
        ways += [tuple(by if name != bar.up else 0 for name in names) for by in (1, -1)]
    for way, with_pass in product(ways, (True, False) if passes else (False,)):
        terms = [f"({name}{s:+d})" if s else name for name, s in zip(names, way, strict=True)]
        texts.append(" ^ ".join([*terms, *game.coordinates[-1:]] if with_pass else terms))
    if len(names) <= MOST_IN_SUMS:
        for signs in product((0, 1, -1), repeat=len(names)):
            balance = signs.count(1) - signs.count(-1)
            if signs.count(0) < len(names) - 1 and (balance > 0 or (not balance and signs[-1] > 0)):
                texts.append(linear_sum(signs, names, 0))
    return list(dict.fromkeys(parse(text).text for text in texts if text is not None))


class ValueSet:
    """The values of an expression at P-positions, and the sizes of these."""

    def __init__(self, formula: Formula, bound: int, limit: int) -> None:
        """Create an empty set; P-positions of a size above the limit are left out."""
        self.formula = formula
        self.limit = limit
        self.low = 4 * (bound + 16)
        self.positions = np.zeros(limit + 1, np.int64)  # number of P-positions by size
        # for each value, from -low on, the sizes at which it first and last occurs
        self.first = np.full(2 * self.low, NEVER)
        self.last = np.full(2 * self.low, -1)

    def add(self, points: Points, sizes: Ints) -> None:
        """Add P-positions with their largest coordinates."""
        inside = sizes <= self.limit
        if not inside.any():
            return
        size = sizes[inside]
        used = {name: points[name][inside] for name in self.formula.names}
        values = np.broadcast_to(self.formula.evaluate(used), size.shape) + self.low
        more = int(values.max()) + 1 - self.first.size
        if more > 0:
            self.first = np.concatenate([self.first, np.full(more, NEVER)])
            self.last = np.concatenate([self.last, np.full(more, -1)])
        np.minimum.at(self.first, values, size)
        np.maximum.at(self.last, values, size)
        self.positions += np.bincount(size, minlength=self.limit + 1)

    def within(self, size: int) -> list[int]:
        """Return the values at P-positions up to a size, ascending."""
        values: list[int] = (np.flatnonzero(self.first <= size) - self.low).tolist()
        return values

    def beyond(self, size: int) -> list[int]:
        """Return the values at P-positions above a size, ascending."""
        values: list[int] = (np.flatnonzero(self.last > size) - self.low).tolist()
        return values

    def growth(self) -> Iterator[GrowthStep]:
        """Yield the values at growing bounds."""
        for step in growing_bounds(self.limit):
            seen = self.within(step)
            yield GrowthStep(
                bound=step,
                positions=int(self.positions[: step + 1].sum()),
                count=len(seen),
                largest=max(seen, default=None),
                values=tuple(seen[:MOST_LISTED]),
            )


def _finding(values: ValueSet, points: Points, of_a_paper: bool, tried: Tried) -> ValueSetFinding:
    expression = values.formula.text
    smaller = values.limit // SMALLER
    learnt, held_out = (int(part.sum()) for part in np.split(values.positions, [smaller + 1]))
    shuffled = values.formula.evaluate(points).astype(np.int64)
    growth = tuple(values.growth())
    finding = partial(ValueSetFinding, expression=expression, growth=growth, tried=tried)
    form = _form(values, smaller, shuffled, held_out)
    if form is None and of_a_paper:
        form = _all(values, shuffled)
    if form is None:
        every = values.within(values.limit)
        shown = [*map(str, every[:MOST_LISTED]), *["…"] * (len(every) > MOST_LISTED)]
        return finding(form=ValueForm("list", f"{{{', '.join(shown)}}}"), nothing=True)
    return finding(
        form=form,
        text=f"{expression} takes {WORDS[form.relation]}{form.text}",
        claim={"statement": f"{{{expression}: P}} {SIGNS[form.relation]} {{v: {form.condition}}}"},
        found_on=Evidence(learnt, f"P-positions to bound {smaller}"),
        held_on=Evidence(held_out, f"the others, to bound {values.limit}"),
    )


def _form(own: ValueSet, smaller: int, shuffled: Ints, held_out: int) -> ValueForm | None:
    """Return the form of early values, if later values confirm it.

    If a member of the form's set up to `smaller` is not a value, the form only says that the values are within the set.
    """
    early, later = own.within(smaller), own.beyond(smaller)
    small = np.arange(-smaller, smaller + 1)

    def is_right(condition: str) -> bool:
        holds_later = np.all(parse(condition).evaluate({"v": np.array(later)}))
        return bool(holds_later) and not is_chance(condition, held_out, shuffled)

    if not later:
        return None
    for form in forms(early):
        if is_right(form.condition):
            members = small[parse(form.condition).evaluate({"v": small})]
            are_all = np.isin(members, [*early, *later]).all()
            return form if are_all else within(form.condition)
    parts: list[str] = []
    for condition in conditions(early):
        if " % " in condition and any(" % " in part for part in parts):
            continue  # a finer remainder holds
        if is_right(condition):
            parts.append(condition)
    lower, upper = f"v >= {early[0]}", f"v <= {early[-1]}"
    if lower in parts and early[0] <= 0 and upper not in parts:
        parts.remove(lower)  # a lower bound of at most 0 holds in most games
    return within(*parts) if parts else None


def _all(values: ValueSet, shuffled: Ints) -> ValueForm | None:
    """Return the form "all numbers up to a law", or None.

    There is none if the frontier follows no law, or if too few values at shuffled positions are beyond it.
    """
    sides = [1 << i for i in range(4, (values.limit + 1).bit_length())]
    frontiers = [(side, frontier(values.within(side - 1))) for side in sides]
    law, last = frontier_law(frontiers), frontiers[-1][1] if frontiers else -1
    has_beyond = (shuffled > last).sum() >= LEAST_SHARE * shuffled.size
    if law is None or last < 2 * FEWEST or not has_beyond:
        return None
    text = f"n ≥ 0, in boxes of side B all up to {law}"
    return ValueForm("all-up-to", text, "v >= 0", "contains-all")


def within(*conditions: str) -> ValueForm:
    """Return the form of values that satisfy some conditions.

    Examples
    --------
    >>> within("v % 4 == 0", "v >= 0").text
    '{v : v ≡ 0 (mod 4), v ≥ 0}'
    """
    text = f"{{v : {', '.join(map(math_text, conditions))}}}"
    return ValueForm("conditions", text, " and ".join(conditions), "within")


def forms(values: Sequence[int]) -> list[ValueForm]:
    """Return forms of an ascending set: shifted powers of 2, and a finite set.

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
    """Return conditions on all members: remainders, coarsest last, and bounds.

    Examples
    --------
    >>> conditions([0, 4, 8, 12, 20, 24, 28, 32, 36])
    ['v % 4 == 0', 'v % 2 == 0', 'v >= 0', 'v <= 36']
    """
    if len(values) < FEWEST:
        return []
    modulus = reduce(gcd, (b - a for a, b in pairwise(values)))
    divisors = (m for m in range(min(modulus, LARGEST_MODULUS), 1, -1) if not modulus % m)
    remainders = [f"v % {m} == {values[0] % m}" for m in divisors]
    return [*remainders, f"v >= {values[0]}", f"v <= {values[-1]}"]


def frontier(values: Sequence[int]) -> int:
    """Return the largest F such that 0, …, F are in `values`, or -1."""
    members = set(values)
    return next(n for n in count() if n not in members) - 1


def frontier_law(frontiers: Sequence[tuple[int, int]]) -> str | None:
    """Return the law a·B + c of frontiers in boxes of side B, or None.

    `frontiers` are pairs (B, frontier), with B ascending. The law may fail for the first ones.

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
    """Yield conditions that define a known set of numbers, the best first.

    `inside` says for each of 0, 1, … whether it is in the set.

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
            # The upper bound is the next term: k for the residues 0, 2, …, k-2.
            (step,), first, term = steps, residues[0], f"{name}%{period}"
            parts = [f"{term}%{step} == {first % step}"] if step > 1 else []
            parts += [f"{term} >= {first}"] if first >= step else []
            yield " and ".join([*parts, f"{term} < {residues[-1] + step}"])
        elif 0 < len(residues) <= MOST_RESIDUES:
            yield " or ".join(f"{name}%{period} == {residue}" for residue in residues)
        return
    members = np.flatnonzero(inside).tolist()
    if len(members) >= FEWEST:
        for form in forms(members):
            yield parse(form.condition).rename({"v": name}).text


def is_chance(condition: str, held_out: int, shuffled: Ints) -> bool:
    """Whether a condition on held-out values holds by chance.

    It does if too few values at shuffled positions contradict it.
    """
    contradicted = int((~holds_at(parse(condition), {"v": shuffled})).sum())
    expected = contradicted / max(1, shuffled.size) * held_out
    return contradicted < FEWEST_CONTRADICTED or expected < FEWEST_EXPECTED
