"""Minimisation of automata, with canonical numbering.

Idea: two states stay in one block until a word distinguishes them. Initially acceptance gives two blocks. A splitter is a block with
a symbol: it cuts each block that contains both states with a transition into the splitter and states without one. At the end the
blocks are the states of the minimal automaton. They are numbered breadth-first, symbols ascending.

Invariant: states that accept the same words are in one block, and every splitter that could still cut a block is on the stack. When a
block is cut, the smaller half becomes a new block, and only it is pushed: the cuts of the larger half follow from those of the whole
block and of the smaller half.

Cost: a state changes blocks at most log2(states) times, so O(symbols · states · log(states)) steps, and 17 bytes of memory for each
state and symbol.
Source: J. Hopcroft, An n log n algorithm for minimizing states in a finite automaton (1971).

The kernels of this file call no kernels of other files, because numba's cache notices changes in one file only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel

States = NDArray[np.int32]
Flags = NDArray[np.bool_]


def minimised(delta: States, accepting: Flags) -> tuple[States, Flags]:
    """Return the minimal automaton, numbered breadth-first, symbols ascending.

    `delta` has the shape (states, symbols), `accepting` the shape (states,). The start state is 0.
    """
    delta, accepting = numbered(delta, accepting)
    block, count = _coarsest_partition(delta, accepting)
    if count == len(accepting):
        return delta, accepting
    first = np.zeros(count, np.int32)
    first[block] = np.arange(len(accepting), dtype=np.int32)
    quotient = block[delta[first]]
    order = _breadth_first(quotient, block[0])
    return _renumbered(quotient, accepting[first], order)


def numbered(delta: States, accepting: Flags) -> tuple[States, Flags]:
    """Return the reachable part, numbered breadth-first, symbols ascending."""
    return _renumbered(delta, accepting, _breadth_first(delta, 0))


def _renumbered(delta: States, accepting: Flags, order: States) -> tuple[States, Flags]:
    number = np.full(len(accepting), -1, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[delta[order]], accepting[order]


@kernel
def _breadth_first(delta: States, start: int) -> States:
    states, symbols = delta.shape
    seen = np.zeros(states, np.bool_)
    order = np.empty(states, np.int32)
    order[0] = start
    seen[start] = True
    reached = 1
    i = 0
    while i < reached:
        for symbol in range(symbols):
            q = delta[order[i], symbol]
            if not seen[q]:
                seen[q] = True
                order[reached] = q
                reached += 1
        i += 1
    return order[:reached].copy()


@kernel
def _coarsest_partition(delta: States, accepting: Flags) -> tuple[States, int]:
    """Return the block of each state and the number of blocks (Hopcroft's algorithm)."""
    states, symbols = delta.shape

    # sources[symbol, begin[symbol, q] : begin[symbol, q + 1]] are the states with a transition to q.
    begin = np.zeros((symbols, states + 1), np.int32)
    sources = np.empty((symbols, states), np.int32)
    for p in range(states):
        for symbol in range(symbols):
            begin[symbol, delta[p, symbol] + 1] += 1
    for symbol in range(symbols):
        for q in range(states):
            begin[symbol, q + 1] += begin[symbol, q]
        filled = begin[symbol, :states].copy()
        for p in range(states):
            q = delta[p, symbol]
            sources[symbol, filled[q]] = p
            filled[q] += 1

    # Block b is members[lower[b] : upper[b]]; the first marked[b] of these are marked.
    members = np.empty(states, np.int32)
    place = np.empty(states, np.int32)
    block = np.zeros(states, np.int32)
    lower = np.zeros(states, np.int32)
    upper = np.zeros(states, np.int32)
    marked = np.zeros(states, np.int32)
    k = 0
    for wanted in (True, False):
        for p in range(states):
            if accepting[p] == wanted:
                members[k] = p
                place[p] = k
                k += 1
    yes = 0
    for p in range(states):
        yes += accepting[p]
    upper[0] = states
    if yes == 0 or yes == states:
        return block, 1
    upper[0] = yes
    lower[1] = yes
    upper[1] = states
    for p in range(states):
        if not accepting[p]:
            block[p] = 1
    blocks = 2

    # The splitters on the stack.
    is_pending = np.zeros((states, symbols), np.bool_)
    stack = np.empty(states * symbols, np.int64)
    depth = 0
    smaller = 0 if yes <= states - yes else 1
    for symbol in range(symbols):
        stack[depth] = smaller * symbols + symbol
        is_pending[smaller, symbol] = True
        depth += 1
    touched = np.empty(states, np.int32)
    incoming = np.empty(states, np.int32)
    while depth > 0:
        depth -= 1
        splitter = stack[depth] // symbols
        symbol = stack[depth] % symbols
        is_pending[splitter, symbol] = False

        # All sources are read before any is moved, because moving reorders the members.
        count = 0
        for j in range(lower[splitter], upper[splitter]):
            q = members[j]
            for r in range(begin[symbol, q], begin[symbol, q + 1]):
                incoming[count] = sources[symbol, r]
                count += 1
        touching = 0
        for j in range(count):
            p = incoming[j]
            b = block[p]
            if marked[b] == 0:
                touched[touching] = b
                touching += 1
            target = lower[b] + marked[b]
            other = members[target]
            members[place[p]] = other
            place[other] = place[p]
            members[target] = p
            place[p] = target
            marked[b] += 1

        for j in range(touching):
            b = touched[j]
            cut = lower[b] + marked[b]
            rest = upper[b] - cut
            half = marked[b]
            marked[b] = 0
            if rest == 0:
                continue
            # The smaller half is the new block: each state changes blocks at most log2(states) times.
            c = blocks
            blocks += 1
            if half <= rest:
                lower[c] = lower[b]
                upper[c] = cut
                lower[b] = cut
            else:
                lower[c] = cut
                upper[c] = upper[b]
                upper[b] = cut
            for r in range(lower[c], upper[c]):
                block[members[r]] = c
            for s in range(symbols):
                if not is_pending[c, s]:
                    is_pending[c, s] = True
                    stack[depth] = np.int64(c) * symbols + s
                    depth += 1
    return block, blocks
