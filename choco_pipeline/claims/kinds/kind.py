"""What every statement answers about itself that the language cannot say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula
from choco_pipeline.formula.ranges import Range
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.tables.specs.schema import QUANTITIES, Quantity

#: A formula, where it stands in the check, and the names that it may use besides parameters.
Part = tuple[Location, Formula | Range | None, Collection[str]]


class Kind(Model):
    """A statement in keys of its own, for what the language of statements cannot say."""

    #: Whether it speaks of rulesets; if not, it is a statement on integers or height functions, checked without a table.
    of_rulesets: ClassVar[bool] = True
    #: Whether it compares tables, so that one table alone does not decide it.
    over_tables: ClassVar[bool] = False
    #: Whether tables decide it; if not, its ruleset's own definition does, and one table of a ruleset stands for all.
    reads_tables: ClassVar[bool] = True
    #: Whether it speaks of the uncut rectangular bars, by the poisoned cell (i, j), where the ruleset is one.
    of_whole_bars: ClassVar[bool] = False
    #: Names of the only rulesets that it can speak of; None for any.
    rulesets: ClassVar[tuple[str, ...] | None] = None
    #: The only kind of tables that it can be checked on; None for any.
    of_tables: ClassVar[Quantity | None] = None

    @property
    def integers(self) -> Mapping[str, Range]:
        """The integers that it speaks of, in order, each with its range."""
        return {}

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables that it can be checked on; `whole_bars` if it speaks of rectangular ones."""
        if self.of_tables is not None:
            return (self.of_tables,)
        return ("p-positions",) if whole_bars else QUANTITIES

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it: by default the values of its keys that are formulas, in coordinates."""
        for name, value in self:
            if isinstance(value, Formula):
                yield (name,), value, coordinates

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield what is wrong with it beyond names: a place in the check, and a message."""
        yield from ()

    def summary(self) -> str:
        """Return what is claimed as one line of formulas."""
        raise NotImplementedError


def in_order(
    place: Location, formulas: Mapping[str, Formula | Range], known: set[str]
) -> Iterator[Part]:
    """Yield named formulas, of which each may use the names before it, and add their names to those that are known."""
    for name, formula in formulas.items():
        yield (*place, name), formula, frozenset(known)
        known.add(name)


def where_text(where: Formula | None) -> str:
    """Return a condition on positions as the end of a summary."""
    return "" if where is None else f", where {math_text(where)}"
