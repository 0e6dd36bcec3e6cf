"""Hypothesis strategies: rulesets of every kind, with a bound small enough for their definition."""

from __future__ import annotations

from hypothesis import strategies as st

from choco_pipeline import (
    DisjunctiveSum,
    Nim,
    RectangularBar,
    Ruleset,
    SolidBar,
    StepBar,
    StripBar,
    WithPass,
)

HEIGHTS = [
    "(x+z)//k",
    "(z+s)//k",
    "max(x, z)//k",
    "min(x, z)+s",
    "(x+2*z+s)//(k+1)",
    "x//k+z//2",
    "s",
    "x//2*2+(z >> 1)",
]

step_bars = st.builds(StepBar, k=st.integers(1, 6), s=st.integers(0, 9))
strip_bars = st.builds(StripBar, k=st.integers(1, 5), s=st.integers(0, 7))


@st.composite
def solid_bars(draw: st.DrawFn) -> SolidBar:
    text = draw(st.sampled_from(HEIGHTS))
    k, s = draw(st.integers(1, 5)), draw(st.integers(0, 3))
    return SolidBar(text.replace("k", str(k)).replace("s", str(s)))


plain = st.one_of(
    step_bars,
    strip_bars,
    solid_bars(),
    st.builds(RectangularBar, m=st.integers(1, 4), n=st.integers(1, 4)),
    st.builds(Nim, heaps=st.integers(1, 4)),
    st.builds(DisjunctiveSum, step_bars, st.builds(Nim, heaps=st.just(1))),
)


@st.composite
def rulesets(draw: st.DrawFn) -> Ruleset:
    """Draw a ruleset, with up to three passes or none."""
    game: Ruleset = draw(plain)
    passes = draw(st.integers(0, 3))
    return WithPass(game, passes) if passes else game


@st.composite
def rulesets_with_bounds(draw: st.DrawFn) -> tuple[Ruleset, int]:
    """Draw a ruleset and a bound within which it has at most some thousand positions."""
    game = draw(rulesets())
    most = {1: 12, 2: 12, 3: 8, 4: 5, 5: 3}[min(5, len(game.coordinates))]
    return game, draw(st.integers(0, most))
