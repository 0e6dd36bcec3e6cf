"""Statements for tests, written from their parts: which relation, which formula, for which positions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry, Paper
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.games.notation import coordinates_of, read
from choco_pipeline.statements.tree import OfCell, text_of, walk

#: Checks that the language of statements does not say.
PLUG_INS = (
    "counts",
    "cellular",
    "octahedron",
    "columns",
    "listing",
    "height-functions",
    "sections",
)
Document = Mapping[str, Any]


def claim_from(document: Document) -> Claim:
    """Return the claim of a document whose statement is given by its parts, under `check`."""
    return Claim.from_json(in_language(document))


def claim_for_all(ruleset: str, condition: str, check: Document, **more: Any) -> Claim:
    """Return a claim that is to be decided for all parameters that satisfy a condition; it speaks of these, unless `when` says more."""
    said = {"id": "drawn", "ruleset": ruleset, "when": condition, "for_all": condition}
    return claim_from({**said, "check": check, **more})


def of_p_positions(formula: str) -> Document:
    return {"kind": "p-positions", "formula": formula}


def entry_from(document: Document, paper: Paper | None = None) -> Claim:
    """Return the claim of a catalogue whose statement is given by its parts, under `check`."""
    entry = {"number": "1", "status": "theorem", "words": "Words.", **document}
    return Claim(Entry.model_validate(in_language(entry)), paper)


def reworded(claim: Claim, old: str, new: str) -> Claim:
    """Return a claim with a change in the canonical text of its statement."""
    text = text_of(claim.proposition)
    assert old in text, text
    changed = claim.statement.model_copy(update={"statement": text.replace(old, new)})
    return Claim(changed, claim.paper)


def is_about_cells(claim: Claim) -> bool:
    """Return whether each position is compared with each cell of a box."""
    return claim.statement.check is None and any(
        isinstance(part, OfCell) for part in walk(claim.proposition)
    )


def in_language(document: Document) -> dict[str, Any]:
    """Return a document with the text of its statement in place of the parts of it."""
    check = document.get("check")
    if check is None or check["kind"] in PLUG_INS:
        return dict(document)
    written = {key: part for key, part in document.items() if key not in ("check", "let", "reach")}
    let = document.get("let") or {}
    defined = (
        f"let {', '.join(f'{name} = {value}' for name, value in let.items())}: " if let else ""
    )
    reach = document.get("reach")
    premise = [] if reach is None else [f"size <= {reach}"]
    written["statement"] = defined + statement(check, premise, document.get("ruleset"))
    if check["kind"] == "integers":
        written["bound"] = check.get("bound", 0)
    if check["kind"] in ("p-list", "grundy-table"):
        written["printed"] = [list(row) for row in check.get("positions", check.get("rows"))]
    return written


def statement(check: Document, premise: list[str], ruleset: str | None) -> str:
    """Return the text of a statement, of positions that satisfy a premise."""
    where = check.get("where")
    if where is not None and check["kind"] != "integers":
        premise = [*premise, part(where)]
    before = " and ".join(premise)
    match check["kind"]:
        case "p-positions":
            formula = check["formula"]
            match check.get("relation", "exactly"):
                case "exactly":
                    return implied(before, f"P <=> {formula}")
                case "contain":
                    return implied(before, f"{formula} => P")
                case _:
                    return f"{' and '.join([*premise, 'P'])} => {formula}"
        case "grundy":
            return implied(before, f"G == {check['equals']}")
        case "values":
            sign = {"exactly": "==", "within": "<=", "contains-all": ">="}[check["relation"]]
            return f"{{{check['of']}: {' and '.join(['P', *premise])}}} {sign} {{v: {check['values']}}}"
        case "options":
            return of_options(check, coordinates_of(read(str(ruleset))))
        case "count":
            parts = ["P"] if check.get("over") == "p-positions" else []
            parts += [*premise, part(str(check["of"]).replace("grundy", "G"))]
            beside = "".join(f", {n} in {span}" for n, span in check.get("beside", {}).items())
            return f"count(position{beside}: {' and '.join(parts)}) == {check['equals']}"
        case "integers":
            return of_integers(check)
        case "p-list":
            row = ", ".join(coordinates_of(read(str(ruleset))))
            return implied(before, f"P <=> ({row}) in printed")
        case "grundy-list":
            return " and ".join(f"G({', '.join(map(str, p))}) == {g}" for *p, g in check["numbers"])
        case "grundy-table":
            down, across = check["down"], check["across"]
            return f"{down} <= {len(check['rows']) - 1} => G == printed({down}, {across})"
        case other:
            raise ValueError(other)


def implied(premise: str, said: str) -> str:
    return f"{premise} => ({said})" if premise else said


def part(condition: object) -> str:
    """Return a condition as a part of a conjunction."""
    try:
        is_or = parse(str(condition), functions=["G"]).junction == "or"
    except FormulaError:
        is_or = True
    return f"({condition})" if is_or else str(condition)


def of_options(check: Document, names: Iterable[str]) -> str:
    by = f" by {', '.join(check['by'])}" if check.get("by") else ""
    to = re.sub(rf"\b({'|'.join(names)})\b", r"\1'", str(check["to"]))
    if beside := check.get("beside"):
        here = "y' == y" if beside == "kept" else "y' < y"
        is_or = parse(str(check["to"])).junction == "or"
        to = (
            f"{here} => {to}"
            if check["have"] == "every"
            else f"{here} and {f'({to})' if is_or else to}"
        )
    return f"{check['of']} => {check['have']} option{by}: {to}"


def of_integers(check: Document) -> str:
    listed = check.get("listed", [])
    ranges = (f"{n} in {'sample ' * (n in listed)}{span}" for n, span in check["all"].items())
    text = f"for {', '.join(ranges)}: {defined(check.get('let', {}))}"
    parts = [part(one) for one in listed_of(check.get("holds", []))]
    if check.get("any"):
        parts.append(f"({' or '.join(map(str, check['any']))})")
    if check.get("equivalent"):
        parts.append(f"({' <=> '.join(map(str, check['equivalent']))})")
    if number := check.get("number"):
        counted = ", ".join(f"{n} in {span}" for n, span in number["of"].items())
        sign, value = ("==", number["exactly"]) if "exactly" in number else (">=", number["least"])
        parts.append(
            f"count({counted}: {defined(number.get('let', {}))}{number['such']}) {sign} {value}"
        )
    where = [part(one) for one in listed_of(check.get("where", []))]
    return text + (f"{' and '.join(where)} => " if where else "") + " and ".join(parts)


def defined(let: Document) -> str:
    return f"let {', '.join(f'{name} = {value}' for name, value in let.items())}: " if let else ""


def listed_of(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]
