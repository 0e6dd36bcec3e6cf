"""The outcome of all verdicts on a claim, for each case and together.

A combined outcome never says more than all verdicts together.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import SIGNS, ClaimRow, EngineAgreement, Outcome
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict, FalseEverywhere
from choco_pipeline.claims.language.verdict import VerdictKind
from choco_pipeline.errors import ConfigError
from choco_pipeline.statements.tree import is_sampled

#: Some integers for a claim's parameters, as a key.
Given = tuple[tuple[str, int], ...]

#: The names of engines in texts.
ENGINES: Mapping[str, str] = {
    "own": "ours",
    "checker": "the checker",
    "z3": "z3",
    "cvc5": "cvc5",
}
#: Statuses of statements that no paper asserts, so that a refutation contradicts no author.
NOT_ASSERTED: Mapping[str, str] = {
    "question": "Questions",
    "ours": "Remarks of this project",
}
#: Strongest first. The first kind that occurs is the outcome of several verdicts with the same parameters. "vacuous" comes
#: late, because a statement that holds somewhere is not vacuous.
PRECEDENCE: tuple[VerdictKind, ...] = (
    "refuted",
    "proved",
    "exhausted",
    "holds-to-bound",
    "vacuous",
    "undecided",
)


def follows_text(evidence: Mapping[str, Any]) -> str:
    """Return the premises of a verdict, and theirs, as words; "" for none.

    Examples
    --------
    >>> one = {"premises": [{"claim": "a", "follows_from": None}], "lemmas": ["one pass", "a free heap"]}
    >>> follows_text({"follows_from": one})
    'follows from a by one pass and a free heap'
    >>> other = {"premises": [{"claim": "b", "follows_from": one}], "lemmas": []}
    >>> follows_text({"follows_from": other})
    'follows from b, which follows from a by one pass and a free heap'
    """
    chain = evidence.get("follows_from")
    if chain is None:
        return ""
    named = []
    for premise in chain["premises"]:
        before = follows_text(premise)
        named.append(f"{premise['claim']}, which {before}" if before else premise["claim"])
    by = f" by {enumerated(chain['lemmas'])}" if chain["lemmas"] else ""
    return f"follows from {enumerated(named)}{by}"


def strongest(verdicts: Sequence[ClaimVerdict]) -> VerdictKind:
    """Return the strongest of the verdicts with the same parameters."""
    kinds = {verdict.verdict for verdict in verdicts}
    return next(verdict for verdict in PRECEDENCE if verdict in kinds)


@dataclass(frozen=True)
class Cases:
    """A claim and all verdicts on it.

    A case is one choice of the claim's parameters; of a statement on integers, one of the integers that are fixed in its
    proofs, or no choice, which is all of the statement.
    """

    #: The claim.
    claim: Claim
    #: All verdicts. An undecided proof does not weaken other verdicts.
    all_verdicts: Sequence[ClaimVerdict]

    @cached_property
    def verdicts(self) -> Sequence[ClaimVerdict]:
        """The verdicts on single cases, without undecided proofs if there are others."""
        single = [v for v in self.all_verdicts if v.for_all is None]
        telling = [v for v in single if not (v.is_by_proof and v.verdict == "undecided")]
        return telling or single

    @cached_property
    def for_all(self) -> ClaimVerdict | None:
        """The verdict on all parameters that satisfy `for_all`, if there is one."""
        return next((v for v in self.all_verdicts if v.for_all is not None), None)

    @cached_property
    def false_everywhere(self) -> FalseEverywhere | None:
        """The domain for all of which it is proved to be false, if known."""
        every = (v.false_everywhere for v in self.all_verdicts if v.verdict == "refuted")
        return next((condition for condition in every if condition is not None), None)

    @property
    def proved_for_all(self) -> ClaimVerdict | None:
        """The verdict `for_all`, if it is a proof."""
        return self.for_all if self.for_all is not None and self.for_all.is_proved else None

    @property
    def is_proved_for_all(self) -> bool:
        """Whether it is proved for all its parameters at once."""
        return self.proved_for_all is not None and self.claim.speaks_for_all_only

    def is_among_all(self, given: Given) -> bool:
        """Whether a case belongs to the domain that is proved at once."""
        return self.proved_for_all is not None and self.claim.is_for_all(dict(given))

    @cached_property
    def by_parameters(self) -> Mapping[Given, Sequence[ClaimVerdict]]:
        """The verdicts on single cases, by case."""
        cases: dict[Given, list[ClaimVerdict]] = defaultdict(list)
        for verdict in self.verdicts:
            cases[tuple(verdict.parameters.items())].append(verdict)
        return cases

    @cached_property
    def kinds(self) -> Mapping[Given, VerdictKind]:
        """The strongest verdict on each case."""
        return {given: strongest(verdicts) for given, verdicts in self.by_parameters.items()}

    def of(self, kind: VerdictKind) -> list[Given]:
        """Return the cases of one kind."""
        return [given for given, outcome in self.kinds.items() if outcome == kind]

    @cached_property
    def in_all_ranges(self) -> bool:
        """Whether every choice in the ranges of a statement about integers is decided."""
        return all(
            verdict.evidence.get("all_choices", False)
            for verdict in self.all_verdicts
            if verdict.parameters
        ) and not any(v.is_by_proof and v.verdict == "undecided" for v in self.all_verdicts)

    @cached_property
    def covers(self) -> bool:
        """Whether the claim is about no other case than these."""
        if self.claim.pattern is None:
            claim = self.claim
            is_of_some = claim.is_about_integers and is_sampled(claim.proposition)
            return self.in_all_ranges and not is_of_some
        every = _all_parameters(self.claim)
        checked = [dict(given) for given in self.kinds]
        return every is not None and all(
            case in checked or self.is_among_all(tuple(case.items())) for case in every
        )

    @cached_property
    def outcome(self) -> Outcome:
        """The outcome: ``proved`` only if every case of the claim is."""
        kinds = set(self.kinds.values())
        if "refuted" in kinds:
            return "refuted"
        if self.is_proved_for_all:
            return "proved"
        if self.proved_for_all is not None:
            others = (kind for given, kind in self.kinds.items() if not self.is_among_all(given))
            kinds = {"proved", *others}
            parts = kinds
        elif not kinds:
            return "unchecked"
        else:
            parts = {kind for given, kind in self.kinds.items() if given or self.claim.parameters}
        whole = None if self.claim.parameters else self.kinds.get(())
        true = parts - {"vacuous"}  # a case that says nothing is no exception
        if whole == "proved" or (self.covers and true == {"proved"}):
            return "proved"
        if whole == "exhausted" or (self.covers and true and true <= {"proved", "exhausted"}):
            return "exhausted"
        if not true and (
            whole == "vacuous" or (self.covers and parts and whole != "holds-to-bound")
        ):
            return "vacuous"
        if "proved" in true and true <= {"proved", "undecided"}:
            return "proved-for-listed"
        return "undecided" if kinds <= {"undecided", "vacuous"} else "holds-to-bound"

    @property
    def engines(self) -> tuple[EngineAgreement, ...]:
        """The engines that agree on the proofs, for each set of engines."""
        counts: Counter[tuple[str, ...]] = Counter()
        silent: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
        for_all = [] if self.for_all is None else [self.for_all]
        for verdict in [*for_all, *self.verdicts]:
            if verdict.is_by_proof and verdict.is_proved:
                counts[verdict.engines] += 1
                for name, why in verdict.no_answer.items():
                    silent[verdict.engines].setdefault(name, why)
        return tuple(
            EngineAgreement(engines=names, proofs=number, no_answer=silent[names])
            for names, number in counts.items()
        )


def few_words(row: ClaimRow) -> str:
    """Return the outcome of a row in a few words, with the bounds to which it holds."""
    match row.verdict:
        case "proved" if row.for_all:
            return f"proved for {row.for_all}"
        case "holds-to-bound" if "holds-to-bound" not in row.counts:  # not for every parameter
            return "holds where checked"
        case "holds-to-bound" if row.bound and row.bound[0] == row.bound[1]:
            return f"holds to {row.bound[1]:,}"
        case "holds-to-bound":
            return "holds to the bounds"
        case verdict:
            return SIGNS[verdict][1]


def engines_text(engines: Sequence[EngineAgreement]) -> str:
    """Name the engines that agree on proofs, and the reasons of the others.

    Return "" if there are no proofs.

    Examples
    --------
    >>> both = EngineAgreement(engines=("own", "checker"), proofs=4, no_answer={})
    >>> engines_text([both])
    'ours and the checker'
    >>> alone = EngineAgreement(engines=("own",), proofs=2, no_answer={"checker": "the time is over"})
    >>> engines_text([both, alone])
    'ours and the checker on 4 proofs; ours alone on 2 proofs (the checker: the time is over)'
    """
    parts = []
    for proved_by in engines:
        names = [ENGINES.get(name, name) for name in proved_by.engines]
        text = enumerated(names) + (" alone" if len(names) == 1 else "")
        if len(engines) > 1:
            text += f" on {proved_by.proofs:,} proof{'' if proved_by.proofs == 1 else 's'}"
        silent = [f"{ENGINES.get(name, name)}: {why}" for name, why in proved_by.no_answer.items()]
        parts.append(text + (f" ({'; '.join(silent)})" if silent else ""))
    return "; ".join(parts)


def enumerated(names: Sequence[str]) -> str:
    """Join names with commas and "and"; "" for none.

    Examples
    --------
    >>> enumerated(["z3", "cvc5", "the checker"]), enumerated(["ours"])
    ('z3, cvc5 and the checker', 'ours')
    """
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _all_parameters(claim: Claim) -> list[dict[str, int]] | None:
    """Return all parameters of a claim if its condition names them.

    None if they may be infinitely many, or if the condition has no value at some of those that it names: no table need have
    these.
    """
    if claim.is_over_tables:
        return None
    when = claim.statement.when
    choices: list[list[int]] = []
    names = sorted(claim.parameters)
    for name in names:
        values = None if when is None else when.solve(name)
        if values is None or any(value.names for value in values):
            return None
        choices.append(sorted({int(value.value({})) for value in values}))
    every = [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*choices)]
    try:
        return [case for known in every for case in claim.cases(known)]
    except ConfigError:
        return None
