"""Sets of binary words as few patterns, by the method of Quine and McCluskey.

Patterns that differ in one place are merged as long as possible. Then patterns are chosen, larger ones first, that match a
word which no earlier one matches. Together they match exactly the words. Labels of automata's arrows are written so, and the
states of a family's proof, whose digits are truths of predicates.
"""

from __future__ import annotations

from collections.abc import Collection


def digit_patterns(words: Collection[str]) -> list[str]:
    """Return patterns that match exactly these words of one length.

    ``*`` matches either digit.

    Examples
    --------
    >>> digit_patterns(["000", "110", "101", "011"])
    ['000', '011', '101', '110']
    >>> digit_patterns(["100", "110", "101", "111", "000"])
    ['*00', '1**']
    """
    left = set(words)
    patterns, grown = set(left), set(left)
    while grown:
        grown = {
            f"{word[:i]}*{word[i + 1 :]}"
            for word in grown
            for i, digit in enumerate(word)
            if digit == "0" and f"{word[:i]}1{word[i + 1 :]}" in grown
        }
        patterns |= grown
    chosen = []
    for pattern in sorted(patterns, key=lambda pattern: (-pattern.count("*"), pattern)):
        fitting = {
            word for word in left if all(p in ("*", d) for d, p in zip(word, pattern, strict=True))
        }
        if fitting:
            chosen.append(pattern)
            left -= fitting
    return sorted(chosen)
