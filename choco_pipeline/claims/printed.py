"""To be written."""

from __future__ import annotations

from choco_pipeline.claims.case import Case, Finding
from choco_pipeline.claims.kinds import GrundyList, GrundyTable, Listing, PList


def find_grundy_list(check: GrundyList, case: Case) -> Finding:
    """Return what a table says of the statement."""
    raise NotImplementedError


def find_grundy_table(check: GrundyTable, case: Case) -> Finding:
    """Return what a table says of the statement."""
    raise NotImplementedError


def find_listing(check: Listing, case: Case) -> Finding:
    """Return what a table says of the statement."""
    raise NotImplementedError


def find_p_list(check: PList, case: Case) -> Finding:
    """Return what a table says of the statement."""
    raise NotImplementedError
