"""The tables of a configuration, one for each combination of parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from choco_pipeline.documents.yaml_file import Location, YamlFile
from choco_pipeline.errors import ChocoError, ConfigError
from choco_pipeline.formula import Formula, Range, parse, parse_range
from choco_pipeline.games import Ruleset, WithPass
from choco_pipeline.games.notation import CsvFile, build, csv_file, read
from choco_pipeline.shipped import project_file
from choco_pipeline.sweep.config import Config, Mine, Prove, Sweep
from choco_pipeline.sweep.run_files import PROJECT
from choco_pipeline.tables.computing import Cost, cost_of
from choco_pipeline.tables.spec import TableSpec

#: Most tables of a run; planning takes about 2 ms for each.
MOST_TABLES = 10_000
#: Most combinations of parameter values in a run; each takes about 5 µs.
MOST_COMBINATIONS = 1_000_000
#: Largest integer in a configuration; positions must fit into 32 bits.
LARGEST = 1 << 31
#: Factor for the memory of a job that builds a large table by itself, so that its blocks can be larger.
ROOM_FOR_BLOCKS = 2

#: Reserved names, which parameters may not have.
RESERVED = ("x", "y", "z", "f", "p", "passes", "bound")
Values = dict[str, int | str]


@dataclass
class SweepTable:
    """A table of a run."""

    spec: TableSpec
    game: Ruleset
    #: Names of its sweeps.
    sweeps: list[str]
    #: Values of the parameters in the first sweep, with ``f`` and ``passes`` if they vary.
    parameters: Values
    #: Ids of the claims to check, or None for all that fit.
    claims: set[str] | None
    #: The searches in the table, and the first sweep that requests any.
    mine: list[Mine]
    mining: str
    #: The relations to prove, the first sweep that requests any, and the limits of a proof in seconds and GiB.
    prove: list[Prove]
    proving: str
    prove_seconds: int = 0
    prove_memory: int = 0

    @cached_property
    def cost(self) -> Cost:
        """The cost of the table."""
        return cost_of(self.game, self.spec.bound, self.spec.quantity)

    @property
    def memory_of_job(self) -> int:
        """Memory in bytes for a job that builds the table."""
        return self.cost.memory * (ROOM_FOR_BLOCKS if self.cost.large else 1)


def load_config(path: Path) -> tuple[Config, YamlFile]:
    """Return a validated configuration; raise `ConfigError` if it has a mistake."""
    file = YamlFile(project_file(path))
    return file.load(Config), file


def expand(config: Config, file: YamlFile) -> list[SweepTable]:
    """Return the distinct tables of all sweeps, in the order of the configuration.

    Raises `ConfigError` with the file, the line and the key of a mistake.
    """
    by_id: dict[str, SweepTable] = {}
    count: Counter[str] = Counter()
    combinations = {
        name: list(_combinations_of(name, sweep, file, count))
        for name, sweep in config.sweeps.items()
    }
    for name, sweep in config.sweeps.items():
        for values, full in combinations[name]:
            for planned in _games(name, sweep, full, values, file):
                known = by_id.setdefault(planned.spec.table_id, planned)
                if known is not planned:
                    _merge(known, planned)
    return list(by_id.values())


def _combinations_of(
    name: str, sweep: Sweep, file: YamlFile, count: Counter[str]
) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    """Yield the parameters of a sweep's tables, without and with passes and bound.

    No games are built, so that a run with too many tables or combinations is rejected fast.
    """
    here: Location = ("sweeps", name)
    with _at(file, (*here, "ruleset")):
        notation = read(sweep.ruleset)
    names = [*sweep.parameters]
    axes = [
        _axis(key, value, (*here, "parameters", key), names[:i], file)
        for i, (key, value) in enumerate(sweep.parameters.items())
    ]
    for reserved in set(RESERVED).intersection(names):
        why = f"{reserved!r} cannot be a parameter, because the name is reserved"
        raise file.error((*here, "parameters", reserved), why)
    known = [*names, *(["f"] if sweep.heights else [])]
    unknown = sorted(notation.names - set(known))
    if unknown:
        why = f"unknown parameter {unknown[0]!r} (parameters here: {', '.join(known) or 'none'})"
        raise file.error((*here, "ruleset"), why)
    last = [_axis("passes", sweep.passes, (*here, "passes"), names, file)]
    if sweep.bound is not None:
        last.append(_axis("bound", sweep.bound, (*here, "bound"), [*names, "passes"], file))
    where: Formula | None = None
    if sweep.where is not None:
        with _at(file, (*here, "where")):
            where = parse(sweep.where, names=sweep.parameters)
            if not where.is_truth:
                raise ChocoError(f"{sweep.where!r}: must be a condition, not a number")
    before = count["tables"]
    for values in _combinations(axes, file, {}, count):
        if where is not None:
            with _at(file, (*here, "where")):
                if not where.value(values):
                    continue
        for full in _combinations(last, file, values, count):
            count["tables"] += max(1, len(sweep.heights))
            if count["tables"] > MOST_TABLES:
                raise file.error(here, f"more than {MOST_TABLES:,} tables in this run")
            yield values, full
    if count["tables"] == before:
        raise file.error(here, "no parameters satisfy this sweep: it has no tables")


def _games(
    name: str, sweep: Sweep, full: Mapping[str, int], values: Mapping[str, int], file: YamlFile
) -> Iterator[SweepTable]:
    """Yield the tables of a sweep for one assignment of its parameters."""
    here: Location = ("sweeps", name)
    heights: list[tuple[str, Location]] = [
        (text, (*here, "heights", i)) for i, text in enumerate(sweep.heights)
    ]
    for text, location in heights or [("", (*here, "ruleset"))]:
        with _at(file, location):
            whole: dict[str, int | Formula | CsvFile] = dict(values)
            if text:
                whole["f"] = csv_file(text) or parse(text, names={"x", "z", *values})
            game = build(read(sweep.ruleset), whole, PROJECT)
        with _at(file, (*here, "passes")):
            if full["passes"] < 0:
                raise ChocoError(f"the number of passes must be at least 0 (got {full['passes']})")
            game = WithPass(game, full["passes"]) if full["passes"] else game
        with _at(file, (*here, "bound")):
            if full.get("bound", 0) < 0:
                raise ChocoError(f"a bound must be at least 0 (got {full['bound']})")
            bound = full.get("bound", max(game.limits(full.get("bound"))))
        shown: Values = dict(values)
        if text:
            shown["f"] = text
        if sweep.passes != 0:
            shown["passes"] = full["passes"]
        claims = {"all": None, "none": set[str]()}
        yield SweepTable(
            TableSpec.of(game, bound, sweep.quantity),
            game,
            [name],
            shown,
            claims[sweep.claims] if isinstance(sweep.claims, str) else set(sweep.claims),
            mine=list(sweep.mine),
            mining=name if sweep.mine else "",
            prove=list(dict.fromkeys(sweep.prove)),
            proving=name if sweep.prove else "",
            prove_seconds=sweep.prove_seconds if sweep.prove else 0,
            prove_memory=sweep.prove_memory if sweep.prove else 0,
        )


#: A parameter, its location in the file, and its ranges, which may use parameters before it.
_Axis = tuple[str, Location, list[Range]]


def _axis(
    name: str,
    value: int | str | list[int | str],
    at: Location,
    known: Collection[str],
    file: YamlFile,
) -> _Axis:
    with _at(file, at):
        items = value if isinstance(value, list) else [value]
        return name, at, [parse_range(str(item).strip(), names=known) for item in items]


def _combinations(
    axes: Sequence[_Axis], file: YamlFile, values: Mapping[str, int], count: Counter[str]
) -> Iterator[dict[str, int]]:
    """Yield every assignment of values; later axes may use names of earlier ones."""
    if not axes:
        yield dict(values)
        return
    (name, location, ranges), *rest = axes
    for entry in ranges:
        with _at(file, location):
            integers = entry.values(values)
            largest = max(abs(integers.start), abs(integers.stop - 1))
            if largest > LARGEST:
                raise ChocoError(f"integers must be at most {LARGEST:,} (got {largest:,})")
            if len(integers) > MOST_COMBINATIONS:
                raise ChocoError(f"{entry} has more than {MOST_COMBINATIONS:,} values")
            count["combinations"] += 1 + len(integers)  # 1, because an empty range also takes time
            if count["combinations"] > MOST_COMBINATIONS:
                raise ChocoError(
                    f"more than {MOST_COMBINATIONS:,} combinations of parameters in this run"
                )
        for value in integers:
            yield from _combinations(rest, file, {**values, name: value}, count)


def _merge(known: SweepTable, more: SweepTable) -> None:
    known.sweeps.extend(s for s in more.sweeps if s not in known.sweeps)
    known.mine.extend(m for m in more.mine if m not in known.mine)
    known.mining = known.mining or more.mining
    known.prove.extend(p for p in more.prove if p not in known.prove)
    known.proving = known.proving or more.proving
    known.prove_seconds = max(known.prove_seconds, more.prove_seconds)
    known.prove_memory = max(known.prove_memory, more.prove_memory)
    known.claims = (
        None if known.claims is None or more.claims is None else known.claims | more.claims
    )


@contextmanager
def _at(file: YamlFile, location: Location) -> Iterator[None]:
    """Re-raise errors as `ConfigError` with their location in the file."""
    try:
        yield
    except ConfigError:
        raise
    except ChocoError as error:
        raise file.error(location, str(error)) from error
