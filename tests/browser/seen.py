"""A page in a real browser, and what is wrong with it."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

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
WIDER, WIDE, MIDDLE, NARROW = (1600, 1000), (1280, 900), (800, 900), (390, 844)
in_both_sizes = pytest.mark.parametrize(
    ("size", "scheme"), [(WIDE, "light"), (NARROW, "dark")], ids=["wide-light", "narrow-dark"]
)

NEEDS_BROWSER = pytest.mark.skipif(
    CHROMIUM is None,
    reason="no Chromium or Chrome on this machine (Debian: apt-get install chromium)",
)


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


@contextmanager
def opened(browser: Browser, file: Path, size: tuple[int, int], scheme: str) -> Iterator[Seen]:
    """Open a page; assert at the end that nothing went wrong on it."""
    seen = Seen(browser, file, size, scheme)
    yield seen
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
