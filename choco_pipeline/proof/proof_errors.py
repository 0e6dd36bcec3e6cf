"""Errors for statements without a formal sentence, and for undecided statements."""

from choco_pipeline.errors import ChocoError


class NotDefinableError(ChocoError):
    """A ruleset or formula is not expressible in linear and bitwise arithmetic."""


class UndecidedError(ChocoError):
    """An engine stopped at its limit of time or of states, or is not installed."""


class FamilyError(NotDefinableError):
    """A family is not expressible by digits and linear counters."""


class LemmaError(ChocoError):
    """The lemmas named by a claim do not imply it, or this is not proved."""


class CertificateError(ChocoError):
    """An invalid certificate, or no proof to certify."""
