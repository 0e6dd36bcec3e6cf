"""To be written."""

from __future__ import annotations

from collections.abc import Mapping

from choco_pipeline.claims.case import Finding
from choco_pipeline.claims.kinds import IntegerStatement


def find_integers(check: IntegerStatement, bound: int, fixed: Mapping[str, int]) -> Finding:
    """Return what holds of the statement."""
    raise NotImplementedError
