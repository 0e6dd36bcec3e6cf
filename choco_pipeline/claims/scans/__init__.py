"""All cells of a large table compared with formulas in one loop of machine code, which counts failures.

Where the least failure is, and every error, is found by the array code of `checks` on a part of the cells.
"""
