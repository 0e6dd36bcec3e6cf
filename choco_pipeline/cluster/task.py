"""Tasks on a Dask cluster: the client's side and the worker's side."""
# mypy: untyped-calls-exclude="distributed,dask"

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import signal
import time
import uuid
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker, util
from pathlib import Path
from typing import Any

import dask
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer
from distributed import Client, Future, Scheduler, Security, Worker, get_worker
from distributed.client import FutureCancelledError
from distributed.comm.core import connect
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.scheduler import KilledWorker

from choco_pipeline.cluster.connect import (
    PROCESS,
    TOPIC,
    ClusterError,
    GivenUpError,
    Runner,
    Step,
    resolve,
)
from choco_pipeline.errors import ChocoError

#: A worker's threshold for garbage collection, above Python's: searches create millions of objects, few of them in cycles.
NEW_OBJECTS = 10_000
#: The name of a graph of steps.
GRAPH = "steps"
#: Time limit in seconds for the answer of a scheduler.
ANSWER = 5
#: Time limit for a scheduler with a scheduler file: it was running recently, and its machine may be busy.
LOADED_ANSWER = 60
#: Seconds between two checks of a running task.
LOOK = 0.5
#: Least seconds between two reports of a task to the scheduler, because each costs a millisecond; sums of later ones wait.
BETWEEN_REPORTS = 0.2
#: Time limit in seconds for the scheduler file of a starting cluster, which may have to compile kernels.
START = 600


def is_done(future: Future[Any]) -> bool:
    """Wait for a task for `LOOK` seconds; return whether it is done."""
    try:
        future.exception(timeout=LOOK)
    except TimeoutError:
        return False
    return True


@contextmanager
def losses(target: str, address: str) -> Iterator[None]:
    """Re-raise the loss of the cluster or of several workers as `ClusterError`."""
    try:
        yield
    except FutureCancelledError:
        raise ClusterError(
            f"{target}: the cluster at {address} was lost before the task was done"
        ) from None
    except KilledWorker as error:
        raise ClusterError(
            f"{target}: {error.allowed_failures + 1} workers died while running this task; too little memory?"
        ) from None


def run_target(target: str, arguments: Sequence[Any], folder: str, *results: Any) -> Any:
    """Run a target on a worker, with the results of earlier steps.

    A `ChocoError` of any subclass is raised as a plain one with its message, because subclasses may not be serialisable.
    """
    PROCESS.is_worker = True
    worker = get_worker()
    task = worker.get_current_task()

    waiting: defaultdict[str, Counter[str]] = defaultdict(Counter)
    sent = 0.0

    def send() -> None:
        nonlocal sent
        for stage, numbers in waiting.items():
            worker.log_event(TOPIC, _event(folder, task, worker.address, stage, dict(numbers)))
        waiting.clear()
        sent = time.monotonic()

    def report(stage: str, **numbers: int) -> None:
        waiting[stage].update(numbers)
        if time.monotonic() - sent > BETWEEN_REPORTS:
            send()

    try:
        if not Path(folder).is_dir() or not Path(folder).samefile(Path.cwd()):
            raise ClusterError(
                f"worker {worker.address} runs in {Path.cwd()}; start it in the folder of the run, {folder}"
            )
        return resolve(target)(*arguments, *results, report)
    except ChocoError as error:
        raise ChocoError(str(error)) from None
    finally:
        send()


def _event(
    folder: str, task: object, worker: str, stage: str, numbers: Mapping[str, int]
) -> dict[str, Any]:
    # The scheduler does not accept a member of an enumeration.
    stage = str(stage)
    return {"folder": folder, "task": task, "worker": worker, "stage": stage, "numbers": numbers}


