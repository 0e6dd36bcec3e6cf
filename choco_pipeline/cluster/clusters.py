"""Clusters of runs: started on this machine or in Slurm jobs, or running already."""
# mypy: untyped-calls-exclude="distributed,dask_jobqueue"

from __future__ import annotations

import logging
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import dask
from distributed import LocalCluster, Security, Status

from choco_pipeline.cluster.cluster_file import Queue, SlurmJobs, SlurmWorkers, in_bytes
from choco_pipeline.cluster.connect import ClusterError
from choco_pipeline.cluster.task import START, Cluster, address_of, cluster_at, silence_tracker
from choco_pipeline.documents.files import write_json
from choco_pipeline.errors import require_package

#: Address of Dask's dashboard: only for this machine, on any free port, because several clusters may run.
DASHBOARD = "127.0.0.1:0"
#: Workers keep the memory of arrays below 32 MiB for the next ones. Dask's own setting gives it back each time, and a
#: page fault for every 4 KiB of a temporary costs more than what is computed in it: checks took five times as long. All
#: threads share one heap: with one for each, a build of 64 blocks had 30,000 page faults instead of some hundred.
NANNY_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
MALLOC = {
    "MALLOC_ARENA_MAX": 1,
    "MALLOC_TRIM_THRESHOLD_": 128 << 20,
    "MALLOC_MMAP_THRESHOLD_": 32 << 20,
}
#: Number of attempts to start a cluster, if its processes are killed while they start.
STARTS = 3
#: Settings of the scheduler of every cluster that a run starts. A task that has killed three workers is given up. A worker that
#: is silent for a minute counts as dead; kernels leave its other threads running. Dask's profiler and its monitor, with up to a
#: hundred samples a second, would take a twentieth of every core.
SETTINGS = {
    "distributed.scheduler.allowed-failures": 2,
    "distributed.scheduler.worker-ttl": "1 minute",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "200ms",
    "distributed.admin.system-monitor.interval": "2s",
    "distributed.logging.distributed": "critical",
}
#: The pages of scheduler and workers for a browser: none without a dashboard.
NO_PAGES: dict[str, list[str]] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


@contextmanager
def local_cluster(
    workers: int, memory: int, folder: Path, *, tls: bool = False, dashboard: bool = False
) -> Iterator[Cluster]:
    """Run a cluster of one-thread processes on this machine.

    Dask writes to `folder`. With `tls` connections are encrypted, by the certificates in Dask's settings; with `dashboard`
    there is Dask's own, for every user of this machine.
    """
    settings = {
        **_settings(dashboard=dashboard),
        "distributed.worker.daemon": True,
        NANNY_ENVIRONMENT: dask.config.get(NANNY_ENVIRONMENT) | MALLOC,
    }
    try:
        with dask.config.set(settings), ExitStack() as stack:
            cluster = _started(
                n_workers=workers,
                threads_per_worker=1,
                memory_limit=memory,
                dashboard_address=DASHBOARD,
                scheduler_kwargs={"dashboard": dashboard},
                local_directory=str(folder),
                silence_logs=logging.CRITICAL,
                protocol="tls://" if tls else "tcp://",
                security=Security() if tls else None,
                preload=["choco_pipeline.cluster.task"],
            )
            stack.callback(_close, cluster)
            connected = stack.enter_context(cluster_at(cluster.scheduler_address, START))
            yield connected if dashboard else replace(connected, dashboard=None)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def existing_cluster(scheduler: str, seconds: float = 0) -> AbstractContextManager[Cluster]:
    """Connect to a running cluster, by its address or its scheduler file."""
    return cluster_at(address_of(scheduler, seconds))


def write_scheduler_file(cluster: Cluster, path: Path) -> None:
    """Write the address of the cluster, as `address_of` reads it."""
    write_json(path, {"address": cluster.address})


def _settings(*, dashboard: bool) -> dict[str, Any]:
    if dashboard:
        require_package("bokeh", "dashboard", "Dask's dashboard")
    # Dask replaces a worker that has died; if that does not help, an error here says so.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    return {**SETTINGS, **({} if dashboard else NO_PAGES)}


def _started(**how: Any) -> LocalCluster:
    """Start a cluster; try again if a process is killed before all have started."""
    silence_tracker()
    # Python starts its tracker with the first process, and then takes Ctrl-C again.
    resource_tracker.ensure_running()
    for left in reversed(range(STARTS)):
        # A terminal sends Ctrl-C to workers, too, which answer with a traceback while they start. They inherit that a thread
        # does not take it.
        try:
            with ThreadPoolExecutor(
                1, initializer=signal.pthread_sigmask, initargs=(signal.SIG_BLOCK, {signal.SIGINT})
            ) as deaf:
                return deaf.submit(LocalCluster, **how).result()
        except RuntimeError as error:
            if not left:
                raise ClusterError(
                    f"{how['n_workers']} Dask workers did not start in {STARTS} attempts ({error})"
                ) from None
    raise AssertionError


def _close(cluster: LocalCluster) -> None:
    """Stop a cluster, even if Dask fails on a worker that is being replaced."""
    try:
        cluster.close()
    except AssertionError:
        # Otherwise the second attempt would wait for the end of the first.
        cluster.status = Status.failed
        cluster.close()


#: Dask's estimate for tasks of unknown length, so that each gets a worker; and the number of checks, two seconds apart, before an
#: idle worker ends, so that no Slurm job is lost between two stages.
UNKNOWN, PATIENCE = "1 minute", 30


@contextmanager
def slurm_cluster(cluster: SlurmWorkers, folder: Path, logs: Path) -> Iterator[Cluster]:
    """Run a scheduler in this process and workers in Slurm jobs.

    Workers write to the folder, which must be on a file system that all nodes share, like the working directory. The output of
    the jobs goes to `logs`. Raises `ClusterError` if Slurm or dask-jobqueue is missing, or Slurm refuses such jobs.
    """
    require_acceptance(cluster)
    from dask_jobqueue.slurm import SLURMCluster  # noqa: PLC0415 -- an optional dependency

    settings = _settings(dashboard=cluster.dashboard)
    with (
        dask.config.set({**settings, "distributed.scheduler.unknown-task-duration": UNKNOWN}),
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
        with cluster_at(jobs.scheduler_address) as connected:
            yield connected if cluster.dashboard else replace(connected, dashboard=None)


def snakemake_options(cluster: SlurmJobs) -> list[str]:
    """Return the options by which Snakemake gives every job to Slurm."""
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
    # This option takes all arguments up to the next option.
    return [
        *options,
        "--default-resources",
        f"runtime={cluster.minutes}",
        "mem_mb=1000",
        *resources,
    ]


def require_acceptance(cluster: SlurmWorkers | SlurmJobs) -> None:
    """Raise `ClusterError` unless Slurm is usable and would take such jobs."""
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
    asked_for = [f"--time={cluster.minutes}", *size, *_named(cluster)]
    command = ["sbatch", "--test-only", *asked_for, "--wrap=true"]
    if cluster.partition is not None:
        command.append(f"--partition={cluster.partition}")
    asked = subprocess.run(command, capture_output=True, text=True)
    if asked.returncode:
        complaints = asked.stderr.strip().splitlines() or ["sbatch says nothing"]
        raise ClusterError(
            f"Slurm refuses such a job: {complaints[-1].removeprefix('allocation failure: ')}"
        )


def _named(queue: Queue) -> list[str]:
    """Return the options of sbatch that name something, except the partition."""
    words = {name: getattr(queue, name) for name in ("account", "qos", "constraint", "reservation")}
    return [f"--{name}={word}" for name, word in words.items() if word is not None]
