"""Searches in the tables of a game or a family."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from choco_pipeline.api.check import load_claims
from choco_pipeline.api.progress import bars
from choco_pipeline.claims.language.catalogue import RESERVED
from choco_pipeline.claims.language.claim import assignments
from choco_pipeline.errors import ChocoError, ConfigError, LimitError
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.single import learned_from_game
from choco_pipeline.finding.stage import Finder, document_of, proposals
from choco_pipeline.finding.statement import (
    FoundDocument,
    FoundStatement,
    Mined,
)
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

#: Most games of a family; a sweep can have more.
MOST_GAMES = 1000
#: Least default bound for a single heap: the period 34 of Dawson's Kayles begins at 53.
LEAST_OF_ONE = 512
#: Automata are learned for at most this number of games.
MOST_AUTOMATA = 4


def mine(
    ruleset: str | Ruleset,
    *,
    bound: int | None = None,
    quantity: Quantity | None = None,
    what: Sequence[str] = (),
    **ranges: int | str,
) -> list[FoundStatement]:
    """Search the tables of a game or a family, as ``choco mine`` does.

    Parameters
    ----------
    ruleset
        A game, or the notation of a family, in which names stand for integers.
    bound, quantity, what
        As the options of the command.
    **ranges
        The values of each name: an integer, or a range such as ``"2..8"``.

    Returns
    -------
    list of FoundStatement
        The found statements, the strongest first.
    """
    notation = ruleset if isinstance(ruleset, str) else ruleset.notation
    texts = {name: str(value) for name, value in ranges.items()}
    return list(mine_games(notation, texts, bound, quantity, what)[2].statements)


def mine_games(
    ruleset: str,
    ranges: Mapping[str, str],
    bound: int | None = None,
    quantity: Quantity | None = None,
    what: Sequence[str] = (),
) -> tuple[list[Ruleset], int, FoundDocument]:
    """Return the games, the number of their tables, and the found statements.

    `ranges` has an integer or a range, such as ``2..8``, for each name in the ruleset; later ranges may use earlier names. The
    default bound is the largest one with a quick table. The default quantity is P-positions; Grundy numbers for flat bars; both
    for a single heap. The default for `what` is all searches, the keys of `choco_pipeline.mining.task.MINERS`, and relations
    between games. For at most `MOST_AUTOMATA` games, formulas are also learned from automata, if a table has no formula for all
    positions. Progress is shown on standard error.

    Raises `ConfigError` if a search or a name is unknown, or a name has no value. Raises `LimitError` if there are too many
    games, or a table is too large.
    """
    unknown = next((name for name in what if name not in MINERS), None)
    if unknown is not None:
        raise ConfigError(f"--what {unknown}: must be one of {', '.join(MINERS)}")
    pattern, games = _games(ruleset, ranges)
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
            family = ruleset if pattern.names else game.notation
            mined += [
                Mined(game.notation, chosen, size, family, parameters, finding)
                for finding in findings
            ]
            members[chosen].append(MemberTable.in_memory(parameters, cells, findings))
            progress.advance(mining)
        families = [
            TableFamily.of(ruleset, several) for several in members.values() if pattern.names
        ]
        bounds = {(game.notation, chosen): size for game, _, chosen, size in tables}
        searches = proposals(mined, families, related_games=not what)
        progress.update(progress_of_finding, total=len(searches) + 1)
        searched = []
        for search in searches:
            searched.append(search())
            progress.advance(progress_of_finding)
        document = document_of(searched, Finder(Tables(bounds), load_claims()))
        progress.advance(progress_of_finding)
    return [game for game, _ in games], len(tables), document


def _games(
    ruleset: str, ranges: Mapping[str, str]
) -> tuple[Notation, list[tuple[Ruleset, dict[str, int]]]]:
    pattern = read(ruleset)
    spans: dict[str, Range] = {}
    for name, text in ranges.items():
        try:
            spans[name] = parse_range(text.strip(), names=spans)
        except FormulaError as error:
            raise ConfigError(f"{name}={text}: {error}") from error
    missing = sorted(pattern.names - spans.keys())
    if missing:
        raise ConfigError(f"{ruleset}: a value is needed for {' and '.join(missing)}")
    chosen = list(islice(assignments(spans, {}), MOST_GAMES + 1))
    if len(chosen) > MOST_GAMES:
        raise LimitError(f"{ruleset}: more than {MOST_GAMES:,} games; use a sweep")
    games: dict[str, tuple[Ruleset, dict[str, int]]] = {}
    for values in chosen:
        game = build(pattern, values, Path())
        parameters = match(pattern, read(game.notation))
        if parameters is None or parameters.keys() != pattern.names:
            raise ConfigError(
                f"{ruleset}: {game.notation} does not determine {' and '.join(sorted(pattern.names))}; "
                "an argument other than f must be a name or an integer: 'step-bar(k=k, s=s)' k=1..8 s=k-1"
            )
        games.setdefault(game.notation, (game, dict(sorted(parameters.items()))))
    if not games:
        raise ConfigError(f"{ruleset}: there is no such game")
    coordinates = {game.coordinates: game.notation for game, _ in games.values()}
    for taken in sorted(pattern.names & RESERVED.union(*coordinates)):
        raise ConfigError(
            f"{ruleset}: {taken!r} cannot be a parameter, because the name is reserved"
        )
    if len(coordinates) > 1:
        several = (f"{game} has {', '.join(names)}" for names, game in coordinates.items())
        raise ConfigError(
            f"{ruleset}: games of a family have the same coordinates, but {'; '.join(several)}"
        )
    return pattern, list(games.values())


def _tables(
    game: Ruleset, quantity: Quantity | None, bound: int | None
) -> Iterator[tuple[Quantity, int]]:
    """Yield quantity and bound of each table of a game; defaults: `mine_games`."""
    if bound is not None and bound < 0:
        raise ConfigError(f"--bound: must be at least 0 (got {bound})")
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
