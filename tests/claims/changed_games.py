"""Games whose definition is a little wrong: a move is left out, the clip is forgotten, play ends elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from choco_pipeline.errors import ChocoError
from choco_pipeline.games import Position, Ruleset, SolidBar

#: What is left of the options of a position: (position, its options) → options.
Change = Callable[[Position, list[Position]], list[Position]]


def changed_games(game: Ruleset) -> Iterator[tuple[str, Ruleset]]:
    """Yield what is changed, and the game with this change; positions and limits stay where only moves change."""
    if game.rules.splits:
        yield "no moves", with_change(game, "results", lambda at, results: [])
        yield "no split", with_change(game, "results", lambda at, q: [r for r in q if (0,) in r])
        yield (
            "splits alone",
            with_change(game, "results", lambda at, q: [r for r in q if (0,) not in r]),
        )
        return
    heaps = len(game.base.coordinates)

    def size(position: Position) -> int:
        return max(position[:heaps], default=0)

    yield "no moves", with_options(game, lambda at, options: [])
    for axis, name in enumerate(game.coordinates):
        yield f"no cut of {name}", with_options(game, _without(axis))
    if "y" in game.coordinates:
        y = game.coordinates.index("y")
        yield "cuts that would lower y are not allowed", with_options(game, _kept(y))
        yield "the clip is forgotten", with_options(game, _unclipped(y))
    yield "no cut to 0", with_options(game, lambda at, q: [o for o in q if size(o) > 0])
    yield (
        "steps of 1 only",
        with_options(game, lambda at, q: [o for o in q if sum(o) == sum(at) - 1]),
    )
    yield "no steps of 1", with_options(game, lambda at, q: [o for o in q if sum(o) < sum(at) - 1])
    yield "play ends one step before", with_options(game, lambda at, q: q if size(at) > 1 else [])
    if len(game.coordinates) > heaps:
        yield "a pass from the end", with_options(game, _passing(heaps))
    yield from _with_other_numbers(game)


def with_options(game: Ruleset, change: Change) -> Ruleset:
    """Return the game with other options; it is of a class of its own below the game's."""
    return with_change(game, "options", change)


def with_change(
    game: Ruleset, method: str, change: Callable[[Position, list[Any]], list[Any]]
) -> Ruleset:
    """Return the game with other options, or with other results."""
    base: Any = type(game)

    def changed(self: Ruleset, position: Position) -> Iterator[Any]:
        yield from change(position, list(getattr(base, method)(self, position)))

    # It is not the game as it was.
    own = {method: changed, "__eq__": object.__eq__, "__hash__": object.__hash__}
    copied = object.__new__(type("Changed", (base,), own))
    kept = [field.name for field in fields(game)] if is_dataclass(game) else vars(game)
    for name in kept:
        if name != "_grundy_numbers":  # which are those of the game as it was
            object.__setattr__(copied, name, getattr(game, name))
    found: Ruleset = copied
    return found


def _without(axis: int) -> Change:
    return lambda at, options: [option for option in options if option[axis] == at[axis]]


def _moved(at: Position, option: Position) -> int:
    return sum(a != b for a, b in zip(at, option, strict=True))


def _kept(y: int) -> Change:
    return lambda at, q: [o for o in q if o[y] == at[y] or _moved(at, o) == 1]


def _unclipped(y: int) -> Change:
    def change(at: Position, options: list[Position]) -> list[Position]:
        return [o if _moved(at, o) == 1 else (*o[:y], at[y], *o[y + 1 :]) for o in options]

    return change


def _passing(heaps: int) -> Change:
    def change(at: Position, options: list[Position]) -> list[Position]:
        if any(at[:heaps]) or at[-1] == 0:
            return options
        return [*options, (*at[:-1], at[-1] - 1)]

    return change


def _with_other_numbers(game: Ruleset) -> Iterator[tuple[str, Ruleset]]:
    """Yield games in which one number of the notation, or the height function, is greater or less by 1."""
    for field in fields(game) if is_dataclass(game) else ():
        value = getattr(game, field.name)
        if isinstance(value, Ruleset):
            for what, inner in _with_other_numbers(value):
                yield what, replace(game, **{field.name: inner})  # type: ignore[type-var]
        elif isinstance(game, SolidBar):
            yield "heights are greater by 1", SolidBar(f"({game.f.notation})+1")
            yield "heights are halved", SolidBar(f"({game.f.notation})//2")
        elif isinstance(value, int):
            for step in (1, -1):
                try:
                    other = replace(game, **{field.name: value + step})  # type: ignore[type-var]
                except ChocoError:
                    continue
                yield f"{field.name} = {value + step}", other
