"""Number of Hypothesis examples in each tier."""

from hypothesis import settings

#: Default number of examples: quick tier, with ``--all``, Hypothesis' own default, with ``--slow``.
FEW, SOME, USUAL, MANY = 25, 40, 100, 1000


def examples(number: int) -> int:
    """Scale a number of examples, for the default of 100, to the current tier."""
    return max(1, number * settings.default.max_examples // USUAL)
