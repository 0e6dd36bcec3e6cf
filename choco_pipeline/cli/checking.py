"""``choco check``, and the trials of claims on tables or by proof."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue, mistakes_in
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Counterexample,
    Finding,
    Proved,
    Refuted,
    Undecided,
    VerdictKind,
    domain_text,
)
from choco_pipeline.claims.quick_trial import Given, ProcessorTime, Trial, chosen_cases, trials
from choco_pipeline.cli.output import SETTINGS, Json, emit, wrapped
from choco_pipeline.cli.progress import waiting
from choco_pipeline.commands import command
from choco_pipeline.errors import ChocoError, ConfigError, LimitError, RulesetError
from choco_pipeline.formula import FormulaError, Range, parse, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.notation import build, read, sample_of
from choco_pipeline.games.pictures import draw_text
from choco_pipeline.proof import task
from choco_pipeline.proof.games.guess import Relation
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.records import ClaimProofOutcome, GameProof, GameToProve
from choco_pipeline.proof.statements.claim_certificate import proved_statement
from choco_pipeline.shipped import project_file
from choco_pipeline.statements.parse import MAX_LENGTH
from choco_pipeline.statements.tree import text_of
from choco_pipeline.sweep.run_files import RESULTS

app = typer.Typer(**SETTINGS)
#: Time limits in seconds of all trials of a claim, and of each proof.
CHECK_SECONDS, PROOF_SECONDS = 10.0, 60.0
#: Trials of a claim on tables, and those by proof.
Trials = tuple[Iterable[Trial], Iterable[Trial]]
#: The claims files of a project.
CLAIMS = Path("config/claims")
#: GiB of memory for the decision of a claim.
MEMORY = 4
#: Largest number of positions and largest bound of a table, if no bound is given.
POSITIONS, BOUND = 1 << 18, 64
#: Positions with larger coordinates are not drawn.
LARGEST_DRAWN = 60
#: A value for a name; ``==`` and ``=>`` are signs of statements.
VALUE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(?![=>])(.*)", re.DOTALL)
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


def read_words(words: Sequence[str]) -> tuple[list[str], dict[str, int | Range]]:
    """Split words into texts and values by name."""
    ids: list[str] = []
    given: dict[str, int | Range] = {}
    for word in words:
        parts = VALUE.fullmatch(word)
        if parts is None:
            ids.append(word)
            continue
        name, text = parts.groups()
        try:
            value = parse_range(text.strip(), names=())
            last = int(value.last.value({}))
        except FormulaError as error:
            raise ConfigError(f"{word}: {error}") from error
        if not value.values({}):
            raise ConfigError(f"{word}: the range is empty")
        given[name] = last if value.first == value.last else value
    return list(dict.fromkeys(ids)), given


def known_claims() -> Catalogue:
    """Return the catalogue in config/claims; `ConfigError` if it cannot be read."""
    return load_catalogue(sorted(project_file(CLAIMS).glob("*.yaml")))


# ---- Trials and proofs.


def claim_of(game: str | None, statement: str, condition: str | None = None) -> Claim:
    """Return a statement about a game, or about integers without one, as a claim.

    A condition makes it a statement about a family. Raises `ChocoError` with the place of the mistake if it cannot be read.
    """
    if not 0 < len(statement) <= MAX_LENGTH:
        raise ChocoError(
            f"statement: 1 to {MAX_LENGTH:,} characters are allowed, found {len(statement):,}"
        )
    document = {"id": "statement", "ruleset": game, "statement": statement}
    if game is not None and condition is not None:
        further = sorted(parse(condition).names - read(game).names)
        return Claim.from_json({**document, "every": dict.fromkeys(further, "0..0")})
    claim = Claim.from_json(document)
    for _, mistake in mistakes_in(claim):
        raise ChocoError(mistake)
    return claim


def statement_trials(
    claim: Claim, given: Given, bound: int | None, seconds: float, *, prove: bool
) -> Iterator[Trial]:
    """Return the verdict for each choice of the parameters, by tables or by proof."""
    if bound is None:
        bound = _default_bound(claim)
    if prove:
        catalogue = Catalogue({claim.id: claim})
        refuted, later = deciding_trials(claim, catalogue, given, bound, seconds)
        by_table = list(refuted)
        if by_table and claim.pattern is not None:  # the other games must be proved
            done = [trial.parameters for trial in by_table]
            left = [case for case in chosen_cases(claim, given) if case not in done]
            later = trials_by_game(claim, left, seconds) if claim.is_decidable else ()
        return chain(by_table, later)
    return trials(claim, given, bound)


def _default_bound(claim: Claim) -> int | None:
    """Return a bound with a quick table; None if the shape is its bound."""
    if claim.pattern is None:
        return 20
    if claim.shape in RECTANGULAR or claim.reach is not None:
        return None
    game = sample_of(claim.pattern, claim.games)
    sizes = ((n, math.prod(most + 1 for most in game.limits(n))) for n in range(BOUND, 1, -1))
    return next((n for n, positions in sizes if positions <= POSITIONS), 2)


def deciding_trials(
    claim: Claim, catalogue: Catalogue, given: Given, bound: int | None, seconds: float
) -> Trials:
    """Return trials by tables that decide a claim, and trials by proof.

    A claim needs no proof if a table refutes it, or if it is about finitely many integers.
    """
    later = proof_trials(claim, catalogue, given, seconds)
    clock = ProcessorTime(seconds, "--seconds allows more")
    checked: list[Trial] = []
    with suppress(ConfigError, LimitError):  # no bound, or one that is too large
        checked = list(trials(claim, given, bound, limit=clock.counted))
    refuted = [trial for trial in checked if trial.verdict == "refuted"]
    return (checked, ()) if claim.is_finite and checked else (refuted, () if refuted else later)


def proof_trials(
    claim: Claim, catalogue: Catalogue, given: Mapping[str, int | Range], seconds: float
) -> Iterator[Trial]:
    """Return a trial for each proof, independently of any run.

    Without given values, a claim with `for_all` is decided for all parameters at once, and a statement about integers for all
    integers. Any other claim is decided for each game of its sample. Raises `ConfigError` if such a claim cannot be proved, or
    is not about the values.
    """
    if not given and claim.statement.for_all is not None:
        return trials_for_all_parameters(claim, catalogue, seconds)
    if claim.is_about_integers:
        if given:
            raise ConfigError(
                f"claim {claim.id}: it is decided for all integers, not for {assigned(given)}"
            )
        return trials_for_all_integers(claim, seconds, certify=True)
    if not claim.is_decidable:
        raise ConfigError(f"claim {claim.id}: a statement of this form is checked on tables alone")
    return trials_by_game(claim, chosen_cases(claim, given), seconds)


def trials_for_all_integers(
    claim: Claim, seconds: float, *, certify: bool = False
) -> Iterator[Trial]:
    """Decide a statement about all integers; yield a trial for each fixed choice.

    With `certify`, write certificates and call the checker.
    """
    with Limited(task.PREPARED_BY) as prover:
        verdicts = task.settled(claim.as_json(), seconds, MEMORY, prover)
    if certify:
        folder = RESULTS / "proofs"
        written = [task.certified(verdict, claim.as_json(), None, folder) for verdict in verdicts]
        verdicts = task.with_checker(written)
    yield from map(_trial_of, verdicts)


def trials_by_game(
    claim: Claim, cases: Sequence[Mapping[str, int]], seconds: float
) -> Iterator[Trial]:
    """Decide a claim for all positions of each game; yield a trial for each case."""
    assert claim.pattern is not None
    relation: Relation = "p" if "p-positions" in claim.quantities else "grundy"
    proofs: dict[str, GameProof] = {}
    with Limited(task.PREPARED_BY) as prover:
        for case in cases:
            start = time.perf_counter()
            game = build(claim.pattern, case, Path()).notation
            limits = {"seconds": seconds, "memory": MEMORY}
            if game not in proofs:
                order = {"ruleset": game, "relation": relation, "parameters": case, **limits}
                todo = GameToProve.model_validate({**order, "sweep": "", "claims": ()})
                proofs[game] = task.searched(todo, RESULTS / "proofs", prover)
            proof = proofs[game]
            if proof.is_proved:
                decided = task.decided_on(claim.as_json(), case, proof, limits, prover)
                (verdict,) = task.with_checker([decided])
                finding = verdict.finding
            else:
                finding = Finding(Undecided(f"the game is not proved: {proof.why}"))
            yield Trial(case, game, None, None, finding, time.perf_counter() - start)


def trials_for_all_parameters(
    claim: Claim, catalogue: Catalogue, seconds: float
) -> Iterator[Trial]:
    """Decide a claim for all parameters, after its premises."""
    links = {link.id: link.as_json() for link in [*catalogue.premises(claim), claim]}
    known: dict[str, ClaimVerdict] = {}
    with Limited(task.PREPARED_BY) as prover:
        for name, link in links.items():
            if link["follows_from"] is not None:
                known[name] = task.settled_following(
                    link, links, known, seconds, MEMORY, None, prover
                )
            elif link["for_all"] is not None:
                known[name] = task.settled_for_all(link, seconds, MEMORY, None, prover)
    yield _trial_of(known[claim.id])


def certificate_trials(
    claim: Claim, proved: Iterable[ClaimVerdict], catalogue: Catalogue, seconds: float
) -> Iterator[Trial]:
    """Yield a trial for each certificate of a claim's proofs in the last run.

    Only the paths of certificates and their parameters are taken from the verdicts. Premises are in the catalogue.
    """
    with Limited(task.PREPARED_BY) as prover:
        for verdict in proved:
            start = time.perf_counter()
            if verdict.for_all is not None and claim.statement.for_all is None:
                outdated = Finding(Undecided("the claim no longer has `for_all`"))
                yield Trial(verdict.parameters, None, None, None, outdated, 0.0)
                continue
            if verdict.for_all is not None:
                yield from trials_for_all_parameters(claim, catalogue, seconds)
                continue
            parameters, path = verdict.parameters, Path(verdict.certificate or "")
            proof = task.check_again(path, seconds, MEMORY, prover)
            if not isinstance(proof, ClaimProofOutcome):
                of_game = f"{path} is a certificate of a game, not of the claim"
                finding = Finding(Undecided(of_game if proof.is_proved else proof.why))
            elif (proof.claim, proof.names) != (proved_statement(claim), parameters):
                finding = Finding(Undecided(f"{path} proves another statement than the claim's"))
            else:
                agreed = {"engines": proof.engines, "no_answer": proof.no_answer}
                finding = Finding(proof.verdict.as_verdict, {**proof.evidence, **agreed})
            took = time.perf_counter() - start
            yield Trial(parameters, proof.ruleset, None, None, finding, took)


def _trial_of(verdict: ClaimVerdict) -> Trial:
    return Trial(
        verdict.parameters, None, None, None, verdict.finding, verdict.seconds, verdict.for_all
    )


# ---- ``choco check``.


@app.command(context_settings={"ignore_unknown_options": True})
def check(
    words: Annotated[
        list[str],
        typer.Argument(
            help="A ruleset and a statement, 'solid-bar(f=(x+z)//k)' 'P <=> x ^ y ^ z == 0', and values for the names in"
            " the ruleset, k=1..9. A statement about integers has no ruleset.",
            metavar="[RULESET] STATEMENT [NAME=VALUE…]",
        ),
    ],
    bound: Annotated[
        int | None, typer.Option(help="Bound of the tables; of integers, the value of N.")
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Look for proofs for all positions instead.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(help="With --prove: seconds of computing for each game.")
    ] = PROOF_SECONDS,
    json: Json = False,
) -> int:
    """Check a statement about a game, and show the least counterexample.

    The exit code is 0 if it holds up to the bound or is proved, 1 if it is refuted, undecided or vacuous, and 2 for a mistake
    in the input.
    """
    texts, given = read_words(words)
    # A statement may begin with a minus sign, so that unknown options arrive here.
    for text in (text for text in texts if text.startswith("--")):
        raise ChocoError(f"check: unknown option {text}; `choco check --help` lists all")
    if len(texts) not in (1, 2):
        raise ChocoError(
            "check: a game and a statement are needed, such as 'nim(2)' 'P <=> a == b'"
        )
    game = texts[0] if len(texts) == 2 else None
    claim = claim_of(game, texts[-1])
    with waiting("proving" if prove else "checking"):
        found = list(statement_trials(claim, given, bound, seconds, prove=prove))
    verdict = next(kind for kind in WEAKEST_FIRST if any(t.verdict == kind for t in found))
    if json:
        cases = [_case(claim, trial) for trial in found]
        decisive = next(case for case in cases if case["verdict"] == verdict)
        statement = {"statement": text_of(claim.proposition), "game": claim.statement.ruleset}
        emit({**decisive, **statement, "cases": cases})
    else:
        print(wrapped(claim.summary))
        for trial in found:
            label = f"{assigned(trial.parameters)}: " if trial.parameters else ""
            print(wrapped(f"{label}{trial.text}", "  ", "    "))
        refutations = ((t.finding.verdict, t.ruleset) for t in found)
        print_first(
            pictures(one.counterexample, game)
            for one, game in refutations
            if isinstance(one, Refuted)
        )
    return 0 if verdict in HOLDS else 1


def _case(claim: Claim, trial: Trial) -> dict[str, Any]:
    engines = trial.finding.evidence.get("engines", [] if trial.bound is not None else ["own"])
    return {
        **trial_document(trial, trial_verdict(claim, trial)),
        "domain": _domain(claim, trial),
        "engines": list(engines) if trial.verdict == "proved" else [],
    }


def _domain(claim: Claim, trial: Trial) -> str:
    """Return the positions or integers of a verdict in words."""
    verdict = trial.finding.verdict
    match trial.verdict:
        case "proved" if isinstance(verdict, Proved):
            return domain_text(verdict.unit, verdict.reach, None)
        case "exhausted":
            return "every case of the statement"
        case _ if trial.bound is None and claim.pattern is None:
            return "integers"
        case _ if trial.bound is None or claim.shape in RECTANGULAR:
            return "the positions of the game"
        case _:
            return f"{'integers' if trial.ruleset is None else 'coordinates'} up to {trial.bound:,}"


def trial_verdict(claim: Claim, trial: Trial, *, is_by_proof: bool = False) -> ClaimVerdict:
    """Return the verdict of a trial, with the ruleset as its table."""
    of_trial: dict[str, Any] = {"table": trial.ruleset, "bound": trial.bound}
    if is_by_proof:
        of_trial["certificate"] = None
    if trial.for_all is not None:
        of_trial["for_all"] = trial.for_all
    return ClaimVerdict.of(claim.id, trial.parameters, trial.finding, trial.seconds, **of_trial)


def trial_document(trial: Trial, verdict: ClaimVerdict) -> Mapping[str, object]:
    """Return a trial and its verdict as plain data."""
    document = verdict.document()
    for key in ("claim", "table", "certificate"):
        document.pop(key, None)
    return {**document, "ruleset": trial.ruleset, "quantity": trial.quantity}


# ---- Counterexamples.


def explain(counterexample: Counterexample, ruleset: str | None) -> Iterator[str]:
    """Yield the lines that describe and draw a counterexample."""
    position = counterexample.position
    if position is None:
        yield f"found {counterexample.found}; claimed {counterexample.claimed}"
        return
    names = counterexample.coordinates
    place = assigned(dict(zip(names, position, strict=False)))
    where = f"{ruleset}, " if ruleset else ""
    claimed = f"claimed: {counterexample.claimed}"
    yield wrapped(f"{where}{place}: {counterexample.found}; {claimed}")
    if ruleset is not None and counterexample.reason:
        yield wrapped(counterexample.reason)
    yield from pictures(counterexample, ruleset)


def pictures(counterexample: Counterexample, ruleset: str | None) -> Iterator[str]:
    """Yield the lines that draw a counterexample and its winning option."""
    position, option = counterexample.position, counterexample.option
    if ruleset is None or position is None:
        return
    yield from _drawn(ruleset, position)
    if option is not None:
        yield f"the winning option ({', '.join(map(str, option))}), a P-position:"
        yield from _drawn(ruleset, option)
    yield f"to see it: {command('value', ruleset, *position)}"


def _drawn(ruleset: str, position: Sequence[int]) -> Iterator[str]:
    if max(position) > LARGEST_DRAWN:
        return
    try:
        yield f"\n{draw_text(parse_ruleset(ruleset), position)}\n"
    except RulesetError:  # a printed position may be illegal
        return


def print_first(explanations: Iterable[Iterator[str]]) -> None:
    """Print the lines of the first explanation, if there is one."""
    for lines in explanations:
        print("".join(f"\n{line}" for line in lines).replace("\n\n\n", "\n\n"))
        return
