"""Statements over parameters come out of tables: the printed ones, with their conditions and bounds; random ones do not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from choco_pipeline.finding.generalise import (
    SHIFTS,
    FamilyFormula,
    _Search,
    frontier_statements,
    generalise,
)
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.finding.tables import MemberTable, Outcome, TableFamily, outcome
from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.closed_forms.learnt_formulas import mine_formulas
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table
from tests.finding.made_statements import proposed

STEP, SOLID = "step-bar(k=k, s=s)", "solid-bar(f=(x+z)//k)"


def member(ruleset, parameters, quantity, bound, mine=None):
    game = parse_ruleset(ruleset, parameters)
    data = table(game, bound, quantity)
    findings = mine(game, bound, data) if mine else []
    cells = Cells.of(game, bound, data)
    return MemberTable(parameters, lambda: cells, findings)


@cache
def triangular():
    """Bars with f = ⌊(x+z)/k⌋; formulas are mined in a few tables."""
    mined = (1, 7, 11, 13)
    return TableFamily.of(
        SOLID,
        [
            member(SOLID, {"k": k}, "p-positions", 130, mine_formulas if k in mined else None)
            for k in range(1, 25)
        ],
    )


@cache
def step_bars():
    """Grundy numbers of step bars; formulas are mined in a few tables."""
    mined = [(2, 0), (2, 8), (4, 1), (4, 3), (4, 6), (3, 1), (5, 2), (5, 3), (7, 6)]
    return TableFamily.of(
        STEP,
        [
            member(STEP, {"k": k, "s": s}, "grundy", 60, mine_formulas if (k, s) in mined else None)
            for k in range(1, 9)
            for s in range(17)
        ],
    )


def said(statements):
    return {(one.when, one.statement): one for one in statements}


def bound_of(one):
    """Return the size up to which a statement speaks."""
    return one.whole.reach


def right_up_to(one, place, size):
    """Whether the formula of a statement is right in a table up to a size, and no further."""
    line = one.statement.partition(" => ")[2]
    claim = TableFamily(one.ruleset, (place,)).claim(line)
    return outcome(claim, place, size).holds and not outcome(claim, place, size + 1).holds


def shifted(by, size=""):
    """Return the line that a shifted nim-sum is 0 at the P-positions."""
    line = "P <=> " + ("x ^ y ^ z == 0" if not by else f"(x{by}) ^ y ^ (z{by}) == 0")
    return f"size <= {size} => ({line})" if size else line


def test_triangular_bars():
    """triangular, Thm 7.3 and Conj 8.1."""
    found = said(generalise(triangular()).statements)
    zero = found["k%4 == 3", shifted("")]
    assert zero.parameters == {"k": (3, 7, 11, 15, 19, 23)}
    moved = found["k%4 == 1", shifted("-1")]
    assert moved.parameters == {"k": (1, 5, 9, 13, 17, 21)}, "k = 1 is no exception"
    for one in (zero, moved):
        assert one.found_on.tables == 4
        assert one.held_on.tables == 2
        assert "wrong in 6 for which the condition does not hold" in one.held_on.what
        assert one.tried.candidates > 1
        assert FoundStatement.from_json(one.as_json()) == one


def test_the_bound_of_conjecture_1():
    """solid2022, Conj 1: the printed bound in a and m is one formula in k and the power of 2 in it, and it is sharp."""
    (found,) = (
        one
        for one in generalise(triangular()).statements
        if one.when == "k%2 == 0" and one.statement.endswith(f"({shifted('')})")
    )
    bound = bound_of(found)
    for a in range(6):
        for m in range(6):
            k = 2 ** (a + 2) * m + 2 ** (a + 1)
            printed = (2 ** (2 * a + 2) - 2 ** (a + 1)) * m + 2 ** (2 * a + 1) - 1
            assert bound.value({"k": k}) == printed
    assert found.held_on.what == "6 larger tables, k = 14, 16, 18, 20, 22, 24"
    for one in triangular().members:
        k = one.parameters["k"]
        if k % 2 == 0:
            assert right_up_to(found, one, int(bound.value({"k": k})))


def test_bounds_of_formulas_that_another_one_beats_are_not_told():
    found = said(generalise(triangular()).statements)
    assert not any(when in ("k%4 == 0", "k%4 == 1") and "size" in line for when, line in found)
    assert ("k%4 == 0", shifted("-1")) not in found


def test_shifted_nim_sums_are_right_further_than_the_nim_sum():
    """Of equally good shifts the first is told: of k ≡ 6 (mod 8), 1 and not −3."""
    members = [member(SOLID, {"k": k}, "p-positions", 150) for k in range(2, 49, 4)]
    found = said(generalise(TableFamily.of(SOLID, members)).statements)
    assert set(found) == {
        ("k%8 == 2", shifted("-3", "3*k")),
        ("k%8 == 6", shifted("+1", "(3*k+2)//2")),
    }
    assert {one.tried.candidates for one in found.values()} == {len(SHIFTS)}
    for place in members:
        (one,) = [one for one in found.values() if parse(one.when).value(place.parameters)]
        assert right_up_to(one, place, int(bound_of(one).value(place.parameters)))


@pytest.mark.full
def test_step_bars():
    """step2015, Thm 3.2, with one comparison for the printed t and m; and a formula for half of the positions of odd k."""
    found = said(generalise(step_bars()).statements)
    even = found["k%2 == 0 and (s == 0 or s < k*2**v2(s))", "G == (y ^ (z+s))-s"]
    assert even.held_on.tables > 5
    odd = [one for (_, line), one in found.items() if line.startswith("(y+z)%2 == s%2 =>")]
    assert [one.when for one in odd] == ["k%2 == 1 and (k > s or s%2 == 1 and s < 2*k)"]
    for one in (even, *odd):
        (claim,) = one.claims
        for place in step_bars().members:
            speaks = claim.speaks_of(place.parameters)
            assert speaks == outcome(claim, place).holds, place.parameters


def test_a_statement_that_the_tables_held_out_refute_is_told():
    family = triangular()
    places = [i for i in family.held_out if i not in family.held_out_first]
    (first, *_) = [i for i in places if family.points[i]["k"] % 4 == 3]
    changed = list(family.members)
    changed[first] = with_a_wrong_cell(changed[first])
    found = said(generalise(TableFamily(SOLID, tuple(changed))).statements)
    one = found["k%4 == 3", shifted("")]
    assert one.verdict == "refuted"
    k = family.points[first]["k"]
    assert one.conclusion.text == f"wrong in a table held out, k = {k}: (33, {33 ^ 34}, 34)"


def with_a_wrong_cell(place):
    """Return a table with a P-position less."""
    cells = place.table()
    wrong = cells.cells.copy()
    assert wrong[33, 34] == 33 ^ 34
    wrong[33, 34] = -1
    return replace(place, table=lambda: replace(cells, cells=wrong))


def test_a_second_condition_where_the_first_one_is_refuted():
    """Some of the tables that were held out join the search; what is left is the test."""
    members = [member(SOLID, {"k": k}, "p-positions", 64) for k in range(1, 44) if k % 8]
    members[2] = with_a_wrong_cell(members[2])
    members[6] = replace(members[6], findings=[proposed(shifted(""))])
    family = TableFamily.of(SOLID, members)
    assert family.points[2] == {"k": 3}
    assert 2 in family.held_out_first
    one = generalise(family).statements[0]
    assert one.when == "k > 3 and k%4 == 3"
    assert one.verdict == "undecided"
    assert one.found_on.tables + one.held_on.tables == len(range(7, 44, 4))
    assert "wrong in" in one.held_on.what


def test_the_tables_that_are_held_out_are_not_mined():
    family = triangular()
    changed = list(family.members)
    for i in family.held_out:
        changed[i] = replace(changed[i], findings=[proposed(shifted("+5"))])
    found, again = generalise(family), generalise(TableFamily(SOLID, tuple(changed)))
    assert (again.statements, again.searches) == (found.statements, found.searches)
    for name, values in (("k", range(1, 25)),):
        classes = {(family.points[i][name] % 4, i in family.held_out) for i in range(len(values))}
        assert len(classes) == 8, "residues are searched and held out, all of them"


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 2))]
)
def test_random_tables_and_assignments_give_nothing(seed):
    random = np.random.default_rng(seed)

    def random_member(k):
        game = parse_ruleset(SOLID, {"k": k})
        cells = Cells.of(game, 40, table(game, 40, "p-positions"))
        holds = random.random() < 0.4
        if not holds:  # the table of another game, wrong at a random place
            at = tuple(random.integers(0, 40, 2))
            values = cells.cells.copy()
            values[at] = -1 if values[at] >= 0 else 0
            cells = replace(cells, cells=values)
        return MemberTable({"k": k}, lambda: cells, [proposed(shifted(""))] if holds else [])

    # all of them k ≡ 3 (mod 4), for which the formula is right; 40% of the tables are left so
    family = TableFamily.of(SOLID, [random_member(k) for k in range(3, 99, 4)])
    found = generalise(family)
    assert found.statements == ()
    assert found.searches
    assert all(search.tried.candidates and search.nothing for search in found.searches)


def test_a_family_without_a_common_formula():
    family = TableFamily.of(STEP, [member(STEP, {"k": 3, "s": s}, "grundy", 9) for s in range(6)])
    found = generalise(family)
    assert found.statements == ()
    assert found.searches[0].game == STEP


def test_a_bound_without_a_formula_is_not_left_out_of_what_is_said():
    """Up to 2k+⌊log₂ k⌋: no claim and no formula may say that it is so everywhere."""
    ks = range(1, 31)
    members = [member(SOLID, {"k": k}, "p-positions", 24) for k in ks]
    outcomes = tuple(Outcome(9, ((0, 0, 0), 2 * k + k.bit_length()), 99) for k in ks)
    family = TableFamily.of(SOLID, members)
    formula = FamilyFormula("P <=> y == 0", family.claim("P <=> y == 0"), outcomes)
    (found,) = frontier_statements(family, [formula], 1)
    assert found.text.endswith("P <=> y == 0, up to size 2k+⌊log₂ k⌋ and no further")
    assert (found.statement, found.claim, found.claims) == ("", None, ())


def test_how_far_a_formula_is_right_is_not_said_of_flat_bars_alone():
    """Of heights ⌊max(x, z)/k⌋ the nim-sum is right up to k - 1 for odd k, where no bar is higher than 1: that is Nim with two heaps."""
    ruleset = "solid-bar(f=max(x, z)//k)"
    members = [member(ruleset, {"k": k}, "grundy", 24) for k in range(1, 14)]
    family = TableFamily.of(ruleset, members)

    def frontiers(beyond):
        outcomes = tuple(
            Outcome(9, ((0, 0, 0), k + beyond) if k % 2 else None, 24) for k in range(1, 14)
        )
        formula = FamilyFormula("G == x ^ y ^ z", family.claim("G == x ^ y ^ z"), outcomes)
        return [bound_of(one).text for one in frontier_statements(family, [formula], 1)]

    assert frontiers(0) == []
    assert frontiers(1) == ["k"]


def named_of(*formulas):
    """The games that formulas name, of bars with k from 1 to 8; each comes with those for which it is right."""
    family = TableFamily.of(SOLID, [member(SOLID, {"k": k}, "p-positions", 6) for k in range(1, 9)])
    search = _Search(family)
    search.name(
        [
            FamilyFormula(
                f"P <=> {text}",
                family.claim(f"P <=> {text}"),
                tuple(Outcome(9, None if k in games else ((0, 0, 0), 0), 6) for k in range(1, 9)),
            )
            for text, games in formulas
        ]
    )
    return [one.when for one in search.statements]


@pytest.mark.parametrize(
    ("first", "second", "named"),
    [
        (range(1, 7), range(5, 8), ["1 <= k <= 6"]),  # the second tells of k = 7 alone
        (range(1, 7), range(5, 9), ["1 <= k <= 6", "5 <= k <= 8"]),
        (range(3, 8), range(3, 6), ["3 <= k <= 7"]),
    ],
)
def test_a_formula_that_names_its_games_tells_of_two_new_ones(first, second, named):
    formulas = ("(x+1) ^ y ^ (z+1) == 0", first), ("(x+2) ^ y ^ (z+2) == 0", second)
    assert named_of(*formulas) == named


def test_a_formula_that_names_its_games_is_shorter_than_theirs_together():
    shift = "(3*(k//2)-2*v2(k)+1)"
    long = f"(x+{shift}) ^ y ^ (z+{shift}) == 0"
    assert named_of((long, range(1, 3))) == []
    assert named_of((long, range(1, 8))) == ["1 <= k <= 7"]
    assert named_of(("(x+1) ^ y ^ (z+1) == 0", range(1, 3))) == ["1 <= k <= 2"]


def shifts(game, bound, data):
    """Propose the shifted nim-sums that are right in a table, as a search of formulas would."""
    alone = TableFamily(game.notation, (MemberTable({}, lambda: Cells.of(game, bound, data)),))
    lines = [shifted(f"{n:+d}" if n else "") for n in SHIFTS]
    return [proposed(one) for one in lines if outcome(alone.claim(one), alone.members[0]).holds]


def test_of_two_parameters_the_games_are_named_that_no_condition_tells():
    """Of k = 1, 3 and 5: too few to learn what k, and c besides, have to do with the shift of ⌊(x+z+c)/k⌋."""
    ruleset = "solid-bar(f=(x+z+c)//k)"
    members = [
        member(ruleset, {"k": k, "c": c}, "p-positions", 24, shifts)
        for k in (1, 3, 5)
        for c in range(7)
    ]
    statements = generalise(TableFamily.of(ruleset, members)).statements
    named = [one for one in statements if one.verdict != "refuted"]
    assert {one.statement: one.when for one in named} == {
        shifted(""): "k == 1 and 1 <= c <= 6 or k == 3 and c == 0 or k == 5 and 1 <= c <= 2",
        shifted("+(c-k+4)//2"): "k == 3 and 0 <= c <= 4 or k == 5 and 0 <= c <= 6",
    }
    told = set()
    for one in named:
        (claim,) = one.claims
        for place in members:
            if claim.speaks_of(place.parameters):
                assert outcome(claim, place).holds, (one.text, place.parameters)
                told.add(tuple(place.parameters.values()))
    right = {tuple(place.parameters.values()) for place in members if place.findings}
    assert right - told == {(1, 0)}


@pytest.mark.full
def test_a_condition_that_is_refuted_is_looked_for_in_all_tables():
    """step2015, after Conj 4.4, for odd k up to 7: those put aside refute what the others show, and all together tell."""
    ruleset = "step-bar(k=k, s=s)"
    members = [
        member(
            ruleset,
            {"k": k, "s": s},
            "grundy",
            60,
            mine_formulas if (k, s) in ((3, 0), (3, 1), (5, 2), (7, 3), (5, 4)) else None,
        )
        for k in (1, 3, 5, 7)
        for s in range(10)
    ]
    found = generalise(TableFamily.of(ruleset, members))
    odd = "(y+z)%2 == s%2 =>"
    assert [one.verdict for one in found.statements if one.statement.startswith(odd)][:1] == [
        "refuted"
    ]
    doubtful = [one.when for one in found.doubtful if one.statement.startswith(odd)]
    assert doubtful == ["k > s or s%2 == 1 and s < 2*k"]


@pytest.mark.full
def test_what_too_few_tables_tell_is_doubtful_with_a_condition_that_all_agree_with():
    """Of k = 1 to 8 two tables are held out: too few to say that k is even."""
    ruleset = "step-bar(k=k, s=0)"
    family = TableFamily.of(
        ruleset, [member(ruleset, {"k": k}, "grundy", 60, mine_formulas) for k in range(1, 9)]
    )
    found = generalise(family)
    assert "G == y ^ z" not in {one.statement for one in found.statements}
    assert ("k%2 == 0", "G == y ^ z") in said(found.doubtful)


@pytest.mark.full
def test_numbers_that_a_third_put_aside_leaves_too_few_tables_for_are_in_doubt():
    """Beyond the line z = (k+1)·y, of k = 3, 5 and 7; with k = 7 put aside, two tables determine no number."""
    ruleset = "step-bar(k=k, s=0)"
    family = TableFamily.of(
        ruleset, [member(ruleset, {"k": k}, "grundy", 95, mine_formulas) for k in (3, 5, 6, 7, 9)]
    )
    doubtful = {one.statement.partition(" => ")[0] for one in generalise(family).doubtful}
    assert "(y+z)%2 == 1 and z >= (k+1)*y" in doubtful


def uncut(*, wrong=False):
    """Uncut bars with up to 7 by 7 cells, at their own bounds; in one of them a cell may be changed."""
    ruleset = "rectangular-bar(m=m, n=n)"
    members = []
    for m in range(3, 8):
        for n in range(3, 8):
            point = {"m": m, "n": n}
            bound = max(parse_ruleset(ruleset, point).limits(None))
            found = member(ruleset, point, "p-positions", bound, mine_formulas)
            if wrong and point == {"m": 5, "n": 5}:
                cells = found.table()
                changed = cells.cells.copy()
                changed[1, 2] = 1 - changed[1, 2]
                changed_cells = replace(cells, cells=changed)
                found = replace(found, table=lambda c=changed_cells: c)
            members.append(found)
    return TableFamily.of(ruleset, members)


def test_bars_with_few_cells_are_learnt_from_together():
    """patterns, Thm 2.3 for m and n that differ: no bar of up to 7 by 7 cells has enough of them by itself."""
    family = uncut()
    assert all(one.findings[0].nothing for one in family.members)
    (found,) = generalise(family).statements
    assert (found.when, found.statement) == ("", "P <=> (i-1) ^ (m-i) ^ (j-1) ^ (n-j) == 0")
    assert all(outcome(found.whole, one).holds for one in family.members)


@pytest.mark.slow
def test_one_wrong_cell_of_bars_with_few_cells_is_seen():
    found = generalise(uncut(wrong=True))
    assert all(one.when or one.verdict == "refuted" for one in found.statements)
