"""Memory of small results: an operation on equal automata is done once.

Statements about one game, and about members of one family, have many equal parts whose variables have other names. An operation
depends on the order of tracks, and not on their names, so a key has places instead of names. Memory changes no result: what is
kept is minimal and uniquely numbered.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from choco_pipeline.automata.dfa import Automaton, Variable

#: Automata with more bytes are not kept; with more bytes in all, everything is forgotten.
MOST_BYTES_OF_ONE, MOST_BYTES = 1 << 14, 1 << 26

_results: dict[Hashable, Automaton] = {}
_bytes = 0


def remembered(
    make: Callable[[], Automaton],
    tracks: tuple[Variable, ...],
    key: Hashable,
    *given: Automaton,
) -> Automaton:
    """Return the automaton that `make` returns, on these tracks.

    The key has everything that it depends on, except the automata `given` to it.
    """
    global _bytes
    if sum(map(_size, given)) > MOST_BYTES_OF_ONE:
        return make()
    whole = (key, *(one.table for one in given))
    known = _results.get(whole)
    if known is None:
        known = make()
        size = _size(known) + sum(map(_size, given))
        if size > MOST_BYTES_OF_ONE:
            return known
        if _bytes + size > MOST_BYTES:
            _results.clear()
            _bytes = 0
        _results[whole] = known
        _bytes += size
    return known.on(tracks)


def _size(automaton: Automaton) -> int:
    return automaton.delta.nbytes + automaton.accepting.nbytes
