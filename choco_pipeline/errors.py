"""What can go wrong for a user, as named classes: each message says what was given, what was needed and where."""


class ChocoError(Exception):
    """A mistake in what the user gave; the command line prints it as one message and exits with 2."""


class RulesetError(ChocoError):
    """A ruleset's notation, parameters or position cannot be used."""


class HeightError(RulesetError):
    """A height function is not defined, not non-negative or not monotone where it is needed."""


class ConfigError(ChocoError):
    """A configuration or claims file is not usable."""


class LimitError(ChocoError):
    """A request is larger than this machine or this representation can hold."""


class StoreError(ChocoError):
    """A stored table is missing, incomplete or damaged."""
