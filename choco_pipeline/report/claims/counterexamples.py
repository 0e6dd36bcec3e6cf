"""Counterexamples as a page shows them: drawn, with the move that wins or why none does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from choco_pipeline.claims.conclusions.row_text import place_text
from choco_pipeline.claims.language.verdict import Counterexample
from choco_pipeline.drawing import draw_svg
from choco_pipeline.errors import RulesetError
from choco_pipeline.games import parse_ruleset


@dataclass(frozen=True)
class Shown:
    """A counterexample."""

    #: Its coordinates, or the integers, by name; "" where the claim is not about single positions.
    place: str
    #: What is the case there, and what the claim says instead.
    found: str
    claimed: str
    #: The winning move in words; "" where there is none, or none is wanted.
    option: str
    #: What shows that it is so, or that there is no winning move; "" where that is not known.
    because: str
    #: The position drawn; empty for integers, and where drawings are not wanted.
    picture: Markup


def shown(refutes: Counterexample, ruleset: str, *, drawn: bool) -> Shown:
    """Return a counterexample as it is shown.

    A statement on integers has no game.
    """
    position, option = refutes.position, refutes.option
    picture = (
        _drawn(ruleset, position, option)
        if drawn and ruleset and position is not None
        else Markup()
    )
    return Shown(
        "" if position is None else place_text(refutes),
        refutes.found,
        refutes.claimed,
        _move(refutes.coordinates, position, option) if position and option else "",
        refutes.reason or "",
        picture,
    )


def _drawn(ruleset: str, position: Sequence[int], option: Sequence[int] | None) -> Markup:
    try:
        return Markup(draw_svg(parse_ruleset(ruleset), position, option))
    except RulesetError:  # a height table that is not at hand here: the numbers are shown
        return Markup()


def _move(names: Sequence[str], before: Sequence[int], after: Sequence[int]) -> str:
    """Return which coordinates a move changes.

    Examples
    --------
    >>> _move(["y", "z"], [2, 5], [1, 3])
    'y from 2 to 1, z from 5 to 3'
    """
    return ", ".join(
        f"{name} from {old} to {new}"
        for name, old, new in zip(names, before, after, strict=True)
        if old != new
    )
