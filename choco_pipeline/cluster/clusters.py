"""Clusters for runs: on this machine, in Slurm jobs, or already running."""
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

#: Address of Dask's dashboard: only this machine, and any free port, because several clusters may run.
DASHBOARD = "127.0.0.1:0"
#: Workers reuse the memory of arrays below 32 MiB. Dask's own setting returns it to the system. Then each temporary array causes a
#: page fault for every 4 KiB, and checks take five times as long. All threads share one heap: with a heap for each thread, a build
#: of 64 blocks had 30,000 page faults instead of some hundred.
NANNY_ENVIRONMENT = "distributed.nanny.pre-spawn-environ"
MALLOC = {
    "MALLOC_ARENA_MAX": 1,
    "MALLOC_TRIM_THRESHOLD_": 128 << 20,
    "MALLOC_MMAP_THRESHOLD_": 32 << 20,
}
#: Number of attempts to start a cluster, if its processes are killed while they start.
STARTS = 3
#: Settings of every cluster that a run starts. A task fails after it has killed three workers. A worker that is silent for a
#: minute counts as dead; kernels do not block its other threads. Dask's profiler is disabled, and its monitor slow, because
#: up to a hundred samples per second take a twentieth of every core.
SETTINGS = {
    "distributed.scheduler.allowed-failures": 2,
    "distributed.scheduler.worker-ttl": "1 minute",
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "200ms",
    "distributed.admin.system-monitor.interval": "2s",
    "distributed.logging.distributed": "critical",
}
#: Without a dashboard, scheduler and workers serve no pages.
NO_PAGES: dict[str, list[str]] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


@contextmanager
def local_cluster(
    workers: int, memory: int, folder: Path, *, tls: bool = False, dashboard: bool = False
) -> Iterator[Cluster]:
    """Run a cluster of single-threaded processes on this machine.

    Dask writes to `folder`. With `tls`, connections are encrypted with the certificates in Dask's settings. With `dashboard`, Dask's
    dashboard is open to every user of this machine.
    """
    settings = {
        **_settings(dashboard=dashboard),
        "distributed.worker.daemon": True,
        NANNY_ENVIRONMENT: dask.config.get(NANNY_ENVIRONMENT) | MALLOC,
    }
    try:
        with dask.config.set(settings), ExitStack() as stack:
            cluster = _start(
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
    """Write the cluster's address to a file for `address_of`."""
    write_json(path, {"address": cluster.address})


def _settings(*, dashboard: bool) -> dict[str, Any]:
    if dashboard:
        require_package("bokeh", "dashboard", "Dask's dashboard")
    # Dask replaces dead workers. If that fails, the errors of this project are enough.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    return {**SETTINGS, **({} if dashboard else NO_PAGES)}


def _start(**options: Any) -> LocalCluster:
    """Start a cluster; try again if a process is killed before all have started."""
    silence_tracker()
    # Python starts its resource tracker with the first process, which unblocks Ctrl-C.
    resource_tracker.ensure_running()
    for left in reversed(range(STARTS)):
        # A terminal also sends Ctrl-C to workers, which print a traceback while they start. They inherit the signal mask of the
        # thread that starts them.
        try:
            with ThreadPoolExecutor(
                1, initializer=signal.pthread_sigmask, initargs=(signal.SIG_BLOCK, {signal.SIGINT})
            ) as masked:
                return masked.submit(LocalCluster, **options).result()
        except RuntimeError as error:
            if not left:
                raise ClusterError(
                    f"{options['n_workers']} Dask workers did not start in {STARTS} attempts ({error})"
                ) from None
    raise AssertionError


def _close(cluster: LocalCluster) -> None:
    """Stop a cluster, even if Dask fails because a worker is being replaced."""
    try:
        cluster.close()
    except AssertionError:
        # Otherwise the second attempt would wait for the first.
        cluster.status = Status.failed
        cluster.close()


#: Dask's estimate for tasks of unknown duration, so that each gets a worker. Number of checks, two seconds apart, before an idle
#: worker ends, so that Slurm jobs survive the time between two stages.
UNKNOWN, PATIENCE = "1 minute", 30


@contextmanager
def slurm_cluster(cluster: SlurmWorkers, folder: Path, logs: Path) -> Iterator[Cluster]:
    """Run a scheduler in this process and workers in Slurm jobs.

    Workers write to `folder`. All nodes must share its file system and that of the working directory. The output of the jobs goes
    to `logs`. Raises `ClusterError` if Slurm or dask-jobqueue is missing, or if Slurm rejects such jobs.
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
    """Return Snakemake's options for running each job in Slurm."""
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
    # It comes last, because it takes all arguments up to the next option.
    return [
        *options,
        "--default-resources",
        f"runtime={cluster.minutes}",
        "mem_mb=1000",
        *resources,
    ]


def require_acceptance(cluster: SlurmWorkers | SlurmJobs) -> None:
    """Raise `ClusterError` unless Slurm is available and accepts such jobs."""
    size = []
    if isinstance(cluster, SlurmWorkers):
        require_package("dask-jobqueue", "cluster", "Slurm")
        memory = -(-in_bytes(cluster.memory) >> 20)  # in MiB, rounded up
        size = [f"--cpus-per-task={cluster.cores}", f"--mem={memory}M"]
    else:
        require_package("snakemake-executor-plugin-slurm", "cluster", "Slurm")
    if shutil.which("sbatch") is None:
        raise ClusterError(
            "Slurm: the command sbatch was not found; start the run on a machine that submits Slurm jobs"
        )
    options = [f"--time={cluster.minutes}", *size, *_named(cluster)]
    command = ["sbatch", "--test-only", *options, "--wrap=true"]
    if cluster.partition is not None:
        command.append(f"--partition={cluster.partition}")
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode:
        complaints = answer.stderr.strip().splitlines() or ["sbatch gives no reason"]
        raise ClusterError(
            f"Slurm rejects such a job: {complaints[-1].removeprefix('allocation failure: ')}"
        )


def _named(queue: Queue) -> list[str]:
    """Return sbatch's options for account, QOS, constraint and reservation."""
    words = {name: getattr(queue, name) for name in ("account", "qos", "constraint", "reservation")}
    return [f"--{name}={word}" for name, word in words.items() if word is not None]
