"""Few patterns of digits that fit exactly the words of a set."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.report.digit_patterns import digit_patterns


def fitting(patterns, length):
    """Return the words of this length that one of the patterns fits."""
    return {
        word
        for word in map("".join, product("01", repeat=length))
        for pattern in patterns
        if all(p in ("*", digit) for p, digit in zip(pattern, word, strict=True))
    }


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_patterns_stand_for_exactly_the_words(length):
    every = list(map("".join, product("01", repeat=length)))
    for code in range(0, 1 << len(every), 1 if length < 4 else 97):
        words = {word for i, word in enumerate(every) if code >> i & 1}
        assert fitting(digit_patterns(words), length) == words
    assert digit_patterns(every) == ["*" * length]


@given(
    st.integers(0, 7).flatmap(lambda n: st.sets(st.text("01", min_size=n, max_size=n), min_size=1))
)
def test_patterns_of_longer_words_fit_them_and_no_others(words):
    patterns = digit_patterns(words)
    assert fitting(patterns, len(next(iter(words)))) == words
    assert len(patterns) <= len(words)
