"""What a search is worth: what it found of what is known, and what it said that is not so, or is said already."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.finding.case import Case, Decoy, Expected, Target
from benchmarks.finding.formulas import UnreadError, size, value
from benchmarks.finding.games import Game
from benchmarks.finding.reading import SENTENCE, Effort, cells, game_of, points, slabs
from benchmarks.finding.reading_words import BEGINS, counterexample

#: A statement that is longer than so many times what was expected does not count as finding it.
LONGER = 2
#: Statements are compared in boxes with coordinates up to this.
SIDE = 12
#: Of so many games of a family what is said of each, in the same words, is said once too often.
FEWEST_COPIES = 3


@dataclass
class Score:
    """What became of one case with one seed.

    Attributes
    ----------
    outcome
        ``found``, ``in parts`` (by several statements together), ``missed`` or ``outside`` of a target; ``quiet``,
        ``said`` or ``trapped`` of a decoy; ``skipped`` of either.
    rank
        Which statement is the first that says all that was expected; None if none does.
    statements
        How many statements there are, those that the search itself shows as refuted not counted.
    false, redundant, trivial, unread
        Which of them are wrong, each with its counterexample; follow from another one; say something of a decoy of which
        there is nothing to say; cannot be read.
    """

    id: str
    seed: int
    outcome: str
    seconds: float = 0.0
    rank: int | None = None
    best: str = ""
    statements: int = 0
    refuted: int = 0
    false: list[dict[str, str]] = field(default_factory=list)
    redundant: list[str] = field(default_factory=list)
    trivial: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    why: str = ""
    read_back: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the score as plain data."""
        return asdict(self)


def scored(
    case: Target | Decoy,
    seed: int,
    document: Mapping[str, Any],
    notation: str,
    seconds: float,
    folder: Path,
) -> Score:
    """Read back what was said of a case, and compare it with what is known."""
    effort = Effort(folder=folder, beyond=case.beyond)
    said = [one for one in document["statements"] if one["conclusion"]["verdict"] != "refuted"]
    score = Score(case.id, seed, "", round(seconds, 2), statements=len(said))
    score.refuted = len(document["statements"]) - len(said)
    right = []
    for one in said:
        try:
            where = counterexample(one, points(one), case.bound, effort)
        except UnreadError as error:
            score.unread.append(f"{one['text']} ({error})"[:400])
            continue
        if where is None:
            right.append(one)
        else:
            score.false.append({"statement": one["text"], "counterexample": where})
    score.redundant = redundant(case, right, folder)
    if isinstance(case, Decoy):
        if case.nothing:
            score.trivial = [one["text"] for one in right]
        score.outcome = "trapped" if score.false else "said" if score.trivial else "quiet"
        return score
    if case.outside:
        score.outcome, score.why = "outside", case.outside
        return score
    said_all = [one for one in right if covers(case.expect, [one], case, notation, folder)]
    if said_all:
        best = said_all[0]
        score.outcome, score.rank, score.best = "found", said.index(best) + 1, best["text"]
    elif covers(case.expect, right, case, notation, folder):
        score.outcome = "in parts"
    else:
        score.outcome = "missed"
    return score


def covers(
    expected: Expected,
    said: Sequence[Mapping[str, Any]],
    case: Case,
    notation: str,
    folder: Path,
) -> bool:
    """Whether some true statements say together all that was expected, and not in many more words."""
    match expected.kind:
        case "p-positions" | "grundy":
            short = [
                one
                for one in said
                if one["kind"] == expected.kind
                and words(one) <= LONGER * max(1, len(said) > 1) * length(expected) + 4
            ]
            return bool(short) and all(
                _is_said(expected, short, notation, point, folder)
                for point in case.points()
                if not expected.when or value(expected.when, **point)
            )
        case "values":
            return any(_same_values(expected, one, case) for one in said)
        case "count":
            return any(_same_count(expected, one) for one in said)
        case "cellular" | "blocks":
            return any(
                one["kind"] == expected.kind
                and set(map(_bare, expected.equations)) <= set(_equations(one["text"]))
                for one in said
            )
        case "related":
            return any(_same_relation(expected, one, case) for one in said)
        case "heights":
            return any(
                one["formulas"] and one["formulas"][0]["label"] == expected.formula
                for one in said
                if one["kind"] == "heights"
            )


