"""Stages of a run, done by its jobs in this process."""

from pathlib import Path

from choco_pipeline.stages import Stage
from choco_pipeline.sweep.jobs import run_job
from choco_pipeline.sweep.run_files import Paths, Plan
from choco_pipeline.sweep.run_plan import make_plan


def planned_run(config: Path, *stages: Stage) -> tuple[Plan, Paths]:
    """Write the plan of a configuration, do the jobs of some stages; return both."""
    plan = make_plan(config, write=True)
    paths = Paths(Path("results"), plan["run"])
    for stage in stages:
        for sweep in plan["jobs"][stage]:
            run_job(paths.plan, stage, sweep)
    return plan, paths
