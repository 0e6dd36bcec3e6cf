"""A condition on parameters, learned from some tables of a family and tested on the tables held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from choco_pipeline.finding.families.domains import (
    FEWEST_HELD_OUT,
    Domain,
    domain,
    is_chance,
    is_overfitted,
)
from choco_pipeline.finding.families.table_family import TableFamily

#: Fewest tables held out in which a statement for all parameters must be right.
FEWEST_EVERYWHERE = 2


@dataclass(frozen=True)
class TestedCondition:
    """A condition, with the indices of the tables from which it was learned and on which it was tested."""

    domain: Domain
    learnt: tuple[int, ...]
    held_out: tuple[int, ...]

    def is_enough(self, family: TableFamily, inside: int) -> bool:
        """Whether enough tables are held out, both such where it holds and such where it does not, and chance would not do.

        It holds for so many of the tables as `inside` says.
        """
        held = [self.domain.holds(family.points[i]) for i in self.held_out]
        if not self.domain.text:
            return sum(held) >= FEWEST_EVERYWHERE
        several = any(held) and not all(held) and len(held) >= FEWEST_HELD_OUT
        is_fitted = is_overfitted(self.domain.text, family.points)
        return several and not is_fitted and not is_chance(self.domain, len(family.points), inside)


def tested_condition(family: TableFamily, holds: Sequence[bool]) -> TestedCondition | None:
    """Return the condition under which something holds, or None; a second one if tables held out refute the first."""
    points = family.points
    learnt, held_out = family.searched, family.held_out

    def condition() -> Domain | None:
        return domain([points[i] for i in learnt], [holds[i] for i in learnt], points)

    tested, joining = condition(), family.held_out_first
    if tested and any(tested.holds(points[i]) != holds[i] for i in joining):
        learnt += joining
        held_out = tuple(i for i in held_out if i not in joining)
        tested = condition()
    return TestedCondition(tested, learnt, held_out) if tested else None
