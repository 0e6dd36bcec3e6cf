"""Which values nim-sums and sums take over the P-positions, how these sets grow with the bound, and their forms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise, product

import numpy as np
import xarray as xr

from choco_pipeline.formula import Formula, parse
from choco_pipeline.games import Ruleset
from choco_pipeline.mining.closed_forms.atoms import length
from choco_pipeline.mining.closed_forms.chance import Chance, ChanceValues, values_by_chance
from choco_pipeline.mining.closed_forms.value_forms import (
    FEWEST,
    MOST_LISTED,
    conditions,
    forms,
    frontier,
    frontier_law,
    list_form,
    within,
)
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
    growing_bounds,
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
#: A form is found within the table's bound divided by this, and must then hold for all of the table.
SMALLER = 4
#: Expressions that no paper forms are looked at up to this bound.
FAR = 512
#: Most coordinates in sums, with multiples from -1 to 1.
MOST_IN_SUMS = 3
#: Not every number up to the end is a value by chance if such a share of those positions have values beyond the frontier.
LEAST_SHARE = 0.1


def mine_value_sets(game: Ruleset, bound: int, data: xr.Dataset) -> list[ValueSetFinding]:
    """Return the sets of values that have a form, and that of the papers' nim-sum in any case.

    Of a rectangular bar none.
    """
    if game.base.rules.face is not None:
        return []
    sets = [
        ValueSet(parse(text), bound, bound if not i else min(bound, FAR))
        for i, text in enumerate(expressions(game))
    ]
    chance = Chance(game)
    cells = Cells.of(game, bound, data)
    for points in cells.p_positions():
        size = cells.sizes(points)
        for values in sets:
            values.add(points, size)
        chance.add(points, size > bound // SMALLER)
    models = chance.models()
    tried = Tried(
        candidates=len(sets),
        what="values of nim-sums, with shifts, and of sums with signs: few numbers, 2^n−c, remainders, bounds,"
        " everything up to a frontier",
    )
    findings = [_finding(values, models, values is sets[0], tried) for values in sets]
    by_text = {
        (finding.growth, finding.form.text): finding for finding in findings if not finding.nothing
    }
    # If a sum is always zero, everything else that values have follows.
    zeros = [finding for finding in by_text.values() if finding.form.name == "zero"]
    return zeros or [*by_text.values()] or findings[:1]


def nim_sum_of(game: Ruleset) -> str | None:
    """Return the nim-sum that the papers form of a position of such a game, as a formula, or None where they form none.

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
    """Return the expressions whose values are looked at: the papers' nim-sum, other nim-sums, and sums.

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
            plus = "+".join(n for n, sign in zip(names, signs, strict=True) if sign > 0)
            minus = "".join(f"-{n}" for n, sign in zip(names, signs, strict=True) if sign < 0)
            balance = signs.count(1) - signs.count(-1)
            if signs.count(0) < len(names) - 1 and (balance > 0 or (not balance and signs[-1] > 0)):
                texts.append(plus + minus)
    return list(dict.fromkeys(parse(text).text for text in texts if text is not None))


@dataclass
class ValueSet:
    """The values of an expression over the P-positions, and how large these are."""

    #: An integer formula in the coordinates.
    formula: Formula
    #: The table's bound.
    bound: int
    #: P-positions with a larger coordinate are left out.
    limit: int
    positions: Ints = field(init=False)  # by their size
    low: int = field(init=False)
    first: Ints = field(
        init=False
    )  # for each value, from -low on, the size at which it first occurs
    last: Ints = field(init=False)  # and the size at which it last occurs

    def __post_init__(self) -> None:
        self.positions = np.zeros(self.limit + 1, np.int64)
        self.low = 4 * (self.bound + 16)
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

    def frontiers(self) -> list[tuple[int, int]]:
        """Return for boxes of side 16, 32, … the largest F such that 0, …, F are values at positions in them."""
        sides = [1 << i for i in range(4, (self.limit + 1).bit_length())]
        return [(side, frontier(self.within(side - 1))) for side in sides]


def _finding(
    values: ValueSet, models: tuple[Points, ...], of_a_paper: bool, tried: Tried
) -> ValueSetFinding:
    expression = values.formula.text
    smaller = values.limit // SMALLER
    held_out = int(values.positions[smaller + 1 :].sum())
    chance = values_by_chance(models, values.formula)
    frontiers = values.frontiers()
    finding = partial(
        ValueSetFinding,
        expression=expression,
        growth=tuple(values.growth()),
        frontiers=tuple(frontiers),
        tried=tried,
    )
    form = _form(values, smaller, chance, held_out)
    if form is None and of_a_paper:
        form = _all(frontiers, chance)
    if form is None:
        return finding(form=list_form(values.within(values.limit)), nothing=True)
    law = frontier_law(frontiers)
    if form.name == "all-up-to" and law:
        finding = partial(finding, law=law)
    return finding(
        form=form,
        text=f"{expression} takes {WORDS[form.relation]}{form.text}",
        claim={"statement": f"{{{expression}: P}} {SIGNS[form.relation]} {{v: {form.condition}}}"},
        size=length(expression)[0] + length(form.condition)[0],
        found_on=Evidence(
            positions=int(values.positions[: smaller + 1].sum()),
            what=f"P-positions to bound {smaller}",
        ),
        held_on=Evidence(positions=held_out, what=f"the others, to bound {values.limit}"),
    )


def _form(own: ValueSet, smaller: int, chance: ChanceValues, held_out: int) -> ValueForm | None:
    """Return the form of the values up to a smaller bound that all later ones have, too, and that chance does not explain.

    If a member of the form's set up to that bound is not a value, the values are only within the set.
    """
    early, later = own.within(smaller), own.beyond(smaller)
    small = np.arange(-smaller, smaller + 1)

    def is_right(condition: str) -> bool:
        holds_later = np.all(parse(condition).evaluate({"v": np.array(later)}))
        return bool(holds_later) and not chance.explain(condition, held_out)

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
            continue  # a finer one holds
        if is_right(condition):
            parts.append(condition)
    return within(*parts) if parts else None


def _all(frontiers: Sequence[tuple[int, int]], chance: ChanceValues) -> ValueForm | None:
    """Return that every number is a value, if the frontier grows, by a law or not, and is not as far as by chance.

    A law is needed if the values of bars by chance are about as many of the first numbers as there is room for.
    """
    law, last = frontier_law(frontiers), frontiers[-1][1] if frontiers else -1
    grows = len(frontiers) > FEWEST and all(a[1] < b[1] for a, b in pairwise(frontiers[-FEWEST:]))
    by_law_alone = any(frontier(values.tolist()) >= 2 * FEWEST for values in chance.bars)
    if (
        not (law or (grows and not by_law_alone))
        or last < 2 * FEWEST
        or (chance.shuffled > last).sum() < LEAST_SHARE * chance.shuffled.size
    ):
        return None
    far = f"in boxes of side B all up to {law}" if law else f"all up to {last:,} found"
    return ValueForm("all-up-to", f"n ≥ 0, {far}", "v >= 0", "contains-all")
