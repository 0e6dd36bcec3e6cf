"""One browser for the tests of a module, and a page that is open in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.seen import ARGUMENTS, CHROMIUM, WIDE, Seen, opened


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def seen(browser: Browser, page_file: Path) -> Iterator[Seen]:
    """The page that a module is about, wide and light."""
    with opened(browser, page_file, WIDE, "light") as page:
        yield page
