"""Numbers of P-positions, against the definition; the papers' recurrences come out; a table by chance has none."""

from itertools import product

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, RectangularBar, SolidBar, StepBar, WithPass, p_table, parse_ruleset
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.mining.counts import b_file, mine_counts, sequences
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import grundy_table
from tests.effort import examples
from tests.rulesets import rulesets_with_bounds


def by_what(game, bound, data=None):
    found = sequences(Cells.of(game, bound, p_table(game, bound) if data is None else data))
    return {sequence.what: sequence for sequence in found if sequence.game == game.notation}


@settings(max_examples=examples(40))
@given(rulesets_with_bounds(), st.booleans())
def test_numbers_are_those_of_the_definition(drawn, from_grundy_numbers):
    game, bound = drawn
    base, passes = game.base, game.passes
    if isinstance(base, RectangularBar | StepBar):
        return
    data = grundy_table(game, bound) if from_grundy_numbers else p_table(game, bound)
    heaps = len(base.coordinates)
    listed = [q for q in game.positions(bound) if max(q[:heaps]) <= bound and game.grundy(q) == 0]
    for what, sequence in by_what(game, bound, data).items():
        left = int(what.rpartition(", ")[2].split()[0]) if "passes left" in what else min(passes, 1)
        chosen = [q[:heaps] for q in listed if not passes or q[-1] == left]
        condition = what.removeprefix("P-positions with ").partition(",")[0]
        for n, term in enumerate(sequence.terms):
            of_box = "all coordinates" in condition
            inside = [q for q in chosen if (max(q) < n if of_box else sum(q) == n)]
            assert term == len(inside), f"{game}: {what}, n={n}"


@pytest.mark.parametrize("text", ["step-bar(k=3, s=1)", "with-pass(step-bar(k=4), passes=1)"])
def test_grundy_numbers_of_a_step_bar_are_p_positions_of_the_game_with_a_strip(text):
    game = parse_ruleset(text)
    strip = parse_ruleset(text.replace("step", "strip"))
    found = list(sequences(Cells.of(game, 20, grundy_table(game, 20))))
    assert found == list(sequences(Cells.computed(strip, 20, "p-positions")))
    assert len(found) == 2


@pytest.mark.parametrize("passes", [0, 1])
def test_numbers_of_bars_are_those_of_the_definition(passes):
    heaps = WithPass(Nim(4), passes) if passes else Nim(4)
    found = [s for s in sequences(Cells.computed(heaps, 11, "p-positions")) if s.index == "m"]
    assert len(found) == 5
    for wider, sequence in enumerate(found):
        width = f"m+{wider}" if wider else "m"
        family = f"rectangular-bar(m=m, n={width})"
        assert sequence.game == (f"with-pass({family}, passes=1)" if passes else family)
        assert len(sequence.terms) == 12 - wider
        for m, term in enumerate(sequence.terms[:6], 1):
            bar = RectangularBar(m, m + wider)
            game = WithPass(bar, passes) if passes else bar
            tail = (passes,) if passes else ()
            places = product(range(1, m + 1), range(1, m + wider + 1))
            cells = [bar.whole(*place) + tail for place in places]
            assert term == sum(game.is_p_position(cell) for cell in cells)


def test_a_rectangular_bar_stands_for_its_family():
    (sequence,) = sequences(Cells.of(RectangularBar(20, 22), 0, p_table(RectangularBar(20, 22))))
    assert sequence.game == "rectangular-bar(m=m, n=m+2)"
    assert sequence.terms[:8] == (1, 0, 5, 0, 5, 0, 21, 0)
    assert list(sequences(Cells.of(RectangularBar(7, 9), 0, p_table(RectangularBar(7, 9))))) == []


def test_square_bars():
    """patterns, Lemma 4.1 and Theorem 4.3."""
    bar = RectangularBar(64, 64)
    (found,) = mine_counts(Cells.of(bar, 0, p_table(bar)))
    assert found.form == "regular"
    assert found.claim == {
        "ruleset": "rectangular-bar(m=m, n=m)",
        "check": {
            "kind": "counts",
            "sums": {"total": "g(m)"},
            "relations": [
                "g(2*m) == 4*g(m)",
                "g(2*m+1) == g(m) + g(m+1)",
                "g(2**m) == 4**m",
                "total(2**m) == (4**m + 6**m)//2",
            ],
        },
    }


