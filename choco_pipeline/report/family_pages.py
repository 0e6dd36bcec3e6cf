"""A page and a LaTeX document for each proof of a family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from choco_pipeline.claims.language.claims_file import LedgerClaim
from choco_pipeline.commands import command
from choco_pipeline.documents.files import write_text
from choco_pipeline.errors import ChocoError, StoreError
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.formula import parse
from choco_pipeline.formula.written.family_statement import Phrase, where_phrases
from choco_pipeline.formula.written.latex import LaTeX
from choco_pipeline.formula.written.math_text import MathNotation
from choco_pipeline.formula.written.mathml import MathML
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.rules import Rules
from choco_pipeline.proof.family_document import FamilyText, is_family, read_family
from choco_pipeline.proof.trial import is_true, small_values
from choco_pipeline.report.environment import environment, papers
from choco_pipeline.report.family_views import CaseView, case_views
from choco_pipeline.sweep.ledger import Ledger

#: Beside the page of a run; pages have the names of their certificates.
FOLDER = "families"


@dataclass(frozen=True)
class MoveView:
    """Moves with the same effect on dependent coordinates.

    `falling` are the coordinates that depend on the lowered ones; `clips` tells whether they fall.
    """

    lowers: list[str]
    falling: list[str]
    clips: bool


@dataclass(frozen=True)
class FamilyView:
    """A proof for a family, with all formulas in one notation."""

    #: The certificate and its path.
    written: FamilyText
    path: str
    #: The claims that rest on it: ids with their numbers and papers.
    claims: list[tuple[str, str, str]]
    #: The evidence of the run's verdict.
    evidence: Mapping[str, Any]
    #: The whole statement.
    theorem: list[Phrase]
    #: The next larger domain, if the statement is proved to be false there.
    false_with: list[Phrase]
    #: Coordinates with a largest value, and those that a move lowers.
    limited: list[str]
    lowered: list[str]
    #: The moves after which a coordinate may exceed its largest value.
    moves: list[MoveView]
    cases: list[CaseView]

    @property
    def stem(self) -> str:
        """The common stem of the names of its pages."""
        return Path(self.path).stem

    @property
    def is_grundy(self) -> bool:
        """Whether it is about Grundy numbers, not P-positions."""
        return self.written.relation.kind == "grundy"

    @property
    def is_bounded(self) -> bool:
        """Whether the theorem has a condition on positions."""
        return bool(self.written.where)

    @property
    def is_of_words(self) -> bool:
        """Whether the proof has invariants about words of digits."""
        return any(case.obligations for case in self.cases)

    @property
    def is_by_cases(self) -> bool:
        """Whether its formula has cases."""
        return any(case.formula is not None for case in self.written.cases)

    @property
    def states(self) -> int:
        """Number of states of all invariants."""
        return sum(o.states for case in self.cases for o in case.obligations)

    @property
    def locations(self) -> int:
        """Number of locations of all invariants."""
        return sum(len(o.locations) for case in self.cases for o in case.obligations)

    @property
    def command(self) -> str:
        """The command that checks the certificate again."""
        return command("prove", "--check", self.path)


@dataclass(frozen=True)
class FamilyProofs:
    """The certificates of families that a report names, by the path of each."""

    #: The claims of the ledger that rest on it; none if only a found statement has it.
    claims: Mapping[str, Sequence[LedgerClaim]]
    #: The evidence of the verdicts; empty for a found statement.
    evidence: Mapping[str, Mapping[str, Any]]
    #: Certificates that the statement is false with the next larger bound.
    beyond: Mapping[str, str]

    @classmethod
    def of(cls, ledger: Ledger, statements: Sequence[FoundStatement] = ()) -> FamilyProofs:
        """Return the certificates whose files exist."""
        known = {claim.id: claim for claim in ledger.claims}
        claims: dict[str, list[LedgerClaim]] = {}
        evidence: dict[str, Mapping[str, Any]] = {}
        beyond: dict[str, str] = {}
        for verdict in ledger.verdicts:
            path = verdict.certificate
            # A claim that follows from others has a certificate on integers, not on a family.
            has_page = verdict.for_all is not None and "follows_from" not in verdict.evidence
            if has_page and path is not None and Path(path).is_file():
                claims.setdefault(path, []).append(known[verdict.claim])
                evidence.setdefault(path, verdict.evidence)
                every = verdict.false_everywhere
                if every is not None and every.certificate and Path(every.certificate).is_file():
                    beyond[path] = every.certificate
        for statement in statements:
            if statement.is_proved_for_all:
                # The others prove that a bound is sharp, or are on integers, which have no pages.
                path, *others = statement.conclusion.certificates
                if Path(path).is_file():
                    claims.setdefault(path, [])
                    evidence.setdefault(path, {})
                    for other in others:
                        if Path(other).is_file() and is_family(other):
                            beyond[path] = other
        return cls(claims, evidence, beyond)

    @property
    def pages(self) -> dict[str, str]:
        """The addresses of pages by the ids of claims, relative to the run's page."""
        return {claim.id: page_of(path) for path, claims in self.claims.items() for claim in claims}

    @property
    def pages_by_path(self) -> dict[str, str]:
        """The addresses by certificates."""
        return {path: page_of(path) for path in self.claims}

    def views(self, notation: MathNotation) -> Iterator[FamilyView]:
        """Yield the views of all proofs."""
        for path in self.claims:
            yield self._view(path, notation)

    def _view(self, path: str, notation: MathNotation) -> FamilyView:
        written = read_family(Path(path))
        if written.verdict != "proved":
            raise StoreError(f"{path}: a proof is needed, this certificate is of a refutation")
        rules = _rules(written, path)
        return FamilyView(
            written,
            path,
            [(c.id, c.number, c.paper.title) for c in self.claims[path]],
            self.evidence[path],
            list(written.statement(rules.coordinates).phrases(notation)),
            list(self._false_with(written, path, notation)),
            [notation.name(y, "") for y in rules.limits],
            [notation.name(x, "") for move in rules.moves for x in move.lowers],
            _moves(rules, notation),
            case_views(written, rules.coordinates, notation),
        )

    def _false_with(
        self, proved: FamilyText, path: str, notation: MathNotation
    ) -> Iterator[Phrase]:
        """Yield the condition on positions for which every member is refuted."""
        if path not in self.beyond:
            return
        refuted = read_family(Path(self.beyond[path]))
        same = ("ruleset", "games", "condition", "relation")
        if refuted.verdict != "refuted" or any(
            getattr(proved, of) != getattr(refuted, of) for of in same
        ):
            raise StoreError(f"{self.beyond[path]}: it does not refute a larger bound of {path}")
        yield from where_phrases(refuted.where, notation)


