"""What holds of the counters of a location by the digits alone, equalities and parities, and the predicates that states tell apart.

Equalities come from tracks that had the same digits so far: an option's coordinate that is still equal to the position's,
tracks with digits 0 only, and two tracks whose nim-sum with others is 0. Parities come from the last digit: a counter goes from
c to 2c + d, so it is even at a location if every d that leads there is. Both are only claimed here, and proved with the rest.

Predicates on counters are found from what is asked for: the sums of the goals, and their weakest preconditions.
A predicate says that an affine sum of counters and parameters is not negative. Those of the goals come first; a round adds,
for each step, what must hold before it for the predicates after it. Of two that say the same under what is known at a
location one is kept, and none that is always true, or never.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import gcd

import z3

from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.uniform.families.affine import ZERO, Affine
from choco_pipeline.proof.uniform.families.linear import at_least_0, term, values_of, variable
from choco_pipeline.proof.uniform.invariants.control import FamilyObligation, digit_sum
from choco_pipeline.proof.uniform.invariants.locations import (
    CONSTANT,
    TARGET,
    ControlLocation,
    CounterName,
    TrackForm,
    count,
    legal,
    option,
)


@dataclass(frozen=True)
class Facts:
    """Sums that are 0, and counters with what they leave when divided by 2."""

    equalities: tuple[Affine, ...] = ()
    parities: tuple[tuple[str, int], ...] = ()


def locations(obligation: FamilyObligation) -> list[ControlLocation]:
    """Return all that the control can be in, from the start on."""
    reached = {obligation.start: None}
    todo = [obligation.start]
    while todo:
        here = todo.pop()
        for step in obligation.steps(here):
            for _, there in step.answers:
                if there not in reached:
                    reached[there] = None
                    todo.append(there)
    return list(reached)


def facts(obligation: FamilyObligation) -> dict[ControlLocation, Facts]:
    """Return what holds at each location."""
    every = locations(obligation)
    parities = _parities(obligation, every)
    return {
        here: Facts() if here.start else Facts(_equalities(obligation, here), parities[here])
        for here in every
    }


def _parities(
    obligation: FamilyObligation, every: Iterable[ControlLocation]
) -> dict[ControlLocation, tuple[tuple[str, int], ...]]:
    seen: dict[ControlLocation, dict[str, set[int | None]]] = {}
    for here in every:
        for step in obligation.steps(here):
            for answer, there in step.answers:
                sets = seen.setdefault(there, {})
                digits = {**step.digits, **answer}
                for counter, form in obligation.counters(there).items():
                    added = digit_sum(form, digits)
                    is_known = all(c % 2 == 0 for _, c in added.terms)
                    sets.setdefault(counter, set()).add(added.constant % 2 if is_known else None)
    return {
        there: tuple((c, r) for c, rs in sets.items() for r in rs if len(rs) == 1 and r is not None)
        for there, sets in seen.items()
    }


def _equalities(obligation: FamilyObligation, here: ControlLocation) -> tuple[Affine, ...]:
    like = _alike(obligation, here)
    forms = {c: _canonical(form, like) for c, form in obligation.counters(here).items()}
    singles: dict[str, str] = {}
    for counter, form in forms.items():
        name = CounterName.read(counter)
        if len(form) == 1 and name is not None and name.kind == "count":
            singles.setdefault(next(iter(form)), counter)
    equalities: list[Affine] = []
    seen: dict[tuple[tuple[str, str], ...], str] = {}
    for counter, form in forms.items():
        same = tuple(sorted((t, str(a)) for t, a in form.items()))
        if all(t in singles and a.is_constant for t, a in form.items()):
            total = Affine.of(counter)
            for track, a in form.items():
                total -= Affine.of(singles[track]) * a.constant
        else:
            total = Affine.of(counter) - Affine.of(seen.setdefault(same, counter))
        if total != ZERO:
            equalities.append(total)
    return tuple(equalities)


def _alike(obligation: FamilyObligation, here: ControlLocation) -> dict[str, str | None]:
    """Return for tracks another one with the same digits so far, or None for digits 0 only."""
    like: dict[str, str | None] = dict.fromkeys(here.zero)
    for name, order in here.orders:
        if order == "equal" and option(name) in here.zero:
            like[name] = None
        elif order == "equal":
            like[option(name)] = like.get(name, name)
    in_nim_sum = [n for n in obligation.coordinates if n in obligation.case.shifts]
    end = [CONSTANT] if obligation.has_constant else []
    target = [TARGET] if obligation.has_target else []
    if obligation.kind == "value":
        _relate(like, [*in_nim_sum, *end, "value"])
        return like
    changed = {n for n, _ in here.orders}
    of_option = [option(n) if n in changed else n for n in in_nim_sum]
    if obligation.kind == "option":
        if not here.settled:
            _relate(like, [*in_nim_sum, *end, *target])
        else:
            _relate(like, [*of_option, *end, *target])
    elif obligation.family.kind == "p-positions":
        _relate(like, [*in_nim_sum, *end])
        _relate(like, [*of_option, *end])
    return like


def _relate(like: dict[str, str | None], tracks: list[str]) -> None:
    """Use that the digits of the tracks have the nim-sum 0, each time."""
    left: list[str] = []
    for track in tracks:
        root = like.get(track, track)
        if root is None:
            continue
        if root in left:
            left.remove(root)
        else:
            left.append(root)
    if len(left) not in (1, 2):
        return
    old, new = left[-1], left[0] if len(left) == 2 else None
    for track in [t for t, root in like.items() if root == old]:
        like[track] = new
    like[old] = new


def _canonical(form: TrackForm, like: dict[str, str | None]) -> dict[str, Affine]:
    canonical: dict[str, Affine] = {}
    for track, a in form.items():
        root = like.get(track, track)
        if root is not None:
            canonical[root] = canonical.get(root, ZERO) + a
    return {track: a for track, a in canonical.items() if a != ZERO}


def predicates(
    obligation: FamilyObligation,
    known: Mapping[ControlLocation, Facts],
    *,
    rounds: int,
    all_hypotheses: bool,
    clock: Clock,
) -> dict[ControlLocation, tuple[Affine, ...]]:
    """Return the predicates of each location.

    Preconditions are added so many rounds; with `all_hypotheses` what the position's legality says is asked after a move is
    chosen, too.
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
    hypotheses = [p for clause in goal.hypotheses for p in clause]
    if goal.conclusions is None and obligation.kind == "exclusion":
        return hypotheses
    dropped = set()
    if obligation.kind == "option" and not all_hypotheses:
        changed = [n for n, _ in here.orders]
        parts = {i for height in obligation.case.heights.values() for i in range(len(height.parts))}
        dropped = {legal(n, i) for n in changed for i in parts} | {count(n) for n in changed}
    kept = [p for p in hypotheses if p.names.isdisjoint(dropped)]
    return kept + [p for clause in goal.conclusions or () for p in clause]


def _normal(p: Affine) -> Affine:
    """Return the same inequality with coefficients that have no divisor in common."""
    common = gcd(*(c for _, c in p.terms)) if p.terms else 0
    return p if common < 2 else p // common


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
