"""Fixtures for tests of families and their certificates."""

from tests.proof.uniform.judged import verdict, without_members

__all__ = ["verdict", "without_members"]
