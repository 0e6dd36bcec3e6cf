"""``choco claims check``: claims tried at once, trial by trial, and what that comes to."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from choco_pipeline.claims.case import Finding
from choco_pipeline.claims.catalogue import Catalogue
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.kinds import IntegerStatement
from choco_pipeline.claims.trial import Given, Trial, trials
from choco_pipeline.claims.verdict import verdict_from_json, verdict_to_json
from choco_pipeline.cli.output import emit, in_time, note
from choco_pipeline.drawing import draw_text
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError
from choco_pipeline.formula import FormulaError
from choco_pipeline.formula.ranges import Range, parse_range
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.statement_task import settled
from choco_pipeline.proof.task import warm_up

COLUMNS = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
#: Positions of larger coordinates are not drawn: the drawing would not show them.
LARGEST_DRAWN = 60
#: Limits of deciding a statement for all integers, in seconds and in GiB.
SECONDS, MEMORY = 60, 4


def check_claims(
    catalogue: Catalogue, words: Sequence[str], bound: int | None, json: bool, *, everything: bool
) -> int:
    """Try claims, print one line for each trial and a conclusion, and return the exit code: 1 if any is refuted.

    Parameters
    ----------
    catalogue
        What is known.
    words
        Ids, and values of parameters as ``name=value`` or ``name=first..last``.
    bound
        Of the tables, instead of the sample's.
    json
        Print one document instead.
    everything
        Try all claims that have a sample or need none, instead of those named. Of one that is named, with nothing else
        given, what is decided for all integers is shown, too.
    """
    ids, given = _read(words)
    if everything == bool(ids):
        raise ConfigError("name a claim, or --all; `choco claims list` shows what there is")
    for claim_id in ids:
        if claim_id not in catalogue.claims:
            raise ConfigError(catalogue.unknown(claim_id))
    documents: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for claim_id in ids or catalogue.claims:
        try:
            claim = catalogue.claims[claim_id]
            decided = () if everything or given or bound is not None else _decided(claim)
            documents.append(_check(claim, given, bound, decided, json))
        except ChocoError as error:
            if not everything:
                raise
            skipped.append({"claim": claim_id, "why": str(error)})
            note(f"not tried: {error}")
    refuted = any(document["refuted"] for document in documents)
    status = "refuted" if refuted else "not refuted"
    if json:
        emit({"status": status, "claims": documents, "skipped": skipped})
    elif len(documents) + len(skipped) > 1:
        count = sum(bool(document["refuted"]) for document in documents)
        print(f"{len(documents)} claims tried, {count} refuted, {len(skipped)} not tried")
    return 1 if refuted else 0


def _decided(claim: Claim) -> Iterator[Trial]:
    """Yield what is decided of a statement on integers for all of them, each fixed choice of some a trial."""
    if isinstance(claim.check, IntegerStatement) and not claim.check.finite:
        with Limited(f"{warm_up.__module__}:{warm_up.__name__}") as prover:
            found = settled(claim.as_json(), SECONDS, MEMORY, prover)
        for document in found:
            finding = Finding(verdict_from_json(document), document["evidence"])
            fixed, seconds = document["parameters"], document["seconds"]
            yield Trial(fixed, None, None, None, finding, seconds)


def _check(
    claim: Claim, given: Given, bound: int | None, decided: Iterable[Trial], json: bool
) -> dict[str, Any]:
    shown: list[dict[str, Any]] = []
    console = Console(stderr=True)
    with Progress(
        *COLUMNS, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        bar = progress.add_task(claim.id, total=None)
        found = trials(
            claim,
            given,
            bound,
            lambda done, total: progress.update(bar, completed=done, total=total),
        )
        if not json:
            print(f"{claim.id}: {claim.check.summary()}")
        for trial in chain(found, decided):
            shown.append(_as_json(trial))
            if not json:
                label = _label(trial)
                print(f"  {label}{shown[-1]['text']} ({in_time(trial.seconds)})", flush=True)
    refuted = [trial for trial in shown if trial["verdict"] == "refuted"]
    conclusion = _conclusion(shown)
    if not json:
        print(f"{claim.id}: {conclusion}")
        if refuted:
            print("".join(f"\n{line}" for line in explain(refuted[0])).replace("\n\n\n", "\n\n"))
        print()
    return {
        "claim": claim.id,
        "conclusion": conclusion,
        "refuted": len(refuted),
        "trials": shown,
    }


def explain(verdict: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that show a counterexample: where, what is the case and what was claimed, drawn.

    Parameters
    ----------
    verdict
        A refutation as `verdict_to_json` writes it, with its ``ruleset``, None where there is none.
    """
    counterexample = verdict["counterexample"]
    position, option = counterexample["position"], counterexample["option"]
    if position is None:
        yield f"found {counterexample['found']}; claimed {counterexample['claimed']}"
        return
    names = counterexample["coordinates"]
    place = ", ".join(f"{n} = {v}" for n, v in zip(names, position, strict=False))
    ruleset = verdict["ruleset"]
    where = f"{ruleset}, " if ruleset else ""
    yield f"{where}{place}: {counterexample['found']}; claimed: {counterexample['claimed']}"
    if ruleset is None:
        return
    if counterexample.get("reason"):
        yield str(counterexample["reason"])
    yield from _drawn(ruleset, position)
    if option is not None:
        yield f"the winning option ({', '.join(map(str, option))}), a P-position:"
        yield from _drawn(ruleset, option)
    command = ["./choco", "value", ruleset, *map(str, position)]
    yield f"to see it: {shlex.join(command)}"