def dask_setup(worker: Worker) -> None:
    """Prepare a worker; ignore Ctrl-C, which a terminal also sends to workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(NEW_OBJECTS)
    silence_tracker()


def silence_tracker() -> None:
    """Silence Python's resource tracker, in case its predecessor was killed.

    Every process that loads numba has a semaphore. A new tracker prints a traceback for each semaphore that it does not know, and
    Python has no setting against that.
    """
    warnings.filterwarnings("ignore", "resource_tracker")
    start = util.spawnv_passfds
    if start.__module__ == __name__:
        return

    def start_silently(path: bytes, args: Sequence[Any], passfds: Sequence[int]) -> int:
        if resource_tracker.__name__ in str(args[-1]):
            silence = "import os, sys; sys.stderr = open(os.devnull, 'w')"
            args = [*args[:-1], f"{silence}; {args[-1]}"]
        return start(path, args, passfds)

    util.spawnv_passfds = start_silently


@contextmanager
def cluster_at(address: str, seconds: int = ANSWER) -> Iterator[Cluster]:
    """Connect to a scheduler within a time limit, or raise `ClusterError`."""
    # Errors raised here report a lost connection; this logger would repeat them.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if address.startswith("tls://") and not Security().get_tls_config_for_role("client")["cert"]:
        raise ClusterError(
            f"no Dask scheduler answers at {address} without a certificate; a file in config/clusters can name one"
        )
    with dask.config.set({"distributed.comm.timeouts.connect": f"{seconds}s"}):
        try:
            asyncio.run(asyncio.wait_for(_knock(address), seconds + 1))
            client = Client(address, timeout=seconds, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            line = (str(error).splitlines() or ["no reason given"])[0]
            raise ClusterError(f"no Dask scheduler answers at {address} ({line})") from None
        except MemoryError:
            raise ClusterError(
                f"no Dask scheduler answers at {address}, but another program, perhaps a dashboard"
            ) from None
        with client:
            yield Cluster(address, client, client.dashboard_link)


def address_of(scheduler: str, seconds: float = START) -> str:
    """Return the address of a scheduler, from its address or its file.

    Raises `ClusterError` if the file is missing for too long or has no address.
    """
    if "://" in scheduler:
        return scheduler
    path = Path(scheduler)
    end = time.monotonic() + seconds
    while not path.exists():
        if not path.parent.is_dir() or time.monotonic() > end:
            raise ClusterError(
                f"{path}: no such scheduler file, and {scheduler!r} is not an address such as tcp://host:port"
            )
        time.sleep(0.02)
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["address"])
    except (OSError, ValueError, KeyError, TypeError):
        raise ClusterError(f"{path}: not a Dask scheduler file, it has no address") from None


def connection(scheduler: str) -> AbstractContextManager[Cluster]:
    """Connect to a scheduler by its address or its file."""
    seconds = ANSWER if "://" in scheduler else LOADED_ANSWER
    return cluster_at(address_of(scheduler), seconds)


async def _knock(address: str) -> None:
    """Connect to a scheduler and disconnect, to test the address.

    If another program listens there, a client would wait for ever or not clean up. Such a program may be silent, or may send bytes
    that look like the length of an enormous message, as a dashboard does.
    """
    comm = await connect(address, **Security().get_connection_args("client"))
    await comm.close()


class Lanes(SchedulerPlugin):
    """Distributes the lanes again when a worker comes or goes.

    Otherwise steps would wait forever for dead workers, and new workers would be idle.
    """

    name = "choco-lanes"
    idempotent = True

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Assign lanes to a new worker."""
        self._distribute(scheduler)

    def remove_worker(
        self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **kwargs: Any
    ) -> None:
        """Assign the lanes of a lost worker to other workers."""
        self._distribute(scheduler)

    def _distribute(self, scheduler: Scheduler) -> None:
        workers = sorted(scheduler.workers)
        for task in scheduler.tasks.values():
            if task.loose_restrictions:
                lane = (task.annotations or {}).get("lane")
                # A step without a lane must not wait for lost workers.
                task.worker_restrictions = set() if lane is None else _workers_of(lane, workers)


