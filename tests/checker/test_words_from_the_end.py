"""check.py reads words from the end where that is quick, with the results of the ordinary way."""

import pytest

from tests.checker.certificates import checker

check = checker()

#: Games, the tracks of positions, and right and wrong relations.
RIGHT = {
    "nim(1)": "a == 0",
    "nim(2)": "a == b",
    "nim(3)": "a ^ b ^ c == 0",
    "step_bar(k=2, s=1)": "(z+1) ^ y == 1",
    "solid_bar(f=(x+z)//3)": "x ^ y ^ z == 0",
}
#: Changes of a relation R: more positions, or fewer.
CHANGES = [
    "R or {0} == 2",
    "R and {0} != 0",
    "R or {0} >= 3",
    "{0} >= 0",
    "{0} < 0",
    "R and {0} < 9",
]


def relation_of(game, condition):
    """The automaton of the positions with a condition, with many states that no word reaches.

    The check from the end has the limit of as many sets as there are states, and is then always tried.
    """
    found = game.legal & check.condition(condition, {c: {c: 1} for c in game.coordinates})
    return check.Automaton(found.tracks, check.Rows([*found.rows, *[{}] * 1000]))


def verdicts(game, relation, monkeypatch):
    """The verdict from the end, which is None if it is left open, and that of the ordinary way."""
    lacking = game.legal - relation
    from_the_end = check.seen_from_the_end(game, relation, lacking)
    with monkeypatch.context() as patch:
        patch.setattr(check, "seen_from_the_end", lambda *_: False)
        ordinary = check.decided(check.obligations(game, relation, False))[0] == "proved"
    return from_the_end, ordinary


@pytest.mark.parametrize("ruleset", RIGHT)
def test_moves_are_judged_from_the_end_as_otherwise(ruleset, monkeypatch):
    game = check.game_of(check.parsed(ruleset), {}, {})
    right = RIGHT[ruleset]
    assert verdicts(game, relation_of(game, right), monkeypatch) == (True, True)
    wrong = 0
    for change in CHANGES:
        condition = change.format(game.coordinates[0]).replace("R", f"({right})")
        from_the_end, ordinary = verdicts(game, relation_of(game, condition), monkeypatch)
        assert from_the_end == ordinary, condition
        wrong += not ordinary
    assert wrong >= 5


@pytest.mark.parametrize(("formula", "is_right"), [("a ^ b", True), ("a + b", False), ("a", False), ("(a ^ b) + 1", False), ("max(a, b)", False)])  # fmt: skip
def test_grundy_numbers_are_judged_from_the_end_as_otherwise(formula, is_right):
    game = check.game_of(check.parsed("nim(2)"), {}, {})
    names = {c: {c: 1} for c in game.coordinates}
    numbers = game.legal & check.within(formula, names, {check.VALUE: -1}, 0, 0)
    relation = check.Automaton(numbers.tracks, check.Rows([*numbers.rows, *[{}] * 1000]))
    smaller = check.limits({check.VALUE: 1}, 0, None), check.limits({check.VALUE: 1, check.HIGHER: -1}, None, -1)  # fmt: skip
    lacking = check.some([check.HIGHER], relation.on({check.VALUE: check.HIGHER}), *smaller)
    assert check.seen_from_the_end(game, relation, lacking) == is_right


@pytest.mark.parametrize("without_kinds", [False, True])
@pytest.mark.parametrize(
    ("condition", "gone"),
    [
        ("a == 5*c + 7*d and c >= 0 and d >= 0", "cd"),
        ("(a + c) ^ b == (c & 6) and c >= 0", "c"),
        ("a & b == 0 and b & c == 0 and a + b + c == d", "bc"),
        ("a == 5*c + 2*b and b < 2 or a == 7*c and b == c", "bc"),
    ],
)
def test_integers_go_by_words_from_the_end_as_otherwise(
    condition, gone, without_kinds, monkeypatch
):
    part = check.condition(condition, {c: {c: 1} for c in "abcd"})
    ordinary, built = check.without({*gone}, part), check.built

    def limited(edges, most=None):
        if most is not None:
            raise check.TooLargeError("undecided", "")
        return built(edges)

    monkeypatch.setattr(check, "built", limited)
    if without_kinds:
        monkeypatch.setattr(check, "from_the_end", lambda *_: [])
    check.MADE.clear()
    found = check.without({*gone}, part)
    assert check.witness(ordinary) is not None
    assert check.witness(ordinary - found) is None
    assert check.witness(found - ordinary) is None
    assert len(found.rows) == len(ordinary.rows)
