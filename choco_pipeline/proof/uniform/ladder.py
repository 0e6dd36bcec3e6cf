"""The obligations of a case, and in which order predicates are tried for each: few first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from choco_pipeline.proof.clock import Clock, OverError
from choco_pipeline.proof.errors import UndecidedError
from choco_pipeline.proof.uniform.affine import ZERO
from choco_pipeline.proof.uniform.control import Obligation
from choco_pipeline.proof.uniform.family import Case, Family
from choco_pipeline.proof.uniform.locations import option
from choco_pipeline.proof.uniform.search import Invariant, LostError, search

#: Rounds of preconditions beyond which no family is known to need more: each makes some times as many states.
MOST_ROUNDS = 2


def obligations(family: Family, case: Case) -> Iterator[Obligation]:
    """Yield what makes the relation right in a case."""
    if family.kind == "grundy":
        yield Obligation(family, case, "value")
    for number, _ in enumerate(family.description.moves):
        yield Obligation(family, case, "exclusion", number)
    yield Obligation(family, case, "option")


def prove_obligation(obligation: Obligation, clock: Clock) -> Invariant:
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
    raise UndecidedError(f"no invariant is found: {last}")


def _rungs(obligation: Obligation) -> Iterator[tuple[Obligation, int, bool]]:
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
