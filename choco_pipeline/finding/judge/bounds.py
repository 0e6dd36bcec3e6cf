"""How large the tables are on which a found statement is tried."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain

import xarray as xr

from choco_pipeline.claims.kinds import PPositions, Related
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.errors import HeightError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import Binary, Call, Integer, render, walk
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games import Ruleset
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.tables.computing.computation import computation_of
from choco_pipeline.tables.computing.cost import seconds_of
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.specs.position_count import count_positions
from choco_pipeline.tables.specs.schema import Quantity, variable_of

#: A table of a game that a statement was seen for is so many times as large as the run's, or has this bound:
#: nim-sums end at powers of 2, and formulas with them end at the third or fourth one that is larger than a slope.
FURTHER, BOUND_OF_SEEN = 4, 1024
#: One of another game has this bound; or half of that, and so on, so that computing it takes about `SECONDS`.
BOUND, SECONDS = 256, 0.05
SMALLEST = 12
#: Heights and moves may change at a number in their formulas: tables go to so many times the largest one, if that is quick, too.
PAST = 2
#: A shift by more places leaves nothing of any coordinate that a table has.
MOST_PLACES = 64
#: A formula that cannot be solved for what a table stores is evaluated at so many positions of it; so many are compared with
#: those of another game, which takes three times as long.
MOST_POSITIONS, MOST_RELATED = 1 << 20, 1 << 18


def bound_of_trial(claim: Claim, game: Ruleset, quantity: Quantity, run: int | None) -> int:
    """Return the bound of the table of a game on which a claim is tried.

    Parameters
    ----------
    claim
        What is said.
    game, quantity
        The table.
    run
        The bound of the run's table of the game; None where it has none.
    """
    wanted = [BOUND] if run is None else [FURTHER * run, BOUND_OF_SEEN]
    wanted.append(PAST * largest_number(game))
    return max(_affordable(claim, game, bound, quantity) for bound in wanted)


@lru_cache(maxsize=1024)
def largest_number(game: Ruleset) -> int:
    """Return the largest number in a game's rules, or that a part without coordinates comes to, where they may change; 0 if there is none."""
    rules = game.base.rules
    heights = (limit.height for limit in rules.limits.values())
    formulas = [height.formula for height in heights if isinstance(height, FormulaHeight)]
    for move in rules.moves:
        formulas += [formula for formula in (move.at_most, move.unless) if formula is not None]
    taken = (n for move in rules.moves if isinstance(move.by, tuple) for n in move.by)
    return max((*chain(*map(_numbers, formulas)), *taken), default=0)


def _numbers(formula: Formula) -> Iterator[int]:
    """Yield what parts of a formula without names come to, and the powers of 2 by which it divides in shifts."""
    for part in walk(parse_nodes(formula.text, None, formula.functions)):
        match part:
            case Binary("<<" | ">>", _, Integer(places)) if places < MOST_PLACES:
                yield 1 << places
            case Integer() | Binary() | Call():
                constant = parse(render(part), functions=formula.functions)
                if not constant.names:
                    with suppress(FormulaError):
                        yield int(constant.value({}))
            case _:
                pass


def _affordable(claim: Claim, game: Ruleset, bound: int, quantity: Quantity) -> int:
    """Return a bound, halved until its table can be tried or is small."""
    while bound > SMALLEST and not is_quick(claim, game, bound, quantity):
        bound //= 2
    return bound


def is_quick(
    claim: Claim, game: Ruleset, bound: int, quantity: Quantity, seconds: float = SECONDS
) -> bool:
    """Whether a table is computed in so many seconds, and compared quickly: at every position, if a formula cannot be solved."""
    try:
        if seconds_of(computation_of(game, bound, quantity)) > seconds:
            return False
        stored, check = variable_of(game, quantity).stored, claim.check
        if stored is None or not isinstance(check, PPositions | Related):
            return True
        if isinstance(check, Related):
            heap = check.at.get(stored)
            if heap is None or (stored == game.base.rules.free and heap.names <= {stored}):
                return True
            return count_positions(game, bound) <= MOST_RELATED
        solved = check.formula.solve(stored) is not None
        if solved and (check.where is None or stored not in check.where.names):
            return True
        return count_positions(game, bound) <= MOST_POSITIONS
    except HeightError:  # a table of heights that ends before
        return False


def table_of_trial(game: Ruleset, bound: int, quantity: Quantity) -> xr.Dataset:
    """Return a table, not to be changed; those of columns to `BOUND` are kept, since many statements are tried on the same."""
    is_small = bound <= BOUND and variable_of(game, quantity).stored is not None
    return (_kept_table if is_small else table)(game, bound, quantity)


@lru_cache(maxsize=256)
def _kept_table(game: Ruleset, bound: int, quantity: Quantity) -> xr.Dataset:
    return table(game, bound, quantity)
