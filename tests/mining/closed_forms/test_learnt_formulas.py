"""Formulas found in tables alone: those of the papers and new ones, right by definition; in random tables there are none."""

from __future__ import annotations

import json
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import CutGame, grundy_table, p_table, parse_ruleset
from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms.learnt_formulas import (
    EXCEPTIONS,
    equation,
    mine_formulas,
)
from choco_pipeline.mining.closed_forms.synthesis import Atoms, Target, shortest_cases
from choco_pipeline.mining.closed_forms.value_sets import conditions_on
from choco_pipeline.mining.table_findings import FormulaLine
from choco_pipeline.tables.cells import Cells
from tests.effort import examples


def mined(text, bound, quantity):
    game = parse_ruleset(text)
    data = (grundy_table if quantity == "grundy" else p_table)(game, bound)
    return mine_formulas(Cells.of(game, bound, data))


@cache
def known(text):
    """Return a game that remembers the Grundy numbers it was asked for."""
    return parse_ruleset(text)


def is_right(text, found, bound):
    """Whether at every position up to a bound a finding says what the definition does, but for its exceptions."""
    game, wrong = known(text), []
    lines = [(parse(one.formula), parse(one.where or "0 == 0")) for one in found.formulas]
    for position in game.positions(bound):
        at = dict(zip(game.coordinates, position, strict=True))
        truth = game.grundy(position) if found.label == "G =" else game.is_p_position(position)
        said = {formula.value(at) for formula, where in lines if where.value(at)}
        if said and said != {truth}:
            wrong.append(list(position))
    return wrong == [list(position) for position in found.exceptions]


def test_a_period_is_a_modulus_of_formulas():
    """Powers of 2 may be taken, which are no amounts that the rules list."""
    power = {"lower": {"a": "n"}, "where": "n > 0 and n & (n-1) == 0"}
    game = CutGame(coordinates=["a"], moves=[power])
    found = mine_formulas(Cells.of(game, 255, grundy_table(game, 255)))
    assert [line.formula for one in found for line in one.formulas] == ["a%3"]


@pytest.mark.parametrize(
    ("text", "bound", "formula"),
    [
        ("step-bar(k=4)", 64, "y ^ z"),  # step2015, Thm 2.1
        ("step-bar(k=2, s=1)", 64, "(y ^ (z+1))-1"),  # step2015, Thm 3.2
        ("step-bar(k=4, s=6)", 96, "(y ^ (z+6))-6"),
        ("strip-bar(k=2)", 24, "x ^ y ^ z"),
        ("nim(2)", 40, "a ^ b"),
        ("with-pass(step-bar(k=4, s=1), passes=1)", 64, "max(0, (y ^ (z+1) ^ p)-1)"),
        ("solid-bar(f=(x+z)//3)", 64, "x ^ y ^ z == 0"),  # triangular, Thm 7.3
        ("solid-bar(f=(x+z)//7)", 64, "x ^ y ^ z == 0"),
        ("solid-bar(f=(x+z)//5)", 64, "(x-1) ^ y ^ (z-1) == 0"),  # triangular, Conj 8.1
        ("solid-bar(f=(x+z)//9)", 128, "(x-1) ^ y ^ (z-1) == 0"),
        ("strip-bar(k=4, s=3)", 64, "(x+3) ^ y ^ (z+3) == 0"),  # step2015, Thm 3.1
        ("nim(3)", 24, "a ^ b ^ c == 0"),
    ],
)
def test_one_formula(text, bound, formula):
    is_p = formula.endswith("== 0")
    found, *others = mined(text, bound, "p-positions" if is_p else "grundy")
    assert not (others and is_p)
    assert found.formulas == (FormulaLine(formula=formula, where=""),)
    assert (found.label, found.exceptions) == ("P iff" if is_p else "G =", ())
    assert is_right(text, found, 8)


MOVES = [{"lower": list(pair), "by": "any"} for pair in ("ab", "ac", "bc")]
MOORE = {"game": "three-of-which-two", "coordinates": ["a", "b", "c"], "moves": MOVES}


