"""Where a run computes, as a file in ``config/clusters/`` says it: one closed model for each kind of cluster."""
# mypy: untyped-calls-exclude=distributed

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from dask.utils import parse_bytes
from pydantic import Field

from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.errors import ConfigError
from choco_pipeline.shipped import project_file

#: Where the files are; the path starts from the folder that `choco` runs in, as all paths in configurations do.
CLUSTERS = Path("config/clusters")
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")

# Some of these stand in a script that a shell reads: they are words that no shell takes for anything else.
Memory = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,6} ?([MGT]i?B)$")]
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}$")]
File = Annotated[str, Field(pattern=r"^[A-Za-z0-9_./@+-]{1,255}$")]
#: An address, or a path: neither empty nor with a line break, nor longer than the system takes.
ADDRESS = r"\S([^\x00-\x1f\x7f]{0,998}\S)?"
Address = Annotated[str, Field(pattern=f"^{ADDRESS}$")]
MOST = 100_000
Count = Annotated[int, Field(ge=1, le=MOST)]


class Tls(Model):
    """Files in PEM format that a scheduler, its workers and its clients know each other by."""

    ca: File = Field(
        description="Certificate of the authority that has signed all certificates of this cluster."
    )
    certificate: File = Field(description="Certificate of this run, and of what it starts.")
    key: File = Field(description="Its private key; only you should be able to read this file.")


class Local(Model):
    """Workers on this machine, started with the run and stopped with it."""

    kind: Literal["local"] = "local"
    workers: Count | None = Field(
        default=None, description="Worker processes of one thread; one for each core by default."
    )
    memory: Memory | None = Field(
        default=None,
        description="What each may use; its share of 90 % of the machine's by default.",
    )
    dashboard: bool = Field(
        default=False,
        description="Whether there is Dask's dashboard, which every user of this machine can read.",
    )
    tls: Tls | None = None


class Running(Model):
    """A Dask cluster that is running already, and is left running."""

    kind: Literal["running"] = "running"
    scheduler: Address = Field(
        description="Address of its scheduler, as in `tls://node1:8786`, or its scheduler file."
    )
    tls: Tls | None = None


class Queue(Model):
    """What Slurm is told of every job."""

    partition: Word | None = Field(
        default=None, description="Partition; Slurm's default if left out."
    )
    account: Word | None = Field(default=None, description="Account; yours by default if left out.")
    qos: Word | None = Field(default=None, description="Quality of service.")
    constraint: Word | None = Field(default=None, description="Feature that nodes must have.")
    reservation: Word | None = Field(default=None, description="Reservation.")
    minutes: Count = Field(description="How long a job may take (walltime).")


class SlurmWorkers(Queue):
    """Dask workers in Slurm jobs: as many as there is work for, from `minimum` to `maximum` jobs."""

    kind: Literal["slurm"] = "slurm"
    cores: Count = Field(
        description="Cores of each job; it runs as many worker processes of one thread."
    )
    memory: Memory = Field(description="Memory of each job, shared equally by its workers.")
    minimum: int = Field(
        default=0,
        ge=0,
        le=100_000,
        description="Jobs that are kept even if there is nothing to do.",
    )
    maximum: Count = Field(description="Most jobs at a time.")
    interface: Word | None = Field(
        default=None,
        description="Network interface, as in `ib0`, by which nodes and this machine reach each other.",
    )
    dashboard: bool = Field(
        default=False,
        description="Whether there is Dask's dashboard, which every user of this machine can read.",
    )
    tls: Tls | None = None

    @property
    def workers(self) -> int:
        """Most worker processes at a time."""
        return self.maximum * self.cores


class SlurmJobs(Queue):
    """Every job of Snakemake is a Slurm job and computes by itself, without Dask."""

    kind: Literal["slurm-jobs"] = "slurm-jobs"
    maximum: Count = Field(default=100, description="Most jobs at a time.")
    accounting: bool = Field(
        default=True, description="Whether `sacct` can be asked how jobs are; if not, `squeue` is."
    )


Description = Local | Running | SlurmWorkers | SlurmJobs
KINDS: dict[str, type[Description]] = {
    "local": Local,
    "running": Running,
    "slurm": SlurmWorkers,
    "slurm-jobs": SlurmJobs,
}


