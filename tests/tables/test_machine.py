"""Memory and cores: the least of machine, control groups and Slurm job."""

import os
import subprocess
import sys

import psutil
import pytest

from choco_pipeline.tables.machine import USABLE, cores, memory, worker_memory

MACHINE = psutil.virtual_memory().total


def system(folder, lines, limits):
    """Return a folder with /proc/self/cgroup and limits below /sys/fs/cgroup."""
    for name, text in {"proc/self/cgroup": lines, **limits}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


def group(name, text):
    return {f"sys/fs/cgroup/{name}": text}


@pytest.mark.parametrize(
    ("lines", "limits", "expected"),
    [
        ("0::/\n", {}, MACHINE),
        ("0::/\n", group("memory.max", "max\n"), MACHINE),
        ("0::/\n", group("memory.max", "300000000\n"), 300_000_000),  # a container's
        ("0::/job/step\n", group("job/step/memory.max", "300000000\n"), 300_000_000),
        (
            "0::/job/step\n",
            group("job/step/memory.max", "max\n") | group("job/memory.max", "300000000\n"),
            300_000_000,
        ),
        (
            "0::/a\n",
            group("a/memory.max", "400000000\n") | group("memory.max", "300000000\n"),
            300_000_000,
        ),
        (
            "4:memory:/job\n0::/\n",
            group("memory/job/memory.limit_in_bytes", "300000000\n"),
            300_000_000,
        ),
        # The group has another name outside of a container than inside of it.
        (
            "4:memory:/docker/1\n",
            group("memory/memory.limit_in_bytes", "300000000\n"),
            300_000_000,
        ),
        # Limits of other groups do not count.
        (
            "4:cpu:/\n3:memory:/\n0::/job\n",
            group("other/memory.max", "300000000\n")
            | group("cpu/memory.limit_in_bytes", "300000000\n")
            | group("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            MACHINE,
        ),
    ],
)
def test_the_least_limit_of_the_groups_around_a_process(tmp_path, lines, limits, expected):
    assert memory({}, system(tmp_path, lines, limits)) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"SLURM_MEM_PER_NODE": "500"}, 500 << 20),
        ({"SLURM_MEM_PER_NODE": "0"}, MACHINE),
        ({"SLURM_MEM_PER_CPU": "300"}, 300 << 20),
        ({"SLURM_MEM_PER_CPU": "300", "SLURM_CPUS_ON_NODE": "2"}, 600 << 20),
        ({"SLURM_MEM_PER_CPU": "", "SLURM_CPUS_ON_NODE": "2"}, MACHINE),
        ({"SLURM_MEM_PER_NODE": str(1 << 40)}, MACHINE),
    ],
)
def test_what_slurm_gives_a_job(tmp_path, said, expected):
    assert memory(said, tmp_path) == expected


def test_workers_share_it(monkeypatch):
    monkeypatch.setenv("SLURM_MEM_PER_NODE", "1000")
    assert worker_memory(4) == int((1000 << 20) * USABLE / 4)


def test_cores_are_those_that_a_process_may_run_on():
    core = min(os.sched_getaffinity(0))
    program = (
        f"import os; os.sched_setaffinity(0, {{{core}}});"
        " from choco_pipeline.tables.machine import cores; print(cores())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert int(done.stdout) == 1
    assert 1 <= cores() <= (psutil.cpu_count() or 1)
