"""The search for an invariant and a strategy, as a safety game.

Idea: a state is a location with the truth values of its predicates. The opponent chooses the digits of the position, and the next
state if a step may lead to several. The prover answers with the digits of the option. He loses in a state where a word may end and
violate the goal. States are created when first reached. For each step, the prover takes his first answer, and the next one if that
leads to a lost state. A state without an answer to a step is lost. The remaining states are the invariant, and the answers are the
strategy. Only obligations of the kind ``option`` have a choice of answers; the others are reachability problems.

Invariant: each state that is not lost has, for each step, an answer that leads to no state known to be lost.

The next states are first computed from *points*: random small integers for parameters and counters. When no state is left to explore,
z3 searches each location for a point that violates the goal, or for which an answer leads to an unknown state. This point and points
near it are added. A point proves that a transition is possible, so lost states are truly lost. When z3 finds no further point, no
transition is missing. So the result does not depend on the points.

*Facts* hold at a location for all words. Equalities follow from tracks with equal digits so far: an unchanged coordinate of the option,
tracks with only zeros, and two tracks whose nim-sum with others is 0. Parities follow from the last digit: a counter changes from c to
2c + d, so it has the parity of d.

*Predicates* state that an affine sum of counters and parameters is at least 0. The first ones are those of the goals. Each round adds
the weakest preconditions of the predicates for each step. Of equivalent predicates at a location, one is kept.

Cost: tens of states, and a few calls of z3 for each location and predicate.
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
    """Sums that are 0, and counters with their parities."""

    equalities: tuple[Affine, ...] = ()
    parities: tuple[tuple[str, int], ...] = ()


def facts(obligation: FamilyObligation) -> dict[ControlLocation, Facts]:
    """Return the reachable locations with their facts, the start first."""
    #: For each counter, the possible last digits added to it, modulo 2; None for a digit that depends on parameters.
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
                    rest = _parity(digit_sum(form, digits))
                    added[there].setdefault(counter, set()).add(rest)
    parities = {
        here: tuple((c, r) for c, rs in sets.items() for r in rs if len(rs) == 1 and r is not None)
        for here, sets in added.items()
    }
    for here in added:
        if here.phase == "switch":
            for counter, r in parities[replace(here, phase="upper")]:
                jumped = _parity(obligation.jump(Affine.of(counter)))
                if jumped is not None:
                    parities[here] += ((counter, r ^ jumped),)
    return {
        here: Facts() if here.start else Facts(_equalities(obligation, here), parities[here])
        for here in added
    }


def _parity(total: Affine) -> int | None:
    """Return a sum modulo 2; None if it depends on names."""
    return None if any(c % 2 for _, c in total.terms) else total.constant % 2


def _equalities(obligation: FamilyObligation, here: ControlLocation) -> tuple[Affine, ...]:
    like = _alike(obligation, here)
    forms: dict[str, dict[str, Affine]] = {}
    for counter, form in obligation.counters(here).items():
        known = forms[counter] = dict[str, Affine]()
        for track, a in form.items():
            if (root := like.get(track, track)) is not None:
                known[root] = known.get(root, ZERO) + a
        forms[counter] = {track: a for track, a in known.items() if a != ZERO}
    ones = [(form, n) for n, form in forms.items() if len(form) == 1 and n.startswith("count(")]
    singles = {track: counter for form, counter in reversed(ones) for track in form}
    equalities: list[Affine] = []
    seen: dict[tuple[tuple[str, str], ...], str] = {}
    for counter, form in forms.items():
        same = tuple(sorted((t, str(a)) for t, a in form.items()))
        if all(t in singles and a.is_constant for t, a in form.items()):
            other = sum((Affine.of(singles[t]) * a.constant for t, a in form.items()), ZERO)
        else:
            other = Affine.of(seen.setdefault(same, counter))
        total = Affine.of(counter) - other
        if total == ZERO:
            continue
        jump = obligation.jump(total)
        if here.phase == "switch":
            equalities.append(total + jump)
        elif here.phase == "upper" or jump == ZERO:
            equalities.append(total)
    return tuple(equalities)


def _alike(obligation: FamilyObligation, here: ControlLocation) -> dict[str, str | None]:
    """Map tracks to others with equal digits so far, or to None for only zeros."""
    like: dict[str, str | None] = dict.fromkeys(here.zero)
    for name, order in here.orders:
        if order == "equal" and option(name) in here.zero:
            like[name] = None
        elif order == "equal":
            like[option(name)] = like.get(name, name)
    in_nim_sum = [n for n in obligation.family.coordinates if n in obligation.case.shifts]
    end = [CONSTANT] if CONSTANT in obligation.position else []
    target = [TARGET] if TARGET in obligation.position else []
    if obligation.kind == "value":
        _relate(like, [*in_nim_sum, *end, "value"])
        return like
    orders = dict(here.orders)
    of_option = [option(n) if n in orders else n for n in in_nim_sum]
    if obligation.kind == "option":
        _relate(like, [*(of_option if here.settled else in_nim_sum), *end, *target])
    elif obligation.family.kind == "p-positions":
        _relate(like, [*in_nim_sum, *end])
        _relate(like, [*of_option, *end])
    return like


def _relate(like: dict[str, str | None], tracks: list[str]) -> None:
    """Update `like` for tracks whose digits always have the nim-sum 0."""
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


#: Numbers of random points at a location, of members for these points, and of points near one that z3 finds.
DRAWN, MEMBERS, NEAR = 1500, 24, 100
#: Arrays with larger integers have Python integers as elements, because products may overflow.
LARGE = 1 << 20

Integers = npt.NDArray[Any]
Truths = npt.NDArray[np.bool_]


class Sample:
    """Points at a location: columns of integers, with a last row of ones."""

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
            solution = {name: Affine.of(name) - rest * c} if c else {}
            self._solved = {n: s.substitute(solution) for n, s in self._solved.items()} | solution
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
        """Adjust points to parities and equalities; keep those that satisfy all."""
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
        """Return a matrix of the coefficients of sums, to multiply by points."""
        rows = [[dict(s.terms).get(n, 0) for n in self.names] + [s.constant] for s in sums]
        return _small(np.array(rows, dtype=object).reshape(len(rows), len(self.names) + 1))

    def signs(self, sums: Sequence[Affine], points: Integers | None = None) -> Truths:
        """Return a mask [sum, point]: the sum is not negative at the point."""
        return _signs(self.matrix(sums), self.points if points is None else points)

    def another(self, sentence: str, clock: Clock) -> Integers | None:
        """Add a point that satisfies a sentence, and others near it; None for none."""
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
    """Return a sample for each reachable location."""
    names, holds = obligation.case.names, obligation.case.holds
    first = [[*m.values()] for m in islice(small_values(names, holds, MEMBERS**2), MEMBERS)]
    members = np.array(first, dtype=np.int64).reshape(len(first), len(names)).T
    return {
        here: Sample(obligation, here, of_here, members)
        for here, of_here in facts(obligation).items()
    }


def _small(integers: Integers) -> Integers:
    """Convert to int64 if sums of products of the integers fit."""
    if integers.size and max(abs(integers.min()), abs(integers.max())) >= LARGE:
        return integers
    return integers.astype(np.int64)


def predicates(
    obligation: FamilyObligation, samples: Samples, clock: Clock, rounds: int
) -> dict[ControlLocation, tuple[Affine, ...]]:
    """Return the predicates of each location after some rounds of preconditions."""
    kept = {h: _distinct(samples[h], _goal_predicates(obligation, h), clock) for h in samples}
    for _ in range(rounds):
        added = {here: list(ps) for here, ps in kept.items()}
        for here in (here for here in samples if not here.start):
            for step in obligation.steps(here):
                for answer, there in step.answers:
                    updates = obligation.updates(here, {**step.digits, **answer}, there)
                    added[here] += [p.substitute(updates) for p in kept[there]]
        kept = {here: _distinct(samples[here], ps, clock) for here, ps in added.items()}
    return {here: tuple(ps) for here, ps in kept.items()}


def _goal_predicates(obligation: FamilyObligation, here: ControlLocation) -> list[Affine]:
    if here.phase == "upper" and not here.start:
        there = replace(here, phase="switch")
        jumped = obligation.updates(here, {}, there)
        return [p.substitute(jumped) for p in _goal_predicates(obligation, there)]
    goal = obligation.goal(here)
    hypotheses = [p for clause in goal.hypotheses for p in clause]
    if obligation.kind == "option":
        parts = {i for height in obligation.case.heights.values() for i in range(len(height.parts))}
        dropped = {c for n, _ in here.orders for c in (count(n), *(legal(n, i) for i in parts))}
        hypotheses = [p for p in hypotheses if p.names.isdisjoint(dropped)]
    return hypotheses + [p for clause in goal.conclusions for p in clause]


def _distinct(sample: Sample, candidates: list[Affine], clock: Clock) -> list[Affine]:
    """Remove equivalent predicates; the others get coprime coefficients.

    z3 compares only predicates that agree at all points.
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


