"""``choco mine``: searches in the tables of a game or a family."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from choco_pipeline.claims.conclusions.conclusion import SIGNS
from choco_pipeline.claims.language.catalogue import RESERVED
from choco_pipeline.claims.language.claim import assignments
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli.checking import known_claims
from choco_pipeline.cli.output import SETTINGS, Json, emit
from choco_pipeline.cli.progress import bars
from choco_pipeline.errors import ChocoError, ConfigError, LimitError
from choco_pipeline.finding.heights import classified_all
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.single import learned_from_game
from choco_pipeline.finding.stage import Finder, document_of, proposals
from choco_pipeline.finding.statement import UNITS, WHERE_COMPARED, FoundDocument, Mined
from choco_pipeline.finding.tables import MemberTable, TableFamily
from choco_pipeline.formula import FormulaError, Range, parse_range
from choco_pipeline.games import Ruleset
from choco_pipeline.games.notation import Notation, build, match, read
from choco_pipeline.mining.table_findings import is_complete_formula
from choco_pipeline.mining.task import MINERS, mine_table
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import cost_of, quick_bound, require_memory
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.spec import Quantity, variable_of

app = typer.Typer(**SETTINGS)
#: More games than this need a sweep.
MOST_GAMES = 1000
#: Least bound for one heap by default: the period 34 of Dawson's Kayles begins at 53.
LEAST_OF_ONE = 512
#: Automata are learned for at most this number of games.
MOST_AUTOMATA = 4


@app.command()
def mine(
    words: Annotated[
        list[str],
        typer.Argument(
            help="A ruleset, and values for the names in it: 'strip-bar(k=k, s=s)' k=2..8 s=0..k-1.",
            metavar="RULESET [NAME=VALUE…]",
        ),
    ],
    bound: Annotated[int | None, typer.Option(help="Bound of the tables.")] = None,
    quantity: Annotated[
        Quantity | None,
        typer.Option(
            help="P-positions by default; Grundy numbers for step bars, and both for one heap."
        ),
    ] = None,
    what: Annotated[
        list[str] | None,
        typer.Option(
            help="A search: formulas, value-sets, symmetric, lines, counts, cellular or blocks (repeatable). By default all, and relations to other games."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Search a game's or a family's tables for regularities, and test them."""
    games, tables, document = mine_games(words, bound, quantity, what or ())
    if json:
        emit(document.document())
    else:
        game = "" if read(words[0]).names else games[0].notation
        print("\n".join(_lines(document, counted(tables, "table"), game)))


def mine_games(
    words: Sequence[str],
    bound: int | None = None,
    quantity: Quantity | None = None,
    what: Sequence[str] = (),
) -> tuple[list[Ruleset], int, FoundDocument]:
    """Return games, the number of their tables, and the found statements.

    The first word is a ruleset. The others are a value or a range for each name in it, ``name=value`` or ``name=first..last``;
    later ones may use earlier names. Defaults: the largest bound for which tables are computed quickly; P-positions, but
    Grundy numbers for flat bars, and both for one heap; all searches, which are the keys of
    `choco_pipeline.mining.task.MINERS`, and also relations between games. For at most `MOST_AUTOMATA` games, formulas are
    also learned from automata, if a table has no formula for all positions. A terminal shows the progress. Raises `ConfigError`
    if a search or a name is unknown, or a name has no value; `LimitError` if there are too many games, or a table is too large.
    """
    unknown = next((name for name in what if name not in MINERS), None)
    if unknown is not None:
        raise ConfigError(f"--what {unknown}: one of {', '.join(MINERS)} is needed")
    pattern, games = _games(words)
    tables = [
        (game, parameters, *planned)
        for game, parameters in games
        for planned in _tables(game, quantity, bound)
    ]
    learns = "formulas" in (what or MINERS) and len(tables) <= MOST_AUTOMATA
    with bars() as progress:
        mining = progress.add_task("mining", total=len(tables))
        progress_of_finding = progress.add_task("finding", total=2)
        mined: list[Mined] = []
        members: dict[Quantity, list[MemberTable]] = defaultdict(list)
        for game, parameters, chosen, size in tables:
            cells = Cells.computed(game, size, chosen)
            findings = mine_table(what or MINERS, cells)
            if learns and not any(map(is_complete_formula, findings)):
                findings += learned_from_game(cells)
            family = words[0] if pattern.names else game.notation
            mined += [
                Mined(game.notation, chosen, size, family, parameters, finding)
                for finding in findings
            ]
            members[chosen].append(MemberTable.in_memory(parameters, cells, findings))
            progress.advance(mining)
        families = [
            TableFamily.of(words[0], several) for several in members.values() if pattern.names
        ]
        bounds = {(game.notation, chosen): size for game, _, chosen, size in tables}
        searches = proposals(mined, families, related_games=not what)
        progress.update(progress_of_finding, total=len(searches) + 1)
        searched = []
        for search in searches:
            searched.append(search())
            progress.advance(progress_of_finding)
        document = document_of(searched, Finder(Tables(bounds), known_claims()))
        progress.advance(progress_of_finding)
    return [game for game, _ in games], len(tables), document


