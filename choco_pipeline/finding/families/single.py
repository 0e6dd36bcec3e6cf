"""What the searches found in single tables, as statements on single games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypedDict

from choco_pipeline.claims.language.claim import names_of
from choco_pipeline.finding.families.shared import Instance, instances, shared
from choco_pipeline.finding.statements import value_statements
from choco_pipeline.finding.statements.found_document import Searched
from choco_pipeline.finding.statements.mined import Mined
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement, Tried
from choco_pipeline.finding.statements.statement_line import Kind, StatementLine
from choco_pipeline.formula.written.parameter_text import listed
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.combine import passes_left
from choco_pipeline.games.notation import Notation, match, read
from choco_pipeline.mining.table_findings import (
    BlocksFinding,
    CellularFinding,
    CountFinding,
    Finding,
    FormulasFinding,
    ShiftsFinding,
    ValueSetFinding,
)

#: The kinds of findings that say something of a game by themselves, what their statements are of, and how they begin.
#: What is mined and not listed is put together over parameters only.
KINDS: Mapping[str, tuple[Kind, str]] = {
    "value-sets": ("values", value_statements.BEGINS),
    "count": ("count", "{game}: "),
    "cellular": ("cellular", "P-positions of {game}: "),
    "blocks": ("blocks", "P-positions of {game}: "),
}
#: So many games of a family must have something in common before it is said of the family.
FEWEST_GAMES = 3
#: Why nothing is said of a family: its games have nothing in common.
APART = f"something in single games, and no {FEWEST_GAMES} of them have the same"
#: Why nothing is said of it though they have something in common: that was seen in them alone.
NOT_TRIED = "and not said of the family: nothing can try it on games that it was not seen in"


def statements(mined: Iterable[Mined]) -> list[FoundStatement]:
    """Return what findings say by themselves, and what several games of a family have in common, word by word.

    A finding that says nothing by itself is left out; and of a family with several games that were searched, what is no
    formula for all positions and not common to some of its games, or nothing that can be tried on its other games.
    """
    return list(_Gathered.of(mined).statements.values())


@dataclass(frozen=True)
class _Gathered:
    """What findings say."""

    #: By their ids.
    statements: dict[str, FoundStatement]
    #: What games of a family have in common, and nothing can try on games that it was not seen for.
    untried: list[FoundStatement]
    #: The searches of families in which the games have nothing in common.
    apart: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, mined: Iterable[Mined]) -> _Gathered:
        """Gather what findings say."""
        mined = list(mined)
        searched: dict[tuple[str, str], dict[str, Mapping[str, int]]] = {}
        for result in mined:
            searched.setdefault(result.search, {})[result.ruleset] = result.parameters
        alone: dict[str, FoundStatement] = {}
        common: dict[tuple[tuple[str, str], str], list[Instance]] = {}
        for result in mined:
            if result.found_nothing:
                continue
            is_of_several = len(searched[result.search]) >= FEWEST_GAMES
            general = _statements(result, result.family)
            for statement, of_family in zip(
                _statements(result, result.ruleset), general, strict=True
            ):
                is_of_family = is_of_several and statement.ruleset == _shown(result.ruleset, result)
                if not is_of_family or result.finding.kind == "formulas":
                    alone.setdefault(statement.id, statement)
                    continue
                for instance in instances(
                    statement, result, _shown(result.family, result), of_family.said
                ):
                    common.setdefault((result.search, instance.key), []).append(instance)
        untried = []
        for (search, _), group in common.items():
            if len(group) >= FEWEST_GAMES:
                whole = shared(group, list(searched[search].values()))
                if whole.with_entry().claim is None:
                    untried.append(whole)
                else:
                    alone.setdefault(whole.id, whole)
        together = {search for (search, _), group in common.items() if len(group) >= FEWEST_GAMES}
        return cls(alone, untried, frozenset(search for search, _ in common) - together)


def searches(mined: Sequence[Mined]) -> list[Searched]:
    """Return what was searched: for each family, kind and outcome, in which games, and how many candidates were tried.

    What several games of a family have in common, and no claim can say of the others, is among what was not found.
    """
    groups: dict[tuple[str, str, str, bool], list[Mined]] = {}
    for result in mined:
        if result.finding.tried is not None:
            what = result.finding.tried.what
            groups.setdefault(
                (result.family, result.finding.kind, what, result.found_nothing), []
            ).append(result)
    gathered = _Gathered.of(mined)
    searched: list[Searched] = []
    for (family, kind, what, nothing), group in groups.items():
        candidates = sum(
            result.finding.tried.candidates for result in group if result.finding.tried
        )
        tables = len({(result.ruleset, result.bound) for result in group})
        is_apart = (family, kind) in gathered.apart
        searched.append(
            Searched(
                what=kind,
                game=_games(family, group),
                tried=Tried(candidates, what, tables),
                nothing=nothing or is_apart,
                why=APART if is_apart and not nothing else None,
            )
        )
    return searched + [
        Searched(
            what=statement.text,
            game=statement.ruleset,
            tried=statement.tried,
            nothing=True,
            why=f"seen in {statement.found_on.tables} games, {NOT_TRIED}",
        )
        for statement in gathered.untried
    ]


def _statements(mined: Mined, called: str) -> Iterator[FoundStatement]:
    """Yield what a finding says; sentences call the table's game by the name that is given."""
    finding = mined.finding
    if isinstance(finding, FormulasFinding):
        yield _formulas(mined.ruleset, finding)
        return
    if isinstance(finding, ShiftsFinding) or finding.held_on is None or not finding.text:
        return
    claim = finding.claim
    if isinstance(finding, ValueSetFinding) and finding.form.name == "zero":
        yield _zero(mined.ruleset, finding, called)
    kind, begins = KINDS[finding.kind]
    ruleset, passes = _game_of(mined), _passes(finding)
    is_own = ruleset == _shown(mined.ruleset, mined)
    game = _of_passes(_shown(called, mined) if is_own else ruleset, passes)
    statement = FoundStatement(
        kind=kind,
        ruleset=ruleset if claim is None else str(claim.get("ruleset", ruleset)),
        said=begins.format(game=game) + finding.text,
        names_game=True,
        parameters=_parameters(ruleset, mined),
        claim=claim,
        formulas=tuple(_relations(finding)),
        picture=_picture(finding),
        source=mined,
        **_evidence(finding),
    )
    # Bars of m rows and m+1 columns have no notation that a claim could have.
    yield replace(statement, claim=None) if statement.mistake else statement


