# The plan of the run, made or found when Snakemake starts: it names the shards that the rules speak of.
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

from choco_pipeline.claims.language.catalogue import BACKGROUND
from choco_pipeline.shipped import project_file
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.errors import ChocoError
from choco_pipeline.provenance import FINDING_CODE, code_digest
from choco_pipeline.stages import (
    CHECK,
    CHECK_STATEMENTS,
    MINE,
    MINE_HEIGHTS,
    PROVE,
    PROVE_STATEMENTS,
    Stage,
    work_of,
)
from choco_pipeline.sweep.paths import RESULTS, Paths, orders_of
from choco_pipeline.sweep.run_plan import current_plan

# "python" in rules is the interpreter that runs Snakemake, also where its environment is not activated.
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()])
)


def configuration():
    """Return the configuration that `--configfile FILE` or `--config choco=FILE` names, or else the default."""
    settings = dict(workflow.config_settings.config or {})
    named = [os.path.relpath(path) for path in workflow.overwrite_configfiles]
    named += [str(settings.pop("choco"))] if "choco" in settings else []
    if settings:
        raise WorkflowError(
            f"--config: unknown key {', '.join(map(repr, settings))}; `--configfile FILE` or `--config choco=FILE`"
            " names the configuration, and its keys are changed in the file"
        )
    if len(named) > 1:
        raise WorkflowError(
            f"one configuration is run at a time, found {', '.join(named)}"
        )
    return Path(named[0] if named else DEFAULT_CONFIG)


try:
    PLAN = current_plan(configuration())
except ChocoError as error:
    raise WorkflowError(str(error)) from None

PATHS = Paths(RESULTS, PLAN["run"])
RUN = PATHS.plan.parent.as_posix()


def names(work):
    """Return the names of the work orders of a kind: of shards if it reads tables, else of parts."""
    return sorted(orders_of(PLAN, work))


def order_of(work):
    """Return where work orders of a kind lie, by `name`."""
    return PATHS.order(work, "{name}").as_posix()


def outcome_of(work):
    """Return where lies what comes of work orders of a kind."""
    return PATHS.outcome(work, "{name}").as_posix()


def log_of(work):
    """Return where jobs of a kind of work write what they say."""
    return f"{RUN}/log/{work.name}/{{name}}.log"


def memory_of(wildcards):
    """Return the MB that a job which builds the largest table of a shard asks for, rounded up."""
    return -(-MEMORY["memory_of_job", wildcards.name] // 1_000_000)


def memory_to_read_of(wildcards):
    """Return the MB that reading the largest table of a shard needs, by windows, rounded up."""
    return -(-MEMORY["memory_to_read", wildcards.name] // 1_000_000)


def memory_of_proofs(wildcards):
    """Return the MB that a proof or a decision of a part may take, and the process that waits for it."""
    part = [
        asked
        for work in work_of(Stage.PROVE)
        for asked in PLAN[work.name]
        if asked["part"] == wildcards.name
    ]
    return 500 + max(1074 * asked["memory"] for asked in part)


MEMORY = {}
for table in PLAN["tables"]:
    for key in ("memory_of_job", "memory_to_read"):
        of = (key, table["shard"])
        MEMORY[of] = max(table[key], MEMORY.get(of, 0))


wildcard_constraints:
    name="[0-9a-f]+",
