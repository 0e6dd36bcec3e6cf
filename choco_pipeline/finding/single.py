"""Statements on single games, and statements that games of a family share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from math import inf
from typing import Any

from choco_pipeline.claims.language.claim import names_of
from choco_pipeline.errors import ChocoError, RulesetError
from choco_pipeline.finding.conditions import sure_domain
from choco_pipeline.finding.lines import (
    at_one_of,
    by_cases,
    grundy,
    p_iff,
    with_formulas,
)
from choco_pipeline.finding.scope import Parameters
from choco_pipeline.finding.statement import (
    FoundStatement,
    Mined,
    Proposals,
    Searched,
    not_reported,
)
from choco_pipeline.finding.tables import (
    MemberTable,
    TableFamily,
    family_of,
    mined_from,
    outcome,
    values_of,
)
from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import Binary, Integer, Name, Node, with_operands
from choco_pipeline.formula.written.parameter_text import listed
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.notation import Notation, match, read
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.mining.table_findings import (
    BlocksFinding,
    CellularFinding,
    CountFinding,
    Evidence,
    Finding,
    FormulaLine,
    FormulasFinding,
    StatementFinding,
    Tried,
    ValueSetFinding,
    is_complete_formula,
)
from choco_pipeline.proof.games.guess import QUANTITIES, Relation, SearchSize
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.records import FormulaOfProof, GameProof
from choco_pipeline.proof.statements.proved_formulas import BOUNDS, formulas
from choco_pipeline.provenance import canonical_json
from choco_pipeline.statements.tree import text_of
from choco_pipeline.sweep.run_files import Plan
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import quick_bound

#: Fewest games of a family that must share a statement on the family.
FEWEST_GAMES = 3
#: Reason for no statement on a family whose games share none.
APART = f"results for single games, but no {FEWEST_GAMES} games have the same one"
#: Reason for no statement on a family whose games share one.
NOT_TRIED = "but not stated for the family, because it cannot be tested on further games"


def lines_of(finding: Finding, game: Ruleset) -> Iterator[str]:
    """Yield the lines of a search result, one for each case; all hold in its table."""
    if isinstance(finding, StatementFinding) and finding.claim is not None:
        yield str(finding.claim["statement"])
    if not isinstance(finding, FormulasFinding):
        return
    for case in finding.formulas:
        if finding.label == "G =":
            excepted = at_one_of(finding.exceptions, game.coordinates)
            yield by_cases(grundy, [(case.formula, case.where)], excepted)
        else:
            formula = case.formula
            for position in finding.exceptions:
                here = at_one_of([position], game.coordinates)
                is_p = not parse(case.formula).value(
                    dict(zip(game.coordinates, position, strict=True))
                )
                formula = f"{here} or ({formula})" if is_p else f"not {here} and ({formula})"
            yield p_iff(formula, case.where)


def _statements(mined: Mined) -> Iterator[FoundStatement]:
    """Yield the statements of a search result; words if it has no claim."""
    finding = mined.finding
    if finding.nothing or finding.held_on is None or finding.found_on is None or not finding.text:
        return
    ruleset, passes = _game_of(mined), _passes(finding)
    statement = partial(
        FoundStatement,
        search=mined.search[1],
        ruleset=ruleset,
        found_on=finding.found_on,
        held_on=finding.held_on,
        tried=finding.tried,
    )
    if isinstance(finding, FormulasFinding):
        of = grundy if finding.label == "G =" else p_iff
        excepted = at_one_of(finding.exceptions, parse_ruleset(ruleset).coordinates)
        cases = [(line.formula, line.where) for line in finding.formulas]
        yield statement(statement=by_cases(of, cases, excepted))
        return
    if isinstance(finding, ValueSetFinding) and finding.form.name == "zero":
        # trials decide whether other positions have the value 0, too
        yield statement(statement=p_iff(f"{finding.expression} == 0"))
    pattern, picture = read(ruleset), None
    own = match(pattern, read(mined.ruleset)) or {}
    # for a family of bars, all bars that fit into the table
    parameters = {
        name: tuple(range(1, own.get(name, mined.bound + 1) + 1)) for name in sorted(pattern.names)
    }
    if isinstance(finding, CountFinding) and (sequence := finding.sequence) is not None:
        picture = {"kind": "sequence", **asdict(sequence), "terms": list(sequence.terms)}
    statement = partial(statement, parameters=parameters, picture=picture, source=mined)
    words = f"{passes_left(passes)}: {finding.text}" if passes else finding.text
    claim = finding.claim or {}
    formal = {key: claim[key] for key in ("statement", "check", "every", "when") if key in claim}
    if formal:
        proposed = statement(**formal | {"ruleset": claim.get("ruleset", ruleset)})
        if not proposed.mistake:
            yield proposed
            return
    yield statement(words=words)


def _game_of(mined: Mined) -> str:
    """Return the game or family of a result, without passes if none are left."""
    finding = mined.finding
    own = getattr(finding, "ruleset", None) or mined.ruleset
    return _without_pass(own) if _passes(finding) == 0 else str(own)


def _without_pass(ruleset: str) -> str:
    """Return a game without its passes.

    Examples
    --------
    >>> _without_pass("with-pass(nim(3), passes=1)")
    'nim(3)'
    """
    notation = read(ruleset)
    inner = (part for _, part in notation.arguments if isinstance(part, Notation))
    return next(inner).text if notation.name == "with-pass" else ruleset


def _family_of(mined: Mined) -> str:
    """Return the family of a result's game, with passes and strip as in the result."""
    family = _without_pass(mined.family) if _passes(mined.finding) == 0 else mined.family
    own, innermost = (names_of(read(game))[-1] for game in (mined.ruleset, _game_of(mined)))
    if own == innermost:
        return family
    named = read(family).text.replace(f"{own}(", f"{innermost}(")
    try:
        read(named)
    except RulesetError:  # four heaps are a position of an uncut bar, but its sides are no heaps
        return _game_of(mined)
    return named


