"""Claims on a proved game: proved everywhere, or refuted at the least position.

Counterexamples are explained by the proved automata; a small table, where there is one, must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import islice
from typing import Any

from choco_pipeline.automata import algebra
from choco_pipeline.automata.algebra import least
from choco_pipeline.claims.checks import evidence as explain
from choco_pipeline.claims.checks.evaluation import Board, Evaluation
from choco_pipeline.claims.checks.evidence import ClaimCase
from choco_pipeline.claims.checks.formulas import NO_MEMBER
from choco_pipeline.claims.checks.judgement import false_at
from choco_pipeline.claims.kinds import Count, GrundyNumbers, PPositions, PrintedNumbers, Values
from choco_pipeline.claims.language.catalogue import without_value
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    Counterexample,
    Finding,
    Proved,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.formula.written.math_text import MathNotation, math_text
from choco_pipeline.games import Position
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.images import describe, first_members
from choco_pipeline.proof.arithmetic.logic import (
    Sentence,
    conjunction,
    disjunction,
    exists,
    implies,
    negation,
    within,
)
from choco_pipeline.proof.games.answers import number_below
from choco_pipeline.proof.games.obligations import legal, relation_name
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.statements.sentences import (
    VALUE,
    Translator,
    at_most_each,
    holds,
    signed,
)
from choco_pipeline.statements.meaning import UndefinedError
from choco_pipeline.statements.tree import (
    TRUE,
    Expression,
    Implies,
    PPosition,
    Proposition,
    ValueSet,
    applies,
    conjuncts,
    math_of,
)
from choco_pipeline.statements.tree import Count as CountTerm
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import cost_of, grundy_table

#: Positions with a larger coordinate are explained by automata alone, without a table.
MOST_BOUND = 1 << 12
#: Options of a position that are tried for a P-position; a far position has more than can be tried.
MOST_OPTIONS = 10_000


@dataclass(frozen=True)
class ProvedPosition:
    """A legal position, evaluated by proved automata."""

    proof: Proof
    position: Position

    @cached_property
    def number(self) -> int | None:
        """The Grundy number; None if only the outcome is proved."""
        if self.proof.relation == "p":
            return None
        heaps = len(self.proof.ruleset.base.coordinates)
        here = self.proof.automata[self.position[heaps] if len(self.position) > heaps else 0]
        given = {str(i): coordinate for i, coordinate in enumerate(self.position[:heaps])}
        value = algebra.witness(algebra.restricted(here, given))
        if value is None:
            raise DisagreementError(f"{self.proof.ruleset.notation}: {self.position} has no value")
        return value[str(heaps)]

    @cached_property
    def is_p_position(self) -> bool:
        """Whether the position is a P-position."""
        return self._is_p(self.position)

    @property
    def winning(self) -> Position | None:
        """The first P-position among `MOST_OPTIONS` options; None where moves split."""
        if self.proof.ruleset.rules.splits:
            return None
        options = islice(self.proof.ruleset.options(self.position), MOST_OPTIONS)
        return next((option for option in options if self._is_p(option)), None)

    def _is_p(self, position: Position) -> bool:
        return self.proof.holds(position, *(() if self.proof.relation == "p" else (0,)))


@dataclass(frozen=True)
class Question:
    """A claim and the proved relation that decides it; the parameters are as for `decide`."""

    claim: Claim
    parameters: Mapping[str, int]
    proof: Proof
    certificate: str
    seconds: float

    @cached_property
    def environment(self) -> dict[str, int]:
        """Integers for all names except coordinates."""
        return self.claim.environment(self.parameters)

    @cached_property
    def engine(self) -> Engine:
        """The engine, with the proved relation."""
        relations = {relation_name(p): a for p, a in enumerate(self.proof.automata)}
        return Engine(relations, self.seconds)

    @property
    def evidence(self) -> dict[str, Any]:
        """The engine, and the states of its largest automaton."""
        return {"engines": ["own"], "states": self.engine.states}

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates without the passes left."""
        return self.proof.ruleset.base.coordinates

    @property
    def passes(self) -> range:
        """The possible numbers of passes left."""
        return range(self.proof.ruleset.passes + 1)

    @cached_property
    def reach(self) -> int | None:
        """The largest coordinate of the claim's positions; None for any."""
        reach = self.claim.reach
        return None if reach is None else int(reach.value(self.environment))

    def translator(self, passes: int) -> Translator:
        """Return a translator of the statement for positions with this number of passes left."""
        proof, printed = self.proof, self.claim.statement.printed
        return Translator.at(proof.ruleset, proof.relation, printed, self.environment, passes)

    @cached_property
    def in_reach(self) -> Sentence:
        """Sentence: the coordinates are a position within the claim's reach."""
        are_position = legal(self.proof.ruleset.base, self.coordinates)
        return conjunction(at_most_each(self.coordinates, self.reach), are_position)

    def among(self, condition: Proposition, passes: int) -> Sentence:
        """Sentence: a position within the reach satisfies a condition."""
        return within(self.in_reach, self.translator(passes).true(condition))

    def is_nowhere(self, sentences: Sequence[Sentence]) -> bool:
        """Return whether all of the sentences are false everywhere."""
        return self.engine.decide(conjunction(*map(negation, sentences))).valid

    def least(self, wrong: Callable[[int], Sentence]) -> Position | None:
        """Return the least position at which the sentence for its passes left is true."""
        positions: list[Position] = []
        heaps = len(self.coordinates)
        for passes, sentence in [(passes, wrong(passes)) for passes in self.passes]:
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
            positions.append(
                (*here, passes) if len(self.proof.ruleset.coordinates) > heaps else here
            )
        return min(positions, key=lambda q: (max(q[:heaps], default=0), q), default=None)

    def known(self, position: Position) -> ProvedPosition:
        """Return a position with its proved values."""
        return ProvedPosition(self.proof, position)

    def counterexample(self, position: Position) -> Counterexample:
        """Return the counterexample to the claim at a position; see `counterexample_at`."""
        return counterexample_at(self.claim, self.parameters, self.known(position))

    def everywhere(
        self,
        spoken: Callable[[int], Sentence],
        wrong: Callable[[int], Sentence],
        shown: Callable[[Position], Counterexample],
    ) -> Finding:
        """Return whether a claim is true at every position.

        Given the number of passes left, `spoken` says that the claim applies to a position, and `wrong` that it is false there;
        `shown` makes the counterexample at the least position where it is false.
        """
        position = self.least(wrong)
        if position is not None:
            return Finding(Refuted(shown(position), 0), self.evidence)
        if self.is_nowhere([spoken(p) for p in self.passes]):
            return Finding(Vacuous("no position satisfies its premise"))
        return Finding(Proved(self.certificate, reach=self.reach), self.evidence)


