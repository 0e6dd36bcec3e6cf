"""Files of games with mistakes, and games that are named wrongly: each is told with its place."""

import re

import pytest

from choco_pipeline import Game, parse_ruleset
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError
from choco_pipeline.formula import FormulaError
from choco_pipeline.games.description import PAGE
from choco_pipeline.tables.computing import table
from tests.games.written_game import EXAMPLE, write


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("game(exampel)", "there is no file config/games/exampel.yaml; did you mean 'example'?"),
        ("game(other-game)", "there is no file config/games/other-game.yaml$"),
        ("game(example, q=1)", "game(example): no parameter 'q', it has k, s$"),
        ("game(example, kk=1)", "no parameter 'kk', it has k, s; did you mean 'k'?"),
        ("game(example, 4)", "parameters of game(example) are named, such as k=4, found '4'"),
        ("game(example, k=1, k=2)", "game(example) is given 'k' twice"),
        ("game(example, k=n)", "unknown name 'n' in n"),
        (
            "game(example, k=0)",
            "config/games/example.yaml:4:11: heights.c: division by zero at column 8: a=0, b=0 (where k = 0)",
        ),
        ("game(example, k=2**40)", "parameters.k: 1,099,511,627,776 is too large"),
        ("game(example, k=1 == 1)", "game: k must be an integer$"),
        ("game(example, k=1//0)", "game: k = 1//0: division by zero at column 2$"),
        ("step-bar(k=2**2**70)", 'step-bar: k = 2**2**70: "**" at column 2 needs more than'),
        ("game(example, k=nim(2))", """ruleset 'game(example, k=nim(2))': k: call to "nim" at"""),
        ("game(folder)", "there is no file config/games/folder.yaml$"),
        ("game()", "game needs a name of letters, digits and hyphens first, found ''"),
        (
            "game(../example)",
            "game needs a name of letters, digits and hyphens first, found '../example'",
        ),
        ("game(k=4)", "game needs a name of letters, digits and hyphens first"),
        ("gam(example)", "unknown ruleset 'gam'; did you mean 'game'"),
    ],
)
def test_mistakes_in_the_notation(project, text, message):
    (project / "config" / "games" / "folder.yaml").mkdir()
    with pytest.raises(ChocoError, match=as_pattern(message)):
        parse_ruleset(text)


