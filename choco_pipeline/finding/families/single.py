"""What the searches found in single tables, as statements on single games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from choco_pipeline.finding.families.shared import Instance, instances, shared
from choco_pipeline.finding.statements import value_statements
from choco_pipeline.finding.statements.entries import with_claim
from choco_pipeline.finding.statements.statement import (
    Evidence,
    FoundStatement,
    Kind,
    StatementLine,
    Tried,
)
from choco_pipeline.games.notation import match, read
from choco_pipeline.mining.number_sequences.periods import PARTS

#: The kinds of findings that say something of a game by themselves, what their statements are of, and how they begin.
#: What is mined and not listed is put together over parameters only.
KINDS: Mapping[str, tuple[Kind, str]] = {
    "value-sets": ("values", value_statements.BEGINS),
    "count": ("count", ""),
    "period": ("period", "{what} of {game}"),
    "cellular": ("cellular", "P-positions of {game}"),
    "blocks": ("blocks", "P-positions of {game}"),
}
#: So many games of a family must have something in common before it is said of the family.
FEWEST_GAMES = 3
#: Why nothing is said of a family: its games have nothing in common,
APART = f"something in single games, and no {FEWEST_GAMES} of them have the same"
#: or what they have in common was seen in them alone.
NOT_TRIED = "and not said of the family: nothing can try it on games that it was not seen in"
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
    def search(self) -> tuple[str, str]:
        """Which family was searched, and for what."""
        return self.family, str(self.finding["kind"])

    @property
    def found_nothing(self) -> bool:
        """Whether the search ended with nothing."""
        return bool(self.finding.get("nothing"))


def statements(mined: Iterable[Mined]) -> list[FoundStatement]:
    """Return what findings say by themselves, and what several games of a family have in common, word by word.

    A finding that says nothing by itself is left out; and of a family with several games that were searched, what is no
    formula for all positions and not common to some of its games, or nothing that can be tried on its other games.
    """
    return list(_Gathered.of(mined).statements.values())


@dataclass(frozen=True)
class _Gathered:
    """What findings say.

    Attributes
    ----------
    statements
        By their ids.
    untried
        What games of a family have in common, and nothing can try on games that it was not seen for.
    apart
        The searches of families in which the games have nothing in common.
    """

    statements: dict[str, FoundStatement]
    untried: list[FoundStatement]
    apart: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, mined: Iterable[Mined]) -> _Gathered:
        """Gather what findings say."""
        mined = list(mined)
        searched: dict[tuple[str, str], dict[str, Mapping[str, int]]] = {}
        for one in mined:
            searched.setdefault(one.search, {})[one.ruleset] = one.parameters
        found: dict[str, FoundStatement] = {}
        common: dict[tuple[tuple[str, str], str], list[Instance]] = {}
        for one in mined:
            for statement in [] if one.found_nothing else _statements(one):
                of_a_family = (
                    statement.ruleset == one.ruleset and len(searched[one.search]) >= FEWEST_GAMES
                )
                if not of_a_family or one.finding["kind"] == "formulas":
                    found.setdefault(statement.id, statement)
                    continue
                for said in instances(statement, one.family, one.parameters):
                    common.setdefault((one.search, said.key), []).append(said)
        untried = []
        for (search, _), group in common.items():
            if len(group) >= FEWEST_GAMES:
                whole = shared(group, list(searched[search].values()))
                if with_claim(whole).claim is None:
                    untried.append(whole)
                else:
                    found.setdefault(whole.id, whole)
        together = {search for (search, _), group in common.items() if len(group) >= FEWEST_GAMES}
        return cls(found, untried, frozenset(search for search, _ in common) - together)


def searches(mined: Sequence[Mined]) -> list[dict[str, Any]]:
    """Return what was searched: for each family, kind and outcome, in which games, and how many candidates were tried.

    What several games of a family have in common, and no claim can say of the others, is among what was not found.
    """
    groups: dict[tuple[str, str, str, bool], list[Mined]] = {}
    for one in mined:
        if "tried" in one.finding:
            what = str(one.finding["tried"]["what"])
            groups.setdefault(
                (one.family, one.finding["kind"], what, one.found_nothing), []
            ).append(one)
    gathered = _Gathered.of(mined)
    found: list[dict[str, Any]] = [
        {
            "what": kind,
            "game": _games(family, group),
            "tried": {
                "candidates": sum(one.finding["tried"]["candidates"] for one in group),
                "what": what,
                "tables": len({(one.ruleset, one.bound) for one in group}),
            },
            "nothing": nothing or (family, kind) in gathered.apart,
            **({"why": APART} if not nothing and (family, kind) in gathered.apart else {}),
        }
        for (family, kind, what, nothing), group in groups.items()
    ]
    return found + [
        {
            "what": one.text,
            "game": one.ruleset,
            "tried": asdict(one.tried),
            "nothing": True,
            "why": f"seen in {one.found_on.tables} games, {NOT_TRIED}",
        }
        for one in gathered.untried
    ]


def _statements(one: Mined) -> Iterator[FoundStatement]:
    finding = one.finding
    if finding["kind"] == "formulas":
        yield _formulas(one)
        return
    if finding["kind"] not in KINDS or "held_on" not in finding or not finding.get("text"):
        return
    if finding["kind"] == "period" and not finding["laws"].keys() >= set(PARTS):
        return  # lines that repeat, but in no way that says how others do, and from where on
    if finding["kind"] == "value-sets" and finding["form"]["name"] == "zero":
        yield _zero(one)
    kind, begins = KINDS[finding["kind"]]
    ruleset = _game_of(one)
    begins = begins.format(game=_of_passes(ruleset, finding), what=QUANTITIES[one.quantity])
    claim = finding.get("claim")
    yield FoundStatement(
        kind=kind,
        ruleset=ruleset if claim is None else str(claim.get("ruleset", ruleset)),
        said=f"{begins}{',' if kind == 'values' else ':'} {finding['text']}"
        if begins
        else finding["text"],
        parameters=_parameters(ruleset, one),
        claim=claim,
        formulas=tuple(_relations(finding)),
        picture=_picture(finding),
        **_evidence(finding),
    )


def _zero(one: Mined) -> FoundStatement:
    """Return that what is 0 at all P-positions is so at no others, which is for trials to find out."""
    lines = (StatementLine("P iff", f"{one.finding['expression']} == 0"),)
    return FoundStatement(
        kind="p-positions",
        ruleset=one.ruleset,
        said=f"{one.ruleset}: {sentence(lines)}",
        formulas=lines,
        **_evidence(one.finding),
    )


def _game_of(one: Mined) -> str:
    """Return the game or family that a finding speaks of; with no pass left, that is the game without passes."""
    ruleset = str(one.finding.get("ruleset", one.ruleset))
    if one.finding.get("passes") != 0:
        return ruleset
    return ruleset.removeprefix("with-pass(").rpartition(", passes=")[0]


def _formulas(one: Mined) -> FoundStatement:
    finding = one.finding
    label = str(finding["label"])
    lines = tuple(
        StatementLine(label, line["formula"], line["where"]) for line in finding["formulas"]
    )
    exceptions = tuple(tuple(map(int, position)) for position in finding["exceptions"])
    return FoundStatement(
        kind="grundy" if label == "G =" else "p-positions",
        ruleset=one.ruleset,
        said=f"{one.ruleset}: {sentence(lines, exceptions)}",
        formulas=lines,
        exceptions=exceptions,
        **_evidence(finding),
    )


def sentence(lines: Sequence[StatementLine], exceptions: Sequence[Sequence[int]] = ()) -> str:
    """Return formulas as a sentence.

    Examples
    --------
    >>> sentence([StatementLine("P iff", "x^y^z==0")], [(0, 0, 1)])
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


def _relations(finding: Mapping[str, Any]) -> Iterator[StatementLine]:
    """Yield a finding's formulas, and the relations between the terms of a sequence, in which it is looked up."""
    if finding["kind"] == "value-sets":
        yield from value_statements.lines(finding["claim"]["check"])
    for relation in finding.get("relations", ()):
        if "formula" in relation:
            index = finding["sequence"]["index"]
            start = relation.get("start", 0)
            first = finding["sequence"]["first"]
            where = f"{index} >= {start}" if start > first else ""
            yield StatementLine("relation", relation["formula"], where)


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
    if not passes:
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
