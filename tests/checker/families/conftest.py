"""Fixtures for tests of families and their certificates."""

from tests.checker.families.program import without_members
from tests.proof.uniform.judged import verdict

__all__ = ["verdict", "without_members"]
