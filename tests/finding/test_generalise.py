"""Statements over parameters come out of tables: the printed ones, with their conditions and bounds; random ones do not."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline.finding.generalise import (
    SHIFTS,
    FamilyFormula,
    frontier_statements,
    generalise,
)
from choco_pipeline.finding.generalise import lifted as lifted_from
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.finding.tables import (
    FIRST,
    FirstPositions,
    MemberTable,
    Outcome,
    TableFamily,
    outcome,
    outcome_up_to,
)
from choco_pipeline.formula import parse
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.closed_forms.learnt_formulas import mine_formulas
from choco_pipeline.statements.parse import Names, parse_proposition
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import table
from tests.effort import examples
from tests.finding.made_statements import proposed

STEP, SOLID = "step-bar(k=k, s=s)", "solid-bar(f=(x+z)//k)"


def member(ruleset, parameters, quantity, bound, mine=None):
    cells = Cells.computed(parse_ruleset(ruleset, parameters), bound, quantity)
    return MemberTable.in_memory(parameters, cells, mine(cells) if mine else [])


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
    return (
        outcome_up_to(size, claim, place).holds and not outcome_up_to(size + 1, claim, place).holds
    )


def shifted(by, size=""):
    """Return the line that a shifted nim-sum is 0 at the P-positions."""
    line = "P <=> " + ("x ^ y ^ z == 0" if not by else f"(x{by}) ^ y ^ (z{by}) == 0")
    return f"size <= {size} => ({line})" if size else line


@pytest.mark.parametrize(
    ("family", "line", "is_right"),
    [
        (step_bars, "G == (y ^ (z+s)) - s", lambda y, z, g, k, s: g == (y ^ (z + s)) - s),
        (
            step_bars,
            "y > s => (G == (y ^ (z+s)) - s)",
            lambda y, z, g, k, s: y <= s or g == (y ^ (z + s)) - s,
        ),
        (triangular, shifted(""), lambda x, y, z, g, k: (g == 0) == (x ^ y ^ z == 0)),
        (triangular, "x ^ y ^ z == 0 => P", lambda x, y, z, g, k: g == 0 or x ^ y ^ z),
        (triangular, "P => x ^ y ^ z == 0", lambda x, y, z, g, k: g or x ^ y ^ z == 0),
    ],
)
def test_tables_that_contradict_a_line_at_their_first_positions(family, line, is_right):
    members = dict(enumerate(family().members[::5]))
    expected = set()
    for i, one in members.items():
        game = parse_ruleset(family().ruleset, one.parameters)
        numbers = {position: game.grundy(position) for position in game.positions(FIRST)}
        if not all(is_right(*at, g, **one.parameters) for at, g in numbers.items()):
            expected.add(i)
    assert FirstPositions.of(members).refuted(family().claim(line)) == expected
    assert 0 < len(expected) < len(members)


def test_triangular_bars():
    """triangular, Thm 7.3 and Conj 8.1."""
    found = said(generalise(triangular()).statements)
    zero = found["k%4 == 3", shifted("")]
    assert zero.parameters == {"k": (3, 7, 11, 15, 19, 23)}
    moved = found["k%4 == 1", shifted("-1")]
    assert moved.parameters == {"k": (1, 5, 9, 13, 17, 21)}, "k = 1 is no exception"
    for one in (zero, moved):
        assert (one.found_on.tables, one.held_on.tables) == (4, 2)
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
    for one in triangular().members:
        k = one.parameters["k"]
        if k % 2 == 0:
            assert right_up_to(found, one, int(bound.value({"k": k})))


@pytest.mark.full
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
            speaks = claim.is_about(place.parameters)
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
    assert f"k = {k}: (33, {33 ^ 34}, 34)" in one.conclusion.text


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


@pytest.mark.full
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


def test_a_bound_may_be_a_logarithm():
    """Up to 2k+⌊log₂ k⌋: no claim may say that it is so everywhere."""
    ks = range(1, 31)
    members = [member(SOLID, {"k": k}, "p-positions", 24) for k in ks]
    outcomes = tuple(Outcome(9, ((0, 0, 0), 2 * k + k.bit_length()), 99) for k in ks)
    family = TableFamily.of(SOLID, members)
    formula = FamilyFormula("P <=> y == 0", family.claim("P <=> y == 0"), outcomes)
    (found,) = frontier_statements(family, [formula], 1)
    assert found.statement == "size <= 2*k+log2(k) => (P <=> y == 0)"


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


def uncut(m, n, wrong=False):
    """An uncut bar at its own bound; a cell may be changed."""
    ruleset, point = "rectangular-bar(m=m, n=n)", {"m": m, "n": n}
    bound = max(parse_ruleset(ruleset, point).limits(None))
    found = member(ruleset, point, "p-positions", bound, mine_formulas)
    cells = found.table()
    changed = cells.cells.copy()
    changed[1, 2] = 1 - changed[1, 2]
    return replace(found, table=lambda: replace(cells, cells=changed)) if wrong else found


def bars(*, wrong=False):
    """Uncut bars with up to 7 by 7 cells."""
    sides = [(m, n) for m in range(3, 8) for n in range(3, 8)]
    members = [uncut(m, n, wrong and (m, n) == (5, 5)) for m, n in sides]
    return TableFamily.of("rectangular-bar(m=m, n=n)", members)


def test_bars_with_few_cells_are_learnt_from_together():
    """patterns, Thm 2.3 for m and n that differ: no bar of up to 7 by 7 cells has enough of them by itself."""
    family = bars()
    assert all(one.findings[0].nothing for one in family.members)
    (found,) = generalise(family).statements
    assert (found.when, found.statement) == ("", "P <=> (i-1) ^ (m-i) ^ (j-1) ^ (n-j) == 0")
    assert all(outcome(found.whole, one).holds for one in family.members)


@pytest.mark.slow
def test_one_wrong_cell_of_bars_with_few_cells_is_seen():
    found = generalise(bars(wrong=True))
    assert all(one.when or one.verdict == "refuted" for one in found.statements)


def lifted(of_tables, *, by_value=False):
    names = Names(("x", "y", "z"), frozenset())
    return lifted_from(
        [(point, parse_proposition(line, names)) for point, line in of_tables], by_value=by_value
    )


def value(line, place):
    """Return the Grundy number that a line gives for a position."""
    return parse(line.removeprefix("G == ")).value(place)


def test_two_lines_of_one_form_give_a_linear_one_for_other_tables_to_test():
    """Subtraction by 1 or k: the lines of k = 2 and 4 are shorter, and of another form."""
    two = [({"k": k}, f"P <=> x%{k + 1}%2 == 0 and x%{k + 1} < {k}") for k in (6, 8)]
    small = [({"k": 2}, "P <=> x%3 == 0"), ({"k": 4}, "P <=> x%5 == 0 or x%5 == 2")]
    assert "P <=> x%(k+1)%2 == 0 and x%(k+1) < k" in lifted([*small, *two])
    further = [({"k": 10}, "P <=> x%12%2 == 0 and x%11 < 10")]
    assert not any("k+1" in line for line in lifted([*small, *two, *further]))


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


@settings(max_examples=examples(25))
@given(st.lists(st.integers(0, 40), min_size=6, max_size=12, unique=True))
def test_what_is_lifted_says_what_it_was_lifted_from(numbers):
    found = [({"k": k}, f"G == y+{n}") for k, n in enumerate(numbers, start=1) if n]
    for line in lifted(found):
        assert any(
            value(line, {"y": 100} | point) == value(one, {"y": 100}) for point, one in found
        )


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