def as_pattern(message):
    """Return a pattern for text in which ``$`` at the end is the end."""
    return re.escape(message.removesuffix("$")) + ("$" if message.endswith("$") else "")


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
        ("lower: [a]}", "lower: []}", "6:5: moves.0: a move lowers a coordinate, or splits one"),
        ("{lower: [a]}", "{by: any}", "6:5: moves.0: a move lowers a coordinate, or splits one"),
        ("[a, b], by: same", "[a, b]", "8:5: moves.2: `by` is needed for several coordinates: any, each, same, or a list of amounts"),
        ("[a, b], by: same", "[a, a], by: same", "8:17: moves.2.lower.1: 'a' is there twice"),
        ("[a, b], by: same", "[a, d], by: same", "8:17: moves.2.lower.1: 'd' is no coordinate, they are a, b, c"),
        ("by: same", "by: sane", "8:21: moves.2.by: needs one of 'any', 'each' or 'same' or a list, found 'sane'"),
        ("[1, 3]", "[]", "7:18: moves.1.by: 1 to 1,000 amounts are needed, found 0"),
        ("[1, 3]", "[1, 0]", "7:26: moves.1.by.1: an amount is an integer from 1 to 268,435,456, found 0"),
        ("[1, 3]", "[1, s]", "7:26: moves.1.by.1: an amount is an integer from 1 to 268,435,456, found 0"),
        ("[1, 3]", "[1, -2]", "7:26: moves.1.by.1: an amount is an integer from 1 to 268,435,456, found -2"),
        ("[1, 3]", "[1, 1000000000]", "an amount is an integer from 1 to 268,435,456, found 1000000000"),
        ("[1, 3]", "[bits(7)]", "7:23: moves.1.by.0: the number of a set of amounts is even and not 0"),
        ("[1, 3]", "[bits(a)]", "an amount is an integer from 0 to 268,435,456, found a"),
        ("[1, 3]", "[bits(6) + 1]", "bits"),
        ("[1, 3]", "[1, a]", "an amount is an integer from 1 to 268,435,456, found a"),
        ("[1, 3]", f"[{', '.join(map(str, range(1, 1002)))}]", "1 to 1,000 amounts are needed, found 1001"),
        ("(c+1)//2", "0", "9:18: moves.3.at_most: a move lowers by at least 1, found at most 0"),
        ("(c+1)//2", "-c", "9:18: moves.3.at_most: a move lowers by at least 1, found at most -c"),
        ("(c+1)//2", "k-4-c*b", "at least 1, found at most 4-4-c*b"),
        ("(c+1)//2", "c-c", "9:18: moves.3.at_most: a move lowers by at least 1, found at most c-c"),
        ("(c+1)//2", "a*b - b*a", "moves.3.at_most: a move lowers by at least 1, found at most a*b-b*a"),
        ("(c+1)//2", "1//0", "9:18: moves.3.at_most: division by zero at column 2"),
        ("[1, 3]", "[1, 2**2**70]", '7:26: moves.1.by.1: "**" at column 2 needs more than 4096 bits'),
        ("(c+1)//2", "a+" * 999 + "a+a", "9:18: moves.3.at_most: needs an integer or text of at most 2,000 characters"),
        ("(c+1)//2", f"0x{'f' * 5000}", "9:27: an integer of 5,002 characters, at most 1,000 are read"),
        ("(c+1)//2", "c > 1", "9:18: moves.3.at_most: c > 1 is true or false, a number is needed"),
        ("(c+1)//2", "a//b", "9:18: moves.3.at_most: division by zero at column 2: a=2, b=0"),
        ("(c+1)//2", "d", '9:18: moves.3.at_most: name "d" at column 1: names are a, b, c, k, s'),
        ("(c+1)//2", "c/2", '9:18: moves.3.at_most: "/" at column 2: operators are'),
        ("clip", "clips", "unknown key 'clips'; did you mean 'clip'? (allowed: lower, by, at_most, where, when, split, clip)"),
        ("{lower: [a]}", "{lower: {a: i, b: k*i}, where: i}", "moves.0.where: i is a number, a condition is needed"),
        ("{lower: [a]}", "{lower: {a: i}, where: h < 3}", 'moves.0.where: name "h" at column 1: names are a, b, c, i, k, s'),
        ("{lower: [a]}", "{lower: {a: i < b}}", "moves.0.lower.a: i < b is true or false, a number is needed"),
        ("{lower: [a]}", "{lower: {a: e+g+h+i}}", "moves.0: at most 3 numbers are chosen in one move, found 4"),
        ("{lower: [a]}", "{lower: {a: i}, by: [1]}", "moves.0.by: it is not read beside amounts that are formulas, or a split"),
        ("{lower: [a]}", "{lower: {a: b//i}}", "moves.0: division by zero at column 2: i=0, b=2"),
        ("{lower: [a]}", "{lower: {d: 1}}", "moves.0.lower.d: 'd' is no coordinate, they are a, b, c"),
        ("{lower: [a]}", "{lower: [a], where: a > 1}", "moves.0.where: it needs `lower: {COORDINATE: AMOUNT}`"),
        ("{lower: [a]}", "{lower: [a], when: a}", "moves.0.when: a is a number, a condition is needed"),
        ("{lower: [a]}", "{lower: [a, b], by: [[1, 2, 3]]}", "moves.0.by.0: an amount for each of 2 coordinates is needed, found 3"),
        ("{lower: [a]}", "{lower: [a, b], by: [[0, 0]]}", "moves.0.by.0: a move takes something"),
        ("{lower: [a]}", "{lower: [a, b], by: [[0, -1]]}", "moves.0.by.0.1: an amount is an integer from 0 to"),
        ("{lower: [a]}", "{split: d}", "moves.0.split: 'd' is no coordinate, they are a, b, c"),
        ("{lower: [a]}", "{split: {a: [u, u]}}", "moves.0.split: the two parts need two names"),
        ("{lower: [a]}", "{split: {a: [u, b]}}", "moves.0: 'b' cannot be a chosen number"),
        ("{lower: [a]}", "{lower: {a: u}, split: {a: [u, w]}}", "moves.0.split: a part has the name of a chosen number"),
        ("ends: a+b <= 1", "legal: a", "11:1: legal: a is a number, a condition is needed"),
        ("ends: a+b <= 1", "play: misère", "11:1: play: needs 'normal' or 'misere', found 'misère'; did you mean 'misere'?"),
        ("clip: false", "clip: 0", "10:18: moves.4.clip: input should be a valid boolean, found 0"),
        ("ends: a+b <= 1", "ends: a+b", "11:1: ends: a+b is a number, a condition is needed"),
        ("ends: a+b <= 1", "ends: a//c == 1", "11:1: ends: division by zero at column 2: a=0, c=0"),
        ("ends:", "end:", "11:1: unknown key 'end'; did you mean 'ends'?"),
        ("(a+b+s)//k", "5-a", "4:11: heights.c: height function 5-a: not monotone: f(a=0) = 5 but f(a=1) = 4"),
        ("(a+b+s)//k", "a-1", "4:11: heights.c: height function a-1: f(a=0) = -1, but heights start at 0"),
        ("(a+b+s)//k", "(a+b)%64", "not monotone: f(a=64, b=0) = 0 is less than 63 before it"),
        ("(a+b+s)//k", "900//(600-a)", "4:11: heights.c: division by zero at column 4: a=600"),
        ("(a+b+s)//k", "-2", "4:11: heights.c: height function -2: f = -2, but heights start at 0"),
        ("(a+b+s)//k", "c", "4:11: heights.c: the height of c depends on c itself"),
        ("(a+b+s)//k", "a < b", "4:11: heights.c: height function a < b: a height is an integer"),
        ("(a+b+s)//k", "1.5", "4:11: heights.c: needs an integer or text, found 1.5"),
        ("{c: (a+b+s)//k}", "{d: 5}", "4:11: heights.d: 'd' is no coordinate, they are a, b, c"),
        ("[a, b, c]", f"[{', '.join(f'c{i}' for i in range(40))}]", "3:1: coordinates: list should have at most 16 items, found 40"),
        ("[a, b, c]", "[]", "3:1: coordinates: list should have at least 1 item, found 0"),
        ("[a, b, c]", "[a, b, c, a]", "3:24: coordinates.3: 'a' is there twice"),
        ("[a, b, c]", "[a, b, c, k]", "2:14: parameters.k: 'k' is there twice"),
        ("[a, b, c]", "[a, b, c, p]", "3:24: coordinates.3: 'p' cannot be used, since claims and notations do"),
        ("[a, b, c]", "[a, b, c, C]", "3:24: coordinates.3: needs text of the form"),
        ("[a, b, c]", "[a, b, c, max]", '3:24: coordinates.3: "max" at column 1 is a function'),
        ("[a, b, c]", "abc", "3:1: coordinates: input should be a valid list, found 'abc'"),
        ("k: 4", "k: four", "2:14: parameters.k: input should be a valid integer, found 'four'"),
        ("k: 4", "k: 1000000000", "2:14: parameters.k: 1,000,000,000 is too large, at most 268,435,456 can be used"),
        ("game: example", "game: another", "1:1: game: needs 'example', by which it is read, found 'another'"),
        ("moves:", "move:", "unknown key 'move'; did you mean 'moves'?"),
        ("ends: a+b <= 1", "- 3", "not YAML"),
        ("ends: a+b <= 1", "ends: " + "(" * 200 + "a" + ")" * 200 + " == 1", "11:1: ends: "),
        ("ends: a+b <= 1", "ends: " + "a+" * 1000 + "a == 1", "11:1: ends: string should have at most 2000 characters"),
    ],
)  # fmt: skip
def test_mistakes_in_files(project, old, new, message):
    assert old in EXAMPLE
    write(project, EXAMPLE.replace(old, new, 1))
    with pytest.raises(ConfigError, match=as_pattern(message)) as caught:
        parse_ruleset("game(example)")
    assert str(caught.value).startswith("config/games/example.yaml:")
    first, *further = str(caught.value).splitlines()
    assert further == ([PAGE] if "unknown key" in first else [])


