"""What can be wrong with a claim beyond its single keys: names that mean nothing, patterns that match nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.claim_formulas import parts_of
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.ranges import Range, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import Notation

#: What formulas may use besides coordinates, parameters and `let`, and what therefore cannot name a parameter.
RESERVED = {"v", "grundy", "g", "f", "p", "i", "j"}
#: The kinds of claims that can follow from others.
FOLLOWING = ("p-positions", "grundy", "values", "options")
#: Each parameter takes the values below this when it is tried whether `for_all` implies `when`.
MOST_TRIED = 12


def mistakes_in(claim: Claim) -> Iterator[tuple[Location, str]]:
    """Yield the place below the claim, and what to say about it, of every mistake."""
    kind = claim.check
    try:
        coordinates = frozenset(claim.coordinates)
        if claim.pattern is not None:
            _require_matchable(claim.pattern)
    except ChocoError as error:
        yield ("ruleset",), str(error)
        return
    yield from _about_the_ruleset(claim, coordinates)
    yield from _about_reach(claim)
    yield from _about_all_parameters(claim)
    known = set(claim.parameters)
    for name, span in claim.statement.every.items():
        yield from _given(("every", name), name, span, known, coordinates)
    for name, span in claim.statement.some.items():
        yield from _given(("some", name), name, span, known, coordinates)
    yield from _unknown(("when",), claim.statement.when, known)
    yield from _about_some(claim, coordinates)
    for name, formula in claim.statement.let.items():
        yield from _given(("let", name), name, formula, known, coordinates)
    yield from _unknown(("reach",), claim.statement.reach, known)
    yield from ((("check", *place), message) for place, message in kind.mistakes(claim.coordinates))
    for place, part, extra in kind.parts(coordinates):
        for name in sorted((known & set(extra)) - coordinates - RESERVED):
            yield ("check", *place), f"{name!r} cannot be named here: it has a value already"
        yield from _unknown(("check", *place), part, known | set(extra))
    yield from _about_the_sample(claim)


def _about_the_ruleset(
    claim: Claim, coordinates: Collection[str]
) -> Iterator[tuple[Location, str]]:
    kind = claim.check
    for name in sorted(claim.parameters & (set(coordinates) | RESERVED)):
        yield ("ruleset",), f"{name!r} cannot be a parameter: it has a meaning"
    if not kind.of_rulesets:
        for key in ("ruleset", "every", "some", "when", "for_all", "follows_from", "let", "reach"):
            if getattr(claim.statement, key):
                yield (key,), f"a statement of kind {claim.check.kind} has no `{key}`"
        return
    if claim.pattern is None:
        yield (), f"`ruleset` is needed: {claim.check.kind} speaks of one"
        return
    base = claim.shape[-1] if claim.shape[0] == "with-pass" else claim.shape[0]
    allowed = kind.rulesets
    if allowed is not None and (base not in allowed or (kind.over_tables and len(claim.shape) > 1)):
        yield (
            ("check", "kind"),
            f"{claim.check.kind} speaks of a {' or '.join(allowed)}, found {claim.statement.ruleset}",
        )
    if kind.over_tables and claim.statement.every:
        yield (
            ("every",),
            f"a statement of kind {claim.check.kind} has no `every`: it compares tables",
        )
    if kind.over_tables and len(claim.parameters) != 1:
        yield (
            ("ruleset",),
            f"{claim.check.kind} compares tables that differ in one parameter, found {len(claim.parameters)}",
        )


def _about_some(claim: Claim, coordinates: frozenset[str]) -> Iterator[tuple[Location, str]]:
    """Yield formulas other than `when` that use an integer of `some`: which of those that fit would not be said."""
    statement, kind = claim.statement, claim.check
    held: list[tuple[Location, Formula | Range | None]] = [
        *((("let", name), formula) for name, formula in statement.let.items()),
        (("reach",), statement.reach),
    ]
    held += [(("check", *place), part) for place, part, _ in kind.parts(coordinates)]
    for place, part in held:
        names = () if part is None else part.names
        for name in sorted(statement.some.keys() & names):
            yield (
                place,
                f"{name!r} is one of `some`, which only `when` may use: for a claim on each of them there is `every`",
            )


def _about_reach(claim: Claim) -> Iterator[tuple[Location, str]]:
    kind = claim.check
    if not kind.of_rulesets:
        return
    reach = claim.statement.reach
    if kind.reach == "must" and reach is None and claim.shape not in RECTANGULAR:
        yield ("reach",), "this key is needed: a bound must be known that holds all cases"
    if claim.shape in RECTANGULAR and reach is not None:
        yield (
            ("reach",),
            "the shape of a rectangular bar limits its coordinates: no reach is needed",
        )
    if kind.reach == "no" and reach is not None:
        yield ("reach",), f"a statement of kind {claim.check.kind} is not decided by a bound"


def _about_all_parameters(claim: Claim) -> Iterator[tuple[Location, str]]:
    """Yield why a claim cannot be decided for all parameters at once, or that it does not speak of some of them."""
    statement, kind = claim.statement, claim.check
    if statement.follows_from is not None and statement.for_all is None:
        yield ("follows_from",), "`for_all` is needed: for which parameters it follows"
    if statement.follows_from is not None and statement.reach is not None:
        yield (
            ("follows_from",),
            "a statement with a `reach` does not follow: lemmas speak of all positions",
        )
    if statement.for_all is None or claim.pattern is None:
        return
    place = ("for_all",)
    if statement.follows_from is not None:
        if claim.check.kind not in FOLLOWING or claim.is_of_whole_bars:
            yield (
                ("follows_from",),
                f"only claims of kind {', '.join(FOLLOWING)} can follow from others",
            )
    elif not kind.of_all_positions or claim.is_of_whole_bars:
        yield (
            place,
            "only p-positions, exactly, and grundy, of all positions, can be decided for all",
        )
    for key in ("every", "let"):
        if getattr(statement, key):
            yield place, f"a claim with `{key}` cannot be decided for all parameters at once"
    if not claim.parameters:
        yield place, "the ruleset has no parameters"
    mistakes = list(_unknown(place, statement.for_all, claim.parameters))
    yield from mistakes
    if mistakes or statement.every:
        return
    names = sorted(claim.parameters)
    for values in product(range(MOST_TRIED), repeat=len(names)):
        given = dict(zip(names, values, strict=True))
        if claim.is_for_all(given) and not claim.speaks_of(given):
            at = assigned(given)
            yield place, f"the claim does not speak of {at}: `for_all` must imply `when`"
            return


def _about_the_sample(claim: Claim) -> Iterator[tuple[Location, str]]:
    if not isinstance(claim.statement, Entry) or claim.statement.sample is None:
        return
    sample = claim.statement.sample
    known: set[str] = set()
    for name, span in sample.parameters.items():
        yield from _unknown(("sample", "parameters", name), span, known)
        known.add(name)
    for name in sorted(claim.parameters - known):
        yield ("sample", "parameters"), f"the ruleset's parameter {name!r} is needed"
    yield from _unknown(("sample", "bound"), sample.bound, known)


def _given(
    place: Location,
    name: str,
    part: Formula | Range,
    known: set[str],
    coordinates: Collection[str],
) -> Iterator[tuple[Location, str]]:
    if name in known | set(coordinates) | RESERVED:
        yield place, f"{name!r} cannot be given a value: it has one already"
    yield from _unknown(place, part, known)
    known.add(name)


def _unknown(
    place: Location, part: Formula | Range | None, names: Collection[str]
) -> Iterator[tuple[Location, str]]:
    """Yield a mistake if a formula uses a name without a value, or cannot have one itself."""
    try:
        match part:
            case Formula():
                parse(part.source, names, part.functions)
            case Range():
                parse_range(part.text, names)
            case None:
                pass
    except FormulaError as error:
        yield place, str(error)
        return
    for formula in parts_of(part):
        if problem := formula.always_undefined():
            yield place, f"{problem}, whatever the names are"


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
