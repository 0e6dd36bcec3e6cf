"""What the searches found in single tables, as statements on single games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from choco_pipeline.finding.statement import Evidence, Kind, Line, Statement, Tried
from choco_pipeline.games.notation import match, read
from choco_pipeline.provenance import canonical_json

#: The kinds of findings that say something of a game by themselves, what their statements are of, and how they begin.
#: What is mined and not listed is put together over parameters only.
KINDS: Mapping[str, tuple[Kind, str]] = {
    "value-sets": ("values", "Values at the P-positions of {game}"),
    "count": ("count", ""),
    "period": ("period", "{what} of {game}"),
    "cellular": ("cellular", "P-positions of {game}"),
    "blocks": ("blocks", "P-positions of {game}"),
}
#: So many games of a family must have something in common before it is said of the family.
FEWEST_GAMES = 3
QUANTITIES = {"grundy": "Grundy numbers", "p-positions": "P-positions"}


@dataclass(frozen=True)
class Mined:
    """A finding and the table that it was found in.

    Attributes
    ----------
    ruleset, quantity, bound
        The table.
    family, parameters
        The family that the table's game belongs to, with the names of its parameters, and their values.
    finding
        As `choco_pipeline.mining` returns it.
    """

    ruleset: str
    quantity: str
    bound: int
    family: str
    parameters: Mapping[str, int]
    finding: Mapping[str, Any]

    @property
    def found_nothing(self) -> bool:
        """Whether the search ended with nothing."""
        return bool(self.finding.get("nothing"))


def statements(mined: Iterable[Mined]) -> list[Statement]:
    """Return what findings say by themselves, and what several games of a family have in common, word by word.

    A finding that says nothing by itself is left out; and of a family with several games that were searched, what is no
    formula for all positions and not common to some of its games.
    """
    mined = list(mined)
    searched: dict[str, set[str]] = {}
    for one in mined:
        searched.setdefault(one.family, set()).add(one.ruleset)
    found: dict[str, Statement] = {}
    common: dict[tuple[str, str, str], list[tuple[Mined, Statement]]] = {}
    for one in mined:
        statement = None if one.found_nothing else _statement(one)
        if statement is None:
            continue
        of_a_family = statement.ruleset == one.ruleset and len(searched[one.family]) >= FEWEST_GAMES
        if not of_a_family or one.finding["kind"] == "formulas":
            found.setdefault(statement.id, statement)
        else:
            said = statement.text.replace(one.ruleset, one.family)
            check = canonical_json(statement.claim and statement.claim["check"])
            common.setdefault((one.family, said, check), []).append((one, statement))
    for (family, text, _), group in common.items():
        if len(group) >= FEWEST_GAMES:
            shared = _shared(family, text, group)
            found.setdefault(shared.id, shared)
    return list(found.values())


def _shared(family: str, text: str, group: Sequence[tuple[Mined, Statement]]) -> Statement:
    """Return what several games of a family have in common; a parameter that all of them share is a condition."""
    seen = [dict(one.parameters) for one, _ in group]
    values = {name: tuple(sorted({point[name] for point in seen})) for name in seen[0]}
    alike = [f"{name} == {several[0]}" for name, several in values.items() if len(several) == 1]
    when = " and ".join(alike) if len(alike) < len(values) else ""
    several = [statement for _, statement in group]

    def total(key: str) -> Evidence:
        parts = [getattr(statement, key) for statement in several]
        return Evidence(sum(p.positions for p in parts), f"{parts[0].what}, and so on", len(parts))

    return replace(
        several[0],
        ruleset=family,
        text=f"for {when}: {text}" if when else text,
        when=when,
        parameters=values,
        claim={"check": several[0].claim["check"]} if several[0].claim else None,
        found_on=total("found_on"),
        held_on=total("held_on"),
        tried=replace(
            several[0].tried,
            candidates=sum(statement.tried.candidates for statement in several),
            tables=len(several),
        ),
    )


def searches(mined: Sequence[Mined]) -> list[dict[str, Any]]:
    """Return what was searched: for each family, kind and outcome, in which games, and how many candidates were tried."""
    groups: dict[tuple[str, str, str, bool], list[Mined]] = {}
    for one in mined:
        if "tried" in one.finding:
            what = str(one.finding["tried"]["what"])
            groups.setdefault(
                (one.family, one.finding["kind"], what, one.found_nothing), []
            ).append(one)
    return [
        {
            "what": kind,
            "game": _games(family, group),
            "tried": {
                "candidates": sum(one.finding["tried"]["candidates"] for one in group),
                "what": what,
                "tables": len({(one.ruleset, one.bound) for one in group}),
            },
            "nothing": nothing,
        }
        for (family, kind, what, nothing), group in groups.items()
    ]


def _statement(one: Mined) -> Statement | None:
    finding = one.finding
    if finding["kind"] == "formulas":
        return _formulas(one)
    if finding["kind"] not in KINDS or "held_on" not in finding or not finding.get("text"):
        return None
    if finding["kind"] == "period" and "period" not in finding["laws"]:
        return None  # lines that repeat, but in no way that says when others do
    kind, begins = KINDS[finding["kind"]]
    ruleset = str(finding.get("ruleset", one.ruleset))
    begins = begins.format(game=_of_passes(ruleset, finding), what=QUANTITIES[one.quantity])
    claim = finding.get("claim")
    return Statement(
        kind=kind,
        ruleset=ruleset if claim is None else str(claim.get("ruleset", ruleset)),
        text=f"{begins}: {finding['text']}" if begins else finding["text"],
        parameters=_parameters(ruleset, one),
        claim=claim,
        formulas=tuple(_relations(finding)),
        picture=_picture(finding),
        **_evidence(finding),
    )


def _formulas(one: Mined) -> Statement:
    finding = one.finding
    label = str(finding["label"])
    lines = tuple(Line(label, line["formula"], line["where"]) for line in finding["formulas"])
    exceptions = tuple(tuple(map(int, position)) for position in finding["exceptions"])
    return Statement(
        kind="grundy" if label == "G =" else "p-positions",
        ruleset=one.ruleset,
        text=f"{one.ruleset}: {sentence(lines, exceptions)}",
        formulas=lines,
        exceptions=exceptions,
        **_evidence(finding),
    )


def sentence(lines: Sequence[Line], exceptions: Sequence[Sequence[int]] = ()) -> str:
    """Return formulas as a sentence.

    Examples
    --------
    >>> sentence([Line("P iff", "x^y^z==0")], [(0, 0, 1)])
    'a position is a P-position if and only if x ^ y ^ z == 0, but for (0, 0, 1)'
    """
    begins = (
        "the Grundy number is"
        if lines[0].label == "G ="
        else "a position is a P-position if and only if"
    )
    parts = [line.formula + (f" where {line.where}" if line.where else "") for line in lines]
    but = f", but for {', '.join(str(tuple(p)) for p in exceptions)}" if exceptions else ""
    return f"{begins} {'; '.join(parts)}{but}"


def _relations(finding: Mapping[str, Any]) -> Iterator[Line]:
    """Yield a finding's formulas, and the relations between the terms of a sequence, in which it is looked up."""
    for line in finding.get("formulas", ()):
        yield Line(**line)
    for relation in finding.get("relations", ()):
        if "formula" in relation:
            index = finding["sequence"]["index"]
            start = relation.get("start", 0)
            first = finding["sequence"]["first"]
            where = f"{index} >= {start}" if start > first else ""
            yield Line("relation", relation["formula"], where)


