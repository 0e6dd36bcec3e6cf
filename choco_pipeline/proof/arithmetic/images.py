"""Text for recognisable sets of natural numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice

from choco_pipeline.automata.algebra import complement, conjunction, least
from choco_pipeline.automata.arithmetic import linear
from choco_pipeline.automata.dfa import Automaton, AutomatonError
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
    if len(a.tracks) != 1:
        raise AutomatonError(f"a set of numbers has one track, this has {len(a.tracks)}")
    listed = _listed(a)
    if listed is not None:
        return _set(listed)
    missing = _listed(complement(a))
    if missing is not None:
        return "all natural numbers" + (f" except {_list(missing)}" if missing else "")
    known = _by_powers(a)
    if known is not None:
        return known
    return f"the numbers that an automaton of {a.states} states accepts"


def first_members(a: Automaton, most: int = 12) -> list[int]:
    """Return the least members of a set of natural numbers, at most `most`."""
    return list(islice(_members(a), most))


def _members(a: Automaton) -> Iterator[int]:
    """Yield the members, ascending."""
    while (first := least(a, a.tracks)) is not None:
        yield first[0]
        a = conjunction(a, linear({a.tracks[0]: 1}, -first[0], ">"))


def is_finite(a: Automaton) -> bool:
    """Whether a set of natural numbers is finite."""
    # Numbers that end in this state can be extended to a member with a later leading 1.
    able = leading = a.accepting[a.delta[:, 1]]
    for _ in range(a.states):
        able = leading | able[a.delta].any(axis=1)
    # They can be extended again and again, because so many steps repeat a state.
    for _ in range(a.states):
        able = able & able[a.delta].any(axis=1)
    return not able[0]


def _listed(a: Automaton) -> list[int] | None:
    """Return all members, or None if there are more than `MOST_LISTED`."""
    if not is_finite(a):
        return None
    members = first_members(a, MOST_LISTED + 1)
    return members if len(members) <= MOST_LISTED else None


def _by_powers(a: Automaton) -> str | None:
    """Return the set as numbers 2^n-c with few exceptions; None if impossible."""
    (track,) = a.tracks
    forms: list[tuple[int, str]] = []
    for shift in sorted(range(-MOST_SHIFT, MOST_SHIFT + 1), key=lambda c: (abs(c), -c)):
        is_power = parse(ShiftedPowers(shift, 0).condition)
        powers = automaton_of(condition(is_power, {"v": track}), {})
        more = _listed(conjunction(a, complement(powers)))
        fewer = _listed(conjunction(powers, complement(a)))
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
