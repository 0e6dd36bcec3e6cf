"""The section on proofs in a real browser: drawings and charts can be read at any width, choices and filters work."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from choco_pipeline.documents.record import read_record
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games.answers import described_counts
from choco_pipeline.proof.games.certificate import write_certificate
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.report.pages import pages
from tests.browser.seen import NEEDS_BROWSER, Seen, in_both_sizes, opened
from tests.report.documents import whole
from tests.report.proof_entries import an_entry
from tests.report.small_run import small_run

pytestmark = [
    NEEDS_BROWSER,
    pytest.mark.skipif(
        shutil.which("dot") is None,
        reason="no Graphviz on this machine (Debian: apt-get install graphviz)",
    ),
]

#: Labels of a drawing or chart that overlap, or that its frame cuts.
CLASHES = """() => {
  const bad = [];
  let pictures = 0, labels = 0;
  const cut = (a, frame) => a.left < frame.left - 0.5 || a.right > frame.right + 0.5
    || a.top < frame.top - 0.5 || a.bottom > frame.bottom + 0.5;
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
  for (const svg of document.querySelectorAll("svg.chart, svg.automaton")) {
    if (!svg.checkVisibility()) continue;
    pictures += 1;
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map((text) => ({
      box: text.getBoundingClientRect(),
      words: [...text.childNodes].filter((node) => node.nodeName !== "title").map((node) => node.textContent).join(" "),
    }));
    labels += texts.length;
    texts.forEach(({box: a, words}, i) => {
      if (cut(a, frame)) bad.push(`${words} is cut`);
      for (const {box: b, words: other} of texts.slice(i + 1))
        if (meet(a, b)) bad.push(`${words} lies on ${other}`);
    });
  }
  return {bad, pictures, labels};
}"""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with real certificates, a family on a grid, and many curves that end close together, with long names."""
    written = small_run(tmp_path_factory, "proofs")
    folder = written.parents[2]
    ledger = read_record(written)
    games: list[tuple[str, dict[str, int]]] = [
        (f"solid-bar(f=(x+z)//{k})", {"k": k}) for k in (1, 3, 5, 7, 11, 15, 19)
    ]
    games += [
        (f"with-pass(strip-bar(k={k}, s={s}), passes=1)", {"k": k, "s": s, "passes": 1})
        for k, s in ((2, 1), (4, 1), (4, 2), (4, 3), (6, 1))
    ]
    games += [("nim(3)", {}), ("nim(4)", {})]
    entries = []
    for notation, parameters in games:
        proof = prove(parse_ruleset(notation))
        path = str(write_certificate(proof, folder / "results" / "certificates"))
        sweep = " and ".join(parameters) or notation
        entry = an_entry(notation, parameters, sweep=sweep, states=proof.states, certificate=path)
        entries.append({**entry, "counts": [one.model_dump() for one in described_counts(proof)]})
    for k in range(2, 26, 2):
        curve = [8**d - d * k for d in range(4 + k % 3)]
        entries.append(
            an_entry(
                f"with-pass(solid-bar(f=min(x, z)//{k}+{k - 1}), passes=1)",
                {"k": k, "lowest": k - 1, "passes": 1},
                sweep="undecided",
                status="undecided",
                states=(),
                growth=[1, *(max(1, number) for number in curve)],
            )
        )
    ledger["proofs"] = entries
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, text in pages(whole(ledger), Path("results"), folder):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
    return folder / "proofs.html"


@in_both_sizes
def test_labels_lie_inside_and_apart_and_nothing_is_wider_than_the_page(
    browser: Browser, page_file: Path, scheme: str, size: tuple[int, int]
):
    with opened(browser, page_file, size, scheme) as seen:
        seen.page.evaluate(
            "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
        )
        for choice in seen.page.locator("#proofs [data-choice]").all():
            choice.evaluate("figure => { figure.hidden = false; }")
        found = seen.page.evaluate(CLASHES)
        assert found["bad"] == []
        assert found["pictures"] >= 15
        assert found["labels"] >= 150
        seen.require_readable(size)


def test_a_family_shows_the_automaton_that_is_chosen(seen: Seen):
    family = seen.page.locator(".family", has_text="solid-bar(f=(x+z)//k)").first
    options = family.locator("option").all_text_contents()
    assert options[2] == "solid-bar(f=(x+z)//5): 11 states"
    family.locator("select").select_option("2")
    assert family.locator("[data-choice='2']").is_visible()
    assert family.locator("[data-choice]:visible").count() == 1
    assert family.locator("[data-choice='2'] .node text").count() == 10, (
        "all but that which says no"
    )


def test_a_row_of_the_table_leads_to_its_family(seen: Seen):
    link = seen.page.locator(".regular a").nth(1)
    link.click()
    target = str(link.get_attribute("href"))
    assert seen.page.locator(target).evaluate(
        "e => { const y = e.getBoundingClientRect().top; return y > -2 && y < innerHeight; }"
    )
