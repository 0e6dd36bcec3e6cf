"""How much is drawn: ten times as much where the slow tests run."""

from hypothesis import settings

#: Examples of a test that asks for no number: Hypothesis' own, and with ``--slow``.
USUAL, MANY = 100, 1000


def examples(number: int) -> int:
    """Return how many examples a test draws that draws `number` in every run of the tests.

    Twenty-five builds a run had not drawn the game whose table, when it was resumed, held wrong numbers.
    """
    return number * settings.default.max_examples // USUAL
