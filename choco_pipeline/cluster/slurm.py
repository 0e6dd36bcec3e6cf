"""Slurm: Dask workers in its jobs, or the options by which Snakemake gives it every job."""
# mypy: untyped-calls-exclude="distributed,dask_jobqueue"

from __future__ import annotations

import logging
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
from distributed import Security

from choco_pipeline.cluster.cluster_file import Queue, SlurmJobs, SlurmWorkers, in_bytes
from choco_pipeline.cluster.connect import ClusterError
from choco_pipeline.cluster.local import DASHBOARD, MALLOC, NO_PAGES, SETTINGS, Cluster
from choco_pipeline.cluster.task import client_of
from choco_pipeline.errors import require_package

#: Tasks of unknown length are taken for this long, so that each gets a worker, and workers that find nothing to do
#: wait so many times two seconds: between two stages of a run no job is given back to be queued for again.
UNKNOWN, PATIENCE = "1 minute", 30


@contextmanager
def slurm_cluster(cluster: SlurmWorkers, folder: Path, logs: Path) -> Iterator[Cluster]:
    """Run a scheduler in this process and workers in Slurm jobs, and cancel the jobs at the end.

    Workers write to the folder, on a file system that all nodes share, as the working directory is; what the jobs print goes to
    `logs`. Raises `ClusterError` if Slurm or dask-jobqueue is missing, or Slurm refuses such jobs.
    """
    require_acceptance(cluster)
    if cluster.dashboard:
        require_package("bokeh", "dashboard", "Dask's dashboard")
    from dask_jobqueue.slurm import SLURMCluster  # noqa: PLC0415 -- an optional dependency

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    pages = {} if cluster.dashboard else NO_PAGES
    settings = {**SETTINGS, **pages, "distributed.scheduler.unknown-task-duration": UNKNOWN}
    with (
        dask.config.set(settings),
        SLURMCluster(
            cores=cluster.cores,
            processes=cluster.cores,
            memory=cluster.memory,
            walltime=cluster.minutes,
            queue=cluster.partition,
            job_extra_directives=_named(cluster),
            job_script_prologue=[f"export {name}={size}" for name, size in MALLOC.items()],
            interface=cluster.interface,
            security=Security(),
            python=shlex.quote(sys.executable),
            local_directory=str(folder),
            log_directory=str(logs),
            scheduler_options={"dashboard_address": DASHBOARD, "dashboard": cluster.dashboard},
            silence_logs=logging.CRITICAL,
        ) as jobs,
    ):
        jobs.adapt(
            minimum_jobs=cluster.minimum,
            maximum_jobs=cluster.maximum,
            interval="2s",
            wait_count=PATIENCE,
        )
        with client_of(jobs.scheduler_address) as client:
            shown = jobs.dashboard_link if cluster.dashboard else None
            yield Cluster(jobs.scheduler_address, shown, client)


def snakemake_options(cluster: SlurmJobs) -> list[str]:
    """Return the options that have Snakemake give every job to Slurm; the rest is in ``workflow/profiles/slurm``."""
    require_acceptance(cluster)
    named = {
        "slurm_partition": cluster.partition,
        "slurm_account": cluster.account,
        "qos": cluster.qos,
        "constraint": cluster.constraint,
    }
    resources = [f"{name}='{word}'" for name, word in named.items() if word is not None]
    options = ["--jobs", str(cluster.maximum)]
    options += ["--slurm-status-command", "sacct" if cluster.accounting else "squeue"]
    if cluster.account is None:
        options.append("--slurm-no-account")
    if cluster.reservation is not None:
        options += ["--slurm-reservation", cluster.reservation]
    # What follows takes as many arguments as there are, up to the next option.
    return [
        *options,
        "--default-resources",
        f"runtime={cluster.minutes}",
        "mem_mb=1000",
        *resources,
    ]


def require_acceptance(cluster: SlurmWorkers | SlurmJobs) -> None:
    """Raise `ClusterError` unless Slurm's commands are here, what speaks to it, and it would take such jobs."""
    size = []
    if isinstance(cluster, SlurmWorkers):
        require_package("dask-jobqueue", "cluster", "Slurm")
        memory = -(-in_bytes(cluster.memory) >> 20)  # in MiB, rounded up
        size = [f"--cpus-per-task={cluster.cores}", f"--mem={memory}M"]
    else:
        require_package("snakemake-executor-plugin-slurm", "cluster", "Slurm")
    if shutil.which("sbatch") is None:
        raise ClusterError(
            "Slurm: no command sbatch is found here; start the run where Slurm's jobs are submitted"
        )
    command = [
        "sbatch",
        "--test-only",
        f"--time={cluster.minutes}",
        *size,
        *_named(cluster),
        "--wrap=true",
    ]
    if cluster.partition is not None:
        command.append(f"--partition={cluster.partition}")
    asked = subprocess.run(command, capture_output=True, text=True)
    if asked.returncode:
        complaints = asked.stderr.strip().splitlines() or ["sbatch says nothing"]
        raise ClusterError(
            f"Slurm refuses such a job: {complaints[-1].removeprefix('allocation failure: ')}"
        )


def _named(queue: Queue) -> list[str]:
    """Return the options of sbatch that name something, but for the partition."""
    words = {
        "account": queue.account,
        "qos": queue.qos,
        "constraint": queue.constraint,
        "reservation": queue.reservation,
    }
    return [f"--{name}={word}" for name, word in words.items() if word is not None]
