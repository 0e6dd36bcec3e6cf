"""``choco value``: what is known of one position."""

from __future__ import annotations

import math
from typing import Any

from choco_pipeline.cli.output import emit
from choco_pipeline.drawing import draw_text
from choco_pipeline.errors import LimitError
from choco_pipeline.games import Position, Ruleset, parse_ruleset
from choco_pipeline.tables.compute import table
from choco_pipeline.tables.cost import cost_of, worker_memory
from choco_pipeline.tables.lookup import Lookup
from choco_pipeline.tables.schema import Quantity

#: Up to this many positions below the one that is asked for, its definition answers at once.
BY_DEFINITION = 20_000
#: A table that takes longer is not computed for one answer.
MOST_SECONDS = 120.0


def show_value(notation: str, position: Position, json: bool) -> None:
    """Print Grundy number, outcome and winning options of a position."""
    game = parse_ruleset(notation)
    found = evaluate(game, game.check(position))
    if json:
        emit(found)
        return
    names = ", ".join(game.coordinates)
    print(f"{game.notation}, ({names}) = {_text(position)}\n")
    print(draw_text(game, position))
    grundy = (
        "not computed: its table is too large here" if found["grundy"] is None else found["grundy"]
    )
    print(f"\nGrundy number: {grundy}")
    print(
        f"{found['outcome']}-position: the {'previous' if found['outcome'] == 'P' else 'next'} player wins"
    )
    if found["outcome"] == "N":
        print(f"\nWinning options ({len(found['winning'])}):")
        for option in found["winning"]:
            print(f"\n{_text(option)}\n{draw_text(game, tuple(option))}")


def evaluate(game: Ruleset, position: Position) -> dict[str, Any]:
    """Return what is known of a legal position, as plain data.

    Returns
    -------
    dict
        ``ruleset``, ``coordinates``, ``position``, ``grundy`` (None where only P or N can be computed), ``outcome`` (``P``
        or ``N``) and ``winning``, the options that are P-positions.
    """
    options = list(dict.fromkeys(game.options(position)))
    grundy: int | None
    if math.prod(c + 1 for c in position) <= BY_DEFINITION:
        grundy = game.grundy(position)
        winning = [option for option in options if game.grundy(option) == 0]
    else:
        numbers = _lookup(game, position, "grundy")
        known = numbers or _lookup(game, position, "p-positions")
        if known is None:
            raise LimitError(
                f"{game.notation}: {position} is too large for this machine, by its table and by definition"
            )
        grundy = numbers.grundy(position) if numbers else None
        winning = [option for option in options if known.is_p_position(option)]
    return {
        "ruleset": game.notation,
        "coordinates": list(game.coordinates),
        "position": list(position),
        "grundy": grundy,
        "outcome": "N" if winning else "P",
        "winning": [list(option) for option in winning],
    }


def _lookup(game: Ruleset, position: Position, quantity: Quantity) -> Lookup | None:
    """Return a table that covers `position`, or None if it is too large to compute."""
    bound = max(position)
    cost = cost_of(game, bound, quantity)
    if cost.memory > worker_memory(1) or cost.seconds > MOST_SECONDS:
        return None
    found = Lookup.of(game, table(game, bound, quantity))
    return found if found.covers(position) else None


def _text(position: list[int] | Position) -> str:
    return f"({', '.join(map(str, position))})"
