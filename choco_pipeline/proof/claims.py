"""Claims on a game whose relation is proved, decided for all positions: true, or false first at this one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, assert_never

from choco_pipeline.automata.algebra import disjunction as either
from choco_pipeline.automata.algebra import is_empty, witness
from choco_pipeline.claims.case import Finding
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.formulas import without_value
from choco_pipeline.claims.kinds import GrundyNumbers, PPositions, Values
from choco_pipeline.claims.verdict import Counterexample, Proved, Refuted, Undecided
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import FormulaError
from choco_pipeline.games import Position
from choco_pipeline.proof.agreement import Agreement
from choco_pipeline.proof.conditions import (
    at_most_each,
    at_negative,
    has_negative_value,
    has_value,
    holds,
    least,
)
from choco_pipeline.proof.errors import NotDefinableError, UndecidedError
from choco_pipeline.proof.explained import Known, counterexample_at
from choco_pipeline.proof.images import describe, first_members
from choco_pipeline.proof.logic import (
    Member,
    Sentence,
    conjunction,
    disjunction,
    exists,
    implies,
    linear,
    negation,
)
from choco_pipeline.proof.moves import legal
from choco_pipeline.proof.obligations import relation_name
from choco_pipeline.proof.prove import DisagreementError, EngineName, Proof, installed_engines
from choco_pipeline.tables.schema import unwrap

#: The Grundy number of a position, or a value at a P-position; no formula can name it.
VALUE = "'v"


def decide(
    claim: Claim,
    parameters: Mapping[str, int],
    proof: Proof,
    certificate: str,
    engines: Sequence[EngineName] | None = None,
    seconds: float = 60.0,
) -> Finding:
    """Return whether a claim is true at every position that it speaks of.

    Parameters
    ----------
    claim
        On P-positions, on Grundy numbers, or on values of a formula at P-positions.
    parameters
        Those with which it speaks of the game, as `Claim.match` returns them.
    proof
        The game's proved relation: its Grundy numbers for a claim on these, else those or its P-positions.
    certificate
        What shows the relation to be right; the verdict names it.
    engines
        Which engines must agree; the installed ones by default.
    seconds
        About so long an answer is waited for.

    Returns
    -------
    Finding
        ``Proved``; ``Refuted`` at the least position where it is false, its largest coordinate (passes not counted) and
        then coordinate by coordinate; or ``Undecided``, with the reason. No table is looked at, so that a refutation
        counts no positions. Evidence: the engines that agree, the states of the largest automaton and, of values,
        which they are.

    Raises
    ------
    ConfigError
        If the claim needs auxiliary integers and does not speak of these parameters.
    DisagreementError
        If the engines contradict each other, or one contradicts the definition.
    """
    kind = claim.check
    try:
        match kind:
            case _ if proof.status != "proved":
                why = f"{proof.ruleset.notation} has no proved automata: {proof.why}"
                return Finding(Undecided(why))
            case PPositions() | GrundyNumbers() | Values() if not claim.is_of_whole_bars:
                names = tuple(engines or installed_engines())
                return _Question(
                    claim, kind, parameters, proof, certificate, names, seconds
                ).finding()
            case _:
                what = "whole bars" if claim.is_of_whole_bars else f"a claim of kind {kind.kind}"
                return Finding(Undecided(f"{what}: no sentence is written for it"))
    except FormulaError as error:
        return without_value(claim, error)
    except (NotDefinableError, UndecidedError, LimitError) as error:
        return Finding(Undecided(str(error)))


@dataclass(frozen=True)
class _Question:
    """One claim, and the relation that answers it."""

    claim: Claim
    check: PPositions | GrundyNumbers | Values
    parameters: Mapping[str, int]
    proof: Proof
    certificate: str
    names: tuple[EngineName, ...]
    seconds: float

    @cached_property
    def environment(self) -> dict[str, int]:
        return self.claim.environment(self.parameters)

    @cached_property
    def engines(self) -> Agreement:
        relations = {relation_name(p): a for p, a in enumerate(self.proof.automata)}
        return Agreement(relations, self.names, self.seconds)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The coordinates without the passes left."""
        return unwrap(self.proof.ruleset)[0].coordinates

    @property
    def _legal(self) -> Sentence:
        return legal(unwrap(self.proof.ruleset)[0], self.coordinates)

    @property
    def passes(self) -> range:
        return range(unwrap(self.proof.ruleset)[1] + 1)

    def finding(self) -> Finding:
        match self.check:
            case GrundyNumbers() if self.proof.relation != "grundy":
                return Finding(Undecided("the Grundy numbers are not proved, the P-positions are"))
            case PPositions() | GrundyNumbers():
                return self._about_positions(self.check)
            case Values():
                return self._about_values(self.check)
            case _:
                assert_never(self.check)

    def _about_positions(self, check: PPositions | GrundyNumbers) -> Finding:
        wrong = [conjunction(self._speaks(p), self._wrong(check, p)) for p in self.passes]
        position = self._least(wrong)
        if position is not None:
            return self._refuted(position, {})
        nowhere = (negation(conjunction(self._speaks(p), self._legal)) for p in self.passes)
        if self.engines.hold(conjunction(*nowhere)):
            return Finding(Undecided("no position is one that it speaks of"))
        return Finding(Proved(self.certificate), self.engines.evidence())

    def _wrong(self, check: PPositions | GrundyNumbers, passes: int) -> Sentence:
        """Return that a position is not as claimed; one of those that the claim speaks of, or none at all."""
        values = self._values(passes)
        if isinstance(check, GrundyNumbers):
            other = negation(has_value(check.equals, values, VALUE))
            return exists((VALUE,), conjunction(self._grundy(passes), other))
        is_p, claimed = self._is_p(passes), holds(check.formula, values)
        extra = conjunction(self._legal, claimed, negation(is_p))
        missing = conjunction(is_p, negation(claimed))
        match check.relation:
            case "exactly":
                return disjunction(extra, missing)
            case "contain":
                return extra
            case "within":
                return missing
            case _:
                assert_never(check.relation)

    def _about_values(self, check: Values) -> Finding:
        evidence = self._image_evidence(check)
        claimed = holds(check.values, self.environment, {"v": VALUE})
        if check.relation != "contains-all":
            below = at_negative(check.values.substitute(self.environment), "v")
            below_claimed = holds(below, {}, {"v": VALUE})
            position = self._least(
                [
                    conjunction(
                        self._counted(p),
                        disjunction(
                            self._some_value(check, p, negation(claimed)),
                            self._some_value(check, p, negation(below_claimed), negative=True),
                        ),
                    )
                    for p in self.passes
                ]
            )
            if position is not None:
                return self._refuted(position, evidence)
        if self.engines.hold(conjunction(*(negation(self._counted(p)) for p in self.passes))):
            return Finding(Undecided("no P-position is one that it speaks of"))
        if check.relation != "within":
            image = disjunction(*(self._image(check, p) for p in self.passes))
            if not self.engines.hold(implies(claimed, image)):
                missing = conjunction(claimed, negation(image))
                absent = (witness(self.engines.automaton(missing)) or {})[VALUE]
                found = f"no P-position has the value {absent:,}"
                said = f"{absent:,}, a v with {check.values}, is a value"
                return Finding(
                    Refuted(Counterexample(found, said), 0), evidence | self.engines.evidence()
                )
        return Finding(Proved(self.certificate), evidence | self.engines.evidence())

    def _image_evidence(self, check: Values) -> dict[str, Any]:
        try:
            parts = [self.engines.automaton(self._image(check, p)) for p in self.passes]
            below = [
                self.engines.automaton(self._image(check, p, negative=True)) for p in self.passes
            ]
            image = parts[0]
            for part in parts[1:]:
                image = either(image, part)
        except (UndecidedError, LimitError):
            return {}
        return {
            "image": describe(image),
            "first_values": first_members(image),
            "image_states": image.states,
            "negative_values": not all(map(is_empty, below)),
        }

    def _image(self, check: Values, passes: int, *, negative: bool = False) -> Sentence:
        """Return that `VALUE` is a value; if `negative`, that -`VALUE`-1 is."""
        value = has_negative_value if negative else has_value
        has = value(check.of, self._values(passes), VALUE)
        return exists(self.coordinates, conjunction(self._counted(passes), has))

    def _some_value(
        self, check: Values, passes: int, body: Sentence, *, negative: bool = False
    ) -> Sentence:
        value = has_negative_value if negative else has_value
        return exists((VALUE,), conjunction(value(check.of, self._values(passes), VALUE), body))

    def _counted(self, passes: int) -> Sentence:
        """Return that a position is one of the P-positions that the claim speaks of."""
        return conjunction(self._speaks(passes), self._is_p(passes))

    def _speaks(self, passes: int) -> Sentence:
        """Return that the claim speaks of a position, if it is one."""
        reach = self.claim.statement.reach
        most = None if reach is None else int(reach.value(self.environment))
        inside = at_most_each(self.coordinates, most)
        return conjunction(inside, holds(self.check.where, self._values(passes)))

    def _values(self, passes: int) -> dict[str, int]:
        """Return integers for all names but coordinates."""
        left = self.proof.ruleset.coordinates[len(self.coordinates) :]
        return self.environment | dict.fromkeys(left, passes)

    def _is_p(self, passes: int) -> Sentence:
        if self.proof.relation == "p":
            return Member(relation_name(passes), self.coordinates)
        zero = linear({VALUE: 1}, 0, "==")
        return exists((VALUE,), conjunction(self._grundy(passes), zero))

    def _grundy(self, passes: int) -> Sentence:
        return Member(relation_name(passes), (*self.coordinates, VALUE))

    def _least(self, wrong: Sequence[Sentence]) -> Position | None:
        """Return the least position where a claim is wrong, given for each number of passes left where it is."""
        found: list[Position] = []
        with_passes = len(self.proof.ruleset.coordinates) > len(self.coordinates)
        for passes, sentence in enumerate(wrong):
            if self.engines.hold(negation(sentence)):
                continue
            try:
                here = least(self.engines.automaton(sentence), self.coordinates)
            except (UndecidedError, LimitError) as error:
                raise UndecidedError(
                    f"it is false, but where first is not known: {error}"
                ) from error
            if here is None:
                raise DisagreementError(f"{self.claim.id} is wrong nowhere, and is wrong")
            found.append((*here, passes) if with_passes else here)
        heaps = len(self.coordinates)
        return min(found, key=lambda q: (max(q[:heaps], default=0), q), default=None)

    def _refuted(self, position: Position, evidence: dict[str, Any]) -> Finding:
        known = Known(self.proof, position)
        counterexample = counterexample_at(self.claim, self.parameters, known)
        return Finding(Refuted(counterexample, 0), evidence | self.engines.evidence())
