"""A page for each proof of a family, and the same in LaTeX: what is proved, and why, as an author could print it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from choco_pipeline.claims.conclusions.outcomes import enumerated
from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.commands import command
from choco_pipeline.documents.files import write_text
from choco_pipeline.errors import StoreError
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.finding.statements.statement_line import parsed
from choco_pipeline.formula.written.typeset import MathNotation, typeset
from choco_pipeline.games.rules import Rules
from choco_pipeline.proof.family_check.document import FamilyText, read_family
from choco_pipeline.proof.family_check.first_members import first_members
from choco_pipeline.report.environment import count, environment, templates
from choco_pipeline.report.family_proofs.family_views import CaseView, case_views
from choco_pipeline.report.math.latex import LaTeX, tex_code, tex_text
from choco_pipeline.report.math.mathml import MathML
from choco_pipeline.sweep.run_ledger import Ledger

#: Beside the page of a run; pages have the names of their certificates.
FOLDER = "families"


@dataclass(frozen=True)
class MoveView:
    """A kind of move: the coordinate that it lowers, those that may fall, and whether they may."""

    lowers: str
    falling: list[str]
    clips: bool


@dataclass(frozen=True)
class FamilyView:
    """A proof of a family, all formulas in one notation."""

    #: The certificate.
    written: FamilyText
    #: Where it is.
    path: str
    #: The claims that it proves: ids with their numbers and papers.
    claims: list[tuple[str, str, str]]
    #: What the run says of the search and of the check.
    evidence: Mapping[str, Any]
    #: The parameters; a position; for which parameters; and what is said of it.
    names: list[str]
    position: str
    condition: str
    relation: str
    #: Of the game, and of the proof.
    moves: list[MoveView]
    cases: list[CaseView]

    @property
    def stem(self) -> str:
        """The name of its pages, without what they end with."""
        return Path(self.path).stem

    @property
    def is_grundy(self) -> bool:
        """Whether it is of Grundy numbers, not of P-positions."""
        return self.written.relation.kind == "grundy"

    @property
    def is_of_words(self) -> bool:
        """Whether it reads numbers digit by digit; else all is said by the texts beside it."""
        return any(case.obligations for case in self.cases)

    @property
    def is_by_cases(self) -> bool:
        """Whether it is of a formula by cases."""
        return any(case.formula is not None for case in self.written.cases)

    @property
    def texts(self) -> int:
        """How many conditions both solvers were given."""
        return sum(len(case.texts) for case in self.written.cases)

    @property
    def states(self) -> int:
        """How many states all invariants have."""
        return sum(o.states for case in self.cases for o in case.obligations)

    @property
    def engines(self) -> str:
        """The solvers, in words."""
        return enumerated(list(self.written.engines))

    @property
    def command(self) -> str:
        """What checks the certificate again."""
        return command("prove", "--check", self.path)


@dataclass(frozen=True)
class FamilyProofs:
    """The certificates of families that a report names, by the path of each."""

    #: The claims of the ledger that it proves; none if only a found statement has it.
    claims: Mapping[str, Sequence[LedgerClaim]]
    #: What the run says of the search and the check; nothing of a found statement's.
    evidence: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, ledger: Ledger, statements: Sequence[FoundStatement] = ()) -> FamilyProofs:
        """Return those whose files are there."""
        known = {claim.id: claim for claim in ledger.claims}
        claims: dict[str, list[LedgerClaim]] = {}
        evidence: dict[str, Mapping[str, Any]] = {}
        for verdict in ledger.verdicts:
            path = verdict.certificate
            # What follows from other claims has the certificate of a sentence on integers, which is none of a family.
            is_family = verdict.for_all is not None and "follows_from" not in verdict.evidence
            if is_family and path is not None and Path(path).is_file():
                claims.setdefault(path, []).append(known[verdict.claim])
                evidence.setdefault(path, verdict.evidence)
        for statement in statements:
            if statement.is_proved_for_all:
                # After the proof of a family: that it fails beyond a bound, or sentences on integers, which have no pages.
                path = statement.conclusion.certificates[0]
                if Path(path).is_file():
                    claims.setdefault(path, [])
                    evidence.setdefault(path, {})
        return cls(claims, evidence)

    @property
    def pages(self) -> dict[str, str]:
        """For each claim that one of them proves, the address of its page, seen from the run's."""
        return {claim.id: page_of(path) for path, claims in self.claims.items() for claim in claims}

    @property
    def pages_by_path(self) -> dict[str, str]:
        """The addresses by certificates."""
        return {path: page_of(path) for path in self.claims}

    def views(self, notation: MathNotation) -> Iterator[FamilyView]:
        """Yield each proof as it is shown."""
        for path in self.claims:
            yield self._view(path, notation)

    def _view(self, path: str, notation: MathNotation) -> FamilyView:
        written = read_family(Path(path))
        rules = _rules(written, path)
        return FamilyView(
            written,
            path,
            [(c.id, c.number, c.paper.title) for c in self.claims[path]],
            self.evidence[path],
            [notation.name(name, "") for name in written.parameters],
            notation.listed([notation.name(name, "") for name in rules.coordinates]),
            typeset(parsed(written.condition), notation),
            typeset(parsed(written.relation.formula), notation),
            [_move(rules, n, notation) for n in range(len(rules.moves))],
            case_views(written, rules.coordinates, notation),
        )


