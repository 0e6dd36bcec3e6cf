"""The engines that decide sentences, by name, and which of them this machine has."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from choco_pipeline.proof.arithmetic.mona import mona_fault

EngineName = Literal["own", "mona"]
ENGINES: tuple[EngineName, ...] = ("own", "mona")
#: Why an engine that others are preferred to gives no answer.
NOT_ASKED = "it was not asked"


def installed_engines() -> tuple[EngineName, ...]:
    """Return the engines that this machine has, and that know what is known (`mona_fault`)."""
    return ENGINES if mona_fault() is None else ("own",)


def unasked(asked: Collection[EngineName]) -> dict[EngineName, str]:
    """Return for each engine that is not among `asked` why it gives no answer."""
    reasons: dict[EngineName, str | None] = {"own": None, "mona": mona_fault()}
    return {name: why or NOT_ASKED for name, why in reasons.items() if name not in asked}
