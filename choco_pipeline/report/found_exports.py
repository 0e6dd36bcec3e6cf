"""Found statements, conjectures and questions for papers and programs: LaTeX, Markdown, JSON and b-files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from choco_pipeline.documents.files import write_json, write_text
from choco_pipeline.formula.written.family_statement import Phrase
from choco_pipeline.mining.number_sequences.counts import b_file
from choco_pipeline.report.claim_views import claim_views
from choco_pipeline.report.environment import count, sentence
from choco_pipeline.report.found import (
    FoundStatements,
    FoundView,
    HeightTable,
    RestatedClaim,
    sequence_of,
)
from choco_pipeline.report.found_formulas import displayed, lead
from choco_pipeline.report.math.latex import LaTeX, tex_code, tex_text
from choco_pipeline.report.standings import Standing, standings
from choco_pipeline.sweep.run_ledger import Ledger


@dataclass(frozen=True)
class _Markup:
    """How a document of one kind writes plain text, code, and formulas inside a line."""

    text: Callable[[str], str]
    code: Callable[[str], str]
    math: Callable[[str], str]


def write_exports(found: FoundStatements, ledger: Ledger, folder: Path) -> None:
    """Write ``found.tex``, ``found.md``, ``found.json`` and a b-file for each sequence.

    B-files of statements that are no longer found are removed.
    """
    write_text(folder / "found.tex", tex(found, ledger))
    write_text(folder / "found.md", markdown(found, ledger))
    write_json(folder / "found.json", found.document.document())
    files = b_files(found)
    for name, text in files.items():
        write_text(folder / name, text)
    for old in folder.glob("b-*.txt"):
        if old.name not in files:
            old.unlink()


def b_files(found: FoundStatements) -> dict[str, str]:
    """Return for each statement on a sequence the name and the text of its b-file."""
    return {
        f"b-{view.statement.id}.txt": b_file(sequence)
        for view in found.views
        if (sequence := sequence_of(view.statement)) is not None
    }


def tex(found: FoundStatements, ledger: Ledger) -> str:
    """Return the statements as a LaTeX document: what is proved as theorems, all else as conjectures."""
    parts = preamble(f"Found: {ledger.title}", ledger.run)
    parts += tex_sections(found)
    parts.append(r"\section*{Searched, nothing found}")
    if found.in_vain:
        items = [rf"\item {line}" for line in _in_vain(found, _TEX)]
        parts += [r"\begin{itemize}", *items, r"\end{itemize}"]
    parts.append(r"\end{document}")
    return "\n".join(parts) + "\n"


def preamble(title: str, run: str) -> list[str]:
    """Return the beginning of a LaTeX document that holds found statements, to its title."""
    return [
        r"\documentclass{article}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[margin=2.5cm]{geometry}",
        r"\usepackage{amsmath,amssymb,amsthm,longtable}",
        r"\newtheorem{conjecture}{Conjecture}",
        r"\newtheorem{theorem}[conjecture]{Theorem}",
        r"\newtheorem{refuted}[conjecture]{Refuted}",
        rf"\title{{{tex_text(title)}}}",
        rf"\author{{choco\_pipeline, run {tex_text(run)}}}",
        r"\date{}",
        r"\begin{document}",
        r"\sloppy",
        r"\maketitle",
    ]


def tex_sections(found: FoundStatements) -> Iterator[str]:
    """Yield the statements in LaTeX, section by section."""
    for heading, views in _sections(found):
        yield rf"\section*{{{heading}}}"
        yield from [_tex_statement(view) for view in views] or ["Nothing."]


def markdown(found: FoundStatements, ledger: Ledger) -> str:
    """Return the statements as Markdown, with formulas as GitHub shows them."""
    parts = [
        f"# Found: {markdown_text(ledger.title)}",
        f"Run {markdown_code(ledger.run)}. Only what is called proved is proved, of a family for the games or parameters that the verdict names; all else is a conjecture.",
    ]
    for heading, views in _sections(found):
        parts.append(f"## {heading}")
        parts += [_markdown_statement(view) for view in views] or ["Nothing."]
    parts.append("## Searched, nothing found")
    parts.append("\n".join(f"- {line}" for line in _in_vain(found, _MARKDOWN)) or "Nothing.")
    return "\n\n".join(parts) + "\n"


def markdown_text(text: str) -> str:
    r"""Return plain text in Markdown.

    Examples
    --------
    >>> markdown_text("a_1 * <b>")
    'a\\_1 \\* \\<b\\>'
    """
    return re.sub(r"([\\`*_{}\[\]<>#|$~])", r"\\\1", " ".join(text.split()))


def markdown_code(text: str) -> str:
    """Return code in Markdown, whatever backticks it has."""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if "`" in text else ""
    return f"{fence}{space}{text}{space}{fence}"


_TEX = _Markup(tex_text, tex_code, lambda formula: f"${formula}$")
_MARKDOWN = _Markup(markdown_text, markdown_code, lambda formula: f"$`{formula}`$")


def _sections(found: FoundStatements) -> Iterator[tuple[str, list[FoundView]]]:
    yield "Not in the catalogue", found.new
    yield "Rediscovered", found.rediscovered
    yield "Consequences of what is known", found.consequences
    yield "Which height functions?", found.heights
    yield "Refuted on tables kept back", found.refuted


def _tex_statement(view: FoundView) -> str:
    kind = {"proved": "theorem", "refuted": "refuted"}.get(view.verdict, "conjecture")
    known = f"[{{{_restates(view, _TEX)}}}]" if view.known else ""
    says = _says(view, _TEX, lambda line: "\n\\[\n" + line + "\n\\]\n")
    tables = "".join(f"\n{_tex_table(table)}" for table in view.tables)
    body = f"\\begin{{{kind}}}{known}\\label{{{view.anchor}}}\n{says}\n\\end{{{kind}}}"
    return f"{body}{tables}\n\\noindent {' '.join(_evidence(view, _TEX))}\n"


def _markdown_statement(view: FoundView) -> str:
    known = f"{sentence(_restates(view, _MARKDOWN))}\n\n" if view.known else ""
    says = _says(view, _MARKDOWN, lambda line: f"\n\n```math\n{line}\n```\n\n")
    says = re.sub(r"\n{3,}", "\n\n", says).rstrip()
    head = f"### Found {view.number} ({view.words})"
    evidence = "\n".join(f"- {part}" for part in _evidence(view, _MARKDOWN))
    tables = "".join(f"{_markdown_table(table)}\n\n" for table in view.tables)
    return f"{head}\n\n{known}{says}\n\n{tables}{evidence}"


def _tex_table(table: HeightTable) -> str:
    rows = [" & ".join(map(tex_text, row)) + r" \\" for row in (table.head, *table.rows)]
    inside = "\n".join([rows[0], r"\hline", *rows[1:]])
    columns = "l" + "r" * (len(table.head) - 1)
    return (
        f"\\par\\noindent {tex_text(table.title)}:\\par\n"
        f"\\begin{{tabular}}{{{columns}}}\n{inside}\n\\end{{tabular}}\n"
    )


def _markdown_table(table: HeightTable) -> str:
    rule = ["---", *["--:"] * (len(table.head) - 1)]
    head, *rows = [list(map(markdown_text, row)) for row in (table.head, *table.rows)]
    lines = [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
    return "\n".join([f"{markdown_text(table.title)}:", "", *lines])


def _says(view: FoundView, markup: _Markup, display: Callable[[str], str]) -> str:
    """Return what a statement says: of which games, and as formulas or in words."""
    statement, notation = view.statement, LaTeX()
    begins = "".join(_phrase(phrase, markup) for phrase in lead(statement, notation))
    lines = displayed(statement, notation)
    if not lines:
        return markup.text(view.in_words)
    return f"{begins}:{''.join(map(display, lines))}"


def _phrase(phrase: Phrase, markup: _Markup) -> str:
    """Return a phrase with the spaces at its ends, which are lost where text is wrapped anew."""
    if phrase.kind == "formula":
        return markup.math(phrase.text)
    inner = phrase.text.strip()
    before, _, after = phrase.text.partition(inner)
    return f"{before}{markup.text(inner)}{after}"


def _restates(view: FoundView, markup: _Markup) -> str:
    return f"{view.statement.compared} {', '.join(_source(known, markup) for known in view.known)}"


def _source(claim: RestatedClaim, markup: _Markup) -> str:
    if not claim.number:
        return markup.code(claim.id)
    return f"{markup.text(claim.number)} of {markup.text(claim.source)}"


def _evidence(view: FoundView, markup: _Markup) -> list[str]:
    statement = view.statement
    parts = [f"Game: {markup.code(statement.ruleset)}."]
    parts += [f"Seen for {markup.text('; '.join(view.seen_for))}."] if view.seen_for else []
    parts += [f"That it follows is so {statement.where_compared}."] if view.known else []
    if view.told_by is not None:
        parts.append(f"Which positions are P is told by {_source(view.told_by, markup)}.")
    for label, number, what in (
        ("Found on", count(statement.found_on.positions, view.unit), statement.found_on.what),
        ("Held on", count(statement.held_on.positions, view.unit), statement.held_on.what),
        ("Tried", count(statement.tried.candidates, "candidate"), statement.tried.what),
    ):
        parts.append(f"{label} {number}: {markup.text(what)}.")
    parts.append(f"Verdict: {markup.text(sentence(statement.conclusion.text))}")
    paths, more = view.certificates
    if paths:
        others = f" and {more:,} more" if more else ""
        parts.append(f"Certificates: {', '.join(map(markup.code, paths))}{others}.")
    return [*parts, f"Id: {markup.code(statement.id)}."]


def _in_vain(found: FoundStatements, markup: _Markup) -> list[str]:
    return [
        f"{markup.code(search.game)}: {markup.text(search.what)}, "
        f"{count(search.tried.candidates, 'candidate')}: "
        f"{markup.text(': '.join(filter(None, (search.tried.what, search.why))))}"
        for search in found.in_vain
    ]


def printed_report(ledger: Ledger, found: FoundStatements | None) -> str:
    """Return the LaTeX document."""
    parts = preamble(ledger.title, ledger.run)
    parts.insert(1, r"\ifdefined\pdftrailerid\pdftrailerid{}\fi")
    if known := standings(claim_views(ledger)):
        parts.append(r"\section*{Conjectures and questions of the papers}")
        for paper, chosen in known:
            parts.append(rf"\subsection*{{{tex_text(paper.title)}}}")
            parts.append(tex_text(paper.reference))
            parts += _table(chosen)
    if found is not None:
        parts += tex_sections(found)
    return "\n".join([*parts, r"\end{document}"]) + "\n"


def _table(chosen: list[Standing]) -> Iterator[str]:
    yield r"\begin{longtable}{p{0.17\textwidth}p{0.45\textwidth}p{0.3\textwidth}}"
    for standing in chosen:
        claim = standing.view.claim
        cells = claim.number, claim.words, standing.known
        yield " & ".join(map(tex_text, cells)) + r" \\[4pt]"
    yield r"\end{longtable}"