#: Limit of abstract states of one obligation. Known families need less than a tenth.
MOST_STATES = 3000

#: Truth values of the predicates of a location.
Bits = tuple[bool, ...]
State = tuple[ControlLocation, Bits]
#: A state, the index of a step at its location, and the index of an answer.
Edge = tuple[State, int, int]


@dataclass(frozen=True)
class Invariant:
    """An inductive invariant with a strategy: the proof of an obligation."""

    obligation: FamilyObligation
    #: Facts and predicates of each location.
    facts: Mapping[ControlLocation, Facts]
    predicates: Mapping[ControlLocation, tuple[Affine, ...]]
    #: Reachable states, by location.
    states: Mapping[ControlLocation, tuple[Bits, ...]]
    #: For each state, the index of the answer to each step at its location.
    strategy: Mapping[State, tuple[int, ...]]


class LostError(UndecidedError):
    """The prover loses the game with these predicates."""


@dataclass(frozen=True)
class _Answer:
    """Predicates of the next location, in terms of the names before the answer."""

    ends: list[Affine]
    never: list[list[Affine]]
    #: The coefficients of `ends`, then of `never`.
    matrix: Integers

    def bits(self, points: Integers) -> dict[Bits, None]:
        """Return the next states for some points."""
        signs, place = _signs(self.matrix, points), len(self.ends)
        ends, is_harmless = signs[:place], np.zeros(points.shape[1], dtype=np.bool_)
        for sums in self.never:
            is_harmless |= signs[place : place + len(sums)].all(axis=0)
            place += len(sums)
        bits, _ = _distinct_columns(ends[:, ~is_harmless])
        return dict.fromkeys(bits)


