"""To be written."""

from __future__ import annotations

from choco_pipeline.claims.case import Finding
from choco_pipeline.claims.kinds import HeightFunctions


def find_height_functions(check: HeightFunctions, bound: int) -> Finding:
    """Return what holds of the statement."""
    raise NotImplementedError
