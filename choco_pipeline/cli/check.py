"""``choco check``: check a statement about a game without a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from choco_pipeline.api.check import (
    PROOF_SECONDS,
    claim_of,
    statement_trials,
)
from choco_pipeline.api.progress import waiting
from choco_pipeline.api.terminal import emit
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Counterexample,
    Proved,
    Refuted,
    VerdictKind,
    domain_text,
)
from choco_pipeline.claims.quick_trial import Trial
from choco_pipeline.cli.output import SETTINGS, Json, wrapped
from choco_pipeline.commands import command
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError
from choco_pipeline.formula import FormulaError, Range, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.pictures import draw_text
from choco_pipeline.statements.tree import text_of

app = typer.Typer(**SETTINGS)
#: Positions with larger coordinates are not drawn.
LARGEST_DRAWN = 60
#: ``NAME=VALUE``; ``==`` and ``=>`` belong to statements.
VALUE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(?![=>])(.*)", re.DOTALL)
#: The verdict on several cases is the first verdict here that occurs.
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
    """Split words into texts and pairs ``NAME=VALUE``."""
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
        int | None, typer.Option(help="Bound of the tables; for integers, the value of N.")
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Search for proofs for all positions instead.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(help="With --prove: limit of CPU seconds for each game.")
    ] = PROOF_SECONDS,
    json: Json = False,
) -> int:
    """Check a statement about a game, and show the least counterexample.

    The exit code is 0 if it holds up to the bound or is proved, 1 if it is refuted, undecided or vacuous, and 2 for a mistake
    in the input.
    """
    texts, given = read_words(words)
    # Unknown options arrive here, because a statement may begin with a minus sign.
    for text in (text for text in texts if text.startswith("--")):
        raise ChocoError(f"check: unknown option {text}; `choco check --help` lists all")
    if len(texts) not in (1, 2):
        raise ChocoError(
            "check: a game and a statement are needed, such as 'nim(2)' 'P <=> a == b'"
        )
    game = texts[0] if len(texts) == 2 else None
    claim = claim_of(game, texts[-1])
    with waiting("proving" if prove else "checking"):
        trials = list(statement_trials(claim, given, bound, seconds, prove=prove))
    verdict = next(kind for kind in WEAKEST_FIRST if any(t.verdict == kind for t in trials))
    if json:
        cases = [_case(claim, trial) for trial in trials]
        decisive = next(case for case in cases if case["verdict"] == verdict)
        statement = {"statement": text_of(claim.proposition), "game": claim.statement.ruleset}
        emit({**decisive, **statement, "cases": cases})
    else:
        print(wrapped(claim.summary))
        for trial in trials:
            label = f"{assigned(trial.parameters)}: " if trial.parameters else ""
            print(wrapped(f"{label}{trial.text}", "  ", "    "))
        refutations = ((t.finding.verdict, t.ruleset) for t in trials)
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
    """Return the verdict of a trial; its `table` is the ruleset."""
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
    """Yield lines with a description and a drawing of a counterexample."""
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
    """Yield lines with drawings of a counterexample and its winning option."""
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
