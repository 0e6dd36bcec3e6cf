"""Mistakes in a claim beyond its single keys, and formulas without a value."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product

from choco_pipeline.claims.kinds import Check, Count
from choco_pipeline.claims.kinds.kind import Kind
from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim, names_of
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.claims.language.verdict import Undecided
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.ranges import Range, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import Notation, coordinates_of
from choco_pipeline.statements.tree import (
    Expression,
    Grundy,
    InRange,
    IsOption,
    IsPrinted,
    OfOption,
    Part,
    Place,
    Printed,
    walk,
)

#: Names that formulas may use besides coordinates, parameters and `let`; no parameter may have them.
RESERVED = {"v", "grundy", "g", "f", "p", "i", "j"}
#: The kinds of claims that can follow from others.
FOLLOWING = ("p-positions", "grundy", "values")
#: Characters of a line before and after a mistake in its message.
SHOWN = 100
#: Values of each parameter in the test that `for_all` implies `when`.
MOST_TRIED = 12


def mistakes_in(claim: Claim) -> Iterator[tuple[Location, str]]:
    """Yield the place below the claim, and what to say about it, of every mistake."""
    statement, plug_in = claim.statement, claim.statement.check
    if (statement.statement is None) == (plug_in is None):
        yield (), "either `statement` or `check` is needed"
        return
    try:
        coordinates = frozenset(claim.coordinates)
        if claim.pattern is not None:
            _require_matchable(claim.pattern)
    except ChocoError as error:
        yield ("ruleset",), str(error)
        return
    for name in sorted(claim.parameters & (coordinates | RESERVED)):
        yield ("ruleset",), f"{name!r} cannot be a parameter: it has a meaning"
    known = set(claim.parameters)
    for key, spans in (("every", statement.every), ("some", statement.some)):
        for name, span in spans.items():
            if name in known | coordinates | RESERVED:
                yield (key, name), f"{name!r} cannot be given a value: it has one already"
            yield from _unknown((key, name), span, known)
            known.add(name)
    yield from _unknown(("when",), statement.when, known)
    if plug_in is not None:
        in_statement = {*claim.parameters, *statement.every}
        yield from _about_plug_in(claim, plug_in, coordinates, in_statement)
    else:
        try:
            check = claim.check
        except FormulaError as error:
            yield ("statement",), f"{error}\n{caret(error)}"
            return
        except ChocoError as error:
            yield ("statement",), str(error)
            return
        yield from _about_statement(claim, check)
    yield from _about_all_parameters(claim)
    yield from _about_the_sample(claim)


def caret(error: FormulaError) -> str:
    """Return the line of a text in which an error is, and a caret below the place."""
    before = error.text[: error.column - 1]
    start = before.rfind("\n") + 1
    line, at = error.text[start:].split("\n", 1)[0], len(before) - start
    first = max(0, at - SHOWN)
    return f"  {line[first : at + SHOWN]}\n  {' ' * (at - first)}^"


def _about_statement(claim: Claim, check: Check) -> Iterator[tuple[Location, str]]:
    statement = claim.statement
    if claim.pattern is None:
        for key in ("every", "some", "when", "for_all", "follows_from", "sample"):
            if getattr(statement, key, None):
                yield (key,), f"a statement about integers has no `{key}`"
    elif statement.bound is not None:
        yield ("bound",), "`bound` is for statements about integers: a game has `sample`"
    if claim.shape in RECTANGULAR and claim.reach is not None:
        yield ("statement",), "a rectangular bar limits its coordinates: `size` is not needed"
    if check.kind == Count.kind and claim.reach is None and claim.shape not in RECTANGULAR:
        yield ("statement",), "a limit is needed that holds all cases, such as `size <= 20`"
    for message in _misused(claim):
        yield ("statement",), message
    for formula in _formulas(claim.proposition):
        if problem := formula.always_undefined():
            yield ("statement",), f"{problem}, for any values of the names\n{caret(problem)}"


def _misused(claim: Claim) -> Iterator[str]:
    """Yield a message for each part of a statement without a meaning in this claim."""
    for part in walk(claim.proposition):
        match part:
            case IsPrinted() | Printed() if not claim.statement.printed:
                yield "nothing is printed: `printed` has the rows of the table or list"
            case Place(at, game) if game is not None and at is not None:
                names = coordinates_of(game, claim.games)
                if claim.is_of_cells and names_of(game) in RECTANGULAR:
                    names = ("i", "j", *names[4:])
                if len(names) != len(at):
                    yield f"a position of {game.text} is ({', '.join(names)}), found {len(at)} coordinates"
            case OfOption() | IsOption() | Grundy(Place(game=None)) if claim.is_of_cells:
                yield "i and j are the cell of an uncut bar, which has an outcome only: use a, b, c, d for options and Grundy numbers"
            case _:
                pass


def _formulas(part: Part) -> Iterator[Formula]:
    for one in walk(part):
        match one:
            case Expression(formula):
                yield formula
            case InRange(_, span):
                yield from formulas_in(span)
            case _:
                pass


def _about_plug_in(
    claim: Claim, plug_in: Kind, coordinates: frozenset[str], known: Collection[str]
) -> Iterator[tuple[Location, str]]:
    kind = claim.check.kind
    if not plug_in.of_rulesets:
        for key in ("ruleset", "every", "some", "when", "for_all", "follows_from"):
            if getattr(claim.statement, key):
                yield (key,), f"a check of kind {kind} has no `{key}`"
    elif claim.pattern is None:
        yield (), f"`ruleset` is needed: {kind} is about one"
        return
    else:
        base = claim.shape[-1] if claim.shape[0] == "with-pass" else claim.shape[0]
        allowed, across = plug_in.rulesets, plug_in.over_tables
        if allowed is not None and (base not in allowed or (across and len(claim.shape) > 1)):
            found = f"{kind} is about a {' or '.join(allowed)}, found {claim.statement.ruleset}"
            yield ("check", "kind"), found
        if across and claim.statement.every:
            yield ("every",), f"a check of kind {kind} has no `every`: it compares tables"
        if across and len(claim.parameters) != 1:
            found = f"{kind} compares tables that differ in one parameter, found {len(claim.parameters)}"
            yield ("ruleset",), found
    for place, message in plug_in.mistakes(claim.coordinates):
        yield ("check", *place), message
    for place, part, extra in plug_in.parts(coordinates):
        for name in sorted((set(known) & set(extra)) - coordinates - RESERVED):
            yield ("check", *place), f"{name!r} cannot be named here: it has a value already"
        yield from _unknown(("check", *place), part, {*known, *extra})


def _about_all_parameters(claim: Claim) -> Iterator[tuple[Location, str]]:
    """Yield the reasons why a claim cannot be decided for all parameters at once."""
    statement = claim.statement
    if statement.follows_from is not None and statement.for_all is None:
        yield ("follows_from",), "`for_all` is needed: for which parameters it follows"
    if statement.follows_from is not None and claim.reach is not None:
        yield (
            ("follows_from",),
            "a statement with a limit on the size does not follow: lemmas are about all positions",
        )
    if statement.for_all is None or claim.pattern is None:
        return
    place = ("for_all",)
    if statement.follows_from is not None:
        if (
            claim.check.kind not in FOLLOWING and claim.on_options is None
        ) or claim.is_of_whole_bars:
            yield (
                ("follows_from",),
                "only `P <=> …`, `G == …`, sets of values and options can follow from others",
            )
    elif claim.determined is None or claim.determined.where is not None or claim.is_of_whole_bars:
        yield (
            place,
            "only `P <=> …` and `G == …` of all positions can be decided for all parameters",
        )
    if statement.every or claim.let:
        yield place, "a claim with `every` or `let` cannot be decided for all parameters at once"
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
            yield place, f"the claim is not about {at}: `for_all` must imply `when`"
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


def _unknown(
    place: Location, part: Formula | Range | None, names: Collection[str]
) -> Iterator[tuple[Location, str]]:
    """Yield a mistake if a formula has unknown names, or never has a value."""
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
    for formula in formulas_in(part):
        if problem := formula.always_undefined():
            yield place, f"{problem}, for any values of the names"


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


def formulas_in(part: Formula | Range | None) -> tuple[Formula, ...]:
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
        yield from ((place, formula) for formula in formulas_in(part))


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
