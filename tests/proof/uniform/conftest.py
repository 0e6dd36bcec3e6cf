"""Fixtures for tests of families and their certificates."""

from tests.proof.uniform.judged import untried, verdict

__all__ = ["untried", "verdict"]
