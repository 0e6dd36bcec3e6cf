"""Regular expressions of automata that read binary digits, by eliminating one state after the other.

References
----------
J. A. Brzozowski and E. J. McCluskey, Signal flow graph techniques for sequential circuit state diagrams, 1963.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.errors import LimitError

#: Expressions grow with every state that is eliminated; longer ones are of no use to a reader.
MOST_LETTERS = 2000


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


def expression(
    delta: NDArray[np.int32], accepting: NDArray[np.bool_], start: int, *, has_zero: bool
) -> str:
    """Return a regular expression for binary numerals without leading zeros, of ``0 1 | * ? ( )`` and ``[01]`` for either digit.

    `delta` and `accepting`, of shapes (states, 2) and (states,), read digits, most significant first; `start` is the state after
    the leading 1, and `has_zero` says whether the numeral 0 belongs to them. Raises `LimitError` if it has more than
    `MOST_LETTERS` letters.
    """
    end = len(accepting)
    edges: dict[int, dict[int, _Expression]] = {state: {} for state in range(end + 1)}
    for state in range(end):
        for digit in (0, 1):
            after = int(delta[state, digit])
            edges[state][after] = _union(edges[state].get(after, _NOTHING), str(digit))
        if accepting[state]:
            edges[state][end] = _EMPTY
    begin = end + 1
    edges[begin] = {start: "1"}
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
                _require_short(path)
                others[after] = _union(others.get(after, _NOTHING), path)
    whole = edges[begin].get(end, _NOTHING)
    return _text(_union("0", whole) if has_zero else whole)


def _require_short(part: _Expression) -> None:
    letters = len(_text(part))
    if letters > MOST_LETTERS:
        raise LimitError(f"a regular expression of {letters} letters: at most {MOST_LETTERS}")


def _weight(edges: dict[int, dict[int, _Expression]], state: int) -> int:
    """Return about how many letters the elimination of a state adds."""
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
