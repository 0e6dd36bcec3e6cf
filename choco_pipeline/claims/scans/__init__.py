"""Fast scans: formulas compared with all cells of a large table.

A loop of machine code counts the failures. The array code of `checks` finds the least failure, and raises all errors, on a
part of the cells.
"""
