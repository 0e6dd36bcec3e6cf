"""One obligation of a case: a finite control that reads digits, counters, and the search for an invariant of them.

Imports `families`.
"""
