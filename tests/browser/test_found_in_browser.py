"""The page of found statements in a real browser: formulas are laid out, and all of it can be read at any width."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from choco_pipeline.report.task import write_report_with_found
from tests.browser.seen import (
    ARGUMENTS,
    CHROMIUM,
    NARROW,
    NEEDS_BROWSER,
    WIDE,
    Seen,
    in_both_sizes,
    opened,
)
from tests.report.found_documents import a_document, statements
from tests.report.small_run import small_run

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    ledger = small_run(tmp_path_factory, "found")
    folder = ledger.parents[2]
    found, html = ledger.with_name("found.json"), ledger.with_name("report") / "index.html"
    a_document().write(found)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_report_with_found(str(ledger), str(html), str(found), lambda _stage, **_numbers: None)
    return html.with_name("found.html")


@in_both_sizes
def test_the_page_is_readable(
    browser: Browser, page_file: Path, scheme: str, size: tuple[int, int]
):
    with opened(browser, page_file, size, scheme) as seen:
        seen.require_printed_on(scheme)
        seen.require_readable(size)


def test_formulas_are_laid_out_as_mathematics(seen: Seen):
    formulas_are_laid_out(seen)


def test_formulas_are_laid_out_without_a_mathematical_font(
    browser: Browser, page_file: Path, tmp_path: Path
):
    """The page has its own: many machines have none, and braces do not stretch in others."""
    plain = browser.browser_type.launch(
        executable_path=CHROMIUM,
        args=ARGUMENTS,
        env={**os.environ, "FONTCONFIG_FILE": str(one_plain_font(tmp_path))},
    )
    page = plain.new_page()
    row = "<mtr><mtd><mi>a</mi></mtd></mtr>"
    page.set_content(f"<math><mo stretchy='true'>{{</mo><mtable>{row * 3}</mtable></math>")
    brace, table = (page.locator(name).bounding_box() for name in ("mo", "mtable"))
    assert brace is not None
    assert table is not None
    assert brace["height"] < 0.6 * table["height"], "the browser has a mathematical font"
    seen = Seen(plain, page_file, WIDE, "light")
    formulas_are_laid_out(seen)
    assert seen.wrong == []
    plain.close()


def one_plain_font(folder: Path) -> Path:
    """Return a configuration of fonts with one that has no table for mathematics."""
    listed = subprocess.run(
        ["fc-list", "-f", "%{file}\n"], capture_output=True, text=True, check=True
    )
    plain = next(
        path
        for path in map(Path, sorted(listed.stdout.split("\n")))
        if path.suffix in (".ttf", ".otf") and b"MATH" not in path.read_bytes()[:1000]
    )
    (folder / "fonts").mkdir()
    shutil.copy(plain, folder / "fonts")
    configuration = folder / "fonts.conf"
    configuration.write_text(
        f"<fontconfig><dir>{folder / 'fonts'}</dir><cachedir>{folder / 'cache'}</cachedir></fontconfig>"
    )
    return configuration


def formulas_are_laid_out(seen: Seen) -> None:
    one = seen.page.locator(f"[id='{statements()[2].id}'] math[display=block]")
    assert one.count() == 1
    boxes = one.evaluate(
        """e => Object.fromEntries([["over", "mfrac > :first-child"], ["under", "mfrac > :last-child"],
          ["base", "msup > :first-child"], ["raised", "msup > :last-child"], ["first", "mtr:first-child"], ["last", "mtr:last-child"],
          ["brace", "math mo[stretchy=true]"]].map(([name, selector]) => {
            const box = e.querySelector(selector).getBoundingClientRect();
            return [name, [box.top, box.bottom, box.left, box.right]];
          }))"""
    )
    assert boxes["over"][1] <= boxes["under"][0] + 1
    assert boxes["raised"][1] < boxes["base"][1]
    assert boxes["raised"][2] >= boxes["base"][3] - 1
    assert boxes["first"][1] <= boxes["last"][0] + 1
    tall = boxes["last"][1] - boxes["first"][0]
    assert boxes["brace"][1] - boxes["brace"][0] > 0.8 * tall, "the brace spans the cases"


def test_a_long_formula_scrolls_by_itself(browser: Browser, page_file: Path):
    with opened(browser, page_file, NARROW, "light") as seen:
        wide = seen.page.eval_on_selector_all(
            ".says .scroll", "all => all.filter(e => e.scrollWidth > e.clientWidth).length"
        )
        assert wide > 0


def test_the_way_there_and_back(browser: Browser, page_file: Path):
    with opened(browser, page_file.with_name("index.html"), WIDE, "light") as seen:
        seen.page.locator("#proposed").get_by_role("link", name="What the machine found").click()
        seen.page.locator("h1", has_text="What the machine found").wait_for()
        seen.page.locator("#rediscovered a").first.click()
        claim = seen.page.locator("#claim-own-intended")
        claim.wait_for(state="visible")
        assert seen.page.url.endswith("claims/own-intended.html")


def test_a_chart_and_a_pattern_are_drawn(seen: Seen):
    assert len(np.unique(seen.pixels(".proposal svg.chart").reshape(-1, 3), axis=0)) > 10
    shades = np.unique(seen.pixels(".proposal .pattern svg").mean(axis=2).round())
    assert shades.min() < 60
    assert shades.max() > 220
