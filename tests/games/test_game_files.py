"""The games of config/games, against known results."""

from functools import cache
from itertools import product
from math import isqrt
from operator import ge
from pathlib import Path

import pytest

from choco_pipeline import Game, StepBar, WithPass, parse_ruleset
from choco_pipeline.documents.reference import schema_text
from choco_pipeline.games import mex
from choco_pipeline.games.game_file import GameFile, games_reference
from choco_pipeline.games.notation import match, read
from tests.games.conftest import EXAMPLE, write

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
    "subtraction-set": lambda a: {(a - n,) for n in (1, 3, 4) if n <= a},
    "maximum-nim": lambda a: {(u,) for u in range(a - a // 2, a)},
    "two-heights": lambda x, y, z: {
        *((u, y, z) for u in range(x)),
        *((x, v, z) for v in range(y)),
        *((min(x, w // 3), min(y, w // 2), w) for w in range(z)),
    },
    "whole-cuts": lambda y, z: {*((v, z) for v in range(y)), *((y, w) for w in range(2 * y, z))},
    "euclid": lambda a, b: {
        *((a - n, b) for n in range(b, a, b)),
        *((a, b - n) for n in range(a, b, a)),
    },
    "subtract-a-square": lambda a: {(a - n * n,) for n in range(1, a + 1) if n * n <= a},
    "one-or-all": lambda *heaps: {
        p for p in below(heaps) if taken(heaps, p) in ([0, 0, 1], [1, 1, 1])
    },
    "one-or-two": lambda *heaps: {
        p for p in below(heaps) if taken(heaps, p) in ([0, 0, 1], [0, 1, 1])
    },
    "three-amounts": lambda a: {(a - n,) for n in (2, 12, 14) if n <= a},
    "silver-dollar": lambda a, b, c: {
        *((u, b, c) for u in range(a)),
        *((a, v, c) for v in range(a + 1, b)),
        *((a, b, w) for w in range(b + 1, c)),
    },
    "welter": lambda a, b: {
        *((u, b) for u in range(a) if u != b),
        *((a, v) for v in range(b) if v != a),
    },
    "chomp": lambda a, b, c: {
        *((u, min(b, u), min(c, u)) for u in range(1, a)),
        *((a, v, min(c, v)) for v in range(b)),
        *((a, b, w) for w in range(c)),
    },
    "triangle": lambda *heaps: {fitting(p) for p in below(heaps) if len(lowered(heaps, p)) == 1},
    "misere-nim": lambda *heaps: {p for p in below(heaps) if len(lowered(heaps, p)) == 1},
}

#: The same of games whose moves leave two heaps.
HEAPS = {
    "kayles": lambda a: {(u, a - n - u) for n in (1, 2) for u in range(a - n + 1)},
    "dawson-kayles": lambda a: {(u, a - 2 - u) for u in range(a - 1)},
    "grundys-game": lambda a: {(u, a - u) for u in range(1, a) if 2 * u != a},
}


BOUNDS = {"wythoff": 9, "moore-nim": 3, "exact-nim": 3, "restricted-nim": 6, "two-heights": 9}
BOUNDS |= {
    "one-or-all": 5,
    "one-or-two": 5,
    "silver-dollar": 9,
    "chomp": 9,
    "misere-nim": 5,
    "triangle": 5,
}


def below(position):
    return product(*(range(value + 1) for value in position))


def lowered(before, after):
    return [i for i, (u, v) in enumerate(zip(before, after, strict=True)) if u > v]


def fitting(heaps):
    """Return the largest position with three heaps below these, by trying all."""
    fit = [p for p in below(heaps) if 2 * max(p) <= sum(p)]
    (largest,) = (p for p in fit if all(map(all, (map(ge, p, q) for q in fit))))
    return largest


def taken(before, after):
    return sorted(u - v for u, v in zip(before, after, strict=True))


def test_every_file_is_tested():
    assert {path.stem for path in GAMES.glob("*.yaml")} == OPTIONS.keys() | HEAPS.keys()


@pytest.mark.parametrize("name", HEAPS)
def test_heaps_that_moves_leave(name):
    game = Game.from_file(GAMES / f"{name}.yaml")
    for a in range(30):
        found = {(u, v) for (u,), (v,) in game.results((a,))}
        assert found == HEAPS[name](a), a


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name):
    game = Game.from_file(GAMES / f"{name}.yaml")
    for position in game.positions(BOUNDS.get(name, 30)):
        assert set(game.options(position)) == OPTIONS[name](*position), position


def test_wythoff():
    """Wythoff (1907); Grundy numbers of Winning Ways, chapter 3 (Wyt Queens)."""
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
    """arXiv:1508.04484, the theorem for 2k heaps, k = 2."""
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
    """The faces are step bars, with the Grundy numbers of step2015, Thm 2.1."""
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
    assert (GAMES / "schema.json").read_text("utf-8") == schema_text(GameFile), (
        "run: choco schema --games > config/games/schema.json"
    )
    assert (ROOT / "docs" / "games-reference.md").read_text("utf-8") == games_reference(), (
        "run: choco schema --games --reference > docs/games-reference.md"
    )


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
