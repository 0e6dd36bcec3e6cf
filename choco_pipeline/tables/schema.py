"""What a table holds: the variables, declared once, and which of them a ruleset has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from choco_pipeline.games import Nim, RectangularBar, Ruleset, SolidBar, StepBar, StripBar, WithPass

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
    """

    name: str
    dims: tuple[str, ...]
    stored: str | None
    meaning: str


def variable_of(ruleset: Ruleset, quantity: Quantity) -> Variable:
    """Return the variable that a table of `quantity` for `ruleset` holds.

    Examples
    --------
    >>> variable_of(WithPass(StripBar(4, 2)), "p-positions").dims
    ('p', 'y', 'z')
    """
    base = ruleset.base
    front = ruleset.coordinates[-1:] if isinstance(ruleset, WithPass) else ()
    if quantity == "grundy":
        return Variable(
            "grundy",
            (*front, *base.coordinates),
            None,
            "Grundy number; -1 where there is no position",
        )
    dims: tuple[str, ...]
    match base:
        case SolidBar():
            stored, dims, absent = "y", ("x", "z"), "-1 where the column has none"
        case StripBar():
            stored, dims, absent = "x", ("y", "z"), "-1 outside the bar"
        case StepBar():
            stored, dims, absent = "y", ("z",), "-1 where there is none"
        case Nim():
            stored, dims, absent = (
                base.coordinates[-1],
                base.coordinates[:-1],
                "it always exists and may exceed the bound",
            )
        case RectangularBar():
            meaning = "1 if the whole bar with the poisoned cell in row i, column j (from 1) is a P-position, else 0"
            return Variable("p_cell", (*front, "i", "j"), None, meaning)
        case _:
            meaning = "1 for a P-position, 0 for an N-position, -1 where there is no position"
            return Variable("p_position", (*front, *base.coordinates), None, meaning)
    if isinstance(base, StripBar):
        absent += "; it may exceed the bound"
    meaning = f"the {stored} of the P-position with these other coordinates; {absent}"
    return Variable(f"p_{stored}", (*front, *dims), stored, meaning)
