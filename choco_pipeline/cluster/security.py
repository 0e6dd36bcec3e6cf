"""TLS as Dask is told of it: by its own settings, which processes that a run starts find in their environment."""

from __future__ import annotations

from collections.abc import Mapping

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
