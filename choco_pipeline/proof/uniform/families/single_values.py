"""Cases in which a parameter has one value, such as ``k == 9``, as parts of larger ones.

The thresholds of an invariant are sums of parameters, and there are more of them than are looked for if 9 is any number. So where
nothing is found for a single value, it is looked for among the parameters that leave the same remainder: what is proved of them
all is proved of the one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from choco_pipeline.proof.uniform.families.affine import Affine
from choco_pipeline.proof.uniform.families.family import AffineHeight, AffineQuotient, FamilyCase
from choco_pipeline.proof.uniform.families.linear import independent, sign_of, single_value
from choco_pipeline.proof.uniform.families.linear_forms import LinearForm

#: The formulas of the papers depend on remainders modulo 2 and 4.
MODULI = (4, 8, 16, 32)


def larger_cases(case: FamilyCase) -> Iterator[FamilyCase]:
    """Yield cases that this one is a part of: with all natural numbers of the same remainder for a single one."""
    values = {name: single_value(name, case.conditions) for name in case.names}
    single = {name: value for name, value in values.items() if value is not None}
    for modulus in MODULI if single else ():
        put = {n: Affine.of(f"m_{n}") * modulus + value % modulus for n, value in single.items()}
        if any(f"m_{name}" in case.names for name in single):
            return
        kept = [c.substitute(put) for c in case.conditions if not c.names <= single.keys()]
        larger = with_sums(case, put, [*(Affine.of(f"m_{name}") for name in single), *kept])
        parts = [part for height in larger.heights.values() for part in height.parts]
        game = [sum_ for h in parts for sum_ in (*h.terms.values(), h.constant, h.divisor - 1)]
        larger = replace(larger, conditions=(*larger.conditions, *game))
        shifts = (*larger.shifts.values(), larger.constant)
        if all(sign_of(shift, larger.conditions) is not None for shift in shifts):
            yield replace(larger, conditions=independent(larger.conditions))


def with_sums(
    case: FamilyCase, values: Mapping[str, Affine], conditions: Iterable[Affine]
) -> FamilyCase:
    """Return a case with sums for some names, and with these conditions."""

    def every(totals: Mapping[str, Affine]) -> dict[str, Affine]:
        return {name: total.substitute(values) for name, total in totals.items()}

    def quotient(h: AffineQuotient) -> AffineQuotient:
        constant, divisor = h.constant.substitute(values), h.divisor.substitute(values)
        return AffineQuotient(every(h.terms), constant, divisor)

    def height(h: AffineHeight) -> AffineHeight:
        return replace(h, parts=tuple(map(quotient, h.parts)))

    return replace(
        case,
        parameters=every(case.parameters),
        conditions=tuple(conditions),
        heights={y: height(h) for y, h in case.heights.items()},
        shifts=every(case.shifts),
        constant=case.constant.substitute(values),
        offset=case.offset.substitute(values),
        inside=tuple(
            LinearForm(every(f.terms), f.constant.substitute(values)) for f in case.inside
        ),
    )
