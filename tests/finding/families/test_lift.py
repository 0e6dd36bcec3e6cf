"""Lifting: formulas of tables become one with parameters, of which each of them is an instance."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.finding.families.lift import LabelledFormula, labelled_formulas_in, lifted
from choco_pipeline.formula import parse
from choco_pipeline.mining.search_evidence import Candidates
from choco_pipeline.mining.table_findings import (
    ComparedShift,
    FormulaLine,
    FormulasFinding,
    ShiftsFinding,
)
from tests.effort import examples


def instances(text, points, label="G =", where=""):
    return [
        (
            point,
            LabelledFormula(
                label,
                parse(text).substitute(point).text,
                parse(where).substitute(point).text if where else "",
            ),
        )
        for point in points
    ]


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
        found.append((point, LabelledFormula("G =", parse(folded).substitute(point).text)))
    place = {"x": 9, "y": 5, "z": 17}
    assert any(
        all(
            parse(said.formula).value(place | point) == parse(text).value(place | point)
            for point in [*SS, {"k": 10, "s": 8}, {"k": 12, "s": 9}]
        )
        for said in lifted(found)
    ), [said.formula for said in lifted(found)]


def test_conditions_and_exceptions_are_lifted():
    found = [
        (
            {"s": s},
            LabelledFormula(
                "P iff", f"x ^ y == {s}", f"y%2 == {s % 2}", (("0", str(s), str(2 * s)),)
            ),
        )
        for s in range(3, 9)
    ]
    first = next(iter(lifted(found)))
    assert first == LabelledFormula("P iff", "x ^ y == s", "y%2 == s%2", (("0", "s", "2*s"),))


def test_a_table_of_another_class_does_not_hide_a_formula():
    """triangular: k = 4m+3 and k = 4m+1 have formulas of the same form."""
    found = [
        ({"k": k}, LabelledFormula("P iff", f"(x-{shift}) ^ y == 0"))
        for k, shift in ((1, 1), (5, 1), (9, 1), (3, 7), (7, 2), (11, 5))
    ]
    assert LabelledFormula("P iff", "(x-1) ^ y == 0") in lifted(found)


def test_the_same_formula_in_tables_of_no_class():
    shifts = {1: 3, 2: 3, 3: 5, 4: 3, 5: 8, 6: 1, 7: 3, 8: 9, 9: 2, 10: 7, 11: 1, 12: 4}
    found = [({"k": k}, LabelledFormula("G =", f"y+{shift}")) for k, shift in shifts.items()]
    assert lifted(found)[LabelledFormula("G =", "y+3")] == {"k": 1}


def test_signs():
    found = [
        ({"k": k}, LabelledFormula("G =", parse(f"y+{k - 4}").text)) for k in range(1, 9) if k != 4
    ]
    assert LabelledFormula("G =", "y+k-4") in lifted(found)
    found = [({"k": k}, LabelledFormula("G =", parse(f"y-{k}").text)) for k in range(1, 9)]
    assert LabelledFormula("G =", "y-k") in lifted(found)


@settings(max_examples=examples(25))
@given(st.lists(st.integers(0, 40), min_size=6, max_size=12, unique=True))
def test_what_is_lifted_says_what_it_was_lifted_from(numbers):
    found = [
        ({"k": k}, LabelledFormula("G =", f"y+{n}")) for k, n in enumerate(numbers, start=1) if n
    ]
    for said, point in lifted(found).items():
        wanted = dict((one["k"], formula.formula) for one, formula in found)[point["k"]]
        value = parse(said.formula).value({"y": 100} | point)
        assert value == parse(wanted).value({"y": 100})


def test_findings():
    tried = Candidates(candidates=9, what="formulas")
    lines = [FormulaLine(formula="y", where="y%2 == 0"), FormulaLine(formula="z", where="y%2 == 1")]
    mined = FormulasFinding(label="G =", formulas=tuple(lines), tried=tried)
    assert [one.where for one in labelled_formulas_in(mined, with_pass=False)] == [
        "y%2 == 0",
        "y%2 == 1",
    ]
    assert (
        list(labelled_formulas_in(FormulasFinding(nothing=True, tried=tried), with_pass=False))
        == []
    )
    best = (
        ComparedShift(shift=(-1, 0, 2), mismatches=0, cells=9, text="(x−1)⊕y⊕(z+2)⊕p=0"),
        ComparedShift(shift=(0, 0, 0), mismatches=3, cells=9, text="x⊕y⊕z=0"),
    )
    (shift,) = labelled_formulas_in(ShiftsFinding(best=best), with_pass=True)
    assert shift == LabelledFormula("P iff", "(x-1) ^ y ^ (z+2) ^ p == 0")


def test_the_other_residue_modulo_2_is_said_not_to_be_this_one():
    found = [
        (point, LabelledFormula("G =", "z", parse(f"(y+z)%2 == {1 - point['s'] % 2}").text))
        for point in ({"s": s} for s in range(6))
    ]
    assert "(y+z)%2 != s%2" in {said.where for said in lifted(found)}


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
        ({"c": c, "k": k}, LabelledFormula("P iff", f"(x{n:+}) ^ y ^ (z{n:+}) == 0"))
        for (c, k), several in right.items()
        for n in several
    ]
    assert LabelledFormula("P iff", "(x+c*k) ^ y ^ (z+c*k) == 0") in lifted(shifts)


def test_games_with_the_same_value_of_one_parameter():
    """Of heights ⌊(x+z+c)/k⌋ with k = 1 and 5, which are in one class modulo 4, no expression gives the numbers of both."""
    numbers = {1: (6, 7, 7, 7, 7, 7, 7), 5: (6, 7, 7, 8, 8, 9, 9)}
    of_tables = [
        ({"c": c, "k": k}, LabelledFormula("G =", f"y+{number}"))
        for k, several in numbers.items()
        for c, number in enumerate(several)
    ]
    of_five = LabelledFormula("G =", "y+c-c//2+6")
    assert of_five in lifted(of_tables, by_value=True)
    assert of_five not in lifted(of_tables)
