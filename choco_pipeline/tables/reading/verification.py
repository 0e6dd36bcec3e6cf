"""Verification of stored tables.

Bytes are compared with digests, and numbers with the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from operator import xor
from pathlib import Path
from typing import Any

import numpy as np

from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import StoreError
from choco_pipeline.games import Position, mex, parse_ruleset
from choco_pipeline.tables.reading.cells import Cells
from choco_pipeline.tables.specs.position_count import estimated_positions
from choco_pipeline.tables.specs.schema import Quantity
from choco_pipeline.tables.storage.store import store_of
from choco_pipeline.tables.storage.stored import StoredCells, StoredTable

#: About this number of the smallest positions is computed from the definition.
SMALL = 1500
#: Random positions that are compared with their options, up to `MOST_OPTIONS` options together.
SAMPLES = 200
#: Options of all sampled positions together: a position with large coordinates has thousands.
MOST_OPTIONS = 50_000


@dataclass(frozen=True)
class VerifiedTable:
    """Result of verifying a table: number of checked positions, and the fault."""

    table: str
    ruleset: str
    bound: int
    quantity: Quantity
    checked: int = 0
    wrong: str | None = None


def verify_manifest(
    manifest_file: str, seed: int, report: Callable[..., None]
) -> list[VerifiedTable]:
    """Check every table of a shard; the seed chooses the random positions.

    `report` is called as ``report("verify", tables=1, positions=n)`` for each table. Raises `StoreError` if the manifest is
    damaged or missing.
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
            stored = StoredTable(store_of(manifest, document), table_id, entry)
            stored.require_sound()
            fault = stored.fault_of_metadata(document["kernels"])
            if fault is not None:
                raise StoreError(fault)
            verified.append(replace(table, checked=_check_numbers(stored, seed)))
        except StoreError as error:
            verified.append(replace(table, wrong=str(error)))
        report("verify", tables=1, positions=entry["positions"])
    return verified


def _check_numbers(stored: StoredTable, seed: int) -> int:
    """Check a table against the definition and itself; return the number of checks."""
    game, bound = parse_ruleset(stored.entry["ruleset"]), int(stored.entry["bound"])
    cells = StoredCells.open(stored.store, stored.table_id, stored.entry)
    table = Cells.of(game, bound, cells)
    has_numbers = table.variable.name == "grundy"
    checked = 0
    for position in _small(table):
        if has_numbers:
            _require_number(table, position, game.grundy(position), "by definition")
        outcome, is_p = (
            "P" if found else "N"
            for found in (table.is_p_position(position), game.is_p_position(position))
        )
        if outcome != is_p:
            raise StoreError(f"{position} is {outcome} in the table, {is_p} by definition")
        checked += 1
    if game.rules.splits and len(game.parts) > 1:
        return checked  # the results of a split are no positions of a sum
    seen = 0
    for position in _random(table, np.random.default_rng(seed)):
        results = list(game.results(position))
        seen += len(results)
        if seen > MOST_OPTIONS and checked:
            break
        if not all(table.covers(part) for result in results for part in result):
            continue
        if has_numbers:
            numbers = (reduce(xor, map(table.grundy, result)) for result in results)
            _require_number(table, position, mex(numbers), "by its options in the table")
        elif game.rules.splits:
            continue  # outcomes of two parts do not decide that of their sum
        else:
            outcomes = [table.is_p_position(option) for (option,) in results]
            has_won = game.rules.misere and not outcomes
            if (has_won or any(outcomes)) == table.is_p_position(position):
                raise StoreError(
                    f"table {stored.table_id}: {position} contradicts its options: P exactly if none of them is P"
                )
        checked += 1
    return checked


def _require_number(table: Cells, position: Position, number: int, source: str) -> None:
    found = table.grundy(position)
    if found != number:
        raise StoreError(f"{position} has Grundy number {found} in the table, {number} {source}")


def _small(table: Cells) -> Iterator[Position]:
    game, bound = table.game, table.bound
    size = 1
    while size < bound and estimated_positions(game, size + 1) <= SMALL:
        size += 1
    for position in np.ndindex(*(min(most, size) + 1 for most in game.limits(bound))):
        if game.is_position(position) and table.covers(position):
            yield position


def _random(table: Cells, random: np.random.Generator) -> Iterator[Position]:
    game, bound = table.game, table.bound
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


def _stored_beside(position: Position, table: Cells) -> Iterator[Position]:
    """Yield a column's stored P-position, if any, and the position below it."""
    stored = table.variable.stored
    value = None if stored is None else table.stored(position)
    if stored is None or value is None:
        return
    axis = table.game.coordinates.index(stored)
    for c in (value, value - 1):
        if c >= 0:
            yield (*position[:axis], c, *position[axis + 1 :])