def load_cluster(name: str | None, workers: int | None, scheduler: str | None) -> Description:
    """Return the cluster that the command line asks for, by the name of its file in ``config/clusters``.

    Without a name it is a running cluster if there is a scheduler, else the one named ``local``, whose file may be missing. What is said
    of workers outweighs a file of kind ``local``, and a scheduler one of kind ``running``. Raises `ConfigError` if there is no
    such file, it has a mistake, or it is of another kind than what else is given needs.
    """
    if workers is not None and not 1 <= workers <= MOST:
        raise ConfigError(f"--workers: from 1 to {MOST:,} are possible, found {workers:,}")
    if scheduler is not None and not re.fullmatch(ADDRESS, scheduler):
        raise ConfigError(
            "--scheduler: needs an address, as tcp://host:port, or the path of a scheduler file,"
            f" found {scheduler[:100]!r}"
        )
    if name is None and scheduler is not None:
        cluster: Description = Running(scheduler=scheduler)
    elif name is None and not (CLUSTERS / "local.yaml").exists():
        cluster = Local()
    else:
        cluster = read_cluster(name or "local")
    if workers is not None:
        if not isinstance(cluster, Local):
            raise ConfigError(
                f"--workers: needs a cluster of kind 'local', found kind {cluster.kind!r}"
            )
        cluster = cluster.model_copy(update={"workers": workers})
    if scheduler is not None:
        if not isinstance(cluster, Running):
            raise ConfigError(
                f"--scheduler: needs a cluster of kind 'running', found kind {cluster.kind!r}"
            )
        cluster = cluster.model_copy(update={"scheduler": scheduler})
    return cluster


def read_cluster(name: str) -> Description:
    """Return what ``config/clusters/NAME.yaml`` says, or raise `ConfigError` with file, line and key."""
    path = project_file(CLUSTERS / f"{name}.yaml")
    if not NAME.fullmatch(name) or not path.is_file():
        known = sorted(other.stem for other in CLUSTERS.glob("*.yaml"))
        near = get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        listed = ", ".join(known) or "none"
        raise ConfigError(
            f"--cluster: no {CLUSTERS}/NAME.yaml for {name!r}{hint} (there are: {listed})"
        )
    file = YamlFile(path)
    if not isinstance(file.content, dict):
        raise file.error((), "needs keys and values")
    kind = file.content.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise file.error(("kind",), f"needs {' or '.join(map(repr, KINDS))}, found {kind!r}")
    cluster = file.load(KINDS[kind])
    if isinstance(cluster, SlurmWorkers) and cluster.minimum > cluster.maximum:
        raise file.error(
            ("minimum",), f"needs at most `maximum`, {cluster.maximum}, found {cluster.minimum}"
        )
    if not isinstance(cluster, SlurmJobs) and cluster.tls is not None:
        _require_certificates(cluster.tls, file)
    return cluster


def in_bytes(memory: Memory) -> int:
    """Return the number of bytes of what a file calls, for example, ``2 GiB``."""
    return int(parse_bytes(memory))


def _require_certificates(tls: Tls, file: YamlFile) -> None:
    for key, path in tls:
        try:
            Path(path).read_bytes()
        except OSError as error:
            raise file.error(("tls", key), f"{path}: cannot be read ({error.strerror})") from None
    try:
        ssl.create_default_context(cafile=tls.ca)
    except ssl.SSLError:
        raise file.error(("tls", "ca"), f"{tls.ca}: not a certificate in PEM format") from None
    try:
        ssl.create_default_context().load_cert_chain(tls.certificate, tls.key, password="")
    except (ssl.SSLError, ValueError):
        raise file.error(
            ("tls", "certificate"),
            f"{tls.certificate} and {tls.key}: not a certificate in PEM format and its key without a password",
        ) from None


def tls_settings(tls: Tls | None) -> dict[str, str | bool]:
    """Return Dask's settings for connections that are encrypted, and refused to whoever has no certificate.

    `distributed.Security` reads them wherever it is made without arguments: for clients, schedulers and workers.
    """
    if tls is None:
        return {}
    prefix = "distributed.comm.tls"
    files = {
        f"{prefix}.{role}.{what}": path
        for role in ("client", "scheduler", "worker")
        for what, path in (("cert", tls.certificate), ("key", tls.key))
    }
    return {"distributed.comm.require-encryption": True, f"{prefix}.ca-file": tls.ca, **files}


def as_environment(settings: Mapping[str, str | bool]) -> dict[str, str]:
    """Return the environment variables by which Dask takes these settings.

    Examples
    --------
    >>> as_environment({"distributed.comm.tls.ca-file": "ca.pem"})
    {'DASK_DISTRIBUTED__COMM__TLS__CA_FILE': 'ca.pem'}
    """
    return {
        "DASK_" + key.upper().replace(".", "__").replace("-", "_"): str(value)
        for key, value in settings.items()
    }


def own_tls(folder: Path) -> Tls:
    """Return where a run keeps the certificate of its own cluster, which is its own authority, and the key."""
    certificate = str(folder / "certificate.pem")
    # A folder may have a name that in a file of people's, which shells read, is refused.
    return Tls.model_construct(ca=certificate, certificate=certificate, key=str(folder / "key.pem"))


def make_certificate(tls: Tls) -> None:
    """Make a key for one run, and a certificate that it has signed; nobody else may read them."""
    # Imported here: it takes a tenth of a second, and a run with nothing to do makes none.
    from distributed import Security  # noqa: PLC0415

    made = Security.temporary()
    for file, text in ((tls.key, made.tls_worker_key), (tls.certificate, made.tls_worker_cert)):
        Path(file).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as to:
            to.write(text)
