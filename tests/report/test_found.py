"""The page of found statements and its exports say what found.json says, once each, and nothing in it becomes markup."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from choco_pipeline.claims.conclusions.conclusion import STRONGEST_FIRST
from choco_pipeline.finding.statement import FoundDocument, Implied
from choco_pipeline.games.notation import read
from choco_pipeline.report.exports import b_files, markdown, tex
from choco_pipeline.report.found import (
    FoundStatements,
    KnownClaims,
    found_of,
    found_page,
)
from tests.report.documents import whole
from tests.report.found_documents import HOSTILE, RESULTS, a_statement, document_of, squeezed
from tests.report.read_pages import Document, Site


def test_statements_are_numbered_through_the_parts(found: FoundStatements):
    status = [view.statement.verdict for view in found.views]
    assert status == [
        "proved-for-listed",
        "holds-to-bound",
        "undecided",
        "unchecked",
        "holds-to-bound",
        "proved",
        "unchecked",
        "unchecked",
        "refuted",
    ], (
        "new ones, rediscovered ones, consequences, those on height functions and refuted ones, each in the order of the file"
    )
    assert [view.number for view in found.views] == list(range(1, 10))
    parts = (found.new, found.rediscovered, found.consequences, found.heights, found.refuted)
    assert list(map(len, parts)) == [5, 1, 1, 1, 1]
    assert [search.game for search in found.in_vain] == ["nim(2)"]


def test_each_statement_is_on_the_page_with_its_evidence(html: str, found: FoundStatements):
    document = Document(html)
    assert document.open == []
    assert len(document.ids) == len(set(document.ids))
    for view in found.views:
        said, shown = view.statement, squeezed(document.text[view.statement.id])
        assert f"Found {view.number} " in shown
        assert said.ruleset in shown
        for evidence in (said.found_on, said.held_on):
            unit = {"count": "equations", "heights": "height functions"}.get(
                said.search, "positions"
            )
            assert f"{evidence.positions:,} {unit}: {evidence.what}" in shown
        assert f"{said.tried.candidates:,} candidates: {said.tried.what}" in shown
        assert said.conclusion.text[1:] in shown
        assert all(path in shown for path in said.conclusion.certificates)
        assert said.statement in shown
        assert view.lines or said.words[1:] in shown
        assert view.words in shown
    part = {name: document.text[name] for name in ("new", "rediscovered", "heights", "refuted")}
    parts = (found.new, found.rediscovered, found.heights, found.refuted)
    for name, views in zip(part, parts, strict=True):
        assert re.findall(r"Found (\d+)", part[name]) == [str(view.number) for view in views]
    assert "too few" in document.text["nothing"]


def test_the_page_needs_nothing_and_no_text_becomes_markup(html: str, found: FoundStatements):
    document = Document(html)
    assert document.scripts == []
    assert [address for address in document.addresses if not address.startswith("data:")] == []
    assert "default-src 'none'" in html
    assert "script-src" not in html
    assert HOSTILE not in html
    assert "alert('found')" in document.text["new"]
    assert "alert('found')" in document.text["nothing"]
    introduced = [view for view in found.views if view.lines]
    leads = sum(view.lead.count("<math>") for view in introduced)
    assert leads > len(introduced) / 2
    formulas = sum(len(view.lines) for view in found.views)
    assert document.tags["math"] == 6 + leads == formulas + leads


def test_how_known_p_positions_lie_is_not_new(
    found: FoundStatements, html: str, monkeypatch: pytest.MonkeyPatch
):
    (view,) = found.consequences
    assert view.statement.ruleset == "rectangular-bar(m=m, n=m)"
    assert view.theorem is not None
    said = squeezed(Document(html).text["consequences"])
    assert f"Which positions are P is told by {view.theorem.number}" in said
    monkeypatch.chdir(Path(__file__).parents[2])  # where the background theorems are
    for game, theorem in (
        ("nim(4)", "background-bouton-4"),
        ("rectangular-bar(m=m, n=n)", "background-robin"),
        ("strip-bar(k=k, s=s)", None),  # only for some k and s
    ):
        told = KnownClaims([]).theorem_on(read(game))
        assert (None if told is None else told.id) == theorem


def test_what_claims_say_more_of_is_no_restatement(ledger: dict[str, Any]):
    same = a_statement(known=("own-intended",))
    less = a_statement(known=("own-intended",), known_as="more", ruleset="nim(3)", when="1 == 1")
    wider = a_statement(known=("own-intended",), known_as="of fewer games", when="0 == 0")
    shown = found_of(
        FoundDocument(statements=(less, same, wider), searches=()), whole(ledger), RESULTS
    )
    assert [view.statement for view in shown.rediscovered] == [same, wider]
    assert [view.statement for view in shown.consequences] == [less]
    assert shown.new == []
    page = Document(found_page(shown, whole(ledger)))
    exports = [squeezed(export(shown, whole(ledger))) for export in (markdown, tex)]
    for text in (squeezed(page.text["consequences"]), *exports):
        assert re.search("[Ff]ollows from Corollary 2 of", text)
    for text in (squeezed(page.text["rediscovered"]), *exports):
        assert re.search("[Ee]xtends Corollary 2 of", text)
    for text in (squeezed(page.text["rediscovered"]), *exports):
        assert re.search("[Rr]estates Corollary 2 of", text)


@pytest.mark.full
def test_links_lead_to_places(html: str, found: FoundStatements, ledger: dict[str, Any]):
    document = Document(html)
    site = Site(ledger, found)
    for link in document.links:
        name, _, anchor = link.partition("#")
        assert not name or name in site.html
        assert not anchor or anchor in document.ids
    assert "claims/own-intended.html" in document.links
    assert "Corollary 2 of Own <claims>, elsewhere-thm-9" in squeezed(document.text["rediscovered"])


def test_the_index_leads_to_what_was_found_and_counts_it(
    ledger: dict[str, Any], found: FoundStatements
):
    document = Document(_index(ledger, found))
    assert "found.html" in document.links
    assert {"found/found.tex", "found/found.md", "found/found.json"} <= set(document.links)
    assert {f"found/{name}" for name in b_files(found)} <= set(document.links)
    news = [link for link in document.links if link.startswith("found.html#")]
    assert news[0] == f"found.html#{found.news[0].statement.id}"
    ranks = [STRONGEST_FIRST.index(view.verdict) for view in found.news]
    assert ranks == sorted(ranks)
    assert len(ranks) == len(found.new) > 3
    said = squeezed(document.text["proposed"])
    assert "8 statements: ∎ 1 proved, ◧ 1 proved for listed parameters, ◐ 2 holding" in said
    assert "1 rediscovered, 5 new to the catalogue, 1 that follow from what is known, 1" in said
    assert "found.html" not in _index(ledger, None)


def _index(ledger: dict[str, Any], found: FoundStatements | None) -> str:
    return Site(ledger, found).html["index.html"]


def test_what_follows_from_what_is_said(ledger: dict[str, Any]):
    told = (Implied("for k = 3: <b> & z ≥ y"), Implied("for k = 5: y = 0", "all positions"))
    first = a_statement(implies=told)
    by = (first.id, "found-elsewhere")
    second = a_statement(search="count", ruleset="nim(2)", words="two", follows_from=by)
    third = a_statement(
        search="count", ruleset="nim(4)", words="four", follows_from=by, follows_on="all positions"
    )
    document = document_of(first, second, third)
    html = found_page(found_of(document, whole(ledger), RESULTS), whole(ledger))
    document = Document(html)
    assert f"#{first.id}" in document.links
    said = squeezed(document.text["new"])
    for how in ("as far as sampled positions tell", "as automata decide"):
        assert f"All positions of this game are settled by Found 1, {how}." in said
    follows = "follows from this, some of it with others,"
    of_all = "as automata decide for all positions of the games named"
    assert f"{follows} {of_all}For k = 5: y = 0." in said
    assert f"{follows} as far as sampled positions tellFor k = 3: <b> & z ≥ y." in said
