"""Checking stored tables again: their bytes against checksums and digests, their mathematics against the definition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import StoreError
from choco_pipeline.games import Position, Ruleset, mex, parse_ruleset
from choco_pipeline.tables.reading.lookup import Lookup
from choco_pipeline.tables.reading.windows import StoredCells
from choco_pipeline.tables.specs.position_count import estimated_positions
from choco_pipeline.tables.specs.schema import Quantity
from choco_pipeline.tables.storage.checked import fault_of_metadata, require_digests
from choco_pipeline.tables.storage.location import Location
from choco_pipeline.tables.storage.store import store_of

#: About so many of the smallest positions are computed from the definition alone.
SMALL = 1500
#: So many random positions are checked against their options, or as many as have `MOST_OPTIONS` together.
SAMPLES = 200
#: Options of all sampled positions together: a position far out has thousands.
MOST_OPTIONS = 50_000


@dataclass(frozen=True)
class VerifiedTable:
    """What verification says of a table: how many positions were checked, and what is wrong, else None."""

    table: str
    ruleset: str
    bound: int
    quantity: Quantity
    checked: int = 0
    wrong: str | None = None


def verify_manifest(
    manifest_file: str, seed: int, report: Callable[..., None]
) -> list[VerifiedTable]:
    """Check every table of a shard and return what is to be said of each; the seed chooses the random positions.

    The report is called as ``report("verify", tables=1, positions=n)`` for each table. Raises `StoreError` if the manifest is
    damaged, or none.
    """
    manifest = Path(manifest_file)
    document = read_record(manifest)
    try:
        return _verified(manifest, document, seed, report)
    except (KeyError, TypeError, AttributeError):
        raise StoreError(f"{manifest}: not the manifest of a shard") from None


def _verified(
    manifest: Path, document: Mapping[str, Any], seed: int, report: Callable[..., None]
) -> list[VerifiedTable]:
    verified: list[VerifiedTable] = []
    for table_id, entry in document["tables"].items():
        table = VerifiedTable(table_id, entry["ruleset"], entry["bound"], entry["quantity"])
        try:
            store = store_of(manifest, document)
            require_digests(store, table_id, entry)
            fault = fault_of_metadata(store, table_id, entry, document["kernels"])
            if fault is not None:
                raise StoreError(fault)
            checked = _check_numbers(store, table_id, entry, seed)
            verified.append(replace(table, checked=checked))
        except StoreError as error:
            verified.append(replace(table, wrong=str(error)))
        report("verify", tables=1, positions=entry["positions"])
    return verified


def _check_numbers(store: Location, table_id: str, entry: Mapping[str, Any], seed: int) -> int:
    game = parse_ruleset(entry["ruleset"])
    table = Lookup.of(game, StoredCells.open(store, table_id, entry))
    checked = 0
    for position in _small(game, int(entry["bound"]), table):
        _require(table, position, game.grundy(position), "by definition")
        checked += 1
    seen = 0
    for position in _random(game, int(entry["bound"]), table, np.random.default_rng(seed)):
        options = list(game.options(position))
        seen += len(options)
        if seen > MOST_OPTIONS and checked:
            break
        if not all(map(table.covers, options)):
            continue
        if table.variable.name == "grundy":
            _require(
                table, position, mex(map(table.grundy, options)), "by its options in the table"
            )
        elif any(map(table.is_p_position, options)) == table.is_p_position(position):
            raise StoreError(
                f"table {table_id}: {position} contradicts its options: P exactly if none of them is P"
            )
        checked += 1
    return checked


def _require(table: Lookup, position: Position, grundy: int, source: str) -> None:
    if table.variable.name == "grundy" and table.grundy(position) != grundy:
        raise StoreError(
            f"{position} has Grundy number {table.grundy(position)} in the table, {grundy} {source}"
        )
    if table.is_p_position(position) != (grundy == 0):
        outcome, is_p = ("P", "N") if table.is_p_position(position) else ("N", "P")
        raise StoreError(f"{position} is {outcome} in the table, {is_p} {source}")


def _small(game: Ruleset, bound: int, table: Lookup) -> Iterator[Position]:
    """Yield the covered positions with small coordinates; of rectangular bars the whole ones, if the bar is small."""
    size = 1
    while size < bound and estimated_positions(game, size + 1) <= SMALL:
        size += 1
    for position in np.ndindex(*(min(most, size) + 1 for most in game.limits(bound))):
        if game.is_position(position) and table.covers(position):
            yield position


def _random(
    game: Ruleset, bound: int, table: Lookup, random: np.random.Generator
) -> Iterator[Position]:
    limits = np.array(game.limits(bound))
    drawn = 0
    for _ in range(50 * SAMPLES):
        position = tuple(int(c) for c in random.integers(0, limits + 1))
        if game.is_position(position) and table.covers(position):
            drawn += 1
            yield position
            yield from _stored_beside(position, table)
            if drawn == SAMPLES:
                return


def _stored_beside(position: Position, table: Lookup) -> Iterator[Position]:
    """Yield the P-position in the column of `position`, and the one below it, if the table stores columns."""
    stored = table.variable.stored
    value = None if stored is None else table.stored(position)
    if stored is None or value is None:
        return
    axis = table.game.coordinates.index(stored)
    for c in (value, value - 1):
        if c >= 0:
            yield (*position[:axis], c, *position[axis + 1 :])
