"""The definitions of games: what is true of each."""

from itertools import islice, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import (
    DisjunctiveSum,
    Nim,
    RectangularBar,
    SolidBar,
    StepBar,
    StripBar,
    WithPass,
    parse_ruleset,
)
from choco_pipeline.errors import LimitError, RulesetError
from choco_pipeline.games import mex, ruleset
from tests.rulesets import cut_games, plain, rulesets_with_bounds


def test_pass_is_not_allowed_from_the_terminal_position():
    game = WithPass(StripBar(4, 2), 2)
    assert list(game.options((0, 0, 0, 2))) == []
    assert (1, 0, 0, 1) in game.options((1, 0, 0, 2))
    assert (1, 0, 0, 0) not in game.options((1, 0, 0, 2)), "passes are used one at a time"
    assert (1, 0, 0, 2) not in game.options((1, 0, 0, 0))


@given(rulesets_with_bounds())
def test_options_are_smaller_positions(drawn):
    game, bound = drawn
    for position in game.positions(bound):
        options = list(game.options(position))
        assert len(options) == len(set(options)), f"{game}: {position} has an option twice"
        assert game.is_terminal(position) == (not options)
        for option in options:
            assert game.check(option) == option
            assert all(a <= b for a, b in zip(option, position, strict=True)), (
                f"{game}: {position} to {option}"
            )
            assert option < position, (
                f"{game}: lexicographic order must list {option} before {position}"
            )


@given(rulesets_with_bounds())
def test_the_description_says_what_the_papers_say(drawn):
    """Rules against each class's own `options`, and conditions written here."""
    game, bound = drawn
    most = game.rules.largest(bound)
    assert most == game.limits(bound)
    for position in product(*(range(n + 2) for n in most)):
        assert game.is_position(position) == is_position(game, position), f"{game}: {position}"
        if game.is_position(position):
            assert set(game.rules.options(position)) == set(game.options(position)), (
                f"{game}: {position}"
            )


def is_position(game, position):
    """Whether the papers' conditions hold."""
    match game, position:
        case StepBar(k, s), (y, z):
            return y <= (z + s) // k
        case StripBar(k, s), (_, y, z):
            return y <= (z + s) // k
        case SolidBar(f), (x, y, z):
            return y <= f(x, z)
        case RectangularBar(m, n), (a, b, c, d):
            return a + b < m and c + d < n
        case Nim(), _:
            return True
        case WithPass(bar, passes), (*here, left):
            return left <= passes and is_position(bar, tuple(here))
        case DisjunctiveSum(), _:
            first, second = game.split(position)
            return is_position(game.a, first) and is_position(game.b, second)
    raise NotImplementedError(game)


sums_of_own_games = st.builds(DisjunctiveSum, cut_games(), cut_games())


@given(st.one_of(rulesets_with_bounds(), st.tuples(sums_of_own_games, st.just(2))))
def test_components_are_a_disjunctive_sum(drawn):
    game, bound = drawn
    parts = [(names, game.rules.part(names)) for names in game.rules.components()]
    for position in islice(game.positions(bound), 0, None, 7):
        named = game.rules.named(position)
        moved = [
            {**named, **dict(zip(names, option, strict=True))}
            for names, part in parts
            for option in part.options([named[name] for name in names])
        ]
        assert {tuple(one.values()) for one in moved} == set(game.options(position))
    assert len(parts) >= 2 or game.parts == (game,)


@given(rulesets_with_bounds(), st.data())
def test_grundy_is_the_mex_of_the_options(drawn, data):
    game, bound = drawn
    position = data.draw(st.sampled_from(list(game.positions(bound))))
    assert game.grundy(position) == mex(game.grundy(option) for option in game.options(position))


@given(rulesets_with_bounds(), plain, st.data())
def test_a_sum_has_the_nim_sum_of_the_parts_numbers(drawn, other, data):
    """By the definition of the sum, and by the theorem of Sprague and Grundy."""
    game, bound = drawn
    first = data.draw(st.sampled_from(list(game.positions(min(bound, 2)))))
    second = data.draw(st.sampled_from(list(other.positions(2))))
    total = game + other
    assert total == DisjunctiveSum(game, other)
    number = total.grundy(*first, *second)
    assert number == game.grundy(*first) ^ other.grundy(second)
    assert number == mex(map(total.grundy, total.options((*first, *second))))
    assert total.is_p_position(*first, *second) == (number == 0)


