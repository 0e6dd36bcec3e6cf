"""A work order of mining: what is looked for in which table of a shard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class TableSearch:
    """One table, by its id, and the names of the searches in it."""

    table: str
    what: Sequence[str]


@dataclass(frozen=True)
class MineOrder:
    """The searches in the tables of a shard.

    Attributes
    ----------
    format
        Of tables, and of what comes of the order.
    code
        Digest of the code that searches: an order for other code is another one.
    manifest
        The shard's.
    searches
        In the order of their findings.
    """

    format: int
    code: str
    manifest: Path
    searches: Sequence[TableSearch]

    def as_json(self) -> Mapping[str, object]:
        """Return the order as plain data."""
        return {
            "format": self.format,
            "code": self.code,
            "manifest": self.manifest.as_posix(),
            "searches": [asdict(search) for search in self.searches],
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Return the order that `as_json` gave."""
        searches = [TableSearch(**search) for search in document["searches"]]
        return cls(document["format"], document["code"], Path(document["manifest"]), searches)
