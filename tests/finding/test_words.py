"""What is so in bars with drawn heights, too, says nothing of a game, of whichever kind it is."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from choco_pipeline.finding import words
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.single import single_tables
from choco_pipeline.finding.statement import FoundStatement, Mined
from choco_pipeline.finding.trial import largest_number
from choco_pipeline.games import parse_ruleset
from tests.finding.made_statements import EVIDENCE, document, mined

HIGH = "solid-bar(f=x+z+4)"  # no height is below x⊕z, so it is Nim
SEARCHES = ("formulas", "value-sets", "counts", "cellular", "blocks")


def statements(findings):
    return single_tables(findings).statements


@pytest.mark.parametrize("notation", [HIGH, "solid-bar(f=(x+z)//3)", "step-bar(k=4, s=2)"])
def test_drawn_bars_are_monotone_and_about_as_high(notation):
    height = parse_ruleset(notation).rules.bar.limit.height
    bars = words.bars_by_chance(notation)
    assert len(bars) == words.BARS
    sizes = [41] * len(bars[0].rules.bar.limit.of)
    tables = [bar.rules.bar.limit.height.table(*sizes) for bar in bars]
    own = height.table(*sizes)
    assert len({heights.tobytes() for heights in tables}) == words.BARS
    for heights in tables:
        assert abs(heights - own).max() <= 3
        assert all((np.diff(heights, axis=axis) >= 0).all() for axis in range(len(sizes)))


@pytest.mark.parametrize(
    "search",
    [pytest.param(s, marks=pytest.mark.full if s == "cellular" else ()) for s in SEARCHES],
)
def test_of_a_high_bar_there_is_nothing_to_say(search):
    """That it is Nim, with all that follows, is so in all high bars."""
    found = document(mined(HIGH, [search]))
    assert found.statements == ()
    assert any(f"of {words.BARS} random bars" in (one.why or "") for one in found.searches)


@pytest.mark.parametrize(
    ("notation", "quantity", "searches"),
    [
        pytest.param("solid-bar(f=(x+z)//3)", "p-positions", SEARCHES, marks=pytest.mark.full),
        ("strip-bar(k=2, s=0)", "p-positions", ["formulas", "blocks"]),
        ("step-bar(k=4, s=2)", "grundy", ["formulas", "counts"]),
        ("with-pass(strip-bar(k=4, s=1), passes=1)", "p-positions", ["formulas", "value-sets"]),
    ],
)
def test_what_follows_from_where_the_steps_are_is_no_chance(notation, quantity, searches):
    several = statements(mined(notation, searches, quantity, 63))
    assert several
    for one in several:
        number = words.right_by_chance(one, [notation])
        assert number is not None
        assert number < words.MANY, one.text


def test_pictures_and_numbers_of_a_game_follow_from_a_formula_for_all_its_positions():
    """They are said behind it, with its id, and by themselves where no formula is known."""
    alone = document(mined("strip-bar(k=2, s=0)", ["blocks"])).statements
    assert [(one.search, one.follows_from) for one in alone] == [("blocks", ())]
    formula, blocks = document(mined("strip-bar(k=2, s=0)", ["formulas", "blocks"])).statements
    assert (formula.search, formula.follows_from) == ("formulas", ())
    assert (blocks.search, blocks.follows_from) == ("blocks", (formula.id,))


LATE = """\
game: late
coordinates: [a, b]
moves:
  - {lower: [a], at_most: "max(3, a-150)"}
  - {lower: [b]}
