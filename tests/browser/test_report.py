"""The report in a real browser, offline."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import FAMILY_CLAIMS
from tests.browser.seen import (
    ARGUMENTS,
    CHROMIUM,
    CONTRAST,
    MIDDLE,
    NARROW,
    NEEDS_BROWSER,
    WIDE,
    WIDER,
    Seen,
    in_both_sizes,
    opened,
)
from tests.report.found_documents import statements

pytestmark = NEEDS_BROWSER
HAS_GRAPHVIZ = shutil.which("dot") is not None
CONJECTURE = "claims/solid2022-conj-2.html"


@pytest.fixture(scope="module")
def page_file(site):
    return site / "index.html"


@pytest.fixture(scope="module")
def ledger(site):
    return json.loads(site.with_name("ledger.json").read_text(encoding="utf-8"))


def rows_with(ledger, *verdicts):
    """Return the claims of the run with these verdicts."""
    return {row["claim"] for row in ledger["rows"] if row["verdict"] in verdicts or not verdicts}


def shown_rows(page):
    """Return the claims whose rows are visible, from the top."""
    script = "all => all.filter(e => e.checkVisibility()).map(e => e.id.slice(4))"
    found: list[str] = page.eval_on_selector_all(".claim-row", script)
    return found


#: Labels of drawings and charts that overlap, or that a frame cuts; and formulas without height.
CLASHES = """() => {
  const bad = [];
  const cut = (a, frame) => a.left < frame.left - 0.5 || a.right > frame.right + 0.5
    || a.top < frame.top - 0.5 || a.bottom > frame.bottom + 0.5;
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
  for (const svg of document.querySelectorAll("svg.chart, svg.automaton")) {
    if (!svg.checkVisibility()) continue;
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((text) => ({
      box: text.getBoundingClientRect(),
      words: [...text.childNodes].filter((node) => node.nodeName !== "title").map((node) => node.textContent).join(" "),
    }));
    texts.forEach(({box: a, words}, i) => {
      if (cut(a, frame)) bad.push(`${words} is cut`);
      for (const {box: b, words: other} of texts.slice(i + 1))
        if (meet(a, b)) bad.push(`${words} lies on ${other}`);
    });
  }
  for (const math of document.querySelectorAll("math"))
    if (math.checkVisibility() && math.getBoundingClientRect().height < 5) bad.push(math.textContent);
  return bad;
}"""


def require_readable(seen, size, scheme):
    """Assert that a page is not blank, has its paper, and that all of it can be read."""
    pixels = seen.pixels()
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50, "the page is blank"
    paper = pixels[2, 2].mean()
    assert (paper > 230) if scheme == "light" else (paper < 50)
    assert seen.page.evaluate(CONTRAST) == []
    seen.page.evaluate(
        """for (const d of document.querySelectorAll("details")) d.open = true;
        for (const figure of document.querySelectorAll("[data-choice]")) figure.hidden = false;"""
    )
    assert seen.page.evaluate(CONTRAST) == []
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert seen.page.evaluate(CLASHES) == []


PAGES = ["index.html", CONJECTURE, "pairs.html", "findings.html", "found.html", "proofs.html"]


@in_both_sizes
def test_pages_are_readable(browser, site, scheme, size):
    families = sorted(site.glob("families/*.html"))
    assert len(families) == len(FAMILY_CLAIMS)
    for path in [*(site / name for name in PAGES), *families]:
        with opened(browser, path, size, scheme) as seen:
            require_readable(seen, size, scheme)


@pytest.mark.parametrize(("size", "scheme"), [(WIDER, "light"), (MIDDLE, "dark")])
def test_the_first_page_is_readable_in_other_sizes(browser, page_file, scheme, size):
    with opened(browser, page_file, size, scheme) as seen:
        require_readable(seen, size, scheme)


@pytest.mark.parametrize(
    ("name", "scheme"),
    [("index.html", "light"), ("pairs.html", "dark"), ("tables.html", "light")],
)  # fmt: skip
def test_no_rule_of_accessibility_is_broken(browser, site, name, scheme):
    with opened(browser, site / name, WIDE, scheme) as seen:
        assert Axe().run(seen.page).response["violations"] == []


def test_a_row_of_the_ledger_leads_to_its_evidence_and_back(seen):
    seen.page.locator("#row-solid2022-conj-2 a.cell").click()
    assert seen.page.url.endswith(f"/{CONJECTURE}")
    seen.page.locator("#claim-solid2022-conj-2 svg.chocolate").first.wait_for(state="visible")
    seen.page.get_by_role("link", name="in the ledger").click()
    assert seen.page.url.endswith("/index.html#row-solid2022-conj-2")


def test_a_cell_of_a_grid_opens_its_evidence(seen):
    seen.page.locator("#row-own-false th a").click()
    cell = seen.page.locator("#claim-own-false .grid a.cell.refuted").nth(1)
    target = str(cell.get_attribute("href"))
    evidence = seen.page.locator(target)
    assert not evidence.is_visible()
    cell.click()
    evidence.wait_for(state="visible")
    assert seen.page.evaluate("document.activeElement.id") == target[1:]
    # Chromium opens what it scrolls to by itself; other browsers need the page's own script.
    other = str(seen.page.locator("#claim-own-false .grid a.cell").last.get_attribute("href"))
    assert not seen.page.locator(other).is_visible()
    seen.page.evaluate(
        "(other) => { history.replaceState(null, '', other); dispatchEvent(new HashChangeEvent('hashchange')); }",
        other,
    )
    seen.page.locator(other).wait_for(state="visible")


def test_the_first_screen_says_what_is_known_of_every_conjecture_and_question(seen, ledger):
    asked = {c["id"] for c in ledger["claims"] if c["status"] in ("conjecture", "question")}
    lines = seen.page.locator(".standing")
    assert {name[9:] for name in lines.evaluate_all("all => all.map(e => e.id)")} == asked
    top, bottom = (seen.page.locator(name).bounding_box() for name in ("#open", "#ledger"))
    assert top is not None
    assert bottom is not None
    assert top["y"] < WIDE[1] / 2
    assert top["y"] < bottom["y"]


def test_a_claim_can_be_cited_and_its_counterexample_explored(browser, site):
    with opened(browser, site / CONJECTURE, WIDE, "light") as seen:
        paper = seen.page.get_by_role("link", name="arXiv 2205.11884")
        assert paper.get_attribute("href") == "https://arxiv.org/abs/2205.11884"
        seen.page.get_by_text("this result, BibTeX").click()
        entry = seen.page.locator(".cite[open] pre").inner_text()
        assert entry.startswith("@misc{choco-solid2022-conj-2,")
        assert "commit " in entry
        seen.page.get_by_role("link", name="explore it").first.click()
        here = seen.page.locator("#here")
        here.wait_for(state="visible")
        assert here.inner_text().startswith("(x, y, z) = (0, 2, 2): an N-position")


def test_the_ledger_is_filtered_and_the_address_keeps_it(seen, ledger):
    page = seen.page
    every = shown_rows(page)
    assert set(every) == rows_with(ledger)
    page.get_by_role("checkbox", name="refuted").check()
    refuted = rows_with(ledger, "refuted")
    assert set(shown_rows(page)) == refuted
    assert page.locator("#shown").inner_text() == f"{len(refuted)} of {len(every)} claims"
    page.get_by_role("checkbox", name="not checked").check()
    assert set(shown_rows(page)) == refuted | rows_with(ledger, "unchecked")
    page.locator("#filters").get_by_label("Paper").select_option("own")
    assert set(shown_rows(page)) == {"own-false", "own-printed", "own-no-sum", "own-unchecked"}
    page.get_by_label("Status").select_option("lemma")
    assert shown_rows(page) == ["own-no-sum"]
    assert page.locator(".ledger .group:visible").count() == 1

    page.reload()
    assert shown_rows(page) == ["own-no-sum"]
    assert page.locator("#filters").get_by_label("Paper").input_value() == "own"
    page.locator("#row-own-no-sum th a").first.click()
    page.go_back()
    assert shown_rows(page) == ["own-no-sum"]
    page.get_by_role("button", name="Show all").click()
    page.wait_for_url(lambda url: url.endswith("#ledger"))
    assert shown_rows(page) == every


def test_the_ledger_is_searched_by_every_word(seen):
    search = seen.page.get_by_role("searchbox")
    search.fill("CONJECTURE solid bar y+1")
    assert shown_rows(seen.page) == []
    search.fill("CONJECTURE solid (z+1)")
    assert shown_rows(seen.page) == ["solid2022-conj-2"]
    seen.page.keyboard.press("Enter")
    assert shown_rows(seen.page) == ["solid2022-conj-2"]
    search.fill("G(2I-1")
    as_typed = shown_rows(seen.page)
    search.fill("G(2i−1")
    assert shown_rows(seen.page) == as_typed != []


def test_the_ledger_is_sorted_from_the_keyboard(seen, ledger):
    positions = {row["claim"]: row["positions"] for row in ledger["rows"]}
    page = seen.page
    before = shown_rows(page)
    head = page.locator("th[data-sort=positions]")
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    numbers = [positions[name] for name in shown_rows(page)]
    assert numbers == sorted(positions.values(), reverse=True)
    assert page.locator(".ledger .group:visible").count() == 0
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    page.reload()
    assert [positions[name] for name in shown_rows(page)] == numbers[::-1]
    page.locator("th[data-sort=order] button").click()
    assert shown_rows(page) == before


def test_without_scripts_and_in_print_all_rows_are_shown_and_nothing_is_cut(
    browser, page_file, ledger
):
    page = browser.new_page(java_script_enabled=False)
    page.goto(page_file.as_uri())
    assert page.locator(".claim-row:visible").count() == len(rows_with(ledger))
    assert not page.locator("#filters").is_visible()
    page.close()
    page = browser.new_page(viewport={"width": 720, "height": 1000}, color_scheme="dark")
    page.goto(page_file.as_uri())
    page.emulate_media(media="print")
    assert page.locator(".claim-row:visible").count() == len(rows_with(ledger))
    cut = page.eval_on_selector_all(
        ".ledger .words summary",
        # Fractions reach a little below their line.
        "all => all.filter(e => e.scrollHeight > e.clientHeight + 6).map(e => e.textContent)",
    )
    assert cut == []
    for name in ("nav", ".filters", "#shown", ".skip"):
        assert not page.locator(name).first.is_visible(), name
    sizes = page.evaluate(
        """() => [".standings td", ".standings th[scope=row]", "#refuted li", "dd"].map(
          (name) => parseFloat(getComputedStyle(document.querySelector(name)).fontSize))"""
    )
    assert max(sizes) <= 1.1 * min(sizes), sizes
    colours = page.evaluate(
        "() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"], "whatever the screen is"
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    page.close()


@pytest.mark.skipif(not HAS_GRAPHVIZ, reason="no Graphviz on this machine")
def test_a_row_leads_to_its_family_which_shows_the_chosen_automaton(browser, site):
    with opened(browser, site / "proofs.html", WIDE, "light") as seen:
        link = seen.page.locator(".regular a").nth(1)
        link.click()
        assert seen.page.locator(str(link.get_attribute("href"))).evaluate(
            "e => { const y = e.getBoundingClientRect().top; return y > -2 && y < innerHeight; }"
        )
        family = seen.page.locator(".family", has_text="solid-bar(f=(x+z)//k)").first
        assert family.locator("option").nth(2).inner_text() == "solid-bar(f=(x+z)//5): 11 states"
        family.locator("select").select_option("2")
        assert family.locator("[data-choice='2']").is_visible()
        assert family.locator("[data-choice]:visible").count() == 1
        nodes = family.locator("[data-choice='2'] .node text")
        assert nodes.count() == 10, "all but the dead state"


def test_a_claim_leads_to_its_proof_whose_answers_lead_to_locations(seen):
    page = seen.page
    page.locator(f"#row-{FAMILY_CLAIMS[1]}").get_by_text("the proof").click()
    assert page.locator("#theorem math mo").count() > 0, "the condition is no formula"
    targets = page.locator("a[href^='#']").evaluate_all(
        "(links) => links.map((a) => document.getElementById(a.hash.slice(1)) !== null)"
    )
    assert len(targets) > 50
    assert all(targets)
    page.locator(".lead a").click()
    assert page.url.endswith(f"claims/{FAMILY_CLAIMS[1]}.html")
    page.get_by_role("link", name="for all parameters at once").click()
    assert page.locator("#theorem").is_visible()


def formulas_are_laid_out(seen):
    lines = seen.page.locator(f"[id='{statements()[2].id}'] math[display=block]")
    assert lines.count() == 2, "a line for each case"
    boxes = lines.nth(1).evaluate(
        """e => Object.fromEntries([["over", "mfrac > :first-child"], ["under", "mfrac > :last-child"],
          ["base", "msup > :first-child"], ["raised", "msup > :last-child"], ["bracket", "mrow:has(> mfrac) > mo:first-child"]].map(([name, selector]) => {
            const box = e.querySelector(selector).getBoundingClientRect();
            return [name, [box.top, box.bottom, box.left, box.right]];
          }))"""
    )
    assert boxes["over"][1] <= boxes["under"][0] + 1
    assert boxes["raised"][1] < boxes["base"][1]
    assert boxes["raised"][2] >= boxes["base"][3] - 1
    tall = boxes["under"][1] - boxes["over"][0]
    assert boxes["bracket"][1] - boxes["bracket"][0] > 0.8 * tall, "brackets span the quotient"


def test_formulas_are_laid_out_without_a_mathematical_font(browser, site, tmp_path):
    """The page has its own font, because many machines have none."""
    listed = subprocess.run(
        ["fc-list", "-f", "%{file}\n"], capture_output=True, text=True, check=True
    )
    font = next(
        path
        for path in map(Path, sorted(listed.stdout.split("\n")))
        if path.suffix in (".ttf", ".otf") and b"MATH" not in path.read_bytes()[:1000]
    )
    (tmp_path / "fonts").mkdir()
    shutil.copy(font, tmp_path / "fonts")
    fonts, cache = tmp_path / "fonts", tmp_path / "cache"
    configuration = tmp_path / "fonts.conf"
    configuration.write_text(
        f"<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>"
    )
    plain = browser.browser_type.launch(
        executable_path=CHROMIUM,
        args=ARGUMENTS,
        env={**os.environ, "FONTCONFIG_FILE": str(configuration)},
    )
    page = plain.new_page()
    row = "<mtr><mtd><mi>a</mi></mtd></mtr>"
    page.set_content(f"<math><mo stretchy='true'>{{</mo><mtable>{row * 3}</mtable></math>")
    brace, table = (page.locator(name).bounding_box() for name in ("mo", "mtable"))
    assert brace is not None
    assert table is not None
    assert brace["height"] < 0.6 * table["height"], "the browser has a mathematical font"
    seen = Seen(plain, site / "found.html", WIDE, "light")
    formulas_are_laid_out(seen)
    assert seen.wrong == []
    plain.close()


def test_found_statements_are_reached_drawn_and_laid_out(browser, site):
    with opened(browser, site / "index.html", WIDE, "light") as seen:
        seen.page.locator("#proposed").get_by_role("link", name="What the machine found").click()
        seen.page.locator("h1", has_text="What the machine found").wait_for()
        formulas_are_laid_out(seen)
        assert len(np.unique(seen.pixels(".proposal svg.chart").reshape(-1, 3), axis=0)) > 10
        shades = np.unique(seen.pixels(".proposal .pattern svg").mean(axis=2).round())
        assert shades.min() < 60
        assert shades.max() > 220
        seen.page.locator("#rediscovered a").first.click()
        assert seen.page.url.endswith("claims/own-intended.html")
    with opened(browser, site / "found.html", NARROW, "light") as seen:
        wide = seen.page.eval_on_selector_all(
            ".says .scroll", "all => all.filter(e => e.scrollWidth > e.clientWidth).length"
        )
        assert wide > 0, "a long formula scrolls by itself"