def _passes(finding: Finding) -> int | None:
    """Return the number of passes left in the positions of a finding; None for any."""
    return finding.passes if isinstance(finding, CellularFinding | BlocksFinding) else None


def _instances(statement: FoundStatement, mined: Mined) -> Iterator[FoundStatement]:
    """Yield a statement for its family, and again with parameters for added integers."""
    parameters = mined.parameters
    values = {name: (value,) for name, value in parameters.items()}
    general = replace(statement, ruleset=_family_of(mined), parameters=values)
    yield general
    claim = statement.whole
    if claim is None or claim.value_set is None or claim.value_set.relation != "exactly":
        return
    names = {value: name for name, value in sorted(parameters.items(), reverse=True) if value > 0}

    def named(node: Node) -> Node:
        match node:
            case Binary("+" | "-", left, Integer(number)) if number in names:
                return replace(node, left=named(left), right=Name(names[number]))
            case _:
                return with_operands(node, named)

    line = text_of(with_formulas(claim.proposition, named))
    of, members = line.split(" == {", 1)[0], statement.statement.split(" == {", 1)[1]
    line = f"{of} == {{{members}"  # integers in the set stay
    if line != statement.statement:
        yield replace(general, statement=line)


def _shared(several: Sequence[FoundStatement], searched: Sequence[Parameters]) -> FoundStatement:
    """Return the statement that several games of a family share.

    `searched` has the parameters of all searched games of the family. The condition distinguishes the games of the group from the
    others. Exceptions: there may be no short condition, and an inclusion of values may also hold for games with a stronger statement.
    Then the condition only fixes the parameters that are equal in the whole group.
    """
    first = several[0]
    seen = [{name: value for name, (value,) in one.parameters.items()} for one in several]
    values = values_of(seen, list(seen[0]))
    alike = [f"{name} == {span[0]}" for name, span in values.items() if len(span) == 1]
    when = " and ".join(alike) if len(alike) < len(values) else ""
    value_set = first.whole.value_set if first.whole else None
    if value_set is None or value_set.relation == "exactly":
        condition = sure_domain(searched, [point in seen for point in map(dict, searched)])
        when = when if condition is None else condition.text

    def total(parts: Sequence[Evidence]) -> Evidence:
        what = f"{parts[0].what}, and likewise in {len(parts) - 1} other tables"
        return Evidence(sum(part.positions for part in parts), what, len(parts))

    candidates = sum(statement.tried.candidates for statement in several)
    return replace(
        first,
        when=" and ".join(f"({part})" for part in (first.when, when) if part),
        parameters=values,
        seen=tuple(tuple(point.values()) for point in seen),
        found_on=total([statement.found_on for statement in several]),
        held_on=total([statement.held_on for statement in several]),
        tried=replace(first.tried, candidates=candidates, tables=len(several)),
    )


def single_tables(mined: Sequence[Mined]) -> Proposals:
    """Return statements on single games, and those that a family's games share.

    If several games of a family were searched, only formulas are stated for single games. A shared statement that cannot be tried
    on other games is listed among the searches that found nothing.
    """
    searched: dict[tuple[str, str], dict[str, Mapping[str, int]]] = {}
    for result in mined:
        searched.setdefault(result.search, {})[result.ruleset] = result.parameters
    alone: dict[str, FoundStatement] = {}
    common: dict[tuple[tuple[str, str], str], list[FoundStatement]] = {}
    for result in mined:
        is_of_several = len(searched[result.search]) >= FEWEST_GAMES
        for statement in _statements(result):
            is_own = match(read(_family_of(result)), read(statement.ruleset)) is not None
            if not is_of_several or not is_own or result.finding.kind == "formulas":
                alone.setdefault(statement.id, statement)
                continue
            for one in _instances(statement, result):
                key = canonical_json([one.search, one.statement, one.check, one.words])
                common.setdefault((result.search, key), []).append(one)
    groups = {key: group for key, group in common.items() if len(group) >= FEWEST_GAMES}
    whole = [_shared(group, list(searched[key[0]].values())) for key, group in groups.items()]
    alone = {one.id: one for one in whole if one.claims} | alone
    untried = [one for one in whole if not one.claims]
    together = {search for search, _ in groups}
    apart = {search for search, _ in common} - together
    searches = [
        not_reported(one, f"seen in {one.found_on.tables} games, {NOT_TRIED}") for one in untried
    ]
    return Proposals([*alone.values()], searches=[*_searches(mined, apart), *searches])


