"""``choco check``: a statement about a game, or about integers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from choco_pipeline.claims.language.catalogue import Catalogue, mistakes_in
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.verdict import Refuted, VerdictKind, domain_text, verdict_text
from choco_pipeline.claims.quick_trial import Given, Trial, chosen_cases, trials
from choco_pipeline.cli.claim_commands.claim_proofs import proved_by_game
from choco_pipeline.cli.claim_commands.claim_trials import checked_or_proved, pictures, read_words
from choco_pipeline.cli.output import emit, wrapped
from choco_pipeline.cli.waiting import waiting
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import sample_of
from choco_pipeline.statements.parse import MAX_LENGTH
from choco_pipeline.statements.tree import text_of

#: Largest number of positions and largest bound of a table, if no bound is given.
POSITIONS, BOUND = 1 << 18, 64
#: The verdict on several cases is the first of these that occurs.
WEAKEST_FIRST: tuple[VerdictKind, ...] = (
    "refuted",
    "undecided",
    "holds-to-bound",
    "exhausted",
    "proved",
    "vacuous",
)
HOLDS = ("holds-to-bound", "exhausted", "proved")


def claim_of(game: str | None, statement: str) -> Claim:
    """Return a statement about a game, or about integers without one, as a claim.

    Raises `ChocoError` with the place of the mistake if it cannot be read.
    """
    if not 0 < len(statement) <= MAX_LENGTH:
        raise ChocoError(
            f"statement: 1 to {MAX_LENGTH:,} characters are allowed, found {len(statement):,}"
        )
    claim = Claim.from_json({"id": "statement", "ruleset": game, "statement": statement})
    for _, mistake in mistakes_in(claim):
        raise ChocoError(mistake)
    return claim


def checked(
    claim: Claim, given: Given, bound: int | None, seconds: float, *, prove: bool
) -> Iterator[Trial]:
    """Return the verdict for each choice of the parameters, by tables or by proof."""
    if bound is None:
        bound = default_bound(claim)
    if prove:
        catalogue = Catalogue({claim.id: claim})
        refuted, later = checked_or_proved(claim, catalogue, given, bound, seconds)
        by_table = list(refuted)
        if by_table and claim.pattern is not None:  # the other games must be proved
            done = [trial.parameters for trial in by_table]
            left = [case for case in chosen_cases(claim, given) if case not in done]
            later = proved_by_game(claim, left, seconds) if claim.is_decidable else ()
        return chain(by_table, later)
    return trials(claim, given, bound)


def default_bound(claim: Claim) -> int | None:
    """Return a bound with a quick table; None if the shape is its bound."""
    if claim.pattern is None:
        return 20
    if claim.shape in RECTANGULAR or claim.reach is not None:
        return None
    game = sample_of(claim.pattern, claim.games)
    sizes = ((n, math.prod(most + 1 for most in game.limits(n))) for n in range(BOUND, 1, -1))
    return next((n for n, positions in sizes if positions <= POSITIONS), 2)


def check(
    words: Sequence[str], bound: int | None, seconds: float, json: bool, *, prove: bool
) -> int:
    """Check a statement, print the verdict, and return 0 if it holds, else 1."""
    texts, given = read_words(words)
    for (
        text
    ) in texts:  # unknown options arrive here, because a statement may begin with a minus sign
        if text.startswith("--"):
            raise ChocoError(f"check: unknown option {text}; `choco check --help` lists all")
    if len(texts) not in (1, 2):
        raise ChocoError(
            "check: a game and a statement are needed, such as 'nim(2)' 'P <=> a == b'"
        )
    game = texts[0] if len(texts) == 2 else None
    claim = claim_of(game, texts[-1])
    with waiting("proving" if prove else "checking"):
        found = list(checked(claim, given, bound, seconds, prove=prove))
    verdict = next(kind for kind in WEAKEST_FIRST if any(t.verdict == kind for t in found))
    if json:
        emit(document(claim, found, verdict))
    else:
        print(wrapped(claim.summary))
        for trial in found:
            label = f"{assigned(trial.parameters)}: " if trial.parameters else ""
            print(wrapped(f"{label}{verdict_text(trial.finding.verdict)}", "  ", "    "))
        refuted = next(
            (trial for trial in found if isinstance(trial.finding.verdict, Refuted)), None
        )
        if refuted is not None and isinstance(refuted.finding.verdict, Refuted):
            lines = pictures(refuted.finding.verdict.counterexample, refuted.ruleset)
            print("".join(f"\n{line}" for line in lines).replace("\n\n\n", "\n\n"))
    return 0 if verdict in HOLDS else 1


def document(claim: Claim, found: Sequence[Trial], verdict: VerdictKind) -> Mapping[str, Any]:
    """Return the output of ``--json``: the common verdict, and all cases."""
    cases = [_case(claim, trial) for trial in found]
    decisive = next(case for case in cases if case["verdict"] == verdict)
    return {
        **decisive,
        "statement": text_of(claim.proposition),
        "game": claim.statement.ruleset,
        "cases": cases,
    }


def _case(claim: Claim, trial: Trial) -> dict[str, Any]:
    verdict = trial.finding.verdict
    refutes = verdict.counterexample if isinstance(verdict, Refuted) else None
    engines = trial.finding.evidence.get("engines", [] if trial.bound is not None else ["own"])
    return {
        "verdict": trial.verdict,
        "domain": domain_of(claim, trial),
        "counterexample": None
        if refutes is None
        else {
            "position": None if refutes.position is None else list(refutes.position),
            "coordinates": list(refutes.coordinates),
            "found": refutes.found,
            "claimed": refutes.claimed,
        },
        "positions": getattr(verdict, "positions", 0),
        "engines": list(engines) if trial.verdict == "proved" else [],
        "parameters": dict(trial.parameters),
        "ruleset": trial.ruleset,
        "text": trial.text,
    }


def domain_of(claim: Claim, trial: Trial) -> str:
    """Return the positions or integers of a verdict in words."""
    verdict = trial.finding.verdict
    match trial.verdict:
        case "proved":
            return domain_text(
                getattr(verdict, "unit", "position"), getattr(verdict, "reach", None), None
            )
        case "exhausted":
            return "every case of the statement"
        case _ if trial.bound is None and claim.pattern is None:
            return "integers"
        case _ if trial.bound is None or claim.shape in RECTANGULAR:
            return "the positions of the game"
        case _:
            return f"{'integers' if trial.ruleset is None else 'coordinates'} up to {trial.bound:,}"
