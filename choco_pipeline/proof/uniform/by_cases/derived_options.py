"""The options that a Grundy formula by cases needs: sums that solve its inequalities.

Idea: an option by some part of a move has the value h where inequalities hold that are linear in what the move changes. One of
them, its bound, is made an equation: where the changed numbers stand in it as C·u, for a sum u of them with integers, u is the
bound divided by C, rounded; if C is not 1 that quotient gets a name. One number is put in by it, and so on with the others,
until none is left. All choices of inequalities are tried, so there are too many options: `chosen_options` says which few suffice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import gcd

from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.uniform.by_cases.case_obligations import (
    TARGET,
    CaseObligations,
    NamedQuotient,
    SoughtOption,
)
from choco_pipeline.proof.uniform.families.affine import Affine, divided_by, number, product
from choco_pipeline.proof.uniform.families.linear import sign_of


@dataclass
class Quotients:
    """Names for quotients; of two that differ by a sum one is enough."""

    #: Of the case: sums that are not negative.
    conditions: Sequence[Affine]
    #: The names so far.
    found: list[NamedQuotient] = field(default_factory=list)

    def divided(self, dividend: Affine, divisor: Affine) -> Affine | None:
        """Return ⌊dividend/divisor⌋ as a sum; None if the divisor is never positive, or not always 0 or more."""
        if divisor.is_constant and divisor.constant == 1:
            return dividend
        if not sign_of(divisor, self.conditions) or sign_of(-divisor, self.conditions):
            return None
        # ⌊a/d⌋ is -⌊(d-1-a)/d⌋: the one of the two that has a name, or fewer minus signs.
        ways = []
        for sign, total in ((1, dividend), (-1, divisor - 1 - dividend)):
            whole = _whole(total, divisor)
            ways.append((sign, whole, NamedQuotient("", total - product(whole, divisor), divisor)))
        known = {replace(quotient, name=""): quotient.name for quotient in self.found}
        sign, whole, quotient = max(ways, key=lambda w: (w[2] in known, sum(c for _, c in w[2].dividend.terms)))  # fmt: skip
        if quotient not in known:
            known[quotient] = f"number({len(self.found) + 1})"
            self.found.append(replace(quotient, name=known[quotient]))
        return (whole + Affine.of(known[quotient])) * sign


def _whole(dividend: Affine, divisor: Affine) -> Affine:
    """Return a sum whose multiple by the divisor leaves little of the dividend: no products, or no large numbers."""
    if divisor.is_constant:
        size = divisor.constant
        return Affine.total({n: c // size for n, c in dividend.terms}, dividend.constant // size)
    whole = number(0)
    (name, size), *others = divisor.terms
    for term, c in dividend.terms:
        rest = divided_by(term, name)
        if rest is not None and not others:
            whole += rest * (c // size)
    return whole


def derived_options(
    game: CaseObligations, quotients: Quotients, clock: Clock
) -> list[SoughtOption]:
    """Return options that the inequalities of the formula give for the value `TARGET`."""
    options: dict[tuple[object, ...], SoughtOption] = {}
    target = Affine.of(TARGET)
    for part in game.parts:
        option = game.option_place(part)
        unknown = {name for x in part.changed for name in option[x].names}
        rules = game.is_option(part, option)
        for choice in game.case.choices:
            for sums in choice.equal(option, target):
                for values in _solutions((*sums, *rules), unknown, {}, quotients):
                    clock.require()
                    changed = {x: option[x].substitute(values) for x in part.changed}
                    options.setdefault((part, *changed.values()), SoughtOption(part, changed))
    return list(options.values())


def _solutions(
    sums: Sequence[Affine],
    unknown: set[str],
    values: Mapping[str, Affine],
    quotients: Quotients,
) -> Iterator[Mapping[str, Affine]]:
    """Yield sums for all unknown names, by inequalities that are made equations."""
    if not unknown:
        yield values
        return
    for total in sums:
        solved = _bound(total, unknown, quotients)
        if solved is None:
            continue
        name, value = solved
        put = {name: value}
        rest = [s.substitute(put) for s in sums if s is not total]
        after = {n: v.substitute(put) for n, v in values.items()} | put
        yield from _solutions(rest, unknown - {name}, after, quotients)


def _bound(total: Affine, unknown: set[str], quotients: Quotients) -> tuple[str, Affine] | None:
    """Return a name, and what it is where a sum that is not negative is as small as can be."""
    multiples = {name: _multiple(total, name) for name in sorted(unknown & total.names)}
    if not multiples:
        return None
    rest = total
    for name, a in multiples.items():
        rest -= product(a, Affine.of(name))
    first = next(iter(multiples.values()))
    size = gcd(*(c for a in multiples.values() for c in (*dict(a.terms).values(), a.constant)))
    common = _divided(first, gcd(*(c for _, c in first.terms), first.constant)) * size
    ratios = {name: _ratio(a, common) for name, a in multiples.items()}
    if any(ratio is None for ratio in ratios.values()):
        return None
    negative = sign_of(-common, quotients.conditions)
    # common·u + rest ≥ 0, where u is the sum of the names with these ratios.
    bound = quotients.divided(rest, -common) if negative else quotients.divided(rest, common)
    if bound is None:
        return None
    bound = bound if negative else -bound
    solved = next((n for n, ratio in ratios.items() if ratio in (1, -1)), None)
    if solved is None:
        return None
    for other, ratio in ratios.items():
        if other != solved:
            bound -= Affine.of(other) * (ratio or 0)
    return solved, bound * (ratios[solved] or 1)


def _multiple(total: Affine, name: str) -> Affine:
    """Return what a name is multiplied by in a sum."""
    multiple = number(0)
    for term, c in total.terms:
        rest = divided_by(term, name)
        if rest is not None:
            multiple += rest * c
    return multiple


def _divided(total: Affine, by: int) -> Affine:
    return Affine.total({n: c // by for n, c in total.terms}, total.constant // by)


def _ratio(total: Affine, by: Affine) -> int | None:
    """Return the integer that a sum is a multiple by; None if there is none."""
    place = next((name for name, _ in by.terms), None)
    whole, part = (dict(t.terms).get(place, 0) if place else t.constant for t in (total, by))
    return whole // part if whole % part == 0 and total == by * (whole // part) else None
