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
    """Return the least members of a set of natural numbers, ascending, at most `most` of them."""
    return list(islice(Numerals.of(a).members(), most))


@dataclass(frozen=True)
class Numerals:
    """The binary numerals of the members of a set, most significant digit first, without leading zeros."""

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
        """Yield the members whose first digits are those of `number`, and len(able) - 1 digits follow."""
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
    """Return ascending numbers as text, three or more in a row by the first and the last."""
    rows: list[list[int]] = []
    for member in members:
        if rows and rows[-1][-1] == member - 1:
            rows[-1].append(member)
        else:
            rows.append([member])
    return ", ".join(
        f"{row[0]}, …, {row[-1]}" if len(row) > 2 else ", ".join(map(str, row)) for row in rows
    )


# ---- Regular expressions.


@dataclass(frozen=True)
class _Union:
    """Any of the parts; without parts, nothing."""

    parts: tuple[_Expression, ...]


@dataclass(frozen=True)
class _Word:
    """The parts one after the other; without parts, the empty word."""

    parts: tuple[_Expression, ...]


@dataclass(frozen=True)
class _Star:
    """Any number of times the part."""

    part: _Expression


_Expression = str | _Union | _Word | _Star

_NOTHING = _Union(())
_EMPTY = _Word(())


def expression(numerals: Numerals) -> str:
    """Return a regular expression for numerals, of ``0 1 | * ? ( )`` and ``[01]`` for either digit.

    States are eliminated one after the other. Raises `LimitError` if it has more than `MOST_LETTERS` letters.
    """
    delta, accepting = numerals.delta, numerals.accepting
    end = len(accepting)
    edges: dict[int, dict[int, _Expression]] = {state: {} for state in range(end + 1)}
    for state in range(end):
        for digit in (0, 1):
            after = int(delta[state, digit])
            edges[state][after] = _union(edges[state].get(after, _NOTHING), str(digit))
        if accepting[state]:
            edges[state][end] = _EMPTY
    begin = end + 1
    edges[begin] = {numerals.leading: "1"}
    left = set(range(end))
    while left:
        state = min(left, key=lambda s: (_weight(edges, s), s))
        left.remove(state)
        out = edges.pop(state)
        loop = _star(out.pop(state, _NOTHING))
        for others in edges.values():
            arriving = others.pop(state, None)
            if arriving is None:
                continue
            for after, leaving in out.items():
                path = _word(arriving, loop, leaving)
                if (letters := len(_text(path))) > MOST_LETTERS:
                    raise LimitError(
                        f"a regular expression of {letters} letters: at most {MOST_LETTERS}"
                    )
                others[after] = _union(others.get(after, _NOTHING), path)
    whole = edges[begin].get(end, _NOTHING)
    return _text(_union("0", whole) if numerals.has_zero else whole)


def _weight(edges: dict[int, dict[int, _Expression]], state: int) -> int:
    """Estimate the number of letters that the elimination of a state adds."""
    arriving = [len(_text(out[state])) for s, out in edges.items() if s != state and state in out]
    leaving = [len(_text(part)) for after, part in edges[state].items() if after != state]
    loop = len(_text(edges[state].get(state, _EMPTY)))
    return (
        sum(arriving) * max(len(leaving) - 1, 0)
        + sum(leaving) * max(len(arriving) - 1, 0)
        + loop * max(len(arriving) * len(leaving) - 1, 0)
    )


def _union(*parts: _Expression) -> _Expression:
    choices: dict[_Expression, None] = {}
    for part in parts:
        choices.update(dict.fromkeys(part.parts if isinstance(part, _Union) else (part,)))
    if _EMPTY in choices and any(isinstance(part, _Star) for part in choices):
        del choices[_EMPTY]
    for rest in list(choices):
        for longer in list(choices):
            joined = _repeated(rest, longer)
            if joined is not None and rest in choices and longer in choices:
                del choices[rest], choices[longer]
                return _union(*choices, joined)
    kept = tuple(choices)
    return kept[0] if len(kept) == 1 else _Union(kept)


def _repeated(rest: _Expression, longer: _Expression) -> _Expression | None:
    """Return x* rest for rest and x x* rest, and rest x* for rest and rest x x*."""
    tail, whole = _parts(rest), _parts(longer)
    more = len(whole) - len(tail)
    if more < 2:
        return None
    if whole[more:] == tail and (star := _star_of(whole[:more])) is not None:
        return _word(star, rest)
    if whole[: len(tail)] == tail and (star := _star_of(whole[len(tail) :])) is not None:
        return _word(rest, star)
    return None


def _star_of(parts: tuple[_Expression, ...]) -> _Star | None:
    """Return x* of x x* or x* x."""
    for star, once in ((parts[-1], parts[:-1]), (parts[0], parts[1:])):
        if isinstance(star, _Star) and star.part == _word(*once):
            return star
    return None


def _parts(part: _Expression) -> tuple[_Expression, ...]:
    return part.parts if isinstance(part, _Word) else (part,)


def _word(*parts: _Expression) -> _Expression:
    word: list[_Expression] = []
    for part in parts:
        if part == _NOTHING:
            return _NOTHING
        word += part.parts if isinstance(part, _Word) else (part,)
    return word[0] if len(word) == 1 else _Word(tuple(word))


def _star(part: _Expression) -> _Expression:
    match part:
        case _Union(parts):
            kept = tuple(p.part if isinstance(p, _Star) else p for p in parts if p != _EMPTY)
            if not kept:
                return _EMPTY
            return _Star(kept[0] if len(kept) == 1 else _Union(kept))
        case _Star():
            return part
        case _ if part == _EMPTY:
            return _EMPTY
        case _:
            return _Star(part)


def _text(part: _Expression) -> str:
    match part:
        case _Union(parts):
            if set(parts) == {"0", "1"}:
                return "[01]"
            some = tuple(p for p in parts if p != _EMPTY)
            if some != parts:
                text = _text(_union(*some))
                return f"{text}?" if _is_letter(text) else f"({text})?"
            return "|".join(map(_text, parts)) or "∅"
        case _Word(parts):
            return "".join(_bracketed(p) for p in parts)
        case _Star(inner):
            text = _text(inner)
            return f"{text}*" if _is_letter(text) else f"({text})*"
        case _:
            return part


def _bracketed(part: _Expression) -> str:
    text = _text(part)
    open_union = isinstance(part, _Union) and _EMPTY not in part.parts and not _is_letter(text)
    return f"({text})" if open_union else text


def _is_letter(text: str) -> bool:
    return len(text) == 1 or text == "[01]"
