"""Verdicts for all parameters on found statements on families.

Tables and proofs of single games prove a statement for the listed games at most. `choco_pipeline.proof.for_all` decides it for all
parameters of its condition. It returns "proved" only if the checker of certificates, which shares no code with the search, agrees.
Other statements, such as those on sets of values, may follow by lemmas from claims that are proved for all parameters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from choco_pipeline.claims.conclusions.conclusion import Conclusion, Outcome
from choco_pipeline.claims.conclusions.rows import ENGINES, enumerated
from choco_pipeline.claims.language.catalogue import Catalogue, mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import FollowsFrom, LemmaName
from choco_pipeline.claims.language.verdict import ClaimVerdict
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import render
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.proof.follows import ask_checker_of_steps, derived
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.task import Decider

#: Limits of one decision: seconds of computing, and GiB of memory. Proofs take up to five seconds.
SECONDS, MEMORY = 14.0, 2.0
#: Verdicts that a decision for all parameters may improve.
OPEN: tuple[Outcome, ...] = ("holds-to-bound", "proved-for-listed")
#: Lemmas that are tried in a derivation. A lemma rejects games that it is not about.
LEMMA_CHAINS: tuple[tuple[LemmaName, ...], ...] = ((), ("free-heap",), ("sprague-grundy",))


@dataclass(frozen=True)
class ForAllParameters:
    """Decides statements for all parameters, in a child process."""

    child: Limited
    #: The folder of the certificates.
    folder: str
    #: The possible premises.
    catalogue: Catalogue

    def decide(self, claim: Claim) -> ClaimVerdict:
        """Decide a claim from the rules of the game."""
        return self._decider.for_all(claim.as_json())

    @property
    def _decider(self) -> Decider:
        return Decider(self.child, SECONDS, MEMORY, self.folder)

    def decided(self, statement: FoundStatement) -> FoundStatement:
        """Return a statement with the result of its decision for all parameters."""
        claim = claim_for_all(statement)
        if claim is None:
            return statement
        conclusion = None
        # A claim with mistakes does not determine all positions, or all up to a bound.
        if not list(mistakes_in(claim)):
            conclusion = _conclusion(statement, claim, self.decide(claim))
        if conclusion is None or conclusion.verdict in OPEN:
            points = [point for point in statement.points if claim.is_about(point)]
            conclusion = self._by_lemmas(claim, points) or conclusion
        return statement if conclusion is None else replace(statement, conclusion=conclusion)

    def _by_lemmas(self, claim: Claim, points: Sequence[Mapping[str, int]]) -> Conclusion | None:
        for following, premise in _derivations(claim, self.catalogue, points):
            known = self.decide(premise)
            if not known.is_proved or known.certificate is None:
                continue
            premises, verdicts = {premise.id: premise.as_json()}, {premise.id: known}
            verdict = ask_checker_of_steps(
                self._decider.following(following.as_json(), premises, verdicts)
            )
            if verdict.is_proved and verdict.for_all is not None:
                chain = verdict.evidence["follows_from"]
                steps = dict.fromkeys(step["certificate"] for step in chain["steps"])
                by = f" by lemmas on {enumerated(chain['lemmas'])}" if chain["lemmas"] else ""
                text = (
                    f"proved for {verdict.for_all.text}: it follows from {known.claim}{by};"
                    f" the sentences on integers that remain are decided by {_engines(verdict)}"
                )
                return Conclusion("proved", text, (known.certificate, *steps))
        return None


def claim_for_all(statement: FoundStatement) -> Claim | None:
    """Return a statement on a family as a claim for all parameters, if it can be one."""
    if not statement.pattern.names or statement.verdict not in OPEN or len(statement.claims) != 1:
        return None
    (claim,) = statement.claims
    formal = claim.statement
    everything = " and ".join(f"{name} >= 0" for name in sorted(statement.pattern.names))
    condition = formal.when or parse(everything)
    general = replace(claim, statement=formal.model_copy(update={"for_all": condition}))
    forms = general, _following(general, general.id, ())
    return general if any(not list(mistakes_in(form)) for form in forms) else None


def _derivations(
    claim: Claim, catalogue: Catalogue, points: Sequence[Mapping[str, int]]
) -> Iterator[tuple[Claim, Claim]]:
    """Yield possible derivations of a claim from the catalogue, with premises.

    A premise must be about the games with parameters `points`, for which the claim was seen.
    """
    if list(mistakes_in(_following(claim, claim.id, ()))):
        return
    for premise in catalogue.claims.values():
        formal = premise.statement
        if formal.for_all is None or formal.follows_from is not None:
            continue
        for lemmas in LEMMA_CHAINS:
            following = _following(claim, premise.id, lemmas)
            with suppress(ChocoError):
                conditions = [parse(render(c)) for c in derived(following, [premise]).conditions]
                if all(condition.value(point) for condition in conditions for point in points):
                    yield following, premise


def _following(claim: Claim, premise: str, lemmas: Sequence[LemmaName]) -> Claim:
    by = FollowsFrom(claims=[premise], lemmas=list(lemmas))
    return replace(claim, statement=claim.statement.model_copy(update={"follows_from": by}))


def _engines(verdict: ClaimVerdict) -> str:
    return enumerated([ENGINES.get(name, name) for name in verdict.engines])


def _conclusion(statement: FoundStatement, claim: Claim, verdict: ClaimVerdict) -> Conclusion:
    before = statement.conclusion
    if verdict.for_all is None:  # refuted for single parameters
        where = assigned(verdict.parameters)
        return Conclusion("refuted", f"{where}: {verdict.text}")
    of = verdict.for_all.text
    if not verdict.is_proved or verdict.certificate is None:
        return replace(before, text=f"{before.text}; not decided for {of} at once: {verdict.why}")
    kept: tuple[str, ...] = (verdict.certificate,)
    if claim.reach is not None:
        # sharpness is another statement: every member has a failure just beyond the bound
        beyond = verdict.false_everywhere
        if beyond is None or beyond.certificate is None:
            text = f"{before.text}; proved for {of}; it is not proved that the bound is sharp"
            return replace(before, text=text, certificates=(*before.certificates, *kept))
        of, kept = f"{of}, and the bound is sharp", (*kept, beyond.certificate)
    text = f"proved for {of}: all conditions, derived again from the rules, are unsatisfiable by {_engines(verdict)}"
    return Conclusion("proved", text, kept)
