"""The formulas of a claim by their keys, and the key of one that causes an error."""

from __future__ import annotations

from collections.abc import Iterator

from choco_pipeline.claims.kinds.kind import Kind
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Undecided
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.ranges import Range


def parts_of(part: Formula | Range | None) -> tuple[Formula, ...]:
    """Return the formulas that a key holds: one, those of a range, or none."""
    match part:
        case Formula():
            return (part,)
        case Range(first, last, step):
            return (first, last) if step is None else (first, last, step)
        case None:
            return ()


def formulas_of(claim: Claim) -> Iterator[tuple[Location, Formula]]:
    """Yield the formulas of a claim outside its statement, each with its key."""
    statement, plug_in = claim.statement, claim.statement.check
    held: list[tuple[Location, Formula | Range | None]] = [
        *((("every", name), span) for name, span in statement.every.items()),
        *((("some", name), span) for name, span in statement.some.items()),
        (("when",), statement.when),
        (("for_all",), statement.for_all),
    ]
    if isinstance(plug_in, Kind):
        parts = plug_in.parts(frozenset(claim.coordinates))
        held += [(("check", *place), part) for place, part, _ in parts]
    for place, part in held:
        yield from ((place, formula) for formula in parts_of(part))


def without_value(claim: Claim, error: FormulaError) -> Finding:
    """Return the finding if a formula of a claim has no value."""
    text = error.text.strip()
    key = next(
        (
            ".".join(map(str, place))
            for place, formula in formulas_of(claim)
            if text in (formula.source.strip(), formula.text)
        ),
        "statement" if claim.statement.statement is not None else None,
    )
    where = f"{key} ({text})" if key else text
    return Finding(Undecided(f"{where}: {error}"), {"key": key} if key else {})
