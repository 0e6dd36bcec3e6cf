"""One case of a family as a certificate has it: the game and the relation on it, and which conditions are written anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.family_check.check_solvers import is_unsatisfiable
from choco_pipeline.proof.family_check.direct_conditions import Direct
from choco_pipeline.proof.family_check.document import (
    CaseText,
    LocationText,
    ObligationText,
    SumText,
)
from choco_pipeline.proof.family_check.formula_conditions import FormulaConditions, StatedFormula
from choco_pipeline.proof.family_check.power_conditions import PowerPlace, power_in
from choco_pipeline.proof.family_check.stated_family import (
    ONE,
    ZERO,
    StatedFamily,
    StatedHeight,
    StatedNimSum,
)
from choco_pipeline.proof.family_check.sums import (
    POWER,
    IntegerSum,
    SumReader,
    conjunction,
    disjunction,
    power_of,
)
from choco_pipeline.proof.family_check.verification_conditions import (
    Key,
    StatedGame,
    StatedInvariant,
    StatedLocation,
    StatedObligation,
)
from choco_pipeline.proof.proof_errors import UndecidedError

#: More tracks of a word have too many digits to choose.
MOST_TRACKS = 12


def is_game(heights: Mapping[str, StatedHeight], sign: int) -> str:
    """Return the condition that no height is negative or falls, with divisors of this sign."""
    conditions = []
    for height in heights.values():
        parts = [*height.terms.values(), height.constant, height.divisor - IntegerSum(sign)]
        conditions += [part.times(sign).is_natural for part in parts]
    return conjunction(conditions)


class StatedCase:
    """A case: the game and the relation on it, and which obligations it has."""

    def __init__(self, family: StatedFamily, written: CaseText, clock: Clock) -> None:
        self.family, self.written, self.clock = family, written, clock
        self.reader = SumReader()
        self.values = {p: IntegerSum.read(text) for p, text in written.parameters.items()}
        self.names = {m for value in self.values.values() for m in value.names}
        if self.values.keys() != set(family.parameters):
            raise UndecidedError("a case does not say what its parameters are")
        if family.with_power is not None:
            power = power_in(self.values[family.with_power])
            self.values[power_of(family.with_power)] = power
        self.heights = family.heights(self.reader, self.values)
        by_cases = written.formula is not None
        self.relation = StatedNimSum({}) if by_cases else family.nim_sum(self.reader, self.values)
        self.inside = list(family.inside(self.reader, self.values))  # `facts` define its quotients
        if family.kind != "grundy" and self.relation.offset:
            raise UndecidedError("the relation is no nim-sum that is 0")
        for y, height in self.heights.items():
            for x, a in height.terms.items():
                if a and (x == y or (x in self.heights and self.heights[x].terms)):
                    raise UndecidedError("a height depends on a coordinate that has a height")

    @cached_property
    def facts(self) -> str:
        """What is known of the names: the case's conditions, and that it is a game."""
        conditions = [IntegerSum.read(c, self.names).is_natural for c in self.written.conditions]
        if self.family.with_power is not None:  # cases have no conditions of their own then
            least = IntegerSum.name(POWER) - ONE
            conditions = [self.reader.truth(self.family.condition, self.values), least.is_natural]
            products = (n for value in self.values.values() for n in value.multiples)
            conditions += [IntegerSum.name(name).is_natural for name in products]
        naturals = [IntegerSum.name(name).is_natural for name in sorted(self.names)]
        game = is_game(self.heights, 1)
        return conjunction([*naturals, *conditions, *self.reader.definitions, game])

    @cached_property
    def game(self) -> StatedGame:
        """The game, with the tracks that may be negative."""
        kinds = {"value"}
        tracks = {**self.relation.shifts, "constant": self.relation.constant}
        for track, least in {**tracks, "target": ZERO - self.relation.offset}.items():
            below = f"(not {least.is_natural})"
            if least.is_number:
                kinds |= {track} if least.number < 0 else set()
            elif not is_unsatisfiable(track, conjunction([self.facts, below]), self.clock):
                kinds.add(track)
        clips = {move.lowers[0]: move.clips for move in self.family.rules.moves}
        is_grundy = self.family.kind == "grundy"
        return StatedGame(
            self.family.coordinates, clips, self.heights, self.relation, is_grundy, frozenset(kinds)
        )

    def is_written_otherwise(self) -> str:
        """Return that the certificate shows people another game, relation or counter than the one that is checked."""
        text = self.written
        pairs: list[tuple[IntegerSum, IntegerSum]] = []

        def compare(shown: Mapping[str, SumText], own: Mapping[str, IntegerSum]) -> None:
            if not shown.keys() >= {x for x, value in own.items() if value}:
                raise UndecidedError("the certificate shows something else than is checked")
            pairs.extend(
                (IntegerSum.read(s, self.names), own.get(x, ZERO)) for x, s in shown.items()
            )

        compare(text.shifts, self.relation.shifts)
        compare({"": text.constant}, {"": self.relation.constant})
        compare({"": text.offset}, {"": ZERO - self.relation.offset})
        if text.heights.keys() != self.heights.keys():
            raise UndecidedError("the certificate shows other heights than are checked")
        for y, height in text.heights.items():
            own = self.heights[y]
            compare(height.terms, own.terms)
            compare({"": height.constant}, {"": own.constant})
            compare({"": height.divisor}, {"": own.divisor})
        for obligation in text.obligations:
            for location in obligation.locations:
                counters = StatedObligation(self.game, obligation.kind, obligation.move).counters(
                    location.move
                )
                for name, form in location.counters.items():
                    if name not in counters:
                        raise UndecidedError(f"there is no counter {name[:60]!r}")
                    compare(form, counters[name])
        differences = dict.fromkeys((shown - own).is_zero for shown, own in pairs)
        differing = [*differences]
        if self.family.with_power is not None:  # conditions that are for people alone
            differing += [IntegerSum.read(c, self.names).is_natural for c in text.conditions]
        differs = disjunction(f"(not {sentence})" for sentence in differing)
        return conjunction([self.facts, differs])

    def direct_conditions(self, verdict: str) -> Iterator[tuple[str, str]]:
        """Yield what makes the relation right, or wrong for every member, where limited coordinates are numbers."""
        written = self.written
        if (self.family.with_power is None) != (written.digits is None) or written.obligations:
            raise UndecidedError("obligations on words, or digits, where there are none")
        position = {x: IntegerSum.read(s, self.names) for x, s in (written.position or {}).items()}
        if written.digits is not None and self.family.with_power is not None:
            if verdict == "proved":
                raise UndecidedError("a proof for powers of 2")
            base = self.values[power_of(self.family.with_power)]
            digits = {
                x: (IntegerSum.read(d.high, self.names), IntegerSum.read(d.low, self.names))
                for x, d in written.digits.items()
            }
            place = PowerPlace(self.game, self.inside, base, position, digits)
            yield "position", place.failure()
            return
        if self.inside or verdict == "proved":
            yield from self._direct.closure(self._largest)
        if verdict == "proved":
            yield from self._direct.consistent(self._largest)
            return
        yield "position", self._direct.failure(position)

    def formula_conditions(self) -> Iterator[tuple[str, str]]:
        """Yield what makes a formula by cases the Grundy number."""
        family, written = self.family, self.written
        if written.formula is None or family.kind != "grundy" or written.obligations:
            raise UndecidedError("options and lemmas, where Grundy numbers are no formula by cases")
        if family.with_power is not None:
            raise UndecidedError("a proof for powers of 2")
        formula = StatedFormula(family.relation, family.coordinates, self.reader, self.values)
        names, clips = frozenset(self.names), self.game.clips
        yield from FormulaConditions(
            formula, self.heights, clips, names, written.formula
        ).conditions()

    def places(self) -> Iterator[str]:
        """Yield that some position satisfies the condition on positions, for each choice of limited coordinates."""
        for place in self._direct.places(self._largest):
            yield conjunction([self.facts, place])

    @cached_property
    def _direct(self) -> Direct:
        return Direct(self.game, self.inside)

    @property
    def _largest(self) -> Mapping[str, int]:
        if self.written.largest is None:
            raise UndecidedError("the largest values of limited coordinates are missing")
        return self.written.largest

    def invariants(self) -> Iterator[StatedInvariant]:
        """Yield the obligations, with what the certificate has for each."""
        wanted: list[tuple[str, str | None]] = [("exclusion", x) for x in self.game.clips]
        wanted += [("option", None), *([("value", None)] if self.game.is_grundy else [])]
        written: dict[tuple[str, str | None], ObligationText] = {
            (o.kind, o.move): o for o in self.written.obligations
        }
        if len(written) < len(self.written.obligations) or written.keys() != set(wanted):
            raise UndecidedError("obligations are missing, or are there twice")
        for kind, move in wanted:
            yield self._invariant(StatedObligation(self.game, kind, move), written[kind, move])

    def _invariant(self, obligation: StatedObligation, written: ObligationText) -> StatedInvariant:
        if len(obligation.tracks) > MOST_TRACKS:
            raise UndecidedError(f"words have more than {MOST_TRACKS} tracks")
        locations = written.locations
        for location in locations:
            for step in location.strategy:
                for answer in step.answers:
                    if not 0 <= answer.to < len(locations):
                        raise UndecidedError("an answer leads to no location")
        return StatedInvariant(
            obligation, tuple(self._location(obligation, text) for text in locations)
        )

    def _location(self, obligation: StatedObligation, written: LocationText) -> StatedLocation:
        move = written.move
        if move is not None and move not in self.game.clips:
            raise UndecidedError("a location has a move that there is not")
        changed = self.game.changed(move) if move is not None else ()
        if written.orders.keys() != set(changed):
            raise UndecidedError("a location has other orders than its move")
        if (move is not None) != (written.settled and obligation.kind != "value"):
            raise UndecidedError("a location has a move too early, or none")
        if obligation.move not in (None, move):
            raise UndecidedError("a location has another move than its obligation")
        counters = set() if written.start else obligation.counters(move).keys()
        names = {*self.names, *counters}
        if not written.parities.keys() <= counters:
            raise UndecidedError("a parity of what is no counter")
        size = len(written.predicates)
        if any(len(state) != size or set(state) - set("01") for state in written.states):
            raise UndecidedError("a state is not one digit for each predicate")
        key: Key = (written.settled, move, tuple((x, written.orders[x]) for x in changed))
        return StatedLocation(
            written.start,
            key,
            tuple(tuple(IntegerSum.read(s, names) for s in part) for part in written.never),
            tuple(IntegerSum.read(s, names) for s in written.equalities),
            tuple(written.parities.items()),
            tuple(IntegerSum.read(s, names) for s in written.predicates),
            tuple(written.states),
            tuple(written.strategy),
        )
