"""Writing a run's report: pages, machine-readable documents, proofs, exports.

All pages are usable offline. The first page states the results, and links to a page for each claim and to the other parts.
Evidence, pictures and lists of tables are on those pages, so that the first page loads fast.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from choco_pipeline.claims.conclusions.conclusion import (
    STRONGEST_FIRST,
    ClaimRow,
    Outcome,
    tally,
    words_of,
)
from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.documents.files import write_large_json, write_text
from choco_pipeline.finding.statement import FoundDocument
from choco_pipeline.formula.written.latex import tex_text
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.mining.table_findings import ValueSetFinding
from choco_pipeline.provenance import digest
from choco_pipeline.report import explored_games, exports
from choco_pipeline.report.claims import (
    ClaimView,
    by_paper,
    claim_views,
    forms,
    pair_views,
    standings,
)
from choco_pipeline.report.environment import environment
from choco_pipeline.report.families import family_proofs, write_family_pages
from choco_pipeline.report.found import (
    FoundStatements,
    b_files,
    found_of,
    found_page,
    printed,
    write_exports,
)
from choco_pipeline.report.proofs import FAST, proof_families
from choco_pipeline.report.run_crate import write_crate
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.ledger import Ledger, write_ledger
from choco_pipeline.sweep.run_files import Paths, certificates_in, write_file_list

Report = Callable[..., None]
#: Folder of the pages of claims, beside the first page.
CLAIMS = "claims"
#: The pages of the other parts of a report, with their titles.
PARTS = {
    "proofs.html": "Proofs",
    "pairs.html": "Printed and intended",
    "findings.html": "Found in single tables",
    "explore.html": "Explore",
    "tables.html": "Tables",
}
#: Groups of claims, with their nouns.
GROUP_WORDS = {
    "conjectures": ("conjecture",),
    "question": ("question",),
    "others": ("other statement",),
    "ours": ("remark of this project", "remarks of this project"),
}
#: Number of listed parts for each stage, longest first.
MOST_NAMED = 3
#: A game, an expression in mathematical notation, and its values at the P-positions of a table.
TableFinding = tuple[str, str, ValueSetFinding]
#: The recognised forms of value sets, in words.
FORMS = {
    "zero": "only 0",
    "finite": "a few numbers",
    "two-powers-minus-two": "the numbers 2^n − 2",
    "powers": "powers of 2, shifted",
    "conditions": "numbers with a remainder or a bound",
    "all-up-to": "everything up to a frontier",
    "list": "a list without a known form",
}


def write_pages(ledger_file: str, html_file: str, report: Report) -> dict[str, int]:
    """Write the parts of a report that do not depend on found statements.

    The documents, a page for each claim, and the other parts are written beside the first page `html_file`. Tables are read from
    the folder above the ledger's. Return the numbers of claims, verdicts and tables. Raises `StoreError` if the ledger or a table
    cannot be read.
    """
    ledger, results = Ledger.read(Path(ledger_file)), Path(ledger_file).parent.parent
    html = Path(html_file)
    document = {**ledger.document(), "summary": summary(ledger, claim_views(ledger))}
    write_large_json(html.with_name("report.json"), document)
    for name, frame in (
        ("ledger.csv", exports.row_frame(ledger)),
        ("verdicts.csv", exports.verdict_frame(ledger)),
    ):
        report(Stage.REPORT, documents=1)
        write_text(html.with_name(name), exports.csv_text(frame))
    written = set()
    for name, text in pages(ledger, results, html.parent):
        write_text(html.parent / name, text)
        written.add(html.parent / name)
    for old in (*html.parent.glob(f"{CLAIMS}/*.html"), *map(html.with_name, PARTS)):
        if old not in written:
            old.unlink(missing_ok=True)
    report(Stage.REPORT, documents=1)
    return {name: len(getattr(ledger, name)) for name in ("claims", "verdicts", "tables")}


def write_rest(
    ledger_file: str, html_file: str, found_file: str | None, report: Report
) -> dict[str, int]:
    """Write the rest of a report after `write_pages`; the first page is written last.

    With `found_file`, the page ``found.html`` and the folder ``found`` are also written. Return the number of found statements.
    Raises `StoreError` if a document cannot be read.
    """
    ledger, html = Ledger.read(Path(ledger_file)), Path(html_file)
    found = None
    if found_file is not None:
        document = FoundDocument.read(Path(found_file))
        found = found_of(document, ledger, Path(ledger_file).parent.parent)
        write_exports(found, ledger, html.with_name("found"))
        report(Stage.REPORT, documents=1)
        write_text(html.with_name("found.html"), found_page(found, ledger))
        report(Stage.REPORT, documents=1)
    statements = [] if found is None else found.statements
    text = printed("found.tex.j2", ledger, found, with_claims=True)
    write_text(html.with_name("report.tex"), text)
    report(Stage.REPORT, documents=1)
    for _ in range(write_family_pages(ledger, html.parent, statements)):
        report(Stage.REPORT, documents=1)
    names = [path.name for path in html.parent.glob("*.html")]
    write_text(html, first_page(ledger, names, found))
    report(Stage.REPORT, documents=1)
    return {"statements": len(statements)}


def write_first_report(
    plan_file: str, html_file: str, ledger_file: str, report: Report
) -> dict[str, int]:
    """Write the first ledger of a run, its report, and the list of its files."""
    write_ledger(plan_file, ledger_file, report, first=True)
    numbers = write_pages(ledger_file, html_file, report)
    write_rest(ledger_file, html_file, None, report)
    write_file_list(Path(html_file).parent)
    return numbers


def write_last_report(
    ledger_file: str, html_file: str, found_file: str, report: Report
) -> dict[str, int]:
    """Write the rest of a run's last report, its crate, and the list of all files."""
    numbers = write_rest(ledger_file, html_file, found_file, report)
    ledger = Ledger.read(Path(ledger_file))
    paths = Paths(Path(ledger_file).parent.parent, ledger.run)
    crate = write_crate(ledger, paths.results)
    certificates = {
        path
        for document in (ledger_file, found_file)
        for path in certificates_in(Path(document), paths.certificates)
    }
    write_file_list(Path(html_file).parent, crate, certificates=certificates)
    return numbers


