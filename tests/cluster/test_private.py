"""A run is closed to other users: without its key no port says anything."""

import json
import os
import shutil
import stat
import subprocess
from contextlib import suppress

import psutil
import pytest

from tests.workflow.conftest import Project
from tests.workflow.project import wait_for

pytestmark = pytest.mark.full

#: What another user tries on a port: to read the key, to connect as Dask does with and without encryption, and a browser's
#: questions. Only the standard library is needed, since the packages may lie where he cannot read.
STRANGER = """
import http.client, json, socket, ssl, sys
from concurrent.futures import ThreadPoolExecutor
key, *ports = sys.argv[1:]
context = ssl._create_unverified_context()

def heard_from(port):
    heard = b""
    for wrap in (lambda plain: plain, context.wrap_socket):
        try:
            with socket.create_connection(("127.0.0.1", port), 2) as plain:
                connection = wrap(plain)
                connection.sendall(bytes(64))
                heard += connection.recv(1000)
        except OSError:
            pass
    return heard.decode(errors="replace")

def page_of(port, page):
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        asked.request("GET", page)
        return asked.getresponse().status
    except (OSError, http.client.HTTPException):
        return None

def said_by(port):
    pages = ("/", "/status", "/info/main/workers.html", "/metrics", "/health", "/json/counts.json")
    heard = all_at_once.submit(heard_from, port)
    return heard, [all_at_once.submit(page_of, port, page) for page in pages]

said = {}
try:
    said["key"] = open(key).read()
except OSError as error:
    said["key"] = type(error).__name__
with ThreadPoolExecutor(200) as all_at_once:
    asked = {port: said_by(int(port)) for port in ports}
    for port, (heard, pages) in asked.items():
        said[port] = [heard.result(), [page.result() for page in pages]]
print(json.dumps(said))
"""


#: Tables that no kernel computes take until long after the stranger has asked.
LONG = """
run: long
sweeps:
  heaps: {ruleset: nim(4), passes: 3..4, bound: 9..11, quantity: grundy}
"""


@pytest.fixture
def at_work(project):
    """Return a project in which a run is at work."""
    (project.folder / "long.yaml").write_text(LONG)
    started = project.start("run", "long.yaml")
    scheduler = project.folder / "results/.dask/scheduler.json"
    wait_for(lambda: scheduler.exists() or started.poll() is not None, "the cluster")
    yield project
    project.kill_all()
    started.communicate()


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def addresses(project):
    """Return where the processes of a run listen."""
    found = set()
    for process in project.processes():
        with suppress(psutil.Error):
            found |= {
                (one.laddr.ip, one.laddr.port)
                for one in process.net_connections("tcp")
                if one.status == psutil.CONN_LISTEN
            }
    return found


def test_a_run_says_nothing_to_whoever_has_not_its_key(at_work):
    dask = at_work.folder / "results/.dask"
    address = json.loads((dask / "scheduler.json").read_text())["address"]
    assert address.startswith("tls://127.0.0.1:")
    key = dask / "tls/key.pem"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(dask.stat().st_mode) == 0o700
    listening = addresses(at_work)
    assert {ip for ip, _ in listening} == {"127.0.0.1"}
    ports = [port for _, port in listening]
    scheduler = int(address.rsplit(":", 1)[1])
    assert scheduler in ports
    said = heard_by_another_user(key, ports)
    assert ("127.0.0.1", scheduler) in addresses(at_work)  # still, so it was there to be asked
    if os.geteuid() == 0:
        assert said.pop("key") == "PermissionError"
    assert set(said) == set(map(str, ports))
    for heard, pages in said.values():
        assert heard == ""
        assert set(pages) <= {None, 404}


def heard_by_another_user(key, ports):
    """Return the answer of each port to the user `nobody`, or to one without a key."""
    python = shutil.which("python3", path="/usr/bin:/bin")
    command = [python, "-I", "-c", STRANGER, str(key), *map(str, ports)]
    if os.geteuid() == 0:
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