def test_two_equations_tell_p_positions(tmp_path, monkeypatch):
    """E. H. Moore (1910): with three heaps, of which one or two are lowered, all are the same."""
    folder = tmp_path / "config" / "games"
    folder.mkdir(parents=True)
    (folder / "three-of-which-two.yaml").write_text(json.dumps(MOORE))
    monkeypatch.chdir(tmp_path)
    (found,) = mined("game(three-of-which-two)", 20, "p-positions")
    assert found.formulas == (FormulaLine(formula="a == b and a == c", where=""),)
    assert is_right("game(three-of-which-two)", found, 7)


@pytest.mark.parametrize(
    ("most", "grundy"),
    [
        pytest.param(2, "a%3 ^ b%3 ^ c%3", marks=pytest.mark.full),
        (3, "(a ^ b ^ c)%4"),
        (5, "a%6 ^ b%6 ^ c%6"),
    ],
)
def test_several_heaps_of_which_some_amounts_may_be_taken(most, grundy):
    """Berlekamp, Conway and Guy, Winning Ways: heaps of n are n mod (m+1)."""
    game = f"game(restricted-nim, m={most})"
    for quantity, formula in (("grundy", grundy), ("p-positions", f"{grundy} == 0")):
        (found,) = mined(game, 23, quantity)
        assert found.formulas == (FormulaLine(formula=formula, where=""),)
        assert is_right(game, found, 8)


def test_an_uncut_rectangular_bar_is_told_by_its_poisoned_cell():
    """patterns, Thm 2.3, where i and j count from 1."""
    (found,) = mined("rectangular-bar(m=21, n=21)", None, "p-positions")
    assert found.formulas == (
        FormulaLine(formula="(i-1) ^ (21-i) ^ (j-1) ^ (21-j) == 0", where=""),
    )
    assert found.found_on.positions + found.held_on.positions > 21 * 21


@pytest.mark.parametrize("s", [0, 1, 2])
def test_the_one_exception_of_pass2016_theorem_4_1_is_stated(s):
    """For odd s it is the theorem. For even s pass2016, Conj 4.1 gives a set of values; these games have a formula, too."""
    text = f"with-pass(strip-bar(k=4, s={s}), passes=1)"
    found = mined(text, 64, "p-positions")
    assert [one.exceptions for one in found] == [(), ((0, 0, 0, 1),)]
    assert all(is_right(text, one, 9) for one in found)
    if s == 1:
        lines = [one.formulas[0].formula for one in found]
        assert lines == ["x == max(0, (y ^ (z+1) ^ p)-1)", "(x+1) ^ y ^ (z+1) ^ p == 0"]


@pytest.mark.parametrize(
    ("k", "s"), [(3, 1), *(pytest.param(*one, marks=pytest.mark.full) for one in ((3, 0), (5, 2)))]
)
def test_half_of_the_positions_of_a_bar_with_odd_k(k, s):
    """Where y + z + s is even; for the others a formula is found beyond a line, and beyond no less steep or lower one."""
    text = f"step-bar(k={k}, s={s})"
    found, beyond = mined(text, 96, "grundy")
    (line,) = beyond.formulas
    assert line.formula == "z-(y+1)//2"
    high = f"z+{s}" if s else "z"
    assert line.where == f"(y+z)%2 == {1 - s % 2} and {high} >= {k + 1}*y"
    assert is_right(text, beyond, 30)
    for nearer in (f"z+{s + 1} >= {k + 1}*y", f"z+{s} >= {k}*y"):
        wider = line.model_copy(update={"where": f"(y+z)%2 == {1 - s % 2} and {nearer}"})
        assert not is_right(text, beyond.model_copy(update={"formulas": (wider,)}), 40)
    assert found.formulas == (FormulaLine(formula="z+(y+1)//2", where=f"(y+z)%2 == {s % 2}"),)
    assert is_right(text, found, 30)
    positions = [p for p in parse_ruleset(text).positions(96) if sum(p) % 2 == s % 2]
    assert found.found_on.positions + found.held_on.positions == len(positions)


