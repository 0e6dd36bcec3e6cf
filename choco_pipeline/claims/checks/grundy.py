"""Checking formulas for Grundy numbers, and counting positions."""

from __future__ import annotations

from collections.abc import Mapping

from choco_pipeline.claims.checks.evaluation import Batch, Evaluation
from choco_pipeline.claims.evidence.shared_pass import Pass
from choco_pipeline.claims.evidence.tally import Tally
from choco_pipeline.claims.kinds import Count, GrundyNumbers
from choco_pipeline.claims.language.case import ClaimCase, Finding
from choco_pipeline.claims.language.verdict import Counterexample, Exhausted, Refuted, Undecided
from choco_pipeline.claims.scans.cell_loop import NumbersTask
from choco_pipeline.claims.scans.scan import compare_by_scan
from choco_pipeline.statements.tree import InRange
from choco_pipeline.tables.reading.cells import (
    Cells,
    Slab,
    evaluate_at,
    holds_at,
    select,
)


def compare_grundy_numbers(
    check: GrundyNumbers,
    environment: Mapping[str, int],
    cells: Cells,
    size: int,
    reach: int | None = None,
) -> Pass[Tally]:
    """Compare a table with a formula; arguments as in `compare_p_positions`."""
    equals = check.equals.substitute(environment)
    where = None if check.where is None else check.where.substitute(environment)
    tally = Tally(cells, reach)

    def by_arrays(slab: Slab, tally: Tally) -> None:
        block = cells.block_of(slab).within(where)
        tally.settle(block.points)
        tally.fail(select(block.points, evaluate_at(equals, block.points) != block.values))

    yield from compare_by_scan(NumbersTask(equals, where), tally, size, by_arrays)
    return tally


def find_count(check: Count, case: ClaimCase) -> Finding:
    """Return the verdict on a number of positions or choices."""
    environment, cells, size = case.environment, case.cells, case.block
    if not case.is_complete:
        why = f"the table reaches bound {case.bound:,}, {case.reach:,} is needed"
        return Finding(Undecided(why))
    of = check.of.substitute(environment)
    counted = among = 0
    evaluation = Evaluation(None, case.bound, environment)
    further = [InRange(name, span) for name, span in check.beside.items()]
    if check.over == "p-positions":
        points_of_blocks = cells.p_positions(size)
    else:
        points_of_blocks = (
            {**block.points, "grundy": block.values} for block in cells.blocks(size)
        )
    for points in points_of_blocks:
        inside = cells.within_reach(points, case.reach)
        start = evaluation.start(inside)
        batch = Batch(start.size, {**start.known, **inside})
        for _, choices in evaluation.choices(further, batch):
            truths = holds_at(of, choices.known)
            counted += int(truths.sum())
            among += truths.size
    unit = "P-position" if check.over == "p-positions" else "position"
    claimed = int(check.equals.value(environment))
    evidence = {"counted": counted, "among": among}
    what = f"{unit}s"
    if check.beside:
        what = f"choices of {what} and of {', '.join(check.beside)}"
    if counted == claimed:
        if not among:
            return Finding(case.nothing(unit), evidence)
        return Finding(Exhausted(among, "case" if check.beside else "position"), evidence)
    return Finding(Refuted(Counterexample(f"{counted:,} {what}", f"{claimed:,}"), among), evidence)
