"""To be written."""

from __future__ import annotations

from choco_pipeline.claims.case import Case, Finding
from choco_pipeline.claims.kinds import Pattern


def find_pattern(check: Pattern, case: Case) -> Finding:
    """Return what a table says of the statement."""
    raise NotImplementedError