def _drawn(ruleset: str, position: Sequence[int]) -> Iterator[str]:
    if max(position) > LARGEST_DRAWN:
        return
    try:
        yield f"\n{draw_text(parse_ruleset(ruleset), position)}\n"
    except RulesetError:  # what a paper prints need not be a position of the game
        return


def _read(words: Sequence[str]) -> tuple[list[str], dict[str, int | Range]]:
    """Return the ids among the words, and the values by name."""
    ids: list[str] = []
    given: dict[str, int | Range] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            ids.append(word)
            continue
        try:
            value = parse_range(text.strip(), names=())
            last = int(value.last.value({}))
        except FormulaError as error:
            raise ConfigError(f"{word}: {error}") from error
        given[name] = last if value.first == value.last else value
    return list(dict.fromkeys(ids)), given


def _as_json(trial: Trial) -> dict[str, Any]:
    verdict = verdict_to_json(trial.finding.verdict)
    return {
        "parameters": dict(trial.parameters),
        "ruleset": trial.ruleset,
        "quantity": trial.quantity,
        **verdict,
        "bound": trial.bound if verdict["bound"] is None else verdict["bound"],
        "evidence": trial.finding.evidence,
        "seconds": round(trial.seconds, 4),
    }


def _label(trial: Trial) -> str:
    parts = [f"{name} = {value}" for name, value in trial.parameters.items()]
    if trial.bound is not None:
        parts.append(f"bound {trial.bound:,}")
    return f"{', '.join(parts)}: " if parts else ""


def _conclusion(shown: Sequence[Mapping[str, Any]]) -> str:
    """Return what the trials come to: none of them makes an infinite statement true."""
    names = [trial["verdict"] for trial in shown]
    refuted, undecided = names.count("refuted"), names.count("undecided")
    of = "the only trial" if len(names) == 1 else f"{{}} of {len(names)} trials"
    if refuted:
        return f"refuted in {of.format(refuted)}"
    if undecided == len(names):
        return "undecided: no trial settles it"
    rest = f"; undecided in {of.format(undecided)}" if undecided else ""
    if "proved" in names and set(names) <= {"proved", "holds-to-bound"}:
        given = any(trial["parameters"] for trial in shown)
        return f"true of all integers{' for these parameters' if given else ''}: proved"
    if set(names) <= {"exhausted"}:
        given = any(trial["parameters"] for trial in shown)
        return f"true{' for these parameters' if given else ''}: every case was checked"
    return f"not refuted: nothing that was tried contradicts it{rest}"