class ObligationGame:
    """The safety game of one obligation, with predicates after some rounds."""

    def __init__(
        self,
        obligation: FamilyObligation,
        samples: Samples,
        clock: Clock,
        rounds: int,
    ) -> None:
        self.obligation, self.samples, self.clock = obligation, samples, clock
        self.chosen = predicates(obligation, samples, clock, rounds)
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
        # A dict instead of a set, because the order of a set differs between processes.
        self._before: dict[State, dict[tuple[State, int], None]] = {}
        self._pending: list[State] = []
        #: States that satisfy the goal by z3, and edges whose next states are all known by z3.
        self._confirmed_states: set[State] = set()
        self._confirmed_edges: set[Edge] = set()

    def solve(self) -> Invariant:
        """Return the invariant; raise `LostError` if there is none."""
        start: State = (self.obligation.start, ())
        try:
            self._reach(start)
            while self._explore(start) and not all([self._confirm(h) for h in self.samples]):
                pass
        except OverError as error:
            raise OverError(f"{error} at {len(self._answers)} abstract states") from None
        if start in self._lost:
            raise LostError(f"{self.obligation.name}: lost after {len(self._answers)} states")
        return self._invariant(start)

    def _explore(self, start: State) -> bool:
        """Explore the pending states by points; return False if the start is lost."""
        while self._pending and start not in self._lost:
            state = self._pending.pop()
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
            self._pending.append(state)

    def _lose(self, state: State) -> None:
        """Mark a state as lost, and change all answers that led to it."""
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
        """Take the next answer that leads to no lost state; False if there is none."""
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

    # Evaluation at points.

    def _by_state(
        self, here: ControlLocation, points: Integers
    ) -> Iterator[tuple[State, Integers]]:
        """Group points at a location by their states."""
        bits, place = _distinct_columns(self.samples[here].signs(self.chosen[here], points))
        yield from (((here, b), points[:, place == number]) for number, b in enumerate(bits))

    def _ends_badly(self, state: State, points: Integers) -> bool:
        goal, signs = self.obligation.goal(state[0]), self.samples[state[0]].signs

        def hold(clauses: Iterable[Clause]) -> Truths:
            found: Truths = np.all(
                [signs(clause, points).any(axis=0) for clause in clauses], axis=0
            )
            return found

        return bool(np.any(hold(goal.hypotheses) & ~hold(goal.conclusions)))

    def _ends_of(self, edge: Edge) -> dict[Bits, None]:
        """Return the next states of an answer that are known from points."""
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

    # Calls of z3.

    def _confirm(self, here: ControlLocation) -> bool:
        """Add points that z3 finds at a location; return whether there were none."""
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
            self._pending.append(state)

    def _unknown_at(
        self, here: ControlLocation, states: Iterable[State], edges: Iterable[Edge]
    ) -> Integers | None:
        """Return points that violate a goal or lead to an unknown state, if any."""
        named: dict[str, str] = {}

        def names(sums: Sequence[Affine]) -> list[str]:
            sentences = [at_least_0(total) for total in sums]
            return [named.setdefault(sentence, f"p{len(named)}") for sentence in sentences]

        def hold(clauses: Iterable[Clause]) -> str:
            return all_of(any_of(names(clause)) for clause in clauses)

        own, goal = names(self.chosen[here]), self.obligation.goal(here)
        is_wrong = negation(hold(goal.conclusions))
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
    """Return the distinct columns, and the index of each column among them."""
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
