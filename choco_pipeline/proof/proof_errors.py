"""Why a statement about a game cannot be put to an engine, or gets no answer."""

from choco_pipeline.errors import ChocoError


class NotDefinableError(ChocoError):
    """A ruleset or formula is outside of linear and bitwise arithmetic."""


class UndecidedError(ChocoError):
    """An engine stopped at its limit of time or of states, or is not installed."""

    @property
    def why(self) -> str:
        """The reason, for a text that names the engine."""
        return str(self)


class FamilyError(NotDefinableError):
    """A family is outside of what digits and linear counters can say."""


class LemmaError(ChocoError):
    """A claim is not shown to follow by the lemmas that it names."""
