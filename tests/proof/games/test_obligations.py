"""Obligations against the definition: they hold of the true relation, and fail where it is changed."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import (
    CutGame,
    DisjunctiveSum,
    Nim,
    RectangularBar,
    SolidBar,
    StepBar,
    WithPass,
)
from choco_pipeline.formula import parse
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.proof.arithmetic.logic import Member, free
from choco_pipeline.proof.games.obligations import has_moves, legal, obligations, some_option
from choco_pipeline.proof.proof_errors import NotDefinableError
from tests.effort import examples
from tests.proof.interpret import truth
from tests.proof.own_games import all_own_games
from tests.proof.relations import counterexample
from tests.rulesets import rulesets

nested = st.sampled_from(
    [
        DisjunctiveSum(WithPass(Nim(1), 2), StepBar(k=2, s=1)),
        WithPass(DisjunctiveSum(StepBar(k=1), WithPass(Nim(1)))),
        DisjunctiveSum(StepBar(k=2), StepBar(k=3, s=2)),
        RectangularBar(1, 3),
        RectangularBar(4, 2),
        SolidBar("max(x//2, min(z, 3))"),
        SolidBar("x+z-(x+z)%3"),
        SolidBar("((x >> 1 << 1) | 1)-1"),
        WithPass(SolidBar("min(x, z, abs(-3))"), 2),
    ]
)


def box(game):
    """Return a bound for which plain Python can try everything."""
    return {1: 6, 2: 6, 3: 4}.get(len(game.coordinates), 2)


def within(game, bound):
    """Yield all tuples of numbers up to `bound`, positions or not."""
    return product(range(bound + 1), repeat=len(game.coordinates))


games = st.one_of(rulesets(), nested, all_own_games)


@settings(max_examples=examples(60), deadline=None)
@given(games, st.data())
def test_options_are_those_of_the_definition(game, data):
    bound = box(game)
    here = game.coordinates
    targets = list(within(game, bound))
    chosen = set(data.draw(st.lists(st.sampled_from(targets), max_size=12, unique=True)))
    moves = some_option(game, here, lambda option: Member("Q", option))
    for position in targets:
        values = dict(zip(here, position, strict=True))
        is_position = game.is_position(position)
        assert truth(legal(game, here), values, {}, bound + 1) == is_position, position
        if not is_position:
            continue
        options = set(game.options(position))
        if not isinstance(game, WithPass) or position[-1] > 0:
            assert truth(has_moves(game, here), values, {}, bound + 1) == (
                not game.is_terminal(position)
            )
        for wanted in (chosen, options, set(targets) - options):
            found = truth(moves, values, {"Q": wanted}, bound + 1)
            assert found == bool(options & wanted), (position, wanted)


def relations_of(game, kind, bound):
    """Return R0, R1, … by definition, for the positions within `bound` in every coordinate."""
    most = game.passes if isinstance(game, WithPass) else 0
    relations: dict[str, set[tuple[int, ...]]] = {f"R{p}": set() for p in range(most + 1)}
    for position in game.positions(bound):
        base, passes = (position[:-1], position[-1]) if most else (position, 0)
        if max(base, default=0) > bound:
            continue
        value = game.grundy(position)
        if kind == "grundy":
            relations[f"R{passes}"].add((*base, value))
        elif value == 0:
            relations[f"R{passes}"].add(base)
    return relations


def failures(game, kind, relations, bound):
    """Return name, passes and position of all failures within the box."""
    base = game.ruleset if isinstance(game, WithPass) else game
    values_found = {point[-1] for members in relations.values() for point in members}
    highest = max(values_found, default=0) if kind == "grundy" else 0
    found = set()
    for obligation in obligations(game, kind):
        names = sorted(free(obligation.sentence))
        ranges = [
            range((highest if str(name) in ("value'", "other'") else bound) + 1) for name in names
        ]
        for point in product(*ranges):
            values = dict(zip(names, point, strict=True))
            if not truth(obligation.sentence, values, relations, max(bound + 1, highest)):
                place = tuple(values.get(name, 0) for name in base.coordinates)
                found.add((obligation.name, obligation.passes, place))
    return found


@settings(max_examples=examples(40), deadline=None)
@given(games, st.data())
def test_p_positions_meet_the_obligations_and_nothing_else_does(game, data):
    bound = min(3, box(game))
    relations = relations_of(game, "p", bound)
    assert not failures(game, "p", relations, bound)
    name = data.draw(st.sampled_from(sorted(relations)))
    base = game.ruleset if isinstance(game, WithPass) else game
    place = data.draw(st.sampled_from(list(within(base, bound))))
    changed = relations | {name: relations[name] ^ {place}}
    if place in relations[name]:
        said = "every position outside the relation has an option in it"
    elif base.is_position(place):
        said = "no position in the relation has an option in it"
    else:
        said = "only positions of the game are in the relation"
    assert (said, int(name[1:]), place) in failures(game, "p", changed, bound)


@settings(max_examples=examples(25), deadline=None)
@given(games.filter(lambda game: len(game.coordinates) <= 4), st.data())
def test_grundy_numbers_meet_the_obligations_and_nothing_else_does(game, data):
    bound = 2
    relations = relations_of(game, "grundy", bound)
    assert not failures(game, "grundy", relations, bound)
    name = data.draw(st.sampled_from(sorted(relations)))
    place, value = data.draw(
        st.sampled_from([(point[:-1], point[-1]) for point in sorted(relations[name])])
    )
    passes = int(name[1:])
    lost = relations | {name: relations[name] - {(*place, value)}}
    assert ("every position has a value", passes, place) in failures(game, "grundy", lost, bound)
    other = data.draw(st.integers(0, value + 2).filter(lambda n: n != value))
    two = relations | {name: relations[name] | {(*place, other)}}
    assert ("no position has two values", passes, place) in failures(game, "grundy", two, bound)
    wrong = relations | {name: lost[name] | {(*place, other)}}
    too_small = "no option has the position's value"
    said = too_small if other < value else "every smaller value is an option's"
    assert (said, passes, place) in failures(game, "grundy", wrong, bound)


def test_each_of_several_heights_is_asked_of():
    moves = [{"lower": [name]} for name in "wxyz"]
    heights = {"w": "(z+1)//2", "x": "max(z//2, 1)", "y": "min(z//3, 5000-z)"}
    game = CutGame([*"wxyz"], moves, heights)
    found = {o.name: counterexample(o.sentence, {}) is None for o in obligations(game, "p")[:6]}
    assert found == {
        "heights of w are not negative": True,
        "heights of w do not fall": True,
        "heights of x are not negative": True,
        "heights of x do not fall": True,
        "heights of y are not negative": False,
        "heights of y do not fall": False,
    }


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        (
            "max(0, 33-max(3, x))",
            "heights do not fall",
            {"x": 0, "y": 30, "z": 0, "x'": 4, "z'": 0},
        ),
        ("min(x, 40-z)", "heights are not negative", {"x": 0, "y": 0, "z": 41}),
    ],
)
def test_a_height_that_goes_wrong_far_away_is_found(monkeypatch, text, said, place):
    monkeypatch.setattr("choco_pipeline.games.height.FIRST_LOOK", 1)  # built as if it were fine
    (obligation,) = (o for o in obligations(SolidBar(text), "p") if o.name == said)
    values = counterexample(obligation.sentence, {})
    assert values is not None
    assert not truth(obligation.sentence, values, {}, 64)
    there = {name: place[str(name)] for name in free(obligation.sentence)}
    assert not truth(obligation.sentence, there, {}, 64)


class Halved(FormulaHeight):
    """A height that is not what its formula says."""

    def __call__(self, x, z):
        """Return half of what the formula says."""
        return super().__call__(x, z) // 2


@pytest.mark.parametrize(
    ("game", "why"),
    [
        (SolidBar(Halved(parse("x+z"))), "needs the height as a formula"),
        (
            CutGame([*"abcdehkm"], [{"lower": ["a"]}], dict.fromkeys("bcdehkm", "a//2+a//3")),
            "one move may clip 7 coordinates, at most 6",
        ),
        (SolidBar(np.zeros((30, 30), int)), "needs the height as a formula"),
        (SolidBar(lambda x, z: x + z), "needs the height as a formula"),
        (SolidBar("x*z"), "multiplies two coordinates"),
        (DisjunctiveSum(Nim(1), SolidBar("x**2")), "is a power"),
        (WithPass(SolidBar("x*z")), "multiplies two coordinates"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", ["p", "grundy"])
def test_what_no_automaton_can_say_is_refused(game, why, kind):
    with pytest.raises(NotDefinableError, match=why):
        obligations(game, kind)


def test_an_unknown_ruleset_is_refused():
    class OneStone(Nim):
        def options(self, position):
            return (p for p in super().options(position) if sum(p) == sum(position) - 1)

    class FreePass(WithPass):
        def options(self, position):
            return super().options((*position[:-1], self.passes))

    games = [
        OneStone(2),
        WithPass(OneStone(2)),
        DisjunctiveSum(Nim(1), OneStone(1)),
        FreePass(Nim(1)),
    ]
    for game in games:
        for sentence in (
            lambda g: obligations(g, "p"),
            lambda g: legal(g, g.coordinates),
            lambda g: has_moves(g, g.coordinates),
            lambda g: some_option(g, g.coordinates, lambda option: Member("Q", option)),
        ):
            with pytest.raises(NotDefinableError, match="not supported in proofs"):
                sentence(game)
