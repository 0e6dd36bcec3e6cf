"""``choco mine`` and ``heights``: searches in tables and among height functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from choco_pipeline.api.mine import mine_games
from choco_pipeline.api.terminal import emit
from choco_pipeline.claims.conclusions.conclusion import SIGNS
from choco_pipeline.claims.language.verdict import counted
from choco_pipeline.cli.output import SETTINGS, Json
from choco_pipeline.errors import ConfigError
from choco_pipeline.finding.heights import classified_all
from choco_pipeline.finding.statement import UNITS, WHERE_COMPARED, FoundDocument
from choco_pipeline.games.notation import read
from choco_pipeline.tables.spec import Quantity

app = typer.Typer(**SETTINGS)


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
            help="A search: formulas, value-sets, symmetric, lines, counts, cellular or blocks (repeatable). The default is all searches, and relations to other games."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Search a game's or a family's tables for regularities, and test them."""
    ruleset, *values = words
    ranges: dict[str, str] = {}
    for word in values:
        name, equals, text = word.partition("=")
        if not equals or not name.isidentifier():
            raise ConfigError(f"{word!r}: must be NAME=VALUE or NAME=FIRST..LAST")
        ranges[name] = text
    games, tables, document = mine_games(ruleset, ranges, bound, quantity, what or ())
    if json:
        emit(document.document())
    else:
        game = "" if read(ruleset).names else games[0].notation
        print("\n".join(_lines(document, counted(tables, "table"), game)))


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
    """Yield lines on found statements, on searches without a result, and on `game`."""
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
