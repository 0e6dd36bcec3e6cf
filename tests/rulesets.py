"""Hypothesis strategies: rulesets of every kind, with small bounds."""

from __future__ import annotations

from hypothesis import strategies as st

from choco_pipeline import (
    CutGame,
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


@st.composite
def cut_games(draw: st.DrawFn) -> CutGame:
    """Draw a game of one's own on up to three coordinates."""
    names = list("abc"[: draw(st.integers(1, 3))])
    limited = draw(st.lists(st.sampled_from(names), max_size=2, unique=True))
    free = [name for name in names if name not in limited] or ["2"]
    first, last = free[0], free[-1]
    heights = {
        name: draw(
            st.sampled_from(
                [3, f"{first}//2", f"({first}+{last}+1)//3", f"max({first}, {last})", f"2*{last}"]
            )
        )
        for name in limited
    }
    amounts = st.lists(st.integers(1, 4), min_size=1, max_size=3)
    at_most = [None, None, 2, f"({names[-1]}+1)//2", names[0], f"{names[0]}-{names[-1]}+1"]
    moves = [
        {
            "lower": lower,
            "by": draw(st.sampled_from(["any", "each", "same"]) | amounts),
            "clip": draw(st.booleans()),
            **({} if most is None else {"at_most": most}),
        }
        for lower, most in draw(
            st.lists(
                st.tuples(
                    st.lists(st.sampled_from(names), min_size=1, unique=True),
                    st.sampled_from(at_most),
                ),
                min_size=1,
                max_size=4,
            )
        )
    ]
    ends = draw(st.sampled_from([None, None, f"{names[0]} <= 1", f"{names[0]} == {names[-1]}+1"]))
    return CutGame(names, moves, heights, ends)
