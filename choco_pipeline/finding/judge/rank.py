"""Which found statements say something new, and which come first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from choco_pipeline.claims.conclusions.conclusion import STRONGEST_FIRST
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.finding.judge.known import sources
from choco_pipeline.finding.statements.statement import FoundStatement


def strongest_first(
    statements: Iterable[FoundStatement], excluded: Callable[[FoundStatement], int]
) -> list[FoundStatement]:
    """Return statements so that one that may imply another comes before it.

    Formulas for all positions first; among them more parameters first, then fewer conditions, fewer exceptions and shorter formulas;
    of those on values the ones that exclude more positions first. `excluded` counts how many of some
    positions a statement on values says to be no P-positions.
    """

    def key(statement: FoundStatement) -> tuple[object, ...]:
        tables = -math.prod(len(set(values)) for values in statement.parameters.values())
        given = [claim.determined for claim in statement.claims]
        where = any(one is not None and one.where is not None for one in given)
        return (
            statement.kind not in ("grundy", "p-positions"),
            not statement.pattern.names,
            bool(statement.when),
            tables,
            -excluded(statement) if statement.kind == "values" else 0,
            where,
            len(statement.claims),
            statement.size,
            statement.text,
        )

    return sorted(statements, key=key)


def restated(
    claims: Sequence[Claim], games: Sequence[str], catalogue: Catalogue
) -> tuple[str, ...]:
    """Return the ids of the claims of a catalogue that say together what claims that were seen for some games say; empty if they do not."""
    known: dict[str, None] = {}
    for claim in claims:
        ids = sources(claim, games, catalogue)
        if not ids:
            return ()
        known |= dict.fromkeys(ids)
    return tuple(known)


def is_surer(statement: FoundStatement, other: FoundStatement) -> bool:
    """Whether the outcome of a statement is a stronger one than that of another."""
    return STRONGEST_FIRST.index(statement.verdict) < STRONGEST_FIRST.index(other.verdict)


def ranked(statements: Iterable[FoundStatement]) -> list[FoundStatement]:
    """Return statements in the order in which they are shown.

    Refuted ones come last, before them those that follow from others. Among the others proved ones come first; among those with
    the same verdict what is not known, families before single games, formulas before relations to other games, then short ones.
    """

    def key(statement: FoundStatement) -> tuple[object, ...]:
        return (
            statement.verdict == "refuted",
            bool(statement.follows_from),
            STRONGEST_FIRST.index(statement.verdict),
            bool(statement.known),
            statement.known_as == "more",
            not statement.pattern.names,
            statement.kind == "related",
            statement.size,
            statement.text,
        )

    return sorted(statements, key=key)
