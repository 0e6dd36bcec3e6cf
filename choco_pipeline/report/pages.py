"""The pages of a report, all usable offline.

The first page states the results and links to the rest: one page for each claim, and one for each other part. Evidence,
pictures and lists of tables are on these pages, so that the first page loads at once.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from choco_pipeline.claims.conclusions.conclusion import SIGNS, ClaimRow, PairKind, tally, words_of
from choco_pipeline.claims.language.claims_file import LedgerClaim, Paper
from choco_pipeline.formula.written.latex import tex_text
from choco_pipeline.provenance import digest
from choco_pipeline.report.assemble import run_times, summary
from choco_pipeline.report.claim_views import (
    ClaimView,
    PairView,
    by_paper,
    claim_views,
    forms,
    pair_views,
)
from choco_pipeline.report.environment import environment
from choco_pipeline.report.explored_games import (
    OPENS_ON,
    ExploredFamily,
    embedded,
    explored_families,
)
from choco_pipeline.report.exports import b_files
from choco_pipeline.report.family_pages import FamilyProofs
from choco_pipeline.report.findings import families
from choco_pipeline.report.found import FoundStatements
from choco_pipeline.report.proof_section import FAST, proof_section
from choco_pipeline.report.standings import standings
from choco_pipeline.sweep.ledger import Ledger

#: Folder of the pages of claims, beside the first page.
CLAIMS = "claims"
FIRST = "index.html"
GROUP_WORDS = {
    "conjectures": ("conjecture",),
    "question": ("question",),
    "others": ("other statement",),
    "ours": ("remark of this project", "remarks of this project"),
}


def pages(
    ledger: Ledger, results: Path, folder: Path, found: FoundStatements | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every page, the first page last.

    `folder` is the folder of the pages, for links to certificates. Raises `StoreError` if a table cannot be read.
    """
    templates = environment()
    views = claim_views(ledger)
    explored = explored_families(ledger, results)
    pairs = {kind: pair_views(ledger, views, kind) for kind in get_args(PairKind)}
    shared = {
        "explored": {table.ruleset for family in explored for table in family.tables},
        "ledger": ledger,
        "signs": SIGNS,
        "summary": summary(ledger, views),
        "forms": forms(ledger),
        "family_pages": FamilyProofs.of(ledger).pages,
    }
    parts: dict[str, str] = {}
    for name, title, content in _parts(ledger, pairs, explored):
        parts[f"{name}.html"] = title
        template = templates.get_template("part.html.j2")
        yield (
            f"{name}.html",
            template.render(**shared, **content, part=f"{name}.html.j2", title=title),
        )
    claim_page = templates.get_template("claim.html.j2")
    for view in views:
        text = claim_page.render(
            **shared,
            view=view,
            pairs=[
                pair
                for of_kind in pairs.values()
                for pair in of_kind
                if any(side.view is view for side in pair.sides)
            ],
            certificates=_certificates(view, folder / CLAIMS),
            paper_link=paper_link(view.claim.paper),
            bibtex=[
                ("the paper", paper_bibtex(view.claim.paper)),
                ("this result", result_bibtex(ledger, view.claim, view.row)),
            ],
        )
        yield f"{CLAIMS}/{view.claim.id}.html", text
    yield FIRST, _first_page(shared, views, parts, found)


def _parts(
    ledger: Ledger,
    pairs: Mapping[str, Sequence[PairView]],
    explored: Sequence[ExploredFamily],
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    proofs = proof_section(ledger)
    if proofs.families:
        yield "proofs", "Proofs", {"proofs": proofs, "fast": FAST}
    if any(pairs.values()):
        chosen = {"misprints": pairs["misprint"], "disagreements": pairs["disagreement"]}
        yield "pairs", "Printed and intended", chosen
    if value_sets := families(ledger):
        yield "findings", "Found in single tables", {"value_sets": value_sets}
    if explored:
        yield (
            "explore",
            "Explore",
            {"families": explored, "data": embedded(explored), "opens_on": OPENS_ON},
        )
    yield "tables", "Tables", {}


def _first_page(
    shared: Mapping[str, Any],
    views: Sequence[ClaimView],
    parts: Mapping[str, str],
    found: FoundStatements | None,
) -> str:
    corrected = {pair.printed for pair in shared["ledger"].pairs if pair.kind == "misprint"}
    refuted = [view for view in views if view.verdict == "refuted" and view.is_asserted]
    ours = [view for view in views if view.claim.status == "ours"]
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            **shared,
            times=run_times(shared["ledger"]),
            views=views,
            parts=parts,
            found=found,
            sequences=[] if found is None else list(b_files(found)),
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
    )


def _certificates(view: ClaimView, folder: Path) -> list[tuple[str, str]]:
    """Return the paths of a claim's certificate files, each with its link relative to `folder`."""
    verdicts = [cell.document for cell in view.cells]
    falsified = [v.false_everywhere for v in verdicts]
    paths = [verdict.certificate for verdict in (*verdicts, *falsified) if verdict is not None]
    named = dict.fromkeys(path for path in paths if path is not None and Path(path).is_file())
    return [(path, Path(os.path.relpath(path, folder)).as_posix()) for path in named]


def paper_link(paper: Paper) -> str | None:
    """Return the address of a paper on the web, by DOI or arXiv number, if any."""
    if paper.doi:
        return f"https://doi.org/{paper.doi}"
    return f"https://arxiv.org/abs/{paper.arxiv}" if paper.arxiv else None


def paper_bibtex(paper: Paper) -> str:
    """Return the entry of a paper."""
    fields = {
        "author": " and ".join(map(tex_text, paper.authors)),
        "title": f"{{{tex_text(paper.title)}}}",
        "year": "" if paper.year is None else str(paper.year),
        "note": tex_text(paper.reference),
        "doi": paper.doi,
        "eprint": paper.arxiv,
        "archivePrefix": "arXiv" if paper.arxiv else "",
    }
    return _entry("misc", paper.key, fields)


def result_bibtex(ledger: Ledger, claim: LedgerClaim, row: ClaimRow) -> str:
    """Return the entry of a result, with version, commit and digest."""
    versions = ledger.versions
    result = f"{claim.number} of {claim.paper.key}: {row.text}"
    # Of the formal statement and its outcome, without times.
    result_digest = digest({"claim": claim.formal, "verdict": row.verdict, "text": row.text})
    made = f"commit {versions.get('commit', 'unknown')}, result {result_digest}"
    fields = {
        "author": "{choco\\_pipeline authors}",
        "title": f"{{{tex_text(result)}}}",
        "howpublished": f"choco\\_pipeline {tex_text(versions['choco_pipeline'])}, run {tex_text(ledger.run)}",
        "note": tex_text(made),
    }
    return _entry("misc", f"choco-{claim.id}", fields)


def _entry(kind: str, key: str, fields: Mapping[str, str | None]) -> str:
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"