@given(st.integers(0, 9), st.integers(1, 2))
def test_coordinates_are_given_one_by_one_or_as_one_position(size, heaps):
    """One number is the position of a game with one coordinate, of numpy or not."""
    position = (size,) * heaps
    for given_as in (position, (position,), tuple(map(np.int64, position)), (np.array(position),)):
        assert Nim(heaps).grundy(*given_as) == (size if heaps == 1 else 0)
    with pytest.raises(RulesetError, match="a position has 3 coordinates"):
        Nim(3).grundy(*position)


@given(plain, st.integers(1, 2), st.data())
def test_two_more_passes_change_nothing(game, passes, data):
    bound = 3 if len(game.coordinates) < 4 else 2
    position = data.draw(st.sampled_from(list(game.positions(bound))))
    more = WithPass(game, passes + 2)
    assert more.grundy((*position, passes + 2)) == more.grundy((*position, passes)), (
        f"{game} at {position}"
    )


@given(st.integers(0, 9), st.integers(0, 9), st.data())
def test_a_strip_bar_is_a_sum_and_a_solid_bar_that_ignores_x(x, z, data):
    k, s = data.draw(st.integers(1, 5)), data.draw(st.integers(0, 7))
    y = data.draw(st.integers(0, (z + s) // k))
    strip = StripBar(k, s).grundy((x, y, z))
    assert strip == DisjunctiveSum(Nim(1), StepBar(k, s)).grundy((x, y, z))
    assert strip == SolidBar(f"(z+{s})//{k}").grundy((x, y, z))
    assert strip == x ^ StepBar(k, s).grundy((y, z)), "Sprague and Grundy"


@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_rectangular_bars_are_nim(m, n, data):
    bar = RectangularBar(m, n)
    position = data.draw(st.sampled_from(list(bar.positions())))
    assert bar.grundy(position) == Nim(4).grundy(position)
    i, j = data.draw(st.integers(1, m)), data.draw(st.integers(1, n))
    assert sum(bar.whole(i, j)) == m + n - 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("sum(step-bar(k=2), step-bar(k=3))", "y1 z1 y2 z2"),
        ("with-pass(sum(step-bar(k=2), strip-bar(k=3)))", "y1 z1 x y2 z2 p"),
        ("with-pass(with-pass(nim(1)))", "a p p2"),
        ("sum(sum(nim(1), nim(1)), nim(1))", "a1 a2 a"),
    ],
)
def test_coordinates_are_told_apart(text, names):
    assert " ".join(parse_ruleset(text).coordinates) == names


@pytest.mark.parametrize(
    ("game", "position", "why"),
    [
        ("step-bar(k=4, s=2)", (1,), r"\(y, z\), found \(1,\)"),
        ("step-bar(k=4, s=2)", (2, 3), "y = 2 .* z = 3, which is 1"),
        ("strip-bar(k=4, s=2)", (9, 2, 3), "z = 3, which is 1"),
        ("solid-bar(f=(x+z)//3)", (1, 1, 1), "x = 1, z = 1, which is 0"),
        ("rectangular-bar(m=5, n=7)", (3, 2, 0, 0), r"a\+b < 5 and c\+d < 7"),
        ("nim(2)", (-1, 0), "integers from 0"),
        ("with-pass(nim(2), passes=1)", (1, 1, 2), "p = 2 .* 1"),
        ("sum(nim(1), step-bar(k=2))", (1, 3, 2), "z = 2, which is 1"),
    ],
)
def test_positions_that_are_none(game, position, why):
    with pytest.raises(RulesetError, match=why):
        parse_ruleset(game).grundy(position)


def test_the_definition_has_a_limit(monkeypatch):
    monkeypatch.setattr(ruleset, "MOST_POSITIONS", 1000)
    with pytest.raises(LimitError, match="more than 1,000 positions"):
        Nim(9).grundy((6,) * 9)
