"""Records of a run that are damaged, or hold what is undecided since a proof was killed: named, and removed before the run starts, so that its rules make them anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from choco_pipeline.documents.record import DamagedError, read_record
from choco_pipeline.errors import StoreError
from choco_pipeline.proof.proof_orders import KILLED
from choco_pipeline.stages import PROVE, PROVE_STATEMENTS
from choco_pipeline.sweep.expand import load_config
from choco_pipeline.sweep.paths import RESULTS, Paths
from choco_pipeline.sweep.plan_document import Plan, read_plan
from choco_pipeline.sweep.room import Capacity
from choco_pipeline.sweep.run_plan import current_plan


def damaged(records: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """Yield those of the records that are damaged, and what is wrong with each."""
    for path in records:
        try:
            read_record(path)
        except DamagedError as error:
            yield path, str(error)


def plan_without_damage(
    config_path: Path,
    results: Path = RESULTS,
    *,
    capacity: Capacity | None,
    say: Callable[[str], None],
) -> Plan:
    """Return the plan of a configuration as `current_plan`, after every record of its run is removed that is damaged or says of a proof that it was killed.

    A line is said for each record that is removed.
    """
    run = Paths(results, load_config(config_path)[0].run)
    with suppress(StoreError):  # before it is made anew, and its specs with it
        _remove(_shared(run, read_plan(run.plan)), say)
    _remove(run.records(), say)
    _ask_again(run, say)
    plan = current_plan(config_path, results, capacity=capacity)
    if _remove(_shared(run, plan), say):
        plan = current_plan(config_path, results, capacity=capacity)
    return plan


def _shared(run: Paths, plan: Plan) -> Iterator[Path]:
    """Yield the specs and manifests that there are of a plan's shards, and the verdicts of all runs on its tables and on statements."""
    for shard in plan["shards"]:
        yield from filter(Path.exists, (run.spec(shard), run.manifest(shard)))
    of_tables = (run.verdicts / f"{table['id']}.json" for table in plan["tables"])
    yield from filter(Path.exists, of_tables)
    yield from sorted((run.verdicts / "statements").glob("*.json"))


def _ask_again(run: Paths, say: Callable[[str], None]) -> None:
    """Remove what says of a proof that it was killed: that is no answer."""
    folders = (run.results / run.run / work.name for work in (PROVE, PROVE_STATEMENTS))
    proved = [path for folder in folders for path in sorted(folder.glob("*.json"))]
    for path in (*proved, *filter(Path.exists, [run.found])):
        if KILLED in read_record(path):
            path.unlink()
            say(f"{path}: a proof was killed; it is looked for again")


def _remove(records: Iterable[Path], say: Callable[[str], None]) -> bool:
    """Remove the damaged ones of these records; return whether there were any."""
    removed = list(damaged(records))
    for path, why in removed:
        path.unlink()
        say(why)
    return bool(removed)
