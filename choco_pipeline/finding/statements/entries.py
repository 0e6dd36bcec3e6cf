"""What a found statement says in the claim language: the entries that a claims file would have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.claims.language.mistakes import mistakes_in
from choco_pipeline.finding.statements.statement_line import Kind, StatementError, StatementLine
from choco_pipeline.formula import parse
from choco_pipeline.games.notation import as_written, coordinates_of

Document = dict[str, object]


def claim_of_entry(entry: Mapping[str, object]) -> Claim:
    """Return the claim of an entry; `StatementError` if it is none."""
    try:
        claim = Claim(Entry.model_validate(dict(entry)))
    except ValidationError as error:
        mistake = error.errors()[0]
        where = ".".join(map(str, mistake["loc"]))
        raise StatementError(f"{entry['id']}: {where}: {mistake['msg']}") from None
    mistakes = [f"{'.'.join(map(str, place))}: {message}" for place, message in mistakes_in(claim)]
    if mistakes:
        raise StatementError(f"{entry['id']}: {'; '.join(mistakes)}")
    return claim


def in_language(entry: Document) -> Document:
    """Return the entry with its check written as a statement, unless it is a plug-in.

    Examples
    --------
    >>> check = {"kind": "p-positions", "formula": "x == z", "where": "y == 0", "relation": "within"}
    >>> in_language({"check": check, "reach": "k"})["statement"]
    'size <= k and y == 0 and P => x == z'
    """
    check = entry.get("check")
    if not isinstance(check, Mapping) or check["kind"] in ("counts", "cellular"):
        return entry
    written = {key: part for key, part in entry.items() if key not in ("check", "reach", "let")}
    let = entry.get("let") or {}
    assert isinstance(let, Mapping)
    defined = (
        f"let {', '.join(f'{name} = {value}' for name, value in let.items())}: " if let else ""
    )
    return written | {"statement": defined + _said(check, str(entry.get("reach", "")))}


def _said(check: Mapping[str, Any], reach: str) -> str:
    """Return what a check says, of positions up to a size."""
    premise = [f"size <= {reach}"] if reach else []
    premise += [in_brackets(check["where"])] if check.get("where") else []
    match check["kind"]:
        case "p-positions":
            formula = check["formula"]
            match check.get("relation", "exactly"):
                case "within":
                    return f"{' and '.join([*premise, 'P'])} => {formula}"
                case "contain":
                    said = f"{formula} => P"
                case _:
                    said = f"P <=> {formula}"
        case "grundy":
            said = f"G == {check['equals']}"
        case "values":
            sign = {"exactly": "==", "within": "<=", "contains-all": ">="}[check["relation"]]
            condition = " and ".join(["P", *premise])
            return f"{{{check['of']}: {condition}}} {sign} {{v: {check['values']}}}"
        case "related":
            game = as_written(check["game"])
            at = ", ".join(str(check["at"].get(name, name)) for name in coordinates_of(game))
            place = f"[{check['game']}]({at})"
            said = f"P <=> P{place}"
            if check.get("equals"):
                value = parse(check["equals"]).rename_all({"g": f"G{place}"})
                said = f"G == {value}"
        case _:
            return ";\n".join(_cases(check["cases"]))
    return f"{' and '.join(premise)} => ({said})" if premise else said


def _cases(cases: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what is said of the cells of a bar, case by case: those of a case are in none before it."""
    before: list[str] = []
    for case in cases:
        premise = [f"not ({' or '.join(f'({c})' for c in before)})"] if before else []
        if case.get("where"):
            premise.append(in_brackets(case["where"]))
            before.append(case["where"])
        said = "P" if case.get("outcome") == "P" else "not P"
        if case.get("like"):
            m, i, j = case["like"]
            said = f"(P <=> P[rectangular-bar(m={m}, n={m})]({i}, {j}))"
        yield f"{' and '.join(premise)} => {said}" if premise else said


def in_brackets(condition: str) -> str:
    """Return a condition as a part of a conjunction."""
    return f"({condition})" if parse(condition).junction == "or" else condition


def checks_of(kind: Kind, lines: Sequence[StatementLine], but: str) -> list[Document]:
    """Return the checks that the formulas of a statement come to, one for each case of Grundy numbers.

    The condition `but`, that a position is none of the exceptions, is empty if there are none.
    """
    match kind:
        case "p-positions" if lines and all(line.label == "P iff" for line in lines):
            formula = lines[0].formula if len(lines) == 1 else " or ".join(map(_case, lines))
            where = joined("where", lines[0].where if len(lines) == 1 else "", but)
            return [{"kind": "p-positions", "formula": formula, **where}]
        case "grundy" if lines and all(line.label == "G =" for line in lines):
            meant = [line.where for line in lines]
            if len(lines) > 1 and all(meant):
                # The last case is meant for what is in no other one, too: so no position is left out.
                others = " or ".join(f"({condition})" for condition in meant[:-1])
                meant[-1] = f"({meant[-1]}) or not ({others})"
            return [
                {"kind": "grundy", "equals": line.formula, **joined("where", condition, but)}
                for line, condition in zip(lines, meant, strict=True)
            ]
        case _:
            return []


def joined(key: str, *conditions: str) -> Document:
    """Return that all conditions hold, those that are not empty, below a key; nothing if there are none."""
    held = [condition for condition in conditions if condition]
    if not held:
        return {}
    return {key: held[0] if len(held) == 1 else " and ".join(f"({c})" for c in held)}


def _case(line: StatementLine) -> str:
    return f"({line.where}) and ({line.formula})" if line.where else f"({line.formula})"