def _same_relation(expected: Expected, one: Mapping[str, Any], case: Case) -> bool:
    """Whether a statement is the sentence expected, for the same parameters of those that were searched."""
    ruleset = expected.of or case.games
    if one["kind"] != "related" or one["ruleset"] != ruleset:
        return False
    said = one["text"].removeprefix(f"for {one['when']}: ").removeprefix(f"{ruleset}: ")
    conditions = [one["when"] or "True", expected.when or "True"]
    return said == expected.formula and all(
        value(conditions[0], **point) == value(conditions[1], **point) for point in case.points()
    )


def words(document: Mapping[str, Any]) -> int:
    """Return how long the formulas of a statement are."""
    return sum(
        size(text)
        for line in document["formulas"]
        for text in (line["formula"], line["where"])
        if text
    )


def length(expected: Expected) -> int:
    """Return how long what is expected is."""
    return size(expected.formula) + (size(expected.where) if expected.where else 0)


def _is_said(
    expected: Expected,
    said: Sequence[Mapping[str, Any]],
    notation: str,
    point: Mapping[str, int],
    folder: Path,
) -> bool:
    """Whether at all positions where something is expected of one game some statement speaks."""
    name = game_of(notation, point)
    places, coordinates = _places(name, folder)
    known = {**point, **dict(zip(coordinates, places, strict=True))}
    wanted = np.broadcast_to(
        value(expected.where, **known) if expected.where else True, places[0].shape
    )
    spoken = np.zeros(places[0].shape, bool)
    for one in said:
        spoken |= _speaks(one, name, known, point)
    return not (wanted & ~spoken).any()


def _places(name: str, folder: Path) -> tuple[tuple[Any, ...], list[str]]:
    """Return the positions of a small box, and the names of the coordinates."""
    sizes = re.fullmatch(r"rectangular-bar\(m=(\d+), n=(\d+)\)", name)
    if sizes:
        every = cells(int(sizes[1]), int(sizes[2]))
        return tuple(map(np.array, zip(*every, strict=True))), ["i", "j"]
    game = Game(name, folder)
    box = {c: SIDE for c in game.names if c not in game.limits}
    legal = game.box(box)
    if game.passes:
        legal = np.repeat(legal[..., None], game.passes + 1, axis=-1)
    parts = [where for _, where in slabs(legal)]
    return tuple(map(np.concatenate, zip(*parts, strict=True))), game.coordinates


def _speaks(
    document: Mapping[str, Any], name: str, known: Mapping[str, Any], point: Mapping[str, int]
) -> Any:
    """Return at which positions of a game a statement says something."""
    shape = next(np.shape(v) for v in known.values() if np.shape(v))
    nowhere = np.zeros(shape, bool)
    if game_of(document["ruleset"], point) != name:
        return nowhere
    if document["when"] and not value(document["when"], **point):
        return nowhere
    read = SENTENCE.fullmatch(document["text"])
    cases = [one.partition(" where ")[2] for one in read["said"].split("; ")] if read else []
    spoken = nowhere.copy()
    for where in cases:
        spoken |= np.broadcast_to(value(where, **known) if where else True, shape)
    if read and read["reach"]:
        places = [v for v in known.values() if np.shape(v)]
        spoken &= np.max(places, axis=0) <= value(read["reach"], **point)
    return spoken


