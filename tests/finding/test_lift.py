"""Lifting: formulas of tables become one with parameters, of which each of them is an instance."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.finding.generalise import lifted as lifted_from
from choco_pipeline.finding.single import lines_of
from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.table_findings import FormulaLine, FormulasFinding, Tried
from choco_pipeline.statements.parse import Names, parse_proposition
from tests.effort import examples
from tests.finding.made_statements import proposed


def lifted(of_tables, *, by_value=False):
    names = Names(("x", "y", "z"), frozenset())
    return lifted_from(
        [(point, parse_proposition(line, names)) for point, line in of_tables], by_value=by_value
    )


def value(line, place):
    """Return the Grundy number that a line gives for a position."""
    return parse(line.removeprefix("G == ")).value(place)


SS = [{"k": k, "s": s} for k in (2, 4, 6) for s in range(1, 6)]


@pytest.mark.parametrize(
    "text",
    [
        "(y ^ (z+s))-s",
        "(x+k) ^ y ^ (z-s)",
        "min(y+k, z//2)",
        "y*k ^ z",
        "y ^ z",
        "(x+s+1) ^ ((y ^ (z+s))+1)",
        "(y-s//2) % k",
        "abs(y-2**v2(s))",
        "(k-1)*y",
    ],
)
def test_a_planted_formula_is_lifted(text):
    # what a miner writes: numbers, computed
    found = []
    for point in SS:
        folded = text
        for part in ("s//2", "2**v2(s)", "k-1", "s+1"):
            folded = folded.replace(part, str(parse(part).value(point)))
        found.append((point, f"G == {parse(folded).substitute(point).text}"))
    place = {"x": 9, "y": 5, "z": 17}
    assert any(
        all(
            value(line, place | point) == parse(text).value(place | point)
            for point in [*SS, {"k": 10, "s": 8}, {"k": 12, "s": 9}]
        )
        for line in lifted(found)
    ), lifted(found)


def test_conditions_and_exceptions_are_lifted():
    found = [
        (
            {"s": s},
            f"y%2 == {s % 2} and not (x == 0 and y == {s} and z == {2 * s}) => (P <=> x ^ y == {s})",
        )
        for s in range(3, 9)
    ]
    expected = "y%2 == s%2 and not (x == 0 and y == s and z == 2*s) => (P <=> x ^ y == s)"
    assert lifted(found)[0] == expected


def test_numbers_of_sets_and_quantifiers_are_lifted():
    sets = [({"s": s}, f"{{(x+{s}) ^ y: P}} <= {{v: v%2 == 1}}") for s in range(1, 5)]
    assert "{(x+s) ^ y: P} <= {v: v%2 == 1}" in lifted(sets)
    each = [({"s": s}, f"every n in 0..{2 * s}: y == n => G == n + {s}") for s in range(1, 5)]
    assert "every n in 0..2*s: y == n => G == n+s" in lifted(each)


def test_a_table_of_another_class_does_not_hide_a_formula():
    """triangular: k = 4m+3 and k = 4m+1 have formulas of the same form."""
    found = [
        ({"k": k}, f"P <=> (x-{shift}) ^ y == 0")
        for k, shift in ((1, 1), (5, 1), (9, 1), (3, 7), (7, 2), (11, 5))
    ]
    assert "P <=> (x-1) ^ y == 0" in lifted(found)


def test_the_same_formula_in_tables_of_no_class():
    shifts = {1: 3, 2: 3, 3: 5, 4: 3, 5: 8, 6: 1, 7: 3, 8: 9, 9: 2, 10: 7, 11: 1, 12: 4}
    found = [({"k": k}, f"G == y+{shift}") for k, shift in shifts.items()]
    assert "G == y+3" in lifted(found)


def test_signs():
    found = [({"k": k}, f"G == y+{k - 4}") for k in range(1, 9) if k != 4]
    assert "G == y+k-4" in lifted(found)
    found = [({"k": k}, f"G == y-{k}") for k in range(1, 9)]
    assert "G == y-k" in lifted(found)


@settings(max_examples=examples(25))
@given(st.lists(st.integers(0, 40), min_size=6, max_size=12, unique=True))
def test_what_is_lifted_says_what_it_was_lifted_from(numbers):
    found = [({"k": k}, f"G == y+{n}") for k, n in enumerate(numbers, start=1) if n]
    for line in lifted(found):
        assert any(
            value(line, {"y": 100} | point) == value(one, {"y": 100}) for point, one in found
        )


def test_findings():
    tried = Tried(candidates=9, what="formulas")
    lines = [FormulaLine(formula="y", where="y%2 == 0"), FormulaLine(formula="z", where="y%2 == 1")]
    mined = FormulasFinding(label="G =", formulas=tuple(lines), tried=tried)
    game = parse_ruleset("nim(2)")
    assert list(lines_of(mined, game)) == [
        "(y%2 == 0) => (G == y)",
        "(y%2 == 1) => (G == z)",
    ]
    assert list(lines_of(FormulasFinding(nothing=True, tried=tried), game)) == []
    assert list(lines_of(proposed("P <=> a == b"), game)) == ["P <=> a == b"]


def test_the_other_residue_modulo_2_is_said_not_to_be_this_one():
    found = [
        (point, f"(y+z)%2 == {1 - point['s'] % 2} => G == z")
        for point in ({"s": s} for s in range(6))
    ]
    assert "(y+z)%2 != s%2 => G == z" in lifted(found)


def test_integers_of_small_tables_where_several_are_right():
    """Of heights ⌊min(x, z)/k⌋ + c, as far as bound 31: what is right farther out has not the smallest integers."""
    right = {
        (1, 2): (2, -14),
        (1, 4): (4, -4, -12, 12),
        (2, 2): (4, -12),
        (2, 4): (-8, 8, -16, 16),
        (3, 4): (-4, 12),
        (4, 2): (8, -8),
        (4, 4): (-16, 16),
    }
    shifts = [
        ({"c": c, "k": k}, f"P <=> (x{n:+}) ^ y ^ (z{n:+}) == 0")
        for (c, k), several in right.items()
        for n in several
    ]
    assert "P <=> (x+c*k) ^ y ^ (z+c*k) == 0" in lifted(shifts)


def test_games_with_the_same_value_of_one_parameter():
    """Of heights ⌊(x+z+c)/k⌋ with k = 1 and 5, which are in one class modulo 4, no expression gives the numbers of both."""
    numbers = {1: (6, 7, 7, 7, 7, 7, 7), 5: (6, 7, 7, 8, 8, 9, 9)}
    of_tables = [
        ({"c": c, "k": k}, f"G == y+{number}")
        for k, several in numbers.items()
        for c, number in enumerate(several)
    ]
    of_five = "G == y+c-c//2+6"
    assert of_five in lifted(of_tables, by_value=True)
    assert of_five not in lifted(of_tables)
