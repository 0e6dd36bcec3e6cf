"""Specs of tables: frozen values with a hash as id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from choco_pipeline.errors import StoreError
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.provenance import digest
from choco_pipeline.tables.specs.schema import Quantity

#: Changes when older stored tables can no longer be read.
FORMAT = 3


@dataclass(frozen=True)
class TableSpec:
    """One table: a ruleset, a bound and a quantity."""

    #: In the one notation, without parameters.
    ruleset: str
    #: Largest value of every coordinate that the shape does not limit.
    bound: int
    #: ``grundy`` or ``p-positions``.
    quantity: Quantity
    #: The ruleset with every height table named by its content.
    identity: str = field(default="")

    @classmethod
    def of(cls, ruleset: Ruleset, bound: int, quantity: Quantity) -> TableSpec:
        """Return the spec of a ruleset's table."""
        return cls(ruleset.notation, bound, quantity, ruleset.identity)

    @cached_property
    def table_id(self) -> str:
        """First 16 hex digits of the SHA-256 of this spec's canonical JSON."""
        return digest(
            {
                "format": FORMAT,
                "game": self.identity,
                "bound": self.bound,
                "quantity": self.quantity,
            }
        )

    def game(self) -> Ruleset:
        """Return the ruleset; height tables are read from below the working directory."""
        return parse_ruleset(self.ruleset)

    def planned_game(self) -> Ruleset:
        """Return the ruleset of the plan.

        Raises `StoreError` if a height table has changed since planning.
        """
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
    """Tables that one task builds into one store, or one large table of many tasks."""

    #: Hash of the table ids and of the code that computes them; names the store and the manifest.
    name: str
    tables: tuple[TableSpec, ...]
    #: The URL below which its store is, if not beside its manifest.
    url: str | None = None
    #: Whether it is one table that is built in blocks.
    large: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the shard as its spec file holds it."""
        return {
            "format": FORMAT,
            "shard": self.name,
            "url": self.url,
            "large": self.large,
            "tables": [t.as_json() for t in self.tables],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Shard:
        """Return the shard that a spec file holds."""
        specs = [
            TableSpec(t["ruleset"], t["bound"], t["quantity"], t["identity"])
            for t in document["tables"]
        ]
        return cls(document["shard"], tuple(specs), document["url"], document["large"])
