"""Hosts on a network of their own: network namespaces with shared files."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil


@dataclass(frozen=True)
class Host:
    """A network namespace."""

    #: Of the namespace; its end of the cable is ``eth0``.
    name: str
    #: The other end, in the switch.
    cable: str
    #: Its IP address.
    address: str
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(
        self, command: list[str], folder: Path, environment: dict[str, str], name: str
    ) -> subprocess.Popen[bytes]:
        """Start a command on this host; its output goes to `name`.out and `name`.err."""
        with (folder / f"{name}.out").open("wb") as out, (folder / f"{name}.err").open("wb") as err:
            process = subprocess.Popen(
                ["ip", "netns", "exec", self.name, *command],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
        self.started.append(process)
        return process

    def cut_off(self) -> None:
        """Pull the cable out."""
        _ip(f"link set {self.cable} down")


def what_is_missing() -> str:
    """Return what this machine lacks for `hosts`; nothing if it has all."""
    if os.geteuid() != 0:
        return "hosts in network namespaces need root"
    if shutil.which("ip") is None:
        return "hosts in network namespaces need the program ip (Debian: apt-get install iproute2)"
    probe = f"choco-{uuid.uuid4().hex[:8]}"
    tried = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True)
    if tried.returncode:
        return f"no network namespaces here: {tried.stderr.strip()}"
    _ip(f"netns del {probe}")
    return ""


@contextmanager
def hosts(number: int) -> Iterator[list[Host]]:
    """Make hosts that reach each other alone; their processes end with them."""
    mark = uuid.uuid4().hex[:6]
    network = f"10.{int(mark[:2], 16)}.{int(mark[2:4], 16)}"
    switch = f"choco{mark}"
    with ExitStack() as stack:
        _ip(f"link add {switch} type bridge")
        stack.callback(_ip, f"link del {switch}")
        _ip(f"link set {switch} up")
        made = []
        for i in range(1, number + 1):
            host = Host(f"choco-{mark}-{i}", f"ch{mark}{i}", f"{network}.{i}")
            _ip(f"netns add {host.name}")
            stack.callback(_remove, host)
            _ip(f"link add {host.cable} type veth peer name eth0 netns {host.name}")
            _ip(f"link set {host.cable} master {switch} up")
            _ip(f"-n {host.name} link set lo up")
            _ip(f"-n {host.name} address add {host.address}/24 dev eth0")
            _ip(f"-n {host.name} link set eth0 up")
            made.append(host)
        yield made


def _remove(host: Host) -> None:
    """Kill what runs on a host, then remove the host."""
    found = subprocess.run(["ip", "netns", "pids", host.name], capture_output=True, text=True)
    for pid in found.stdout.split():
        try:
            psutil.Process(int(pid)).kill()
        except psutil.NoSuchProcess:
            continue
    for process in host.started:
        process.wait()
    _ip(f"netns del {host.name}")


def _ip(arguments: str) -> None:
    done = subprocess.run(["ip", *arguments.split()], capture_output=True, text=True)
    assert done.returncode == 0, f"ip {arguments}: {done.stderr}"
