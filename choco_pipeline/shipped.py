"""What comes with the package beside its code: the workflow, the checker, and the configuration with its claims and games.

In a clone it lies where it is edited, beside the package; in a wheel, in a folder of the package.
"""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
IS_CLONE = (PACKAGE.parent / "Snakefile").is_file()
SHIPPED = PACKAGE.parent if IS_CLONE else PACKAGE / "shipped"


def project_file(path: str | Path) -> Path:
    """Return a file or folder of the folder that commands run in; what that has not, as the wheel brings it.

    From a clone commands take nothing but what is where they run: the clone is the folder of its own project.
    """
    brought = SHIPPED / path
    return brought if not IS_CLONE and not Path(path).exists() and brought.exists() else Path(path)
