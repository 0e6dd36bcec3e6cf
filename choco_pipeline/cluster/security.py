"""TLS as Dask is told of it: by its own settings, which processes that a run starts find in their environment."""

# mypy: untyped-calls-exclude=distributed

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from choco_pipeline.cluster.cluster_file import Tls


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
