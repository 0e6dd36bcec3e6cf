"""A Slurm of one node: run ``python -m tests.cluster.one_node_slurm``.

It needs root, and the Debian packages slurmctld, slurmd, slurm-client, slurm-wlm-basic-plugins and munge; none of their
services need run. Everything lies in a temporary folder, listens on this machine only, and ends with this program.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
CORES = 4
MEMORY_MB = 8000
SECONDS = 60
CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
KillWait=5
MinJobAge=600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory} State=UNKNOWN
PartitionName=one Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=brief Nodes=ALL MaxTime=5 State=UP
"""


def what_is_missing() -> str:
    """Return what this machine lacks for `one_node_slurm`; nothing if it can run."""
    if os.geteuid() != 0:
        return "a Slurm of one node needs root"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"a Slurm of one node needs {', '.join(missing)}" if missing else ""


@contextmanager
def one_node_slurm() -> Iterator[dict[str, str]]:
    """Run Slurm on this machine, and yield the environment of its commands."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="slurm-")))
        (folder / "state").mkdir()
        (folder / "spool").mkdir()
        key = folder / "munge.key"
        key.write_bytes(secrets.token_bytes(128))
        key.chmod(0o600)
        folder.chmod(0o755)
        configuration = folder / "slurm.conf"
        host = socket.gethostname().partition(".")[0]
        controller, node = free_ports(2)
        configuration.write_text(
            CONFIGURATION.format(
                host=host,
                controller=controller,
                node=node,
                folder=folder,
                cores=CORES,
                memory=MEMORY_MB,
            )
        )
        environment = {**os.environ, "SLURM_CONF": str(configuration)}
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "seed-file": "seed"}
        munge = [f"--{option}={folder}/munge.{name}" for option, name in files.items()]
        log = f"--log-file={folder}/munged.log"
        for command in (
            ["munged", "--foreground", "--force", log, *munge],
            ["slurmctld", "-D", "-f", str(configuration)],
            # What runs in jobs finds the configuration where every node of a real cluster has it.
            [
                "unshare",
                "--mount",
                "sh",
                "-c",
                f"mount --bind {folder} /etc/slurm && exec slurmd -D -N {host}",
            ],
        ):
            _daemon(stack, command, folder, environment)
            if command[0] == "munged":
                _wait(lambda: (folder / "munge.socket").exists(), "munged", folder)

        def is_idle() -> bool:
            asked = subprocess.run(
                ["sinfo", "--noheader", "--format=%T"],
                env=environment,
                capture_output=True,
                text=True,
            )
            return "idle" in asked.stdout

        _wait(is_idle, "slurmd", folder)
        stack.callback(_cancel_all, environment)
        yield environment


def jobs(environment: dict[str, str]) -> list[str]:
    """Return the states of the jobs that are waiting or running."""
    asked = subprocess.run(
        ["squeue", "--noheader", "--format=%T"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return asked.stdout.split()


def free_ports(number: int) -> list[int]:
    """Return ports of this machine that nobody listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _daemon(
    stack: ExitStack, command: list[str], folder: Path, environment: dict[str, str]
) -> None:
    log = stack.enter_context((folder / f"{command[0]}.out").open("wb"))
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder
    )

    def end() -> None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    stack.callback(end)


def _cancel_all(environment: dict[str, str]) -> None:
    subprocess.run(["scancel", "--full", "--user=root"], env=environment, capture_output=True)
    end = time.monotonic() + SECONDS
    while jobs(environment) and time.monotonic() < end:
        time.sleep(0.2)


def _wait(condition, what: str, folder: Path) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            said = "\n".join(
                path.read_text(errors="replace")[-2000:] for path in folder.glob("*.out")
            )
            raise RuntimeError(f"{what} does not run:\n{said}")
        time.sleep(0.1)


if __name__ == "__main__":
    if missing := what_is_missing():
        raise SystemExit(missing)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt), one_node_slurm() as environment:
        sys.stdout.write(f"export SLURM_CONF={environment['SLURM_CONF']}\n")
        sys.stdout.flush()
        signal.pause()
