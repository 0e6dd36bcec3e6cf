"""Recognisable sets of numbers as text: lists, forms, regular expressions.

References
----------
J. A. Brzozowski and E. J. McCluskey, Signal flow graph techniques for sequential circuit state diagrams, 1963.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.automata.algebra import complement, conjunction
from choco_pipeline.automata.dfa import Automaton, AutomatonError
from choco_pipeline.automata.minimise import minimised
from choco_pipeline.errors import LimitError
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.shifted_powers import MOST_SHIFT, ShiftedPowers
from choco_pipeline.proof.arithmetic.engine import automaton_of
from choco_pipeline.proof.arithmetic.terms import condition

#: Finite sets, and exceptions to a form, are listed up to this number of members.
MOST_LISTED = 64
#: Letters of a regular expression that a reader can use.
MOST_LETTERS = 2000


def describe(a: Automaton) -> str:
    """Return a set of natural numbers as text.

    The text is a list; all numbers, perhaps except a few; the numbers 2^n − c, perhaps with a few more or fewer; or a
    regular expression for the binary digits of the members, most significant first. Raises `AutomatonError` if there is not
    one track.

    Examples
    --------
    >>> from choco_pipeline.formula import parse
    >>> print(describe(automaton_of(condition(parse("v == 1 or (v+2) & (v+1) == 0")), {})))
    {2^n − 2 : n ≥ 1} ∪ {1}
    >>> print(describe(automaton_of(condition(parse("v % 4 == 2")), {})))
    in base 2: 1(0*1)*0
    """
    numerals = Numerals.of(a)
    listed = numerals.listed()
    if listed is not None:
        return _set(listed)
    missing = Numerals.of(complement(a)).listed()
    if missing is not None:
        return "all natural numbers" + (f" except {_list(missing)}" if missing else "")
    known = _by_powers(a)
    if known is not None:
        return known
    try:
        return f"in base 2: {expression(numerals)}"
    except LimitError:
        return f"the numbers that an automaton of {a.states} states accepts"


def first_members(a: Automaton, most: int = 12) -> list[int]:
    """Return the least members of a set of natural numbers, at most `most`."""
    return list(islice(Numerals.of(a).members(), most))


@dataclass(frozen=True)
class Numerals:
    """Binary numerals of a set's members, most significant digit first."""

    #: The least automaton of the words that are the digits of a member after leading zeros; state 0 is the start.
    delta: NDArray[np.int32]
    accepting: NDArray[np.bool_]

    @classmethod
    def of(cls, a: Automaton) -> Numerals:
        """Return the numerals of a set, whose automaton reads them from the other end."""
        if len(a.tracks) != 1:
            raise AutomatonError(f"a set of numbers has one track, this has {len(a.tracks)}")
        came = [[a.delta[:, digit] == state for state in range(a.states)] for digit in (0, 1)]
        sets = [np.flatnonzero(a.accepting)]
        number = {sets[0].tobytes(): 0}
        rows = []
        for reached in sets:
            row = []
            for digit in (0, 1):
                before = np.zeros(a.states, np.bool_)
                for state in reached:
                    before |= came[digit][state]
                key = np.flatnonzero(before)
                if key.tobytes() not in number:
                    number[key.tobytes()] = len(sets)
                    sets.append(key)
                row.append(number[key.tobytes()])
            rows.append(row)
        accepting = np.array([0 in reached for reached in sets])
        return cls(*minimised(np.array(rows, np.int32), accepting))

    @property
    def has_zero(self) -> bool:
        """Whether 0 is a member."""
        return bool(self.accepting[0])

    @property
    def leading(self) -> int:
        """The state after the leading 1."""
        return int(self.delta[0, 1])

    @cached_property
    def is_finite(self) -> bool:
        """Whether the set is finite."""
        states = len(self.accepting)
        able: NDArray[np.bool_] = self.accepting
        for left in range(2 * states + 1):
            if left > states and able[self.leading]:
                return False
            able = self._before(able)
        return True

    def listed(self) -> list[int] | None:
        """Return all members, if there are at most `MOST_LISTED`."""
        if not self.is_finite:
            return None
        members = list(islice(self.members(), MOST_LISTED + 1))
        return members if len(members) <= MOST_LISTED else None

    def members(self) -> Iterator[int]:
        """Yield the members, ascending."""
        if self.has_zero:
            yield 0
        able = [self.accepting]
        while not self.is_finite or len(able) <= len(self.accepting) + 1:
            yield from self._completed(1, self.leading, able)
            able.append(self._before(able[-1]))

    def _before(self, able: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return from which states one digit leads to where `able` is true."""
        before: NDArray[np.bool_] = np.logical_or(able[self.delta[:, 0]], able[self.delta[:, 1]])
        return before

    def _completed(self, number: int, state: int, able: list[NDArray[np.bool_]]) -> Iterator[int]:
        """Yield members that continue `number` by len(able) - 1 digits."""
        if not able[-1][state]:
            return
        if len(able) == 1:
            yield number
            return
        for digit in (0, 1):
            yield from self._completed(2 * number + digit, int(self.delta[state, digit]), able[:-1])


def _by_powers(a: Automaton) -> str | None:
    """Return the set as numbers 2^n-c, but for a few; None if it is not of this form."""
    (track,) = a.tracks
    forms: list[tuple[int, str]] = []
    for shift in sorted(range(-MOST_SHIFT, MOST_SHIFT + 1), key=lambda c: (abs(c), -c)):
        is_power = parse(ShiftedPowers(shift, 0).condition)
        powers = automaton_of(condition(is_power, {"v": track}), {})
        more = Numerals.of(conjunction(a, complement(powers))).listed()
        fewer = Numerals.of(conjunction(powers, complement(a))).listed()
        if more is None or fewer is None:
            continue
        # The first n: members that are missing before all others only say where n begins.
        start = next(n for n in count() if (1 << n) >= shift)
        while (1 << start) - shift in fewer:
            fewer.remove((1 << start) - shift)
            start += 1
        text = ShiftedPowers(shift, start).text
        text += f" ∪ {_set(more)}" if more else ""
        text += f" except {_list(fewer)}" if fewer else ""
        forms.append((len(more) + len(fewer), text))
    return min(forms, key=lambda pair: pair[0])[1] if forms else None


def _set(members: list[int]) -> str:
    return f"{{{_list(members)}}}"


def _list(members: list[int]) -> str:
    """Return ascending numbers as text; rows of three or more are shortened."""
    rows: list[list[int]] = []
    for member in members:
        if rows and rows[-1][-1] == member - 1:
            rows[-1].append(member)
        else:
            rows.append([member])
    return ", ".join(
        f"{row[0]}, …, {row[-1]}" if len(row) > 2 else ", ".join(map(str, row)) for row in rows
    )


# ---- Regular expressions: a set of words is a union, and no word has a bar outside of brackets.


def expression(numerals: Numerals) -> str:
    """Return a regular expression for numerals, with ``[01]`` for either digit.

    States are eliminated one after the other, those with the shortest paths first. Raises `LimitError` if it has more than
    `MOST_LETTERS` letters.
    """
    end = len(numerals.accepting)
    begin = end + 1
    paths: dict[tuple[int, int], frozenset[str]] = {(begin, numerals.leading): frozenset("1")}
    for state, row in enumerate(numerals.delta.tolist()):
        for digit, after in enumerate(row):
            paths[state, after] = _union(paths.get((state, after), frozenset()), str(digit))
        if numerals.accepting[state]:
            paths[state, end] = frozenset({""})

    def around(state: int) -> list[tuple[tuple[int, int], str]]:
        """Return the paths that lead past a state instead of through it."""
        loop = _star(paths.get((state, state), frozenset()))
        before = [(p, _group(words)) for (p, q), words in paths.items() if q == state != p]
        after = [(q, _group(words)) for (p, q), words in paths.items() if p == state != q]
        return [((p, q), way + loop + rest) for p, way in before for q, rest in after]

    left = set(range(end))
    while left:
        state = min(left, key=lambda s: (sum(len(word) for _, word in around(s)), s))
        left.remove(state)
        found = around(state)
        paths = {ends: words for ends, words in paths.items() if state not in ends}
        for ends, word in found:
            if len(word) > MOST_LETTERS:
                raise LimitError(
                    f"a regular expression of {len(word)} letters: at most {MOST_LETTERS}"
                )
            paths[ends] = _union(paths.get(ends, frozenset()), word)
    words = paths.get((begin, end), frozenset())
    words = _union(words, "0") if numerals.has_zero else words
    text = _group(words) or "∅"
    return text[1:-1] if len(words) > 1 and text != "[01]" else text


def _union(words: frozenset[str], more: str) -> frozenset[str]:
    """Return words with one more; x x* y and y together are x* y."""
    for word in sorted(words):
        for longer, rest in ((more, word), (word, more)):
            repeated = longer[: len(longer) - len(rest)]
            for size in range(1, len(repeated)):
                star = _star(frozenset({repeated[:size]}))
                if longer == repeated[:size] + star + rest:
                    return _union(words - {word}, star + rest)
    return words | {more}


def _star(words: frozenset[str]) -> str:
    some = words - {""}
    text = _group(some)
    if not some:
        return ""
    return f"{text}*" if len(some) > 1 or len(text) == 1 else f"({text})*"


def _group(words: frozenset[str]) -> str:
    """Return a union as a part of a word."""
    some = sorted(words - {""}, key=lambda word: (len(word), word))
    if some[:2] == ["0", "1"]:
        some[:2] = ["[01]"]
    text = some[0] if len(some) == 1 else f"({'|'.join(some)})" if some else ""
    if "" not in words or not text:
        return text
    return f"{text}?" if len(some) > 1 or text in ("0", "1", "[01]") else f"({text})?"
