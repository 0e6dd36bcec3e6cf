"""The catalogue of claims: files, mistakes, and claims that fit a table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import product
from pathlib import Path

from choco_pipeline.claims.kinds import Check, Count, Kind
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim, names_of
from choco_pipeline.claims.language.claims_file import ClaimsFile, Entry
from choco_pipeline.claims.language.verdict import Finding, Undecided
from choco_pipeline.documents.yaml_file import Location, YamlFile
from choco_pipeline.errors import ChocoError, ConfigError
from choco_pipeline.formula import Formula, FormulaError, Range, parse, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import Notation, coordinates_of, match, read
from choco_pipeline.shipped import project_file
from choco_pipeline.statements import tree
from choco_pipeline.tables.spec import QUANTITIES, Quantity

#: Names with a fixed meaning in formulas; no parameter may have them.
RESERVED = {"v", "grundy", "g", "f", "p", "i", "j"}
#: The kinds of claims that can follow from others.
FOLLOWING = ("p-positions", "grundy", "values")
#: Number of characters before and after a mistake that its message quotes.
SHOWN = 100
#: Number of values of each parameter in the test that `for_all` implies `when`.
MOST_TRIED = 12


def mistakes_in(claim: Claim) -> Iterator[tuple[Location, str]]:
    """Yield every mistake in a claim: its place below the claim, and a message."""
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
        yield ("ruleset",), f"{name!r} cannot be a parameter: the name is reserved"
    known = set(claim.parameters)
    for key, spans in (("every", statement.every), ("some", statement.some)):
        for name, span in spans.items():
            if name in known | coordinates | RESERVED:
                yield (key, name), f"{name!r} cannot be given a value: the name is in use"
            yield from _unknown((key, name), span, known)
            known.add(name)
    yield from _unknown(("when",), statement.when, known)
    if plug_in is not None:
        yield from _about_plug_in(claim, plug_in)
    else:
        try:
            check = claim.check
        except ChocoError as error:
            at = f"\n{caret(error)}" if isinstance(error, FormulaError) else ""
            yield ("statement",), f"{error}{at}"
            return
        yield from _about_statement(claim, check)
    yield from _about_all_parameters(claim)
    yield from _about_the_sample(claim)


def caret(error: FormulaError) -> str:
    """Return the line with the error, and below it a caret at the column."""
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
    for message in _undefined_parts(claim):
        yield ("statement",), message
    for formula in _formulas(claim.proposition):
        if problem := formula.always_undefined():
            yield ("statement",), f"{problem}, for any values of the names\n{caret(problem)}"


def _undefined_parts(claim: Claim) -> Iterator[str]:
    """Yield a message for each part of a statement that is undefined in this claim."""
    for part in tree.walk(claim.proposition):
        match part:
            case tree.IsPrinted() | tree.Printed() if not claim.statement.printed:
                yield "nothing is printed: `printed` has the rows of the table or list"
            case tree.Place(at, game) if game is not None and at is not None:
                names = coordinates_of(game, claim.games)
                if claim.is_of_cells and names_of(game) in RECTANGULAR:
                    names = ("i", "j", *names[4:])
                if len(names) != len(at):
                    yield f"a position of {game.text} is ({', '.join(names)}), found {len(at)} coordinates"
            case tree.OfOption() | tree.IsOption() | tree.Grundy(tree.Place(game=None)) if (
                claim.is_of_cells
            ):
                yield "i and j are the cell of an uncut bar, which has an outcome only: use a, b, c, d for options and Grundy numbers"
            case _:
                pass


def _formulas(part: tree.Part) -> Iterator[Formula]:
    for one in tree.walk(part):
        match one:
            case tree.Expression(formula):
                yield formula
            case tree.InRange(_, span):
                yield from formulas_in(span)
            case _:
                pass


def _about_plug_in(claim: Claim, plug_in: Kind) -> Iterator[tuple[Location, str]]:
    kind, coordinates = claim.check.kind, frozenset(claim.coordinates)
    known = {*claim.parameters, *claim.statement.every}
    if plug_in.rulesets == ():
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
        if across and (number := len(claim.parameters)) != 1:
            why = f"{kind} compares tables that differ in one parameter, found {number}"
            yield ("ruleset",), why
    for place, message in plug_in.mistakes(claim.coordinates):
        yield ("check", *place), message
    for place, part, extra in plug_in.parts(coordinates):
        for name in sorted((known & set(extra)) - coordinates - RESERVED):
            yield ("check", *place), f"{name!r} cannot be named here: the name is in use"
        yield from _unknown(("check", *place), part, {*known, *extra})


def _about_all_parameters(claim: Claim) -> Iterator[tuple[Location, str]]:
    """Yield the reasons why a claim cannot be decided for all parameters at once."""
    statement, place = claim.statement, ("for_all",)
    follows = ("follows_from",) if statement.follows_from is not None else None
    if follows and statement.for_all is None:
        yield follows, "`for_all` is needed, with the parameters for which it follows"
    if follows and claim.reach is not None:
        why = "a statement with a limit on the size does not follow: lemmas are about all positions"
        yield follows, why
    if statement.for_all is None or claim.pattern is None:
        return
    if follows:
        can_follow = claim.check.kind in FOLLOWING or claim.on_options is not None
        if not can_follow or claim.is_of_whole_bars:
            why = "only `P <=> …`, `G == …`, sets of values and options can follow from others"
            yield follows, why
    elif (
        claim.determined is None
        or claim.is_of_whole_bars
        or (claim.determined.where is not None and claim.shape[0] != "with-pass")
    ):
        why = "only `P <=> …` and `G == …` of all positions can be decided for all parameters"
        yield place, why
    if statement.every or claim.let:
        yield place, "a claim with `every` or `let` cannot be decided for all parameters at once"
    if not claim.parameters:
        yield place, "the ruleset has no parameters"
    known = {*claim.parameters, *statement.some}
    mistakes = list(_unknown(place, statement.for_all, known))
    if not mistakes and not statement.for_all.names <= claim.parameters:
        is_natural = all(span.first.text.isdigit() for span in statement.some.values())
        if statement.for_all != statement.when or not is_natural:
            why = "with integers of `some` it must be the same as `when`, and their ranges start at a number"
            mistakes.append((place, why))
    yield from mistakes
    if mistakes or statement.every:
        return
    names = sorted(claim.parameters)
    for values in product(range(MOST_TRIED), repeat=len(names)):
        given = dict(zip(names, values, strict=True))
        if claim.is_for_all(given) and not claim.is_about(given):
            yield place, f"the claim is not about {assigned(given)}: `for_all` must imply `when`"
            return


def _about_the_sample(claim: Claim) -> Iterator[tuple[Location, str]]:
    sample = claim.sample
    if sample is None:
        return
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
                why = f"the number of heaps must be written out, found {value}"
                raise ChocoError(f"{pattern.name}: {why}")
            case Formula() if key != "f" and value.names and value.names != {value.text}:
                why = f"{key} must be an integer or a name that stands for one, found {value}"
                raise ChocoError(f"{pattern.name}: {why}")
            case _:
                pass


def formulas_in(part: Formula | Range | None) -> tuple[Formula, ...]:
    """Return the formulas in the value of a key: one, those of a range, or none."""
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
    """Return the finding for a claim with an undefined formula."""
    text = error.text.strip()
    keys = (
        ".".join(map(str, place))
        for place, formula in formulas_of(claim)
        if text in (formula.source.strip(), formula.text)
    )
    key = next(keys, "statement" if claim.statement.statement is not None else None)
    where = f"{key} ({text})" if key else text
    return Finding(Undecided(f"{where}: {error}"), {"key": key} if key else {})


#: Further known theorems, with which found statements are compared in every run.
BACKGROUND = Path("config/claims/background.yaml")


@dataclass(frozen=True)
class Catalogue:
    """Claims by id, in the order of their files."""

    claims: Mapping[str, Claim]
    #: For each id, the places ``file:line:column`` of the keys with formulas, such as ``check.formula``.
    places: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    #: Cache of `speaking_of`: found statements ask for the same games repeatedly.
    _speaking: dict[str, tuple[Claim, ...]] = field(default_factory=dict, compare=False, repr=False)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims.values())

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, claim_id: str) -> Claim:
        """Return a claim; `ConfigError` with similar ids if there is none of this id."""
        if claim_id not in self.claims:
            raise ConfigError(self.unknown(claim_id))
        return self.claims[claim_id]

    def unknown(self, claim_id: str) -> str:
        """Return the error message for an unknown id."""
        near = get_close_matches(claim_id, self.claims, 3, 0.5)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        return f"no claim has the id {claim_id!r}{hint} ({len(self.claims)} claims are loaded)"

    def premises(self, claim: Claim) -> list[Claim]:
        """Return the premises of a claim, direct and indirect, in logical order.

        Raises `ConfigError` if a premise does not exist, or a claim follows from itself.
        """
        premises: dict[str, Claim] = {}

        def add(premise: Claim, path: tuple[str, ...]) -> None:
            if premise.id in path:
                circle = " from ".join([*path[path.index(premise.id) :], premise.id])
                raise ConfigError(f"a claim cannot follow from itself: {circle}")
            for other in () if (by := premise.statement.follows_from) is None else by.claims:
                add(self[other], (*path, premise.id))
            premises[premise.id] = premise

        add(claim, ())
        return [premise for premise in premises.values() if premise.id != claim.id]

    def fitting(self, ruleset: str, quantity: Quantity) -> Iterator[tuple[Claim, dict[str, int]]]:
        """Yield the claims that fit a table, with each of their `cases`."""
        notation = read(ruleset)
        for pattern, claims in self._by_pattern[names_of(notation), quantity].items():
            parameters = match(read(pattern), notation)
            for claim in claims if parameters is not None else ():
                try:
                    cases = claim.cases(parameters or {})
                except ConfigError as error:
                    place = self.places.get(claim.id, {}).get("when")
                    raise ConfigError(f"{place}: {error}" if place else str(error)) from error
                yield from ((claim, case) for case in cases)

    def speaking_of(self, ruleset: str) -> Sequence[Claim]:
        """Return the claims that fit a table of the ruleset, each once."""
        if ruleset not in self._speaking:
            fitting = (
                entry for quantity in QUANTITIES for entry, _ in self.fitting(ruleset, quantity)
            )
            self._speaking[ruleset] = tuple({claim.id: claim for claim in fitting}.values())
        return self._speaking[ruleset]

    @cached_property
    def bounded(self) -> Catalogue:
        """The claims with a formula for the positions up to a bound."""
        claims = self.claims.items()
        return Catalogue({name: one for name, one in claims if one.determined and one.reach})

    @cached_property
    def _by_pattern(self) -> Mapping[tuple[tuple[str, ...], Quantity], dict[str, list[Claim]]]:
        """Claims grouped by pattern, so that each pattern is matched only once."""
        by_pattern: dict[tuple[tuple[str, ...], Quantity], dict[str, list[Claim]]]
        by_pattern = defaultdict(lambda: defaultdict(list))
        for claim in self.claims.values():
            for quantity in claim.quantities:
                by_pattern[claim.shape, quantity][str(claim.statement.ruleset)].append(claim)
        return by_pattern


def load_catalogue(paths: Sequence[Path]) -> Catalogue:
    """Read claims files.

    Raises `ConfigError` for the first file with mistakes. There is one line for each mistake, with file, line, column, key, value
    and allowed values. References to missing claims are mistakes, too; `contradicts` may name claims of files that are not read.
    """
    claims: dict[str, Claim] = {}
    places: dict[str, dict[str, str]] = {}
    entries: list[tuple[YamlFile, Location, Entry]] = []
    papers: set[str] = set()
    for path in paths:
        file = YamlFile(path)
        document = file.load(ClaimsFile)
        papers.add(document.paper.key)
        mistakes: list[str] = []
        for i, entry in enumerate(document.claims):
            claim = Claim(entry, document.paper)
            here: Location = ("claims", i)
            own = list(mistakes_in(claim))
            if entry.id in claims:
                others = [f.where((*there, "id")) for f, there, e in entries if e.id == entry.id]
                own.append((("id",), f"{entry.id!r} is the id of another claim, at {others[-1]}"))
            mistakes += [str(file.error((*here, *place), message)) for place, message in own]
            claims[entry.id] = claim
            entries.append((file, here, entry))
            if not own:
                held = {place for place, _ in formulas_of(claim)}
                held |= {("statement",)} if entry.statement is not None else set()
                places[entry.id] = {
                    ".".join(map(str, place)): file.where((*here, *place)) for place in held
                }
        if mistakes:
            raise ConfigError("\n".join(mistakes))
    catalogue = Catalogue(claims, places)
    mistakes = [
        str(file.error((*here, *place), catalogue.unknown(other)))
        for file, here, entry in entries
        for place, other in _references(entry)
        if other not in claims and (place == ("corrects",) or other.partition("-")[0] in papers)
    ]
    for file, here, entry in entries:
        try:
            catalogue.premises(claims[entry.id])
        except ConfigError as error:
            mistakes.append(str(file.error((*here, "follows_from", "claims"), str(error))))
    if mistakes:
        raise ConfigError("\n".join(mistakes))
    return catalogue


def load_with_background(paths: Sequence[Path]) -> Catalogue:
    """Read claims files, and the background theorems if they are not among them."""
    background = project_file(BACKGROUND)
    is_read = background.is_file() and background not in paths
    return load_catalogue([*paths, background] if is_read else paths)


def _references(entry: Entry) -> Iterator[tuple[Location, str]]:
    """Yield the claims that a claim corrects or contradicts, with their places."""
    if entry.corrects is not None:
        yield ("corrects",), entry.corrects
    for i, other in enumerate(entry.contradicts):
        yield ("contradicts", i), other
