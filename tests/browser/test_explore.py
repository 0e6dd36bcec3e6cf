"""The explorer page in a real browser."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.report.explored_games import OPENS_ON, played_rules
from tests.browser.seen import CONTRAST, NEEDS_BROWSER, in_both_sizes, opened
from tests.effort import examples
from tests.own_games import own_games_with_bounds
from tests.rulesets import rulesets_with_bounds

pytestmark = NEEDS_BROWSER

TRIANGULAR = "solid-bar(f=(x+z)//k): P-positions"
STEP_BARS = "step-bar(k=k, s=s): Grundy numbers"


@pytest.fixture(scope="module")
def page_file(site):
    return site / "explore.html"


@pytest.fixture(scope="module")
def playing(browser, page_file):
    page = browser.new_page()
    page.goto(page_file.as_uri())
    yield page
    page.close()


def here(page):
    """Return the page's text on the selected position."""
    return page.locator("#here").inner_text()


def pointed_at(page):
    """Return the position that the page names."""
    found = re.match(r"\([a-z, ]+\) = \(([0-9, ]+)\)", here(page))
    assert found is not None
    return [int(number) for number in found.group(1).split(", ")]


def choose(page, family, **values):
    """Choose a family of games and values of its parameters."""
    page.get_by_label("Games").select_option(label=family)
    for name, value in values.items():
        slider = page.get_by_role("slider", name=name, exact=True)
        for number in range(int(slider.get_attribute("max") or 0) + 1):
            slider.fill(str(number))
            if slider.get_attribute("aria-valuetext") == str(value):
                break
        assert slider.get_attribute("aria-valuetext") == str(value)


PLAY = """([rules, positions]) => positions.map(
  (position) => [[...explored.options(rules, position)], explored.grundy(rules, position)])"""


@settings(
    max_examples=examples(60),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(
    drawn=st.one_of(rulesets_with_bounds(), own_games_with_bounds()),
    random=st.randoms(use_true_random=False),
)
def test_the_page_plays_by_the_rules(playing, drawn, random):
    game, bound = drawn
    sizes = [most + 1 for most in game.limits(bound)]
    every = [p for p in product(*map(range, sizes)) if game.is_position(p)]
    positions = random.sample(every, min(len(every), 30))
    rules = played_rules(game.rules, sizes)
    for position, (options, grundy) in zip(
        positions, playing.evaluate(PLAY, [rules, positions]), strict=True
    ):
        assert {tuple(option) for option in options} == set(game.options(position))
        assert grundy == game.grundy(position)


def test_every_cell_that_is_shown_is_what_the_definition_says(playing, page_file, monkeypatch):
    monkeypatch.chdir(page_file.parents[3])  # where the heights of a game are
    found = playing.evaluate(
        """() => explored.data.flatMap((family) => family.tables.map((table) => {
          const places = table.axis_sizes.reduce((all, n) => all.flatMap((p) => Array.from({length: n}, (_, i) => [...p, i])), [[]]);
          const chosen = places.filter((_, i) => i % Math.ceil(places.length / 20) === 0);
          return [table.ruleset, table.holds_grundy_numbers, chosen.map((place) => {
            const position = explored.positionAt(table, place);
            return [place, position, position && explored.isP(table, place), position && explored.stored(table, place)];
          })];
        }))"""
    )
    assert len(found) > 40
    for ruleset, holds_grundy_numbers, cells in found:
        game = parse_ruleset(ruleset)
        for place, position, is_p, stored in cells:
            if position is None:
                assert not game.is_position(place)
                continue
            assert game.is_position(position)
            if holds_grundy_numbers and sum(position) < 40:
                assert stored == game.grundy(tuple(position))
            # far from the origin a definition in Python visits too many positions
            elif not holds_grundy_numbers and sum(position) < 16:
                assert is_p == game.is_p_position(tuple(position))


def test_pointing_at_a_cell_tells_the_position_and_a_move_that_wins(seen):
    choose(seen.page, STEP_BARS, k=3, s=0)
    box = seen.page.locator("#cells").bounding_box()
    assert box is not None
    game = parse_ruleset("step-bar(k=3, s=0)")
    for across, up in ((0.55, 0.9), (0.9, 0.3), (0.3, 0.95)):
        seen.page.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] * up)
        y, z = pointed_at(seen.page)
        assert z == int(across * 41)
        number = game.grundy((y, z))
        assert f"Grundy number {number}." in here(seen.page)
        option = re.search(r"The move to \((\d+), (\d+)\) wins", here(seen.page))
        assert (option is None) == (number == 0)
        if option is not None:
            to = tuple(map(int, option.groups()))
            assert to in set(game.options((y, z)))
            assert game.grundy(to) == 0


def test_arrow_keys_move_and_a_table_that_is_wrong_is_found_out(seen):
    page = seen.page
    choose(page, STEP_BARS, k=4, s=0)
    page.locator("#cells").focus()
    for _ in range(60):
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
    assert here(page) == "(y, z) = (0, 0): a P-position, Grundy number 0. Play has ended."
    page.keyboard.press("ArrowUp")
    assert here(page) == "(y, z) = (1, 0) is not a position of this game."
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert here(page).startswith("(y, z) = (1, 4): an N-position, Grundy number 5.")
    page.evaluate(
        """() => { const table = explored.data[0].tables.find((t) => t.ruleset === "step-bar(k=4, s=0)");
        table.cells.values.fill(7); }"""
    )
    page.keyboard.press("ArrowRight")
    assert here(page).endswith("The table says otherwise.")


