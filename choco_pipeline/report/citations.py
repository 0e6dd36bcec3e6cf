"""BibTeX entries for papers, and for the results of a run."""

from __future__ import annotations

from collections.abc import Mapping

from choco_pipeline.claims.conclusions.claim_row import ClaimRow
from choco_pipeline.claims.language.claims_file import LedgerClaim, Paper
from choco_pipeline.formula.written.latex import tex_text
from choco_pipeline.provenance import digest
from choco_pipeline.sweep.run_ledger import Ledger


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
