"""Statements on integers, decided for all of them: true, or false first at these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from choco_pipeline.automata.algebra import witness
from choco_pipeline.claims.kinds import IntegerStatement
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_formulas import without_value
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.claims.standalone.integers import find_integers
from choco_pipeline.commands import command
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.proof.arithmetic.agreement import Agreement
from choco_pipeline.proof.arithmetic.engines import EngineName, installed_engines
from choco_pipeline.proof.arithmetic.logic import (
    conjunction,
    disjunction,
    exists,
    free,
    linear,
    negation,
)
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.statements.conditions import least
from choco_pipeline.proof.statements.fixed_integers import choices, fixed_integers
from choco_pipeline.proof.statements.integer_sentences import Spoken

#: MONA is asked for so long at a time: there are hundreds of questions, and a dozen of them take it minutes.
MONA_SECONDS = 0.5
NONE = "no integers are ones that it speaks of"


def decide_integers(
    claim: Claim, engines: Sequence[EngineName] | None = None, seconds: float = 60.0
) -> list[tuple[dict[str, int], Finding]]:
    """Return whether a statement on integers is true, whatever bound no less than its own its ranges have.

    Parameters
    ----------
    claim
        Of kind ``integers``.
    engines
        Which engines must agree; the installed ones by default.
    seconds
        About so long an answer is waited for, for all choices together.

    Returns
    -------
    list of (dict, Finding)
        For each choice of the integers that must be numbers (`fixed_integers`), the first ones in their ranges up to the
        statement's own bound: ``Proved``; ``Refuted`` at the least integers, as `find_integers` compares them, only that
        one which may be negative is counted from where its range begins; ``Vacuous``, if it speaks of no integers; or
        ``Undecided``. If there are other choices, one ``Undecided`` with none stands for them. Only this if no sentence
        says it. Evidence: the engines that agree, the states of the largest automaton, and, as ``all_choices``, whether
        the statement is decided for every choice in its ranges.

    Raises
    ------
    DisagreementError
        If the engines contradict each other, or one contradicts the definition.
    """
    check = claim.check
    if not isinstance(check, IntegerStatement):
        raise ValueError(f"{claim.id} is of kind {check.kind}, integers is needed")
    names = tuple(engines or installed_engines())
    clock = Clock(seconds)
    decided = []
    try:
        listed, are_all = choices(check, fixed_integers(check))
        for fixed in listed:
            decided.append((fixed, decide_choice(claim, fixed, names, clock.left)))
        if not are_all:
            decided.append(({}, Finding(Undecided(_others(check, listed)))))
        elif not listed:
            decided.append(({}, Finding(Vacuous(NONE))))
    except NotDefinableError as error:
        decided = [({}, Finding(Undecided(str(error))))]
    except FormulaError as error:  # of a range of fixed integers
        decided = [({}, without_value(claim, error))]
    every = not any(isinstance(finding.verdict, Undecided) for _, finding in decided)
    return [(fixed, finding.with_evidence({"all_choices": every})) for fixed, finding in decided]


def _others(check: IntegerStatement, listed: Sequence[Mapping[str, int]]) -> str:
    """Return that a statement is not decided for other choices than these."""
    names = check.listed_text(fixed_integers(check))
    return f"only the first {len(listed):,} choices of {names} are decided"


def decide_choice(
    claim: Claim, fixed: Mapping[str, int], names: Sequence[EngineName], seconds: float
) -> Finding:
    """Return whether a statement is true with numbers for the integers that must be some; as `decide_integers` does."""
    check = claim.check
    assert isinstance(check, IntegerStatement)
    engines = Agreement({}, names, seconds, MONA_SECONDS, claim.id)
    try:
        spoken = Spoken(check, fixed)
        empty = witness(engines.automaton(spoken.cases)) is None
        if empty and engines.hold(negation(spoken.cases)):
            return Finding(Vacuous(NONE), engines.evidence())
        if engines.hold(negation(spoken.false)):
            repeated = command("claims", "check", claim.id)
            again = "its certificate" if claim.is_found else repeated
            return Finding(Proved(again, "integer"), engines.evidence())
        at = _least(spoken, engines)
        shown = find_integers(check, at["N"], {name: at[name] for name in check.all})
    except FormulaError as error:
        return without_value(claim, error)
    except (UndecidedError, LimitError) as error:
        return Finding(Undecided(str(error)))
    if not isinstance(shown.verdict, Refuted):
        raise DisagreementError(f"{claim.id} is false at {at} by the engines, not by definition")
    return Finding(Refuted(shown.verdict.counterexample, 0), engines.evidence())


def _least(spoken: Spoken, engines: Agreement) -> dict[str, int]:
    """Return the least integers of which the statement is false, and a bound with which it speaks of them."""
    order, known = spoken.ordered()
    false = conjunction(*spoken.ranges, spoken.supposed, disjunction(*spoken.wrong), known)
    others = sorted(free(false) - set(order))
    integers = least(engines.automaton(exists(others, false)), order)
    assert integers is not None, "what is false somewhere is false nowhere"
    here = [linear({name: 1}, -at, "==") for name, at in zip(order, integers, strict=True)]
    there = witness(engines.automaton(conjunction(false, *here))) or {}
    variables = dict.fromkeys(free(false), 0) | there
    named = {name: spoken.value(name, variables) for name in spoken.check.all}
    return {**named, "N": variables[spoken.bound]}
