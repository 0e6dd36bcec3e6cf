"""Statements that one game follows from another read back: both are computed by their rules, and compared position by position."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.finding.formulas import UnreadError, value
from benchmarks.finding.games import Game, Position
from benchmarks.finding.reading import Effort, Point, boxes, game_of, slabs, truth

BEGIN = r"(?:for (?P<when>.+?): )?(?:(?P<own>[a-z-]+\(.*\)): )?"
NUMBERS = re.compile(
    BEGIN
    + r"G\((?P<here>[a-z, ]+)\) = (?P<equals>.+?)(?: where (?P<where>.+?))?, with g = G\((?P<there>.+)\)"
    r" of (?P<game>[a-z-]+\(.+\))"
)
OUTCOMES = re.compile(
    BEGIN
    + r"\((?P<here>[a-z, ]+)\) is a P-position(?: where (?P<where>.+?))? if and only if \((?P<there>.+)\)"
    r" is one of (?P<game>[a-z-]+\(.+\))"
)


def wrong_related(
    document: Mapping[str, Any], parameters: Point, bound: int, effort: Effort
) -> Position | None:
    """Return a position of one game at which a statement on another one is wrong; None if none is found.

    A position that has no related one is wrong, too.
    """
    text = document["text"]
    read = NUMBERS.fullmatch(text) or OUTCOMES.fullmatch(text)
    if not read or (read["when"] or "") != document["when"]:
        raise UnreadError(text)
    equals = read["equals"] if read.re is NUMBERS else None
    own = Game(game_of(document["ruleset"], parameters), effort.folder)
    if read["here"].split(", ") != own.coordinates or read["own"] not in (None, own.notation):
        raise UnreadError(text)
    try:
        other = Game(game_of(read["game"], parameters), effort.folder)
    except ValueError:  # no such game
        return (0,) * len(own.coordinates)
    for box in boxes(own, bound, effort):
        legal, found = truth(own, box, equals is None, effort.folder)
        for at, where in slabs(legal):
            known = {**parameters, **dict(zip(own.coordinates, where, strict=True))}
            meant = np.broadcast_to(
                value(read["where"], **known) if read["where"] else True, where[0].shape
            )
            places = value(f"[{read['there']}]", **known)
            there = [np.broadcast_to(axis, where[0].shape)[meant] for axis in places]
            said, are_there = _related(other, there, equals is None, effort)
            if equals is not None:
                said = value(equals, g=said)
            bad = np.flatnonzero(~are_there | (said != found[at][meant]))
            if len(bad):
                return tuple(int(axis[meant][bad[0]]) for axis in where)
    return None


def _related(other: Game, there: list[Any], is_p: bool, effort: Effort) -> tuple[Any, Any]:
    """Return outcomes or Grundy numbers at some places of a game, and which of these are positions."""
    largest = {
        name: int(axis.max(initial=0))
        for name, axis in zip(other.coordinates, there, strict=True)
        if name in other.names and name not in other.limits
    }
    legal, found = truth(other, largest, is_p, effort.folder)
    inside = np.logical_and.reduce(
        [(axis >= 0) & (axis < n) for axis, n in zip(there, legal.shape, strict=True)]
    )
    at = tuple(np.where(inside, axis, 0) for axis in there)
    return found[at], inside & legal[at]
