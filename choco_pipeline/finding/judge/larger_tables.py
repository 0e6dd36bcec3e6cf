"""What no claim says, tried again: the search that found it is made in a larger table of the game, and must say the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.judge.bounds import BOUND_OF_SEEN, FURTHER, largest_number
from choco_pipeline.finding.judge.by_chance import SEARCHES, says
from choco_pipeline.finding.judge.far_pictures import MOST_COLUMNS, is_right_to
from choco_pipeline.finding.statements.scope import Tables
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.mining.number_sequences.sequences import MOST_TERMS
from choco_pipeline.mining.pictures.cellular import mine_cellular
from choco_pipeline.mining.pictures.self_similarity import mine_blocks
from choco_pipeline.mining.pictures.slices import SIDE
from choco_pipeline.mining.table_findings import BlocksFinding, CellularFinding, Finding
from choco_pipeline.mining.task import mine_table
from choco_pipeline.tables.computing.cost import cost_of
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.specs.schema import Quantity

#: A larger table is computed in about so many seconds at most.
SECONDS = 0.5
#: The side of larger pictures: a rule for them is solved in some seconds, and with twice the side in a minute.
LARGER_SIDE = 2 * SIDE
_PICTURES: Mapping[str, Callable[..., Sequence[Finding]]] = {
    "cellular": mine_cellular,
    "blocks": mine_blocks,
}


@dataclass(frozen=True)
class SearchedAgain:
    """Whether a larger table says the same, and in which words that is told."""

    found: bool
    text: str


def searched_again(statement: FoundStatement, tables: Tables) -> SearchedAgain | None:
    """Return whether a larger table says what a statement does that no claim says; None if there is none to ask.

    Parameters
    ----------
    statement
        On pictures, numbers or lines of one game.
    tables
        Of the run that it was found in.
    """
    source = statement.source
    if source is None:  # no search is known that says it
        return None
    game = parse_ruleset(source.ruleset)
    for (name, quantity), bound in tables.bounds.items():
        if name != source.ruleset:
            continue
        number = largest_number(game)
        larger = _larger(game, bound, quantity, FURTHER * bound)
        if statement.kind == "count":  # of which no more terms are looked at
            larger = min(larger, MOST_TERMS - 1)
        if number >= larger:
            why = f"the game's rules have the number {number:,}, and tables of it were looked at to bound {larger:,}"
            return SearchedAgain(False, why)
        if isinstance(source.finding, CellularFinding | BlocksFinding):
            farther = _farther(source.finding, larger)
            if farther is not None and (larger > bound or bound > SIDE):
                return farther
        is_picture = SEARCHES[statement.kind] in _PICTURES
        is_larger = larger > bound or (is_picture and bound > SIDE)
        if not is_larger:  # the same cells would say the same again
            return None
        table_of = f"a table to bound {larger:,}"
        where = f"pictures of side {LARGER_SIDE}" if is_picture else table_of
        if not _is_found(statement, game, larger, quantity):
            why = f"right to bound {bound:,}, and not found in {where}"
            return SearchedAgain(False, why)
        return SearchedAgain(True, f"the same search says it of {where}")
    return None


def _farther(finding: CellularFinding | BlocksFinding, bound: int) -> SearchedAgain | None:
    """Return what becomes of a rule on pictures in a table that has no more columns than can be looked at; None if that is not told."""
    game = parse_ruleset(finding.ruleset)
    bound = _larger(game, bound, "p-positions", max(bound, BOUND_OF_SEEN - 1))
    while (bound + 1) ** 2 > MOST_COLUMNS:
        bound //= 2
    is_right = is_right_to(finding, bound)
    if is_right is None:
        return None
    return SearchedAgain(
        is_right, f"it is {'right' if is_right else 'wrong'} in a table to bound {bound:,}"
    )


def _is_found(statement: FoundStatement, game: Ruleset, bound: int, quantity: Quantity) -> bool:
    """Whether the search says the same of a table to some bound."""
    try:
        statements = _mined(game, bound, quantity, SEARCHES[statement.kind])
    except ChocoError:
        return False
    return says(statements, statement)


def _mined(game: Ruleset, bound: int, quantity: Quantity, search: str) -> Sequence[Finding]:
    data = table(game, bound, quantity)
    mine = _PICTURES.get(search)
    if mine is None:
        return mine_table([search], game, bound, quantity, data)
    return mine(game, bound, data, LARGER_SIDE)


def _larger(game: Ruleset, bound: int, quantity: Quantity, larger: int) -> int:
    """Return the bound of a larger table that is computed quickly, or the same bound if there is none."""
    while larger > bound:
        try:
            if cost_of(game, larger, quantity).seconds <= SECONDS:
                return larger
        except ChocoError:  # heights from a file end before
            pass
        larger //= 2
    return bound
