"""Games of one's own for the tests: drawn ones with moves of every kind, and their true P-positions."""

from __future__ import annotations

from hypothesis import strategies as st

from choco_pipeline import CutGame, DisjunctiveSum, Nim, WithPass

HEIGHTS = ["a//2", "(a+1)//2", "a+1", "2", "max(a, 1)", "a//3*2", "a-a%2"]
TWO = ["(a+b)//2", "max(a, b)//2", "min(a, b)", "b", "a//2+b//2"]
MOST = ["2", "(a+1)//2", "max(a, b)-1", "a-1", "3-a"]
ENDS = ["a+b <= 1", "a == b", "b > 2", "a % 2 == 1 or b == 0"]


@st.composite
def own_games(draw: st.DrawFn) -> CutGame:
    """Draw a game on two or three coordinates, with up to two heights and up to four kinds of moves."""
    names = ["a", "b", "c"][: draw(st.integers(2, 3))]
    heights = {}
    if draw(st.booleans()):
        heights["b"] = draw(st.sampled_from(HEIGHTS))
    if len(names) == 3 and draw(st.booleans()):
        free = "b" not in heights or heights["b"].isdigit()
        heights["c"] = draw(st.sampled_from(TWO if free else HEIGHTS))
    moves = []
    for _ in range(draw(st.integers(1, 4))):
        lower = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
        ways = st.sampled_from(["any", "each", "same", [1], [1, 3], [2, 3]])
        move = {"lower": lower, "by": draw(ways), "clip": draw(st.booleans())}
        if draw(st.integers(0, 2)) == 0:
            move["at_most"] = draw(st.sampled_from(MOST))
        moves.append(move)
    ends = draw(st.sampled_from(ENDS)) if draw(st.integers(0, 2)) == 0 else None
    return CutGame(names, moves, heights, ends, name="drawn")


#: The same, some with passes, and beside a heap.
all_own_games = st.one_of(
    own_games(),
    st.builds(WithPass, own_games(), st.integers(1, 2)),
    st.builds(DisjunctiveSum, own_games(), st.just(Nim(1))),
    st.builds(WithPass, st.builds(DisjunctiveSum, st.just(WithPass(Nim(1))), own_games())),
)
