"""The program `checker/families.py`, as a module, and its verdicts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from choco_pipeline.errors import ChocoError, DisagreementError

sys.path.insert(0, str(Path(__file__).parents[3] / "checker"))
import families

__all__ = ["check_family", "families"]


def check_family(path: str, seconds: float) -> dict[str, Any]:
    """Return what `choco_pipeline.proof.checker.check_family` does, in this process."""
    answer = families.verdict_on(Path(path), seconds)
    if answer["status"] == "no certificate":
        raise ChocoError(answer["why"])
    if answer["status"] == "contradiction":
        raise DisagreementError(answer["why"])
    return answer
