"""What a search is worth: what it found of what is known, and what it said that is not so, or is said already."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.finding.case import Case, Decoy, Expected, Target
from benchmarks.finding.evaluation import World, game_of
from benchmarks.finding.formulas import Scope, UnreadError, value
from benchmarks.finding.games import Game
from benchmarks.finding.pictures import equations
from benchmarks.finding.reading import Reading, is_true, size_of
from benchmarks.finding.trial import Effort, counterexample, spoken
from choco_pipeline.finding.statement import FoundDocument
from choco_pipeline.mining.table_findings import BlocksFinding, CellularFinding, CountFinding
from choco_pipeline.statements import tree

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
    document: FoundDocument,
    notation: str,
    seconds: float,
    folder: Path,
) -> Score:
    """Judge the statements on a case, and compare them with what is known."""
    effort = Effort(folder=folder, beyond=case.beyond)
    readings = [Reading.of(one) for one in document.statements]
    said = [one for one in readings if not one.is_refuted]
    score = Score(case.id, seed, "", round(seconds, 2), statements=len(said))
    score.refuted = len(readings) - len(said)
    right = []
    for one in said:
        try:
            where = counterexample(one, case.bound, effort)
        except UnreadError as error:
            score.unread.append(f"{one.line} ({error})"[:400])
            continue
        if where is None:
            right.append(one)
        else:
            score.false.append({"statement": one.line, "counterexample": where})
    score.redundant = redundant(case, right, folder)
    if isinstance(case, Decoy):
        if case.nothing:
            score.trivial = [one.line for one in right]
        score.outcome = "trapped" if score.false else "said" if score.trivial else "quiet"
        return score
    if case.outside:
        score.outcome, score.why = "outside", case.outside
        return score
    said_all = [one for one in right if covers(case.expect, [one], case, notation, folder)]
    if said_all:
        best = said_all[0]
        score.outcome, score.rank, score.best = "found", said.index(best) + 1, best.line
    elif covers(case.expect, right, case, notation, folder):
        score.outcome = "in parts"
    else:
        score.outcome = "missed"
    return score


def covers(
    expected: Expected, said: Sequence[Reading], case: Case, notation: str, folder: Path
) -> bool:
    """Whether some true statements say together all that was expected, and are not much longer."""
    match expected.kind:
        case "p-positions" | "grundy":
            most = LONGER * max(1, len(said) > 1) * length(expected, case) + 4
            short = [one for one in said if one.kind == expected.kind and one.size <= most]
            return bool(short) and all(
                _is_said(expected, short, case, point, game_of(notation, point), folder)
                for point in case.points()
                if not expected.when or value(expected.when, **point)
            )
        case "values":
            return any(_same_values(expected, one, case) for one in said)
        case "count":
            return any(_same_count(expected, one) for one in said)
        case "cellular" | "blocks":
            return any(_same_picture(expected, one) for one in said)
        case "related":
            return any(_same_relation(expected, one, case) for one in said)
        case "line":
            wanted = expected.claim(case.games).proposition
            return any(claim.proposition == wanted for one in said for claim in one.claims)
        case "heights":
            return any(
                ("P iff" if "==" in one.picture["formula"] else "G =") == expected.formula
                for one in said
                if one.kind == "heights" and one.picture and "conditions" in one.picture
            )


def _same_relation(expected: Expected, one: Reading, case: Case) -> bool:
    """Whether a statement is the one expected, for the same parameters of those that were searched."""
    wanted = expected.claim(case.games)
    return any(
        (claim.statement.ruleset, claim.proposition)
        == (wanted.statement.ruleset, wanted.proposition)
        and all(
            is_true(claim.statement.when, point) == is_true(wanted.statement.when, point)
            for point in case.points()
        )
        for claim in one.claims
        if one.kind == "related"
    )


def length(expected: Expected, case: Case) -> int:
    """Return the size of the statement that is expected."""
    return size_of(expected.claim(case.games).proposition)


def _is_said(
    expected: Expected,
    said: Sequence[Reading],
    case: Case,
    point: Mapping[str, int],
    name: str,
    folder: Path,
) -> bool:
    """Whether some statement speaks of each position of a game for which something is expected."""
    world = _world(name, said[0], folder)
    meant = spoken(Reading(name, expected.kind, {}, (expected.claim(case.games),)), world, point)
    for one in said:
        if game_of(one.ruleset, point) == name:
            meant &= ~spoken(one, world, point)
    return not meant.any()


def _world(name: str, one: Reading, folder: Path) -> World:
    """Return a small box of a game."""
    game = Game(name, folder)
    box = {c: SIDE for c in game.names if c not in game.limits}
    if "sizes" in game.rules:
        box = {c: n - 1 for c, n in zip("ac", game.rules["sizes"], strict=True)}
    return World(name, one.claims[0].coordinates, box, folder)


def _same_values(expected: Expected, one: Reading, case: Case) -> bool:
    wanted = expected.claim(case.games).proposition
    assert isinstance(wanted, tree.ValueSet)
    claim = one.claims[0] if one.kind == "values" else None
    found = claim.proposition if claim else None
    if not isinstance(found, tree.ValueSet) or found.condition != tree.PPosition():
        return False
    if found.relation not in ("==", wanted.relation):
        return False
    random = np.random.default_rng(0)
    for point in case.points():
        if expected.when and not value(expected.when, **point):
            continue
        if not is_true(claim.statement.when, point):
            return False
        if game_of(one.ruleset, point) != game_of(case.games, point):
            return False
        at = {n: random.integers(0, 40, 60) for n in "abcdxyz"} | {"p": random.integers(0, 2, 60)}
        v = np.arange(-4, 300)
        scopes = Scope(60, {**point, **at}), Scope(len(v), {**point, found.variable: v})
        sets = [(part.value.formula, part.members.formula) for part in (found, wanted)]
        for scope, pair in zip(scopes, zip(*sets, strict=True), strict=True):
            first, second = (scope.value(formula.root) for formula in pair)
            if np.any(first != second):
                return False
    return True


def _same_count(expected: Expected, one: Reading) -> bool:
    """Whether one of a statement's equations is the one expected, for the same sequence."""
    finding = one.finding
    if not isinstance(finding, CountFinding) or finding.sequence is None:
        return False
    return finding.sequence.counted == expected.of and any(
        _same_equation(expected.formula, formula) for formula, _ in equations(finding)
    )


