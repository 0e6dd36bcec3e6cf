"""Pages of proofs for all parameters in a real browser: reached from the claim's row, readable at any width, and linked."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.report.families import FOLDER
from choco_pipeline.report.task import write_report
from tests.browser.seen import NEEDS_BROWSER, Seen, in_both_sizes, opened
from tests.report.family_documents import certificates, proved_verdict
from tests.report.small_run import small_run

pytestmark = NEEDS_BROWSER
CLAIMS = ("own-false", "own-other")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = small_run(tmp_path_factory, "families")
    folder = path.parents[2]
    paths = certificates(folder / "results" / "certificates" / "families")
    ledger = read_record(path)
    ledger["verdicts"] += map(proved_verdict, CLAIMS, paths)
    write_record(path, ledger)
    html = path.with_name("report") / "index.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_report(str(path), str(html), lambda _stage, **_numbers: None)
    return html


def test_a_claim_leads_to_its_proof_and_back(seen: Seen):
    page = seen.page
    page.locator(f"#row-{CLAIMS[0]}").get_by_text("the proof").click()
    assert "Grundy" in page.locator("#theorem").inner_text()
    assert page.locator("#theorem math mo").count() > 0, "the condition is no formula"
    page.locator(".lead a").click()
    assert page.url.endswith(f"claims/{CLAIMS[0]}.html")
    page.get_by_role("link", name="for all parameters at once").click()
    assert "Grundy" in page.locator("#theorem").inner_text()


@in_both_sizes
def test_pages_are_readable(browser: Browser, page_file: Path, scheme: str, size: tuple[int, int]):
    pages = sorted((page_file.parent / FOLDER).glob("*.html"))
    assert len(pages) == len(CLAIMS)
    for path in pages:
        with opened(browser, path, size, scheme) as seen:
            seen.require_readable(size)
            tall = seen.page.evaluate(
                "[...document.querySelectorAll('math')].filter((m) => m.checkVisibility() && m.getBoundingClientRect().height < 5).length"
            )
            assert tall == 0, "formulas without height"


def test_answers_lead_to_locations(seen: Seen):
    seen.page.locator(f"#row-{CLAIMS[1]}").get_by_text("the proof").click()
    targets = seen.page.locator("a[href^='#']").evaluate_all(
        "(links) => links.map((a) => document.getElementById(a.hash.slice(1)) !== null)"
    )
    assert len(targets) > 50
    assert all(targets)
    assert seen.page.locator("a[download]").get_attribute("href")
