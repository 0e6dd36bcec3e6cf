"""The base classes of checks: tables that they need, and keys of plug-ins."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula
from choco_pipeline.formula.ranges import Range
from choco_pipeline.tables.spec import QUANTITIES, Quantity

#: A formula, its place in the check, and the names that it may use besides parameters.
Part = tuple[Location, Formula | Range | None, Collection[str]]


class Judged:
    """The properties of a check that judges of tables need."""

    #: Whether it compares tables, so that a single table does not decide it.
    over_tables: ClassVar[bool] = False
    #: Whether it is about uncut rectangular bars, by the poisoned cell (i, j), if the ruleset is such a bar.
    of_whole_bars: ClassVar[bool] = False
    #: The only kind of table for the check; None for any.
    of_tables: ClassVar[Quantity | None] = None

    @property
    def reads_tables(self) -> bool:
        """Whether tables decide it, rather than the definition of the game."""
        return True

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables for the check; `whole_bars` means uncut bars."""
        if self.of_tables is not None:
            return (self.of_tables,)
        return ("p-positions",) if whole_bars else QUANTITIES


class Kind(Judged, Model):
    """A check in keys of its own."""

    #: Whether it is about rulesets; if not, it is about integers or height functions, and needs no table.
    of_rulesets: ClassVar[bool] = True
    #: Names of the only rulesets that it can be about; None for any.
    rulesets: ClassVar[tuple[str, ...] | None] = None

    @property
    def integers(self) -> Mapping[str, Range]:
        """The integers that it is about, in order, each with its range."""
        return {}

    def parts(self, coordinates: frozenset[str]) -> Iterator[Part]:
        """Yield every formula in it, with its place.

        By default these are the values of its keys that are formulas, in coordinates.
        """
        for name, value in self:
            if isinstance(value, Formula):
                yield (name,), value, coordinates

    def mistakes(self, coordinates: tuple[str, ...]) -> Iterator[tuple[Location, str]]:
        """Yield each mistake beyond names: its place in the check, and a message."""
        yield from ()

    def summary(self) -> str:
        """Return the claim as one line of formulas."""
        raise NotImplementedError


def in_order(
    place: Location, formulas: Mapping[str, Formula | Range], known: set[str]
) -> Iterator[Part]:
    """Yield formulas that may use earlier names, and add their names to `known`."""
    for name, formula in formulas.items():
        yield (*place, name), formula, frozenset(known)
        known.add(name)
