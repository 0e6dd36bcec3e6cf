"""Positions drawn as the chocolate they are."""

from choco_pipeline.drawing.draw import draw_svg, draw_text

__all__ = ["draw_svg", "draw_text"]