def _same_values(expected: Expected, one: Mapping[str, Any], case: Case) -> bool:
    if one["kind"] != "values":
        return False
    of, are = one["formulas"]
    if "among" in are["label"] and expected.of != "among":
        return False
    random = np.random.default_rng(0)
    for point in case.points():
        if expected.when and not value(expected.when, **point):
            continue
        if one["when"] and not value(one["when"], **point):
            return False
        if game_of(one["ruleset"], point) != game_of(case.games, point):
            return False
        at = {n: random.integers(0, 40, 60) for n in "abcdxyz"} | {"p": random.integers(0, 2, 60)}
        v = np.arange(-4, 300)
        if (value(of["formula"], **point, **at) != value(expected.formula, **point, **at)).any():
            return False
        if (value(are["formula"], **point, v=v) != value(expected.values, **point, v=v)).any():
            return False
    return True


def _same_count(expected: Expected, one: Mapping[str, Any]) -> bool:
    """Whether one of a statement's equations is the one expected, whatever the sequence."""
    if one["kind"] != "count" or expected.of not in one["text"]:
        return False
    closed = one["text"].partition(" is ")[2]
    if expected.formula == closed or any(expected.formula in part for part in (one["text"],)):
        return True
    return any(_same_equation(expected.formula, line["formula"]) for line in one["formulas"])


def _same_equation(first: str, second: str) -> bool:
    ratios = set()
    for seed in range(4):
        terms = np.random.default_rng(seed).integers(1, 10**6, 400).tolist()
        for n in range(3, 9):
            sides = [
                [value(side, m=n, n=n, g=lambda i, t=terms: t[i]) for side in text.split(" == ")]
                for text in (first, second)
            ]
            if any(len(pair) != 2 for pair in sides):
                return False
            (a, b), (c, d) = sides
            ratios.add(round((a - b) / (c - d), 9) if c != d else None)
    return len(ratios) == 1 and None not in ratios


def _equations(text: str) -> list[str]:
    read = BEGINS.fullmatch(text)
    said = read["said"] if read else text
    return [
        _bare(part.partition(", except at")[0].partition(", where")[0]) for part in said.split("; ")
    ]


def _bare(equation: str) -> str:
    """Return an equation with the cells of its right side in order, without spaces."""
    left, _, right = equation.replace("−", "-").partition("=")
    modulo = "mod2" if "mod 2" in right else ""
    terms = sorted(part.replace(" ", "") for part in right.replace("mod 2", "").split(" + "))
    return f"{left.replace(' ', '')}={'+'.join(terms)}{modulo}"


def redundant(case: Case, said: Sequence[Mapping[str, Any]], folder: Path) -> list[str]:
    """Return which true statements say nothing that another one before them, or of more positions, does not say.

    Of statements on single games in the same words all but the first are redundant, too: the family was to be named.
    """
    found: list[str] = []
    shapes: dict[str, list[str]] = {}
    for one in said:
        if not one["parameters"] and one["ruleset"] != case.games:
            shape = re.sub(r"\d+", "#", one["text"])
            shapes.setdefault(shape, []).append(one["text"])
    for texts in shapes.values():
        if len(texts) >= FEWEST_COPIES:
            found += texts[1:]
    spoken = {one["id"]: _spoken(case, one, folder) for one in said}
    for i, one in enumerate(said):
        own = spoken[one["id"]]
        for j, other in enumerate(said):
            theirs = spoken[other["id"]]
            is_less = own < theirs or (own == theirs and j < i)
            if own and is_less and one["kind"] == other["kind"]:
                found.append(one["text"])
                break
    return list(dict.fromkeys(found))


def _spoken(case: Case, one: Mapping[str, Any], folder: Path) -> frozenset[Any]:
    """Return the games and positions of which a statement on positions speaks."""
    if one["kind"] not in ("p-positions", "grundy") or case.random or case.box:
        return frozenset()
    found = set()
    for point in case.points():
        name = game_of(case.games, point)
        places, coordinates = _places(name, folder)
        known = {**point, **dict(zip(coordinates, places, strict=True))}
        spoken = _speaks(one, name, known, point)
        found |= {(name, at) for at in np.flatnonzero(spoken).tolist()}
    return frozenset(found)