# ---- Pages.


def pages(ledger: Ledger, results: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page except the first one.

    `folder` is that of the first page; links to certificates are relative to it. Raises `StoreError` if a table cannot be read.
    """
    templates = environment()
    views = claim_views(ledger)
    explored = explored_games.explored_families(ledger, results)
    pairs = pair_views(ledger, views)
    shared = _shared(ledger, views) | {
        "explored": {table["ruleset"] for family in explored for table in family["tables"]}
    }
    proofs, example = proof_families(ledger)
    found = value_sets(ledger)
    content = {
        "families": proofs,
        "example": example,
        "fast": FAST,
        "pairs": pairs,
        "value_sets": found,
        "explored_families": explored,
        "data": explored_games.as_script_json(explored),
        "opens_on": explored_games.OPENS_ON,
    }
    is_empty = {
        "proofs.html": not proofs,
        "pairs.html": not pairs,
        "findings.html": not found,
        "explore.html": not explored,
    }
    part = templates.get_template("part.html.j2")
    for name, title in PARTS.items():
        if not is_empty.get(name):
            yield name, part.render(**shared, **content, part=f"{name}.j2", title=title)
    claim_page = templates.get_template("claim.html.j2")
    for view in views:
        text = claim_page.render(
            **shared,
            view=view,
            pairs=[pair for pair in pairs if any(side.view is view for side in pair.sides)],
            certificates=_certificates(view, folder / CLAIMS),
            bibtex=_bibtex(ledger, view.claim, view.row),
        )
        yield f"{CLAIMS}/{view.claim.id}.html", text


def _shared(ledger: Ledger, views: Sequence[ClaimView]) -> dict[str, Any]:
    """Return the variables that the templates of all pages share."""
    return {
        "ledger": ledger,
        "summary": summary(ledger, views),
        "forms": forms(ledger),
        "family_pages": {
            claim.id: proof.page
            for proof in family_proofs(ledger).values()
            for claim in proof.claims
        },
    }


def first_page(ledger: Ledger, names: Collection[str], found: FoundStatements | None) -> str:
    """Return the first page, with links to those other parts that are in `names`."""
    views = claim_views(ledger)
    corrected = {pair.printed for pair in ledger.pairs if pair.kind == "misprint"}
    refuted = [view for view in views if view.verdict == "refuted" and view.is_asserted]
    ours = [view for view in views if view.claim.status == "ours"]
    template = environment().get_template("page.html.j2")
    return template.render(
        **_shared(ledger, views),
        times=run_times(ledger),
        views=views,
        parts={name: title for name, title in PARTS.items() if name in names},
        found=found,
        sequences=[] if found is None else list(b_files(found.statements)),
        words_of=words_of,
        group_words=GROUP_WORDS,
        standings=standings(views),
        questions=any(view.claim.status == "question" for view in views),
        ours=[view for view in ours if view.verdict not in ("unchecked", "undecided")],
        papers=by_paper(views),
        facets={
            "status": Counter(view.claim.status for view in views),
            "verdict": tally(view.verdict for view in views),
        },
        refuted=[view for view in refuted if view.claim.id not in corrected],
        misprinted=sum(view.claim.id in corrected for view in refuted),
    )


def summary(ledger: Ledger, views: Sequence[ClaimView]) -> Mapping[str, Any]:
    """Return the numbers of a run: claims, checks, tables, positions, times."""
    claims: dict[str, list[Outcome]] = {group: [] for group in GROUP_WORDS}
    for view in views:
        group = {"conjecture": "conjectures"}.get(view.claim.status, view.claim.status)
        claims[group if group in claims else "others"].append(view.verdict)
    return {
        "claims": {
            group: {"number": len(outcomes), "verdicts": tally(outcomes, STRONGEST_FIRST)}
            for group, outcomes in claims.items()
        },
        "checks": sum(view.row.checks for view in views),
        "tables": len(ledger.tables),
        "positions": sum(table["positions"] for table in ledger.tables),
        "bytes": sum(table["bytes"] for table in ledger.tables),
        "seconds": ledger.seconds,
    }


class RunTime(NamedTuple):
    """The duration of a stage, or of a part of it."""

    what: str
    seconds: float
    #: Share of the longest stage.
    percent: float
    is_stage: bool


def run_times(ledger: Ledger) -> list[RunTime]:
    """Return the stages of a run, each followed by its longest parts."""
    claims = {claim.id: f"{claim.paper.key}, {claim.number}" for claim in ledger.claims}
    rulesets = {table["id"]: str(table["ruleset"]) for table in ledger.tables}
    parts: Mapping[str, Counter[str]] = {name: Counter() for name in ledger.seconds}
    for stage, what, seconds in (
        *(("tables", t["ruleset"], t["seconds"] + t["seconds_to_store"]) for t in ledger.tables),
        *(("checks", claims[v.claim], v.seconds) for v in ledger.verdicts),
        *(("mining", rulesets[f.table], f.seconds) for f in ledger.findings),
        *(("proofs", p.ruleset, p.seconds) for p in ledger.proofs),
    ):
        parts[stage][what] += seconds
    longest = max(ledger.seconds.values(), default=0)
    if not longest:
        return []
    times = []
    for stage, seconds in ledger.seconds.items():
        longest_parts = ((what, s) for what, s in parts[stage].most_common(MOST_NAMED) if s > 0)
        for what, part in ((stage, seconds), *longest_parts):
            times.append(RunTime(what, part, round(100 * part / longest, 1), what == stage))
    return times


def value_sets(ledger: Ledger) -> list[tuple[str, Counter[str], list[TableFinding]]]:
    """Return each family with its number of tables by form, and its value sets."""
    tables = {table["id"]: table for table in ledger.tables}
    order = {table_id: i for i, table_id in enumerate(tables)}
    families: dict[str, list[TableFinding]] = {}
    found = [finding for finding in ledger.findings if isinstance(finding, ValueSetFinding)]
    for finding in sorted(found, key=lambda finding: order[finding.table]):
        table = tables[finding.table]
        one = (str(table["ruleset"]), math_text(finding.expression), finding)
        families.setdefault(explored_games.family_of(table)[0], []).append(one)
    return [
        (family, Counter(FORMS[finding.form.name] for _, _, finding in sets), sets)
        for family, sets in families.items()
    ]


def _certificates(view: ClaimView, folder: Path) -> list[tuple[str, str]]:
    """Return the paths of a claim's certificates, with their links."""
    verdicts = [cell.document for cell in view.cells]
    falsified = [v.false_everywhere for v in verdicts]
    paths = [verdict.certificate for verdict in (*verdicts, *falsified) if verdict is not None]
    named = dict.fromkeys(path for path in paths if path is not None and Path(path).is_file())
    return [(path, Path(os.path.relpath(path, folder)).as_posix()) for path in named]


def _bibtex(ledger: Ledger, claim: LedgerClaim, row: ClaimRow) -> list[tuple[str, str]]:
    """Return the BibTeX entries of a paper and of a result."""
    paper, versions = claim.paper, ledger.versions
    # Times would change the digest in every run.
    result = digest({"claim": claim.formal, "verdict": row.verdict, "text": row.text})
    program = f"choco_pipeline {versions['choco_pipeline']}, run {ledger.run}"
    entries: list[tuple[tuple[str, str], dict[str, str | None]]] = [
        (
            ("the paper", paper.key),
            {
                "author": " and ".join(map(tex_text, paper.authors)),
                "title": f"{{{tex_text(paper.title)}}}",
                "year": "" if paper.year is None else str(paper.year),
                "note": tex_text(paper.reference),
                "doi": paper.doi,
                "eprint": paper.arxiv,
                "archivePrefix": "arXiv" if paper.arxiv else "",
            },
        ),
        (
            ("this result", f"choco-{claim.id}"),
            {
                "author": f"{{{tex_text('choco_pipeline authors')}}}",
                "title": f"{{{tex_text(f'{claim.number} of {paper.key}: {row.text}')}}}",
                "howpublished": tex_text(program),
                "note": tex_text(f"commit {versions.get('commit', 'unknown')}, result {result}"),
            },
        ),
    ]
    texts = []
    for (what, key), fields in entries:
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        texts.append((what, f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"))
    return texts
