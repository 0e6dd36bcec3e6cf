"""Mistakes in game files and in names of games, each with its place."""

import re

import pytest

from choco_pipeline import Game, parse_ruleset
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError
from choco_pipeline.formula import FormulaError
from choco_pipeline.games.description import PAGE
from choco_pipeline.tables.computing import table
from tests.games.conftest import EXAMPLE, write


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("game(exampel)", "'example'"),
        ("game(other-game)", "config/games/other-game.yaml"),
        ("game(example, q=1)", "k, s"),
        ("game(example, kk=1)", "'k'"),
        ("game(example, 4)", "'4'"),
        ("game(example, k=1, k=2)", "'k' twice"),
        ("game(example, k=n)", "'n' in n"),
        ("game(example, k=0)", "config/games/example.yaml:4:11: heights.c: "),
        ("game(example, k=2**40)", "parameters.k: "),
        ("game(example, k=1 == 1)", "k must be an integer"),
        ("game(example, k=1//0)", "k = 1//0: "),
        ("step-bar(k=2**2**70)", "step-bar: k = 2**2**70"),
        ("game(example, k=nim(2))", "column 1"),
        ("game(folder)", "config/games/folder.yaml"),
        ("game()", "''"),
        ("game(../example)", "'../example'"),
        ("gam(example)", "'game'"),
    ],
)
def test_mistakes_in_the_notation(project, text, place):
    (project / "config" / "games" / "folder.yaml").mkdir()
    with pytest.raises(ChocoError, match=re.escape(place)):
        parse_ruleset(text)


def test_a_formula_without_quotes_is_explained(project):
    path = project / "config" / "games" / "quoted.yaml"
    moves = "moves: [{lower: [a]}, {lower: [b]}, {lower: [c]}]"
    path.write_text(f"game: quoted\ncoordinates: [a, b, c]\nheights: {{c: min(a,b)}}\n{moves}\n")
    with pytest.raises(ChocoError, match=r"quoted.yaml:3:.* heights: .* comma needs quotes"):
        parse_ruleset("game(quoted)")


def test_bundled_games_stay_available_and_ones_own_win(project):
    assert parse_ruleset("game(wythoff)").coordinates == ("a", "b")
    own = EXAMPLE.replace("game: example", "game: wythoff")
    (project / "config" / "games" / "wythoff.yaml").write_text(own)
    assert parse_ruleset("game(wythoff)").coordinates == ("a", "b", "c")


