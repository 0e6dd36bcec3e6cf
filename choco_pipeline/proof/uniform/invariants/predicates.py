"""Predicates on counters, found from what is asked for: the sums of the goals, and their weakest preconditions.

A predicate says that an affine sum of counters and parameters is not negative. Those of the goals come first; a round adds,
for each step, what must hold before it for the predicates after it. Of two that say the same under what is known at a
location one is kept, and none that is always true, or never.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

import z3

from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.uniform.families.affine import Affine
from choco_pipeline.proof.uniform.families.linear import at_least_0, term, values_of, variable
from choco_pipeline.proof.uniform.invariants.control import FamilyObligation
from choco_pipeline.proof.uniform.invariants.facts import Facts
from choco_pipeline.proof.uniform.invariants.locations import ControlLocation, count, legal


def predicates(
    obligation: FamilyObligation,
    known: Mapping[ControlLocation, Facts],
    *,
    rounds: int,
    all_hypotheses: bool,
    clock: Clock,
) -> dict[ControlLocation, tuple[Affine, ...]]:
    """Return the predicates of each location.

    Parameters
    ----------
    obligation, known
        What is to be proved, and what holds at its locations.
    rounds
        How often preconditions are added.
    all_hypotheses
        Whether what the position's legality says is asked after a move is chosen, too.
    clock
        When to stop.
    """
    candidates: dict[ControlLocation, list[Affine]] = {}
    for here in known:
        candidates[here] = [_normal(p) for p in _asked(obligation, here, all_hypotheses)]
    bases = {here: base(obligation, here, facts) for here, facts in known.items()}
    kept = {here: _distinct(bases[here], ps, clock) for here, ps in candidates.items()}
    for _ in range(rounds):
        added = {here: list(ps) for here, ps in kept.items()}
        for here in known:
            if here.start:
                continue
            for step in obligation.steps(here):
                for answer, there in step.answers:
                    updates = obligation.updates(here, {**step.digits, **answer}, there)
                    added[here] += [_normal(p.substitute(updates)) for p in kept[there]]
        kept = {here: _distinct(bases[here], ps, clock) for here, ps in added.items()}
    return {here: tuple(ps) for here, ps in kept.items()}


def base(obligation: FamilyObligation, here: ControlLocation, facts: Facts) -> list[z3.BoolRef]:
    """Return for z3 what is known at a location: the case, its facts, and that the hypotheses may come true."""
    conditions = [at_least_0(c) for c in obligation.case.conditions]
    return [z3.And([*conditions, *said(facts), *map(not_all, obligation.never_again(here))])]


def said(facts: Facts) -> list[z3.BoolRef]:
    """Return facts for z3."""
    conditions: list[z3.BoolRef] = [term(total) == 0 for total in facts.equalities]
    conditions += [variable(counter) % 2 == remainder for counter, remainder in facts.parities]
    return conditions


def not_all(sums: tuple[Affine, ...]) -> z3.BoolRef:
    """Return for z3 that some of the sums are negative."""
    return z3.Not(z3.And([at_least_0(total) for total in sums]))


def _asked(
    obligation: FamilyObligation, here: ControlLocation, all_hypotheses: bool
) -> list[Affine]:
    goal = obligation.goal(here)
    if goal.conclusions is None and obligation.kind == "exclusion":
        return list(goal.hypotheses)
    dropped = set()
    if obligation.kind == "option" and not all_hypotheses:
        changed = [n for n, _ in here.orders]
        dropped = {legal(n) for n in changed} | {count(n) for n in changed}
    kept = [p for p in goal.hypotheses if p.names.isdisjoint(dropped)]
    return kept + list(goal.conclusions or ())


def _normal(p: Affine) -> Affine:
    """Return the same inequality with coefficients that have no divisor in common."""
    common = gcd(*(c for _, c in p.terms)) if p.terms else 0
    if common < 2:
        return p
    return Affine(tuple((n, c // common) for n, c in p.terms), p.constant // common)


def _distinct(base: list[z3.BoolRef], candidates: list[Affine], clock: Clock) -> list[Affine]:
    """Return the predicates that differ, by examples at first: only those that no example tells apart are put to z3."""
    todo = [p for p in dict.fromkeys(candidates) if p.terms]
    if not todo:
        return []
    names = sorted(set().union(*(p.names for p in todo)))
    solver = z3.SimpleSolver()
    solver.add(base)
    examples: list[Mapping[str, int]] = []
    kept: list[Affine | bool] = [True, False]

    def same(p: Affine, q: Affine | bool) -> bool:
        for e in examples:
            if (p.value(e) >= 0) != (q if isinstance(q, bool) else q.value(e) >= 0):
                return False
        clock.require()
        other = z3.BoolVal(q) if isinstance(q, bool) else at_least_0(q)
        solver.push()
        solver.add(z3.Xor(at_least_0(p), other))
        answer = solver.check()
        if answer == z3.sat:
            model = solver.model()
            examples.append(values_of(model, names))
        solver.pop()
        return bool(answer == z3.unsat)

    for p in todo:
        if not any(same(p, q) for q in kept):
            kept.append(p)
    return [p for p in kept if not isinstance(p, bool)]