def decide(
    claim: Claim,
    parameters: Mapping[str, int],
    proof: Proof,
    certificate: str,
    seconds: float = 60.0,
) -> Finding:
    """Return whether a claim is true at every position.

    The claim is about positions and their options, the values of a formula, or a number of positions. The parameters are those of
    the game, as `Claim.match` returns them. The proof must be of Grundy numbers if the claim is; a verdict names its certificate.
    Raises `ConfigError` if the claim needs auxiliary integers and does not allow these parameters; `DisagreementError` if the
    engine contradicts the definition.

    Returns
    -------
    Finding
        ``Proved``; ``Refuted`` at the position with the least maximum (passes not counted), and of these the first; ``Vacuous``;
        or ``Undecided``, with the reason. Evidence: the states of the largest automaton and a description of value sets.
    """
    question = Question(claim, parameters, proof, certificate, seconds)
    try:
        if proof.status != "proved":
            why = f"{proof.ruleset.notation} has no proved automata: {proof.why}"
            return Finding(Undecided(why))
        if not claim.is_decidable:
            what = f"no sentence is written for a statement of this form: {claim.summary}"
            return Finding(Undecided(what))
        match claim.check, claim.parts.rest:
            case PrintedNumbers() as check, _:
                return _about_numbers(question, check)
            case Count() as check, _:
                return _about_count(question, check)
            case _, ValueSet() as part:
                return _about_values(question, part)
            case _, part:
                return _about_positions(question, part)
    except FormulaError as error:
        return without_value(claim, error)
    except (NotDefinableError, UndecidedError, LimitError) as error:
        return Finding(Undecided(str(error)))


def _about_positions(question: Question, part: Proposition) -> Finding:
    off_board = [one for passes in question.passes for one in _off_board(question, passes, part)]
    if off_board and not question.is_nowhere(off_board):
        raise UndecidedError("a place that the statement asks about may be no position")
    return question.everywhere(
        lambda passes: question.among(applies(part), passes),
        lambda passes: question.translator(passes).false_where(question.in_reach, part),
        question.counterexample,
    )


def _off_board(question: Question, passes: int, part: Proposition) -> Iterator[Sentence]:
    """Yield sentences that must be false: a place in the statement is no position although the premises before it hold."""
    translator, where = question.translator(passes), question.in_reach
    while isinstance(part, Implies):
        for premise in conjuncts(part.premise):
            yield from translator.off_board(where, premise)
            where = conjunction(where, translator.true(premise))
        part = part.conclusion
    yield from translator.off_board(where, part)


