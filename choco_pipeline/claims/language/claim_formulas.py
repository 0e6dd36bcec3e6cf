"""Every formula of a claim by the key that holds it, and which of them an error speaks of."""

from __future__ import annotations

from collections.abc import Iterator

from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Undecided
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula, FormulaError, parse
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
    """Yield every formula that decides a claim's verdict, and its place below the claim."""
    statement, kind = claim.statement, claim.check
    held: list[tuple[Location, Formula | Range | None]] = [
        *((("every", name), span) for name, span in statement.every.items()),
        *((("some", name), span) for name, span in statement.some.items()),
        (("when",), statement.when),
        (("for_all",), statement.for_all),
        *((("let", name), formula) for name, formula in statement.let.items()),
        (("reach",), statement.reach),
    ]
    held += [
        (("check", *place), part) for place, part, _ in kind.parts(frozenset(claim.coordinates))
    ]
    for place, part in held:
        yield from ((place, formula) for formula in parts_of(part))


def without_value(claim: Claim, error: FormulaError) -> Finding:
    """Return the finding where a formula of a claim has no value: which key holds it, what it says, and at which place."""
    key = _key(claim, error)
    where = f"{key} ({error.text.strip()})" if key else error.text.strip()
    return Finding(Undecided(f"{where}: {error}"), {"key": key} if key else {})


def _key(claim: Claim, error: FormulaError) -> str | None:
    """Return the key that holds the formula of an error, perhaps with integers for some names."""
    held = [(".".join(map(str, place)), formula) for place, formula in formulas_of(claim)]
    text = error.text.strip()
    for key, formula in held:
        if text in (formula.source.strip(), formula.text):
            return key
    for key, formula in held:
        try:
            asked = parse(text, functions=formula.functions)
        except FormulaError:
            continue
        if asked.match(formula, asked.names) is not None:
            return key
    return None
