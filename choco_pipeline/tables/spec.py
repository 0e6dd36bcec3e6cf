"""Descriptions of tables: variables, specs with a hash as id, and shards."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.errors import RulesetError, StoreError
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.rules import Face
from choco_pipeline.provenance import digest
from choco_pipeline.tables.bounded_game import dependent

Quantity = Literal["grundy", "p-positions"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)

#: Value of a cell without a position, or of a column without a P-position.
NONE = -1
#: Fill value of stored arrays, which marks cells that were never written. No finished table has such cells.
NOT_COMPUTED = -2


@dataclass(frozen=True)
class Variable:
    """One variable of a table."""

    #: The name in the data set: ``grundy``, or ``p_`` and the content of the cells.
    name: str
    #: Dimension names; p, the passes left, comes first if there is one.
    dims: tuple[str, ...]
    #: The coordinate of P-positions that the cells store; None if they store no coordinate.
    stored: str | None
    #: Short description of a cell.
    long_name: str
    #: The meaning of special values.
    comment: str
    #: The face of the game that the table covers; None if it covers all positions.
    face: Face | None = None

    def first(self, dim: str) -> int:
        """Return the coordinate at a dimension's first index."""
        return 1 if self.face is not None and dim in self.face.sizes else 0

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes in data sets, by the CF conventions."""
        return {"long_name": self.long_name, "comment": self.comment, "units": "1"}


def coordinate(dim: str, first: int, length: int) -> tuple[NDArray[np.int64], dict[str, str]]:
    """Return the values and CF attributes of a coordinate variable."""
    long_name = "passes left" if dim == "p" else f"coordinate {dim}"
    values = np.arange(first, first + length, dtype=np.int64)
    return values, {"long_name": long_name, "units": "1"}


def quantity_for(ruleset: Ruleset, allowed: Collection[Quantity]) -> Quantity:
    """Return `p-positions` if tables of them are allowed, else `grundy`.

    A single heap of any size has only one P-position, and gets a table of Grundy numbers.
    """
    if "p-positions" in allowed and variable_of(ruleset, "p-positions").dims:
        return "p-positions"
    return "grundy"


def variable_of(ruleset: Ruleset, quantity: Quantity) -> Variable:
    """Return the variable of a table of `quantity` for `ruleset`."""
    rules = ruleset.base.rules
    front = ruleset.coordinates[-1:] if ruleset.passes else ()
    if quantity == "grundy":
        if rules.misere:
            raise RulesetError(
                f"{ruleset.notation}: misère play has outcomes, and no Grundy numbers: ask for p-positions"
            )
        dims = (*front, *rules.coordinates)
        return Variable("grundy", dims, None, "Grundy number", "-1 where there is no position")
    if rules.face is not None:
        long_name = "whether the whole bar is a P-position"
        comment = "1 if it is with the poisoned cell in row i, column j (from 1), else 0"
        dims = (*front, *rules.face.sizes)
        return Variable("p_cell", dims, None, long_name, comment, rules.face)
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
        dims = (*front, *rules.coordinates)
        comment = "1 for a P-position, 0 for an N-position, -1 where there is no position"
        return Variable("p_position", dims, None, "outcome", comment)
    dims = (*front, *(name for name in rules.coordinates if name != stored))
    long_name = f"{stored} of the P-position with these other coordinates"
    return Variable(f"p_{stored}", dims, stored, long_name, absent)


#: Version of the storage format; it changes when older tables can no longer be read.
FORMAT = 3


@dataclass(frozen=True)
class TableSpec:
    """One table: a ruleset, a bound and a quantity."""

    #: The notation, without parameters.
    ruleset: str
    #: Largest value of all coordinates without a limit.
    bound: int
    quantity: Quantity
    #: The notation with the content's digest for each height table: equal only for equal games.
    identity: str

    @classmethod
    def of(cls, ruleset: Ruleset, bound: int, quantity: Quantity) -> TableSpec:
        """Return the spec of a ruleset's table."""
        return cls(ruleset.notation, bound, quantity, ruleset.identity)

    @cached_property
    def table_id(self) -> str:
        """First 16 hex digits of the SHA-256 of this spec's canonical JSON."""
        content = {"format": FORMAT, "game": self.identity, "bound": self.bound}
        return digest({**content, "quantity": self.quantity})

    @classmethod
    def of_entry(cls, entry: Mapping[str, Any]) -> TableSpec:
        """Return the spec from an entry of a manifest or of a shard's file."""
        return cls(entry["ruleset"], entry["bound"], entry["quantity"], entry["identity"])

    def game(self) -> Ruleset:
        """Return the ruleset; height tables are read from below the working directory."""
        return parse_ruleset(self.ruleset)

    def planned_game(self) -> Ruleset:
        """Return the ruleset; raise `StoreError` if a height table has changed."""
        game = self.game()
        if game.identity != self.identity:
            raise StoreError(
                f"{self.ruleset}: the height table has changed since the plan was made; plan again"
            )
        return game

    def as_json(self) -> dict[str, object]:
        """Return the spec as plain data, with its id."""
        return {"id": self.table_id, **asdict(self)}


@dataclass(frozen=True)
class Shard:
    """The tables of one store: small ones that one task builds, or one large table."""

    #: Digest of the table ids and of the computing code; the store and the manifest have this name.
    name: str
    tables: tuple[TableSpec, ...]
    #: URL of the folder with its store; None if the store is beside the manifest.
    url: str | None = None
    #: Whether it has one table, which many tasks build in blocks.
    large: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the content of the shard's spec file."""
        return {
            "format": FORMAT,
            "shard": self.name,
            "url": self.url,
            "large": self.large,
            "tables": [t.as_json() for t in self.tables],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Shard:
        """Return the shard from the content of its spec file."""
        specs = tuple(map(TableSpec.of_entry, document["tables"]))
        return cls(document["shard"], specs, document["url"], document["large"])
