"""A closed language of integer formulas and conditions: parsed by whitelist, exact, and fast on whole arrays."""

from choco_pipeline.formula.formula import Formula, parse
from choco_pipeline.formula.nodes import FormulaError

__all__ = ["Formula", "FormulaError", "parse"]
