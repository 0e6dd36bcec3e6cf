"""Games of one's own for the tests: drawn ones with moves of every kind, and their true P-positions."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from choco_pipeline import CutGame, DisjunctiveSum, Nim, WithPass

HEIGHTS = ["a//2", "(a+1)//2", "a+1", "2", "max(a, 1)", "a//3*2", "a-a%2"]
TWO = ["(a+b)//2", "max(a, b)//2", "min(a, b)", "b", "a//2+b//2"]
MOST = ["2", "(a+1)//2", "max(a, b)-1", "a-1", "3-a"]
TAKEN = ["i", "2*i", "i+1", "j", "3-i", "1", "a-a//2", "i//2"]
WHERE = ["i < 3", "i%2 == 1", "i <= a//2", "i != 1", "i+b > 1"]
LEGAL = ["a != b", "a+b != 2", "a >= 1", "b <= a+2"]
ENDS = ["a+b <= 1", "a == b", "b > 2", "a % 2 == 1 or b == 0"]


@st.composite
def own_games(draw: st.DrawFn) -> CutGame:
    """Draw a game on two or three coordinates, with up to two heights and up to four kinds of moves, that sentences can say."""
    names = ["a", "b", "c"][: draw(st.integers(2, 3))]
    heights = {}
    if draw(st.booleans()):
        heights["b"] = draw(st.sampled_from(HEIGHTS))
    if len(names) == 3 and draw(st.booleans()):
        heights["c"] = draw(st.sampled_from(TWO))
    moves = []
    for _ in range(draw(st.integers(1, 4))):
        lower = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
        moves.append({**draw(amounts(lower)), "clip": draw(st.booleans())})
        if draw(st.integers(0, 3)) == 0:
            moves[-1]["when"] = draw(st.sampled_from(ENDS))
    ends = draw(st.sampled_from(ENDS)) if draw(st.integers(0, 2)) == 0 else None
    legal = draw(st.sampled_from(LEGAL)) if draw(st.integers(0, 3)) == 0 else None
    return CutGame(names, moves, heights, ends, legal, name="drawn")


@st.composite
def amounts(draw: st.DrawFn, lower: list[str]) -> dict[str, Any]:
    """Draw what a move takes from each of some coordinates."""
    way = draw(
        st.sampled_from(["any", "each", "same", [1], [1, 3], ["bits(12)"], "vectors", "formulas"])
    )
    if way == "vectors":
        vector = st.lists(st.integers(0, 2), min_size=len(lower), max_size=len(lower))
        several = st.lists(vector.filter(any), min_size=1, max_size=3)
        return {"lower": lower, "by": draw(several)}
    if way == "formulas":
        taken = {name: draw(st.sampled_from(TAKEN)) for name in lower}
        if any("i" in formula for formula in taken.values()) and draw(st.booleans()):
            return {"lower": taken, "where": draw(st.sampled_from(WHERE))}
        return {"lower": taken}
    at_most = {"at_most": draw(st.sampled_from(MOST))} if draw(st.integers(0, 2)) == 0 else {}
    return {"lower": lower, "by": way, **at_most}


#: The same, some with passes, and beside a heap.
all_own_games = st.one_of(
    own_games(),
    st.builds(WithPass, own_games(), st.integers(1, 2)),
    st.builds(DisjunctiveSum, own_games(), st.just(Nim(1))),
    st.builds(WithPass, st.builds(DisjunctiveSum, st.just(WithPass(Nim(1))), own_games())),
)
