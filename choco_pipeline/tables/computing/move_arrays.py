"""A game's description as the arrays that drive the generic kernel.

Compiled code reads no objects: moves, heights and conditions become numbers in flat arrays, lists one after the other with the
places where each starts. `MoveArrays` in `kernels/generic.py` says what each array holds. A move that another one needs stands
before it, and is among the moves even if nobody may play it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import Formula
from choco_pipeline.games.rules import Move
from choco_pipeline.kernels import MoveArrays
from choco_pipeline.tables.specs.patterns import BoundedGame, dependent

Ints = NDArray[np.int64]

#: The name that the passes left have here: no coordinate's.
PASSES = ""
#: What amounts are cut to, so that they fit into 32 bits: no coordinate is as large.
LARGEST_AMOUNT = 1 << 30


def move_arrays(game: BoundedGame) -> MoveArrays:
    """Return the arrays of a game; the passes left are its first coordinate, also where there is none."""
    rules = game.rules
    names = (PASSES, *rules.coordinates)
    passing = [Move((PASSES,), by=(1,), needs=rules.moves)] if game.passes else []
    played = [*rules.moves, *passing]
    moves = list(dict.fromkeys(_needed_first(played)))
    limits = dependent(rules)
    functions = _Functions(game, names)
    for limit in limits.values():
        functions.add(limit.of, limit.height.table(*(game.sizes[name] for name in limit.of)))
    at_most = [functions.of(move.at_most, move.unless) for move in moves]
    unless = [functions.of(move.unless) for move in moves]
    lowers, lowers_bounds = _joined([names.index(name) for name in move.lowers] for move in moves)
    amounts, amounts_bounds = _joined(map(_amounts, moves))
    clips, clips_bounds = _joined(
        [i for i, limit in enumerate(limits.values()) if not set(move.lowers).isdisjoint(limit.of)]
        for move in moves
    )
    needs, needs_bounds = _joined([moves.index(need) for need in move.needs] for move in moves)
    return MoveArrays(
        values=np.concatenate([np.zeros(0, np.int32), *functions.values]),
        starts=_ints(np.cumsum([0, *map(len, functions.values)])[:-1]),
        steps=_ints(functions.steps).reshape(-1, len(names)),
        limited=_ints([names.index(name) for name in limits]),
        lowers=lowers,
        lowers_bounds=lowers_bounds,
        amounts=amounts,
        amounts_bounds=amounts_bounds,
        clips=clips,
        clips_bounds=clips_bounds,
        needs=needs,
        needs_bounds=needs_bounds,
        at_most=_ints(at_most),
        unless=_ints(unless),
        differ=np.array(
            [move.by in ("any", "each") and len(move.lowers) > 1 for move in moves], bool
        ),
        least=_ints([move.by == "each" for move in moves]),
        may_clip=np.array([move.clips for move in moves], bool),
        has_needs=np.array([bool(move.needs) or move in passing for move in moves], bool),
        is_played=np.array([move in played for move in moves], bool),
    )


class _Functions:
    """What depends on the position, computed on the coordinates that it reads."""

    def __init__(self, game: BoundedGame, names: Sequence[str]) -> None:
        self._game = game
        self._names = names
        self.values: list[NDArray[np.int32]] = []
        self.steps: list[list[int]] = []

    def add(self, read: Sequence[str], values: NDArray[np.int32]) -> int:
        """Add a function, with an axis for each coordinate that it reads; return its number."""
        steps = dict.fromkeys(self._names, 0)
        for axis, name in enumerate(read):
            steps[name] = int(np.prod(values.shape[axis + 1 :], dtype=np.int64))
        self.values.append(values.reshape(-1))
        self.steps.append(list(steps.values()))
        return len(self.values) - 1

    def of(self, formula: Formula | None, unless: Formula | None = None) -> int:
        """Add a formula, numbers cut to those of amounts, 0 where play has ended; return its number, -1 for none."""
        if formula is None:
            return -1
        values = self._game.values_in_play(formula, unless)
        read = [name for name in self._names if name in formula.names]
        return self.add(read, np.clip(values, 0, LARGEST_AMOUNT).astype(np.int32))


def _needed_first(moves: Iterable[Move]) -> Iterable[Move]:
    """Yield moves, each after those that it needs."""
    for move in moves:
        yield from _needed_first(move.needs)
        yield move


def _amounts(move: Move) -> list[int]:
    """Return the amounts of a move, none for any; one that is too large for any coordinate stands for no amount."""
    if not isinstance(move.by, tuple):
        return []
    return [min(n, LARGEST_AMOUNT) for n in move.by if n > 0] or [LARGEST_AMOUNT]


def _joined(lists: Iterable[Sequence[int]]) -> tuple[Ints, Ints]:
    """Return lists one after the other, and where each starts."""
    every = list(lists)
    flat = [n for part in every for n in part]
    return _ints(flat), _ints(np.cumsum([0, *map(len, every)]))


def _ints(numbers: object) -> Ints:
    return np.array(numbers, dtype=np.int64)
