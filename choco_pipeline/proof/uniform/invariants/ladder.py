"""The obligations of a case, and in which order predicates are tried for each: few first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from choco_pipeline.proof.clock import Clock, OverError
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.families.affine import ZERO
from choco_pipeline.proof.uniform.families.family import Family, FamilyCase
from choco_pipeline.proof.uniform.invariants.control import FamilyObligation
from choco_pipeline.proof.uniform.invariants.invariant_search import Invariant, LostError, search
from choco_pipeline.proof.uniform.invariants.locations import option

#: Rounds of preconditions beyond which no family is known to need more: each makes some times as many states.
MOST_ROUNDS = 2


def obligations(family: Family, case: FamilyCase) -> Iterator[FamilyObligation]:
    """Yield what makes the relation right in a case."""
    if family.kind == "grundy":
        yield FamilyObligation(family, case, "value")
    for number, _ in enumerate(family.description.moves):
        yield FamilyObligation(family, case, "exclusion", number)
    yield FamilyObligation(family, case, "option")


def prove_obligation(obligation: FamilyObligation, clock: Clock) -> Invariant:
    """Return what proves an obligation, or raise `UndecidedError` saying where it stood."""
    last = None
    for variant, rounds, all_hypotheses in _rungs(obligation):
        try:
            return search(variant, clock, rounds=rounds, all_hypotheses=all_hypotheses)
        except LostError as error:
            last = error
        except OverError as error:
            raise UndecidedError(
                f"{variant.name}, predicates of {rounds} rounds: {error}"
            ) from None
    raise LostError(f"no invariant is found: {last}")


def _rungs(obligation: FamilyObligation) -> Iterator[tuple[FamilyObligation, int, bool]]:
    limited = frozenset(obligation.case.heights)
    watched = limited | {option(name) for name in limited}
    plain = replace(obligation, watched=frozenset(), singles=False)
    if obligation.kind == "value":
        variants = [replace(obligation, watched=limited)]
    elif obligation.kind == "exclusion":
        variants = [plain, obligation]
    elif (
        all(shift == ZERO for shift in obligation.case.shifts.values())
        and not obligation.has_target
    ):
        variants = [obligation, replace(obligation, watched=watched)]
    else:
        variants = [replace(obligation, watched=watched)]
    for rounds in range(MOST_ROUNDS + 1):
        for variant in variants:
            yield variant, rounds, False
        if obligation.kind == "option" and rounds:
            yield variants[-1], rounds, True