def _same_equation(first: str, second: str) -> bool:
    ratios = set()
    for seed in range(4):
        terms = np.random.default_rng(seed).integers(1, 10**6, 600).tolist()
        known = {"g": terms.__getitem__, "total": lambda i, t=terms: sum(t[:i])}
        for n in range(3, 9):
            sides = [
                [value(side, m=n, n=n, **known) for side in text.split(" == ")]
                for text in (first, second)
            ]
            (a, b), (c, d) = sides
            ratios.add(Fraction(a - b, c - d) if c != d else None)
    return len(ratios) == 1 and None not in ratios


def _same_picture(expected: Expected, one: Reading) -> bool:
    """Whether a search result on pictures has the rule, the relations or the copies that are expected."""
    found = one.finding
    if not isinstance(found, BlocksFinding | CellularFinding) or found.kind != expected.kind:
        return False
    if list(found.axes) != expected.axes:
        return False
    if isinstance(found, CellularFinding):
        return sorted(found.terms) == sorted(map(tuple, expected.terms))
    related = {one.residue: sorted(one.terms) for one in found.relations}
    copies = sorted((one.size, one.row, one.column) for one in found.copies)
    return copies == sorted(map(tuple, expected.copies)) and all(
        related.get(residue) == sorted(map(tuple, terms))
        for residue, terms in expected.residues.items()
    )


def redundant(case: Case, said: Sequence[Reading], folder: Path) -> list[str]:
    """Return the true statements that say nothing beyond an earlier one, or one on more positions.

    Of statements on single games that differ only in numbers all but the first are redundant, too: the family should be named.
    """
    found: list[str] = []
    shapes: dict[str, list[str]] = {}
    for one in said:
        if not one.parameters and one.ruleset != case.games:
            shapes.setdefault(re.sub(r"\d+", "#", one.line), []).append(one.line)
    for lines in shapes.values():
        if len(lines) >= FEWEST_COPIES:
            found += lines[1:]
    every = [_spoken(case, one, folder) for one in said]
    for i, (one, own) in enumerate(zip(said, every, strict=True)):
        for j, (other, theirs) in enumerate(zip(said, every, strict=True)):
            is_less = own < theirs or (own == theirs and j < i)
            if own and is_less and one.kind == other.kind:
                found.append(one.line)
                break
    return list(dict.fromkeys(found))


def _spoken(case: Case, one: Reading, folder: Path) -> frozenset[Any]:
    """Return the games and positions of which a statement speaks."""
    if one.kind not in ("p-positions", "grundy") or case.random or case.box:
        return frozenset()
    found = set()
    for point in case.points():
        name = game_of(case.games, point)
        if game_of(one.ruleset, point) == name:
            places = np.flatnonzero(spoken(one, _world(name, one, folder), point))
            found |= {(name, at) for at in places.tolist()}
    return frozenset(found)
