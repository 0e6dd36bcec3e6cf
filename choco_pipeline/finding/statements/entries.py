"""What a found statement says in the claim language: the entries that a claims file would have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.claims.language.mistakes import mistakes_in
from choco_pipeline.finding.statements.statement_line import Kind, StatementError, StatementLine

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
