"""Cluster files in ``config/clusters/``: a model for each kind of cluster."""
# mypy: untyped-calls-exclude=distributed

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from dask.utils import parse_bytes
from pydantic import Field

from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.errors import ConfigError, hint
from choco_pipeline.shipped import project_file

#: Folder of cluster files, relative to the working directory.
CLUSTERS = Path("config/clusters")
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")

# These occur in shell scripts, so no character may be special in a shell.
Memory = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,6} ?([MGT]i?B)$")]
Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}$")]
File = Annotated[str, Field(pattern=r"^[A-Za-z0-9_./@+-]{1,255}$")]
#: An address or a path: not empty, at most 1,000 characters, without control characters.
ADDRESS = r"\S([^\x00-\x1f\x7f]{0,998}\S)?"
Address = Annotated[str, Field(pattern=f"^{ADDRESS}$")]
MOST = 100_000
Count = Annotated[int, Field(ge=1, le=MOST)]


class Tls(Model):
    """PEM files that identify a scheduler, its workers and its clients."""

    #: Certificate of the authority that signed all certificates of this cluster.
    ca: File
    #: Certificate of this run and its processes, and its private key.
    certificate: File
    key: File


class Local(Model):
    """Workers on this machine, which start and stop with the run."""

    kind: Literal["local"] = "local"
    #: Number of single-threaded worker processes; by default one for each core.
    workers: Count | None = None
    #: Memory of each worker; by default an equal share of 90 % of the machine's memory.
    memory: Memory | None = None
    #: Whether Dask's dashboard runs, which every user of this machine can read.
    dashboard: bool = False
    tls: Tls | None = None


class Running(Model):
    """A running Dask cluster, which the run does not stop."""

    kind: Literal["running"] = "running"
    #: Address of its scheduler, such as `tls://node1:8786`, or path of its scheduler file.
    scheduler: Address
    tls: Tls | None = None


class Queue(Model):
    """Options for every Slurm job; omitted ones have Slurm's defaults."""

    partition: Word | None = None
    account: Word | None = None
    qos: Word | None = None
    constraint: Word | None = None
    reservation: Word | None = None
    #: Time limit of a job.
    minutes: Count


class SlurmWorkers(Queue):
    """Dask workers in Slurm jobs; the number of jobs adapts to the work."""

    kind: Literal["slurm"] = "slurm"
    #: Cores of each job, one for each single-threaded worker process, and memory that the workers share equally.
    cores: Count
    memory: Memory
    minimum: Annotated[int, Field(ge=0, le=MOST)] = 0
    maximum: Count
    #: Network interface between nodes and this machine, such as `ib0`.
    interface: Word | None = None
    #: Whether Dask's dashboard runs, which every user of this machine can read.
    dashboard: bool = False
    tls: Tls | None = None

    @property
    def workers(self) -> int:
        """Most worker processes that run at the same time."""
        return self.maximum * self.cores


class SlurmJobs(Queue):
    """Each job of Snakemake as a Slurm job that computes without Dask."""

    kind: Literal["slurm-jobs"] = "slurm-jobs"
    maximum: Count = 100
    #: Whether `sacct` reports the state of jobs; otherwise `squeue` does.
    accounting: bool = True


Description = Local | Running | SlurmWorkers | SlurmJobs
KINDS: dict[str, type[Description]] = {
    kind.model_fields["kind"].default: kind for kind in (Local, Running, SlurmWorkers, SlurmJobs)
}


def load_cluster(name: str | None, workers: int | None, scheduler: str | None) -> Description:
    """Return the cluster for the options of a command.

    The default is a running cluster if `scheduler` is given, else the one named ``local``, whose file may be missing. `workers`
    overrides a file of kind ``local``, and `scheduler` one of kind ``running``. Raises `ConfigError` if the file is missing, has a
    mistake, or is of another kind.
    """
    if workers is not None and not 1 <= workers <= MOST:
        raise ConfigError(f"--workers: must be from 1 to {MOST:,} (got {workers:,})")
    if scheduler is not None and not re.fullmatch(ADDRESS, scheduler):
        raise ConfigError(
            "--scheduler: must be an address such as tcp://host:port, or the path of a scheduler file"
            f" (got {scheduler[:100]!r})"
        )
    if name is None and scheduler is not None:
        cluster: Description = Running(scheduler=scheduler)
    elif name is None and not (CLUSTERS / "local.yaml").exists():
        cluster = Local()
    else:
        cluster = read_cluster(name or "local")
    for key, value, kind in (("workers", workers, "local"), ("scheduler", scheduler, "running")):
        if value is not None:
            if cluster.kind != kind:
                raise ConfigError(
                    f"--{key}: the cluster must be of kind {kind!r} (got {cluster.kind!r})"
                )
            cluster = cluster.model_copy(update={key: value})
    return cluster


def read_cluster(name: str) -> Description:
    """Return the cluster of ``config/clusters/NAME.yaml``."""
    path = project_file(CLUSTERS / f"{name}.yaml")
    if not NAME.fullmatch(name) or not path.is_file():
        known = sorted(other.stem for other in CLUSTERS.glob("*.yaml"))
        near = hint(name, known)
        listed = ", ".join(known) or "none"
        raise ConfigError(
            f"--cluster: there is no {CLUSTERS}/NAME.yaml for {name!r}{near} (there are: {listed})"
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
    """Return the number of bytes of a text such as ``2 GiB``."""
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
    """Return Dask's settings for encrypted connections; empty without certificates.

    `distributed.Security` reads them for clients, schedulers and workers.
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
    """Return Dask's settings as environment variables.

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
    """Return the paths of a run's self-signed certificate and its key."""
    certificate = str(folder / "certificate.pem")
    # Without validation, because unlike a path in a cluster file it may have any characters.
    return Tls.model_construct(ca=certificate, certificate=certificate, key=str(folder / "key.pem"))


def make_certificate(tls: Tls) -> None:
    """Create a private key for one run, and a certificate signed with it."""
    # The import takes a tenth of a second, and a run with nothing to do needs no certificate.
    from distributed import Security  # noqa: PLC0415

    new = Security.temporary()
    for file, text in ((tls.key, new.tls_worker_key), (tls.certificate, new.tls_worker_cert)):
        Path(file).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as to:
            to.write(text)