def planted(text, bound, values):
    """A table of the Grundy numbers' shape that holds the given numbers at its positions."""
    game = parse_ruleset(text)
    data = grundy_table(game, bound)
    cells = data.grundy.values.astype(np.int64)
    legal = cells >= 0
    cells[legal] = values(np.nonzero(legal))
    return game, data.assign(grundy=(data.grundy.dims, cells))


@settings(max_examples=examples(12))
@given(
    st.sampled_from(
        [
            "y ^ z",
            "(y ^ (z+{a}))+{b}",
            "z//{a}+y",
            "min(y+{a}, z-{b})+9",
            "(2*y) ^ (z//{a})",
            "max(3*y, z)+{b}",
            "(z%{a}) ^ y",
            "v2(z+{a})+y",
            "((y+{a}) ^ z)+(y ^ z)//2",
        ]
    ),
    st.integers(1, 4),
    st.integers(0, 5),
)
def test_planted_formulas_are_found(shape, a, b):
    text = shape.format(a=a, b=b)
    formula = parse(text)
    bar = f"step-bar(k={a})"
    game, data = planted(bar, 60, lambda at: formula.evaluate(dict(zip("yz", at, strict=True))))
    (found,) = mine_formulas(Cells.of(game, 60, data))
    (one,) = found.formulas
    assert one.where == ""
    for y, z in game.positions(80):
        assert parse(one.formula).value({"y": y, "z": z}) == formula.value({"y": y, "z": z})


@settings(max_examples=examples(4))
@given(st.integers(0, 1000), st.sampled_from([2, 5, 40]))
def test_a_random_table_has_no_formula_and_says_what_was_tried(seed, values):
    random = np.random.default_rng(seed)
    game, data = planted("step-bar(k=2)", 48, lambda at: random.integers(0, values, at[0].size))
    (found,) = mine_formulas(Cells.of(game, 48, data))
    assert found.model_dump().keys() == {"kind", "nothing", "tried"}
    assert found.tried.candidates > 3000
    columns = p_table(parse_ruleset("solid-bar(f=(x+z)//2)"), 48)
    shuffled = random.permutation(columns.p_y.values.ravel()).reshape(columns.p_y.shape)
    data = columns.assign(p_y=(columns.p_y.dims, shuffled))
    (found,) = mine_formulas(Cells.of(parse_ruleset("solid-bar(f=(x+z)//2)"), 48, data))
    assert found.nothing is True


def test_a_formula_that_fails_outside_of_the_box_is_not_reported():
    """solid2022, Conj 1: for k = 6 the nim-sum is right near the origin only."""
    text = "solid-bar(f=(x+z)//6)"
    (found,) = mined(text, 64, "p-positions")
    assert found.nothing is True

    def wrong_far_out(at):
        y, z = at
        return (y ^ z) + (z == 50)

    game, data = planted("step-bar(k=2)", 60, wrong_far_out)
    assert mine_formulas(Cells.of(game, 60, data))[0].nothing is True


