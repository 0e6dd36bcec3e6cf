"""Found statements on their page, in exports and in pictures."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from choco_pipeline.api.progress import DOCUMENTS
from choco_pipeline.claims.conclusions.conclusion import STRONGEST_FIRST
from choco_pipeline.documents.record import write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.finding.statement import FoundDocument, Implied, StatementError
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.latex import LaTeX, tex_text
from choco_pipeline.formula.written.math_text import typeset_set
from choco_pipeline.games import RectangularBar, parse_ruleset
from choco_pipeline.games.notation import read
from choco_pipeline.mining.closed_forms.value_sets import forms
from choco_pipeline.report.claims import claim_views, standings
from choco_pipeline.report.found import (
    SIDE,
    Picture,
    b_files,
    drawing,
    found_of,
    found_page,
    known_claims,
    pattern,
    picture_of,
    printed,
)
from choco_pipeline.report.task import write_pages, write_rest
from choco_pipeline.sweep.ledger import Ledger
from tests.report.found_documents import (
    HOSTILE,
    RESULTS,
    a_document,
    a_statement,
    document_of,
    squeezed,
    statements,
)
from tests.report.read_pages import Document, Site


def tex(found, known):
    return printed("found.tex.j2", known, found)


@pytest.fixture(autouse=True)
def folder(finished, monkeypatch):
    monkeypatch.chdir(finished.parents[2])


@pytest.fixture(scope="module")
def known(finished):
    return Ledger.read(finished)


@pytest.fixture(scope="module")
def found(known, finished):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(finished.parents[2])
        return found_of(a_document(), known, RESULTS)


@pytest.fixture(scope="module")
def html(found, known):
    return found_page(found, known)


@pytest.fixture(scope="module")
def page(html):
    return Document(html)


def test_statements_are_numbered_through_the_parts(found):
    parts = found.parts.values()
    assert [[view.statement.verdict for view in part] for part in parts] == [
        ["proved-for-listed", "holds-to-bound", "undecided", "unchecked", "holds-to-bound"],
        ["proved"],
        ["unchecked"],
        ["unchecked"],
        ["refuted"],
    ]
    assert [view.number for view in found.views] == list(range(1, 10))
    assert [search.game for search in found.in_vain] == ["nim(2)"]


def test_each_statement_is_on_the_page_and_in_the_exports(page, found, known):
    in_tex, in_markdown = tex(found, known), printed("found.md.j2", known, found)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    for view in found.views:
        said, shown = view.statement, squeezed(page.text[view.statement.id])
        assert said.ruleset in shown
        for evidence in (said.found_on, said.held_on):
            assert f"{evidence.positions:,} {view.unit}s: {evidence.what}" in shown
        assert f"{said.tried.candidates:,} candidates: {said.tried.what}" in shown
        texts = (*said.conclusion.certificates, said.conclusion.text[1:], said.statement)
        assert all(text in shown for text in (*texts, view.words))
        assert said.formulas(LaTeX()) or said.words[1:] in shown
        assert rf"\label{{{said.id}}}" in in_tex
        assert f"### Found {view.number} ({view.words})" in in_markdown
        for line in said.formulas(LaTeX()):
            assert f"\\[\n{line}\n\\]" in in_tex
            assert f"```math\n{line}\n```" in in_markdown
        for exported in (in_tex, in_markdown):
            assert f"{said.held_on.positions:,} {view.unit}s: " in exported
    for name in ("new", "rediscovered", "heights", "refuted"):
        numbers = [str(view.number) for view in found.parts[name]]
        assert re.findall(r"Found (\d+)", page.text[name]) == numbers
    assert "too few" in page.text["nothing"]
    kinds = [in_tex.count(rf"\begin{{{of}}}") for of in ("theorem", "conjecture", "refuted")]
    assert kinds == [1, 7, 1], "a family of which some games are proved is a conjecture"


def test_no_text_becomes_markup_or_a_command(page, html, found, known):
    assert page.scripts == []
    assert [address for address in page.addresses if not address.startswith("data:")] == []
    assert "default-src 'none'" in html
    assert "script-src" not in html
    assert HOSTILE not in html
    assert "alert('found')" in page.text["new"]
    assert "alert('found')" in page.text["nothing"]
    assert "<script>" not in printed("found.md.j2", known, found).replace(r"\<script\>", "")
    assert r"\input{" not in tex(found, known)
    every = "".join(map(chr, range(1, 0x180))) + HOSTILE + "⊕≤Σ…🍫"
    written = re.sub(r"\$\\?[A-Za-z{}_^0-9-]+\$", "", tex_text(every))  # signs in mathematics
    written = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]", "", written)
    assert set(written).isdisjoint("\\&%$#_{}^~<>|")
    assert "[U+1F36B]" in written


def test_how_known_p_positions_lie_is_not_new(found, page, monkeypatch):
    (view,) = found.parts["consequences"]
    assert view.statement.ruleset == "rectangular-bar(m=m, n=m)"
    assert view.theorem is not None
    assert view.theorem.number in squeezed(page.text["consequences"])
    monkeypatch.chdir(Path(__file__).parents[2])  # where the background theorems are
    for game, theorem in (
        ("nim(4)", "background-bouton-4"),
        ("rectangular-bar(m=m, n=n)", "background-robin"),
        ("strip-bar(k=k, s=s)", None),  # only for some k and s
    ):
        assert known_claims([])[1].get(read(game).text) == theorem


def test_the_first_page_leads_to_what_was_found_and_links_lead_to_places(ledger, found, page):
    site = Site(ledger, found)
    links = site.first.links
    files = {"found.html", "found/found.tex", "found/found.md", "found/found.json"}
    assert files | {f"found/{name}" for name in b_files(found.statements)} <= set(links)
    news = [link for link in links if link.startswith("found.html#")]
    assert news == [f"found.html#{view.statement.id}" for view in found.news]
    ranks = [STRONGEST_FIRST.index(view.verdict) for view in found.news]
    assert ranks == sorted(ranks)
    assert len(ranks) == len(found.parts["new"]) > 3
    said = squeezed(site.first.text["proposed"])
    numbers = re.findall(r"\d+", said[said.index("8 statements") :])[:11]
    assert numbers == ["8", "1", "1", "2", "3", "1", "1", "5", "1", "1", "1"]
    for link in page.links:
        name, _, anchor = link.partition("#")
        assert not name or name in site.html
        assert not anchor or anchor in page.ids
    assert "claims/own-intended.html" in page.links


def test_what_follows_from_what_is_said(known):
    told = (Implied("for k = 3: <b> & z ≥ y"), Implied("for k = 5: y = 0", "all positions"))
    first = a_statement(implies=told)
    by = (first.id, "found-elsewhere")
    second = a_statement(search="count", ruleset="nim(2)", words="two", follows_from=by)
    third = a_statement(
        search="count", ruleset="nim(4)", words="four", follows_from=by, follows_on="all positions"
    )
    page = Document(found_page(found_of(document_of(first, second, third), known, RESULTS), known))
    assert f"#{first.id}" in page.links
    said = squeezed(page.text["new"])
    for how in ("compared at sampled positions", "as automata decide"):
        assert f"follow from Found 1, {how}" in said
    assert "at all positions of the named gamesFor k = 5: y = 0." in said
    assert "compared at sampled positionsFor k = 3: <b> & z ≥ y." in said


def test_the_printed_report_has_what_is_open_under_its_paper_and_then_what_was_found(known, found):
    before, _, behind = printed("found.tex.j2", known, found, with_claims=True).partition(
        r"\section*{Not in the catalogue}"
    )
    rest = before
    for paper, chosen in standings(claim_views(known)):
        rows = [
            " & ".join(map(tex_text, (v.claim.number, v.claim.words, v.result))) for v in chosen
        ]
        for text in (rf"\subsection*{{{tex_text(paper.title)}}}", *rows):
            assert text in rest
            rest = rest.partition(text)[2]
    open_claims = [c for c in known.claims if c.status in ("conjecture", "question")]
    assert before.count(r"\\[4pt]") == len(open_claims) > 10
    for statement in statements():
        assert behind.count(rf"\label{{{statement.id}}}") == 1


@pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="no LaTeX on this machine (Debian: apt-get install texlive-latex-base)",
)
def test_latex_compiles(found, known, tmp_path):
    (tmp_path / "found.tex").write_text(tex(found, known), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "found.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "found.log").read_text(errors="replace")
    assert "Missing character" not in log
    assert "Undefined" not in log
    assert (tmp_path / "found.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.full
def test_the_whole_report_is_written(ledger_file, tmp_path):
    found_file = tmp_path / "found.json"
    a_document().write(found_file)
    folder = tmp_path / "report"
    old = folder / "found" / "b-found-000000000000.txt"
    old.parent.mkdir(parents=True)
    old.write_text("0 0\n")
    said: list[dict[str, int]] = []
    html = str(folder / "index.html")
    write_pages(str(ledger_file), html, lambda _stage, **n: said.append(n))
    numbers = write_rest(
        str(ledger_file), html, str(found_file), lambda _stage, **n: said.append(n)
    )
    assert numbers["statements"] == 9
    assert said == [{"documents": 1}] * (DOCUMENTS - 1)  # beside the ledger
    sequence = next(one for one in statements() if one.picture)
    written = {path.name for path in (folder / "found").iterdir()}
    assert written == {"found.json", "found.md", "found.tex", f"b-{sequence.id}.txt"}
    assert json.loads((folder / "found" / "found.json").read_text()) == a_document().document()
    lines = (folder / "found" / f"b-{sequence.id}.txt").read_text().splitlines()
    assert sequence.picture is not None
    assert lines[1:] == [f"{n} {term}" for n, term in enumerate(sequence.picture["terms"], 1)]
    # A report before there are found statements does not lead to any.
    first = str(tmp_path / "first" / "index.html")
    write_rest(str(ledger_file), first, None, lambda *_, **__: None)
    assert "found.html" not in (tmp_path / "first" / "index.html").read_text(encoding="utf-8")


def test_damaged_documents_are_refused(known, tmp_path):
    path = tmp_path / "found.json"
    write_record(path, a_document().document() | {"format": 1})
    with pytest.raises(StoreError, match="another version wrote it: format"):
        found_of(FoundDocument.read(path), known, RESULTS)
    path.write_text("[]")
    with pytest.raises(StoreError, match="damaged: it has no digest"):
        found_of(FoundDocument.read(path), known, RESULTS)
    document_of(a_statement(picture={"kind": "sequence", "game": "nim(3)"})).write(path)
    with pytest.raises(StatementError, match="not a picture of a sequence"):
        found_of(FoundDocument.read(path), known, RESULTS)
    broken = a_statement(search="heights", words="none", picture={"kind": "height-functions"})
    with pytest.raises(StatementError, match="not counts of height functions"):
        found_page(found_of(document_of(broken), known, RESULTS), known)


def test_formulas_of_statements():
    _, _, cases, limited, _, _, values, _, _ = statements()
    assert cases.formulas(LaTeX()) == [
        r"z < 2^{v_{2}(k)} \Rightarrow G = y \oplus z",
        r"z \geq 2^{v_{2}(k)} \Rightarrow G = 2 \cdot \left\lfloor \frac{y + z}{k} \right\rfloor - \lvert y - z\rvert",
    ]
    assert len(limited.formulas(LaTeX())) == 1
    assert values.formulas(LaTeX()) == [
        r"\{(x + s) \oplus y \oplus (z + s) : P\} = \{2^{n} - 2 : n \geq 1\} \cup \{1\}"
    ]
    assert a_statement(words="none").formulas(LaTeX()) == []


@pytest.mark.parametrize(
    "values",
    [
        [0, 1, 2, 6, 14, 30],
        [0, 1, 3, 7, 15],
        [4, 8, 16, 32],
        [1, 5, 13, 29],
        [5, 6, 8, 12, 20],
        [-1, 0, 2, 6, 14],
        [0],
        [1, 2, 5],
    ],
)
def test_sets_of_values_are_read_off_their_conditions(values):
    written = typeset_set(parse(forms(values)[0].condition), "v", LaTeX())
    members: set[int] = set()
    for part in written.split(r" \cup "):
        inside = part.removeprefix(r"\{").removesuffix(r"\}")
        powers = re.fullmatch(r"2\^\{n\}(?: ([+-]) (\d+))? : n \\geq (\d+)", inside)
        if powers:
            more = int(f"{powers[1] or '+'}{powers[2] or 0}")
            members |= {2**n + more for n in range(int(powers[3]), 12)}
        else:
            members |= {int(number.replace(" ", "")) for number in inside.split(",")}
    assert {v for v in members if v <= max(values)} == set(values)


def test_statements_in_a_line():
    bars = {"ruleset": "solid-bar(f=(x+z)//k+1)", "parameters": {"k": (3, 5)}}
    passing = {"ruleset": "with-pass(strip-bar(k=k, s=1), passes=1)", "parameters": {"k": (2, 4)}}
    assert [
        a_statement(**more).sentence
        for more in (
            {"statement": "size <= 9 => (c == 0 => (P <=> a == b))"},
            {**passing, "when": "k%2 == 0", "statement": "P <=> x == z"},
            {**bars, "statement": "x > 0 => G == G[solid-bar(f=(x+z)//k)](x, y, z+1)-1"},
        )
    ] == [
        "In Nim with 3 heaps, for coordinates up to 9, c = 0 ⇒ (P ⇔ a = b)",
        "In CB(1, k, y, z) with a strip x and a pass, for k ≡ 0 (mod 2), P ⇔ x = z",
        "Let f(x, z) = ⌊(x+z)/k⌋+1. In CB(f, x, y, z), "
        "x > 0 ⇒ G = (G(x, y, z+1) in solid-bar(f = ⌊(x+z)/k⌋))−1",
    ]


def of_bars(*sides):
    return a_statement(
        search="cellular",
        ruleset="rectangular-bar(m=m, n=m)",
        parameters={"m": sides},
        words="rule",
    )


def test_a_pattern_shows_the_p_positions(ledger):
    assert drawing(of_bars(100), ledger["tables"], RESULTS) is None
    drawn = drawing(of_bars(*range(1, 13)), ledger["tables"], RESULTS)
    assert drawn is not None
    game = parse_ruleset("rectangular-bar(m=12, n=12)")
    assert game.notation in drawn, "the largest bar"
    shown = {(int(y) + 1, int(x) + 1) for x, y in re.findall(r"M(\d+) (\d+)h1", drawn)}
    # A position is what can be cut off on the four sides of a bitter cell.
    places = [(i, j) for i in range(1, 13) for j in range(1, 13)]
    losing = {(i, j) for i, j in places if game.is_p_position((i - 1, 12 - i, j - 1, 12 - j))}
    assert shown == losing
    assert 0 < len(shown) < len(places)


def test_a_plane_is_drawn_upwards_and_cut():
    cells = np.zeros((SIDE + 5, 3), np.int8)
    cells[1, 2] = cells[SIDE + 1, 1] = 1
    drawn = pattern(Picture(cells, "y", "z", "<title>"), "nim(2)")
    assert re.findall(r"M(\d+) (\d+)h1", drawn) == [("2", str(SIDE - 2))]
    assert "<title>" not in drawn


def test_pictures_agree_with_the_definition(ledger):
    draw = np.random.default_rng(20)
    seen = set()
    for entry in ledger["tables"]:
        game = parse_ruleset(entry["ruleset"])
        picture = picture_of(entry, RESULTS) if entry["quantity"] == "p-positions" else None
        if picture is None:
            continue
        base, left = game.base, (game.passes,) if game.base is not game else ()
        rows, columns = picture.cells.shape
        picked = draw.integers((0, 0), (min(rows, 12), min(columns, 12)), (40, 2))
        for i, j in {(int(i), int(j)) for i, j in picked}:
            if isinstance(base, RectangularBar):
                position = base.whole(i + 1, j + 1)
            else:
                position = (*(0 for _ in base.coordinates[:-2]), i, j)
            is_position = base.is_position(position)
            assert int(picture.cells[i, j]) == (
                game.is_p_position((*position, *left)) if is_position else -1
            ), f"{game.notation}, {picture.title}: {picture.row} = {i}, {picture.column} = {j}"
        seen.add((type(base).__name__, bool(left)))
    assert len(seen) >= 2, seen