def _picture(finding: Mapping[str, Any]) -> dict[str, Any] | None:
    sequence = finding.get("sequence")
    return None if sequence is None else {"kind": "sequence", **sequence}


def _evidence(finding: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "found_on": Evidence(**finding["found_on"]),
        "held_on": Evidence(**finding["held_on"]),
        "tried": Tried(**finding["tried"]),
    }


def _parameters(ruleset: str, one: Mined) -> dict[str, tuple[int, ...]]:
    """Return the values that a finding on one table was seen for: of a family of bars, all that fit into the table."""
    pattern = read(ruleset)
    own = match(pattern, read(one.ruleset)) or {}
    return {
        name: tuple(range(1, own.get(name, one.bound + 1) + 1)) for name in sorted(pattern.names)
    }


def _of_passes(ruleset: str, finding: Mapping[str, Any]) -> str:
    passes = finding.get("passes")
    if passes is None:
        return ruleset
    return f"{ruleset} with {passes} {'pass' if passes == 1 else 'passes'} left"


def _games(family: str, group: Sequence[Mined]) -> str:
    """Return a family, and for which of its parameters."""
    several = list(dict.fromkeys(tuple(one.parameters.items()) for one in group))
    if not several[0]:
        return ", ".join(dict.fromkeys(one.ruleset for one in group))
    names = [name for name, _ in several[0]]
    rows = [tuple(value for _, value in one) for one in several]
    if len(names) == 1:
        return f"{family}, {names[0]} = {', '.join(str(row[0]) for row in rows)}"
    values = ", ".join(str(row).replace(" ", "") for row in rows)
    return f"{family}, ({', '.join(names)}) = {values}"
