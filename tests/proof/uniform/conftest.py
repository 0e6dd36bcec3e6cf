"""Fixtures for tests of families and their certificates."""

from tests.proof.uniform.judged import untried, verdict, without_members

__all__ = ["untried", "verdict", "without_members"]