def page_of(path: str) -> str:
    """Return the address of a certificate's page, relative to the run's page."""
    return f"{FOLDER}/{Path(path).stem}.html"


def write_family_pages(
    ledger: Ledger, folder: Path, statements: Sequence[FoundStatement] = ()
) -> int:
    """Write a page and a LaTeX document for each proof of a family.

    Return the number of proofs. Pages of other certificates are removed from the folder `FOLDER`. Raises `ChocoError` if a
    certificate cannot be read, or is not the expected proof.
    """
    proofs = FamilyProofs.of(ledger, statements)
    page = environment().get_template("family.html.j2")
    paper = papers().get_template("family.tex.j2")
    kept = set()
    for template, notation, kind in ((page, MathML(), "html"), (paper, LaTeX(), "tex")):
        for view in proofs.views(notation):
            name = f"{view.stem}.{kind}"
            write_text(folder / FOLDER / name, template.render(proof=view, ledger=ledger))
            kept.add(name)
    for old in (folder / FOLDER).glob("family-*"):
        if old.name not in kept:
            old.unlink()
    return len(proofs.claims)


def _rules(written: FamilyText, path: str) -> Rules:
    for values in small_values(written.parameters, partial(is_true, parse(written.condition))):
        with suppress(ChocoError):
            return parse_ruleset(written.ruleset, values, games=written.games).rules
    raise StoreError(f"{path}: the family has no member with small parameters")


def _moves(rules: Rules, notation: MathNotation) -> list[MoveView]:
    alike: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for move in rules.moves:
        (lowered,) = move.lowers
        falling = tuple(y for y, limit in rules.limits.items() if lowered in limit.of)
        if falling:
            alike.setdefault((falling, move.clips), []).append(notation.name(lowered, ""))
    return [
        MoveView(lowers, [notation.name(y, "") for y in falling], clips)
        for (falling, clips), lowers in alike.items()
    ]
