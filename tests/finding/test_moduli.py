"""Moduli in parameters: found where they divide, with the condition; not where they divide nothing, or by chance."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import gcd

import numpy as np
import pytest

from choco_pipeline.claims.checks import scan
from choco_pipeline.finding import tables
from choco_pipeline.finding.moduli import FamilyModuli
from choco_pipeline.finding.tables import MemberTable, TableFamily
from choco_pipeline.mining.task import part_of
from choco_pipeline.tables.cells import p_position_rows
from tests.finding.made_statements import cells_of

SLOPES = "solid-bar(f=x//k+z//k)"


def family(ruleset, ks, bound=40):
    def member(k):
        cells = cells_of(ruleset, bound, k=k)
        return MemberTable({"k": k}, lambda: cells)

    return TableFamily.of(ruleset, [member(k) for k in ks])


def multiples(modulus):
    """Return the line that all nim-sums at P-positions are multiples of a modulus."""
    return f"{{x ^ y ^ z: P}} <= {{v: v%{modulus} == 0}}"


def test_two_slopes():
    """By exhaustion; of k = 8 and 12 no other nim-sum than 0 is seen, and of k = 2 all are multiples of 4."""
    found = FamilyModuli(family(SLOPES, (2, 4, 6, 8, 12)))
    assert [divisor for divisor, _ in found.divisors] == [4, 4, 2, 0, 0]
    sure, (one,), *_ = found.proposals()
    assert sure == [], "one table is put aside: too few"
    assert (one.when, one.statement) == ("", multiples("2**v2(k)"))
    assert one.seen == ((2,), (4,), (6,), (8,), (12,))
    (claim,) = one.claims
    assert claim.is_about({"k": 40})


@pytest.mark.parametrize(
    ("ruleset", "ks", "bound", "found"),
    [
        (SLOPES, range(1, 17), 40, [("k%2 == 0", multiples("2**v2(k)"))]),
        # by the proved formulas for odd k, x ^ y ^ z is even; for k = 4m+3 it is 0, which is no evidence
        ("solid-bar(f=(x+z)//k)", range(1, 25), 40, [("k%2 == 1", multiples("2"))]),
        ("solid-bar(f=(x+z)//k)", (2, 4, 6, 8, 10, 12), 40, []),
        ("solid-bar(f=(x+z+k)//3)", range(4), 20, []),  # 0 has no 2-adic value
    ],
)
def test_moduli_come_with_their_conditions(ruleset, ks, bound, found):
    sure, doubtful, _ = FamilyModuli(family(ruleset, ks, bound)).proposals()
    assert [(one.when, one.statement) for one in (*sure, *doubtful)] == found


@pytest.mark.parametrize(
    ("heights", "when"),
    [
        # with odd k all nim-sums are 0: they neither narrow the condition nor speak for a larger modulus
        ("*(1-k%2)", ""),
        # so are those of k = 1 and 13, which no short condition tells from other odd k
        ("*min(1, abs(k-1)*abs(k-13))", "k%2 == 0"),
    ],
)
def test_games_with_nim_sum_0_alone_agree_with_each_modulus_and_condition(heights, when):
    found = FamilyModuli(family(f"solid-bar(f=(x//k+z//k){heights})", range(1, 17)))
    assert found.divisors[0][0] == found.divisors[12][0] == 0
    sure, doubtful, _ = found.proposals()
    assert [(one.when, one.statement) for one in (*sure, *doubtful)] == [
        (when, multiples("2**v2(k)"))
    ]


def test_one_other_position_refutes_a_modulus():
    whole = family(SLOPES, (2, 4, 6, 8, 12, 16))
    changed = list(whole.members)
    cells = changed[3].table()
    wrong = np.array(cells.cells)
    at = np.argwhere(wrong == 2)[0]
    wrong[tuple(at)] = 1
    wrong_cells = replace(cells, cells=wrong)
    changed[3] = replace(changed[3], table=lambda: wrong_cells)
    sure, doubtful, _ = FamilyModuli(TableFamily(SLOPES, tuple(changed))).proposals()
    assert not any(one.when == "" or one.claims[0].is_about({"k": 8}) for one in (*sure, *doubtful))


def test_moduli_that_are_the_same_numbers_are_both_proposed():
    """Of k = 2, 4, 8 and 16 nobody can tell k from 2^v₂(k); further games can."""
    sure, doubtful, _ = FamilyModuli(family(SLOPES, (2, 4, 8, 16))).proposals()
    said = {one.statement for one in (*sure, *doubtful)}
    assert said == {multiples("k"), multiples("2**v2(k)")}


@pytest.mark.parametrize("fewest", [0, 1 << 62])
def test_divisors_by_machine_code_and_by_arrays(monkeypatch, fewest):
    """With the divisor 1 in a corner, further P-positions are not read; all are read where a modulus may divide."""
    monkeypatch.setattr(scan, "FEWEST_CELLS", fewest)
    monkeypatch.setattr(tables, "CORNER", 12)
    games = [
        *((SLOPES, {"k": k}) for k in range(1, 9)),
        *(("strip-bar(k=k, s=s)", {"k": k, "s": s}) for k in (2, 3, 4) for s in (0, 1, 2)),
    ]
    for ruleset, parameters in games:
        cells = cells_of(ruleset, 40, **parameters)
        one = MemberTable(parameters, lambda cells=cells: cells)
        ((divisor, positions),) = FamilyModuli(TableFamily.of(ruleset, [one])).divisors
        rows = p_position_rows(cells).to_numpy()
        assert divisor == gcd(*map(int, np.bitwise_xor.reduce(rows, axis=1)))
        assert positions == len(rows) or (divisor == 1 and 0 < positions < len(rows))


def test_of_a_large_table_a_part_is_looked_at_and_the_evidence_says_so():
    """The bound of the part is the largest half that is small enough; of smaller tables nothing is said."""
    whole = family(SLOPES, (2, 4, 6, 8, 12))
    parts = [
        replace(one, table=partial(part_of, one.table(), 21 * 21), stored_bound=40)
        for one in whole.members[:3]
    ]
    assert [one.bound for one in parts] == [20] * 3
    mixed = FamilyModuli(TableFamily(SLOPES, (*parts, *whole.members[3:])))
    assert [counted for _, counted in mixed.divisors[:3]] == [
        counted for _, counted in FamilyModuli(family(SLOPES, (2, 4, 6), 20)).divisors
    ]
    _, (one,), _ = mixed.proposals()
    assert one.found_on.what.endswith("of larger ones the part to bound 20")
    assert "bound" not in FamilyModuli(whole).proposals()[1][0].found_on.what
