"""A verdict on a claim as a run stores it, with its parameters and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from choco_pipeline.claims.language.case import Finding
from choco_pipeline.claims.language.verdict import VerdictRecord, verdict_fields
from choco_pipeline.documents.model import RecordModel
from choco_pipeline.formula.written.family_statement import where_phrases
from choco_pipeline.formula.written.math_text import MathNotation, math_text


class AllParameters(RecordModel):
    """A domain of parameters: all natural numbers that satisfy a condition."""

    parameters: tuple[str, ...]
    #: A formula.
    condition: str
    #: A condition on the positions; "" for all positions.
    where: str

    @property
    def text(self) -> str:
        """The domain in words.

        Examples
        --------
        >>> AllParameters(parameters=("k", "s"), condition="k%2 == 0 and s < k", where="").text
        'all k, s with k ≡ 0 (mod 2) and s < k'
        >>> AllParameters(parameters=("k",), condition="k%4 == 2", where="x <= k//2 and y <= k//2").text
        'all k with k ≡ 2 (mod 4), on positions with x, y ≤ ⌊k/2⌋'
        """
        text = f"all {', '.join(self.parameters)} with {math_text(self.condition)}"
        if not self.where:
            return text
        where = "".join(phrase.text for phrase in where_phrases(self.where, MathNotation()))
        return f"{text}, on positions with {where}"


class FalseEverywhere(AllParameters):
    """A domain in which a claim is false for every choice of the parameters."""

    #: Places of contradictions, in words.
    positions: tuple[str, ...]
    #: Engines that agree on it.
    engines: tuple[str, ...] = ()
    #: The file, if it is kept.
    certificate: str | None = None


class ClaimVerdict(VerdictRecord):
    """A verdict on a claim, with its evidence and the bound of the table."""

    #: Ids; no table for proofs, for statements that need none, and for claims that compare tables.
    claim: str
    table: str | None
    #: Parameters of the claim, or fixed integers of a statement without a ruleset.
    parameters: Mapping[str, int]
    #: The domain of a verdict on all parameters at once.
    for_all: AllParameters | None = None
    #: Plain data that supports it; keys depend on the kind of claim.
    evidence: Mapping[str, Any]
    #: Set only for a proof: the file, or None if it is not kept.
    certificate: str | None = None
    seconds: float
    #: The command that repeats a proof for all parameters.
    command: str | None = None

    @classmethod
    def of(
        cls,
        claim: str,
        parameters: Mapping[str, int],
        finding: Finding,
        seconds: float,
        *,
        table: str | None = None,
        bound: int | None = None,
        **by_proof: Any,
    ) -> ClaimVerdict:
        """Return the record of a finding.

        The bound, of the table or the integers, is for a verdict that names none; `by_proof` is what only proofs have: `certificate`,
        `for_all`, `command`.
        """
        fields = verdict_fields(finding.verdict)
        fields["bound"] = bound if fields["bound"] is None else fields["bound"]
        return cls(
            claim=claim,
            table=table,
            parameters=dict(parameters),
            **fields,
            evidence=finding.evidence,
            seconds=round(seconds, 4),
            **by_proof,
        )

    def document(self) -> dict[str, Any]:
        """Return it as plain data, without unset keys of proofs."""
        return self.model_dump(exclude_unset=True)

    def with_evidence(self, more: Mapping[str, Any]) -> ClaimVerdict:
        """Return it with more evidence; new values replace old ones."""
        return self.model_copy(update={"evidence": {**self.evidence, **more}})

    @property
    def finding(self) -> Finding:
        """The verdict itself with its evidence."""
        return Finding(self.as_verdict, dict(self.evidence))

    @property
    def is_by_proof(self) -> bool:
        """Whether it is the result of a proof search."""
        return "certificate" in self.model_fields_set

    @property
    def is_proved(self) -> bool:
        """Whether the claim is proved."""
        return self.verdict == "proved"

    @property
    def false_everywhere(self) -> FalseEverywhere | None:
        """The domain in which the claim is false, at its bound or just beyond, if known."""
        every = self.evidence.get("every_member")
        return None if every is None else FalseEverywhere.model_validate(every)

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that agree on a proof, of the claim and of its game."""
        return tuple(self.evidence.get("engines", ("own",)))

    @property
    def no_answer(self) -> Mapping[str, str]:
        """The reasons why other engines gave no answer."""
        return dict(self.evidence.get("no_answer", {}))
