"""Checking formulas for Grundy numbers, and counting positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from choco_pipeline.claims.evidence.choices import Choices, EvaluationBudget
from choco_pipeline.claims.evidence.shared_pass import Pass
from choco_pipeline.claims.evidence.tally import Tally
from choco_pipeline.claims.kinds import Count, GrundyNumbers
from choco_pipeline.claims.scans.cell_tasks import NumbersTask
from choco_pipeline.claims.scans.scan import compare_by_scan
from choco_pipeline.tables.reading.cells import (
    Cells,
    Points,
    Slab,
    evaluate_at,
    holds_at,
    select,
    select_where,
)


def compare_grundy_numbers(
    check: GrundyNumbers,
    environment: Mapping[str, int],
    cells: Cells,
    size: int,
    reach: int | None = None,
) -> Pass[Tally]:
    """Return where a table of Grundy numbers and a formula disagree; arguments as in `compare_p_positions`."""
    equals = check.equals.substitute(environment)
    where = None if check.where is None else check.where.substitute(environment)
    tally = Tally(cells, reach)

    def by_arrays(slab: Slab, tally: Tally) -> None:
        block = cells.block_of(slab).within(where)
        tally.settle(block.points)
        tally.fail(select(block.points, evaluate_at(equals, block.points) != block.values))

    yield from compare_by_scan(NumbersTask(equals, where), tally, size, by_arrays)
    return tally


def count_positions_with(
    check: Count,
    environment: Mapping[str, int],
    cells: Cells,
    size: int,
    reach: int | None = None,
) -> tuple[int, int]:
    """Return how many positions satisfy the claim's condition, and of how many; arguments as in `compare_p_positions`.

    Where the claim has further integers, choices of a position and of these are counted.
    """
    of = check.of.substitute(environment)
    where = None if check.where is None else check.where.substitute(environment)
    counted = among = 0
    if check.over == "p-positions":
        points_of_blocks = cells.p_positions(size)
    else:
        points_of_blocks = (
            {**block.points, "grundy": block.values} for block in cells.blocks(size)
        )
    for points in points_of_blocks:
        inside = cells.within_reach(select_where(points, where), reach)
        for choices in _with_others(check, environment, inside, size):
            truths = holds_at(of, choices)
            counted += int(truths.sum())
            among += truths.size
    return counted, among


def _with_others(
    check: Count, environment: Mapping[str, int], points: Points, size: int
) -> Iterator[Points]:
    """Yield positions with every choice of the claim's further integers; as they are if there are none."""
    if not check.beside:
        return iter([points])
    return Choices(check.beside, known=environment).blocks(EvaluationBudget(), size, points)
