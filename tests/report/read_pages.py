"""Reader of report pages: nested elements, and their texts by id."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from choco_pipeline.formula.written.mathml import MathML, in_page
from choco_pipeline.report.found import FoundStatements
from choco_pipeline.report.prose import prose
from choco_pipeline.report.task import first_page, pages
from tests.report.documents import whole

VOID = {"meta", "link", "br", "hr", "input", "path", "circle", "rect"}


class Document(HTMLParser):
    """The ids, links, addresses, scripts and texts of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.addresses: list[str] = []
        self.tags: Counter[str] = Counter()
        self.scripts: list[str] = []
        self.text: dict[str, str] = {}
        self.open: list[tuple[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        found = dict(attrs)
        self.tags[tag] += 1
        if found.get("id"):
            self.ids.append(str(found["id"]))
        if tag == "a":
            self.links.append(str(found["href"]))
        self.addresses += [
            str(found[name]) for name in ("src", "srcset", "data", "action") if name in found
        ]
        if tag == "link":
            self.addresses.append(str(found["href"]))
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append((tag, found.get("id")))

    def handle_endtag(self, tag: str) -> None:
        """Close an element, which must be the one that is open."""
        if tag in VOID:
            return
        assert self.open, f"</{tag}> closes nothing"
        opened, _ = self.open.pop()
        assert opened == tag, f"<{opened}> is closed by </{tag}>"
        if tag in ("td", "th", "dt", "dd", "li"):
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        """Note text, for every element that it lies in."""
        if self.open and self.open[-1][0] == "script":
            self.scripts[-1] += data
        for _, name in self.open:
            if name:
                self.text[name] = self.text.get(name, "") + data


#: Where the pages of tests would be.
FOLDER = Path("results/small/report")


class Site:
    """All pages of a report, by name."""

    def __init__(self, ledger: dict[str, Any], found: FoundStatements | None = None) -> None:
        self.html = dict(pages(whole(ledger), Path("results"), FOLDER))
        self.html["index.html"] = first_page(whole(ledger), self.html, found)
        self._documents: dict[str, Document] = {}

    def __getitem__(self, name: str) -> Document:
        if name not in self._documents:
            self._documents[name] = Document(self.html[name])
        return self._documents[name]

    @property
    def first(self) -> Document:
        """The page that a reader opens."""
        return self["index.html"]

    def claim(self, name: str) -> Document:
        """The page of a claim."""
        return self[f"claims/{name}.html"]

    def text(self, name: str, anchor: str) -> str:
        """Return the text of an element of a page, with single spaces."""
        return " ".join(self[name].text[anchor].split())


def as_shown(text: str) -> str:
    """Return a sentence as on a page, formulas typeset."""
    said = Document(f'<p id="said">{in_page(prose(text, MathML()))}</p>').text.get("said", "")
    return " ".join(said.split())