@app.command()
def heights(
    side: Annotated[int, typer.Option(help="The largest x, and the largest z.")] = 3,
    height: Annotated[int, typer.Option(help="The largest height.")] = 2,
    json: Json = False,
) -> None:
    """Classify monotone height functions by G = x⊕y⊕z, or P iff x⊕y⊕z = 0."""
    document = classified_all(side, height)
    if json:
        emit(document.document())
    else:
        functions = document.statements[-1].found_on.positions
        print("\n".join(_lines(document, f"{functions:,} height functions")))


def _lines(document: FoundDocument, source: str, game: str = "") -> Iterator[str]:
    """Yield the lines on found statements, and on searches without a result.

    If no statement is about `game`, one line says so.
    """
    number = 0
    numbers = {statement.id: n for n, statement in enumerate(document.statements, start=1)}
    for number, statement in enumerate(document.statements, start=1):
        yield f"{number}. {statement.sentence}"
        if statement.statement:
            yield f"   as typed: {statement.statement}"
        if statement.known:
            yield f"   {statement.compared}: {', '.join(statement.known)}, {statement.where_compared}"
        if statement.follows_from:
            of = [str(numbers[one]) for one in statement.follows_from if one in numbers]
            yield f"   follows from statement {' and '.join(of)}, {WHERE_COMPARED[statement.follows_on]}"
        unit = UNITS.get(statement.search, "position")
        for label, evidence in (
            ("found on", statement.found_on),
            ("then held on", statement.held_on),
        ):
            yield f"   {label} {evidence.positions:,} {unit}s: {evidence.what}"
        yield f"   {counted(statement.tried.candidates, 'candidate')}: {statement.tried.what}"
        sign, words = SIGNS[statement.verdict]
        yield f"   {sign} {words}: {statement.conclusion.text}"
        yield ""
    nothing = [search for search in document.searches if search.nothing]
    if nothing:
        yield "searched, and nothing found:"
        for search in nothing:
            why = f" ({search.why})" if search.why else ""
            yield f"   {search.what}: {search.game}: {search.tried.candidates:,} candidates{why}"
        yield ""
    about = {statement.ruleset for statement in document.statements}
    if game and game not in about:
        others = "; all statements are about related games" if about else ""
        yield f"nothing was found about {game}{others}"
    yield f"{counted(number, 'statement')} from {source}"


def _games(words: Sequence[str]) -> tuple[Notation, list[tuple[Ruleset, dict[str, int]]]]:
    pattern = read(words[0])
    spans: dict[str, Range] = {}
    for word in words[1:]:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            raise ConfigError(f"{word!r}: name=value or name=first..last is needed")
        try:
            spans[name] = parse_range(text.strip(), names=spans)
        except FormulaError as error:
            raise ConfigError(f"{word}: {error}") from error
    missing = sorted(pattern.names - spans.keys())
    if missing:
        raise ConfigError(f"{words[0]}: a value is needed for {' and '.join(missing)}")
    chosen = list(islice(assignments(spans, {}), MOST_GAMES + 1))
    if len(chosen) > MOST_GAMES:
        raise LimitError(f"{words[0]}: more than {MOST_GAMES:,} games; a sweep can take them")
    games: dict[str, tuple[Ruleset, dict[str, int]]] = {}
    for values in chosen:
        game = build(pattern, values, Path())
        parameters = match(pattern, read(game.notation))
        if parameters is None or parameters.keys() != pattern.names:
            raise ConfigError(
                f"{words[0]}: {game.notation} does not determine {' and '.join(sorted(pattern.names))}; "
                "an argument other than f must be a name or an integer: 'step-bar(k=k, s=s)' k=1..8 s=k-1"
            )
        games.setdefault(game.notation, (game, dict(sorted(parameters.items()))))
    if not games:
        raise ConfigError(f"{' '.join(words)}: there is no such game")
    coordinates = {game.coordinates: game.notation for game, _ in games.values()}
    for taken in sorted(pattern.names & RESERVED.union(*coordinates)):
        raise ConfigError(f"{words[0]}: {taken!r} cannot be a parameter: it has a meaning")
    if len(coordinates) > 1:
        several = (f"{game} has {', '.join(names)}" for names, game in coordinates.items())
        raise ConfigError(
            f"{words[0]}: games of a family have the same coordinates, but {'; '.join(several)}"
        )
    return pattern, list(games.values())


def _tables(
    game: Ruleset, quantity: Quantity | None, bound: int | None
) -> Iterator[tuple[Quantity, int]]:
    """Yield quantity and bound of the tables of a game.

    By default P-positions, and Grundy numbers of a bar without a strip and of one heap.
    """
    if bound is not None and bound < 0:
        raise ConfigError(f"--bound: at least 0 is needed, found {bound}")
    bar = game.base.rules.bar
    is_alone = bar is not None and bar.is_flat and bar.strip is None
    several: list[Quantity] = ["grundy"] if is_alone else ["p-positions"]
    if len(game.base.coordinates) == 1 and not game.base.rules.misere:
        several = ["grundy", "p-positions"]
    for chosen in [quantity] if quantity else several:
        if not variable_of(game, chosen).dims:
            continue
        size = bound
        with suppress(ChocoError):
            size = max(game.base.limits(None))  # the shape is its own bound
        if size is None:
            size = quick_bound(game, chosen)
            size = max(size, LEAST_OF_ONE) if len(game.coordinates) == 1 else size
        require_memory(game, size, cost_of(game, size, chosen).memory_whole, worker_memory(1))
        yield chosen, size