def test_a_slider_changes_the_picture_and_the_sliders_after_it(seen):
    page = seen.page
    choose(page, TRIANGULAR, k=3)
    before = seen.pixels("#cells")
    slider = page.get_by_role("slider", name="k", exact=True)
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#shows").inner_text().startswith("solid-bar(f=(x+z)//4): ")
    assert slider.evaluate("e => e === document.activeElement"), "the slider is still held"
    after = seen.pixels("#cells")
    assert before.shape != after.shape or not np.array_equal(before, after)
    choose(page, STEP_BARS, k=4, s=3)
    assert page.locator("#shows").inner_text().startswith("step-bar(k=4, s=3)")
    choose(page, STEP_BARS, k=2)
    assert page.get_by_role("slider", name="s", exact=True).get_attribute("max") == "1"


def test_slices_go_along_each_axis(seen):
    page = seen.page
    choose(page, TRIANGULAR, k=3)
    across, up = page.locator("#across"), page.locator("#up")
    across.select_option(up.input_value())
    assert across.input_value() != up.input_value()
    seen_planes = set()
    for first, second, cut in (("z", "y", "x"), ("x", "y", "z"), ("z", "x", "y")):
        across.select_option(label=first)
        up.select_option(label=second)
        for number in (0, 2):
            page.get_by_role("slider", name=f"{cut} =", exact=True).fill(str(number))
            x, y, z = pointed_at(page)
            assert {"x": x, "y": y, "z": z}[cut] == number
            seen_planes.add(seen.pixels("#cells").tobytes())
    assert len(seen_planes) == 6


def walked(page, **numbers):
    """Type a position; return the table of digits and the outcome."""
    for name, number in numbers.items():
        page.locator("#position").get_by_label(name, exact=True).fill(str(number))
    page.get_by_role("button", name="Read all").click()
    rows = page.locator("#digits tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows], page.locator(
        "#state"
    ).inner_text()


def test_the_automaton_is_walked_digit_by_digit(seen):
    page = seen.page
    choose(page, TRIANGULAR, k=5)
    (automaton,) = prove(parse_ruleset("solid-bar(f=(x+z)//5)")).automata
    for position in ((3, 0, 3), (8, 2, 7), (1, 1, 5), (10**20, 3, 10**20)):
        rows, said = walked(page, **dict(zip("xyz", position, strict=True)))
        state = 0
        assert len(rows) == max(position).bit_length()
        for place, (_, digits, before, after) in enumerate(rows):
            assert digits == "".join(str(number >> place & 1) for number in position)
            assert before == str(state)
            state = int(automaton.delta[state, sum(int(d) << i for i, d in enumerate(digits))])
            assert after == str(state)
        accepted = automaton.accepts(dict(zip(automaton.tracks, position, strict=True)))
        assert ("which accepts: a P-position" in said) == accepted
        assert page.locator("#drawing text.now").all_text_contents() in ([str(state)], [])
    walked(page, x=6, y=0, z=6)
    back, on = (page.get_by_role("button", name=name) for name in ("Back a digit", "Read a digit"))
    assert on.is_disabled()
    for button, rows_left in ((back, 2), (on, 3)):
        button.focus()
        page.keyboard.press("Enter")
        assert page.locator("#digits tr").count() == rows_left
    for text in ("", "-1", "x", "1.5", "9" * 61):
        page.locator("#position").get_by_label("x").fill(text)
        assert page.locator("#digits tr").count() == 0, text


def test_with_passes_each_number_left_has_its_automaton(seen):
    page = seen.page
    choose(page, "strip-bar(k=k, s=s) with a pass: P-positions", s=1)
    game = parse_ruleset("with-pass(strip-bar(k=4, s=1), passes=1)")
    for p, automaton in enumerate(prove(game).automata):
        page.get_by_role("slider", name="p =", exact=True).fill(str(p))
        for position in ((0, 0, 0), (1, 1, 3), (2, 1, 4), (6, 0, 7)):
            _, said = walked(page, **dict(zip("xyz", position, strict=True)))
            accepts = automaton.accepts(dict(zip(automaton.tracks, position, strict=True)))
            assert ("which accepts" in said) == accepts == game.is_p_position((*position, p))
    choose(page, STEP_BARS, k=2, s=0)
    for number in (7, 6):
        _, said = walked(page, y=2, z=5, **{"Grundy number": number})
        assert ("which accepts" in said) == (number == 7)


def test_the_address_names_a_game_and_a_position(browser, page_file):
    page = browser.new_page()
    page.goto(page_file.as_uri() + "#solid-bar%28f%3D%28x%2Bz%29//5%29@4,2,6")
    assert here(page).startswith("(x, y, z) = (4, 2, 6): an N-position, Grundy number ")
    page.evaluate("location.hash = '#step-bar(k=3, s=1)@1,4'")
    page.wait_for_function("document.getElementById('shows').textContent.startsWith('step-bar')")
    assert here(page).startswith("(y, z) = (1, 4)")
    page.goto(page_file.as_uri() + "#no-such-game@<b>")
    page.reload()
    assert page.locator("#shows").inner_text().startswith(f"{OPENS_ON}: ")
    page.close()


@in_both_sizes
def test_every_family_can_be_read_and_breaks_no_rule_of_accessibility(
    browser, page_file, scheme, size
):
    with opened(browser, page_file, size, scheme) as seen:
        families = seen.page.get_by_label("Games").locator("option").all_inner_texts()
        assert len(families) >= 8
        for family in families:
            choose(seen.page, family)
            assert len(np.unique(seen.pixels("#cells").reshape(-1, 3), axis=0)) >= 3, (
                f"{family} is blank"
            )
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= size[0]
            assert not here(seen.page).endswith("The table says otherwise.")
        choose(seen.page, TRIANGULAR, k=5)
        assert seen.page.evaluate(CONTRAST) == []
        assert Axe().run(seen.page).response["violations"] == []
