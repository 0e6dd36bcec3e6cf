"""Why a statement about a game cannot be put to an engine, or gets no answer."""

from choco_pipeline.errors import ChocoError


class NotDefinableError(ChocoError):
    """A ruleset or a formula says something that linear and bitwise arithmetic cannot say."""


class UndecidedError(ChocoError):
    """An engine stopped at its limit of time or of states, or is not installed."""

    @property
    def why(self) -> str:
        """The reason, where it is said beside it which engine gave no answer."""
        return str(self)


class FamilyError(NotDefinableError):
    """A family's game, condition or relation says something that digits and linear counters cannot say."""


class LemmaError(ChocoError):
    """A claim does not follow by the lemmas that it names, or it is not known whether it does; the message says why."""
