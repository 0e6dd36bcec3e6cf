"""Tables of height functions: how many of each box have a formula, which sums come closest, and the least functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from choco_pipeline.finding.statements.statement import FoundStatement, StatementError

#: What a statement's picture is called that has these tables.
KIND = "height-functions"


@dataclass(frozen=True)
class HeightTable:
    """A small table."""

    #: What it shows.
    title: str
    #: Of each column; of the first, what the rows are.
    head: tuple[str, ...]
    #: Each as long as the head.
    rows: tuple[tuple[str, ...], ...]


def tables_of(statement: FoundStatement) -> list[HeightTable]:
    """Return the tables of a statement that counts height functions; none of any other.

    Raises `StatementError` if its picture does not hold what such a one must.
    """
    shown = statement.picture
    if shown is None or shown.get("kind") != KIND:
        return []
    try:
        return [*_counts(shown["counts"]), _shifts(shown["shifts"]), *_least(shown["least"])]
    except (KeyError, TypeError, AttributeError) as error:
        raise StatementError(f"{statement.id}: not counts of height functions: {error}") from None


def _counts(counts: Mapping[str, Sequence[Mapping[str, int]]]) -> Iterator[HeightTable]:
    """Yield for each formula the numbers of functions, rows by largest argument and columns by largest height."""
    for formula, boxes in counts.items():
        sides = sorted({box["side"] for box in boxes})
        heights = sorted({box["height"] for box in boxes})
        number = {(box["side"], box["height"]): f"{box['functions']:,}" for box in boxes}
        yield HeightTable(
            f"How many monotone f from {{0..n}}² to {{0..h}} have {formula}",
            ("n \\ h", *map(str, heights)),
            tuple((str(n), *(number.get((n, h), "") for h in heights)) for n in sides),
        )


def _shifts(shifts: Sequence[Mapping[str, Any]]) -> HeightTable:
    """Return for how many functions of the box each sum is zero at the P-positions alone, or nearly."""
    return HeightTable(
        "For how many f of the box a sum is zero exactly at the P-positions, and for how many it comes closest to that",
        ("sum", "exactly", "closest"),
        tuple((shift["sum"], f"{shift['exact']:,}", f"{shift['best']:,}") for shift in shifts),
    )


def _least(least: Mapping[str, Sequence[Sequence[int]] | None]) -> Iterator[HeightTable]:
    """Yield the least function of each class as its values, rows by x and columns by z."""
    for which, heights in least.items():
        if heights is not None:
            yield HeightTable(
                f"The least f with: {which}",
                ("x \\ z", *(str(z) for z in range(len(heights[0])))),
                tuple((str(x), *map(str, row)) for x, row in enumerate(heights)),
            )
