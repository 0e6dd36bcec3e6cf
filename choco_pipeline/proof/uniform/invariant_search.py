"""The search for an invariant and a strategy of one obligation, as a safety game on abstract states.

Idea: a state is a location and the truth values of its predicates. The opponent chooses the digits of the position (and, where
a step from an abstract state may lead to several, one of them); the prover answers with the digits of the option. He loses in a
state where a word may end against the goal. States are made when they are first reached; he tries his answers in their order,
and takes the next one when the last one leads to a lost state. Kept true: every state that is not lost has for all digits an
answer whose states are not lost, as far as is known. The states that remain are the invariant, and the answers are the strategy.
Without answers to choose from (all obligations except ``option``) it is reachability.

*Facts* hold at a location by the digits alone. Equalities come from tracks that had the same digits so far: an option's
coordinate that is still equal to the position's, tracks with digits 0 only, and two tracks whose nim-sum with others is 0.
Parities come from the last digit: a counter goes from c to 2c + d, so it is even at a location if every d that leads there is.

*Predicates* say that an affine sum of counters and parameters is at least 0. Those of the goals come first; a round adds the
weakest preconditions of the predicates after each step. Of equivalent predicates at a location one is kept.

Cost: a call of z3 for each edge between states and one more for each state and digits; tens of states, hundreds of calls.
Source: safety games on predicate abstractions, as in L. de Alfaro, P. Godefroid and R. Jagadeesan, *Three-valued abstractions of
games* (2004), with may-steps only, which is sound for the prover.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd

import z3

from choco_pipeline.proof.clock import Clock, OverError
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.affine import ZERO, Affine, at_least_0, integer, term, values_of
from choco_pipeline.proof.uniform.control import (
    CONSTANT,
    TARGET,
    Clause,
    ControlLocation,
    ControlStep,
    FamilyObligation,
    Goal,
    count,
    digit_sum,
    legal,
    option,
)


@dataclass(frozen=True)
class Facts:
    """Sums that are 0, and counters with what they leave when divided by 2."""

    equalities: tuple[Affine, ...] = ()
    parities: tuple[tuple[str, int], ...] = ()


def facts(obligation: FamilyObligation) -> dict[ControlLocation, Facts]:
    """Return the reachable locations of the control with their facts, the start first."""
    reached = {obligation.start: None}
    todo = [obligation.start]
    while todo:
        for step in obligation.steps(todo.pop()):
            for _, there in step.answers:
                if there not in reached:
                    reached[there] = None
                    todo.append(there)
    parities = _parities(obligation, reached)
    return {
        here: Facts() if here.start else Facts(_equalities(obligation, here), parities[here])
        for here in reached
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
    forms: dict[str, dict[str, Affine]] = {}
    for counter, form in obligation.counters(here).items():
        known = forms[counter] = dict[str, Affine]()
        for track, a in form.items():
            if (root := like.get(track, track)) is not None:
                known[root] = known.get(root, ZERO) + a
        forms[counter] = {track: a for track, a in known.items() if a != ZERO}
    singles: dict[str, str] = {}
    for counter, form in forms.items():
        if len(form) == 1 and counter.startswith("count("):
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
        if root in left:
            left.remove(root)
        elif root is not None:
            left.append(root)
    if len(left) in (1, 2):
        old, new = left[-1], left[0] if len(left) == 2 else None
        like.update({track: new for track, root in like.items() if root == old} | {old: new})


def predicates(
    obligation: FamilyObligation,
    known: Mapping[ControlLocation, Facts],
    *,
    rounds: int,
    all_hypotheses: bool,
    clock: Clock,
) -> dict[ControlLocation, tuple[Affine, ...]]:
    """Return the predicates of each location.

    Preconditions are added for this number of rounds; with `all_hypotheses` the position's legality is used after a move is
    chosen, too.
    """
    bases = {here: base(obligation, here, facts) for here, facts in known.items()}
    asked = {here: _asked(obligation, here, all_hypotheses) for here in known}
    kept = {here: _distinct(bases[here], ps, clock) for here, ps in asked.items()}
    for _ in range(rounds):
        added = {here: list(ps) for here, ps in kept.items()}
        for here in known:
            if here.start:
                continue
            for step in obligation.steps(here):
                for answer, there in step.answers:
                    updates = obligation.updates(here, {**step.digits, **answer}, there)
                    added[here] += [p.substitute(updates) for p in kept[there]]
        kept = {here: _distinct(bases[here], ps, clock) for here, ps in added.items()}
    return {here: tuple(ps) for here, ps in kept.items()}


def base(obligation: FamilyObligation, here: ControlLocation, facts: Facts) -> list[z3.BoolRef]:
    """Return for z3 the conditions of the case, the facts, and that the hypotheses may come true."""
    conditions = [at_least_0(c) for c in obligation.case.conditions]
    conditions += [term(total) == 0 for total in facts.equalities]
    conditions += [integer(counter) % 2 == remainder for counter, remainder in facts.parities]
    return [z3.And([*conditions, *map(not_all, obligation.never_again(here))])]


def not_all(sums: Iterable[Affine]) -> z3.BoolRef:
    """Return for z3 that some of the sums are negative."""
    return z3.Not(z3.And([at_least_0(total) for total in sums]))


def _asked(
    obligation: FamilyObligation, here: ControlLocation, all_hypotheses: bool
) -> list[Affine]:
    goal = obligation.goal(here)
    hypotheses = [p for clause in goal.hypotheses for p in clause]
    if goal.conclusions is None and obligation.kind == "exclusion":
        return hypotheses
    if obligation.kind == "option" and not all_hypotheses:
        parts = {i for height in obligation.case.heights.values() for i in range(len(height.parts))}
        dropped = {c for n, _ in here.orders for c in (count(n), *(legal(n, i) for i in parts))}
        hypotheses = [p for p in hypotheses if p.names.isdisjoint(dropped)]
    return hypotheses + [p for clause in goal.conclusions or () for p in clause]


def _distinct(base: list[z3.BoolRef], candidates: list[Affine], clock: Clock) -> list[Affine]:
    """Return predicates that are not equivalent, with coefficients that have no divisor in common.

    z3 is asked only about those that agree on all examples.
    """
    normal = (p // max(1, gcd(*(c for _, c in p.terms))) for p in candidates)
    todo = [p for p in dict.fromkeys(normal) if p.terms]
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


#: Abstract states of one obligation; the families that are known need less than a tenth.
MOST_STATES = 3000

#: For each predicate of a location whether it holds.
Bits = tuple[bool, ...]
State = tuple[ControlLocation, Bits]


@dataclass(frozen=True)
class Invariant:
    """What proves an obligation."""

    obligation: FamilyObligation
    #: The facts at each location, and the predicates of its states.
    facts: Mapping[ControlLocation, Facts]
    predicates: Mapping[ControlLocation, tuple[Affine, ...]]
    #: The states that are reached, by location.
    states: Mapping[ControlLocation, tuple[Bits, ...]]
    #: For each state, for each step at its location (in their order) which answer is taken.
    strategy: Mapping[State, tuple[int, ...]]


class LostError(UndecidedError):
    """The prover loses on these predicates."""


@dataclass
class _Edge:
    """Answers of one kind: what holds at both ends, and the predicates of the end as sums of before."""

    solver: z3.Solver
    there: list[Affine]
    names: frozenset[str]
    found: dict[Bits, list[Bits]] = field(default_factory=dict)


class ObligationGame:
    """The game of one obligation on given predicates."""

    def __init__(
        self,
        obligation: FamilyObligation,
        known: Mapping[ControlLocation, Facts],
        chosen: Mapping[ControlLocation, tuple[Affine, ...]],
        clock: Clock,
    ) -> None:
        self.obligation, self.known, self.chosen, self.clock = obligation, known, chosen, clock
        self._steps: dict[ControlLocation, list[ControlStep]] = {
            h: list(obligation.steps(h)) for h in known
        }
        self._base = {h: base(obligation, h, f) for h, f in known.items()}
        self._edges: dict[tuple[ControlLocation, int, int], _Edge] = {}
        self._lost: set[State] = set()
        self._answers: dict[State, list[int]] = {}
        # In the order of finding: that of sets differs from one process to the next, and with it the invariant that is found.
        self._before: dict[State, dict[tuple[State, int], None]] = {}

    def solve(self) -> Invariant:
        """Return the invariant, or raise `LostError`; `OverError` with how many states there were then."""
        try:
            return self._solved()
        except OverError as error:
            raise OverError(f"{error} at {len(self._answers)} abstract states") from None

    def _solved(self) -> Invariant:
        start: State = (self.obligation.start, ())
        waiting = [start]
        self._answers[start] = []
        while waiting:
            state = waiting.pop()
            if state in self._lost or self._answers[state]:
                continue
            if self._may_end_badly(state):
                self._lose(state, waiting)
                continue
            steps = self._steps[state[0]]
            self._answers[state] = [-1] * len(steps)
            for number in range(len(steps)):
                if not self._next_answer(state, number, waiting):
                    self._lose(state, waiting)
                    break
            if start in self._lost:
                break
        if start in self._lost:
            raise LostError(f"{self.obligation.name}: lost after {len(self._answers)} states")
        return self._invariant(start)

    def _lose(self, state: State, waiting: list[State]) -> None:
        """Mark a state as lost, and take the next answer wherever an answer led to it."""
        todo = [state]
        while todo:
            lost = todo.pop()
            if lost in self._lost:
                continue
            self._lost.add(lost)
            for before, number in self._before.pop(lost, ()):
                if before not in self._lost and not self._next_answer(before, number, waiting):
                    todo.append(before)

    def _next_answer(self, state: State, number: int, waiting: list[State]) -> bool:
        """Take the next answer that leads to no lost state as far as is known; False if there is none."""
        here, _ = state
        answers = self._steps[here][number].answers
        current = self._answers[state][number]
        for index in range(max(current, 0), len(answers)):
            there = answers[index][1]
            after = [(there, bits) for bits in self._after(state, number, index)]
            if any(other in self._lost for other in after):
                continue
            for other in after:
                self._before.setdefault(other, {})[state, number] = None
                if other not in self._answers:
                    if len(self._answers) >= MOST_STATES:
                        raise UndecidedError(
                            f"{self.obligation.name}: more than {MOST_STATES} abstract states"
                        )
                    self._answers[other] = []
                    waiting.append(other)
            self._answers[state][number] = index
            return True
        return False

    def _may_end_badly(self, state: State) -> bool:
        here, bits = state
        solver = z3.SimpleSolver()
        known = [*self._base[here], *_literals(self.chosen[here], bits)]
        solver.add([*known, breaks(self.obligation.goal(here))])
        return self._check(solver)

    def _after(self, state: State, number: int, index: int) -> list[Bits]:
        """Return the states at the end of an answer, as far as predicates tell."""
        here, bits = state
        edge = self._edges.get((here, number, index))
        if edge is None:
            edge = self._edges[here, number, index] = self._edge(here, number, index)
        if bits in edge.found:
            return edge.found[bits]
        answers = edge.found[bits] = list[Bits]()
        solver = edge.solver
        solver.push()
        solver.add(_literals(self.chosen[here], bits))
        while self._check(solver):
            values = values_of(solver.model(), edge.names)
            answers.append(tuple(p.value(values) >= 0 for p in edge.there))
            if not answers[-1]:
                break
            solver.add(z3.Not(z3.And(_literals(edge.there, answers[-1]))))
        solver.pop()
        return answers

    def _edge(self, here: ControlLocation, number: int, index: int) -> _Edge:
        step = self._steps[here][number]
        answer, there = step.answers[index]
        updates = self.obligation.updates(here, {**step.digits, **answer}, there)
        solver = z3.SimpleSolver()
        solver.add(self._base[here])
        never = self.obligation.never_again(there)
        solver.add([not_all(p.substitute(updates) for p in sums) for sums in never])
        ends = [p.substitute(updates) for p in self.chosen[there]]
        return _Edge(solver, ends, frozenset(n for p in ends for n in p.names))

    def _check(self, solver: z3.Solver) -> bool:
        self.clock.require()
        answer = solver.check()
        if answer == z3.unknown:
            raise UndecidedError(f"{self.obligation.name}: z3: {solver.reason_unknown()}")
        return bool(answer == z3.sat)

    def _invariant(self, start: State) -> Invariant:
        reached = {start: None}
        todo = [start]
        while todo:
            state = todo.pop()
            for number, index in enumerate(self._answers[state]):
                there = self._steps[state[0]][number].answers[index][1]
                for bits in self._after(state, number, index):
                    if (there, bits) not in reached:
                        reached[there, bits] = None
                        todo.append((there, bits))
        states: dict[ControlLocation, tuple[Bits, ...]] = {}
        for here, bits in reached:
            states[here] = (*states.get(here, ()), bits)
        strategy = {state: tuple(self._answers[state]) for state in reached}
        return Invariant(self.obligation, self.known, self.chosen, states, strategy)


def breaks(goal: Goal) -> z3.BoolRef:
    """Return for z3 that a goal does not hold."""

    def hold(clauses: Iterable[Clause]) -> list[z3.BoolRef]:
        return [z3.Or(list(map(at_least_0, clause))) for clause in clauses]

    given = hold(goal.hypotheses)
    if goal.conclusions is None:
        return z3.And(given)
    return z3.And([*given, z3.Not(z3.And(hold(goal.conclusions)))])


def _literals(chosen: Sequence[Affine], bits: Bits) -> list[z3.BoolRef]:
    return [at_least_0(p if bit else -p - 1) for p, bit in zip(chosen, bits, strict=True)]


def search(
    obligation: FamilyObligation, clock: Clock, *, rounds: int, all_hypotheses: bool
) -> Invariant:
    """Return the invariant for predicates of a number of rounds, or raise `LostError`."""
    known = facts(obligation)
    chosen = predicates(
        obligation, known, rounds=rounds, all_hypotheses=all_hypotheses, clock=clock
    )
    return ObligationGame(obligation, known, chosen, clock).solve()
