"""Claims about a proved game: proved, or refuted at the least position.

The proved automata explain counterexamples. If a small table contains the position, it must agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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
from choco_pipeline.proof.arithmetic import logic
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.images import describe, first_members
from choco_pipeline.proof.games.answers import numbers_below
from choco_pipeline.proof.games.obligations import legal, relation_name
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.statements.sentences import VALUE, Translator, at_most_each, holds, signed
from choco_pipeline.statements import tree
from choco_pipeline.statements.meaning import UndefinedError
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import cost_of

#: Counterexamples with a larger coordinate are not compared with a table.
MOST_BOUND = 1 << 12
#: Limit of options tried in the search for a P-position.
MOST_OPTIONS = 10_000


def decide(
    claim: Claim,
    parameters: Mapping[str, int],
    proof: Proof,
    certificate: str,
    seconds: float = 60.0,
) -> Finding:
    """Decide a claim for all positions.

    The claim is about positions and their options, the values of a formula, or a number of positions. The parameters are those of
    `Claim.match`. A claim about Grundy numbers needs a proof of Grundy numbers. A verdict ``Proved`` names the certificate. Raises
    `ConfigError` if the claim needs auxiliary integers and does not allow these parameters; `DisagreementError` if the engine
    contradicts the definition.

    Returns
    -------
    Finding
        ``Proved``; ``Refuted`` at the position with the least maximum (without passes), then lexicographically first; ``Vacuous``; or
        ``Undecided``, with the reason. Evidence: the states of the largest automaton and a description of value sets.
    """
    try:
        if proof.status != "proved":
            why = f"{proof.ruleset.notation} has no proved automata: {proof.why}"
            return Finding(Undecided(why))
        if not claim.is_decidable:
            what = f"statements of this form are not supported in proofs: {claim.summary}"
            return Finding(Undecided(what))
        question = _Question(claim, parameters, proof, certificate, seconds)
        match claim.check, claim.parts.rest:
            case PrintedNumbers() as check, _:
                return question.about_numbers(check)
            case Count() as check, _:
                return question.about_count(check)
            case _, tree.ValueSet() as part:
                return question.about_values(part)
            case _, part:
                return question.about_positions(part)
    except FormulaError as error:
        return without_value(claim, error)
    except (NotDefinableError, UndecidedError, LimitError) as error:
        return Finding(Undecided(str(error)))


class _Question:
    """A claim and the proved relation of its game; see `decide`."""

    def __init__(
        self,
        claim: Claim,
        parameters: Mapping[str, int],
        proof: Proof,
        certificate: str,
        seconds: float,
    ) -> None:
        self.claim, self.parameters = claim, parameters
        self.proof, self.certificate = proof, certificate
        self.environment = claim.environment(parameters)
        game = proof.ruleset
        self.coordinates, self.passes = game.base.coordinates, range(game.passes + 1)
        relations = {relation_name(p): a for p, a in enumerate(proof.automata)}
        self.engine = Engine(relations, seconds)
        #: Bound of the coordinates of the claim's positions; None for unbounded.
        self.reach = None if claim.reach is None else int(claim.reach.value(self.environment))

    @property
    def evidence(self) -> dict[str, Any]:
        """The name of the engine, and the states of its largest automaton."""
        return {"engines": ["own"], "states": self.engine.states}

    @cached_property
    def in_reach(self) -> logic.Sentence:
        """Sentence: the coordinates are a position within the reach of the claim."""
        are_position = legal(self.proof.ruleset.base, self.coordinates)
        return logic.conjunction(at_most_each(self.coordinates, self.reach), are_position)

    def translator(self, passes: int) -> Translator:
        """Return a translator for positions with this number of passes left."""
        proof, printed = self.proof, self.claim.statement.printed
        return Translator.at(proof.ruleset, proof.relation, printed, self.environment, passes)

    def among(self, condition: tree.Proposition, passes: int) -> logic.Sentence:
        """Sentence: the position is within the reach and satisfies a condition."""
        return logic.within(self.in_reach, self.translator(passes).true(condition))

    def is_nowhere(self, sentences: Iterable[logic.Sentence]) -> bool:
        """Whether no values satisfy any of the sentences."""
        return self.engine.is_valid(logic.conjunction(*map(logic.negation, sentences)))

    def is_vacuous(self, condition: tree.Proposition) -> bool:
        """Whether no position within the reach satisfies a condition."""
        return self.is_nowhere([self.among(condition, passes) for passes in self.passes])

    def refuted(self, wrong: Callable[[int], logic.Sentence]) -> Refuted | None:
        """Return a refutation at the least position that satisfies `wrong`, if any."""
        positions: list[Position] = []
        heaps = len(self.coordinates)
        for passes, sentence in [(passes, wrong(passes)) for passes in self.passes]:
            if self.engine.is_valid(logic.negation(sentence)):
                continue
            try:
                here = least(self.engine.automaton_of(sentence), self.coordinates)
            except (UndecidedError, LimitError) as error:
                raise UndecidedError(
                    f"it is false, but the least counterexample is not known: {error}"
                ) from error
            if here is None:
                raise DisagreementError(f"{self.claim.id} is false, but has no counterexample")
            has_passes = len(self.proof.ruleset.coordinates) > heaps
            positions.append((*here, passes) if has_passes else here)
        if not positions:
            return None
        first = min(positions, key=lambda q: (max(q[:heaps], default=0), q))
        return Refuted(self.counterexample(first), 0)

    def about_positions(self, part: tree.Proposition) -> Finding:
        """Decide a statement about each position."""
        self._require_places(part)
        refuted = self.refuted(
            lambda passes: self.translator(passes).false_where(self.in_reach, part)
        )
        if refuted is not None:
            return Finding(refuted, self.evidence)
        if self.is_vacuous(tree.applies(part)):
            return Finding(Vacuous("no position satisfies its premise"))
        return Finding(Proved(self.certificate, reach=self.reach), self.evidence)

    def _require_places(self, part: tree.Proposition) -> None:
        """Raise `UndecidedError` if a place in the statement may be no position."""
        off_board: list[logic.Sentence] = []
        for passes in self.passes:
            translator, where, rest = self.translator(passes), self.in_reach, part
            while isinstance(rest, tree.Implies):
                for premise in tree.conjuncts(rest.premise):
                    off_board += translator.off_board(where, premise)
                    where = logic.conjunction(where, translator.true(premise))
                rest = rest.conclusion
            off_board += translator.off_board(where, rest)
        if off_board and not self.is_nowhere(off_board):
            raise UndecidedError("the statement mentions a place that may be no position")

    def about_values(self, part: tree.ValueSet) -> Finding:
        """Decide a statement about the values of an expression.

        A negative value v is represented by the natural number -v-1.
        """
        self._require_places(tree.Implies(part.condition, part.value))
        signs, members = (False, True), part.members.formula.rename({part.variable: "v"})
        is_p = tree.PPosition() in tree.conjuncts(part.condition)
        which = "P-position" if is_p else "such position"
        claims = {
            sign: holds(members, self.environment, {"v": signed(VALUE, sign)}) for sign in signs
        }

        def value_is(passes: int, negative: bool) -> logic.Sentence:
            return self.translator(passes).value_is(part.value, VALUE, negative=negative)

        def image(passes: int, negative: bool) -> logic.Sentence:
            counted = self.among(part.condition, passes)
            return logic.exists(
                self.coordinates, logic.conjunction(counted, value_is(passes, negative))
            )

        def wrong(passes: int) -> logic.Sentence:
            values = (
                logic.conjunction(value_is(passes, sign), logic.negation(claims[sign]))
                for sign in signs
            )
            is_wrong = logic.disjunction(*(logic.exists((VALUE,), value) for value in values))
            return logic.conjunction(self.among(part.condition, passes), is_wrong)

        described = self._described(image)
        refuted = None if part.relation == ">=" else self.refuted(wrong)
        if refuted is not None:
            return Finding(refuted, {**described, **self.evidence})
        if part.relation != "<=":
            absent = []
            for sign in signs:
                attained = logic.disjunction(*(image(passes, sign) for passes in self.passes))
                if self.engine.is_valid(logic.implies(claims[sign], attained)):
                    continue
                is_missing = logic.conjunction(claims[sign], logic.negation(attained))
                first = least(self.engine.automaton_of(is_missing), (VALUE,))
                if first is None:
                    raise DisagreementError(
                        f"{self.claim.id}: the engine contradicts itself on missing values"
                    )
                absent.append(-first[0] - 1 if sign else first[0])
            if absent:
                nearest = min(absent, key=lambda v: (abs(v), v))
                counterexample = Counterexample(
                    f"no {which} has the value {nearest:,}",
                    f"{nearest:,}, a v with {math_text(members)}, is a value",
                )
                return Finding(Refuted(counterexample, 0), {**described, **self.evidence})
        if self.is_vacuous(part.condition):
            return Finding(Vacuous(f"no {which} satisfies its premise"), described)
        if part.relation == ">=" and self.is_nowhere(claims.values()):
            return Finding(Vacuous(NO_MEMBER.format(members)), described)
        proved = Proved(self.certificate, reach=self.reach)
        return Finding(proved, {**described, **self.evidence})

    def _described(self, image: Callable[[int, bool], logic.Sentence]) -> dict[str, Any]:
        """Return evidence on a set of values; empty if it reaches a limit."""
        try:
            natural, below = (
                [self.engine.automaton_of(image(passes, negative)) for passes in self.passes]
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

    def about_numbers(self, check: PrintedNumbers) -> Finding:
        """Compare printed Grundy numbers with the automata."""
        heaps = len(self.coordinates)
        if self.proof.relation != "grundy":
            return Finding(Undecided("the Grundy numbers are not proved, the P-positions are"))
        try:
            printed = check.legal_numbers(self.proof.ruleset)
        except UndefinedError as error:
            return Finding(Undecided(str(error)))
        wrong = [
            (max(position[:heaps], default=0), position, number)
            for position, number in printed
            if self.proof.number(position) != number
        ]
        if not wrong:
            return Finding(Proved(self.certificate, printed=len(printed)))
        _, position, number = min(wrong)
        counterexample = self.counterexample(position, number)
        return Finding(Refuted(counterexample, 0), {"failures": len(wrong)})

    def about_count(self, check: Count) -> Finding:
        """Compare a claimed number of positions with the correct one."""
        if check.beside:
            what = "counts of a position with further integers are not supported in proofs"
            return Finding(Undecided(what))
        part = self.claim.parts.rest
        assert isinstance(part, tree.Expression)
        ((_, term),) = part.terms
        assert isinstance(term, tree.Count)
        digits = max(0, self.reach or 0).bit_length()

        def number_of(condition: tree.Proposition) -> int:
            sentences = [self.among(condition, passes) for passes in self.passes]
            numbers = (numbers_below(self.engine.automaton_of(s)) for s in sentences)
            return sum(next(islice(of_box, digits, None)) for of_box in numbers)

        number = number_of(term.body)
        claimed = int(check.equals.value(self.environment))
        evidence = {"counted": number, "engines": ["own"]}
        unit = "P-position" if check.over == "p-positions" else "position"
        if number != claimed:
            counterexample = Counterexample(f"{number:,} {unit}s", f"{claimed:,}")
            return Finding(Refuted(counterexample, 0), evidence)
        if not number and not number_of(
            tree.PPosition() if check.over == "p-positions" else tree.TRUE
        ):
            return Finding(Vacuous(f"no {unit} satisfies its premise"), evidence)
        return Finding(Proved(self.certificate, reach=self.reach), evidence)

    # ---- Counterexamples.

    def counterexample(self, position: Position, printed: int | None = None) -> Counterexample:
        """Return the counterexample at a position, or to the printed number there.

        Raises `DisagreementError` if the claim is true there, or if the automata contradict the definition of the game.
        """
        check, game, proof = self.claim.check, self.proof.ruleset, self.proof
        if printed is None and not isinstance(check, PPositions | GrundyNumbers | Values):
            return self._contradiction(position)
        named = self.environment | dict(zip(game.coordinates, position, strict=True))
        is_p, number, reason, option = proof.holds(position), proof.number(position), None, None
        if printed is None and isinstance(check, GrundyNumbers):
            printed = int(check.equals.value(named))
        if printed is not None:
            is_wrong = printed != number
            actual, claimed = f"Grundy number {number}", f"Grundy number {printed}"
        elif isinstance(check, Values):
            value = int(check.of.value(named))
            is_wrong = is_p and not check.values.value({**named, "v": value})
            actual = f"the P-position has the value {value}"
            claimed = f"a value v with {math_text(check.values)}"
        else:
            assert isinstance(check, PPositions)
            is_wrong = check.formula.value(named) != is_p
            actual, claimed = ("P-position", "N-position")[:: 1 if is_p else -1]
        if not is_wrong:
            raise self._not_wrong(position)
        case = self._on_a_table(position)
        if case is not None and printed is not None:
            return explain.counterexample_to_number(case, position, printed)
        if case is not None:
            return explain.counterexample_at(case, position)
        if not is_p and not game.rules.splits:
            options = islice(game.options(position), MOST_OPTIONS)
            option = next(filter(proof.holds, options), None)
        if option is not None and printed is None:
            reason = f"its option {option} is a P-position"
        return Counterexample(actual, claimed, position, game.coordinates, option, reason)

    def _contradiction(self, position: Position) -> Counterexample:
        """Return the counterexample to any statement; explain a small one by definition."""
        game, claim, part = self.proof.ruleset, self.claim, self.claim.parts.rest
        at = position, game.coordinates
        if isinstance(part, tree.ValueSet):
            value = tree.math_of(part.value, MathNotation())
            return Counterexample(f"its value {value} is outside of the set", claim.summary, *at)
        is_near = sum(position) <= MOST_OPTIONS
        if is_near and (not claim.is_about_outcomes or self._on_a_table(position)):
            bound, printed = explain.bound_of(game, position), claim.statement.printed
            evaluation = Evaluation(Board(game), bound, self.environment, printed, claim.games)
            found = false_at(part, evaluation, position)
            if found is None:
                raise self._not_wrong(position)
            return found
        return Counterexample("it is false", claim.summary, *at)

    def _not_wrong(self, position: Position) -> DisagreementError:
        return DisagreementError(f"{self.claim.id} is true at {position}, but false by the engine")

    def _on_a_table(self, position: Position) -> ClaimCase | None:
        """Return the claim with a table that contains the position, if it is cheap."""
        game = self.proof.ruleset
        if max(position, default=0) > MOST_BOUND:
            return None
        bound = explain.bound_of(game, position)
        cost = cost_of(game, bound, "grundy")
        if cost.seconds > explain.MOST_SECONDS or cost.memory > explain.MOST_BYTES:
            return None
        cells = Cells.computed(game, bound, "grundy")
        number = cells.grundy(position)
        is_p = self.proof.holds(position)
        if (number == 0) != is_p or self.proof.number(position) not in (None, number):
            raise DisagreementError(
                f"{game.notation}: {position} has Grundy number {number}, but not by the proved automata"
            )
        return ClaimCase(self.claim, self.parameters, cells)
