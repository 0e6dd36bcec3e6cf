"""The report in a real browser: it loads offline and without errors, its links open, its pictures are drawn and zoom."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from choco_pipeline import StepBar
from choco_pipeline.report.task import write_report
from tests.report.small_run import small_run

CHROMIUM = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    None,
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, NARROW = (1280, 900), (390, 844)
FIGURE = "#figure-0-0"

pytestmark = pytest.mark.skipif(
    CHROMIUM is None,
    reason="no Chromium or Chrome on this machine (Debian: apt-get install chromium)",
)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browser")
    ledger = small_run(folder)
    html = ledger.with_name("report") / "index.html"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_report(str(ledger), str(html), lambda _stage, **_numbers: None)
    return html


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Seen:
    """A page with what went wrong on it."""

    def __init__(self, browser: Browser, report: Path, size: tuple[int, int], scheme: str) -> None:
        self.page: Page = browser.new_page(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        self.wrong: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", self._request)
        self.page.goto(report.as_uri())

    def _console(self, message: object) -> None:
        kind, text = getattr(message, "type", ""), getattr(message, "text", "")
        if kind in ("error", "warning"):
            self.wrong.append(f"console {kind}: {text}")

    def _request(self, request: object) -> None:
        address = str(getattr(request, "url", ""))
        if not address.startswith(("file:", "data:", "blob:")):
            self.wrong.append(f"request: {address}")

    def pixels(self, selector: str | None = None) -> np.ndarray:
        """Return a screenshot as an array [row, column, colour]."""
        shot = self.page.locator(selector).screenshot() if selector else self.page.screenshot()
        return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))

    def show(self, name: str) -> None:
        """Scroll to a figure and wait until it is drawn."""
        self.page.locator(name).scroll_into_view_if_needed()
        self.page.wait_for_selector(f"{name}[data-drawn=yes]")
        self.page.wait_for_selector(f"{name} canvas, {name} .bk-Figure", state="attached")
        self.page.wait_for_timeout(300)


@pytest.fixture
def seen(browser: Browser, report: Path) -> Iterator[Seen]:
    seen = Seen(browser, report, WIDE, "light")
    yield seen
    seen.page.close()
    assert seen.wrong == []


def test_every_figure_is_drawn_without_errors_and_without_the_network(seen: Seen):
    names = seen.page.eval_on_selector_all(
        ".panel:not([hidden]) .plot", "all => all.map(e => e.id)"
    )
    assert len(names) >= 10
    for name in names:
        seen.show(f"#{name}")
        assert len(np.unique(seen.pixels(f"#{name}").reshape(-1, 3), axis=0)) > 10, (
            f"{name} is blank"
        )


def test_a_cell_of_the_matrix_opens_its_evidence(seen: Seen):
    cell = seen.page.locator("a.cell.refuted[href^='#solid2022-conj-2-']").nth(1)
    target = str(cell.get_attribute("href"))
    evidence = seen.page.locator(target)
    assert not evidence.is_visible()
    cell.click()
    evidence.wait_for(state="visible")
    assert seen.page.evaluate("document.activeElement.id") == target[1:]
    assert evidence.locator("svg.chocolate").is_visible()
    box = evidence.bounding_box()
    assert box is not None
    assert 0 <= box["y"] + box["height"] / 2 <= WIDE[1]
    # The same link again, after its evidence was closed.
    seen.page.locator(f"details:has({target}) > summary").last.click()
    assert not evidence.is_visible()
    cell.click()
    evidence.wait_for(state="visible")


def test_hovering_tells_coordinates_and_value(seen: Seen):
    seen.show(FIGURE)
    box = seen.page.locator(FIGURE).bounding_box()
    assert box is not None
    seen.page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.8)
    tooltip = seen.page.locator(".bk-Tooltip")
    tooltip.first.wait_for(state="visible")
    rows = tooltip.first.locator(".bk-tooltip-row-label, .bk-tooltip-row-value").all_inner_texts()
    labels, values = [row.strip(": ") for row in rows[::2]], [int(row) for row in rows[1::2]]
    assert labels == ["z", "y", "Grundy number"]
    z, y, grundy = values
    choice = seen.page.locator("#game-1 select option:checked").inner_text()
    k, s = (int(part.split("=")[1]) for part in choice.split(","))
    assert grundy == (StepBar(k, s).grundy((y, z)) if y <= (z + s) // k else -1)


def test_dragging_zooms_and_another_table_can_be_chosen(seen: Seen):
    seen.show(FIGURE)
    before = ranges(seen)
    box = seen.page.locator(FIGURE).bounding_box()
    assert box is not None
    seen.page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.7)
    seen.page.mouse.down()
    seen.page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.4, steps=5)
    seen.page.mouse.up()
    zoomed = ranges(seen)
    assert before["left"] < zoomed["left"] < zoomed["right"] < before["right"]

    select = seen.page.locator("#game-1 select")
    shown = seen.pixels(FIGURE)
    select.select_option("0")
    seen.page.wait_for_timeout(300)
    first = ranges(seen)
    assert first["cells"] != before["cells"]
    assert first["right"] - first["left"] == first["columns"]
    assert not np.array_equal(seen.pixels(FIGURE), shown)
    assert seen.page.locator("#game-1 [data-choice='0']").is_visible()


def ranges(seen: Seen) -> dict[str, float]:
    """Return what the first figure shows, from BokehJS itself."""
    script = """() => {
      const plot = Bokeh.documents.map((d) => d.get_model_by_name("figure-0-0-plot")).find((m) => m);
      const shown = plot.renderers[0].data_source.data;
      const image = shown.image[0];
      return JSON.stringify({left: plot.x_range.start, right: plot.x_range.end, columns: shown.width[0],
        cells: shown.width[0] * 1000 + shown.height[0] + [...image].reduce((a, b) => a + b, 0) * 1e6});
    }"""
    found: dict[str, float] = json.loads(str(seen.page.evaluate(script)))
    return found


def test_a_link_from_outside_opens_what_it_names(browser: Browser, report: Path):
    page = browser.new_page()
    page.goto(report.as_uri() + "#own-false-2")
    page.locator("#own-false-2").wait_for(state="visible")
    # Chromium opens what it scrolls to by itself; other browsers need the page's own script.
    assert not page.locator("#own-false-3").is_visible()
    page.evaluate(
        "() => { history.replaceState(null, '', '#own-false-3'); dispatchEvent(new HashChangeEvent('hashchange')); }"
    )
    page.locator("#own-false-3").wait_for(state="visible")
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_page_is_readable(browser: Browser, report: Path, scheme: str, size: tuple[int, int]):
    seen = Seen(browser, report, size, scheme)
    pixels = seen.pixels()
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 50, "the page is blank"
    paper = pixels[2, 2].mean()
    assert (paper > 230) if scheme == "light" else (paper < 50)
    assert seen.page.evaluate(CONTRAST) == []
    seen.page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    seen.page.close()
    assert seen.wrong == []


#: Texts whose contrast with what lies behind them is below 4.5:1 (WCAG 2, level AA).
CONTRAST = """() => {
  const parse = (colour) => { const c = colour.match(/[\\d.]+/g).map(Number); return c.length > 3 ? c : [...c, 1]; };
  const luminance = (c) => { const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const bad = [];
  for (const e of document.querySelectorAll("p, li, th, td, dt, dd, summary, h1, h2, h3, .cell, .quiet, .status, figcaption, code, a")) {
    if (!e.checkVisibility()) continue;
    let behind = e, back = [0, 0, 0, 0];
    for (; behind && back[3] === 0; behind = behind.parentElement) back = parse(getComputedStyle(behind).backgroundColor);
    const [a, b] = [luminance(parse(getComputedStyle(e).color).slice(0, 3)), luminance(back.slice(0, 3))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)}: ${e.textContent.slice(0, 40)}`);
  }
  return bad;
}"""
