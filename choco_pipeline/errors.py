"""Errors of users: what was given, what is needed, and where."""

from __future__ import annotations

import importlib.util

#: What to do when judges contradict each other.
ADVICE = (
    "one of them is wrong, so that nothing follows from either: please report this sentence, the command, and what"
    " `choco doctor --json` prints"
)
#: Exit code if two engines, or an engine and a definition, contradict each other; no verdict has it.
DISAGREEMENT = 3


class ChocoError(Exception):
    """A user's mistake; a command prints it as one message and exits with 2."""


class RulesetError(ChocoError):
    """A ruleset's notation, parameters or position cannot be used."""


class HeightError(RulesetError):
    """A height function is undefined, negative or not monotone somewhere."""


class ConfigError(ChocoError):
    """A configuration or claims file is not usable."""


class LimitError(ChocoError):
    """A request is larger than this machine or this representation can hold."""


class StoreError(ChocoError):
    """A stored table is missing, incomplete or damaged."""


class DisagreementError(Exception):
    """Two engines, or an engine and a definition, contradict each other.

    The command line exits with 3.

    It is not a user's mistake, and never becomes a verdict, as a `ChocoError` may.

    Parameters
    ----------
    what
        The sentence, the game, and both answers.
    """

    def __str__(self) -> str:
        """Return both answers, and the advice."""
        return f"{self.args[0]}; {ADVICE}"


def require_package(package: str, extra: str, purpose: str) -> None:
    """Raise `ConfigError` unless an optional package is installed.

    Parameters
    ----------
    package
        Its name; the module has the same name, with underscores.
    extra
        The extra of this project that installs it.
    purpose
        The option or kind of cluster that needs it, for the message.
    """
    if importlib.util.find_spec(package.replace("-", "_")) is None:
        raise ConfigError(
            f"{purpose}: the package {package} is needed; install it, or this project with the extra `{extra}`"
        )
