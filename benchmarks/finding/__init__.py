"""What the search for statements finds of what is known, and what it says that is not so.

`formulas`, `games` and all of `reading…` import nothing of the package: they judge what it says.
"""
