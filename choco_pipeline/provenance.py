"""Provenance of results: versions, the commit, and digests of code."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from choco_pipeline.shipped import IS_CLONE, PACKAGE

LIBRARIES = ("numpy", "numba", "zarr", "xarray", "dask", "snakemake")

#: Suffixes of source files, including the report's templates.
CODE = (".py", ".j2", ".css", ".js")
#: Source on which tables, verdicts on claims, and findings in tables depend.
TABLE_CODE = ("formula", "games", "kernels", "tables")
CLAIM_CODE = (*TABLE_CODE, "statements", "claims", "drawing/shapes.py")
MINING_CODE = (*TABLE_CODE, "mining")
#: Source on which proofs depend, with the searches for formulas and recurrences of proved relations; and found statements.
PROOF_CODE = (
    *CLAIM_CODE,
    "automata",
    "mining/closed_forms",
    "mining/recurrences.py",
    "mining/table_findings.py",
    "proof",
)
FINDING_CODE = (*PROOF_CODE, "mining", "sweep", "finding")


def canonical_json(value: object) -> str:
    """Return `value` as JSON; equal values have equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def digest(value: object) -> str:
    """Return the first 16 hex digits of the SHA-256 of `value`'s canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:16]


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file in hex digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def code_digest(places: tuple[str, ...]) -> str:
    """Return a digest of the source in files and folders of the package."""
    content = hashlib.sha256()
    for place in places:
        inside = PACKAGE / place
        files = [inside] if inside.is_file() else sorted(inside.rglob("*.*"))
        for path in (file for file in files if file.suffix in CODE):
            content.update(
                path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0"
            )
    return content.hexdigest()[:16]


@cache
def package_version() -> str:
    """Return the installed version of this package."""
    try:
        return version("choco-pipeline")
    except PackageNotFoundError:
        return "uninstalled"


@cache
def commit() -> str:
    """Return the git commit of the source, with ``+changes`` if files differ from it.

    Outside of a clone it is ``unknown``.
    """
    if not IS_CLONE:
        return "unknown"
    try:
        head = _git("rev-parse", "HEAD")
        return head + ("+changes" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def versions() -> dict[str, str]:
    """Return the versions to store with a result."""
    own = {
        "choco_pipeline": package_version(),
        "commit": commit(),
        "python": platform.python_version(),
    }
    return own | library_versions()


@cache
def library_versions() -> dict[str, str]:
    """Return the versions of `LIBRARIES`."""
    return {name: version(name) for name in LIBRARIES}


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(PACKAGE), *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
    )
    return done.stdout.strip()
