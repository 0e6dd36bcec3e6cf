"""Tables: what they are, what they cost, how they are computed, stored and verified."""

from choco_pipeline.tables.compute import grundy_table, p_table

__all__ = ["grundy_table", "p_table"]
