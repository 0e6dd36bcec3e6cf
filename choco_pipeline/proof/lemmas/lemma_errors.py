"""What keeps a claim from following from others."""

from __future__ import annotations

from choco_pipeline.errors import ChocoError


class LemmaError(ChocoError):
    """A claim does not follow by the lemmas that it names, or it is not known whether it does; the message says why."""