def test_what_is_no_text_of_a_game_is_named_as_the_notation_does(project):
    for content, message in [
        (b"game: \xff", "not UTF-8 text"),
        (b"#" * 200_000, "too large, at most 131,072 bytes are read"),
    ]:
        (project / "config" / "games" / "example.yaml").write_bytes(content)
        with pytest.raises(ConfigError, match=f"^config/games/example.yaml: {message}"):
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


def test_a_description_in_a_certificate_is_checked_like_a_file(project):
    with pytest.raises(ConfigError, match=r"^game one: moves.0.by.0: an amount is an integer"):
        parse_ruleset(
            "game(one)",
            games={
                "one": {"game": "one", "coordinates": ["a"], "moves": [{"lower": ["a"], "by": [0]}]}
            },
        )
    with pytest.raises(ConfigError, match=r"^game one: parameters.k: an integer of 20,001 binary"):
        parse_ruleset("game(one)", games={"one": {"game": "one", "parameters": {"k": 1 << 20000}}})
    deep = []
    for _ in range(200):
        deep = [deep]
    with pytest.raises(ConfigError, match=r"^game one: nested too deeply"):
        parse_ruleset("game(one)", games={"one": {"game": "one", "coordinates": deep}})
    with pytest.raises(ConfigError, match=r"^game one: game: needs 'one'"):
        parse_ruleset(
            "game(one)",
            games={"one": {"game": "two", "coordinates": ["a"], "moves": [{"lower": ["a"]}]}},
        )


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
