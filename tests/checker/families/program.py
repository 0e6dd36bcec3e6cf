"""The program `checker/families.py`, as a module, and its verdicts."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from choco_pipeline.errors import ChocoError, DisagreementError

sys.path.insert(0, str(Path(__file__).parents[3] / "checker"))
import families


def check_family(path: str, seconds: float) -> dict[str, Any]:
    """Return what `choco_pipeline.proof.checker.check_family` does, in this process."""
    answer = families.verdict_on(Path(path), seconds)
    if answer["status"] == "no certificate":
        raise ChocoError(answer["why"])
    if answer["status"] == "contradiction":
        raise DisagreementError(answer["why"])
    return answer


def status_of(verdict: Callable[[object], dict[str, Any]], document: object) -> str:
    """Return the status of a certificate, also of one that cannot be read."""
    try:
        found = verdict(document)
    except DisagreementError:
        return "contradiction"
    except ChocoError:
        return "no certificate"
    assert found["engines"] == [] or found["status"] == "proved" or found["every_member"]
    return "every member" if found["every_member"] else str(found["status"])


@pytest.fixture
def without_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """No small members are looked at: the conditions alone must refuse."""
    for name in ("wrong_position", "require_failure", "prove_alone"):
        monkeypatch.setattr(families, name, lambda *_: None)