@dataclass(frozen=True)
class Cluster(Runner):
    """A connection to a Dask cluster."""

    #: Address of the scheduler.
    address: str
    client: Client
    #: URL of Dask's dashboard; None if there is none.
    dashboard: str | None

    @property
    def workers(self) -> int:
        """Number of tasks that can run at the same time."""
        return sum(self.client.nthreads().values())

    @property
    def memory(self) -> int | None:
        """Memory limit of each task in bytes; None without a worker or a limit."""
        workers = self.client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [worker["memory_limit"] // worker["nthreads"] for worker in workers]
        return min(limits, default=0) or None

    def run_each(
        self,
        target: str,
        arguments: Sequence[Sequence[Any]],
        is_gone: Callable[[], bool] = lambda: False,
        priority: int = 0,
    ) -> list[Any]:
        """Run a target for each list of arguments; higher priorities run first.

        Raises `GivenUpError` if `is_gone` returns true before the end. Then, or if a task fails, tasks that have not begun are
        cancelled.
        """
        # The scheduler counts retries after the death of a worker; see allowed-failures.
        name = f"{target.partition(':')[2]}-{uuid.uuid4().hex}"
        futures = [
            self.client.submit(
                run_target,
                target,
                list(each),
                os.getcwd(),
                key=f"{name}-{i}",
                pure=False,
                priority=priority,
            )
            for i, each in enumerate(arguments)
        ]
        results = []
        try:
            for future in futures:
                with losses(target, self.address):
                    while not is_done(future):
                        if is_gone():
                            raise GivenUpError
                    results.append(future.result())
            return results
        finally:
            # Dask cancels released tasks that have not begun. Otherwise a reference from a traceback could keep a task alive, and
            # Dask would repeat it after the death of its worker.
            for future in futures:
                future.release()

    def run(self, steps: Sequence[Step], watch: Callable[[], None] | None = None) -> None:
        """Run the steps; a free worker takes the first step that can run."""
        if not steps:
            return
        names = {step.key: f"{step.key}-{uuid.uuid4().hex}" for step in steps}
        rank = {names[step.key]: -i for i, step in enumerate(steps)}
        workers = sorted(self.client.scheduler_info(n_workers=-1)["workers"])
        lanes = {names[step.key]: step.lane for step in steps}
        annotations = {
            "priority": rank.__getitem__,
            "lane": lanes.__getitem__,
            "workers": lambda name: sorted(_workers_of(lanes[name], workers)),
            "allow_other_workers": True,  # a worker may die, and others may be idle
        }
        folder = os.getcwd()
        tasks = {
            names[step.key]: (
                partial(run_target, step.target, step.arguments, folder),
                *(names[need] for need in step.needs),
            )
            for step in steps
        }
        needed = {need for step in steps for need in step.needs}
        last = [step for step in steps if step.key not in needed]
        layer = MaterializedLayer(tasks, annotations=annotations)
        graph = HighLevelGraph({GRAPH: layer}, {GRAPH: set()})
        futures = self.client.get(graph, [names[step.key] for step in last], sync=False)
        for step, future in zip(last, futures, strict=True):
            with losses(step.target, self.address):
                while not is_done(future):
                    if watch is not None:
                        watch()
                if future.status != "finished":
                    future.result()  # raises

    def report(self, stage: str, **numbers: int) -> None:
        """Add `numbers` to the progress of `stage`, like a task."""
        self.client.log_event(TOPIC, _event(os.getcwd(), self.client.id, "client", stage, numbers))

    def listen(self, handler: Callable[[Mapping[str, Any]], None]) -> None:
        """Call `handler` in another thread with each report from a task of this folder."""
        folder = os.getcwd()

        def handle(event: tuple[float, Mapping[str, Any]]) -> None:
            _, message = event
            if message["folder"] == folder:
                handler(message)

        self.client.subscribe_topic(TOPIC, handle)

    def warm_up(self, target: str) -> Callable[[], bool]:
        """Start a function on one worker; return a test whether it is done.

        Tasks that wait for it find compiled kernels.
        """
        future = self.client.submit(_call, target, pure=False)
        return lambda: bool(future.done())


def _call(target: str) -> None:
    resolve(target)()


@contextmanager
def on_cluster(scheduler: str) -> Iterator[Cluster]:
    """Connect to a cluster for steps; wait until it has a worker."""
    with connection(scheduler) as cluster:
        cluster.client.register_plugin(Lanes())
        if not cluster.workers:
            # An adaptive cluster starts its first worker for the first task.
            cluster.client.submit(os.getpid, pure=False).result()
        yield cluster


def _workers_of(lane: int | None, workers: Sequence[str]) -> set[str]:
    return set(workers) if lane is None or not workers else {workers[lane % len(workers)]}