"""


@pytest.fixture
def late(tmp_path, monkeypatch):
    (tmp_path / "config" / "games").mkdir(parents=True)
    (tmp_path / "config" / "games" / "late.yaml").write_text(LATE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return "game(late)"


def test_numbers_that_change_farther_away_are_not_said(late):
    """The number of P-positions with a+b = n is 1 + (-1)^n from 3 to 150."""
    found = document(mined(late, ["counts"], bound=60))
    assert not any("a+b = n" in one.text for one in found.statements)
    left_out = [one for one in found.searches if "a+b = n" in one.what and one.why]
    assert [one.why for one in left_out] == [
        "right to bound 60, and not found in a table to bound 240"
    ]


def test_of_rules_with_larger_numbers_than_tables_nothing_is_said(late):
    found = document(mined(late, ["counts"], bound=20))
    assert not any("a+b = n" in one.text for one in found.statements)
    assert any("the game may change at 150" in (one.why or "") for one in found.searches)
    assert largest_number(parse_ruleset(late)) == 150


def test_tables_that_end_shortly_after_such_a_number_do_not_confirm_anything(tmp_path, monkeypatch):
    """Nim with two heaps that ends at (200, 100), too: with a+b = 300 there are two P-positions."""
    (tmp_path / "config" / "games").mkdir(parents=True)
    moves = "moves: [{lower: [a]}, {lower: [b]}]\nends: a == 200 and b == 100\n"
    (tmp_path / "config" / "games" / "hole.yaml").write_text(
        f"game: hole\ncoordinates: [a, b]\n{moves}", "utf-8"
    )
    monkeypatch.chdir(tmp_path)
    found = document(mined("game(hole)", ["counts"], bound=128))
    assert found.statements == ()
    assert any("the game may change at 200" in (one.why or "") for one in found.searches)


def test_where_there_is_no_larger_table_nothing_is_said_of_one(tmp_path, monkeypatch):
    """Heights from a file end with it; to look at the same table again would say nothing."""
    monkeypatch.chdir(tmp_path)
    Path("flat.csv").write_text("\n".join([",".join(["0"] * 61)] * 61) + "\n", "utf-8")
    found = document(mined("solid-bar(f=csv(flat.csv))", ["counts"], bound=60)).statements
    assert found
    assert not any("to bound" in one.conclusion.text for one in found)


def rules(notation, bound=63):
    found = [one.finding for one in mined(notation, ["cellular", "blocks"], bound=bound)]
    return [one for one in found if not one.nothing]


def is_right_by_definition(finding, bound):
    """Whether a rule is right at every cell, with the game's own definition of its positions and outcomes."""
    game = parse_ruleset(finding.ruleset).base
    box = list(product(range(bound + 1), repeat=3))

    def position(cell):
        return tuple(cell[finding.axes.index(name)] for name in game.coordinates)

    legal = {cell for cell in box if game.is_position(position(cell))}
    p = {cell for cell in legal if game.is_p_position(position(cell))}

    def moved(cell, steps, sign):
        return tuple(n + sign * step for n, step in zip(cell, steps, strict=True))

    if finding.kind == "blocks":
        for relation in finding.relations:
            for half in product(range(bound // 2 + 1), repeat=3):
                cell = moved(relation.residue, [2 * n for n in half], 1)
                if cell in legal and cell[0] >= finding.begins:
                    said = sum(moved(half, steps, 1) in p for steps in relation.terms)
                    if said % 2 != (cell in p):
                        return False
        return True
    for cell in product(range(-3, bound + 1), repeat=3):
        terms = [moved(cell, steps, -1) for steps in finding.terms]
        is_meant = not finding.inside or all(one in legal for one in [cell, *terms])
        if not is_meant or any(max(one) > bound for one in terms):
            continue
        wrong = sum(one in p for one in [cell, *terms]) % 2 == 1
        if wrong and cell not in (finding.exceptions or ()):
            return False
    return True


@pytest.mark.parametrize("inside", [False, pytest.param(True, marks=pytest.mark.full)])
def test_a_rule_is_right_as_far_as_the_definition_says(inside):
    """The rules of Nim, tried in bars where they begin to be wrong: of k = 4 at 8, of k = 3 nowhere."""
    cellular, blocks = rules("nim(3)")
    outcomes = set()
    for k, bound in product((2, 3, 4), (5, 7, 8, 9, 11)):
        axes = ("z", "x", "y")
        own = {"ruleset": f"solid-bar(f=(x+z)//{k})", "axes": axes}
        for rule in (
            cellular.model_copy(update={**own, "inside": inside}),
            blocks.model_copy(update=own),
        ):
            expected = is_right_by_definition(rule, bound)
            assert words.is_right_to(rule, bound) == expected, (rule.text, k, bound)
            outcomes.add((rule.kind, expected))
    assert {("blocks", True), ("blocks", False), ("cellular", False)} <= outcomes


@pytest.mark.parametrize(("k", "first"), [(16, 129), (32, 513)])
def test_a_rule_that_is_wrong_far_away_is_right_up_to_there_and_no_further(k, first):
    """The nim-sum of a P-position of (x+z)//k is first not 0 at 128 and 512; no picture goes so far, but a table does."""
    nim, notation = rules("nim(3)")[0], f"solid-bar(f=(x+z)//{k})"
    own = {"ruleset": notation, "axes": ("z", "x", "y"), "inside": True, "exceptions": ()}
    rule = nim.model_copy(update=own)
    assert words.is_right_to(rule, first - 1)
    assert words.is_right_to(rule, first) is False
    source = Mined(notation, "p-positions", 60, notation, {}, rule)
    said = FoundStatement(
        search="cellular", ruleset=notation, words=rule.text, source=source, **EVIDENCE
    )
    again = words.searched_again(said, Tables({(notation, "p-positions"): 60}))
    assert again == (False, "it is wrong in a table to bound 1,023")


@pytest.mark.parametrize(
    "notation",
    [
        "nim(3)",
        "strip-bar(k=2, s=0)",
        pytest.param("solid-bar(f=(x+z)//5)", marks=pytest.mark.full),
    ],
)
def test_neighbours_of_a_right_rule_are_wrong(notation):
    for rule in rules(notation):
        assert words.is_right_to(rule, 300)
        if rule.kind == "blocks":
            first, *others = rule.relations
            changed = [
                first.model_copy(update={"terms": ()}),
                first.model_copy(update={"terms": ((0, 0, 0, 1),)}),
            ]
            near = [rule.model_copy(update={"relations": (one, *others)}) for one in changed]
        else:
            near = [rule.model_copy(update={"terms": rule.terms[1:]})]
            near.append(rule.model_copy(update={"terms": (*rule.terms, (0, 2, 0, 0))}))
        assert not any(words.is_right_to(one, 300) for one in near)


def test_of_pictures_with_other_pictures_beside_them_nothing_is_told():
    (rule, _) = rules("nim(3)")
    beside = rule.model_copy(update={"terms": ((1, 0, 0, 0), *rule.terms)})
    assert words.is_right_to(beside, 40) is None
    assert words.is_right_to(rule.model_copy(update={"terms": ()}), 40) is None
