"""The report in a real browser: it loads offline and without errors, its links open, its pictures are drawn and zoom."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from choco_pipeline.report.task import write_report
from tests.browser.seen import CONTRAST, NEEDS_BROWSER, WIDE, Seen, in_all_sizes, opened
from tests.report.small_run import small_run

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    ledger = small_run(tmp_path_factory, "browser")
    folder = ledger.parents[2]
    html = ledger.with_name("report") / "index.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_report(str(ledger), str(html), lambda _stage, **_numbers: None)
    return html


def rows_with(page_file: Path, *verdicts: str) -> set[str]:
    """Return the claims of the run with these verdicts, from its ledger."""
    ledger = json.loads((page_file.parents[1] / "ledger.json").read_text(encoding="utf-8"))
    return {row["claim"] for row in ledger["rows"] if row["verdict"] in verdicts or not verdicts}


def shown_rows(page: Page) -> list[str]:
    """Return the claims whose rows are visible, from the top."""
    script = "all => all.filter(e => e.checkVisibility()).map(e => e.id.slice(4))"
    found: list[str] = page.eval_on_selector_all(".claim-row", script)
    return found


def test_a_row_of_the_ledger_leads_to_its_evidence_and_back(seen: Seen):
    seen.page.locator("#row-solid2022-conj-2 a.cell").click()
    assert seen.page.url.endswith("/claims/solid2022-conj-2.html")
    seen.page.locator("#claim-solid2022-conj-2 svg.chocolate").first.wait_for(state="visible")
    seen.page.get_by_role("link", name="in the ledger").click()
    assert seen.page.url.endswith("/index.html#row-solid2022-conj-2")


def test_a_cell_of_a_grid_opens_its_evidence(seen: Seen):
    seen.page.locator("#row-own-false th a").click()
    cell = seen.page.locator("#claim-own-false .grid a.cell.refuted").nth(1)
    target = str(cell.get_attribute("href"))
    evidence = seen.page.locator(target)
    assert not evidence.is_visible()
    cell.click()
    evidence.wait_for(state="visible")
    assert seen.page.evaluate("document.activeElement.id") == target[1:]


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ("#claim-own-false", "/claims/own-false.html"),
        ("#own-false-2", "/claims/own-false.html#own-false-2"),
    ],
)
def test_older_addresses_of_evidence_lead_to_its_page(
    browser: Browser, page_file: Path, old: str, now: str
):
    page = browser.new_page()
    page.goto(page_file.as_uri() + old)
    page.wait_for_url(f"**{now}")
    page.locator((now.partition("#")[2] and f"#{now.partition('#')[2]}") or "h1").wait_for(
        state="visible"
    )
    page.close()


def test_the_first_screen_says_what_is_known_of_every_conjecture_and_question(
    seen: Seen, page_file: Path
):
    ledger = json.loads((page_file.parents[1] / "ledger.json").read_text(encoding="utf-8"))
    statuses = {claim["id"]: claim["status"] for claim in ledger["claims"]}
    asked = {name for name, of in statuses.items() if of in ("conjecture", "question")}
    lines = seen.page.locator(".standing")
    assert {name[9:] for name in lines.evaluate_all("all => all.map(e => e.id)")} == asked
    known = seen.page.locator("#standing-solid2022-conj-2 .known").text_content() or ""
    assert "".join(known.split()).startswith(
        "✗refutedat(x,y,z)=(0,2,2)fork=1;falsefork=1,5,…,13,all"
    )
    top, bottom = (seen.page.locator(name).bounding_box() for name in ("#open", "#ledger"))
    assert top is not None
    assert bottom is not None
    assert top["y"] < WIDE[1] / 2
    assert top["y"] < bottom["y"]
    assert lines.first.bounding_box()["height"] < 60  # type: ignore[index]


def test_a_claim_can_be_cited_and_leads_to_its_paper(browser: Browser, page_file: Path):
    with opened(
        browser, page_file.with_name("claims") / "solid2022-conj-2.html", WIDE, "light"
    ) as seen:
        paper = seen.page.get_by_role("link", name="arXiv 2205.11884")
        assert paper.get_attribute("href") == "https://arxiv.org/abs/2205.11884"
        seen.page.get_by_text("this result, BibTeX").click()
        entry = seen.page.locator(".cite[open] pre").inner_text()
        assert entry.startswith("@misc{choco-solid2022-conj-2,")
        assert "commit " in entry


def test_the_ledger_is_filtered_and_the_address_keeps_it(seen: Seen, page_file: Path):
    page = seen.page
    every = shown_rows(page)
    assert set(every) == rows_with(page_file)
    shown = page.locator("#shown")
    assert shown.inner_text() == f"{len(every)} claims"
    page.get_by_role("checkbox", name="refuted").check()
    refuted = rows_with(page_file, "refuted")
    assert set(shown_rows(page)) == refuted
    assert shown.inner_text() == f"{len(refuted)} of {len(every)} claims"
    page.get_by_role("checkbox", name="not checked").check()
    assert set(shown_rows(page)) == refuted | rows_with(page_file, "unchecked")
    page.locator("#filters").get_by_label("Paper").select_option("own")
    assert set(shown_rows(page)) == {"own-false", "own-printed", "own-no-sum", "own-unchecked"}
    page.get_by_label("Status").select_option("lemma")
    assert shown_rows(page) == ["own-no-sum"]
    assert page.locator(".ledger .group:visible").count() == 1

    page.reload()
    assert shown_rows(page) == ["own-no-sum"]
    assert page.locator("#filters").get_by_label("Paper").input_value() == "own"
    page.locator("#row-own-no-sum th a").first.click()
    assert page.url.endswith("/claims/own-no-sum.html")
    page.go_back()
    assert shown_rows(page) == ["own-no-sum"]
    page.get_by_role("button", name="Show all").click()
    page.wait_for_url(lambda url: url.endswith("#ledger"))
    assert shown_rows(page) == every


def test_the_ledger_is_searched_by_every_word(seen: Seen, page_file: Path):
    seen.page.get_by_role("searchbox").fill("CONJECTURE solid bar y+1")
    assert shown_rows(seen.page) == []
    assert seen.page.locator("#shown").inner_text().startswith("0 of ")
    seen.page.get_by_role("searchbox").fill("CONJECTURE solid (z+1)")
    assert shown_rows(seen.page) == ["solid2022-conj-2"]
    seen.page.keyboard.press("Enter")
    assert shown_rows(seen.page) == ["solid2022-conj-2"]
    seen.page.get_by_role("searchbox").fill("G(2I-1")
    assert "G(2i−1" in (seen.page.locator(".claim-row:visible").first.text_content() or "")
    as_printed = shown_rows(seen.page)
    seen.page.get_by_role("searchbox").fill("G(2i−1")
    assert shown_rows(seen.page) == as_printed


def test_the_ledger_is_sorted_from_the_keyboard(seen: Seen, page_file: Path):
    ledger = json.loads((page_file.parents[1] / "ledger.json").read_text(encoding="utf-8"))
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
    assert [positions[name] for name in shown_rows(page)] == numbers[::-1]
    page.reload()
    assert [positions[name] for name in shown_rows(page)] == numbers[::-1]
    page.locator("th[data-sort=order] button").click()
    assert shown_rows(page) == before
    assert page.locator(".ledger .group:visible").count() > 1


def test_a_statement_is_cut_to_two_lines_and_opens_whole(seen: Seen):
    summary = seen.page.locator("#row-solid2022-conj-1 summary")
    cut = summary.bounding_box()
    summary.focus()
    seen.page.keyboard.press("Enter")
    whole = summary.bounding_box()
    assert cut is not None
    assert whole is not None
    assert cut["height"] < 60 < whole["height"]
    assert seen.page.locator("#row-solid2022-conj-1 .command").is_visible()


@pytest.mark.parametrize("way", ["without scripts", "in print"])
def test_all_rows_are_shown(browser: Browser, page_file: Path, way: str):
    page = browser.new_page(java_script_enabled=way == "in print")
    page.goto(page_file.as_uri())
    if way == "in print":
        page.emulate_media(media="print")
    count = len(rows_with(page_file))
    assert page.locator(".claim-row:visible").count() == count
    assert not page.locator("#filters").is_visible()
    assert page.locator("#shown").inner_text() == f"{count} claims"
    page.close()


def test_in_print_nothing_is_cut_and_a_line_is_as_large_as_another(
    browser: Browser, page_file: Path
):
    """Each rule of the style sheet for print that a reader would miss: statements whole, no controls, one size of text."""
    page = browser.new_page(viewport={"width": 720, "height": 1000}, color_scheme="dark")
    page.goto(page_file.as_uri())
    page.emulate_media(media="print")
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
    assert colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"], (
        "black on white, whatever the screen is"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    page.close()


def test_a_counterexample_leads_to_the_page_on_which_it_can_be_explored(
    browser: Browser, page_file: Path
):
    with opened(
        browser, page_file.with_name("claims") / "solid2022-conj-2.html", WIDE, "light"
    ) as seen:
        seen.page.get_by_role("link", name="explore it").first.click()
        seen.page.locator("#here").wait_for(state="visible")
        assert (
            seen.page.locator("#here")
            .inner_text()
            .startswith("(x, y, z) = (0, 2, 2): an N-position")
        )


@pytest.mark.parametrize("name", ["index.html", "pairs.html", "tables.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_rule_of_accessibility_is_broken(
    browser: Browser, page_file: Path, name: str, scheme: str
):
    with opened(browser, page_file.parent / name, WIDE, scheme) as seen:
        assert Axe().run(seen.page).response["violations"] == []


def test_what_took_longest_is_a_picture(seen: Seen):
    bars = seen.page.locator(".times .stage .bar")
    widths = [box["width"] for bar in bars.all() if (box := bar.bounding_box())]
    seconds = [
        float(text.replace(",", ""))
        for text in seen.page.locator(".times .stage td:last-child").all_inner_texts()
    ]
    assert len(widths) == 4
    assert widths.index(max(widths)) == seconds.index(max(seconds))
    assert max(widths) > 100


def test_a_link_from_outside_opens_what_it_names(browser: Browser, page_file: Path):
    page = browser.new_page()
    page.goto((page_file.with_name("claims") / "own-false.html").as_uri() + "#own-false-2")
    page.locator("#own-false-2").wait_for(state="visible")
    # Chromium opens what it scrolls to by itself; other browsers need the page's own script.
    assert not page.locator("#own-false-3").is_visible()
    page.evaluate(
        "() => { history.replaceState(null, '', '#own-false-3'); dispatchEvent(new HashChangeEvent('hashchange')); }"
    )
    page.locator("#own-false-3").wait_for(state="visible")
    page.close()


@in_all_sizes
@pytest.mark.parametrize(
    "name", ["index.html", "claims/solid2022-conj-2.html", "pairs.html", "findings.html"]
)
def test_the_page_is_readable(
    browser: Browser, page_file: Path, scheme: str, size: tuple[int, int], name: str
):
    with opened(browser, page_file.parent / name, size, scheme) as seen:
        seen.require_printed_on(scheme)
        assert seen.page.evaluate(CONTRAST) == []
        seen.page.evaluate(
            "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
        )
        seen.require_readable(size)
