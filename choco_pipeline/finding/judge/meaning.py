"""The meaning of a claim at the sampled positions of one game, with which claims of different kinds are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from choco_pipeline.claims.kinds import Cellular, Evaluated, GrundyNumbers, PPositions, Values
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.judge.sampled_positions import sampled
from choco_pipeline.formula import Formula
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.notation import Notation
from choco_pipeline.statements.tree import (
    Equivalent,
    Expression,
    Implies,
    Not,
    Place,
    PPosition,
    Proposition,
    conjuncts,
)
from choco_pipeline.tables.reading.cells import Ints, Points, Truths, evaluate_at, holds_at

#: Largest value in comparisons of sets of values.
LARGEST_VALUE = 1 << 12


@dataclass(frozen=True)
class Meaning:
    """The meaning of a claim at the sampled positions of one game."""

    #: "p" for outcomes or "grundy" for Grundy numbers; for other claims a text that equal claims share.
    of: str
    #: The positions that it is about.
    speaks: Truths
    #: Its values there: 1 for P and 0 for N, or the Grundy number.
    values: Ints

    def about(self, of: str) -> Meaning | None:
        """Return the implied meaning for `of`: Grundy numbers imply outcomes."""
        if self.of == of:
            return self
        if (self.of, of) == ("grundy", "p"):
            return Meaning("p", self.speaks, (self.values == 0).astype(np.int64))
        return None


def environment(claim: Claim, game: str) -> dict[str, int] | None:
    """Return integers for the names of a claim; None if the game is none of its cases, or several."""
    parameters = claim.match(game)
    cases = [] if parameters is None else claim.cases(parameters)
    return claim.environment(cases[0]) if len(cases) == 1 else None


def meaning(claim: Claim, game: str) -> Meaning | None:
    """Return the meaning of a claim for a game; None if the game is not exactly one case, or a formula has no value."""
    try:
        known = environment(claim, game)
        if known is None:
            return None
        if claim.is_of_whole_bars and claim.outcomes is None:
            return _of_bars(claim, known, game)
        points = sampled(game)
        match claim.check:
            case PPositions(relation="exactly") as check:
                values = holds_at(check.formula.substitute(known), points).astype(np.int64)
                return Meaning("p", speaks_of(claim, known, points), values)
            case GrundyNumbers() as check:
                values = evaluate_at(check.equals.substitute(known), points)
                return Meaning("grundy", speaks_of(claim, known, points), values)
            case Values(relation="within") as check:
                return excluding(claim, check, game)
            case Values() as check:
                of = evaluate_at(check.of.substitute(known), points)
                speaks = speaks_of(claim, known, points)
                members = holds_at(
                    check.values.substitute(known), {"v": np.arange(LARGEST_VALUE)}
                ).astype(np.int64)
                everywhere = np.ones(LARGEST_VALUE, np.bool_)
                return Meaning(
                    f"values {check.relation}",
                    np.concatenate([speaks, everywhere]),
                    np.concatenate([of, members]),
                )
            case _:
                return _as_text(claim)
    except ChocoError:
        return None


def excluding(claim: Claim, check: Values, game: str) -> Meaning | None:
    """Return the sampled positions that a claim on values excludes from the P-positions."""
    if check.relation == "contains-all":
        return None
    points = sampled(game)
    known = environment(claim, game) or {}
    values = evaluate_at(check.of.substitute(known), points)
    others = ~holds_at(check.values.substitute(known), {"v": values})
    return Meaning("p", speaks_of(claim, known, points) & others, np.zeros(others.size, np.int64))


def speaks_of(claim: Claim, known: Mapping[str, int], points: Points) -> Truths:
    """Return which positions a claim is about, with integers for its names."""
    check = claim.outcomes or claim.numbers or claim.value_set
    assert check is not None
    speaks = np.ones(next(iter(points.values())).size, np.bool_)
    if check.where is not None:
        speaks &= holds_at(check.where.substitute(known), points)
    if claim.reach is not None:
        reach = int(claim.reach.value(known))
        for name, values in points.items():
            if name != "p":
                speaks &= values <= reach
    return speaks


def _of_bars(claim: Claim, known: Mapping[str, int], game: str) -> Meaning:
    """Return the meaning of a claim on an uncut bar: the cell, and the bar's size, that each cell equals in outcome."""
    match claim.check:
        case Evaluated() as check:
            face = parse_ruleset(game).base.rules.face
            assert face is not None  # such statements are about rectangular bars
            side = face.sizes["i"]
            i, j = np.indices((side, side)).reshape(2, -1) + 1
            points = {"i": i, "j": j}
            speaks, values = np.zeros(i.size, np.bool_), np.zeros(i.size, np.int64)
            for where, like in likened(check.proposition):
                here = ~speaks
                if where is not None:
                    here &= holds_at(where.substitute(known), points)
                if isinstance(like, bool):
                    values[here] = -1 if like else -2
                else:
                    cell = np.zeros(i.size, np.int64)
                    for part in like:
                        cell = (cell << 16) + evaluate_at(part.substitute(known), points)
                    values[here] = cell[here]
                speaks |= here
            # That a cell equals itself says nothing.
            itself = (((side << 16) + i) << 16) + j
            return Meaning("pattern", speaks & (values != itself), values)
        case Cellular(terms=terms, modulo=modulo):
            return _as_text(claim, f"cellular {sorted(terms)} {modulo}")
        case _:
            return _as_text(claim)


def likened(
    proposition: Proposition,
) -> Iterator[tuple[Formula | None, bool | tuple[Formula, ...]]]:
    """Yield the cases of a statement on an uncut bar: a condition on cells, and the size and cell whose outcome they have.

    True stands for P-positions, False for others. Nothing is yielded for a part of another form.
    """
    for part in conjuncts(proposition):
        where = None
        if isinstance(part, Implies) and isinstance(part.premise, Expression):
            where, part = part.premise.formula, part.conclusion
        match part:
            case PPosition():
                yield where, True
            case Not(PPosition()):
                yield where, False
            case Equivalent((PPosition(), PPosition(Place(at=tuple(at), game=Notation() as bar)))):
                size = dict(bar.arguments)["m"]
                assert isinstance(size, Formula)
                yield where, (size, *(one.formula for one in at))
            case _:
                pass


def _as_text(claim: Claim, written: str | None = None) -> Meaning:
    """Return the meaning of a claim that is compared as text, by default its check."""
    text = written or claim.statement.statement or str(claim.statement.check)
    return Meaning(f"{claim.statement.ruleset} {text}", np.ones(1, np.bool_), np.zeros(1, np.int64))
