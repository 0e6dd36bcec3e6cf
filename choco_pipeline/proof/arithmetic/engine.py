"""Decision of sentences by automata."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from math import inf

from choco_pipeline.automata import algebra, arithmetic
from choco_pipeline.automata.algebra import MOST_STATES
from choco_pipeline.automata.dfa import Automaton, Variable, listed
from choco_pipeline.errors import LimitError
from choco_pipeline.proof.arithmetic.logic import (
    And,
    Bitwise,
    Exists,
    Linear,
    Member,
    NimSumZero,
    Not,
    Or,
    Sentence,
    exists,
    free,
    negation,
)
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.tables.computing import in_bytes

#: Limit of bytes of all automata of an engine. One operation takes up to 2.5 GiB, so a process stays below 4 GiB.
MOST_BYTES = 1 << 29


def automaton_of(sentence: Sentence, relations: Mapping[str, Automaton]) -> Automaton:
    """Return the automaton of a sentence; see `Engine.automaton_of`."""
    return Engine(relations).automaton_of(sentence)


class Engine:
    """Decides sentences about given relations, with a cache of automata.

    The tracks of a relation's automaton are the indices of the arguments: "0", "1", …. The time limit applies to all decisions
    together, and `most_states` to automata before minimising.
    """

    def __init__(
        self,
        relations: Mapping[str, Automaton],
        seconds: float = inf,
        *,
        most_states: int = MOST_STATES,
    ) -> None:
        self._relations = dict(relations)
        self._most_states = most_states
        self._known: dict[Sentence, Automaton] = {}
        self._bytes = 0
        self._clock = Clock(seconds)
        self._largest = 0
        #: States of the largest automaton of all decisions.
        self.states = 0

    def automaton_of(self, sentence: Sentence) -> Automaton:
        """Return the minimal automaton of a sentence, on its free variables.

        Raises `NotDefinableError` if a relation is missing or has a different number of arguments; `UndecidedError` if a limit of
        states, of memory or of time is reached.
        """
        known = self._known.get(sentence)
        if known is None:
            known = self._make(sentence)
            self._bytes += known.delta.nbytes + known.accepting.nbytes
            if self._bytes > MOST_BYTES:
                raise UndecidedError(
                    f"the sentence is too large to decide: the automata of its parts take more than"
                    f" {in_bytes(MOST_BYTES)}"
                )
            self._known[sentence] = known
        self._largest = max(self._largest, known.states)
        return known

    def counterexample(self, sentence: Sentence) -> dict[Variable, int] | None:
        """Return values that make a sentence false, if any, with few binary digits.

        Raises the errors of `automaton_of`. The time limit is only checked between operations on automata.
        """
        self._require_time()
        self._largest = 0
        values = self._witness(negation(sentence))
        self.states = max(self.states, self._largest)
        return values

    def is_valid(self, sentence: Sentence) -> bool:
        """Whether a sentence holds for all values of its variables."""
        return self.counterexample(sentence) is None

    def _require_time(self) -> None:
        if self._clock.left <= 0:
            raise UndecidedError("time is up before the sentence is decided")

    def _witness(self, sentence: Sentence) -> dict[Variable, int] | None:
        """Return values that make the sentence true, if any.

        The last variable of an outer quantifier is not eliminated, because values that make the body true suffice.
        """
        match sentence:
            case Or(parts):
                witnesses = [self._witness(part) for part in parts]
                return min(
                    (
                        dict.fromkeys(sorted(free(sentence)), 0) | witness
                        for witness in witnesses
                        if witness is not None
                    ),
                    key=lambda witness: (
                        max(witness.values(), default=0).bit_length(),
                        sorted(witness.items()),
                    ),
                    default=None,
                )
            case Exists(names, body):
                values = algebra.witness(self._exists(names, body, projects_all=False))
                return values and {name: n for name, n in values.items() if name not in names}
            case _:
                return algebra.witness(self.automaton_of(sentence))

    def _make(self, sentence: Sentence) -> Automaton:
        match sentence:
            case Linear():
                most = min(self._most_states, arithmetic.MOST_CARRIES)
                given = dict(sentence.coefficients), sentence.constant, sentence.relation
                return self._within_limits(partial(arithmetic.linear, *given, most_states=most))
            case Bitwise():
                return arithmetic.bitwise(sentence.op, sentence.a, sentence.b, sentence.c)
            case NimSumZero():
                return arithmetic.nim_sum_is_zero(*sentence.names)
            case Member():
                return self._member(sentence)
            case And() | Not(Or()):
                return self._folded(map(self.automaton_of, _conjuncts(sentence)))
            case Or(parts):
                return self._folded(map(self.automaton_of, parts), algebra.disjunction)
            case Not(part):
                return algebra.complement(self.automaton_of(part))
            case Exists(names, body):
                return self._exists(names, body)

    def _member(self, member: Member) -> Automaton:
        automaton = self._relations.get(member.relation)
        if automaton is None:
            given = ", ".join(sorted(self._relations)) or "none"
            raise NotDefinableError(f"no automaton for {member.relation}: given are {given}")
        names = {str(i): name for i, name in enumerate(member.arguments)}
        if list(automaton.tracks) != sorted(names):
            raise NotDefinableError(
                f"{member.relation} of {len(names)} arguments needs the tracks {', '.join(sorted(names))},"
                f" its automaton has {listed(automaton.tracks) or 'none'}"
            )
        return algebra.renamed(automaton, names)

    def _exists(
        self, names: tuple[Variable, ...], body: Sentence, *, projects_all: bool = True
    ) -> Automaton:
        """Eliminate the names one after the other, each from the parts that contain it.

        One name may remain unless `projects_all`.
        """
        if isinstance(body, Or):
            return self.automaton_of(Or(tuple(exists(names, part) for part in body.parts)))
        if isinstance(body, Exists):
            return self._exists((*names, *body.names), body.body, projects_all=projects_all)
        parts = [self.automaton_of(part) for part in _conjuncts(body)]
        left = set(names)
        while left:
            involved = {
                name: {track for part in parts if name in part.tracks for track in part.tracks}
                for name in left
            }
            name = min(left, key=lambda name: (len(involved[name]), name))
            left.remove(name)
            # Parts without the name are included if they add no track, because they make the automaton smaller: A ∧ ∃u.B is ∃u.(A ∧ B).
            together = [part for part in parts if involved[name].issuperset(part.tracks)]
            parts = [part for part in parts if not involved[name].issuperset(part.tracks)]
            if not (left or projects_all):
                return self._folded((*parts, *together))
            project = partial(algebra.exists, self._folded(together), name)
            parts.append(self._within_limits(partial(project, most_states=self._most_states)))
        return self._folded(parts)

    def _folded(
        self,
        automata: Iterable[Automaton],
        operation: Callable[..., Automaton] = algebra.conjunction,
    ) -> Automaton:
        """Return the conjunction or disjunction, with few intermediate tracks."""
        left = sorted(automata, key=lambda automaton: automaton.states)
        if not left:
            return arithmetic.linear({}, 0, "==" if operation is algebra.conjunction else "!=")
        folded = left.pop(0)
        while left:
            best = min(left, key=lambda a: (len(set(a.tracks) - set(folded.tracks)), a.states))
            left.remove(best)
            folded = self._within_limits(
                partial(operation, folded, best, most_states=self._most_states)
            )
        return folded

    def _within_limits(self, operation: Callable[[], Automaton]) -> Automaton:
        self._require_time()
        try:
            automaton = operation()
        except LimitError as error:
            raise UndecidedError(f"the sentence is too large to decide: {error}") from error
        self._largest = max(self._largest, automaton.states)
        return automaton


def _conjuncts(sentence: Sentence) -> tuple[Sentence, ...]:
    """Return sentences whose conjunction is equivalent to `sentence`."""
    match sentence:
        case And(parts):
            return tuple(part for whole in parts for part in _conjuncts(whole))
        case Not(Or(parts)):
            return tuple(part for whole in parts for part in _conjuncts(negation(whole)))
        case _:
            return (sentence,)