def found_for(game, bound, what):
    found = [one for one in mine_counts(Cells.computed(game, bound, "p-positions")) if one.sequence]
    (one,) = (one for one in found if one.sequence.what == f"P-positions with {what}")
    return one


@pytest.mark.parametrize(
    ("text", "bound", "what"),
    [
        ("solid-bar(f=(x+z)//3)", 200, "all coordinates below n"),
        ("solid-bar(f=(x+z)//5)", 400, "all coordinates below n"),
        ("strip-bar(k=2, s=1)", 400, "all coordinates below n"),
        ("strip-bar(k=2, s=1)", 400, "x+y+z = n"),
    ],
)
def test_relations_hold_further_than_they_were_looked_for(text, bound, what):
    game = parse_ruleset(text)
    found = found_for(game, bound, what)
    further = 2 * bound
    terms = by_what(game, further)[f"P-positions with {what}"].terms
    tested = 0
    assert found.held_on.positions >= 5
    for said in found.relations:
        formula = parse(said.formula, functions={"g"})
        for n in range(said.start, len(terms) // 2 - 2):
            try:
                assert formula.value({"n": n}, {"g": terms})
            except FormulaError:
                break
            tested += 1
    assert tested > bound // 2


@pytest.mark.parametrize(
    ("text", "bound", "what", "equations"),
    [
        ("nim(3)", 63, "a+b+c = n", ["g(2*n) == 3**popcount(n)", "g(2*n+1) == 0"]),
        ("solid-bar(f=x+z)", 63, "x+y+z = n", ["g(2*n+2) == 3**popcount(n)", "g(2*n+1) == 0"]),
        ("game(maximum-nim)", 200, "all coordinates below n", ["g(n) == bits(n)"]),
        pytest.param(
            "game(moore-nim)",
            24,
            "a+b+c+d = n",
            ["g(3*n) == 4**popcount(n)", "g(3*n+1) == 0", "g(3*n+2) == 0"],
            marks=pytest.mark.full,
        ),
    ],
)
def test_numbers_given_by_binary_digits(text, bound, what, equations):
    found = found_for(parse_ruleset(text), bound, what)
    assert found.form == "digits"
    assert [relation.formula for relation in found.relations] == equations
    terms = found.sequence.terms
    places = range(len(terms))
    known = {
        "g": terms,
        "popcount": [bin(n).count("1") for n in places],
        "bits": [len(f"{n:b}") if n else 0 for n in places],
    }
    for equation in equations:
        formula = parse(equation, functions=known)
        assert all(formula.value({"n": n}, known) for n in places if 4 * n + 3 < len(terms))


def test_a_few_p_positions_are_not_counted():
    """Of the bar with two heights a cut of z takes all: (0, 0, 0) is its only P-position."""
    game = parse_ruleset("game(two-heights)")
    (only,) = mine_counts(Cells.computed(game, 40, "p-positions"))
    assert only.nothing


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("text", ["solid-bar(f=(x+z)//2)", "strip-bar(k=2)", "nim(3)"])
def test_a_table_by_chance_has_no_recurrence(text, seed):
    game, random = parse_ruleset(text), np.random.default_rng(seed)
    data = p_table(game, 120)
    (name,) = data.data_vars
    most = 60 if text.startswith("solid") else 180
    cells = random.integers(-most // 2, most, data[name].shape)
    planted = xr.Dataset({name: (data[name].dims, np.maximum(cells, -1).astype(np.int32))})
    (only,) = mine_counts(Cells.of(game, 120, planted))
    assert only.nothing


def test_b_files():
    bar = SolidBar("(x+z)//3")
    found = found_for(bar, 60, "all coordinates below n")
    head, *lines = b_file(found.sequence).splitlines()
    assert head.startswith("# ")
    assert [line.split()[0] for line in lines] == [str(n) for n in range(62)]
    for n in range(1, 7):
        box = [q for q in bar.positions(n - 1) if max(q) < n]
        assert lines[n] == f"{n} {sum(map(bar.is_p_position, box))}"
