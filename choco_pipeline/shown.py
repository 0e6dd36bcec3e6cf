"""What notebooks show of games, proofs and statements; how each looks is in `choco_pipeline.notebook`, above them all."""

from __future__ import annotations

from importlib import import_module


class ShownInNotebook:
    """Something that a notebook shows as HTML."""

    def _repr_html_(self) -> str:
        html: str = import_module("choco_pipeline.notebook").html(self)
        return html
