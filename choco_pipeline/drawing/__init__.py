"""Drawings of bars and heaps; `games.pictures` has the shapes of a position."""

from choco_pipeline.drawing.draw import svg_element, text_lines
from choco_pipeline.drawing.shapes import Boxes, Heaps, Passes, Plus, Shape, Squares

__all__ = ["Boxes", "Heaps", "Passes", "Plus", "Shape", "Squares", "svg_element", "text_lines"]
