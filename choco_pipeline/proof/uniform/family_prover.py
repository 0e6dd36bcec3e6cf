"""Search for the certificate of a family, or for a counterexample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from choco_pipeline.proof.clock import Clock, OverError
from choco_pipeline.proof.proof_errors import FamilyError, UndecidedError
from choco_pipeline.proof.trial import SECONDS, Refutation
from choco_pipeline.proof.uniform.affine import EXPONENTIAL, ZERO, Affine
from choco_pipeline.proof.uniform.by_cases import CaseFormulaProof, prove_by_cases
from choco_pipeline.proof.uniform.control import FamilyObligation, option
from choco_pipeline.proof.uniform.failure import Failure, FewValues, failures
from choco_pipeline.proof.uniform.family import Family, FamilyCase
from choco_pipeline.proof.uniform.invariant_search import (
    Invariant,
    LostError,
    ObligationGame,
    Samples,
    samples_of,
)
from choco_pipeline.proof.uniform.sentences import (
    all_values,
    forget_questions,
    independent,
    sign_of,
)

#: Largest fraction of the time for the trial of members, and for the search for failures.
MEMBER_SHARE = 0.2
#: Limit in seconds for the search for a refutation of all members. Known families take less than one second.
FAILURE_SECONDS = 4.0
#: Moduli for `_larger_cases`. The formulas of the papers depend on remainders modulo 2 and 4.
MODULI = (4, 8, 16, 32)

Status = Literal["found", "refuted", "undecided"]


@dataclass(frozen=True)
class CaseProof:
    """The hints for one case.

    If the statement has a condition on positions, they are the `largest` values of limited coordinates; for a formula by cases,
    `by_cases`; otherwise the invariants.
    """

    case: FamilyCase
    invariants: tuple[Invariant, ...]
    largest: Mapping[str, int] | None = None
    by_cases: CaseFormulaProof | None = None


@dataclass(frozen=True)
class FamilyProof:
    """The result of a search."""

    family: Family
    #: ``found``: there are hints for all cases. ``refuted``: a member is a counterexample. Otherwise ``undecided``.
    status: Status
    #: The reason, in words.
    why: str
    cases: tuple[CaseProof, ...] = ()
    #: Only if refuted.
    counterexample: Refutation | None = None
    #: Number of members that were compared with the definition.
    members: int = 0
    #: CPU time of the search.
    seconds: float = 0.0
    #: Positions that refute every member, if they were found.
    failures: tuple[Failure, ...] = ()

    @property
    def states(self) -> int:
        """The total number of abstract states of all invariants."""
        invariants = [invariant for case in self.cases for invariant in case.invariants]
        return sum(len(states) for i in invariants for states in i.states.values())


def decide(family: Family, clock: Clock) -> FamilyProof:
    """Search for a proof or refutation of a family, within the limits of the clock.

    The result is a guess until `checker/families.py` has decided its certificate.
    """
    forget_questions()
    wrong, members = family.refutation(min(SECONDS, clock.seconds * MEMBER_SHARE))
    if wrong is not None:
        of_all = () if family.description.passes else _failures(family, clock)
        why = wrong.text
        return FamilyProof(family, "refuted", why, (), wrong, members, clock.spent, of_all)
    cases = list(family.cases())
    if not cases:
        raise FamilyError(
            f"{family.ruleset} for {family.condition}: no natural numbers make it a game"
        )
    if any(case.power is not None for case in cases):
        why = f"no counterexample in {members} members; a proof with powers of 2 is not supported"
        return FamilyProof(family, "undecided", why, members=members, seconds=clock.spent)
    proofs: list[CaseProof] = []
    for number, case in enumerate(cases, start=1):
        try:
            proofs.append(_prove_case(family, case, proofs, clock))
        except UndecidedError as error:
            split = [f"{n} = {value}" for n, value in case.parameters.items() if str(value) != n]
            of = ", ".join([*split, *(f"{c} >= 0" for c in case.conditions)])
            why = f"case {number} of {len(cases)}, {of}: {error}"
            return FamilyProof(family, "undecided", why, tuple(proofs), None, members, clock.spent)
    why = f"every obligation holds in {len(cases)} case{'s' if len(cases) > 1 else ''}"
    return FamilyProof(family, "found", why, tuple(proofs), None, members, clock.spent)


def _prove_case(
    family: Family, case: FamilyCase, earlier: Sequence[CaseProof], clock: Clock
) -> CaseProof:
    """Return hints for a case, or for a larger case that contains it."""
    if family.where and not family.description.passes:
        return CaseProof(case, (), FewValues(family, case).largest)
    if family.is_by_cases:
        hints = [proof.by_cases for proof in earlier if proof.by_cases is not None]
        return CaseProof(case, (), by_cases=prove_by_cases(family, case, hints, clock))
    if any(height.function == "sum" for height in case.heights.values()):
        raise FamilyError(
            f"{family.ruleset}: a height that is a sum of quotients is supported only for P-positions,"
            " with a condition on positions that bounds it, such as x <= k and z <= k"
        )

    def with_invariants(case: FamilyCase) -> CaseProof:
        todo = obligations(family, case)
        return CaseProof(case, tuple(prove_obligation(obligation, clock) for obligation in todo))

    try:
        return with_invariants(case)
    except LostError as error:
        larger = list(_larger_cases(case))
        for other in larger:
            with suppress(LostError):
                return with_invariants(other)
        moduli = ", ".join(map(str, MODULI))
        more = f"; nor for all with the same remainder modulo one of {moduli}" if larger else ""
        raise UndecidedError(f"{error}{more}") from None


def _larger_cases(case: FamilyCase) -> Iterator[FamilyCase]:
    """Yield larger cases that contain this one.

    They replace a parameter with a single value by all natural numbers with the same remainder. Thresholds in invariants are sums of
    parameters. In a case such as ``k == 9``, any number is such a sum, which gives too many candidates.
    """
    values = {name: all_values(name, case.conditions, 1) for name in case.names}
    single = {name: value for name, several in values.items() for value in several or ()}
    if any(f"m_{name}" in case.names for name in single):
        return
    for modulus in MODULI if single else ():
        forms = {n: Affine.of(f"m_{n}") * modulus + value % modulus for n, value in single.items()}
        kept = [c.substitute(forms) for c in case.conditions if not c.names <= single.keys()]
        larger = case.substitute(forms, [*(Affine.of(f"m_{name}") for name in single), *kept])
        parts = (part for height in larger.heights.values() for part in height.parts)
        naturals = [total for part in parts for total in part.naturals]
        with_power = [total for total in naturals if EXPONENTIAL in total.names]
        conditions = larger.conditions + tuple(t for t in naturals if t not in with_power)
        shifts = (*larger.shifts.values(), larger.constant)
        signs = [sign_of(shift, conditions) for shift in shifts]
        if None not in signs and all(sign_of(t, conditions) for t in with_power):
            yield replace(larger, conditions=independent(conditions))


def _failures(family: Family, clock: Clock) -> tuple[Failure, ...]:
    """Return positions that refute every member, if found within `FAILURE_SECONDS`."""
    if family.exponent is not None:
        return ()
    limit = Clock(min(FAILURE_SECONDS, clock.left * MEMBER_SHARE))
    try:
        return failures(family, list(family.cases()), limit)
    except (FamilyError, UndecidedError):
        return ()


#: Limit of rounds of preconditions. No known family needs more, and each round multiplies the number of states.
MOST_ROUNDS = 2


def obligations(family: Family, case: FamilyCase) -> Iterator[FamilyObligation]:
    """Yield the obligations that together imply the relation in a case."""
    moves = family.description.moves
    if family.kind == "grundy":
        yield FamilyObligation(family, case, "value", moves)
    for move in moves:
        yield FamilyObligation(family, case, "exclusion", (move,))
    yield FamilyObligation(family, case, "option", moves)


def prove_obligation(obligation: FamilyObligation, clock: Clock) -> Invariant:
    """Return an invariant for an obligation; raise `UndecidedError` if none is found."""
    last, samples = None, dict[tuple[frozenset[str], bool], Samples]()
    for variant, rounds in _variants(obligation):
        key = variant.watched, variant.singles
        known = samples[key] = samples.get(key) or samples_of(variant)
        try:
            return ObligationGame(variant, known, clock, rounds).solve()
        except LostError as error:
            last = error
        except OverError as error:
            raise UndecidedError(
                f"{variant.name}, predicates of {rounds} rounds: {error}"
            ) from None
    raise LostError(f"no invariant is found: {last}")


def _variants(obligation: FamilyObligation) -> Iterator[tuple[FamilyObligation, int]]:
    limited = frozenset(obligation.case.heights)
    watched = limited | {option(name) for name in limited}
    plain = replace(obligation, watched=frozenset(), singles=False)
    if obligation.kind == "value":
        variants = [replace(obligation, watched=limited)]
    elif obligation.kind == "exclusion":
        variants = [plain, obligation]
    elif obligation.family.kind == "p-positions" and not any(
        shift != ZERO for shift in obligation.case.shifts.values()
    ):
        variants = [obligation, replace(obligation, watched=watched)]
    else:
        variants = [replace(obligation, watched=watched)]
    for rounds in range(MOST_ROUNDS + 1):
        for variant in variants:
            yield variant, rounds