def _searches(mined: Sequence[Mined], apart: set[tuple[str, str]]) -> Iterator[Searched]:
    groups: dict[tuple[str, str, str, bool], list[Mined]] = {}
    for result in mined:
        key = result.family, result.search[1], result.finding.tried.what, result.finding.nothing
        groups.setdefault(key, []).append(result)
    for (family, kind, what, nothing), group in groups.items():
        candidates = sum(one.finding.tried.candidates for one in group)
        several = list(dict.fromkeys(tuple(result.parameters.items()) for result in group))
        games = f"{family}, {listed([dict(parameters) for parameters in several])}"
        if not several[0]:
            games = ", ".join(dict.fromkeys(result.ruleset for result in group))
        tables = len({(one.ruleset, one.bound) for one in group})
        is_apart = (family, kind) in apart
        yield Searched(
            what=kind,
            game=games,
            tried=Tried(candidates, what, tables),
            nothing=nothing or is_apart,
            why=APART if is_apart and not nothing else None,
        )


# ---- Formulas that are learned from automata of games.
#
# Idea: an automaton of a game is right at all positions, so it may give a formula that no search in a table finds. The formula is
# compared with a table of the game and then added to the findings of the table. Statements on single games and on families are made
# from it, tried and ranked as from all other findings.
#
# Invariant: no finding says that its formula is proved. These searches are limited by sizes instead of time, so that the results are
# the same on all machines.

#: Largest bound of the table with which a formula is compared.
MOST_COMPARED = 64
LEARNED = "learned from the automaton of the game"
#: Searches of this size take a few seconds.
SMALL = SearchSize(digits=11, residuals=300, states=1 << 14)


def learned_from_game(cells: Cells) -> list[FormulasFinding]:
    """Return formulas from a small automaton of a game, as findings of a table."""
    relation: Relation = "grundy" if cells.variable.name == "grundy" else "p"
    try:
        proof = prove(cells.game, relation, inf, SMALL)
        formula = formulas(proof, inf)
    except ChocoError:  # heights may fall beyond the table
        return []
    return [] if formula is None else _findings(cells, relation, formula)


def learned_in(
    plan: Plan, proofs: Sequence[Mapping[str, Any]], mined: Sequence[Mined]
) -> Iterator[Mined]:
    """Yield the formulas of a run's proofs, with the largest table of each game.

    Games are left out if a formula for all positions was `mined` in their tables.
    """
    complete = {
        (result.ruleset, result.quantity) for result in mined if is_complete_formula(result.finding)
    }
    tables = {
        (planned["ruleset"], planned["quantity"]): planned
        for planned in sorted(plan["tables"], key=lambda planned: planned["bound"])
        if (planned["ruleset"], planned["quantity"]) not in complete
    }
    for document in proofs:
        proof = GameProof.model_validate(document)
        quantity = QUANTITIES[proof.relation]
        planned = tables.get((proof.ruleset, quantity))
        if proof.formula is not None and planned is not None:
            game = parse_ruleset(proof.ruleset)
            bound = min(quick_bound(game, quantity), MOST_COMPARED)
            cells = Cells.computed(game, bound, quantity)
            for finding in _findings(cells, proof.relation, proof.formula):
                yield mined_from(finding, planned, family_of(plan, planned))


def _findings(cells: Cells, relation: Relation, formula: FormulaOfProof) -> list[FormulasFinding]:
    """Return formulas as a finding of a table; empty if one is wrong there."""
    label, names = "P iff" if relation == "p" else "G =", cells.game.coordinates
    lines = [FormulaLine(formula=case.formula, where=case.where or "") for case in formula.cases]
    finding = FormulasFinding(
        label=label,
        formulas=tuple(lines),
        size=formula.size[0],
        text=f"{label} {'; '.join(map(str, formula.cases))}",
        found_on=Evidence(
            positions=sum(1 for _ in cells.game.positions(BOUNDS[len(names)])), what=LEARNED
        ),
        tried=Tried(candidates=1, what=f"formulas {LEARNED}"),
    )
    member = MemberTable.in_memory({}, cells)
    family = TableFamily(cells.game.notation, (member,))
    outcomes = [outcome(family.claim(line), member) for line in lines_of(finding, cells.game)]
    held_on = sum(compared.positions for compared in outcomes)
    if not held_on or any(compared.failure is not None for compared in outcomes):
        return []
    seen = Evidence(positions=held_on, what=f"the table, to bound {cells.bound}")
    return [finding.model_copy(update={"held_on": seen})]