def _about_values(question: Question, part: ValueSet) -> Finding:
    """Return whether the values of an expression at some positions are as claimed.

    Negative values are represented by the natural numbers -v-1.
    """
    signs, members = (False, True), part.members.formula.rename({part.variable: "v"})
    which = "P-position" if PPosition() in conjuncts(part.condition) else "such position"

    def value_is(passes: int, negative: bool) -> Sentence:
        return question.translator(passes).value_is(part.value, VALUE, negative=negative)

    def claimed(negative: bool) -> Sentence:
        return holds(members, question.environment, {"v": signed(VALUE, negative)})

    def image(passes: int, negative: bool) -> Sentence:
        counted = question.among(part.condition, passes)
        return exists(question.coordinates, conjunction(counted, value_is(passes, negative)))

    def wrong(passes: int) -> Sentence:
        values = (conjunction(value_is(passes, sign), negation(claims[sign])) for sign in signs)
        is_wrong = disjunction(*(exists((VALUE,), value) for value in values))
        return conjunction(question.among(part.condition, passes), is_wrong)

    def missing(negative: bool) -> int | None:
        """Return a claimed member that is no value; None if there is none."""
        attained = disjunction(*(image(passes, negative) for passes in question.passes))
        if question.engine.decide(implies(claims[negative], attained)).valid:
            return None
        is_missing = conjunction(claims[negative], negation(attained))
        absent = least(question.engine.automaton_of(is_missing), (VALUE,))
        if absent is None:
            raise DisagreementError(
                f"{question.claim.id}: a member is no value, and all members are"
            )
        return -absent[0] - 1 if negative else absent[0]

    described = _described(question, image)

    def evidence() -> dict[str, Any]:
        return {**described, **question.evidence}

    claims = {negative: claimed(negative) for negative in signs}
    if part.relation != ">=":
        position = question.least(wrong)
        if position is not None:
            return Finding(Refuted(question.counterexample(position), 0), evidence())
    if part.relation != "<=":
        absent = [value for sign in signs if (value := missing(sign)) is not None]
        if absent:
            first = min(absent, key=lambda v: (abs(v), v))
            refutation = f"no {which} has the value {first:,}"
            attained = f"{first:,}, a v with {math_text(members)}, is a value"
            return Finding(Refuted(Counterexample(refutation, attained), 0), evidence())
    if question.is_nowhere([question.among(part.condition, p) for p in question.passes]):
        return Finding(Vacuous(f"no {which} satisfies its premise"), described)
    if part.relation == ">=" and question.is_nowhere([*claims.values()]):
        return Finding(Vacuous(NO_MEMBER.format(members)), described)
    return Finding(Proved(question.certificate, reach=question.reach), evidence())


def _described(question: Question, image: Callable[[int, bool], Sentence]) -> dict[str, Any]:
    """Return a description of a set of values, if it is small enough."""
    automaton = question.engine.automaton_of
    try:
        natural, below = (
            [automaton(image(passes, negative)) for passes in question.passes]
            for negative in (False, True)
        )
        values = reduce(algebra.disjunction, natural)
        if not values.tracks:  # no position satisfies the condition
            return {}
    except (UndecidedError, LimitError):
        return {}
    return {
        "image": describe(values),
        "first_values": first_members(values),
        "image_states": values.states,
        "negative_values": not all(map(algebra.is_empty, below)),
    }


def _about_numbers(question: Question, check: PrintedNumbers) -> Finding:
    """Compare printed Grundy numbers with the automata; the least position that differs refutes."""
    game, heaps = question.proof.ruleset, len(question.coordinates)
    if question.proof.relation != "grundy":
        return Finding(Undecided("the Grundy numbers are not proved, the P-positions are"))
    try:
        printed = check.legal_numbers(game)
    except UndefinedError as error:
        return Finding(Undecided(str(error)))
    wrong = [
        (max(position[:heaps], default=0), position, number)
        for position, number in printed
        if question.known(position).number != number
    ]
    if not wrong:
        return Finding(Proved(question.certificate, printed=len(printed)))
    _, position, number = min(wrong)
    shown = number_at(question.claim, question.parameters, question.known(position), number)
    return Finding(Refuted(shown, 0), {"failures": len(wrong)})


def _about_count(question: Question, check: Count) -> Finding:
    """Compare the number of positions with a property with the claimed one."""
    if check.beside:
        what = "choices of a position and further integers are counted on tables only"
        return Finding(Undecided(what))
    part = question.claim.parts.rest
    assert isinstance(part, Expression)
    ((_, term),) = part.terms
    assert isinstance(term, CountTerm)
    number = _number_of(question, term.body)
    claimed = int(check.equals.value(question.environment))
    evidence = {"counted": number, "engines": ["own"]}
    unit = "P-position" if check.over == "p-positions" else "position"
    if number != claimed:
        shown = Counterexample(f"{number:,} {unit}s", f"{claimed:,}")
        return Finding(Refuted(shown, 0), evidence)
    among = PPosition() if check.over == "p-positions" else TRUE
    if not number and not _number_of(question, among):
        return Finding(Vacuous(f"no {unit} satisfies its premise"), evidence)
    return Finding(Proved(question.certificate, reach=question.reach), evidence)


