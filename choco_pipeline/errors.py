"""Errors of users, and contradictions between judges."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from difflib import get_close_matches

#: Advice if two judges contradict each other.
ADVICE = (
    "one of them is wrong, so that neither can be trusted: please report this sentence, the command, and the output of"
    " `choco doctor --json`"
)
#: Exit code if two engines, or an engine and a definition, contradict each other; verdicts have other codes.
DISAGREEMENT = 3


class ChocoError(Exception):
    """A user's mistake; a command prints its message and exits with code 2."""


class RulesetError(ChocoError):
    """A ruleset's notation, parameters or position cannot be used."""


class HeightError(RulesetError):
    """A height function is undefined, negative or not monotone somewhere."""


class ConfigError(ChocoError):
    """A configuration, a claims file or an option has a mistake."""


class LimitError(ChocoError):
    """A request exceeds the limits of this machine or of the program."""


class StoreError(ChocoError):
    """A stored table or document is missing, incomplete or damaged."""


class DisagreementError(Exception):
    """Two engines, or an engine and a definition, contradict each other.

    The command line exits with code 3. Unlike a `ChocoError`, it is not a user's mistake, and never becomes a verdict.

    Parameters
    ----------
    what
        The sentence, the game, and both answers.
    """

    def __str__(self) -> str:
        """Return the contradiction and the advice."""
        return f"{self.args[0]}; {ADVICE}"


def hint(name: object, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` with the nearest of `known`, or nothing."""
    near = get_close_matches(str(name), list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def require_package(package: str, extra: str, purpose: str) -> None:
    """Raise `ConfigError` unless an optional package is installed.

    Parameters
    ----------
    package
        The name; that of the module has underscores instead of hyphens.
    extra
        The extra of this project that installs the package.
    purpose
        The option or kind of cluster that needs the package, for the message.
    """
    if importlib.util.find_spec(package.replace("-", "_")) is None:
        raise ConfigError(
            f"{purpose}: the package {package} is needed; install it, or this project with the extra `{extra}`"
        )
