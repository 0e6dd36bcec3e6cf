"""What a table holds: the variables, declared once, and which of them a ruleset has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from choco_pipeline.games import Ruleset
from choco_pipeline.games.rules import Face
from choco_pipeline.tables.specs.patterns import dependent

Quantity = Literal["grundy", "p-positions"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)

#: No position there, or no P-position in that column.
NONE = -1
#: The fill value of stored arrays: a cell that was never written. No finished table holds it.
NOT_COMPUTED = -2


@dataclass(frozen=True)
class Variable:
    """One variable of a table.

    Attributes
    ----------
    name
        As in the data set: ``grundy``, or ``p_`` and what the cells hold.
    dims
        Dimension names; p, the passes left, comes first where there is one.
    stored
        The coordinate that the cells hold for P-positions; None where they hold something else.
    meaning
        What a cell says, in one sentence.
    face
        The positions that it holds, if not all.
    """

    name: str
    dims: tuple[str, ...]
    stored: str | None
    meaning: str
    face: Face | None = None

    def first(self, dim: str) -> int:
        """Return what a dimension's first index stands for."""
        return 1 if self.face is not None and dim in self.face.sizes else 0


def variable_of(ruleset: Ruleset, quantity: Quantity) -> Variable:
    """Return the variable that a table of `quantity` for `ruleset` holds.

    Examples
    --------
    >>> from choco_pipeline import StripBar, WithPass
    >>> variable_of(WithPass(StripBar(4, 2)), "p-positions").dims
    ('p', 'y', 'z')
    """
    rules = ruleset.base.rules
    front = ruleset.coordinates[-1:] if ruleset.passes else ()
    if quantity == "grundy":
        meaning = "Grundy number; -1 where there is no position"
        return Variable("grundy", (*front, *rules.coordinates), None, meaning)
    if rules.face is not None:
        meaning = "1 if the whole bar with the poisoned cell in row i, column j (from 1) is a P-position, else 0"
        return Variable("p_cell", (*front, *rules.face.sizes), None, meaning, rules.face)
    bar = rules.bar
    if rules.free is not None:
        stored = rules.free
        absent = "it always exists and may exceed the bound"
        if dependent(rules):
            absent = "-1 outside the bar; it may exceed the bound"
        elif rules.within is not None:
            absent = "-1 where there is no position; it may exceed the bound"
    elif bar is not None:
        stored = bar.up
        absent = "-1 where there is none" if bar.is_flat else "-1 where the column has none"
    else:
        meaning = "1 for a P-position, 0 for an N-position, -1 where there is no position"
        return Variable("p_position", (*front, *rules.coordinates), None, meaning)
    dims = (name for name in rules.coordinates if name != stored)
    meaning = f"the {stored} of the P-position with these other coordinates; {absent}"
    return Variable(f"p_{stored}", (*front, *dims), stored, meaning)