def _number_of(question: Question, condition: Proposition) -> int:
    """Return the number of positions within the reach that satisfy a condition."""
    digits = max(0, question.reach or 0).bit_length()
    sentences = [question.among(condition, passes) for passes in question.passes]
    return sum(number_below(question.engine.automaton_of(s), digits) for s in sentences)


# ---- Counterexamples.


def counterexample_at(
    claim: Claim, parameters: Mapping[str, int], known: ProvedPosition
) -> Counterexample:
    """Return the counterexample to a claim at a position.

    Raises `DisagreementError` if the claim is true there, or the automata contradict the definition of the game.
    """
    game, position = known.proof.ruleset, known.position
    named = claim.environment(parameters) | dict(zip(game.coordinates, position, strict=True))
    reason: str | None = None
    match claim.check:
        case PPositions() as check:
            is_wrong = check.formula.value(named) != known.is_p_position
            names, is_p = ("N-position", "P-position"), known.is_p_position
            actual, claimed = names[is_p], names[not is_p]
        case GrundyNumbers() as check:
            is_wrong = check.equals.value(named) != known.number
            number = int(check.equals.value(named))
            actual, claimed = f"Grundy number {known.number}", f"Grundy number {number}"
        case Values() as check:
            value = int(check.of.value(named))
            is_wrong = known.is_p_position and not check.values.value({**named, "v": value})
            actual = f"the P-position has the value {value}"
            claimed = f"a value v with {math_text(check.values)}"
        case _:
            return _contradiction(claim, parameters, known)
    if not is_wrong:
        raise _not_wrong(claim, position)
    case = _on_a_table(claim, parameters, known)
    if case is not None:
        return explain.counterexample_at(case, position)
    option = None if known.is_p_position else known.winning
    if option is not None and claim.numbers is None:
        reason = f"its option {option} is a P-position"
    return Counterexample(actual, claimed, position, game.coordinates, option, reason)


def _contradiction(
    claim: Claim, parameters: Mapping[str, int], known: ProvedPosition
) -> Counterexample:
    """Return the counterexample to any statement; near ones by the definition."""
    game, position = known.proof.ruleset, known.position
    environment = claim.environment(parameters)
    is_near = sum(position) <= MOST_OPTIONS
    part = claim.parts.rest
    if isinstance(part, ValueSet):
        return Counterexample(
            f"its value {math_of(part.value, MathNotation())} is outside of the set",
            claim.summary,
            position,
            game.coordinates,
        )
    if is_near and (not claim.speaks_of_outcomes or _on_a_table(claim, parameters, known)):
        bound, printed = explain.bound_of(game, position), claim.statement.printed
        evaluation = Evaluation(Board(game), bound, environment, printed, claim.games)
        found = false_at(claim.parts.rest, evaluation, position)
        if found is None:
            raise _not_wrong(claim, position)
        return found
    return Counterexample("it is false", claim.summary, position, game.coordinates)


def _not_wrong(claim: Claim, position: Position) -> DisagreementError:
    return DisagreementError(f"{claim.id} is not wrong at {position}, the engine says it is")


def number_at(
    claim: Claim, parameters: Mapping[str, int], known: ProvedPosition, claimed: int
) -> Counterexample:
    """Return the counterexample to a claimed Grundy number."""
    case = _on_a_table(claim, parameters, known)
    if case is not None:
        return explain.counterexample_to_number(case, known.position, claimed)
    return Counterexample(
        f"Grundy number {known.number}",
        f"Grundy number {claimed}",
        known.position,
        known.proof.ruleset.coordinates,
        None if known.is_p_position else known.winning,
    )


def _on_a_table(
    claim: Claim, parameters: Mapping[str, int], known: ProvedPosition
) -> ClaimCase | None:
    """Return the claim on a cheap table that contains the position, if there is one."""
    game, position = known.proof.ruleset, known.position
    if max(position, default=0) > MOST_BOUND:
        return None
    bound = explain.bound_of(game, position)
    cost = cost_of(game, bound, "grundy")
    if cost.seconds > explain.MOST_SECONDS or cost.memory > explain.MOST_BYTES:
        return None
    cells = Cells.of(game, bound, grundy_table(game, bound))
    number = cells.grundy(position)
    if (number == 0) != known.is_p_position or known.number not in (None, number):
        raise DisagreementError(
            f"{game.notation}: {position} has Grundy number {number}, the proved automata say otherwise"
        )
    return ClaimCase(claim, parameters, cells)
