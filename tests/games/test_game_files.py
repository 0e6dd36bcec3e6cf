"""The games of config/games, against what is known of them, and files with a mistake, each with its line."""

import re
from functools import cache
from itertools import product
from math import isqrt
from pathlib import Path

import pytest

from choco_pipeline import Game, StepBar, WithPass, parse_ruleset
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError
from choco_pipeline.formula import FormulaError
from choco_pipeline.games import mex
from choco_pipeline.games.games_reference import games_reference, games_schema
from choco_pipeline.games.notation import match, read
from choco_pipeline.tables.computing.in_memory import table

ROOT = Path(__file__).parents[2]
GAMES = ROOT / "config" / "games"

#: Options as the file's comment, or its source, says them in words.
OPTIONS = {
    "wythoff": lambda a, b: {
        *((u, b) for u in range(a)),
        *((a, v) for v in range(b)),
        *((a - n, b - n) for n in range(1, min(a, b) + 1)),
    },
    "moore-nim": lambda *heaps: {p for p in below(heaps) if len(lowered(heaps, p)) in (1, 2)},
    "exact-nim": lambda *heaps: {p for p in below(heaps) if len(lowered(heaps, p)) == 2},
    "restricted-nim": lambda *heaps: {
        p for p in below(heaps) if len(lowered(heaps, p)) == 1 and sum(heaps) - sum(p) <= 3
    },
    "subtraction": lambda a: {(a - n,) for n in (1, 3, 4) if n <= a},
    "maximum-nim": lambda a: {(u,) for u in range(a - a // 2, a)},
    "two-heights": lambda x, y, z: {
        *((u, y, z) for u in range(x)),
        *((x, v, z) for v in range(y)),
        *((min(x, w // 3), min(y, w // 2), w) for w in range(z)),
    },
    "whole-cuts": lambda y, z: {*((v, z) for v in range(y)), *((y, w) for w in range(2 * y, z))},
}
BOUNDS = {"wythoff": 9, "moore-nim": 3, "exact-nim": 3, "restricted-nim": 6, "two-heights": 9}


def below(position):
    return product(*(range(value + 1) for value in position))


def lowered(before, after):
    return [i for i, (u, v) in enumerate(zip(before, after, strict=True)) if u > v]


def test_every_file_is_tested():
    assert {path.stem for path in GAMES.glob("*.yaml")} == OPTIONS.keys()


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    game = Game.from_file(GAMES / f"{name}.yaml")
    for position in game.positions(BOUNDS.get(name, 30)):
        assert set(game.options(position)) == OPTIONS[name](*position), position


def test_wythoff():
    """Wythoff (1907); the Grundy numbers are those of Winning Ways, chapter 3, for Wyt Queens."""
    game = parse_ruleset("game(wythoff)", base=ROOT)
    # ⌊nφ⌋ = ⌊(n + √5n²) / 2⌋, and ⌊nφ²⌋ = ⌊nφ⌋ + n.
    cold = {((n + isqrt(5 * n * n)) // 2, (n + isqrt(5 * n * n)) // 2 + n) for n in range(30)}
    for a, b in product(range(30), repeat=2):
        assert game.is_p_position((a, b)) == ((min(a, b), max(a, b)) in cold)
    assert [[game.grundy((a, b)) for b in range(7)] for a in range(7)] == [
        [0, 1, 2, 3, 4, 5, 6],
        [1, 2, 0, 4, 5, 3, 7],
        [2, 0, 1, 5, 3, 4, 8],
        [3, 4, 5, 6, 2, 0, 1],
        [4, 5, 3, 2, 7, 6, 9],
        [5, 3, 4, 0, 6, 8, 10],
        [6, 7, 8, 1, 9, 10, 3],
    ]


def test_moore_nim():
    """Moore (1910)."""
    game = parse_ruleset("game(moore-nim)", base=ROOT)
    for heaps in product(range(6), repeat=4):
        ones = [sum(heap >> digit & 1 for heap in heaps) for digit in range(3)]
        assert game.is_p_position(heaps) == all(n % 3 == 0 for n in ones), heaps


def test_exact_nim():
    """arXiv:1508.04484, the theorem for 2k heaps, k = 2: like the formula of Jenkyns and Mayberry for Moore's Nim."""
    game = parse_ruleset("game(exact-nim)", base=ROOT)

    def most_moves(heaps):
        return max(n for n in range(99) if sum(min(heap, n) for heap in heaps) >= 2 * n)

    for heaps in product(range(5), repeat=4):
        least = min(heaps)
        y = most_moves([heap - least for heap in heaps]) + 1
        z = 1 + y * (y - 1) // 2
        expected = most_moves(heaps) if least < z else z - 1 + (least - z) % y
        assert game.grundy(heaps) == expected, heaps
        a, _, c, _ = sorted(heaps)
        assert game.is_p_position(heaps) == (a == c)


@pytest.mark.parametrize("m", [1, 3, 4])
def test_restricted_nim(m):
    """Winning Ways, chapter 4."""
    game = parse_ruleset("game(restricted-nim, m=m)", {"m": m}, base=ROOT)
    for a, b, c in product(range(8), repeat=3):
        assert game.grundy((a, b, c)) == a % (m + 1) ^ b % (m + 1) ^ c % (m + 1)


def test_subtraction():
    """Winning Ways, chapter 4."""
    game = parse_ruleset("game(subtraction)", base=ROOT)
    assert [game.grundy((a,)) for a in range(70)] == [0, 1, 0, 1, 2, 3, 2] * 10


def test_maximum_nim():
    """Levine (2006), of f(n) = ⌊n/2⌋."""
    game = parse_ruleset("game(maximum-nim)", base=ROOT)

    @cache
    def levine(n):
        most = n // 2
        return most if n == 0 or most > (n - 1) // 2 else levine(n - most - 1)

    assert [game.grundy((n,)) for n in range(200)] == [levine(n) for n in range(200)]
    assert [levine(n) for n in range(10)] == [0, 0, 1, 0, 2, 1, 3, 0, 4, 2]


def test_two_heights():
    """Its faces are step bars: step2015, Thm 2.1, has their Grundy numbers for even k."""
    game = parse_ruleset("game(two-heights)", base=ROOT)
    for z in range(24):
        assert all(game.grundy((0, y, z)) == y ^ z for y in range(z // 2 + 1))
        assert all(game.grundy((x, 0, z)) == StepBar(3).grundy((x, z)) for x in range(z // 3 + 1))

    @cache
    def grundy(x, y, z):
        return mex(grundy(*option) for option in OPTIONS["two-heights"](x, y, z))

    assert all(game.grundy(p) == grundy(*p) for p in game.positions(15))


@pytest.mark.parametrize("k", [1, 2, 5])
def test_whole_cuts(k):
    game = parse_ruleset("game(whole-cuts, k=k)", {"k": k}, base=ROOT)
    assert all(game.grundy((y, z)) == z - k * y for y, z in game.positions(30))


def test_the_schema_and_the_reference_are_those_of_the_model():
    assert (GAMES / "schema.json").read_text("utf-8") == games_schema(), (
        "run: choco schema --games > config/games/schema.json"
    )
    assert (ROOT / "docs" / "games-reference.md").read_text("utf-8") == games_reference(), (
        "run: choco schema --games --reference > docs/games-reference.md"
    )


EXAMPLE = """\
game: example
parameters: {k: 4, s: 0}
coordinates: [a, b, c]
heights: {c: (a+b+s)//k}
moves:
  - {lower: [a]}
  - {lower: [b], by: [1, 3]}
  - {lower: [a, b], by: same}
  - {lower: [c], at_most: (c+1)//2}
  - {lower: [b], clip: false}
ends: a+b <= 1
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the game `example`, in which the test runs."""
    (tmp_path / "config" / "games").mkdir(parents=True)
    (tmp_path / "config" / "games" / "example.yaml").write_text(EXAMPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(project, text, name="example"):
    (project / "config" / "games" / f"{name}.yaml").write_text(text)


def test_notation(project):
    game = parse_ruleset("game( example , k = n+1)", {"n": 2})
    assert str(game) == "game(example, k=3, s=0)"
    assert (
        game == Game.from_file("config/games/example.yaml", k=3) != parse_ruleset("game(example)")
    )
    assert game.files == {"config/games/example.yaml"}
    assert parse_ruleset(str(WithPass(game))) == WithPass(game)
    assert WithPass(game).files == game.files
    assert str(parse_ruleset("sum(game(example, s=1, k=2), nim(1))")) == (
        "sum(game(example, k=2, s=1), nim(1))"
    )
    assert read("with-pass(game(example, k=k))").names == {"k"}
    assert game.grundy((3, 2, 1)) == parse_ruleset(str(game), games=game.documents).grundy(
        (3, 2, 1)
    )


@pytest.mark.parametrize(
    ("pattern", "concrete", "found"),
    [
        ("game(example, k=k)", "game(example, k=4, s=0)", {"k": 4}),
        ("game(example, k=k)", "game(example, k=4, s=1)", None),
        ("game(example, k=k, s=k)", "game(example, k=4, s=4)", {"k": 4}),
        ("game(example, s=s, k=k)", "game(example, k=4, s=2)", {"k": 4, "s": 2}),
        ("game(example)", "game(example, k=4)", {}),
        ("game(example)", "game(example, k=5)", None),
        ("game(example, k=k)", "game(other)", None),
        ("game(other)", "game(other)", {}),
        ("game(example, k=k)", "nim(3)", None),
        ("with-pass(game(example, k=k))", "with-pass(game(example, k=7), passes=1)", {"k": 7}),
    ],
)
def test_patterns(project, pattern, concrete, found):
    write(project, "{game: other, coordinates: [a], moves: [{lower: [a]}]}", "other")
    assert match(read(pattern), read(concrete)) == found


def test_a_changed_file_is_read_again(project):
    before = parse_ruleset("game(example)")
    assert parse_ruleset("game(example)").identity == before.identity
    write(project, EXAMPLE.replace("<= 1", "<= 2"))
    after = parse_ruleset("game(example)")
    assert (after.notation, after.identity != before.identity) == (before.notation, True)
    write(project, EXAMPLE.replace("k: 4", "k: 5"))
    assert str(parse_ruleset("game(example)")) == "game(example, k=5, s=0)"
    write(project, EXAMPLE)
    assert parse_ruleset("game(example)") == before


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
        ("lower: [a]}", "lower: []}", "6:6: moves.0.lower: list should have at least 1 item, found 0"),
        ("{lower: [a]}", "{by: any}", "6:5: moves.0.lower: this key is needed"),
        ("[a, b], by: same", "[a, b]", "8:5: moves.2: `by` is needed for several coordinates: any, each, same, or a list of amounts"),
        ("[a, b], by: same", "[a, a], by: same", "8:17: moves.2.lower.1: 'a' is there twice"),
        ("[a, b], by: same", "[a, d], by: same", "8:17: moves.2.lower.1: 'd' is no coordinate, they are a, b, c"),
        ("by: same", "by: sane", "8:21: moves.2.by: needs one of 'any', 'each' or 'same' or a list, found 'sane'"),
        ("[1, 3]", "[]", "7:18: moves.1.by: 1 to 100 amounts are needed, found 0"),
        ("[1, 3]", "[1, 0]", "7:26: moves.1.by.1: an amount is an integer from 1 to 268,435,456, found 0"),
        ("[1, 3]", "[1, s]", "7:26: moves.1.by.1: an amount is an integer from 1 to 268,435,456, found 0"),
        ("[1, 3]", "[1, -2]", "7:26: moves.1.by.1: an amount is an integer from 1 to 268,435,456, found -2"),
        ("[1, 3]", "[1, 1000000000]", "an amount is an integer from 1 to 268,435,456, found 1000000000"),
        ("[1, 3]", "[1, a]", "an amount is an integer from 1 to 268,435,456, found a"),
        ("[1, 3]", f"[{', '.join(map(str, range(1, 102)))}]", "1 to 100 amounts are needed, found 101"),
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
        ("clip", "clips", "unknown key 'clips'; did you mean 'clip'? (allowed: lower, by, at_most, clip)"),
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
        ("{c: (a+b+s)//k}", "{c: b, b: a}", "4:11: heights.c: it depends on b, whose own height is a formula"),
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
    assert "\n" not in str(caught.value)


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
