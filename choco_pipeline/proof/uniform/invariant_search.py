"""The search for an invariant and a strategy, as a safety game.

Idea: a state is a location and the truth values of its predicates. The opponent chooses the digits of the position (and, where
a step from an abstract state may lead to several, one of them); the prover answers with the digits of the option. He loses in a
state where a word may end against the goal. States are made when they are first reached; he tries his answers in their order,
and takes the next one when the last one leads to a lost state. Kept true: every state that is not lost has for all digits an
answer whose states are not lost, as far as is known. The states that remain are the invariant, and the answers are the strategy.
Without answers to choose from (all obligations except ``option``) it is reachability.

Where an answer leads is first seen at *points*: small integers for parameters and counters, drawn at random. When no state is left
to explore, z3 looks at each location for a point in a state that ends badly, or at which an answer leads elsewhere; it and points
near it are added. Points show only what is possible, so a lost state is lost; and when z3 finds nothing more, nothing is missing.
Hence the invariant does not depend on the points: each of its states has the first answer that leads to no lost state.

*Facts* hold at a location by the digits alone. Equalities come from tracks that had the same digits so far: an option's
coordinate that is still equal to the position's, tracks with digits 0 only, and two tracks whose nim-sum with others is 0.
Parities come from the last digit: a counter goes from c to 2c + d, so it is even at a location if every d that leads there is.

*Predicates* say that an affine sum of counters and parameters is at least 0. Those of the goals come first; a round adds the
weakest preconditions of the predicates after each step. Of equivalent predicates at a location one is kept.

Cost: tens of states, a few calls of z3 for each location and predicate.
Source: safety games on predicate abstractions, as in L. de Alfaro, P. Godefroid and R. Jagadeesan, *Three-valued abstractions of
games* (2004), with may-steps only, which is sound for the prover.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import gcd
from typing import Any

import numpy as np
import numpy.typing as npt
import z3

from choco_pipeline.proof.clock import Clock, OverError
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.trial import small_values
from choco_pipeline.proof.uniform.affine import ZERO, Affine
from choco_pipeline.proof.uniform.control import (
    CONSTANT,
    TARGET,
    Clause,
    ControlLocation,
    ControlStep,
    FamilyObligation,
    count,
    digit_sum,
    legal,
    option,
)
from choco_pipeline.proof.uniform.sentences import (
    TRUE,
    all_of,
    any_of,
    at_least_0,
    is_0,
    leaves_remainder,
    negation,
    solver_of,
    value_in,
)


@dataclass(frozen=True)
class Facts:
    """Sums that are 0, and counters with what they leave when divided by 2."""

    equalities: tuple[Affine, ...] = ()
    parities: tuple[tuple[str, int], ...] = ()


def facts(obligation: FamilyObligation) -> dict[ControlLocation, Facts]:
    """Return the reachable locations with their facts, the start first."""
    #: For each counter what the digits that lead to a location add to it, modulo 2; None if that depends on parameters.
    added: dict[ControlLocation, dict[str, set[int | None]]] = {obligation.start: {}}
    todo = [obligation.start]
    while todo:
        for step in obligation.steps(todo.pop()):
            for answer, there in step.answers:
                if there not in added:
                    added[there] = {}
                    todo.append(there)
                digits = {**step.digits, **answer}
                for counter, form in obligation.counters(there).items() if step.digits else ():
                    total = digit_sum(form, digits)
                    is_known = all(c % 2 == 0 for _, c in total.terms)
                    rest = total.constant % 2 if is_known else None
                    added[there].setdefault(counter, set()).add(rest)
    parities = {
        here: tuple((c, r) for c, rs in sets.items() for r in rs if len(rs) == 1 and r is not None)
        for here, sets in added.items()
    }
    for here in added:
        if here.phase == "switch":
            for counter, r in parities[replace(here, phase="upper")]:
                jump = obligation.jump(Affine.of(counter))
                if all(c % 2 == 0 for _, c in jump.terms):
                    parities[here] += ((counter, (r - jump.constant) % 2),)
    return {
        here: Facts() if here.start else Facts(_equalities(obligation, here), parities[here])
        for here in added
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
        if total == ZERO:
            continue
        jump = obligation.jump(total)
        if here.phase == "switch":
            equalities.append(total + jump)
        elif here.phase == "upper" or jump == ZERO:
            equalities.append(total)
    return tuple(equalities)


def _alike(obligation: FamilyObligation, here: ControlLocation) -> dict[str, str | None]:
    """Map tracks to others with the same digits so far, or to None for digits 0."""
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


#: Points that are drawn at a location, and members of the case that they are of; points near one that z3 finds.
DRAWN, MEMBERS, NEAR = 1500, 24, 100
#: Larger integers are not multiplied as machine words.
LARGE = 1 << 20

Integers = npt.NDArray[Any]
Truths = npt.NDArray[np.bool_]


class Sample:
    """Points at a location, as columns of integers; the last row is 1."""

    def __init__(
        self, obligation: FamilyObligation, here: ControlLocation, facts: Facts, members: Integers
    ) -> None:
        case = obligation.case
        self.facts = facts
        counters = [] if here.start else [*obligation.counters(here)]
        self.names = (*case.names, *counters)
        self._conditions, self.never = case.conditions, obligation.never_again(here)
        self._known = all_of(
            [
                *map(at_least_0, case.conditions),
                *map(is_0, facts.equalities),
                *(leaves_remainder(Affine.of(n), 2, r) for n, r in facts.parities),
                *(negation(all_of(map(at_least_0, sums))) for sums in self.never),
            ]
        )
        self._solved: dict[str, Affine] = {}
        for total in facts.equalities:
            rest = total.substitute(self._solved)
            name, c = next(
                ((n, c) for n, c in rest.terms if c in (1, -1) and n in counters), ("", 0)
            )
            put = {name: Affine.of(name) - rest * c} if c else {}
            self._solved = {n: s.substitute(put) for n, s in self._solved.items()} | put
        self._chance = np.random.default_rng(0)
        drawn = DRAWN if members.shape[1] else 0
        points = np.ones((len(self.names) + 1, drawn), dtype=np.int64)
        points[: len(case.names)] = members[
            :, self._chance.integers(members.shape[1] or 1, size=drawn)
        ]
        parameters = (self.matrix([*case.parameters.values()]) @ points).max(axis=0, initial=0)
        reach = np.minimum(parameters + 3, LARGE).astype(np.int64)
        shape = (len(counters), drawn)
        points[len(case.names) : -1] = self._chance.integers(-reach, reach + 1, size=shape)
        self.points = self._satisfying(points)

    def _satisfying(self, points: Integers) -> Integers:
        """Return points, changed to satisfy parities and equalities, then filtered."""
        row = self.names.index
        for name, remainder in self.facts.parities:
            points[row(name)] -= (points[row(name)] - remainder) % 2
        for name, value in self._solved.items():
            points[row(name)] = (self.matrix([value]) @ points)[0]
        equal = (self.matrix(self.facts.equalities) @ points == 0).astype(np.bool_)
        is_right = np.all([*self.signs(self._conditions, points), *equal], axis=0)
        for name, remainder in self.facts.parities:
            is_right &= (points[row(name)] % 2 == remainder).astype(np.bool_)
        for sums in self.never:
            is_right &= ~self.signs(sums, points).all(axis=0)
        return points[:, np.broadcast_to(is_right, points.shape[1])]

    def matrix(self, sums: Sequence[Affine]) -> Integers:
        """Return sums as rows of coefficients, which are multiplied with points."""
        rows = [[dict(s.terms).get(n, 0) for n in self.names] + [s.constant] for s in sums]
        return _small(np.array(rows, dtype=object).reshape(len(rows), len(self.names) + 1))

    def signs(self, sums: Sequence[Affine], points: Integers | None = None) -> Truths:
        """Return for each sum and each point whether the sum is not negative there."""
        return _signs(self.matrix(sums), self.points if points is None else points)

    def another(self, sentence: str, clock: Clock) -> Integers | None:
        """Return a point at which a sentence is true, if any, and points near it."""
        clock.require()
        solver = solver_of((), all_of([self._known, sentence]))
        answer = solver.check()
        if answer == z3.unknown:
            raise UndecidedError(f"z3: {solver.reason_unknown()}")
        if answer == z3.unsat:
            return None
        values = [value_in(solver.model(), name) for name in self.names]
        point = _small(np.array([[value] for value in (*values, 1)], dtype=object))
        near = point.repeat(NEAR, axis=1)
        near[:-1] += self._chance.integers(-2, 3, size=near[:-1].shape)
        points = np.concatenate([point, self._satisfying(near)], axis=1)
        self.points = np.concatenate([self.points, points], axis=1)
        return points


def _signs(matrix: Integers, points: Integers) -> Truths:
    return (matrix @ points >= 0).astype(np.bool_)


Samples = Mapping[ControlLocation, Sample]


def samples_of(obligation: FamilyObligation) -> Samples:
    """Return a sample for each location that can be reached."""
    names, holds = obligation.case.names, obligation.case.holds
    first = [[*m.values()] for m in islice(small_values(names, holds, MEMBERS**2), MEMBERS)]
    members = np.array(first, dtype=np.int64).reshape(len(first), len(names)).T
    return {
        here: Sample(obligation, here, of_here, members)
        for here, of_here in facts(obligation).items()
    }


def _small(integers: Integers) -> Integers:
    """Return integers as machine words if sums of their products are."""
    if integers.size and max(abs(integers.min()), abs(integers.max())) >= LARGE:
        return integers
    return integers.astype(np.int64)


def predicates(
    obligation: FamilyObligation, samples: Samples, clock: Clock, rounds: int
) -> dict[ControlLocation, tuple[Affine, ...]]:
    """Return the predicates of each location, with preconditions of some rounds."""
    asked = {here: _asked(obligation, here) for here in samples}
    kept = {here: _distinct(samples[here], ps, clock) for here, ps in asked.items()}
    for _ in range(rounds):
        added = {here: list(ps) for here, ps in kept.items()}
        for here in samples:
            if here.start:
                continue
            for step in obligation.steps(here):
                for answer, there in step.answers:
                    updates = obligation.updates(here, {**step.digits, **answer}, there)
                    added[here] += [p.substitute(updates) for p in kept[there]]
        kept = {here: _distinct(samples[here], ps, clock) for here, ps in added.items()}
    return {here: tuple(ps) for here, ps in kept.items()}


def _asked(obligation: FamilyObligation, here: ControlLocation) -> list[Affine]:
    if here.phase == "upper" and not here.start:
        there = replace(here, phase="switch")
        jumped = obligation.updates(here, {}, there)
        return [p.substitute(jumped) for p in _asked(obligation, there)]
    goal = obligation.goal(here)
    hypotheses = [p for clause in goal.hypotheses for p in clause]
    if goal.conclusions is None and obligation.kind == "exclusion":
        return hypotheses
    if obligation.kind == "option":
        parts = {i for height in obligation.case.heights.values() for i in range(len(height.parts))}
        dropped = {c for n, _ in here.orders for c in (count(n), *(legal(n, i) for i in parts))}
        hypotheses = [p for p in hypotheses if p.names.isdisjoint(dropped)]
    return hypotheses + [p for clause in goal.conclusions or () for p in clause]


def _distinct(sample: Sample, candidates: list[Affine], clock: Clock) -> list[Affine]:
    """Return predicates that are not equivalent, with coprime coefficients.

    z3 is asked only about those that agree at all points.
    """
    normal = (p // max(1, gcd(*(c for _, c in p.terms))) for p in candidates)
    sums = [ZERO, ZERO - 1, *(p for p in dict.fromkeys(normal) if p.terms)]
    signs, chosen = sample.signs(sums), [0, 1]

    def is_same(i: int, j: int) -> bool:
        nonlocal signs
        p, q = at_least_0(sums[i]), at_least_0(sums[j])
        while np.array_equal(signs[i], signs[j]):
            if sample.another(all_of([any_of([p, q]), negation(all_of([p, q]))]), clock) is None:
                return True
            signs = sample.signs(sums)
        return False

    for i in range(2, len(sums)):
        if not any(is_same(i, j) for j in chosen):
            chosen.append(i)
    return [sums[i] for i in chosen[2:]]


#: Abstract states of one obligation; the families that are known need less than a tenth.
MOST_STATES = 3000

#: For each predicate of a location whether it holds.
Bits = tuple[bool, ...]
State = tuple[ControlLocation, Bits]
#: A state, the number of a step at its location, and that of an answer.
Edge = tuple[State, int, int]


@dataclass(frozen=True)
class Invariant:
    """The proof of an obligation."""

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


@dataclass(frozen=True)
class _Answer:
    """Predicates at the end of an answer, in terms of the names before it."""

    ends: list[Affine]
    never: list[list[Affine]]
    #: The sums of both, one after the other.
    matrix: Integers

    def bits(self, points: Integers) -> dict[Bits, None]:
        """Return the states to which it leads from some points."""
        signs, place = _signs(self.matrix, points), len(self.ends)
        ends, given_up = signs[:place], np.zeros(points.shape[1], dtype=np.bool_)
        for sums in self.never:
            given_up |= signs[place : place + len(sums)].all(axis=0)
            place += len(sums)
        bits, _ = _distinct_columns(ends[:, ~given_up])
        return dict.fromkeys(bits)


class ObligationGame:
    """The game of one obligation on given predicates."""

    def __init__(
        self,
        obligation: FamilyObligation,
        samples: Samples,
        chosen: Mapping[ControlLocation, tuple[Affine, ...]],
        clock: Clock,
    ) -> None:
        self.obligation, self.samples, self.chosen, self.clock = obligation, samples, chosen, clock
        self._steps: dict[ControlLocation, list[ControlStep]] = {
            h: list(obligation.steps(h)) for h in samples
        }
        self._ends: dict[tuple[ControlLocation, int, int], _Answer] = {}
        self._points = {
            state: points
            for h, s in samples.items()
            for state, points in self._by_state(h, s.points)
        }
        self._after: dict[Edge, dict[Bits, None]] = {}
        self._lost: set[State] = set()
        self._answers: dict[State, list[int]] = {}
        # In the order of finding: that of sets differs from one process to the next.
        self._before: dict[State, dict[tuple[State, int], None]] = {}
        self._waiting: list[State] = []
        #: States that z3 does not see end badly, and edges that it does not see lead elsewhere.
        self._confirmed_states: set[State] = set()
        self._confirmed_edges: set[Edge] = set()

    def solve(self) -> Invariant:
        """Return the invariant; `LostError` if there is none."""
        start: State = (self.obligation.start, ())
        try:
            self._reach(start)
            while self._explored(start) and not all([self._is_confirmed(h) for h in self.samples]):
                pass
        except OverError as error:
            raise OverError(f"{error} at {len(self._answers)} abstract states") from None
        if start in self._lost:
            raise LostError(f"{self.obligation.name}: lost after {len(self._answers)} states")
        return self._invariant(start)

    def _explored(self, start: State) -> bool:
        """Explore the waiting states by points; False if the start is lost."""
        while self._waiting and start not in self._lost:
            state = self._waiting.pop()
            if state in self._lost:
                continue
            if state in self._points and self._ends_badly(state, self._points[state]):
                self._lose(state)
            for number in range(len(self._steps[state[0]])):
                if state not in self._lost and not self._next_answer(state, number):
                    self._lose(state)
        return start not in self._lost

    def _reach(self, state: State) -> None:
        if state not in self._answers:
            if len(self._answers) >= MOST_STATES:
                name = self.obligation.name
                raise UndecidedError(f"{name}: more than {MOST_STATES} abstract states")
            self._answers[state] = [0] * len(self._steps[state[0]])
            self._waiting.append(state)

    def _lose(self, state: State) -> None:
        """Mark a state as lost, and take the next answer wherever an answer led to it."""
        todo = [state]
        while todo:
            lost = todo.pop()
            if lost in self._lost:
                continue
            self._lost.add(lost)
            for before, number in self._before.pop(lost, ()):
                if before not in self._lost and not self._next_answer(before, number):
                    todo.append(before)

    def _next_answer(self, state: State, number: int) -> bool:
        """Take the next answer without known lost ends; False if there is none."""
        answers = self._steps[state[0]][number].answers
        for index in range(self._answers[state][number], len(answers)):
            after = [(answers[index][1], bits) for bits in self._ends_of((state, number, index))]
            if self._lost.isdisjoint(after):
                for other in after:
                    self._before.setdefault(other, {})[state, number] = None
                    self._reach(other)
                self._answers[state][number] = index
                return True
        return False

    # Points, and what they tell.

    def _by_state(
        self, here: ControlLocation, points: Integers
    ) -> Iterator[tuple[State, Integers]]:
        """Yield the states that points at a location are in, with these points."""
        bits, place = _distinct_columns(self.samples[here].signs(self.chosen[here], points))
        yield from (((here, b), points[:, place == number]) for number, b in enumerate(bits))

    def _ends_badly(self, state: State, points: Integers) -> bool:
        goal, signs = self.obligation.goal(state[0]), self.samples[state[0]].signs

        def hold(clauses: Iterable[Clause]) -> Truths:
            found: Truths = np.all(
                [signs(clause, points).any(axis=0) for clause in clauses], axis=0
            )
            return found

        wrong = True if goal.conclusions is None else ~hold(goal.conclusions)
        return bool(np.any(hold(goal.hypotheses) & wrong))

    def _ends_of(self, edge: Edge) -> dict[Bits, None]:
        """Return the states at the end of an answer, as far as points tell."""
        if edge not in self._after:
            points = self._points.get(edge[0])
            self._after[edge] = {} if points is None else self._answer(edge).bits(points)
        return self._after[edge]

    def _answer(self, edge: Edge) -> _Answer:
        (here, _), number, index = edge
        answer = self._ends.get((here, number, index))
        if answer is None:
            step = self._steps[here][number]
            digits, there = step.answers[index]
            updates = self.obligation.updates(here, {**step.digits, **digits}, there)
            ends = [p.substitute(updates) for p in self.chosen[there]]
            never = [[p.substitute(updates) for p in sums] for sums in self.samples[there].never]
            answer = self._ends[here, number, index] = _Answer(
                ends, never, self.samples[here].matrix([*ends, *chain.from_iterable(never)])
            )
        return answer

    # Questions to z3.

    def _is_confirmed(self, here: ControlLocation) -> bool:
        """Whether z3 finds nothing new at a location; if it does, add the points."""
        is_confirmed = True
        while True:
            states = [s for s in self._answers if s[0] == here and s not in self._lost]
            taken = ((s, n, index) for s in states for n, index in enumerate(self._answers[s]))
            edges = [edge for edge in taken if edge not in self._confirmed_edges]
            states = [state for state in states if state not in self._confirmed_states]
            points = self._unknown_at(here, states, edges) if states or edges else None
            if points is None:
                self._confirmed_states.update(states)
                self._confirmed_edges.update(edges)
                return is_confirmed
            is_confirmed = False
            self._add(here, points)

    def _add(self, here: ControlLocation, points: Integers) -> None:
        for state, new in self._by_state(here, points):
            old = self._points.get(state)
            self._points[state] = new if old is None else np.concatenate([old, new], axis=1)
            if state not in self._answers or state in self._lost:
                continue
            for number, step in enumerate(self._steps[here]):
                for edge in ((state, number, index) for index in range(len(step.answers))):
                    if edge in self._after:
                        self._after[edge] |= self._answer(edge).bits(new)
            if self._ends_badly(state, new):
                self._lose(state)
            self._waiting.append(state)

    def _unknown_at(
        self, here: ControlLocation, states: Iterable[State], edges: Iterable[Edge]
    ) -> Integers | None:
        """Return points that show a bad state or an unknown end of an edge."""
        named: dict[str, str] = {}

        def names(sums: Sequence[Affine]) -> list[str]:
            sentences = [at_least_0(total) for total in sums]
            return [named.setdefault(sentence, f"p{len(named)}") for sentence in sentences]

        def hold(clauses: Iterable[Clause]) -> str:
            return all_of(any_of(names(clause)) for clause in clauses)

        own, goal = names(self.chosen[here]), self.obligation.goal(here)
        is_wrong = TRUE if goal.conclusions is None else negation(hold(goal.conclusions))
        in_state = any_of(_literals(own, bits) for _, bits in states)
        ways = [all_of([in_state, hold(goal.hypotheses), is_wrong])]
        by_answer: dict[tuple[int, int], list[Edge]] = {}
        for edge in edges:
            by_answer.setdefault(edge[1:], []).append(edge)
        for same in by_answer.values():
            answer, others = self._answer(same[0]), list[str]()
            ends = names(answer.ends)
            for edge in same:
                known = any_of(_literals(ends, bits) for bits in self._ends_of(edge))
                others.append(all_of([_literals(own, edge[0][1]), negation(known)]))
            may_come_true = (negation(all_of(names(sums))) for sums in answer.never)
            ways.append(all_of([*may_come_true, any_of(others)]))
        body = any_of(ways)
        if named:
            bound = " ".join(f"({name} {sentence})" for sentence, name in named.items())
            body = f"(let ({bound}) {body})"
        return self.samples[here].another(body, self.clock)

    def _invariant(self, start: State) -> Invariant:
        reached, todo = {start}, [start]
        while todo:
            state = todo.pop()
            for number, index in enumerate(self._answers[state]):
                there = self._steps[state[0]][number].answers[index][1]
                new = {(there, bits) for bits in self._ends_of((state, number, index))} - reached
                reached |= new
                todo += new
        states = {
            h: tuple(sorted(bits for there, bits in reached if there == h)) for h in self.samples
        }
        strategy = {state: tuple(self._answers[state]) for state in reached}
        facts = {here: sample.facts for here, sample in self.samples.items()}
        return Invariant(self.obligation, facts, self.chosen, states, strategy)


def _distinct_columns(truths: Truths) -> tuple[list[Bits], Integers]:
    """Return the different columns, and for each column its number among these."""
    packed = np.packbits(truths, axis=0)
    if len(packed) <= 8:
        keys = np.zeros((truths.shape[1], 8), dtype=np.uint8)
        keys[:, : len(packed)] = packed.T
        _, first, place = np.unique(
            keys.view(np.uint64)[:, 0], return_index=True, return_inverse=True
        )
    else:
        _, first, place = np.unique(packed, axis=1, return_index=True, return_inverse=True)
    return [tuple(column) for column in truths[:, first].T.tolist()], place


def _literals(predicates: Sequence[str], bits: Bits) -> str:
    return all_of(p if bit else negation(p) for p, bit in zip(predicates, bits, strict=True))


def search(obligation: FamilyObligation, samples: Samples, clock: Clock, rounds: int) -> Invariant:
    """Return the invariant on predicates of some rounds, or raise `LostError`."""
    chosen = predicates(obligation, samples, clock, rounds)
    return ObligationGame(obligation, samples, chosen, clock).solve()
