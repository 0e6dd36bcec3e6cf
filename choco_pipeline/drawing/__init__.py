"""Drawings of chocolate bars and heaps; the shapes of a position are in `games.pictures`."""

from choco_pipeline.drawing.draw import svg_element, text_lines
from choco_pipeline.drawing.shapes import Boxes, Heaps, Passes, Plus, Shape, Squares

__all__ = ["Boxes", "Heaps", "Passes", "Plus", "Shape", "Squares", "svg_element", "text_lines"]
