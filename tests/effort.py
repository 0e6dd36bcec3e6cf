"""How much is drawn: a third where a person waits for it, ten times as much where the slow tests run."""

from hypothesis import settings

#: Examples of a test that asks for no number: in the quick tests, with ``--all``, which are Hypothesis' own, and with ``--slow``.
FEW, USUAL, MANY = 34, 100, 1000


def examples(number: int) -> int:
    """Return how many examples a test draws that draws `number` with ``--all``, as every change is tested before it is kept.

    Twenty-five builds a run had not drawn the game whose table, when it was resumed, held wrong numbers.
    """
    return max(1, number * settings.default.max_examples // USUAL)