@pytest.mark.parametrize(
    "many",
    [1, *(pytest.param(EXCEPTIONS + more, marks=pytest.mark.full) for more in (0, 1))],
)
def test_a_few_exceptions_are_stated_and_many_are_not(many):
    places = [(0, 1), (1, 3), (2, 9), (0, 13), (3, 20)][:many]

    def nearly(at):
        y, z = at
        off = np.any([(y == a) & (z == b) for a, b in places], axis=0)
        return (y ^ z) + 5 * off

    game, data = planted("step-bar(k=2)", 80, nearly)
    found = mine_formulas(Cells.of(game, 80, data))
    if many > EXCEPTIONS:
        assert all(part.where for one in found for part in one.formulas)
        return
    one = found[-1]
    assert one.formulas == (FormulaLine(formula="y ^ z", where=""),)
    assert sorted(map(tuple, one.exceptions)) == sorted(places)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("x ^ z", "x ^ y ^ z == 0"),
        ("((x-1) ^ (z-1))+2", "(x-1) ^ (y-2) ^ (z-1) == 0"),
        ("(z//2 ^ (x+1))-1", "(x+1) ^ (y+1) ^ z//2 == 0"),
        ("x//2+z", "y == x//2+z"),
        ("max(0, (x ^ z)-1)", "y == max(0, (x ^ z)-1)"),
    ],
)
def test_an_equation_for_a_coordinate_is_a_nim_sum_if_it_can_be(formula, said):
    assert equation("y", formula, "xyz") == said
    for x, z, y in product(range(5), range(5), range(-3, 12)):
        place = {"x": x, "y": y, "z": z}
        assert parse(said).value(place) is (y == parse(formula).value(place))


def test_cases_by_passes_are_those_of_the_game_not_of_what_is_never_more_than_1():
    x, y = np.indices((40, 2)).reshape(2, -1)
    points = {"x": x, "y": y}
    target = Target(np.where(y == 0, x, 3 * x // 2 + 7 * (x % 3)))

    def found(numbers, **passes):
        cases = shortest_cases(Atoms.at(points, (), passes, with_grammar=True), numbers)
        return [case.where for case in cases or ()]

    assert found(target, y=1) == []
    half = Target(np.where(y == 0, x, 3 * x // 2 + 7))
    assert found(half, y=1) == ["y == 0", "y == 1"]
    # with two passes there are positions with both left, and no formula for these
    assert not any("y ==" in where for where in [*found(half), *found(half, y=2)] if where)


@pytest.mark.parametrize("side", [8, pytest.param(64, marks=pytest.mark.full)])
def test_where_all_positions_are_p_no_formula_tells_them_from_others(side):
    game = parse_ruleset(f"rectangular-bar({side},{side})")
    heaps = ((i, side - 1 - i, j, side - 1 - j) for i in range(side) for j in range(side))
    assert all(a ^ b ^ c ^ d == 0 for a, b, c, d in heaps)
    for finding in mined(game.notation, side - 1, "p-positions"):
        assert finding.nothing, finding


NUMBERS = np.arange(128)


@pytest.mark.parametrize(
    "truth",
    [
        "a%7 == 0 or a%7 == 2",
        "a%5 == 2",
        "(a+1) & a == 0",
        "a >= 1 and a & (a-1) == 0",
        "a%9%2 == 0 and a%9 < 8",
        "a%30 < 10",
        "a%20%3 == 1 and a%20 >= 7",
    ],
)
def test_sets_with_a_form(truth):
    inside = np.broadcast_to(parse(truth).evaluate({"a": NUMBERS}), NUMBERS.shape)
    first = next(conditions_on("a", inside))
    far = np.arange(1 << 12)
    assert (parse(first).evaluate({"a": far}) == parse(truth).evaluate({"a": far})).all()


def test_sets_without_a_form():
    random = np.random.default_rng(0).random(128) < 0.5
    residues = np.isin(NUMBERS % 30, [0, 1, 3, 4, 9, 12, 13, 20, 21, 28])
    spoilt = (NUMBERS % 7 == 0) | (NUMBERS == 100)
    for one in (spoilt, random, NUMBERS >= 0, NUMBERS < 0, residues):
        assert list(conditions_on("a", one)) == []


def test_a_set_that_the_second_half_refutes_is_not_said():
    """Restricted Nim in which 1 or 2 may be taken: every third number, until one cell is another one."""
    game = parse_ruleset("game(subtraction)")
    data = p_table(game, 255)
    (right,) = mine_formulas(Cells.of(game, 255, data))
    assert [line.formula for line in right.formulas] == ["a%7 == 0 or a%7 == 2"]
    data["p_position"].values[200] = 1 - data["p_position"].values[200]
    assert all("%7" not in str(one.formulas) for one in mine_formulas(Cells.of(game, 255, data)))
