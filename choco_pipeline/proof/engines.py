"""The engines that decide sentences, by name, and which of them this machine has."""

from __future__ import annotations

from typing import Literal

from choco_pipeline.proof.mona import mona_version

EngineName = Literal["own", "mona"]
ENGINES: tuple[EngineName, ...] = ("own", "mona")


def installed_engines() -> tuple[EngineName, ...]:
    """Return the engines that this machine has."""
    return ENGINES if mona_version() is not None else ("own",)


class DisagreementError(RuntimeError):
    """Two engines, or an engine and the definition, contradict each other: one of them is wrong."""
