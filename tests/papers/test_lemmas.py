"""The lemmas of docs/lemmas.md, on every option graph with six positions and on drawn ones.

A game is its option graph: options[v] are the positions that a move from v leads to, all of them smaller than v. Every
finite game is one of these, with its positions listed after their options. Nothing here uses the package.
"""

from __future__ import annotations

from functools import reduce
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

Graph = tuple[frozenset[int], ...]

SIX = 6


def mex(values):
    return next(n for n in range(len(values) + 1) if n not in values)


def grundy(graph):
    values: list[int] = []
    for options in graph:
        values.append(mex({values[v] for v in options}))
    return values


def with_passes(graph, passes):
    """Return [passes left][position]: the Grundy numbers if the players together may pass so often, but not from the end."""
    layers = [grundy(graph)]
    for _ in range(passes):
        before, here = layers[-1], list[int]()
        for v, options in enumerate(graph):
            values = {here[u] for u in options}
            here.append(mex(values | {before[v]} if options else values))
        layers.append(here)
    return layers


def graphs(positions):
    """Return every option graph with so many positions."""
    subsets = [
        [frozenset(v for v in range(n) if bits >> v & 1) for bits in range(1 << n)]
        for n in range(positions)
    ]
    return list(product(*subsets))


drawn = st.integers(1, 24).flatmap(
    lambda n: st.tuples(
        *(st.frozensets(st.integers(0, v - 1)) if v else st.just(frozenset()) for v in range(n))
    )
)


def mu(value):
    """Return 0 for 0, and exchange 1 with 2, 3 with 4, and so on."""
    return value if value == 0 else value + 1 if value % 2 else value - 1


def check_one_pass(graph):
    """Whether the hypothesis of the lemma on one pass holds; if it does, the lemma must."""
    without, with_one = with_passes(graph, 1)
    if any(value == 0 and options for value, options in zip(without, graph, strict=True)):
        return False
    assert with_one == [mu(value) for value in without], graph
    return True


def check_two_more_passes(graph):
    layers = with_passes(graph, 5)
    for r in range(4):
        assert layers[r + 2] == layers[r], (graph, r)


def check_free_heap(graph, passes):
    """A heap beside a game, with passes on both: P if and only if the heap is the game's Grundy number with as many passes."""
    layers = with_passes(graph, passes)
    most = max(map(max, layers)) + 1
    is_p: dict[tuple[int, int, int], bool] = {}
    for left, (v, options), heap in product(range(passes + 1), enumerate(graph), range(most + 1)):
        moves = [(left, u, heap) for u in options] + [(left, v, h) for h in range(heap)]
        if moves and left:
            moves.append((left - 1, v, heap))
        is_p[left, v, heap] = not any(is_p[move] for move in moves)
        assert is_p[left, v, heap] == (heap == layers[left][v]), (graph, left, v, heap)


def check_sum(first, second):
    """Sprague and Grundy: the Grundy number of a sum is the nim-sum of those of its parts."""
    values: dict[tuple[int, int], int] = {}
    a, b = grundy(first), grundy(second)
    for (v, to), (w, on) in product(enumerate(first), enumerate(second)):
        values[v, w] = mex({values[u, w] for u in to} | {values[v, u] for u in on})
        assert values[v, w] == a[v] ^ b[w], (first, second, v, w)


def test_one_pass_on_all_graphs():
    spoken_of = [graph for graph in graphs(SIX) if check_one_pass(graph)]
    assert len(spoken_of) == sum(map(has_an_end_in_reach, graphs(SIX))) > 1000


def has_an_end_in_reach(graph):
    """Whether each position with options has one without: the hypothesis in other words."""
    ends = {v for v, options in enumerate(graph) if not options}
    return all(options & ends for options in graph if options)


@given(drawn)
def test_one_pass_on_drawn_graphs(graph):
    ends = {v for v, options in enumerate(graph) if not options}
    assert check_one_pass(
        tuple(options | {0} if options and not options & ends else options for options in graph)
    )


def test_one_pass_needs_its_hypothesis():
    """In a chain of three positions the last has value 0 and a move, and with one pass the values are not exchanged."""
    chain = (frozenset[int](), frozenset({0}), frozenset({1}))
    without, with_one = with_passes(chain, 1)
    assert without == [0, 1, 0]
    assert with_one != [mu(value) for value in without]


@pytest.mark.full
def test_two_more_passes_on_all_graphs():
    for graph in graphs(SIX):
        check_two_more_passes(graph)


@given(drawn)
def test_two_more_passes_on_drawn_graphs(graph):
    check_two_more_passes(graph)


@pytest.mark.full
def test_a_free_heap_on_all_graphs():
    for graph in graphs(SIX):
        check_free_heap(graph, 1)
    for graph in graphs(SIX - 1):
        check_free_heap(graph, 2)


@given(drawn, st.integers(0, 4))
def test_a_free_heap_on_drawn_graphs(graph, passes):
    check_free_heap(graph, passes)


def test_sums_of_all_small_graphs():
    small = graphs(4)
    for first, second in product(small, small):
        check_sum(first, second)


@given(drawn, drawn)
def test_sums_of_drawn_graphs(first, second):
    check_sum(first, second)


def test_all_graphs_are_tried():
    assert len(graphs(SIX)) == reduce(lambda n, v: n << v, range(SIX), 1) == 32_768
