"""Files in ``config/clusters/``: allowed keys, and the place of a mistake."""

from pathlib import Path

import pytest
import trustme
from pydantic import ValidationError

from choco_pipeline.cluster.cluster_file import (
    KINDS,
    Local,
    Running,
    SlurmJobs,
    SlurmWorkers,
    load_cluster,
    read_cluster,
)
from choco_pipeline.errors import ConfigError
from tests.cluster.conftest import certificates

ROOT = Path(__file__).parents[2]
SLURM = "kind: slurm\nminutes: 5\ncores: 2\nmemory: 2 GiB\nmaximum: 3\n"


@pytest.fixture
def clusters(tmp_path, monkeypatch):
    """Return the folder of descriptions in an empty project."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "config" / "clusters"
    folder.mkdir(parents=True)
    return folder


def test_the_project_has_an_example_of_every_kind(monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {path.stem for path in ROOT.glob("config/clusters/*.yaml")}
    assert {name: read_cluster(name).kind for name in names} == {kind: kind for kind in KINDS}


@pytest.mark.parametrize(
    ("name", "workers", "scheduler", "expected"),
    [
        (None, None, None, Local()),
        (None, 3, None, Local(workers=3)),
        (None, None, "tcp://a:1", Running(scheduler="tcp://a:1")),
        ("far", None, None, Running(scheduler="s.json")),
        ("far", None, "tcp://a:1", Running(scheduler="tcp://a:1")),
        ("jobs", None, None, SlurmJobs(minutes=7)),
    ],
)
def test_the_command_line_chooses_and_outweighs(clusters, name, workers, scheduler, expected):
    (clusters / "far.yaml").write_text("kind: running\nscheduler: s.json\n")
    (clusters / "jobs.yaml").write_text("kind: slurm-jobs\nminutes: 7\n")
    assert load_cluster(name, workers, scheduler) == expected


def test_local_is_read_if_its_file_is_there(clusters):
    (clusters / "local.yaml").write_text("kind: local\nworkers: 5\nmemory: 1 GiB\n")
    assert load_cluster(None, None, None) == Local(workers=5, memory="1 GiB")
    assert load_cluster("local", 2, None) == Local(workers=2, memory="1 GiB")


@pytest.mark.parametrize(
    ("workers", "scheduler", "option"),
    [(2, None, "--workers"), (0, None, "--workers"), (None, "tcp://a:1", "--scheduler")],
)
def test_what_does_not_fit_together_is_refused(clusters, workers, scheduler, option):
    (clusters / "mine.yaml").write_text(SLURM)
    with pytest.raises(ConfigError, match=f"^{option}: "):
        load_cluster("mine", workers, scheduler)


@pytest.mark.parametrize("scheduler", ["", " ", "a\nb", "x" * 1001])
def test_a_scheduler_that_cannot_be_one_is_refused(clusters, scheduler):
    with pytest.raises(ConfigError, match=r"--scheduler: must be an address"):
        load_cluster(None, None, scheduler)
    assert load_cluster(None, None, "my folder/s.json") == Running(scheduler="my folder/s.json")


@pytest.mark.parametrize("name", ["slum", "../clusters/slurm", "slurm.yaml", "", "/etc/passwd"])
def test_a_name_without_a_file_is_refused_with_those_that_have_one(clusters, name):
    (clusters / "slurm.yaml").write_text(SLURM)
    with pytest.raises(
        ConfigError, match=r"--cluster: there is no config/clusters/NAME.yaml for .*slurm"
    ):
        read_cluster(name)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "mine.yaml"),
        ("- a\n", "mine.yaml:1:1"),
        ("workers: 2\n", "mine.yaml:1:1: kind"),
        ("kind: [slurm]\n", "mine.yaml:1:1: kind"),
        ("kind: pbs\n", "mine.yaml:1:1: kind"),
        ("kind: local\nworker: 2\n", "mine.yaml:2:1: unknown key 'worker'"),
        ("kind: local\nworkers: 0\n", "mine.yaml:2:1: workers"),
        ("kind: local\nmemory: 2 GB!\n", "mine.yaml:2:1: memory"),
        ("kind: running\n", "mine.yaml:1:1: scheduler"),
        (SLURM + "minimum: 4\n", "mine.yaml:6:1: minimum"),
        (SLURM + "prologue: rm\n", "mine.yaml:6:1: unknown key 'prologue'"),
        (
            "kind: local\ntls:\n  ca: gone.pem\n  certificate: c\n  key: k\n",
            "mine.yaml:3:3: tls.ca: gone.pem",
        ),
    ],
)
def test_a_mistake_is_answered_with_file_line_and_key(clusters, text, place):
    (clusters / "mine.yaml").write_text(text)
    with pytest.raises(ConfigError) as raised:
        read_cluster("mine")
    assert str(raised.value).startswith(f"config/clusters/{place}")


@pytest.mark.parametrize(
    "word", ["a b", "a\n#SBATCH --uid=0", "$(id)", "`id`", "a;b", "-x", "a'b", ""]
)
def test_no_word_can_become_a_command(word):
    for key in ("partition", "account", "qos", "constraint", "reservation", "interface"):
        with pytest.raises(ValidationError, match=key):
            SlurmWorkers(minutes=5, cores=1, memory="1 GiB", maximum=1, **{key: word})


def test_certificates_must_be_some(clusters, tmp_path):
    certificates(tmp_path, trustme.CA())
    trustme.CA().issue_cert("two").private_key_pem.write_to_path(tmp_path / "other.key")
    good = "kind: local\ntls: {ca: ca.pem, certificate: my.pem, key: my.key}\n"
    (clusters / "mine.yaml").write_text(good)
    assert read_cluster("mine").tls is not None
    (clusters / "mine.yaml").write_text(good.replace("ca.pem", "my.key"))
    with pytest.raises(ConfigError, match=r"tls.ca: my.key: not a certificate in PEM format"):
        read_cluster("mine")
    (clusters / "mine.yaml").write_text(good.replace("key: my.key", "key: other.key"))
    with pytest.raises(ConfigError, match=r"my.pem and other.key: not a certificate .* its key"):
        read_cluster("mine")
