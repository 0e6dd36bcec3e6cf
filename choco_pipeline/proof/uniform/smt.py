"""What makes an invariant a proof, as SMT-LIB 2 texts: each must be unsatisfiable, and needs nothing else to be read.

Inv(L), for a location L, says of counters and parameters: one of the conjunctions of ``never`` holds, or else all facts hold
and one of the states does. The texts of an obligation say, each denied:

``never``
    A conjunction of ``never`` is followed by one after every step, and where it holds the goal is kept. In ``option``
    obligations, where there may be no answer, it is followed by one whatever digits of the position come.
``goal``
    Where the facts and a state hold the goal is kept.
``step-N``
    From the facts and a state at location number N every step, answered by the strategy, leads into Inv; from the start, too.

So by induction on the number of digits Inv holds after every word that the strategy answers, and the goal with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import product
from operator import add

from choco_pipeline.proof.uniform.families.affine import ZERO, Affine
from choco_pipeline.proof.uniform.invariants.control import FamilyObligation
from choco_pipeline.proof.uniform.invariants.facts import Facts
from choco_pipeline.proof.uniform.invariants.invariant_search import Bits, Invariant
from choco_pipeline.proof.uniform.invariants.locations import ControlLocation
from choco_pipeline.proof.uniform.sentences import all_of, any_of, at_least_0, negation, term, text


def texts(proof: Invariant) -> Iterator[tuple[str, str]]:
    """Yield the names and the texts of what must be unsatisfiable."""
    yield "never", _text(proof, _never(proof))
    yield "goal", _text(proof, _goal(proof))
    for number, here in enumerate(ordered(proof)):
        if here in proof.states:
            yield f"step-{number}", _text(proof, _steps(proof, here))


def ordered(proof: Invariant) -> list[ControlLocation]:
    """Return all locations of the control, the start first, then by name.

    Those that no state is at are among them: where the hypotheses never hold again, a word may go anywhere.
    """
    return sorted(proof.facts, key=lambda here: (not here.start, here.name))


def _never(proof: Invariant) -> str:
    obligation, sentences = proof.obligation, []
    for here in ordered(proof):
        conjunctions = [all_of(map(at_least_0, c)) for c in obligation.never_again(here)]
        if not conjunctions:
            continue
        broken = [_breaks(proof, here)]
        if obligation.kind == "option":
            after = [(here, updates) for updates in _of_position(obligation, here)]
        else:
            after = [
                (there, obligation.updates(here, {**step.digits, **answer}, there))
                for step in obligation.steps(here)
                for answer, there in step.answers
            ]
        broken += [negation(_never_at(proof, there, updates)) for there, updates in after]
        sentences.append(all_of([any_of(conjunctions), any_of(dict.fromkeys(broken))]))
    return any_of(sentences)


def _of_position(
    obligation: FamilyObligation, here: ControlLocation
) -> Iterator[dict[str, Affine]]:
    """Yield what the counters of the position alone are after any digits, whether they are a step or not.

    No `never` of an option obligation speaks of other counters, and it is the same at every location.
    """
    forms = obligation.counters(here)
    for values in product((0, 1), repeat=len(obligation.position)):
        digits = dict(zip(obligation.position, values, strict=True))
        yield {
            counter: Affine.of(counter) * 2
            + reduce(add, (a * digits[track] for track, a in form.items()), ZERO)
            for counter, form in forms.items()
            if form.keys() <= digits.keys()
        }


def _goal(proof: Invariant) -> str:
    return any_of(
        all_of([_inside(proof, here, {}), _breaks(proof, here)])
        for here in ordered(proof)
        if not here.start and here in proof.states
    )


def _steps(proof: Invariant, here: ControlLocation) -> str:
    obligation, sentences = proof.obligation, []
    for number, step in enumerate(obligation.steps(here)):
        taken: dict[int, list[Bits]] = {}
        for bits in proof.states[here]:
            taken.setdefault(proof.strategy[here, bits][number], []).append(bits)
        for index, states in sorted(taken.items()):
            answer, there = step.answers[index]
            updates = obligation.updates(here, {**step.digits, **answer}, there)
            after = [_never_at(proof, there, updates), _inside(proof, there, updates)]
            sentences.append(all_of([_states(proof, here, states, {}), negation(any_of(after))]))
    known = (
        [] if here.start else [_facts(proof.facts[here], {}), negation(_never_at(proof, here, {}))]
    )
    return all_of([*known, any_of(sentences)])


def _inside(proof: Invariant, here: ControlLocation, updates: dict[str, Affine]) -> str:
    if here not in proof.states:
        return "false"
    states = _states(proof, here, proof.states[here], updates)
    return all_of([_facts(proof.facts[here], updates), states])


def _states(
    proof: Invariant, here: ControlLocation, states: Iterable[Bits], updates: dict[str, Affine]
) -> str:
    chosen = [at_least_0(p.substitute(updates)) for p in proof.predicates[here]]
    return any_of(
        all_of(p if bit else negation(p) for p, bit in zip(chosen, bits, strict=True))
        for bits in states
    )


def _facts(facts: Facts, updates: dict[str, Affine]) -> str:
    sentences = [f"(= {term(total.substitute(updates))} 0)" for total in facts.equalities]
    for counter, remainder in facts.parities:
        value = Affine.of(counter).substitute(updates)
        sentences.append(f"(= (mod {term(value)} 2) {remainder})")
    return all_of(sentences)


def _never_at(proof: Invariant, here: ControlLocation, updates: dict[str, Affine]) -> str:
    return any_of(
        all_of(at_least_0(total.substitute(updates)) for total in conjunction)
        for conjunction in proof.obligation.never_again(here)
    )


def _breaks(proof: Invariant, here: ControlLocation) -> str:
    goal = proof.obligation.goal(here)
    given = [at_least_0(p) for p in goal.hypotheses]
    if goal.conclusions is None:
        return all_of(given)
    return all_of([*given, negation(all_of(map(at_least_0, goal.conclusions)))])


def _text(proof: Invariant, body: str) -> str:
    obligation = proof.obligation
    counters = {c for here in proof.facts if not here.start for c in obligation.counters(here)}
    names = (*obligation.case.names, *sorted(counters))
    return text(names, obligation.case.conditions, body)
