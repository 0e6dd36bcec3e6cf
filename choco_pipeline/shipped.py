"""Shipped files: workflow, checker, configuration, claims, games.

In a clone they are beside the package, in a wheel in a folder of the package.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
IS_CLONE = (PACKAGE.parent / "Snakefile").is_file()
SHIPPED = PACKAGE.parent if IS_CLONE else PACKAGE / "shipped"


def project_file(path: str | Path) -> Path:
    """Return a file of the working directory, or else of the wheel.

    In a clone, commands use only files of the working directory.
    """
    shipped = SHIPPED / path
    return shipped if not IS_CLONE and not Path(path).exists() and shipped.exists() else Path(path)