def page_of(path: str) -> str:
    """Return the address of a certificate's page, seen from the run's."""
    return f"{FOLDER}/{Path(path).stem}.html"


def write_family_pages(
    ledger: Ledger, folder: Path, statements: Sequence[FoundStatement] = ()
) -> int:
    """Write a page and its LaTeX for each proof of a family that a report names; return how many.

    Pages of other certificates are removed from the folder `FOLDER` of the run's page. Raises `ChocoError` if a certificate
    cannot be read.
    """
    proofs = FamilyProofs.of(ledger, statements)
    pages, papers = _environment(MathML()), _environment(LaTeX())
    kept = set()
    for view in proofs.views(MathML()):
        page = pages.get_template("family.html.j2").render(proof=view, ledger=ledger)
        kept.add(write_page(folder, f"{view.stem}.html", page))
    for view in proofs.views(LaTeX()):
        text = papers.get_template("family.tex.j2").render(proof=view, ledger=ledger)
        kept.add(write_page(folder, f"{view.stem}.tex", text))
    for old in (folder / FOLDER).glob("family-*"):
        if old.name not in kept:
            old.unlink()
    return len(proofs.claims)


def write_page(folder: Path, name: str, text: str) -> str:
    """Write one of the pages, and return its name."""
    write_text(folder / FOLDER / name, text)
    return name


def _environment(notation: MathML | LaTeX) -> Environment:
    """Return the templates of pages, or those of papers, in which braces are LaTeX's own."""
    if isinstance(notation, MathML):
        pages = environment()
        pages.filters |= {
            "math": lambda inner: Markup(f"<math>{inner}</math>"),
            "plain": lambda text: text,
        }
        return pages
    papers = templates(
        autoescape=False,  # LaTeX
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        keep_trailing_newline=True,
    )
    papers.filters |= {
        "math": lambda inner: f"${inner}$",
        "text": tex_text,
        "code": tex_code,
        "count": count,
    }
    return papers


def _rules(written: FamilyText, path: str) -> Rules:
    for _, member in first_members(written):
        return member.rules
    raise StoreError(f"{path}: the family has no member with small parameters")


def _move(rules: Rules, number: int, notation: MathNotation) -> MoveView:
    move = rules.moves[number]
    (lowered,) = move.lowers
    falling = [y for y, limit in rules.limits.items() if lowered in limit.of]
    return MoveView(notation.name(lowered, ""), [notation.name(y, "") for y in falling], move.clips)
