"""To be written."""

from __future__ import annotations

from choco_pipeline.claims.case import Case, Finding
from choco_pipeline.claims.kinds import Moves, Shape


def find_moves(check: Moves, case: Case) -> Finding:
    """Return what a table says of the statement."""
    raise NotImplementedError


def find_shapes(check: Shape, case: Case) -> Finding:
    """Return what a table says of the statement."""
    raise NotImplementedError
