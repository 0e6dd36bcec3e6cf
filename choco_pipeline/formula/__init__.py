"""Integer formulas and conditions, evaluated exactly or on arrays."""

from choco_pipeline.formula.formula import Formula, Range, parse, parse_range
from choco_pipeline.formula.nodes import FormulaError

__all__ = ["Formula", "FormulaError", "Range", "parse", "parse_range"]
