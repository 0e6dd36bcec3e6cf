"""What can be wrong with a claim beyond its single keys: names that mean nothing, patterns that match nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from choco_pipeline.claims.claim import RECTANGULAR, Claim
from choco_pipeline.claims.model import (
    Cellular,
    Check,
    Count,
    Counts,
    GrundyNumbers,
    PPositions,
    Values,
)
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.games.notation import Notation

#: What formulas may use besides coordinates, parameters and `let`, and what therefore cannot name a parameter.
RESERVED = {"v", "grundy", "g", "p", "i", "j"}


def mistakes_in(claim: Claim) -> Iterator[tuple[Location, str]]:
    """Yield the place below the claim, and what to say about it, of every mistake."""
    try:
        coordinates = set(claim.coordinates)
        _require_matchable(claim.pattern)
    except ChocoError as error:
        yield ("ruleset",), str(error)
        return
    parameters = set(claim.pattern.names)
    for name in sorted(parameters & (coordinates | RESERVED)):
        yield ("ruleset",), f"{name!r} cannot be a parameter: it has a meaning"
    if isinstance(claim.check, Counts | Cellular) and claim.shape != ("rectangular-bar",):
        yield (
            ("check", "kind"),
            f"{claim.check.kind} speaks of a rectangular-bar, found {claim.statement.ruleset}",
        )
    if isinstance(claim.check, Counts) and len(parameters) != 1:
        yield (
            ("ruleset",),
            f"counts compares tables that differ in one parameter, found {len(parameters)}",
        )
    yield from _about_bounds(claim)
    yield from _unknown(("when",), claim.statement.when, parameters)
    known = set(parameters)
    for name, formula in claim.statement.let.items():
        if name in known | coordinates | RESERVED:
            yield ("let", name), f"{name!r} cannot be given a value: it has one already"
        yield from _unknown(("let", name), formula, known)
        known.add(name)
    yield from _unknown(("finite",), claim.statement.finite, known)
    for key, part, extra in _formulas(claim.check, coordinates):
        yield from _unknown(("check", *key), part, known | extra)


def _about_bounds(claim: Claim) -> Iterator[tuple[Location, str]]:
    finite = claim.statement.finite
    match claim.check:
        case Count() if finite is None and claim.shape not in RECTANGULAR:
            yield (
                ("finite",),
                "this key is needed: to count, a bound must be known that holds all cases",
            )
        case PPositions(where=None) | GrundyNumbers(where=None) if finite is not None:
            yield ("finite",), "a finite statement has a `where` in its check"
        case Values() | Counts() | Cellular() if finite is not None:
            yield (
                ("finite",),
                f"a statement of kind {claim.check.kind} is not decided by a bound",
            )
        case Cellular(terms=terms):
            for i, (dn, _, _) in enumerate(terms):
                if dn < 1:
                    yield (
                        ("check", "terms", i),
                        f"a generation follows from earlier ones: dn is at least 1, found {dn}",
                    )
        case _:
            pass


def _formulas(
    check: Check, coordinates: set[str]
) -> Iterator[tuple[Location, Formula | None, set[str]]]:
    """Yield every formula of a check: where it stands, and which names it may use besides parameters."""
    match check:
        case PPositions():
            yield ("formula",), check.formula, coordinates
            yield ("where",), check.where, coordinates
        case GrundyNumbers():
            yield ("equals",), check.equals, coordinates
            yield ("where",), check.where, coordinates
        case Values():
            yield ("of",), check.of, coordinates
            yield ("values",), check.values, {"v"}
            yield ("where",), check.where, coordinates
        case Count():
            yield (
                ("of",),
                check.of,
                coordinates | ({"grundy"} if check.over == "positions" else set()),
            )
            yield ("where",), check.where, coordinates
            yield ("equals",), check.equals, set()
        case Counts():
            for i, relation in enumerate(check.relations):
                yield ("relations", i), relation, set()
        case Cellular():
            yield ("generation",), check.generation, set()
        case _:
            assert_never(check)


def _unknown(
    location: Location, formula: Formula | None, names: set[str]
) -> Iterator[tuple[Location, str]]:
    if formula is not None:
        try:
            parse(formula.source, names, formula.functions)
        except FormulaError as error:
            yield location, str(error)


def _require_matchable(pattern: Notation) -> None:
    for key, value in pattern.arguments:
        match value:
            case Notation():
                _require_matchable(value)
            case Formula() if key == "heaps" and value.names:
                raise ChocoError(
                    f"{pattern.name}: the number of heaps must be written out, found {value}"
                )
            case Formula() if key != "f" and value.names and value.names != {value.text}:
                raise ChocoError(
                    f"{pattern.name}: {key} must be an integer or a name that stands for one, found {value}"
                )
            case _:
                pass
