"""From a configuration to its tables: every combination of parameters that a sweep names."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from choco_pipeline.documents.yaml_file import Location, YamlFile
from choco_pipeline.errors import ChocoError, ConfigError
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.ranges import Range, parse_range
from choco_pipeline.games import Ruleset, WithPass
from choco_pipeline.games.notation import CsvFile, build, csv_file, read
from choco_pipeline.shipped import project_file
from choco_pipeline.sweep.config import Config, Mine, Prove, Sweep
from choco_pipeline.tables.spec import TableSpec

#: A run with more tables than this is a mistake in its configuration: planning takes some 2 ms for each.
MOST_TABLES = 10_000
#: So many values are given to parameters at most, in all combinations of a run: looking at one takes some 5 µs.
MOST_COMBINATIONS = 1_000_000
#: Larger integers in a configuration are mistakes too; positions stay inside 32 bits.
LARGEST = 1 << 31


Values = dict[str, int | str]
_Entry = int | str


@dataclass
class _Count:
    """How many values the parameters of a run have been given, and how many tables its sweeps have."""

    combinations: int = 0
    tables: int = 0


@dataclass
class Planned:
    """A table that some sweeps of a run ask for."""

    #: What it is, and of which game.
    spec: TableSpec
    game: Ruleset
    #: Names of the sweeps that it belongs to.
    sweeps: list[str]
    #: Their values in the first of these sweeps, with ``f`` and ``passes`` where they vary.
    parameters: Values
    #: Ids of the claims that the sweeps ask for, or None for all that fit.
    claims: set[str] | None
    #: The searches in it, and the names of the sweeps that ask for them.
    mine: list[Mine] = field(default_factory=list)
    mining: list[str] = field(default_factory=list)
    #: What to prove of the game, and how many seconds and GiB of memory each proof may take.
    prove: list[Prove] = field(default_factory=list)
    prove_seconds: int = 0
    prove_memory: int = 0
    #: Names of the sweeps that ask for that.
    proving: list[str] = field(default_factory=list)


def load_config(path: Path) -> tuple[Config, YamlFile]:
    """Read and validate a configuration file, or raise `ConfigError` with file, line and key of each mistake."""
    file = YamlFile(project_file(path))
    return file.load(Config), file


def expand(config: Config, file: YamlFile) -> list[Planned]:
    """Return the tables of every sweep, each once, in the order of the configuration.

    Raises `ConfigError`, naming the file, line and key of the mistake.
    """
    by_id: dict[str, Planned] = {}
    base = Path()
    count = _Count()
    combinations = {
        name: list(_combinations_of(name, sweep, file, count))
        for name, sweep in config.sweeps.items()
    }
    for name, sweep in config.sweeps.items():
        for values, full in combinations[name]:
            for planned in _games(name, sweep, full, values, file, base):
                known = by_id.setdefault(planned.spec.table_id, planned)
                if known is not planned:
                    _merge(known, planned)
    return list(by_id.values())


def _combinations_of(
    name: str, sweep: Sweep, file: YamlFile, count: _Count
) -> Iterator[tuple[dict[str, int], dict[str, int]]]:
    """Yield the parameters of each table of a sweep, but for heights: its own, and these with passes and bound.

    No table is made on the way, so that a run with too many of anything is refused at once.
    """
    here: Location = ("sweeps", name)
    with _at(file, (*here, "ruleset")):
        notation = read(sweep.ruleset)
    axes = [
        _axis(key, value, (*here, "parameters", key), [*sweep.parameters][:i], file)
        for i, (key, value) in enumerate(sweep.parameters.items())
    ]
    for reserved in ("x", "y", "z", "f", "p", "passes", "bound"):
        if reserved in sweep.parameters:
            raise file.error(
                (*here, "parameters", reserved),
                f"{reserved!r} cannot be a parameter: it has a meaning",
            )
    unknown = sorted(notation.names - set(sweep.parameters) - ({"f"} if sweep.heights else set()))
    if unknown:
        known = ", ".join([*sweep.parameters, *(["f"] if sweep.heights else [])]) or "none"
        raise file.error(
            (*here, "ruleset"), f"unknown parameter {unknown[0]!r} (parameters here: {known})"
        )
    last = [_axis("passes", sweep.passes, (*here, "passes"), sweep.parameters, file)]
    if sweep.bound is not None:
        names = [*sweep.parameters, "passes"]
        last.append(_axis("bound", sweep.bound, (*here, "bound"), names, file))
    where: Formula | None = None
    if sweep.where is not None:
        with _at(file, (*here, "where")):
            where = parse(sweep.where, names=sweep.parameters)
            if not where.is_truth:
                raise ChocoError(f"{sweep.where!r} is a number, a condition is needed")
    before = count.tables
    for values in _combinations(axes, file, {}, count):
        if where is not None:
            with _at(file, (*here, "where")):
                if not where.value(values):
                    continue
        for full in _combinations(last, file, values, count):
            count.tables += max(1, len(sweep.heights))
            if count.tables > MOST_TABLES:
                raise file.error(here, f"more than {MOST_TABLES:,} tables in this run")
            yield values, full
    if count.tables == before:
        raise file.error(here, "no parameters satisfy this sweep: it has no tables")


def _games(
    name: str,
    sweep: Sweep,
    full: Mapping[str, int],
    values: Mapping[str, int],
    file: YamlFile,
    base: Path,
) -> Iterator[Planned]:
    here: Location = ("sweeps", name)
    heights: list[tuple[str, Location]] = [
        (text, (*here, "heights", i)) for i, text in enumerate(sweep.heights)
    ]
    for text, location in heights or [("", (*here, "ruleset"))]:
        with _at(file, location):
            whole: dict[str, int | Formula | CsvFile] = dict(values)
            if text:
                whole["f"] = csv_file(text) or parse(text, names={"x", "z", *values})
            game = build(read(sweep.ruleset), whole, base)
        with _at(file, (*here, "passes")):
            if full["passes"] < 0:
                raise ChocoError(f"a number of passes is at least 0, found {full['passes']}")
            game = WithPass(game, full["passes"]) if full["passes"] else game
        with _at(file, (*here, "bound")):
            if full.get("bound", 0) < 0:
                raise ChocoError(f"a bound is at least 0, found {full['bound']}")
            bound = full.get("bound", max(game.limits(full.get("bound"))))
        shown: Values = dict(values)
        if text:
            shown["f"] = text
        if sweep.passes != 0:
            shown["passes"] = full["passes"]
        claims = (
            None
            if sweep.claims == "all"
            else set()
            if sweep.claims == "none"
            else set(sweep.claims)
        )
        spec = TableSpec.of(game, bound, sweep.quantity)
        yield Planned(
            spec,
            game,
            [name],
            shown,
            claims,
            mine=list(sweep.mine),
            mining=[name] if sweep.mine else [],
            prove=list(dict.fromkeys(sweep.prove)),
            prove_seconds=sweep.prove_seconds if sweep.prove else 0,
            prove_memory=sweep.prove_memory if sweep.prove else 0,
            proving=[name] if sweep.prove else [],
        )


@dataclass(frozen=True)
class _Axis:
    """A parameter, where it stands, and the ranges that it runs over, in which parameters before it may occur."""

    name: str
    location: Location
    ranges: list[Range]


def _axis(
    name: str, value: _Entry | list[_Entry], at: Location, known: Collection[str], file: YamlFile
) -> _Axis:
    with _at(file, at):
        items = value if isinstance(value, list) else [value]
        return _Axis(name, at, [parse_range(str(item).strip(), names=known) for item in items])


def _combinations(
    axes: Sequence[_Axis], file: YamlFile, values: Mapping[str, int], count: _Count
) -> Iterator[dict[str, int]]:
    """Yield every assignment, the first axis slowest; later axes may use the names of earlier ones."""
    if not axes:
        yield dict(values)
        return
    axis, *rest = axes
    for entry in axis.ranges:
        integers = _integers(entry, file, axis.location, values)
        count.combinations += 1 + len(integers)  # also where there are none, which takes its time
        if count.combinations > MOST_COMBINATIONS:
            what = f"more than {MOST_COMBINATIONS:,} combinations of parameters in this run"
            raise file.error(axis.location, what)
        for value in integers:
            yield from _combinations(rest, file, {**values, axis.name: value}, count)


def _integers(entry: Range, file: YamlFile, location: Location, values: Mapping[str, int]) -> range:
    """Return the integers that one entry of a parameter stands for."""
    with _at(file, location):
        integers = entry.values(values)
        largest = max(abs(integers.start), abs(integers.stop - 1))
        if largest > LARGEST:
            raise ChocoError(f"{largest:,} is too large, at most {LARGEST:,} can be used")
        if len(integers) > MOST_COMBINATIONS:
            raise ChocoError(f"{entry} is more than {MOST_COMBINATIONS:,} values")
    return integers


def _merge(known: Planned, more: Planned) -> None:
    """Let one table serve another sweep too."""
    known.sweeps.extend(s for s in more.sweeps if s not in known.sweeps)
    known.mine.extend(m for m in more.mine if m not in known.mine)
    known.mining.extend(s for s in more.mining if s not in known.mining)
    known.prove.extend(p for p in more.prove if p not in known.prove)
    known.proving.extend(s for s in more.proving if s not in known.proving)
    known.prove_seconds = max(known.prove_seconds, more.prove_seconds)
    known.prove_memory = max(known.prove_memory, more.prove_memory)
    known.claims = (
        None if known.claims is None or more.claims is None else known.claims | more.claims
    )


@contextmanager
def _at(file: YamlFile, location: Location) -> Iterator[None]:
    """Turn what goes wrong inside into a `ConfigError` that names the place."""
    try:
        yield
    except ConfigError:
        raise
    except ChocoError as error:
        raise file.error(location, str(error)) from error
