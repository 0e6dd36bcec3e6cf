"""Seconds that automata take, and how many states they have: `pytest benchmarks/bench_automata.py --benchmark-only`.

The whole is the sentence "the closed form holds the P-positions of the triangular bar, f = ⌊(x+z)/k⌋": k = 4m+3 has a
nim-sum (`triangular`, Theorem 7.3), k = 4m+1 one with x and z less by one. Compiling is excluded. The last benchmark
decides the obligations of many games.
"""

from math import inf

import numpy as np
import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.automata.algebra import (
    complement,
    conjunction,
    disjunction,
    exists,
    is_empty,
    renamed,
)
from choco_pipeline.automata.arithmetic import linear, nim_sum_is_zero
from choco_pipeline.automata.minimise import minimised
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.games.obligations import obligations, relation_name
from choco_pipeline.proof.games.prover import prove


def legal(k):
    return linear({"x": -1, "y": k, "z": -1}, 0, "<=")


def less(a, b):
    return linear({a: 1, b: -1}, 0, "<")


def closed_form(k):
    """Return (x−1)⊕y⊕(z−1)=0, or x⊕y⊕z=0 if k = 4m+3, at legal positions."""
    if k % 4 == 3:
        return conjunction(nim_sum_is_zero("x", "y", "z"), legal(k))
    # With a = x − 1 and b = z − 1; at x = 0 the −1 cancels only with the −1 at z = 0.
    before = conjunction(linear({"a": 1, "x": -1}, 1, "=="), linear({"b": 1, "z": -1}, 1, "=="))
    shifted = exists(conjunction(before, nim_sum_is_zero("a", "b", "y")), "a", "b")
    nothing = linear({"x": 1, "y": 1, "z": 1}, 0, "==")
    return conjunction(disjunction(shifted, nothing), legal(k))


def clipping_cut(k, relation, x, u, z):
    """Return the automata of a cut from x to u that lowers y to v = ⌊(u+z)/k⌋, of which u and v are to be projected."""
    height = conjunction(
        linear({"v": k, u: -1, z: -1}, 0, "<="), linear({"v": k, u: -1, z: -1}, k, ">")
    )
    lowered = exists(conjunction(height, renamed(relation, {x: u, "y": "v"})), "v")
    above = linear({u: 1, z: 1, "y": -k}, 0, "<")
    return conjunction(conjunction(lowered, above), less(u, x))


def options_in(k, relation, within):
    """Return the positions with an option in the relation; cuts are joined with `within` before they are projected."""
    found = exists(conjunction(less("v", "y"), renamed(relation, {"y": "v"})), "v")
    for x, u, z in (("x", "u", "z"), ("z", "w", "x")):
        kept = conjunction(less(u, x), renamed(relation, {x: u}))
        clipped = clipping_cut(k, relation, x, u, z)
        for cut in (kept, clipped):
            if within is not None:
                cut = conjunction(cut, within)
            found = disjunction(found, exists(cut, u))
    return found


def is_wrong(k, within):
    """Return whether some legal position is in the closed form and has an option in it, or neither."""
    relation = closed_form(k)
    options = options_in(k, relation, legal(k) if within == "positions" else None)
    neither = conjunction(complement(relation), complement(options))
    return not is_empty(conjunction(legal(k), disjunction(conjunction(relation, options), neither)))


@pytest.mark.parametrize("within", ["everything", "positions"])
@pytest.mark.parametrize("k", [21, 33, 61, 101])
def test_triangular(benchmark, k, within):
    assert not benchmark.pedantic(is_wrong, (k, within), rounds=3, warmup_rounds=1)


def note(benchmark, **states):
    benchmark.extra_info.update(states)
    most = max(states.values())
    benchmark.extra_info["million states per second"] = most / benchmark.stats.stats.min / 1e6


@pytest.mark.parametrize("k", [33, 61, 101])
def test_product(benchmark, k):
    a, b = clipping_cut(k, closed_form(k), "x", "u", "z"), legal(k)
    result = benchmark.pedantic(conjunction, (a, b), rounds=5, warmup_rounds=1)
    note(benchmark, left=a.states, right=b.states, result=result.states)


@pytest.mark.parametrize("k", [33, 61, 101])
def test_projection(benchmark, k):
    a = clipping_cut(k, closed_form(k), "x", "u", "z")
    result = benchmark.pedantic(exists, (a, "u"), rounds=5, warmup_rounds=1)
    note(benchmark, given=a.states, result=result.states)


@pytest.mark.parametrize("states", [10_000, 100_000, 1_000_000])
def test_minimisation(benchmark, states):
    """Minimise random transitions of eight symbols, half of the states being copies."""
    random = np.random.default_rng(0)
    half = states // 2
    delta = random.integers(0, states, (half, 8), np.int32)
    accepting = random.random(half) < 0.5
    twice = np.concatenate([delta, delta]), np.concatenate([accepting, accepting])
    least, _ = benchmark.pedantic(minimised, twice, rounds=3, warmup_rounds=1)
    note(benchmark, given=states, result=len(least))


CERTIFICATES = [
    ("step-bar(k=1)", "grundy"),
    *((f"step-bar(k=3, s={s})", "grundy") for s in range(3)),
    *((f"solid-bar(f=(x+z)//{k})", "p") for k in range(3, 65, 2)),
    *(
        (f"with-pass(strip-bar(k={k}, s={s}), passes=1)", "p")
        for k in range(2, 18, 2)
        for s in sorted({1, k // 2, k - 2, k - 1} - {0})
    ),
    *((f"solid-bar(f={f})", "p") for f in ("x+z", "z//2", "max(x, z)//2")),
]


@pytest.mark.parametrize(("game", "relation"), CERTIFICATES)
def test_obligations(benchmark, game, relation):
    """Decide the obligations of a game one after the other."""
    ruleset = parse_ruleset(game)
    proof = prove(ruleset, relation, inf)
    assert proof.status == "proved", proof.why
    relations = {relation_name(p): automaton for p, automaton in enumerate(proof.automata)}
    sentences = [obligation.sentence for obligation in obligations(ruleset, relation)]

    def decide():
        engine = Engine(relations)
        assert all(engine.is_valid(sentence) for sentence in sentences)

    benchmark.pedantic(decide, rounds=2)
