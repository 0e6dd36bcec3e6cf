"""How much is drawn: a third where a person waits for it, two thirds before each change, ten times as much by the slow tests."""

from hypothesis import settings

#: Examples of a test that asks for no number: in the quick tests, with ``--all``, by Hypothesis' own rule, and with ``--slow``.
FEW, SOME, USUAL, MANY = 34, 67, 100, 1000


def examples(number: int) -> int:
    """Return how many examples a test draws that would draw `number` where Hypothesis draws a hundred.

    Twenty-five builds a run had not drawn the game whose table, when it was resumed, held wrong numbers.
    """
    return max(1, number * settings.default.max_examples // USUAL)
