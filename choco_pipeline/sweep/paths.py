"""Where the documents of runs lie."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

RESULTS = Path("results")
#: The folder that paths in a configuration start from and may not leave.
PROJECT = Path()


@dataclass(frozen=True)
class Paths:
    """Where the documents of a run lie, all below ``results/``."""

    results: Path
    run: str

    @property
    def plan(self) -> Path:
        """The plan itself."""
        return self.results / self.run / "plan.json"

    def spec(self, shard: str) -> Path:
        """Return the spec of a shard."""
        return self.results / "shards" / f"{shard}.json"

    def manifest(self, shard: str) -> Path:
        """Return the manifest of a shard."""
        return self.results / "tables" / f"{shard}.done.json"

    @property
    def certificates(self) -> Path:
        """Where the certificates of all runs lie."""
        return self.results / "certificates"

    def order(self, kind: str, name: str) -> Path:
        """Return a work order: of a shard for ``checks`` and ``mines``, of a part for the other kinds."""
        return self.results / self.run / kind / f"{name}.json"
