"""Fixtures for tests of families and their certificates."""

from tests.proof.uniform.judged import verdict

__all__ = ["verdict"]
