"""To be written."""

from __future__ import annotations

from choco_pipeline.claims.case import Case, Finding
from choco_pipeline.claims.kinds import Octahedron


def find_section(check: Octahedron, case: Case) -> Finding:
    """Return what a table says of the statement."""
    raise NotImplementedError
