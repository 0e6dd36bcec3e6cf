"""Where the documents of runs lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESULTS = Path("results")
#: The folder that paths in a configuration start from and may not leave.
PROJECT = Path()
#: Folders of a run: of its work orders, and of what comes of them.
ORDERS = ("checks", "mines", "standing", "proofs", "statements", "heights")
OUTCOMES = ("verdicts", "mining", "proved", "classified")
#: What lies in the results folder beside the folders of runs, so that no run may be called so.
SHARED = ("tables", "shards", "certificates", "proofs", "families", "benchmarks")


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

    def records(self) -> Iterator[Path]:
        """Yield the records that there are of the run alone."""
        folder = self.results / self.run
        for name in ("plan", "first-ledger", "found", "ledger"):
            if (folder / f"{name}.json").is_file():
                yield folder / f"{name}.json"
        for kind in (*ORDERS, *OUTCOMES):
            yield from sorted((folder / kind).glob("*.json"))

    @property
    def certificates(self) -> Path:
        """Where the certificates of all runs lie."""
        return self.results / "certificates"

    def order(self, kind: str, name: str) -> Path:
        """Return a work order: of a shard for ``checks`` and ``mines``, of a part for the other kinds."""
        return self.results / self.run / kind / f"{name}.json"


def names_of_orders(plan: Mapping[str, Any], kind: str) -> list[str]:
    """Return the names of a plan's work orders of a kind: of shards for ``checks`` and ``mines``, else of parts."""
    shard_of = {table["id"]: table["shard"] for table in plan["tables"]}
    return list(
        dict.fromkeys(
            order["part"] if "part" in order else shard_of[order["table"]] for order in plan[kind]
        )
    )


def all_records(results: Path) -> Iterator[Path]:
    """Yield the records of all runs, and those that they share; of tables, journals and specs, but no manifests."""
    yield from sorted((results / "shards").glob("*.json"))
    yield from sorted((results / "tables").glob("*.blocks/*.json"))
    yield from sorted((results / "certificates" / "outcomes").rglob("*.json"))
    for folder in sorted(results.glob("*/")):
        if folder.name not in SHARED:
            yield from Paths(results, folder.name).records()
