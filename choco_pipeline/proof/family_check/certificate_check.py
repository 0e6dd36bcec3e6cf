"""Whether a certificate proves what it says of a family of games: its cases, its conditions, and the definition."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
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
from choco_pipeline.proof.family_check.document import FamilyText, read_family
from choco_pipeline.proof.family_check.first_members import first_members, require_inconsistent
from choco_pipeline.proof.family_check.languages import compared
from choco_pipeline.proof.family_check.power_conditions import power_in
from choco_pipeline.proof.family_check.stated_case import StatedCase, is_game
from choco_pipeline.proof.family_check.stated_family import ONE, StatedFamily
from choco_pipeline.proof.family_check.sums import (
    POWER,
    IntegerSum,
    SumReader,
    conjunction,
    disjunction,
    power_of,
)
from choco_pipeline.proof.proof_errors import UndecidedError

#: Members that are compared with the definition, and their positions: some seconds in plain Python.
MEMBERS, POSITIONS = 13, 500
#: The values of coordinates at which heights as read are compared with a member's.
BOX = 24


def check_family(path: str, seconds: float) -> dict[str, Any]:
    """Return whether a certificate proves what it says.

    The answer is what ``choco prove --check --json`` prints: ``status`` is ``proved``, ``refuted`` or ``undecided``;
    refuted with ``every_member`` where the certificate has a position for each member at which the relation is wrong.
    ``languages`` are the members whose relation was compared with a proof of them alone as a set of words, ``tables_only``
    those of which only a table was. Raises `ChocoError` if the file is no certificate of a family; `DisagreementError` if one
    solver calls unsatisfiable what another can satisfy, or a proof of one member says otherwise than one that passes.
    """
    written, start, clock = read_family(Path(path)), time.monotonic(), Clock(seconds)
    answer: dict[str, Any] = {
        "status": "undecided",
        "why": "",
        "statement": "",
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
        answer["statement"] = written.statement(family.coordinates).text
        is_proof = written.verdict == "proved"
        for values, member in members:
            if not is_proof:
                require_inconsistent(written, values, member)
                continue
            position = _disagreement(family, written, values, member, clock)
            if position is not None:
                answer |= {"status": "refuted", "why": "the definition says otherwise"}
                answer |= {"parameters": dict(values), "position": list(position)}
                return answer | {"seconds": round(time.monotonic() - start, 2)}
        number = 0
        cases = [StatedCase(family, text, clock) for text in written.cases]
        for name, text in _conditions(family, written, cases):
            if not is_unsatisfiable(name, text, clock):
                raise UndecidedError(f"{name} does not hold, or no solver knows it")
            number += 1
        if is_proof and written.where:
            places = (text for case in cases for text in case.places())
            if all(is_unsatisfiable("position", text, clock) for text in places):
                raise UndecidedError(
                    "no position of any member satisfies the condition on positions"
                )
        # A proof of one member speaks of all positions: what is said of a part of them is no language of it.
        # Nor has a formula by cases, such as z + y//2, one that is read off its nim-sum.
        by_cases = any(case.formula is not None for case in written.cases)
        single = members if is_proof and not written.where and not by_cases else []
        of_members = compared(family, single, clock)
        left = [values for values, _ in members] if is_proof and not single else of_members.left
        answer |= {
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
        answer["why"] = str(error)
    return answer | {"seconds": round(time.monotonic() - start, 2)}


def _family(written: FamilyText, rules: Rules) -> StatedFamily:
    family = StatedFamily(
        read(written.ruleset, games=written.games),
        parse_nodes(written.condition),
        written.relation.kind,
        parse_nodes(written.relation.formula),
        rules,
        written.games,
        parse_nodes(written.where) if written.where else None,
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
    while bound < BOX and prod(n + 1 for n in rules.largest(bound + 1)) <= POSITIONS:
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
        claimed = relation.value(named)
        is_right = (
            claimed == grundy[position]
            if family.kind == "grundy"
            else claimed == (grundy[position] == 0)
        )
        if not is_right:
            return position
    return None


def _conditions(
    family: StatedFamily, written: FamilyText, cases: Sequence[StatedCase]
) -> Iterator[tuple[str, str]]:
    """Yield everything that no numbers may satisfy, with names."""
    yield "cases", _not_covered(family, written)
    for number, case in enumerate(cases, start=1):
        yield f"case-{number}/as-written", case.is_written_otherwise()
        if written.where or written.verdict == "refuted":
            for name, body in case.direct_conditions(written.verdict):
                yield f"case-{number}/{name}", conjunction([case.facts, body])
            continue
        if case.written.formula is not None:
            for name, body in case.formula_conditions():
                yield f"case-{number}/{name}", conjunction([case.facts, body])
            continue
        for invariant in case.invariants():
            name = "-".join(filter(None, (invariant.obligation.kind, invariant.obligation.move)))
            for condition, body in invariant.conditions():
                yield f"case-{number}/{name}-{condition}", conjunction([case.facts, body])


def _not_covered(family: StatedFamily, written: FamilyText) -> str:
    """Return that parameters make a member, and are in no case; or make one whose divisors are negative."""
    reader = SumReader()
    names = {name: IntegerSum.name(name) for name in family.parameters}
    natural = [value.is_natural for value in names.values()]
    known = dict(names)
    if family.with_power is not None:  # of which nothing is known here
        known[power_of(family.with_power)] = IntegerSum.name(POWER)
    heights = family.heights(reader, known)
    condition = reader.truth(family.condition, known)
    cases = []
    for case in written.cases:
        inside: list[str] = []
        own: dict[str, IntegerSum] = {}
        if case.parameters.keys() != names.keys():
            raise UndecidedError("a case does not say what its parameters are")
        values = {name: IntegerSum.read(text) for name, text in case.parameters.items()}
        if len(set().union(*(v.names - {POWER} for v in values.values()))) < len(values):
            raise UndecidedError("parameters of a case have a name in common, or one has none")
        for name, value in values.items():
            if name == family.with_power and power_in(value) != ONE:  # all even numbers but 0
                inside += [f"(= (mod {names[name].text} 2) 0)", (names[name] - ONE).is_natural]
                continue
            multiples = list(value.multiples.items())
            if (
                len(multiples) != 1
                or multiples[0][1] < 1
                or value.names != {multiples[0][0]}
                or not value.names.isdisjoint({POWER, *own})
            ):
                raise UndecidedError("a parameter of a case is not q·m + r with an m of its own")
            ((m, q),) = multiples
            rest = names[name] - IntegerSum(value.number)
            inside.append(f"(= (mod {rest.text} {q}) 0)")
            own[m] = reader.quotient(rest, q)
        inside += [own[m].is_natural for m in own]
        if family.with_power is None:
            inside += [IntegerSum.read(c, own).put(own).is_natural for c in case.conditions]
        cases.append(conjunction(inside))
    one_sign = [is_game({y: height}, -1) for y, height in heights.items()]
    missed = f"(and {is_game(heights, 1)} (not {disjunction(cases)}))"
    return conjunction([*natural, condition, *reader.definitions, disjunction([*one_sign, missed])])
