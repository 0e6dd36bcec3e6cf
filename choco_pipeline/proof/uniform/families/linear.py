"""What z3 says of sums of parameters: whether conditions can hold, and which sign a sum has under them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import z3

from choco_pipeline.proof.uniform.families.affine import Affine

#: Sums that are kept in z3's form, since making one takes longer than most questions about it.
KEPT = 1 << 16


@lru_cache(maxsize=KEPT)
def variable(name: str) -> z3.ArithRef:
    """Return a name for z3."""
    return z3.Int(name)


@lru_cache(maxsize=KEPT)
def term(total: Affine) -> z3.ArithRef:
    """Return a sum for z3."""
    parts: list[z3.ArithRef] = [
        variable(name) * c if c != 1 else variable(name) for name, c in total.terms
    ]
    if total.constant or not parts:
        parts.append(z3.IntVal(total.constant))
    return z3.Sum(parts) if len(parts) > 1 else parts[0]


@lru_cache(maxsize=KEPT)
def at_least_0(total: Affine) -> z3.BoolRef:
    """Return for z3 that a sum is not negative."""
    if total.is_constant:
        return z3.BoolVal(total.constant >= 0)
    return term(total) >= 0


def values_of(model: z3.ModelRef, names: Iterable[str]) -> Mapping[str, int]:
    """Return the integers that a model gives to names."""
    return {n: model.eval(variable(n), model_completion=True).as_long() for n in names}


def is_possible(conditions: Iterable[Affine]) -> bool:
    """Whether integers make all of the sums non-negative."""
    solver = z3.SimpleSolver()
    solver.add([at_least_0(c) for c in conditions])
    return bool(solver.check() != z3.unsat)


def sign_of(total: Affine, conditions: Sequence[Affine]) -> bool | None:
    """Return whether a sum is never negative under conditions, or always; None for neither."""
    if total.is_constant:
        return total.constant >= 0
    if not is_possible([*conditions, -total - 1]):
        return True
    if not is_possible([*conditions, total]):
        return False
    return None


def all_values(name: str, conditions: Iterable[Affine], most: int) -> list[int] | None:
    """Return all values of a name under conditions, the least first; None if there are more than `most`."""
    solver, found = z3.SimpleSolver(), list[int]()
    solver.add([at_least_0(c) for c in conditions])
    while solver.check() == z3.sat:
        if len(found) == most:
            return None
        found += values_of(solver.model(), [name]).values()
        solver.add(variable(name) != found[-1])
    return sorted(found)


def single_value(name: str, conditions: Iterable[Affine]) -> int | None:
    """Return the only value that a name has under conditions; None if it has several."""
    solver = z3.SimpleSolver()
    solver.add([at_least_0(c) for c in conditions])
    if solver.check() != z3.sat:
        return None
    (value,) = values_of(solver.model(), [name]).values()
    solver.add(variable(name) != value)
    return value if solver.check() == z3.unsat else None


def independent(conditions: Sequence[Affine]) -> tuple[Affine, ...]:
    """Return conditions without those that follow from the others."""
    kept = list(conditions)
    for condition in conditions:
        others = [other for other in kept if other is not condition]
        if sign_of(condition, others):
            kept = others
    return tuple(kept)
