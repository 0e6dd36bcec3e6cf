"""The product of two automata: their reachable pairs of states.

Idea: pairs are found breadth-first from the two starts, because few of all pairs are reachable. Where one state decides the result
alone, as a state that accepts nothing in a conjunction, all pairs with it are one.

Invariant: pairs with smaller numbers than the current one have all their successors, and no two pairs are equal (a table with open
addressing finds their numbers).

Cost: a look-up for each pair and symbol; at most the product of the two numbers of states, and far less in proofs.
Source: M. O. Rabin and D. Scott, Finite automata and their decision problems, IBM Journal of Research and Development 3 (1959).

The kernels of this file call no other file's: numba's cache, which watches one file, is then never out of date.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel

States = NDArray[np.int32]
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
