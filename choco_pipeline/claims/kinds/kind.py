"""The properties of checks that decide on which tables they are judged, and the base of plug-ins."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import Location
from choco_pipeline.formula import Formula
from choco_pipeline.formula.ranges import Range
from choco_pipeline.tables.specs.schema import QUANTITIES, Quantity

#: A formula, its place in the check, and the names that it may use besides parameters.
Part = tuple[Location, Formula | Range | None, Collection[str]]


class Judged:
    """A check, as the judges of tables see it."""

    #: Whether it compares tables, so that one table alone does not decide it.
    over_tables: ClassVar[bool] = False
    #: Whether it is about uncut rectangular bars, by the poisoned cell (i, j), if the ruleset is one.
    of_whole_bars: ClassVar[bool] = False
    #: The only kind of tables that it can be checked on; None for any.
    of_tables: ClassVar[Quantity | None] = None

    @property
    def reads_tables(self) -> bool:
        """Whether tables decide it; if not, the definition of the game does."""
        return True

    def quantities(self, whole_bars: bool) -> tuple[Quantity, ...]:
        """Return the kinds of tables that it can be checked on; `whole_bars` if it is about uncut rectangular bars."""
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
        """Yield every formula in it: by default the values of its keys that are formulas, in coordinates."""
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
    """Yield named formulas, each of which may use the names before it, and add their names to `known`."""
    for name, formula in formulas.items():
        yield (*place, name), formula, frozenset(known)
        known.add(name)
