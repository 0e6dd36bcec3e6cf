"""Shifts: the printed ones come out of the machine, mismatches are exact, and rules over k need no hint."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, SolidBar, StripBar, WithPass, p_table
from choco_pipeline.mining.rules import shift_rules
from choco_pipeline.mining.shifts import LARGEST, _mismatches, best_shifts, shift_text


@pytest.mark.parametrize(
    ("game", "bound", "shift"),
    [
        (SolidBar("(x+z)//3"), 40, [0, 0, 0]),  # triangular, Thm 7.3
        (SolidBar("(x+z)//7"), 40, [0, 0, 0]),
        (SolidBar("(x+z)//5"), 40, [-1, 0, -1]),  # triangular, Conj 8.1
        (SolidBar("(x+z)//9"), 40, [-1, 0, -1]),
        (StripBar(4, 2), 40, [2, 0, 2]),  # step2015, Thm 3.1
        (StripBar(6, 5), 40, [5, 0, 5]),
        (WithPass(StripBar(4)), 40, None),
        (SolidBar("(x+z)//2"), 40, None),  # triangular, Example 8.7: no formula seen
    ],
)
def test_printed_shifts(game, bound, shift):
    best = best_shifts(game, bound, p_table(game, bound))["best"]
    exact = [found["shift"] for found in best if found["mismatches"] == 0]
    assert (shift in exact) if shift else not exact, best


def test_games_without_a_shift():
    assert best_shifts(Nim(3), 5, p_table(Nim(3), 5)) is None


@settings(max_examples=40)
@given(
    st.integers(1, 7),
    st.integers(0, 9),
    st.tuples(*[st.integers(-3, 3)] * 3),
    st.integers(0, 1),
    st.booleans(),
)
def test_mismatches_are_columns_that_the_formula_gets_wrong(k, bound, shift, passes, strip):
    a, b, c = shift
    base = StripBar(k, 2) if strip else SolidBar(f"(x+z)//{k}")
    game = WithPass(base, passes) if passes else base
    columns = {}
    for position in game.positions(bound):
        x, y, z = position[:3]
        p = position[3] if passes else 0
        column = (y, z, p) if strip else (x, z, p)
        said, found = columns.setdefault(column, (set(), set()))
        value = x if strip else y
        if ((x + a) ^ (y + b) ^ (z + c) ^ p) == 0:
            said.add(value)
        if game.grundy(position) == 0:
            found.add(value)
    data = p_table(game, bound)
    cells = data["p_x" if strip else "p_y"].values
    cells = cells if passes else cells[None]
    heights = None if strip else base.f.table(bound + 1, bound + 1)
    wrong = _mismatches(cells, heights, shift)
    if strip:  # x may exceed the bound, so columns are compared where either lies inside
        certain = sum(said != found for said, found in columns.values())
        beyond = int((cells > bound).sum())
        assert certain <= wrong <= certain + beyond
    else:
        assert wrong == sum(said != found for said, found in columns.values())


def test_rules_over_k_come_out_of_the_tables():
    """triangular, Thm 7.3 and Conj 8.1: k=4m+3 has no shift, k=4m+1 shifts by −1."""
    tables, findings = [], []
    for k in range(1, 20):
        game = SolidBar(f"(x+z)//{k}")
        tables.append({"id": str(k), "sweeps": ["t"], "parameters": {"k": k}})
        findings.append({"table": str(k), **best_shifts(game, 63, p_table(game, 63))})
    rules = {(r["modulus"], r["residue"]): r for r in shift_rules(tables, findings)}
    assert rules[4, 3]["shift"] == [0, 0, 0]
    assert rules[4, 3]["members"] == [3, 7, 11, 15, 19]
    assert rules[4, 1]["shift"] == [-1, 0, -1]
    assert rules[4, 1]["members"] == [1, 5, 9, 13, 17]
    assert "k ≡ 1 (mod 4): (x−1)⊕y⊕(z−1)=0" in rules[4, 1]["text"]
    assert not any(values[0] % 2 == 0 and values[1] % 2 == 0 for values in rules), (
        "even k have no rule"
    )


def test_a_shift_that_is_a_parameter():
    """step2015, Thm 3.1: the shift is s, whatever k is."""
    tables, findings = [], []
    for k in (2, 4, 6):
        for s in range(k):
            game, number = StripBar(k, s), f"{k}-{s}"
            tables.append({"id": number, "sweeps": ["t"], "parameters": {"k": k, "s": s}})
            findings.append({"table": number, **best_shifts(game, 63, p_table(game, 63))})
    (rule,) = shift_rules(tables, findings)
    assert rule["text"] == "every s of the sweep: (x+s)⊕y⊕(z+s)=0, without a mismatch in 12 tables"
    tables[3]["parameters"]["s"] = 5
    assert "every s of the sweep" not in " ".join(r["text"] for r in shift_rules(tables, findings))


def test_a_rule_needs_members_and_agreement():
    tables = [{"id": str(k), "sweeps": ["t"], "parameters": {"k": k}} for k in (1, 2)]
    findings = [
        {"table": str(k), "kind": "shifts", "best": [{"shift": [0, 0, 0], "mismatches": 0}]}
        for k in (1, 2)
    ]
    assert shift_rules(tables, findings) == []


def test_text():
    assert shift_text((0, 0, 0), with_pass=False) == "x⊕y⊕z=0"
    assert shift_text((2, 0, 2), with_pass=True) == "(x+2)⊕y⊕(z+2)⊕p=0"
    assert LARGEST >= 1000
