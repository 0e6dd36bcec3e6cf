"""Kernels of two constructions of automata: the product of two, and the subsets of one in which some digits are free.

Product: pairs of states are found breadth-first from the two starts, because few of all pairs are reachable. Where one state decides
the result alone, as a state that accepts nothing in a conjunction, all pairs with it are one. Cost: a look-up for each pair and symbol.

Subsets: with free digits of some coordinates, a word of the others leads to a set of states. These sets are the states of a
deterministic automaton. The free numbers may have more digits than the others, so a state also accepts if zeros of the others lead
to an accepting state. A set is looked up by the exclusive or of random numbers of its members, and then compared, so that a collision
costs time only. The state that accepts nothing is in no set, and one that accepts everything replaces all sets with it; otherwise most
sets would be large and different. Cost: each transition of each member of each set, under each choice of digits. There may be 2^states
sets, so the search has limits.

Invariant of both: pairs and sets with smaller numbers than the current one have all their successors, and no two are equal (a table
with open addressing finds their numbers).
Source: M. O. Rabin and D. Scott, Finite automata and their decision problems, IBM Journal of Research and Development 3 (1959).

The kernels of this file call no other file's: numba's cache, which watches one file, is then never out of date.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel

States = NDArray[np.int32]
Flags = NDArray[np.bool_]
Symbols = NDArray[np.int64]


@kernel
def reachable_pairs(
    left: States,
    left_symbols: Symbols,
    left_settles: int,
    right: States,
    right_symbols: Symbols,
    right_settles: int,
    most_states: int,
) -> tuple[States, States, States]:
    """Return the product automaton, found breadth-first, and the two states of each of its states.

    Each automaton has transitions of shape (states, its symbols), its symbol for each symbol of the product, and a state that is never
    left and decides the result alone, -1 for none. The search ends as soon as there are more than `most_states`; transitions are
    then missing.
    """
    symbols = len(left_symbols)
    width = np.int64(right.shape[0])
    capacity = 256
    pairs = np.empty(capacity, np.int64)
    delta = np.empty((capacity, symbols), np.int32)
    # Open addressing: a slot holds the number of a pair, or -1; at most half of the slots are taken.
    slots = np.full(4 * capacity, -1, np.int32)
    settled = np.int64(-1)
    if left_settles >= 0:
        settled = left_settles * width
    elif right_settles >= 0:
        settled = np.int64(right_settles)
    number = 0
    i = -1
    while i < number:
        for symbol in range(symbols if i >= 0 else 1):
            if i < 0:
                p = np.int64(0)
                q = np.int64(0)
            else:
                p = np.int64(left[pairs[i] // width, left_symbols[symbol]])
                q = np.int64(right[pairs[i] % width, right_symbols[symbol]])
            pair = p * width + q
            if p == left_settles or q == right_settles:
                pair = settled
            mask = len(slots) - 1
            hashed = np.uint64(pair) * np.uint64(0x9E3779B97F4A7C15)
            slot = np.int64(hashed >> np.uint64(32)) & mask
            while slots[slot] >= 0 and pairs[slots[slot]] != pair:
                slot = (slot + 1) & mask
            if slots[slot] < 0:
                if number == capacity:
                    capacity *= 2
                    more_pairs = np.empty(capacity, np.int64)
                    more_pairs[:number] = pairs
                    pairs = more_pairs
                    more_delta = np.empty((capacity, symbols), np.int32)
                    more_delta[:number] = delta
                    delta = more_delta
                    slots = np.full(4 * capacity, -1, np.int32)
                    mask = len(slots) - 1
                    for j in range(number):
                        again = np.uint64(pairs[j]) * np.uint64(0x9E3779B97F4A7C15)
                        place = np.int64(again >> np.uint64(32)) & mask
                        while slots[place] >= 0:
                            place = (place + 1) & mask
                        slots[place] = j
                    slot = np.int64(hashed >> np.uint64(32)) & mask
                    while slots[slot] >= 0:
                        slot = (slot + 1) & mask
                pairs[number] = pair
                slots[slot] = number
                number += 1
            if i >= 0:
                delta[i, symbol] = slots[slot]
        i += 1
        if number > most_states:
            break
    reached = pairs[:number]
    return (
        delta[:number].copy(),
        (reached // width).astype(np.int32),
        (reached % width).astype(np.int32),
    )


@kernel
def able_to_accept(delta: States, symbols: Symbols, accepting: Flags) -> Flags:
    """Return the states that reach an accepting state by reading only these symbols."""
    states = delta.shape[0]
    begin = np.zeros(states + 1, np.int64)
    for p in range(states):
        for symbol in symbols:
            begin[delta[p, symbol] + 1] += 1
    for q in range(states):
        begin[q + 1] += begin[q]
    sources = np.empty(begin[states], np.int32)
    filled = begin[:states].copy()
    for p in range(states):
        for symbol in symbols:
            q = delta[p, symbol]
            sources[filled[q]] = p
            filled[q] += 1
    able = accepting.copy()
    stack = np.empty(states, np.int32)
    depth = 0
    for q in range(states):
        if able[q]:
            stack[depth] = q
            depth += 1
    while depth > 0:
        depth -= 1
        q = stack[depth]
        for j in range(begin[q], begin[q + 1]):
            p = sources[j]
            if not able[p]:
                able[p] = True
                stack[depth] = p
                depth += 1
    return able


@kernel
def reachable_sets(
    delta: States,
    choices: Symbols,
    accepting: Flags,
    dead: int,
    sure: int,
    signature: NDArray[np.uint64],
    most_states: int,
    most_members: int,
) -> tuple[States, Flags, bool]:
    """Return the subset construction, found breadth-first.

    Parameters
    ----------
    delta
        Transitions of a deterministic automaton, shape (states, symbols of its own).
    choices
        Its symbols for each symbol of the result, shape (symbols, choices).
    accepting
        Its states that make a set accept.
    dead, sure
        The state that accepts no word, which is left out of sets, and the state that accepts every word, which replaces its set; -1
        for none.
    signature
        Random numbers of the states.
    most_states, most_members
        Limits of sets, and of members in all sets together.

    Returns
    -------
    tuple
        Transitions of shape (sets, symbols), accepting, and whether the search was complete.
    """
    symbols, options = choices.shape
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
                if dead != 0:
                    fresh[0] = 0
                    seen[0] = stamp
                    key = signature[0]
                    size = 1
            else:
                for j in range(begin[i], begin[i + 1]):
                    for option in range(options):
                        q = delta[pool[j], choices[symbol, option]]
                        if seen[q] != stamp and q != dead:
                            seen[q] = stamp
                            fresh[size] = q
                            size += 1
                            key ^= signature[q]
                            if q == sure:
                                certain = True
                    if certain:
                        break
            if certain:
                fresh[0] = sure
                size = 1
                key = signature[sure]

            mask = len(slots) - 1
            slot = np.int64(key >> np.uint64(32)) & mask
            while slots[slot] >= 0:
                known = slots[slot]
                if keys[known] == key and begin[known + 1] - begin[known] == size:
                    # Equal sizes and no member that was not seen: the sets are equal, in whatever order.
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
                    more_after[:reached] = after
                    after = more_after
                    more_begin = np.zeros(capacity + 1, np.int64)
                    more_begin[: reached + 1] = begin
                    begin = more_begin
                    more_keys = np.empty(capacity, np.uint64)
                    more_keys[:reached] = keys
                    keys = more_keys
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
                    more_pool[:used] = pool[:used]
                    pool = more_pool
                pool[used : used + size] = fresh[:size]
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
