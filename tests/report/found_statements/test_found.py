"""The page of found statements and its exports say what found.json says, once each, and nothing in it becomes markup."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from choco_pipeline.claims.conclusions.conclusion import STRONGEST_FIRST, Conclusion
from choco_pipeline.documents.record import write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.finding.statements.found_document import FoundDocument
from choco_pipeline.finding.statements.statement import (
    FoundStatement,
    StatementError,
    StatementLine,
)
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.notation import read
from choco_pipeline.mining.closed_forms.value_forms import forms
from choco_pipeline.report.charts.pictures import Picture
from choco_pipeline.report.found_statements.found import (
    FoundStatements,
    found_of,
    found_page,
    read_found,
    span,
)
from choco_pipeline.report.found_statements.found_exports import b_files, markdown, tex
from choco_pipeline.report.found_statements.found_formulas import (
    condition,
    coordinates_of,
    displayed,
    reach,
)
from choco_pipeline.report.found_statements.found_pictures import SIDE, drawing, pattern
from choco_pipeline.report.found_statements.known_claims import KnownClaims
from choco_pipeline.report.math.latex import LaTeX
from choco_pipeline.report.math.latex_text import tex_text
from choco_pipeline.report.math.value_set_notation import set_of
from choco_pipeline.report.task import write_report, write_report_with_found
from tests.report.documents import whole
from tests.report.found_documents import CERTIFICATE, HOSTILE, a_document, a_statement, statements
from tests.report.test_page import Document, Site

RESULTS = Path("results")


@pytest.fixture
def found(ledger: dict[str, Any]) -> FoundStatements:
    return found_of(a_document(), whole(ledger), RESULTS)


@pytest.fixture
def html(found: FoundStatements, ledger: dict[str, Any]) -> str:
    return found_page(found, whole(ledger))


def document_of(*statements: FoundStatement) -> FoundDocument:
    return FoundDocument(statements=statements, searches=())


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_statements_are_numbered_through_the_parts(found: FoundStatements):
    status = [view.statement.verdict for view in found.views]
    assert status == [
        "proved-for-listed",
        "holds-to-bound",
        "undecided",
        "unchecked",
        "holds-to-bound",
        "proved",
        "exhausted",
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
            unit = {"count": "equations", "heights": "height functions"}.get(said.kind, "positions")
            assert f"{evidence.positions:,} {unit}: {evidence.what}" in shown
        assert f"{said.tried.candidates:,} candidates: {said.tried.what}" in shown
        assert said.conclusion.text[1:] in shown
        assert all(path in shown for path in said.conclusion.certificates)
        assert view.is_said_in_formulas or said.text[1:] in shown
        assert all(line.formula in shown for line in said.formulas)
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
    introduced = [view for view in found.views if view.lines or view.statement.parameters]
    leads = sum(view.lead.count("<math>") for view in introduced)
    assert leads > len(introduced) / 2
    formulas = sum(len(view.lines) for view in found.views)
    assert document.tags["math"] == 7 + leads == formulas + leads


def test_how_known_p_positions_lie_is_not_new(
    found: FoundStatements, html: str, monkeypatch: pytest.MonkeyPatch
):
    (view,) = found.consequences
    assert view.statement.ruleset == "rectangular-bar(m=m, n=m)"
    assert view.told_by is not None
    said = squeezed(Document(html).text["consequences"])
    assert f"Which positions are P is told by {view.told_by.number}" in said
    monkeypatch.chdir(Path(__file__).parents[3])  # where the background theorems are
    for game, theorem in (
        ("nim(4)", "background-bouton-4"),
        ("rectangular-bar(m=m, n=n)", "background-robin"),
        ("strip-bar(k=k, s=s)", None),  # only for some k and s
    ):
        told = KnownClaims.of([]).telling(read(game))
        assert (None if told is None else told.id) == theorem


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
    assert news[0] == f"found.html#{found.news[0].anchor}"
    ranks = [STRONGEST_FIRST.index(view.verdict) for view in found.news]
    assert ranks == sorted(ranks)
    assert len(ranks) == len(found.new) > 3
    said = squeezed(document.text["proposed"])
    assert "8 statements: ∎ 1 proved, ◧ 1 proved for listed parameters, ● 1 checked in all" in said
    assert (
        "1 rediscovered, 5 new to the catalogue, 1 on P-positions that a theorem tells, 1" in said
    )
    assert "found.html" not in _index(ledger, None)


def _index(ledger: dict[str, Any], found: FoundStatements | None) -> str:
    return Site(ledger, found).html["index.html"]


def test_a_run_that_found_nothing_says_so(ledger: dict[str, Any]):
    found = found_of(document_of(), whole(ledger), RESULTS)
    document = Document(found_page(found, whole(ledger)))
    assert squeezed(document.text["summary"]).startswith("0 statements")
    assert document.text["new"].count("Nothing.") == 1
    assert "Nothing." in markdown(found, whole(ledger))
    assert "0 statements." in squeezed(Document(_index(ledger, found)).text["proposed"])


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({}, [r"(a, b, c) \text{ is a P-position} \iff a \oplus b \oplus c = 0"]),
        ({"formulas": ()}, []),
    ],
)
def test_formulas_of_positions(changes, lines):
    assert displayed(a_statement(**changes), LaTeX()) == lines


def test_cases_conditions_and_reach():
    family, _, cases, limited, relation, _, values, _, _ = statements()
    assert condition(family, LaTeX()) == r"k \equiv 3 \pmod{4} \text{ and } s < k"
    assert condition(cases, LaTeX()) == ""
    assert displayed(cases, LaTeX()) == [
        r"G(y, z) = \begin{cases} y \oplus z & \text{if }z < 2^{v_{2}(k)} \\ "
        r"2 \cdot \left\lfloor \frac{y + z}{k} \right\rfloor - \lvert y - z\rvert \end{cases}"
    ]
    assert reach(limited, LaTeX()) == r"2 k^{2} - 1"
    assert len(displayed(limited, LaTeX())) == 1
    (line,) = displayed(relation, LaTeX())
    assert displayed(values, LaTeX()) == [
        r"\{(x + s) \oplus y \oplus (z + s) : (x, y, z) \text{ a P-position}\} = \{2^{n} - 2 : n \geq 1\} \cup \{1\}"
    ]
    assert line == (
        r"g(2 m) = 4 g(m) - \left\lfloor \frac{m}{2} \right\rfloor \text{ where } m \geq 2"
    )


def test_a_condition_on_heights_has_its_words():
    said = a_statement(
        kind="heights",
        ruleset="solid-bar(f=f)",
        parameters={"f": ()},
        formulas=(
            StatementLine("G =", "x ^ y"),
            StatementLine("all f(x) with", "f(u) <= x", "u < x"),
        ),
    )
    assert displayed(said, LaTeX()) == [
        r"G(x, y, z) = x \oplus y",
        r"\text{all f(x) with } f(u) \leq x \text{ where } u < x",
    ]
    found = found_of(document_of(said), whole({}), RESULTS)
    assert found.new == []
    assert found.heights[0].seen_for == []


def test_counts_of_height_functions_are_tables(
    found: FoundStatements, html: str, ledger: dict[str, Any]
):
    (view,) = found.heights
    rows = [[table.head, *table.rows] for table in view.tables]
    assert rows == [
        [("n \\ h", "1"), ("2", "6,174")],
        [("sum", "exactly", "closest"), ("(x−1)⊕y⊕(z−1)", "4,321", "5")],
        [("x \\ z", "0", "1"), ("0", "0", "0"), ("1", "0", "7")],
    ]
    shown = squeezed(Document(html).text["heights"])
    assert "6,174" in shown
    assert "(x−1)⊕y⊕(z−1) 4,321 5" in shown
    assert "The least f with: G = x⊕y⊕z, <not> constant" in shown
    assert "| (x−1)⊕y⊕(z−1) | 4,321 | 5 |" in markdown(found, whole(ledger))
    assert r"2 & 6,174 \\" in tex(found, whole(ledger))
    broken = a_statement(kind="heights", formulas=(), picture={"kind": "height-functions"})
    with pytest.raises(StatementError, match="not counts of height functions"):
        found_page(found_of(document_of(broken), whole(ledger), RESULTS), whole(ledger))
    assert "Which height functions?" not in found_page(
        found_of(document_of(a_statement()), whole(ledger), RESULTS), whole(ledger)
    )


@pytest.mark.parametrize(
    "values",
    [
        [0, 2, 6, 14, 30],
        [0, 1, 2, 6, 14, 30],
        [0, 1, 3, 7, 15],
        [1, 2, 4, 8, 16],
        [4, 8, 16, 32],
        [1, 5, 13, 29],
        [5, 6, 8, 12, 20],
        [-1, 0, 2, 6, 14],
        [0],
        [1, 2, 5],
    ],
)
def test_sets_of_values_are_read_off_their_conditions(values):
    form = forms(values)[0]
    written = set_of(form.condition, LaTeX())
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


def test_what_follows_from_what_is_said(ledger: dict[str, Any]):
    first = a_statement(implies=("for k = 3: <b> & z ≥ y",))
    second = a_statement(kind="count", ruleset="nim(2)", follows_from=(first.id, "found-elsewhere"))
    html = found_page(found_of(document_of(first, second), whole(ledger), RESULTS), whole(ledger))
    document = Document(html)
    assert f"#{first.id}" in document.links
    said = squeezed(document.text["new"])
    assert (
        "As far as sampled positions tell, all positions of this game are settled by Found 1."
        in said
    )
    assert "follows from this as far as sampled positions tell, some of it with others" in said
    assert "For k = 3: <b> & z ≥ y" in said


def test_a_long_list_of_certificates_is_cut(ledger: dict[str, Any]):
    paths = tuple(f"results/certificates/{n}.json" for n in range(9))
    said = a_statement(conclusion=Conclusion("proved", "proved", paths))
    found = found_of(document_of(said), whole(ledger), RESULTS)
    for exported in (
        found_page(found, whole(ledger)),
        markdown(found, whole(ledger)),
        tex(found, whole(ledger)),
    ):
        assert "and 6 more" in exported
        assert "2.json" in exported
        assert "3.json" not in exported


def test_coordinates_come_from_the_first_parameters_that_give_a_game():
    said = a_statement(
        ruleset="strip-bar(k=k, s=s)", parameters={"k": (0, 2), "s": (5, 1)}, formulas=()
    )
    assert coordinates_of(said) == ("x", "y", "z")
    assert coordinates_of(a_statement(ruleset="solid-bar(f=csv(away.csv))")) == ()


def test_a_pattern_shows_the_p_positions(ledger: dict[str, Any]):
    said = a_statement(
        kind="cellular",
        ruleset="rectangular-bar(m=m, n=m)",
        parameters={"m": tuple(range(1, 13))},
        formulas=(),
        said="a rule",
    )
    drawn = drawing(said, ledger["tables"], RESULTS)
    assert drawn is not None
    game = parse_ruleset("rectangular-bar(m=12, n=12)")

    def heaps(i: int, j: int) -> tuple[int, ...]:
        """Return what can be cut off on the four sides of a bitter cell."""
        return i - 1, 12 - i, j - 1, 12 - j

    assert game.notation in drawn, "the largest bar"
    shown = {(int(y) + 1, int(x) + 1) for x, y in re.findall(r"M(\d+) (\d+)h1", drawn)}
    places = [(i, j) for i in range(1, 13) for j in range(1, 13)]
    assert shown == {place for place in places if game.is_p_position(heaps(*place))}
    assert 0 < len(shown) < len(places)


def test_a_plane_is_drawn_upwards_and_cut():
    cells = np.zeros((SIDE + 5, 3), np.int8)
    cells[1, 2] = cells[SIDE + 1, 1] = 1
    drawn = pattern(Picture(cells, "y", "z", 0, "outcome", "says", "<title>"), "nim(2)")
    assert re.findall(r"M(\d+) (\d+)h1", drawn) == [("2", str(SIDE - 2))]
    assert "<title>" not in drawn


def test_only_tables_that_the_statement_speaks_of_are_drawn(ledger: dict[str, Any]):
    said = a_statement(
        kind="cellular",
        ruleset="rectangular-bar(m=m, n=m)",
        parameters={"m": (100,)},
        formulas=(),
        said="a rule",
    )
    assert drawing(said, ledger["tables"], RESULTS) is None


def test_exports_say_what_the_page_says(found: FoundStatements, ledger: dict[str, Any]):
    in_tex, in_markdown = tex(found, whole(ledger)), markdown(found, whole(ledger))
    for view in found.views:
        said = view.statement
        assert rf"\label{{{said.id}}}" in in_tex
        assert f"### Found {view.number} ({view.words})" in in_markdown
        for line in displayed(said, LaTeX()):
            assert f"\\[\n{line}\n\\]" in in_tex
            assert f"```math\n{line}\n```" in in_markdown
        for exported in (in_tex, in_markdown):
            assert f"Held on {said.held_on.positions:,} {view.unit}s: " in exported
    assert in_tex.count(r"\begin{theorem}") == 1, (
        "a family of which some games are proved is a conjecture"
    )
    assert in_tex.count(r"\begin{conjecture}") == 7
    assert in_tex.count(r"\begin{refuted}") == 1
    assert f"`{CERTIFICATE}`" in in_markdown
    assert "<script>" not in in_markdown.replace(r"\<script\>", "")
    assert r"\input{" not in in_tex
    assert "\n\n\n" not in in_markdown


def test_text_of_latex_has_no_command():
    every = "".join(map(chr, range(1, 0x180))) + HOSTILE + "⊕≤Σ…🍫"
    written = re.sub(r"\$\\?[A-Za-z{}_^0-9-]+\$", "", tex_text(every))  # signs in mathematics
    written = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]", "", written)
    assert set(written).isdisjoint("\\&%$#_{}^~<>|")
    assert "[U+1F36B]" in written


@pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="no LaTeX on this machine (Debian: apt-get install texlive-latex-base)",
)
def test_latex_compiles(found: FoundStatements, ledger: dict[str, Any], tmp_path: Path):
    (tmp_path / "found.tex").write_text(tex(found, whole(ledger)), encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "found.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "found.log").read_text(errors="replace")
    assert "Missing character" not in log
    assert "Undefined" not in log
    assert (tmp_path / "found.pdf").read_bytes().startswith(b"%PDF")


def test_the_whole_report_is_written(ledger_file: Path, tmp_path: Path):
    found_file = tmp_path / "found.json"
    a_document().write(found_file)
    folder = tmp_path / "report"
    old = folder / "found" / "b-found-000000000000.txt"
    old.parent.mkdir(parents=True)
    old.write_text("0 0\n")
    said: list[dict[str, int]] = []
    numbers = write_report_with_found(
        str(ledger_file),
        str(folder / "index.html"),
        str(found_file),
        lambda _stage, **n: said.append(n),
    )
    assert numbers["statements"] == 9
    assert said == [{"documents": 1}] * 7
    sequence = next(one for one in statements() if one.picture)
    written = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "claims"
    }
    assert written == {
        "explore.html",
        "findings.html",
        "games.html",
        "pairs.html",
        "tables.html",
        "found.html",
        "found/found.json",
        "found/found.md",
        "found/found.tex",
        f"found/b-{sequence.id}.txt",
        "index.html",
        "ledger.csv",
        "report.json",
        "report.tex",
        *(["report.pdf"] if shutil.which("pdflatex") else []),
        "verdicts.csv",
    }
    assert json.loads((folder / "found" / "found.json").read_text()) == a_document().document()
    lines = (folder / "found" / f"b-{sequence.id}.txt").read_text().splitlines()
    assert lines[0].startswith("# g(m): ")
    assert sequence.picture is not None
    assert lines[1:] == [f"{n} {term}" for n, term in enumerate(sequence.picture["terms"], 1)]
    # A report before there are found statements does not lead to any.
    write_report(str(ledger_file), str(tmp_path / "first" / "index.html"), lambda *_, **__: None)
    assert "found.html" not in (tmp_path / "first" / "index.html").read_text(encoding="utf-8")


def test_documents_that_are_none_are_refused(ledger: dict[str, Any], tmp_path: Path):
    path = tmp_path / "found.json"
    write_record(path, a_document().document() | {"format": 1})
    with pytest.raises(StoreError, match="another version wrote it: format"):
        read_found(path, whole(ledger), RESULTS)
    path.write_text("[]")
    with pytest.raises(StoreError, match="damaged: it has no digest"):
        read_found(path, whole(ledger), RESULTS)
    said = a_statement(picture={"kind": "sequence", "game": "nim(3)"})
    document_of(said).write(path)
    with pytest.raises(StatementError, match="not a picture of a sequence"):
        read_found(path, whole(ledger), RESULTS)


def test_a_sentence_does_not_change_the_name_of_a_game(ledger: dict[str, Any]):
    named = a_statement(said="nim(3): all is as it should be.", names_game=True)
    plain = a_statement(said="a position is P", ruleset="nim(2)", formulas=())
    views = found_of(document_of(named, plain), whole(ledger), RESULTS).views
    assert [view.in_words for view in views] == [
        "nim(3): all is as it should be.",
        "A position is P.",
    ]


def test_spans():
    assert span([3, 1, 2]) == "1, 2, 3"
    assert span(range(5, 50, 5)) == "5, 10, …, 45"
    assert span([1, 2, 4, 8, 16, 32]) == "1, 2, 4, 8, 16, 32"
