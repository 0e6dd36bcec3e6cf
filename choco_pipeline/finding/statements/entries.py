"""What a found statement says in the claim language: the entries that a claims file would have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.claims.language.mistakes import mistakes_in
from choco_pipeline.finding.statements.statement import (
    FoundStatement,
    StatementError,
    StatementLine,
)
from choco_pipeline.games.notation import build

#: Bound of the tables on which `choco claims check` tries a found statement.
SAMPLE_BOUND = 64

Document = dict[str, object]


def with_claim(statement: FoundStatement) -> FoundStatement:
    """Return a statement with its entry of a claims file, whole, if one entry can say it.

    What is given of the entry, its ``check`` at least, is completed; without it, formulas for P-positions and Grundy
    numbers are written as a check.
    """
    if statement.claim is not None:
        return replace(statement, claim=_entry(statement, statement.claim, statement.id))
    checks = _checks(statement)
    if len(checks) != 1:
        return statement
    return replace(statement, claim=_entry(statement, {"check": checks[0]}, statement.id))


def claims_of(statement: FoundStatement) -> list[Claim]:
    """Return the claims that say together what a statement says; none where the claim language cannot.

    One is enough, but for Grundy numbers by cases, where each case is a claim.

    Raises
    ------
    StatementError
        If an entry is no claim.
    """
    if statement.claim is not None:
        entries = [_entry(statement, statement.claim, statement.id)]
    else:
        checks = _checks(statement)
        several = len(checks) > 1
        entries = [
            _entry(statement, {"check": check}, f"{statement.id}-{i}" if several else statement.id)
            for i, check in enumerate(checks, start=1)
        ]
    return [_read(entry) for entry in entries]


def _read(entry: Mapping[str, Any]) -> Claim:
    try:
        claim = Claim(Entry.model_validate(dict(entry)))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise StatementError(f"{entry['id']}: {where}: {first['msg']}") from None
    mistakes = [f"{'.'.join(map(str, place))}: {message}" for place, message in mistakes_in(claim)]
    if mistakes:
        raise StatementError(f"{entry['id']}: {'; '.join(mistakes)}")
    return claim


def _entry(statement: FoundStatement, given: Mapping[str, Any], claim_id: str) -> Document:
    entry: Document = {"ruleset": statement.ruleset, **given}
    entry |= _all("when", *dict.fromkeys([statement.when, given.get("when", "")]))
    entry |= {
        "id": claim_id,
        "number": "found",
        "status": "found",
        "statement": statement.text[:2000],
    }
    if statement.pattern.names and "sample" not in entry:
        spans = {name: f"{min(v)}..{max(v)}" for name, v in statement.parameters.items()}
        entry["sample"] = {"parameters": spans, "bound": SAMPLE_BOUND}
    return entry


def _checks(statement: FoundStatement) -> list[Document]:
    """Return the checks that the formulas of a statement come to."""
    lines, but = statement.formulas, _but(statement)
    match statement.kind:
        case "p-positions" if lines and all(line.label == "P iff" for line in lines):
            said = lines[0].formula if len(lines) == 1 else " or ".join(map(_case, lines))
            where = _all("where", lines[0].where if len(lines) == 1 else "", but)
            return [{"kind": "p-positions", "formula": said, **where}]
        case "grundy" if lines and all(line.label == "G =" for line in lines):
            meant = [line.where for line in lines]
            if len(lines) > 1 and all(meant):
                # The last case is meant for what is in no other one, too: so no position is left out.
                others = " or ".join(f"({condition})" for condition in meant[:-1])
                meant[-1] = f"({meant[-1]}) or not ({others})"
            return [
                {"kind": "grundy", "equals": line.formula, **_all("where", condition, but)}
                for line, condition in zip(lines, meant, strict=True)
            ]
        case _:
            return []


def _case(line: StatementLine) -> str:
    return f"({line.where}) and ({line.formula})" if line.where else f"({line.formula})"


def _all(key: str, *conditions: str) -> Document:
    """Return that all conditions hold, those that are not empty, below a key; nothing if there are none."""
    held = [condition for condition in conditions if condition]
    if not held:
        return {}
    return {key: held[0] if len(held) == 1 else " and ".join(f"({c})" for c in held)}


def _but(statement: FoundStatement) -> str:
    """Return the condition that a position is none of the exceptions."""
    if not statement.exceptions:
        return ""
    first = {name: values[0] for name, values in statement.parameters.items()}
    names = build(statement.pattern, first, Path()).coordinates
    places = [
        " and ".join(f"{name} == {value}" for name, value in zip(names, position, strict=True))
        for position in statement.exceptions
    ]
    return f"not ({' or '.join(f'({place})' for place in places)})"
