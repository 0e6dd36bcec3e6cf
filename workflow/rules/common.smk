# The configuration of the run, its paths, and functions on its plan for other rules.
import os
import sys
from functools import lru_cache
from pathlib import Path

from snakemake.exceptions import IncompleteCheckpointException, WorkflowError
from snakemake.io import checkpoint_target

from choco_pipeline.claims.language.catalogue import BACKGROUND
from choco_pipeline.commands import DEFAULT_CONFIG
from choco_pipeline.errors import ChocoError
from choco_pipeline.provenance import FINDING_CODE, code_digest
from choco_pipeline.shipped import project_file
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.expand import load_config
from choco_pipeline.sweep.run_files import RESULTS, Paths, read_plan
from choco_pipeline.sweep.run_plan import PLAN_CODE, files_of_claims, is_made_from

# "python" in rules is Snakemake's interpreter, even if its environment is not activated.
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()])
)


def configuration():
    """Return the configuration of `--configfile FILE` or `--config choco=FILE`, or else the default."""
    settings = dict(workflow.config_settings.config or {})
    named = [os.path.relpath(path) for path in workflow.overwrite_configfiles]
    named += [str(settings.pop("choco"))] if "choco" in settings else []
    if settings:
        raise WorkflowError(
            f"--config: unknown key {', '.join(map(repr, settings))}; choose a configuration by `--configfile FILE`"
            " or `--config choco=FILE`, and change keys in that file"
        )
    if len(named) > 1:
        raise WorkflowError(
            f"only one configuration can run at a time (got {', '.join(named)})"
        )
    return Path(named[0] if named else DEFAULT_CONFIG)


CONFIG = configuration()
try:
    CONTENT, FILE = load_config(CONFIG)
    CLAIMS = [path.as_posix() for path in files_of_claims(CONTENT, FILE)]
except ChocoError as error:
    raise WorkflowError(str(error)) from None

PATHS = Paths(RESULTS, CONTENT.run)
RUN = PATHS.folder.as_posix()
PROVES = any(sweep.prove for sweep in CONTENT.sweeps.values())


@lru_cache(maxsize=1)
def plan_written_at(path, time_ns):
    """Return a plan, or None if it is damaged or out of date. It is cached, because Snakemake needs it several times for each job."""
    try:
        plan = read_plan(path)
        return plan if is_made_from(plan, CONFIG) else None
    except (ChocoError, KeyError, OSError):
        return None


def the_plan():
    """Return the plan after its checkpoint; raise Snakemake's exception if it must be written again."""
    path = Path(checkpoints.plan.get().output.plan)
    plan = plan_written_at(path, path.stat().st_mtime_ns)
    if plan is None:
        target = checkpoint_target(path.as_posix())
        raise IncompleteCheckpointException(checkpoints.plan.rule, target)
    return plan


# An outdated plan may be newer than its inputs. It is made older, so that Snakemake writes it again.
if PATHS.plan.is_file() and plan_written_at(PATHS.plan, 0) is None:
    os.utime(PATHS.plan, (1, 1))


def job_of(stage, wildcards):
    """Return the plan's entry of a job."""
    return the_plan()["jobs"][stage][wildcards.sweep]


def results_of(stage):
    """Return an input function: the results of all jobs of a stage."""
    return lambda wildcards: [
        f"{RUN}/{stage}/{sweep}.json" for sweep in the_plan()["jobs"][stage]
    ]


def tables_of(stage):
    """Return an input function: the tables that a job reads."""
    return lambda wildcards: [
        f"{RUN}/build/{sweep}.json" for sweep in job_of(stage, wildcards)["needs"]
    ]


def order_of(stage):
    """Return a function for `params`: the digest of a job's order. If it changes, Snakemake repeats the job."""
    return lambda wildcards: job_of(stage, wildcards)["order"]


def memory_of(stage):
    """Return a function for `resources`: the MB of memory that a job needs."""
    return lambda wildcards: job_of(stage, wildcards)["memory_mb"]


def plan_digest(wildcards):
    """Return the digest of the plan's inputs and code, and its shards."""
    plan = the_plan()
    return [plan["made_from"], *plan["shards"]]


wildcard_constraints:
    sweep="[a-z0-9_-]+",


checkpoint plan:
    input:
        config=project_file(CONFIG).as_posix(),
        claims=CLAIMS,
    output:
        plan=PATHS.plan.as_posix(),
    log:
        f"{RUN}/log/plan.log",
    conda:
        "../../environment.yml"
    resources:
        mem_mb=1000,
    params:
        code=code_digest(PLAN_CODE),
    shell:
        "python -m choco_pipeline write-plan {input.config} > {log} 2>&1"
