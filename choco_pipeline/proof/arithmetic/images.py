"""Text for recognisable sets of natural numbers."""

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
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.math_text import MOST_SHIFT, ShiftedPowers
from choco_pipeline.proof.arithmetic.engine import automaton_of
from choco_pipeline.proof.arithmetic.terms import condition

#: Limit of listed members, for finite sets and for exceptions.
MOST_LISTED = 64


def describe(a: Automaton) -> str:
    """Return a set of natural numbers as text.

    The text is a list of the members, "all natural numbers", or the numbers 2^n − c, the last two perhaps with a list of exceptions.
    Otherwise it has the number of states. Raises `AutomatonError` unless there is exactly one track.

    Examples
    --------
    >>> from choco_pipeline.formula import parse
    >>> print(describe(automaton_of(condition(parse("v == 1 or (v+2) & (v+1) == 0")), {})))
    {2^n − 2 : n ≥ 1} ∪ {1}
    >>> print(describe(automaton_of(condition(parse("v % 4 == 2")), {})))
    the numbers that an automaton of 4 states accepts
    """
    listed = Numerals.of(a).listed()
    if listed is not None:
        return _set(listed)
    missing = Numerals.of(complement(a)).listed()
    if missing is not None:
        return "all natural numbers" + (f" except {_list(missing)}" if missing else "")
    known = _by_powers(a)
    if known is not None:
        return known
    return f"the numbers that an automaton of {a.states} states accepts"


def first_members(a: Automaton, most: int = 12) -> list[int]:
    """Return the least members of a set of natural numbers, at most `most`."""
    return list(islice(Numerals.of(a).members(), most))


@dataclass(frozen=True)
class Numerals:
    """Automaton of a set of numbers that reads the most significant digit first."""

    #: The minimal automaton of the binary numerals of members, perhaps with leading zeros. The start state is 0.
    delta: NDArray[np.int32]
    accepting: NDArray[np.bool_]

    @classmethod
    def of(cls, a: Automaton) -> Numerals:
        """Reverse an automaton that reads the least significant digit first."""
        if len(a.tracks) != 1:
            raise AutomatonError(f"a set of numbers has one track, this has {len(a.tracks)}")
        sources = [[a.delta[:, digit] == state for state in range(a.states)] for digit in (0, 1)]
        sets = [np.flatnonzero(a.accepting)]
        number = {sets[0].tobytes(): 0}
        rows = []
        for reached in sets:
            row = []
            for digit in (0, 1):
                before = np.zeros(a.states, np.bool_)
                for state in reached:
                    before |= sources[digit][state]
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
        """Return all members, or None if there are more than `MOST_LISTED`."""
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
        """Return a mask of the states with a successor in `able`."""
        before: NDArray[np.bool_] = np.logical_or(able[self.delta[:, 0]], able[self.delta[:, 1]])
        return before

    def _completed(self, number: int, state: int, able: list[NDArray[np.bool_]]) -> Iterator[int]:
        """Yield members whose numerals extend `number` by ``len(able) - 1`` digits."""
        if not able[-1][state]:
            return
        if len(able) == 1:
            yield number
            return
        for digit in (0, 1):
            yield from self._completed(2 * number + digit, int(self.delta[state, digit]), able[:-1])


def _by_powers(a: Automaton) -> str | None:
    """Return the set as numbers 2^n-c with few exceptions; None if impossible."""
    (track,) = a.tracks
    forms: list[tuple[int, str]] = []
    for shift in sorted(range(-MOST_SHIFT, MOST_SHIFT + 1), key=lambda c: (abs(c), -c)):
        is_power = parse(ShiftedPowers(shift, 0).condition)
        powers = automaton_of(condition(is_power, {"v": track}), {})
        more = Numerals.of(conjunction(a, complement(powers))).listed()
        fewer = Numerals.of(conjunction(powers, complement(a))).listed()
        if more is None or fewer is None:
            continue
        # Missing first members are not exceptions: they increase the first n.
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
    """Return ascending numbers as text; abbreviate three or more consecutive ones."""
    rows: list[list[int]] = []
    for member in members:
        if rows and rows[-1][-1] == member - 1:
            rows[-1].append(member)
        else:
            rows.append([member])
    return ", ".join(
        f"{row[0]}, …, {row[-1]}" if len(row) > 2 else ", ".join(map(str, row)) for row in rows
    )
