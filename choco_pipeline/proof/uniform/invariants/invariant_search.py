"""Proves one obligation as a safety game on abstract states, and returns the invariant and the strategy.

Idea: a state is a location and, for each of its predicates, whether it holds. Somebody else chooses the digits of the position
(and, where a step from an abstract state may lead to several, which of them it is); the prover answers with the digits of the
option. He loses in a state where a word may end against the goal. States are made when they are first reached; he tries his
answers in their order, and takes the next one when a state that the last one leads to turns out to be lost. What is kept true:
every state that is not lost has for all digits an answer whose states are known and not lost, or wait to be looked at. What is
left at the end, from the start on, is the invariant, and the answers are the strategy. Without answers to choose among (all
obligations but ``option``) it is reachability.

Cost: a call of z3 for each edge between states and one more for each state and digits; tens of states, hundreds of calls.
Source: safety games on predicate abstractions, as in L. de Alfaro, P. Godefroid and R. Jagadeesan, *Three-valued abstractions of
games* (2004), with may-steps only, which is sound for the prover.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import z3

from choco_pipeline.proof.clock import Clock, OverError
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.families.affine import Affine
from choco_pipeline.proof.uniform.families.linear import at_least_0, values_of
from choco_pipeline.proof.uniform.invariants.control import FamilyObligation
from choco_pipeline.proof.uniform.invariants.facts import Facts, base, facts, not_all, predicates
from choco_pipeline.proof.uniform.invariants.locations import (
    Clause,
    ControlLocation,
    ControlStep,
    Goal,
)

#: Abstract states of one obligation; the families that are known need less than a tenth.
MOST_STATES = 3000

#: For each predicate of a location whether it holds.
Bits = tuple[bool, ...]
State = tuple[ControlLocation, Bits]


@dataclass(frozen=True)
class Invariant:
    """What proves an obligation."""

    obligation: FamilyObligation
    #: What holds at each location, and what its states tell apart.
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
    there: tuple[Affine, ...]
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
        """Return the invariant, or raise `LostError`; an `OverError` says how many states there were then."""
        start: State = (self.obligation.start, ())
        waiting = [start]
        self._answers[start] = []
        try:
            while waiting:
                self._visit(waiting.pop(), waiting)
                if start in self._lost:
                    raise LostError(
                        f"{self.obligation.name}: lost after {len(self._answers)} states"
                    )
            return self._invariant(start)
        except OverError as error:
            raise OverError(f"{error} at {len(self._answers)} abstract states") from None

    def _visit(self, state: State, waiting: list[State]) -> None:
        """Choose answers at a state that is new, or mark it as lost."""
        if state in self._lost or self._answers[state]:
            return
        if self._may_end_badly(state):
            self._lose(state, waiting)
            return
        steps = self._steps[state[0]]
        self._answers[state] = [-1] * len(steps)
        for number in range(len(steps)):
            if not self._next_answer(state, number, waiting):
                self._lose(state, waiting)
                return

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
        literals = _literals(self.chosen[here], bits)
        solver.add([*self._base[here], *literals, breaks(self.obligation.goal(here))])
        return self._check(solver)

    def _after(self, state: State, number: int, index: int) -> list[Bits]:
        """Return the states at the end of an answer, as far as predicates distinguish them."""
        here, bits = state
        edge = self._edges.get((here, number, index))
        if edge is None:
            edge = self._edges[here, number, index] = self._edge(here, number, index)
        if bits not in edge.found:
            after = edge.found[bits] = []
            edge.solver.push()
            edge.solver.add(_literals(self.chosen[here], bits))
            while self._check(edge.solver):
                values = values_of(edge.solver.model(), edge.names)
                after.append(tuple(p.value(values) >= 0 for p in edge.there))
                if not edge.there:
                    break
                edge.solver.add(z3.Not(z3.And(_literals(edge.there, after[-1]))))
            edge.solver.pop()
        return edge.found[bits]

    def _edge(self, here: ControlLocation, number: int, index: int) -> _Edge:
        step = self._steps[here][number]
        answer, there = step.answers[index]
        updates = self.obligation.updates(here, {**step.digits, **answer}, there)
        solver = z3.SimpleSolver()
        solver.add(self._base[here])
        solver.add([not_all(tuple(p.substitute(updates) for p in never)) for never in self.obligation.never_again(there)])  # fmt: skip
        ends = tuple(p.substitute(updates) for p in self.chosen[there])
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
    """Return for z3 that a goal is not kept."""
    given = list(map(_holds, goal.hypotheses))
    if goal.conclusions is None:
        return z3.And(given)
    return z3.And([*given, z3.Not(z3.And(list(map(_holds, goal.conclusions))))])


def _holds(clause: Clause) -> z3.BoolRef:
    return z3.Or(list(map(at_least_0, clause)))


def _literals(chosen: tuple[Affine, ...], bits: Bits) -> list[z3.BoolRef]:
    return [at_least_0(p if bit else -p - 1) for p, bit in zip(chosen, bits, strict=True)]


def search(
    obligation: FamilyObligation, clock: Clock, *, rounds: int, all_hypotheses: bool
) -> Invariant:
    """Return what proves an obligation with predicates of so many rounds, or raise `LostError`."""
    known = facts(obligation)
    chosen = predicates(
        obligation, known, rounds=rounds, all_hypotheses=all_hypotheses, clock=clock
    )
    return ObligationGame(obligation, known, chosen, clock).solve()