def test_games_elsewhere_are_not_read(project):
    (project / "outside.yaml").write_text(EXAMPLE)
    inner = project / "inner"
    (inner / "config" / "games").mkdir(parents=True)
    (inner / "config" / "games" / "example.yaml").symlink_to(project / "outside.yaml")
    with pytest.raises(RulesetError, match="leads out of the project"):
        parse_ruleset("game(example)", base=inner)
    with pytest.raises(RulesetError, match=r"game\(example\): no game of that name is described$"):
        parse_ruleset("game(example)", games={})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("lower: [a]}", "lower: []}", "6:5: moves.0"),
        ("[a, b], by: same", "[a, b]", "8:5: moves.2"),
        ("by: same", "by: sane", "8:21: moves.2.by"),
        ("[1, 3]", "[]", "7:18: moves.1.by"),
        ("[1, 3]", "[1, 0]", "7:26: moves.1.by.1"),
        ("[1, 3]", "[bits(7)]", "7:23: moves.1.by.0"),
        ("[1, 3]", "[bits(a)]", "an amount is an integer from 0 to 268,435,456, found a"),
        ("[1, 3]", f"[{', '.join(map(str, range(1, 1002)))}]", "1 to 1,000 amounts are needed, found 1001"),
        ("(c+1)//2", "0", "9:18: moves.3.at_most"),
        ("(c+1)//2", "a*b - b*a", "moves.3.at_most"),
        ("(c+1)//2", "1//0", "9:18: moves.3.at_most"),
        ("[1, 3]", "[1, 2**2**70]", "7:26: moves.1.by.1"),
        ("(c+1)//2", "a+" * 999 + "a+a", "9:18: moves.3.at_most"),
        ("(c+1)//2", f"0x{'f' * 5000}", "9:27"),
        ("(c+1)//2", "c > 1", "9:18: moves.3.at_most"),
        ("(c+1)//2", "a//b", "9:18: moves.3.at_most"),
        ("clip", "clips", "unknown key 'clips'; did you mean 'clip'? (allowed: lower, by, at_most, where, when, split, clip)"),
        ("{lower: [a]}", "{lower: {a: i, b: k*i}, where: i}", "moves.0.where"),
        ("{lower: [a]}", "{lower: {a: i < b}}", "moves.0.lower.a"),
        ("{lower: [a]}", "{lower: {a: e+g+h+i}}", "moves.0"),
        ("{lower: [a]}", "{lower: {a: i}, by: [1]}", "moves.0.by"),
        ("{lower: [a]}", "{lower: {a: b//i}}", "moves.0"),
        ("{lower: [a]}", "{lower: [a], when: a}", "moves.0.when"),
        ("{lower: [a]}", "{lower: [a, b], by: [[1, 2, 3]]}", "moves.0.by.0"),
        ("{lower: [a]}", "{lower: [a, b], by: [[0, 0]]}", "moves.0.by.0"),
        ("{lower: [a]}", "{split: d}", "moves.0.split"),
        ("{lower: [a]}", "{split: {a: [u, u]}}", "moves.0.split"),
        ("{lower: [a]}", "{lower: {a: u}, split: {a: [u, w]}}", "moves.0.split"),
        ("ends: a+b <= 1", "play: misère", "11:1: play"),
        ("ends: a+b <= 1", "ends: a//c == 1", "11:1: ends"),
        ("ends:", "end:", "11:1"),
        ("(a+b+s)//k", "5-a", "4:11: heights.c"),
        ("(a+b+s)//k", "(a+b)%64", "not monotone: f(a=64, b=0) = 0 is less than 63 before it"),
        ("(a+b+s)//k", "-2", "4:11: heights.c"),
        ("(a+b+s)//k", "c", "4:11: heights.c"),
        ("(a+b+s)//k", "1.5", "4:11: heights.c"),
        ("[a, b, c]", f"[{', '.join(f'c{i}' for i in range(40))}]", "3:1: coordinates"),
        ("[a, b, c]", "[a, b, c, a]", "3:24: coordinates.3"),
        ("[a, b, c]", "[a, b, c, k]", "2:14: parameters.k"),
        ("[a, b, c]", "[a, b, c, p]", "3:24: coordinates.3"),
        ("[a, b, c]", "[a, b, c, max]", "3:24: coordinates.3"),
        ("k: 4", "k: 1000000000", "2:14: parameters.k"),
        ("game: example", "game: another", "1:1: game"),
        ("ends: a+b <= 1", "ends: " + "(" * 200 + "a" + ")" * 200 + " == 1", "11:1: ends"),
        ("ends: a+b <= 1", "ends: " + "a+" * 1000 + "a == 1", "11:1: ends"),
    ],
)  # fmt: skip
def test_mistakes_in_files(project, old, new, message):
    assert old in EXAMPLE
    write(project, EXAMPLE.replace(old, new, 1))
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        parse_ruleset("game(example)")
    assert str(caught.value).startswith("config/games/example.yaml:")
    first, *further = str(caught.value).splitlines()
    assert further == ([PAGE] if "unknown key" in first else [])


@pytest.mark.parametrize("content", [b"game: \xff", b"#" * 200_000])
def test_what_is_no_text_of_a_game_is_refused(project, content):
    (project / "config" / "games" / "example.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match=r"^config/games/example.yaml: "):
        parse_ruleset("game(example)", base=project)


def test_several_mistakes_have_a_line_each(project):
    write(project, EXAMPLE.replace("lower: [a]}", "lowers: [a]}").replace("k: 4", "k: x"))
    with pytest.raises(ConfigError) as caught:
        parse_ruleset("game(example)")
    assert [line.split(": ")[0] for line in str(caught.value).splitlines()] == [
        "config/games/example.yaml:2:14",
        "config/games/example.yaml:6:6",
        PAGE,
    ]


def test_a_description_in_a_certificate_is_checked_like_a_file():
    deep = []
    for _ in range(200):
        deep = [deep]
    one = {"game": "one", "coordinates": ["a"], "moves": [{"lower": ["a"], "by": [0]}]}
    wrong = {"moves.0.by.0": one, "parameters.k": {"game": "one", "parameters": {"k": 1 << 20000}}}
    wrong |= {"nested": {"game": "one", "coordinates": deep}, "game": one | {"game": "two"}}
    for place, description in wrong.items():
        with pytest.raises(ConfigError, match=f"^game one: {place}"):
            parse_ruleset("game(one)", games={"one": description})


def test_a_formula_without_a_value_far_away_is_named_with_its_game():
    """It has one wherever it is tried when the game is read."""
    moves = [{"lower": ["a"], "at_most": "3 + 1//(5000-a)"}, {"lower": ["b"]}]
    game = Game(["a", "b"], moves, name="far")
    said = r"^game\(far\): 3\+1//\(5000-a\): division by zero at column \d+: a=5000"
    with pytest.raises(FormulaError, match=said):
        table(game, 5000, "grundy")
    with pytest.raises(FormulaError, match=said), game.naming():
        list(game.options((5000, 0)))
    assert list(game.options((2, 0))) == [(1, 0), (0, 0)]