def _zero(ruleset: str, finding: ValueSetFinding, called: str) -> FoundStatement:
    """Return that what is 0 at all P-positions is so at no others, which is for trials to find out."""
    lines = (StatementLine("P iff", f"{finding.expression} == 0"),)
    return FoundStatement(
        kind="p-positions",
        ruleset=ruleset,
        said=f"{called}: {sentence(lines)}",
        names_game=True,
        formulas=lines,
        **_evidence(finding),
    )


def _game_of(mined: Mined) -> str:
    """Return the game or family that a finding speaks of."""
    ruleset = mined.ruleset
    if not isinstance(mined.finding, FormulasFinding | ValueSetFinding | ShiftsFinding):
        ruleset = mined.finding.ruleset
    return _left(ruleset, _passes(mined.finding))


def _left(ruleset: str, passes: int | None) -> str:
    """Return a game or family; with no pass left, that is the one without passes.

    Examples
    --------
    >>> _left("with-pass(nim(3), passes=1)", 0)
    'nim(3)'
    """
    notation = read(ruleset)
    inner = (part for _, part in notation.arguments if isinstance(part, Notation))
    return next(inner).text if passes == 0 and notation.name == "with-pass" else ruleset


def _shown(ruleset: str, mined: Mined) -> str:
    """Return a game or family as a finding on it shows it: with no pass left without passes, and with the strip that it counts."""
    ruleset = _left(ruleset, _passes(mined.finding))
    strip = parse_ruleset(mined.ruleset).base.with_strip
    shown = read(_game_of(mined))
    if strip is None or names_of(shown)[-1] != read(strip.notation).name:
        return ruleset
    return _named(read(ruleset), names_of(shown)[-1]).text


