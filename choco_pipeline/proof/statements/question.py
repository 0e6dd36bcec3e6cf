"""A claim about a game with a proved relation: sentences of its domain, and the engine that decides them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from choco_pipeline.automata.algebra import shortest
from choco_pipeline.automata.dfa import Automaton, Auxiliary, Variable
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Counterexample, Proved, Refuted, Vacuous
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import Binary, Integer, Name, Negate, render, substitute
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games import Position
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.logic import (
    TRUE,
    Sentence,
    conjunction,
    linear,
    negation,
)
from choco_pipeline.proof.arithmetic.terms import Meaning, condition, value_is
from choco_pipeline.proof.games.moves import legal
from choco_pipeline.proof.games.obligations import relation_name
from choco_pipeline.proof.games.proved import Proof
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.statements.explained import ProvedPosition
from choco_pipeline.proof.statements.sentences import Translator


def holds(
    formula: Formula | None, values: Mapping[str, int], names: Mapping[str, Meaning] | None = None
) -> Sentence:
    """Return that a condition is true, its names being natural numbers.

    What is computed on the way may be negative: ``(x-1) ^ y == 0`` needs y = -1 at x = 0, and so is false there.

    A formula that is None always holds; `values` are integers for parameters and the passes left; `names` says what stands
    for the other names, by default they themselves. Raises `NotDefinableError` if the logic cannot say it; the message names
    the part; `FormulaError` if a part has no value, whatever the names are.

    Examples
    --------
    >>> from choco_pipeline.proof.arithmetic.logic import written
    >>> print(written(holds(parse("x+p < k*y"), {"k": 3, "p": 1})))
    not - x + 3*y - 1 <= 0
    """
    return TRUE if formula is None else condition(formula.substitute(values), names)


def has_value(
    formula: Formula, values: Mapping[str, int], variable: Variable, *, negative: bool = False
) -> Sentence:
    """Return that an integer formula has the value `variable`, or if `negative` -`variable`-1; see `holds`."""
    stated = parse(f"-({formula.text})-1") if negative else formula
    return value_is(variable, stated.substitute(values))


def at_negative(formula: Formula, name: str) -> Formula:
    """Return the formula with -`name`-1 in place of `name`: what it says of negative numbers, said of natural ones.

    Examples
    --------
    >>> at_negative(parse("v == -3 or v*v > 9"), "v")
    Formula('-v-1 == -3 or (-v-1)*(-v-1) > 9')
    """
    root = parse_nodes(formula.text, None, formula.functions)
    complement = Binary("-", Negate(Name(name)), Integer(1))
    return parse(render(substitute(root, {name: complement})), functions=formula.functions)


def at_most_each(names: Collection[Variable], most: int | None) -> Sentence:
    """Return that each of the numbers is at most `most`; that nothing is asked of them if it is None."""
    if most is None:
        return TRUE
    return conjunction(*(linear({name: 1}, -most, "<=") for name in names))


def least(a: Automaton, order: tuple[Variable, ...]) -> Position | None:
    """Return the numbers in a relation whose largest is least, and of these the first, number by number.

    `order` are its tracks in the order in which numbers are compared, and returned; one that is no track is 0. None if the
    relation is empty.
    """
    layers = shortest(a)
    if layers is None:
        return None
    # Of the numbers that may follow a state, those with the least maximum lead after one more digit too; of those with
    # equal maxima, which one leads depends on which of them are maximal, so that each choice of these is kept.
    following: dict[int, dict[int, Position]] = {
        state: {(1 << len(order)) - 1: (0,) * len(order)} for state in layers.pop()
    }
    digits = [
        [symbol >> a.tracks.index(name) & 1 if name in a.tracks else 0 for name in order]
        for symbol in range(a.delta.shape[1])
    ]
    for layer in reversed(layers):
        following = {
            state: _leading(
                tuple(2 * r + d for r, d in zip(rest, digits[symbol], strict=True))
                for symbol, after in enumerate(a.delta[state].tolist())
                for rest in following.get(after, {}).values()
            )
            for state in layer
        }
    return min(following[0].values(), key=lambda position: (max(position, default=0), position))


def _leading(positions: Iterable[Position]) -> dict[int, Position]:
    """Return, of numbers with the least maximum, the first for each set of those that are maximal."""
    best: dict[int, Position] = {}
    lowest = -1
    for position in positions:
        largest = max(position, default=0)
        if lowest in (-1, largest) or largest < lowest:
            if largest != lowest:
                best, lowest = {}, largest
            maximal = sum((number == largest) << i for i, number in enumerate(position))
            best[maximal] = min(position, best.get(maximal, position))
    return best


#: The Grundy number of a position, or a value at a P-position.
VALUE = Auxiliary("'v")


@dataclass(frozen=True)
class Question:
    """One claim, and the relation that answers it, as `choco_pipeline.proof.statements.decided_claims.decide` is given them."""

    claim: Claim
    parameters: Mapping[str, int]
    proof: Proof
    certificate: str
    seconds: float

    @cached_property
    def environment(self) -> dict[str, int]:
        """Integers for all names but coordinates."""
        return self.claim.environment(self.parameters)

    @cached_property
    def engine(self) -> Engine:
        """The engine, which knows the proved relation."""
        relations = {relation_name(p): a for p, a in enumerate(self.proof.automata)}
        return Engine(relations, self.seconds)

    @property
    def evidence(self) -> dict[str, Any]:
        """The engine, and the states of the largest automaton that it needed."""
        return {"engines": ["own"], "states": self.engine.states}

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates without the passes left."""
        return self.proof.ruleset.base.coordinates

    @property
    def left(self) -> tuple[str, ...]:
        """The coordinate that is the number of passes left, if there is one."""
        return self.proof.ruleset.coordinates[len(self.coordinates) :]

    @property
    def passes(self) -> range:
        """The numbers of passes that may be left."""
        return range(self.proof.ruleset.passes + 1)

    @cached_property
    def reach(self) -> int | None:
        """The largest coordinate that the claim speaks of; None for any."""
        reach = self.claim.reach
        return None if reach is None else int(reach.value(self.environment))

    def translator(self, passes: int) -> Translator:
        """Return a translator of the statement for positions with so many passes left."""
        proof, printed = self.proof, self.claim.statement.printed
        return Translator.at(proof.ruleset, proof.relation, printed, self.environment, passes)

    @cached_property
    def in_reach(self) -> Sentence:
        """That the coordinates are those of a position within the claim's reach."""
        are_position = legal(self.proof.ruleset.base, self.coordinates)
        return conjunction(at_most_each(self.coordinates, self.reach), are_position)

    def is_nowhere(self, sentences: Sequence[Sentence]) -> bool:
        """Return whether nothing makes any of the sentences true."""
        return self.engine.decide(conjunction(*map(negation, sentences))).valid

    def least(self, wrong: Sequence[Sentence]) -> Position | None:
        """Return the least position where a claim is wrong, given for each number of passes left where it is."""
        positions: list[Position] = []
        for passes, sentence in enumerate(wrong):
            if self.engine.decide(negation(sentence)).valid:
                continue
            try:
                here = least(self.engine.automaton_of(sentence), self.coordinates)
            except (UndecidedError, LimitError) as error:
                raise UndecidedError(
                    f"it is false, but where first is not known: {error}"
                ) from error
            if here is None:
                raise DisagreementError(f"{self.claim.id} is wrong nowhere, and is wrong")
            positions.append((*here, passes) if self.left else here)
        heaps = len(self.coordinates)
        return min(positions, key=lambda q: (max(q[:heaps], default=0), q), default=None)

    def refuted(self, counterexample: Counterexample, evidence: Mapping[str, Any]) -> Finding:
        """Return that the claim is false."""
        return Finding(Refuted(counterexample, 0), {**evidence, **self.evidence})

    def proved(self, evidence: Mapping[str, Any]) -> Finding:
        """Return that the claim is true at every position that it speaks of."""
        verdict = Proved(self.certificate, reach=self.reach)
        return Finding(verdict, {**evidence, **self.evidence})

    def known(self, position: Position) -> ProvedPosition:
        """Return what the proof says of a position."""
        return ProvedPosition(self.proof, position)

    def everywhere(
        self,
        spoken: Callable[[int], Sentence],
        wrong: Callable[[int], Sentence],
        shown: Callable[[Position], Counterexample],
    ) -> Finding:
        """Return whether a claim is true at every position that it speaks of.

        Given the number of passes left, `spoken` says that coordinates are a position of which it says something, `wrong`
        that it is false there; `shown`, given the least position where it is false, what is the case.
        """
        position = self.least([wrong(p) for p in self.passes])
        if position is not None:
            return self.refuted(shown(position), {})
        if self.is_nowhere([spoken(p) for p in self.passes]):
            return Finding(Vacuous("no position satisfies its premise"))
        return self.proved({})
