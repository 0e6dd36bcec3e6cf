"""Whether a certificate proves what it says of a family of games: its cases, its conditions, and the definition."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice, product
from pathlib import Path
from typing import Any

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games.notation import read
from choco_pipeline.games.rules import Rules
from choco_pipeline.games.ruleset import Ruleset, mex
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.family_check.check_solvers import SOLVERS, is_unsatisfiable
from choco_pipeline.proof.family_check.direct_conditions import Direct
from choco_pipeline.proof.family_check.document import (
    CaseText,
    FamilyText,
    LocationText,
    ObligationText,
    SumText,
    read_family,
)
from choco_pipeline.proof.family_check.failing import require_inconsistent
from choco_pipeline.proof.family_check.first_members import first_members
from choco_pipeline.proof.family_check.languages import compared
from choco_pipeline.proof.family_check.stated_family import ZERO, StatedFamily, StatedHeight
from choco_pipeline.proof.family_check.sums import IntegerSum, SumReader, conjunction, disjunction
from choco_pipeline.proof.family_check.verification_conditions import (
    Key,
    StatedGame,
    StatedInvariant,
    StatedLocation,
    StatedObligation,
)
from choco_pipeline.proof.proof_errors import UndecidedError

#: Members that are compared with the definition, and their positions: some seconds in plain Python.
MEMBERS, POSITIONS = 13, 500
#: The values of coordinates at which heights as read are compared with a member's.
BOX = 24
#: More tracks of a word have too many digits to choose.
MOST_TRACKS = 12


def check_family(path: str, seconds: float) -> dict[str, Any]:
    """Return whether a certificate proves what it says.

    Parameters
    ----------
    path
        The certificate.
    seconds
        Limit of time.

    Returns
    -------
    dict
        As ``choco prove --check --json`` prints it: ``status`` is ``proved``, ``refuted`` or ``undecided``; refuted with
        ``every_member`` where the certificate has a position for each member at which the relation is wrong. ``languages``
        are the members whose relation was compared with a proof of them alone as a set of words, ``tables_only`` those of
        which only a table was.

    Raises
    ------
    ChocoError
        If the file is no certificate of a family.
    DisagreementError
        If one solver calls unsatisfiable what another can satisfy, or a proof of one member says otherwise than one that
        passes.
    """
    written, start, clock = read_family(Path(path)), time.monotonic(), Clock(seconds)
    found: dict[str, Any] = {
        "status": "undecided",
        "why": "",
        "ruleset": written.ruleset,
        "for": written.condition,
        "where": written.where,
        "relation": written.relation.model_dump(),
        "every_member": False,
        "parameters": None,
        "position": None,
        "conditions": 0,
        "members": 0,
        "languages": [],
        "tables_only": [],
        "engines": [],
        "certificate": path,
    }
    try:
        members = list(islice(first_members(written), MEMBERS))
        if not members:
            raise UndecidedError("no small parameters make a member of the family")
        family = _family(written, next(iter(members))[1].rules)
        is_proof = written.verdict == "proved"
        for values, member in members:
            if not is_proof:
                require_inconsistent(written, values, member)
                continue
            position = _disagreement(family, written, values, member, clock)
            if position is not None:
                found |= {"status": "refuted", "why": "the definition says otherwise"}
                found |= {"parameters": dict(values), "position": list(position)}
                return found | {"seconds": round(time.monotonic() - start, 2)}
        number = 0
        for name, text in _conditions(family, written, clock):
            if not is_unsatisfiable(name, text, clock):
                raise UndecidedError(f"{name} does not hold, or no solver knows it")
            number += 1
        # A proof of one member speaks of all positions: what is said of a part of them is no language of it.
        single = members if is_proof and not written.where else []
        of_members = compared(family, single, clock)
        left = [values for values, _ in members] if is_proof and not single else of_members.left
        found |= {
            "status": written.verdict,
            "why": "every condition holds",
            "every_member": not is_proof,
            "conditions": number,
            "members": len(members),
            "languages": [dict(values) for values in of_members.languages],
            "tables_only": [dict(values) for values in left],
            "engines": list(SOLVERS),
        }
    except ChocoError as error:
        found["why"] = str(error)
    return found | {"seconds": round(time.monotonic() - start, 2)}


def _family(written: FamilyText, rules: Rules) -> StatedFamily:
    family = StatedFamily(
        read(written.ruleset, games=written.games),
        parse_nodes(written.condition, None, ()),
        written.relation.kind,
        parse_nodes(written.relation.formula, None, ()),
        rules,
        written.games,
        parse_nodes(written.where, None, ()) if written.where else None,
    )
    if sorted(written.parameters) != list(family.parameters):
        raise UndecidedError(f"the parameters are {', '.join(family.parameters)}")
    return family


def _disagreement(
    family: StatedFamily,
    written: FamilyText,
    values: Mapping[str, int],
    member: Ruleset,
    clock: Clock,
) -> tuple[int, ...] | None:
    """Return a small position of which the relation says something else than the definition; None if there is none."""
    rules = member.rules
    if (rules.coordinates, rules.moves, rules.limits.keys()) != (
        family.coordinates,
        family.rules.moves,
        family.rules.limits.keys(),
    ):
        raise UndecidedError("members have other moves than others")
    numbers = {name: IntegerSum(value) for name, value in values.items()}
    for y, height in family.heights(SumReader(), numbers).items():
        limit = rules.limits[y]
        for at in product(range(BOX), repeat=len(limit.of)):
            place = dict(zip(limit.of, at, strict=True))
            read_as = sum(a.number * place.get(x, 0) for x, a in height.terms.items())
            if limit.at(place) != (read_as + height.constant.number) // height.divisor.number:
                raise UndecidedError("a height is not what it was read as")
    bound = 1
    while bound < BOX and _size(rules, bound + 1) <= POSITIONS:
        bound += 1
    relation, where = parse(written.relation.formula), parse(written.where or "0 == 0")
    grundy: dict[tuple[int, ...], int] = {}
    for position in product(*(range(n + 1) for n in rules.largest(bound))):
        if rules.why_not(position) is not None:
            continue
        clock.require()
        grundy[position] = mex(grundy[option] for option in rules.options(position))
        named = {**values, **rules.named(position)}
        if not where.value(named):
            continue
        said = relation.value(named)
        is_right = (
            said == grundy[position] if family.kind == "grundy" else said == (grundy[position] == 0)
        )
        if not is_right:
            return position
    return None


def _size(rules: Rules, bound: int) -> int:
    size = 1
    for n in rules.largest(bound):
        size *= n + 1
    return size


def _conditions(
    family: StatedFamily, written: FamilyText, clock: Clock
) -> Iterator[tuple[str, str]]:
    """Yield everything that no numbers may satisfy, with names."""
    yield "cases", _not_covered(family, written)
    for number, text in enumerate(written.cases, start=1):
        case = _Case(family, text, clock)
        yield f"case-{number}/as-written", case.is_written_otherwise()
        if written.where or written.verdict == "refuted":
            for name, body in case.direct_conditions(written.verdict):
                yield f"case-{number}/{name}", conjunction([case.facts, body])
            continue
        for invariant in case.invariants():
            name = "-".join(filter(None, (invariant.obligation.kind, invariant.obligation.move)))
            for condition, body in invariant.conditions():
                yield f"case-{number}/{name}-{condition}", conjunction([case.facts, body])


def _is_game(heights: Mapping[str, StatedHeight], sign: int) -> str:
    """Return the condition that no height is negative or falls, with divisors of this sign."""
    found = []
    for height in heights.values():
        parts = [*height.terms.values(), height.constant, height.divisor - IntegerSum(sign)]
        found += [part.times(sign).is_natural for part in parts]
    return conjunction(found)


def _not_covered(family: StatedFamily, written: FamilyText) -> str:
    """Return that parameters make a member, and are in no case; or make one whose divisors are negative."""
    reader = SumReader()
    names = {name: IntegerSum.name(name) for name in family.parameters}
    heights = family.heights(reader, names)
    condition = reader.truth(family.condition, names)
    cases = []
    for case in written.cases:
        inside, own = [], {}
        if case.parameters.keys() != names.keys():
            raise UndecidedError("a case does not say what its parameters are")
        for name, text in case.parameters.items():
            value = IntegerSum.read(text)
            multiples = list(value.multiples.items())
            if len(multiples) != 1 or multiples[0][1] < 1 or multiples[0][0] in own:
                raise UndecidedError("a parameter of a case is not q·m + r with an m of its own")
            ((m, q),) = multiples
            rest = names[name] - IntegerSum(value.number)
            inside.append(f"(= (mod {rest.text} {q}) 0)")
            own[m] = reader.quotient(rest, q)
        inside += [own[m].is_natural for m in own]
        inside += [IntegerSum.read(c, own).put(own).is_natural for c in case.conditions]
        cases.append(conjunction(inside))
    one_sign = [_is_game({y: height}, -1) for y, height in heights.items()]
    missed = f"(and {_is_game(heights, 1)} (not {disjunction(cases)}))"
    natural = [value.is_natural for value in names.values()]
    return conjunction([*natural, condition, *reader.definitions, disjunction([*one_sign, missed])])


class _Case:
    """A case: the game and the relation on it, and which obligations it has."""

    def __init__(self, family: StatedFamily, written: CaseText, clock: Clock) -> None:
        self.family, self.written, self.clock = family, written, clock
        self.reader = SumReader()
        self.values = {p: IntegerSum.read(text) for p, text in written.parameters.items()}
        self.names = {m for value in self.values.values() for m in value.multiples}
        self.heights = family.heights(self.reader, self.values)
        self.relation = family.nim_sum(self.reader, self.values)
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
        naturals = [IntegerSum.name(name).is_natural for name in sorted(self.names)]
        game = _is_game(self.heights, 1)
        return conjunction([*naturals, *conditions, *self.reader.definitions, game])

    @cached_property
    def game(self) -> StatedGame:
        """The game, with the tracks that may be negative."""
        found = {"value"}
        tracks = {**self.relation.shifts, "constant": self.relation.constant}
        for track, least in {**tracks, "target": ZERO - self.relation.offset}.items():
            below = f"(not {least.is_natural})"
            if least.is_number:
                found |= {track} if least.number < 0 else set()
            elif not is_unsatisfiable(track, conjunction([self.facts, below]), self.clock):
                found.add(track)
        clips = {move.lowers[0]: move.clips for move in self.family.rules.moves}
        is_grundy = self.family.kind == "grundy"
        return StatedGame(
            self.family.coordinates, clips, self.heights, self.relation, is_grundy, frozenset(found)
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
        differs = disjunction(f"(not {is_zero})" for is_zero in differences)
        return conjunction([self.facts, differs])

    def direct_conditions(self, verdict: str) -> Iterator[tuple[str, str]]:
        """Yield what makes the relation right, or wrong for every member, where limited coordinates are numbers."""
        written = self.written
        inside = list(self.family.inside(self.reader, self.values))
        direct = Direct(self.game, inside)
        if written.obligations:
            raise UndecidedError("obligations on words, where positions have a condition")
        if inside or verdict == "proved":
            if written.largest is None:
                raise UndecidedError("the largest values of limited coordinates are missing")
            yield from direct.closure(written.largest)
        if verdict == "proved":
            yield from direct.consistent(written.largest or {})
            return
        if written.position is None:
            raise UndecidedError("a case has no position")
        yield "position", direct.failure({x: IntegerSum.read(s, self.names) for x, s in written.position.items()})  # fmt: skip

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