def _named(notation: Notation, name: str) -> Notation:
    """Return a notation in which the innermost ruleset has another name."""
    inner = tuple(
        (key, _named(value, name) if isinstance(value, Notation) else value)
        for key, value in notation.arguments
    )
    is_innermost = not any(isinstance(value, Notation) for _, value in notation.arguments)
    return Notation(name if is_innermost else notation.name, inner)


def _passes(finding: Finding) -> int | None:
    """Return with how many passes left the positions are that a finding speaks of; None for all of them."""
    if isinstance(finding, CellularFinding | BlocksFinding):
        return finding.passes
    return None


def _formulas(ruleset: str, finding: FormulasFinding) -> FoundStatement:
    lines = tuple(
        StatementLine(finding.label, line.formula, line.where) for line in finding.formulas
    )
    return FoundStatement(
        kind="grundy" if finding.label == "G =" else "p-positions",
        ruleset=ruleset,
        said=f"{ruleset}: {sentence(lines, finding.exceptions)}",
        names_game=True,
        formulas=lines,
        exceptions=finding.exceptions,
        **_evidence(finding),
    )


def sentence(lines: Sequence[StatementLine], exceptions: Sequence[Sequence[int]] = ()) -> str:
    """Return formulas as a sentence.

    Examples
    --------
    >>> sentence([StatementLine("P iff", "x^y^z==0")], [(0, 0, 1)])
    'a position is a P-position if and only if x ^ y ^ z == 0, except at (0, 0, 1)'
    """
    begins = (
        "the Grundy number is"
        if lines[0].label == "G ="
        else "a position is a P-position if and only if"
    )
    parts = [line.formula + (f" where {line.where}" if line.where else "") for line in lines]
    but = f", except at {', '.join(str(tuple(p)) for p in exceptions)}" if exceptions else ""
    return f"{begins} {'; '.join(parts)}{but}"


def _relations(finding: Finding) -> Iterator[StatementLine]:
    """Yield a finding's formulas, and the relations between the terms of a sequence, in which it is looked up."""
    if isinstance(finding, ValueSetFinding):
        form = finding.form
        yield from value_statements.lines(finding.expression, form.relation, form.condition)
    if isinstance(finding, CountFinding) and finding.sequence is not None:
        for relation in finding.relations:
            is_later = relation.start > finding.sequence.first
            where = f"{finding.sequence.index} >= {relation.start}" if is_later else ""
            yield StatementLine("relation", relation.formula, where)


def _picture(finding: Finding) -> Mapping[str, Any] | None:
    if not isinstance(finding, CountFinding) or finding.sequence is None:
        return None
    sequence = finding.sequence
    return {"kind": "sequence", **asdict(sequence), "terms": list(sequence.terms)}


class _Evidence(TypedDict):
    found_on: Evidence
    held_on: Evidence
    tried: Tried


def _evidence(finding: Finding) -> _Evidence:
    """Return the evidence for a finding that says something."""
    found_on, held_on, tried = finding.found_on, finding.held_on, finding.tried
    assert found_on is not None
    assert held_on is not None
    assert tried is not None
    return {
        "found_on": Evidence(found_on.positions, found_on.what),
        "held_on": Evidence(held_on.positions, held_on.what),
        "tried": Tried(tried.candidates, tried.what),
    }


def _parameters(ruleset: str, mined: Mined) -> dict[str, tuple[int, ...]]:
    """Return the values that a finding on one table was seen for: of a family of bars, all that fit into the table."""
    pattern = read(ruleset)
    own = match(pattern, read(mined.ruleset)) or {}
    return {
        name: tuple(range(1, own.get(name, mined.bound + 1) + 1)) for name in sorted(pattern.names)
    }


def _of_passes(ruleset: str, passes: int | None) -> str:
    if not passes:
        return ruleset
    return f"{ruleset} with {passes_left(passes)}"


def _games(family: str, group: Sequence[Mined]) -> str:
    """Return a family, and for which of its parameters."""
    several = list(dict.fromkeys(tuple(result.parameters.items()) for result in group))
    if not several[0]:
        return ", ".join(dict.fromkeys(result.ruleset for result in group))
    return f"{family}, {listed([dict(parameters) for parameters in several])}"
