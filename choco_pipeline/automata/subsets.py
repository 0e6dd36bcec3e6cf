"""The subset construction, for projections and disjunctions.

Idea: if the digits of some coordinates are free, a word of the other coordinates leads to a set of states. If two automata read the
same word, it leads to a set of two states. These sets are the states of a deterministic automaton. For a projection, the caller must
close `accepting` under zeros of the other coordinates, because the free numbers may have more digits.

Invariant: sets are numbered breadth-first. The successors of all sets before the current one are known, and no two sets are equal. A
set is looked up by the exclusive or of hashes of its members, and then compared, so a collision only costs time. The state that
accepts nothing is left out of all sets. A state that accepts everything replaces each set that contains it. Otherwise most sets would
be large and different.

Cost: for each member of each set, its transitions for all choices of digits. There may be 2^states sets, so the search has limits.
Source: M. O. Rabin and D. Scott, Finite automata and their decision problems, IBM Journal of Research and Development 3 (1959).

The kernels of this file call no kernels of other files, because numba's cache notices changes in one file only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel

States = NDArray[np.int32]
Flags = NDArray[np.bool_]
Symbols = NDArray[np.int64]


@kernel
def reachable_sets(
    delta: States,
    starts: States,
    split: int,
    choices: Symbols,
    accepting: Flags,
    dead: int,
    sure: int,
    factor: int,
    most_states: int,
    most_members: int,
) -> tuple[States, Flags, bool]:
    """Return the automaton of reachable sets, numbered breadth-first.

    Parameters
    ----------
    delta
        Transitions of one or two deterministic automata, shape (states, symbols of these automata).
    starts
        The states of the start set.
    split
        The first state of the second automaton.
    choices
        The symbols of each automaton for each symbol of the result, shape (automata, symbols, choices).
    accepting
        A set accepts if one of these states is in it.
    dead, sure
        The state that accepts no word, left out of all sets, and the state that accepts every word, which replaces its set; -1 for
        none.
    factor
        Odd multiplier of the hash. With 0, all sets have the same hash.
    most_states, most_members
        Limits of sets, and of members in all sets together.

    Returns
    -------
    tuple
        Transitions of shape (sets, symbols), accepting sets, and whether the search was complete.
    """
    _, symbols, options = choices.shape
    mixed = np.uint64(factor)
    states = delta.shape[0]
    capacity = 256
    after = np.empty((capacity, symbols), np.int32)
    begin = np.zeros(capacity + 1, np.int64)
    keys = np.empty(capacity, np.uint64)
    # Open addressing: a slot holds the number of a set, or -1; at most a quarter of the slots is taken.
    slots = np.full(4 * capacity, -1, np.int32)
    pool = np.empty(4096, np.int32)
    used = np.int64(0)
    reached = 0
    seen = np.zeros(states, np.int64)
    stamp = np.int64(0)
    fresh = np.empty(states, np.int32)
    i = -1
    while i < reached:
        for symbol in range(symbols if i >= 0 else 1):
            stamp += 1
            size = 0
            key = np.uint64(0)
            certain = False
            if i < 0:
                for q in starts:
                    if q != dead:
                        fresh[size] = q
                        seen[q] = stamp
                        size += 1
                        hashed = (np.uint64(q) + np.uint64(1)) * mixed
                        key ^= (hashed ^ (hashed >> np.uint64(29))) * mixed
                    if q == sure:
                        certain = True
            else:
                for j in range(begin[i], begin[i + 1]):
                    part = 1 if pool[j] >= split else 0
                    for option in range(options):
                        q = delta[pool[j], choices[part, symbol, option]]
                        if seen[q] != stamp and q != dead:
                            seen[q] = stamp
                            fresh[size] = q
                            size += 1
                            hashed = (np.uint64(q) + np.uint64(1)) * mixed
                            key ^= (hashed ^ (hashed >> np.uint64(29))) * mixed
                            if q == sure:
                                certain = True
                    if certain:
                        break
            if certain:
                fresh[0] = sure
                size = 1
                key = np.uint64(sure) * mixed

            mask = len(slots) - 1
            slot = np.int64(key >> np.uint64(32)) & mask
            while slots[slot] >= 0:
                known = slots[slot]
                if keys[known] == key and begin[known + 1] - begin[known] == size:
                    # Equal sizes and no new member: the sets are equal, because their order is irrelevant.
                    same = True
                    if certain:
                        same = pool[begin[known]] == sure
                    else:
                        for j in range(begin[known], begin[known + 1]):
                            if seen[pool[j]] != stamp:
                                same = False
                                break
                    if same:
                        break
                slot = (slot + 1) & mask
            if slots[slot] < 0:
                if reached == capacity:
                    capacity *= 2
                    more_after = np.empty((capacity, symbols), np.int32)
                    more_begin = np.zeros(capacity + 1, np.int64)
                    more_keys = np.empty(capacity, np.uint64)
                    for j in range(reached):
                        for k in range(symbols):
                            more_after[j, k] = after[j, k]
                        more_begin[j + 1] = begin[j + 1]
                        more_keys[j] = keys[j]
                    after, begin, keys = more_after, more_begin, more_keys
                    slots = np.full(4 * capacity, -1, np.int32)
                    mask = len(slots) - 1
                    for j in range(reached):
                        place = np.int64(keys[j] >> np.uint64(32)) & mask
                        while slots[place] >= 0:
                            place = (place + 1) & mask
                        slots[place] = j
                    slot = np.int64(key >> np.uint64(32)) & mask
                    while slots[slot] >= 0:
                        slot = (slot + 1) & mask
                if used + size > len(pool):
                    more_pool = np.empty(2 * (used + size), np.int32)
                    for j in range(used):
                        more_pool[j] = pool[j]
                    pool = more_pool
                for j in range(size):
                    pool[used + j] = fresh[j]
                used += size
                begin[reached + 1] = used
                keys[reached] = key
                slots[slot] = reached
                reached += 1
            if i >= 0:
                after[i, symbol] = slots[slot]
        i += 1
        if reached > most_states or used > most_members:
            break
    accepts = np.zeros(reached, np.bool_)
    for k in range(reached):
        for j in range(begin[k], begin[k + 1]):
            if accepting[pool[j]]:
                accepts[k] = True
                break
    return after[:reached].copy(), accepts, i == reached
