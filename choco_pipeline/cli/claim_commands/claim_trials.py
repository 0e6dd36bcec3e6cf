"""``choco claims check``: trials of claims, printed one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from choco_pipeline.claims.conclusions.rows import engines_text, rows
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import ClaimVerdict, Counterexample
from choco_pipeline.claims.processor_time import ProcessorTime
from choco_pipeline.claims.quick_trial import Given, Trial, trials
from choco_pipeline.cli.claim_commands.claim_proofs import (
    decided_for_all_integers,
    proved_again,
    proved_now,
    settled_now,
)
from choco_pipeline.cli.output import emit, in_time, note, wrapped
from choco_pipeline.cli.waiting import bars, waiting
from choco_pipeline.commands import command
from choco_pipeline.errors import ChocoError, ConfigError, LimitError, RulesetError
from choco_pipeline.formula import FormulaError
from choco_pipeline.formula.ranges import Range, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.pictures import draw_text

if TYPE_CHECKING:  # that module imports `explain` from this one
    from choco_pipeline.cli.claim_commands.claim_pages import ClaimSource

#: Trials of a claim by its check, and those by proof.
_Trials = tuple[Iterable[Trial], Iterable[Trial]]
#: Positions with larger coordinates are not drawn.
LARGEST_DRAWN = 60
#: A value for a name; ``==`` and ``=>`` are signs of statements.
VALUE = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=(?![=>])(.*)", re.DOTALL)


def check_claims(
    catalogue: Catalogue,
    words: Sequence[str],
    bound: int | None,
    seconds: float,
    json: bool,
    *,
    everything: bool,
) -> int:
    """Try claims, print the trials, and return the exit code: 1 if any is refuted.

    `words` are ids of claims, and values of parameters as ``name=value`` or ``name=first..last``. `seconds` limits the processor
    time of all trials of a claim, and the time of a decision for all integers. With `everything` all claims are tried that have a
    sample or need none. If a claim is named without values or a bound, its decision for all integers is also shown.
    """
    ids, given = read_words(words)
    if everything == bool(ids):
        raise ConfigError("name a claim, or --all; `choco claims list` shows all")
    documents: list[Mapping[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for claim in _named(catalogue, ids):
        try:
            is_alone = not everything and not given and bound is None
            decided = _decided(claim, catalogue, seconds) if is_alone else ()
            clock = ProcessorTime(seconds, "--seconds allows more")
            with _bar(claim) as report:
                by_tables = trials(claim, given, bound, report, clock.counted)
                documents.append(_print_trials(claim, by_tables, decided, json))
        except ChocoError as error:
            if not everything:
                raise
            skipped.append({"claim": claim.id, "why": str(error)})
            note(f"not tried: {error}")
    refuted = any(document["refuted"] for document in documents)
    status = "refuted" if refuted else "not refuted"
    if json:
        emit({"status": status, "claims": documents, "skipped": skipped})
    elif len(documents) + len(skipped) > 1:
        count = sum(bool(document["refuted"]) for document in documents)
        print(f"{len(documents)} claims tried, {count} refuted, {len(skipped)} not tried")
    return 1 if refuted else 0


def repeat_proofs(source: ClaimSource, words: Sequence[str], seconds: float, json: bool) -> int:
    """Repeat the last run's proofs of claims; return 0 if all succeed, else 1."""
    ids, given = read_words(words)
    if not ids or given:
        raise ConfigError("--proofs takes ids of claims, and nothing else")

    def proofs(claim: Claim) -> _Trials:
        return (), proved_again(claim, source.verdicts(claim.id), source.catalogue, seconds)

    return _show_proofs(_named(source.catalogue, ids), proofs, json)


def prove_claims(source: ClaimSource, words: Sequence[str], seconds: float, json: bool) -> int:
    """Prove claims; return 0 if all are proved, else 1."""
    ids, given = read_words(words)
    if not ids:
        raise ConfigError("--prove needs the id of a claim")

    def proofs(claim: Claim) -> _Trials:
        return checked_or_proved(claim, source.catalogue, given, None, seconds)

    return _show_proofs(_named(source.catalogue, ids), proofs, json)


def checked_or_proved(
    claim: Claim, catalogue: Catalogue, given: Given, bound: int | None, seconds: float
) -> _Trials:
    """Return trials by tables that decide a claim, and trials by proof.

    A claim needs no proof if a table refutes it, or if it is about finitely many integers.
    """
    later = proved_now(claim, catalogue, given, seconds)
    clock = ProcessorTime(seconds, "--seconds allows more")
    checked: list[Trial] = []
    with suppress(ConfigError, LimitError):  # no bound, or one that is too large
        checked = list(trials(claim, given, bound, limit=clock.counted))
    refuted = [trial for trial in checked if trial.verdict == "refuted"]
    return (checked, ()) if claim.is_finite and checked else (refuted, () if refuted else later)


def _show_proofs(claims: Sequence[Claim], proofs: Callable[[Claim], _Trials], json: bool) -> int:
    documents: list[Mapping[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for claim in claims:
        try:
            with waiting(f"proving {claim.id}"):
                documents.append(_print_trials(claim, *proofs(claim), json))
        except ChocoError as error:
            if len(claims) == 1:
                raise
            skipped.append({"claim": claim.id, "why": str(error)})
            note(f"not proved: {error}")
    verdicts = {trial["verdict"] for document in documents for trial in document["trials"]}
    proved = bool(verdicts) and not skipped and verdicts <= {"proved", "exhausted"}
    if json:
        status = "proved" if proved else "not proved"
        emit({"status": status, "claims": documents, "skipped": skipped})
    return 0 if proved else 1


def _named(catalogue: Catalogue, ids: Sequence[str]) -> list[Claim]:
    for claim_id in ids:
        if claim_id not in catalogue.claims:
            raise ConfigError(catalogue.unknown(claim_id))
    return [catalogue.claims[claim_id] for claim_id in ids or catalogue.claims]


def _decided(claim: Claim, catalogue: Catalogue, seconds: float) -> Iterable[Trial]:
    if claim.statement.follows_from is not None:
        return settled_now(claim, catalogue, seconds)
    is_open = claim.is_about_integers and not claim.is_finite
    return decided_for_all_integers(claim, seconds) if is_open else ()


@contextmanager
def _bar(claim: Claim) -> Iterator[Callable[[int, int], None]]:
    """Show finished tables on a terminal; the yielded function updates it."""
    with bars() as progress:
        bar = progress.add_task(claim.id, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def _print_trials(
    claim: Claim, by_tables: Iterable[Trial], by_proof: Iterable[Trial], json: bool
) -> Mapping[str, Any]:
    """Print trials one by one, and their conclusion; return both as plain data."""
    if not json:
        print(f"{claim.id}: {claim.summary}")
    trials: list[Trial] = []
    verdicts: list[ClaimVerdict] = []
    for trial, is_by_proof in chain(((t, False) for t in by_tables), ((t, True) for t in by_proof)):
        trials.append(trial)
        verdicts.append(_verdict(claim, trial, is_by_proof=is_by_proof))
        if not json:
            line = f"{_label(trial)}{verdicts[-1].text} ({in_time(trial.seconds)})"
            print(wrapped(line, "  ", "    "), flush=True)
    refuted = [
        (verdict.counterexample, trial.ruleset)
        for trial, verdict in zip(trials, verdicts, strict=True)
        if verdict.counterexample is not None
    ]
    (row,) = rows(Catalogue({claim.id: claim}), verdicts)
    if not json:
        engines = engines_text(row.engines)
        print(wrapped(f"{claim.id}: {row.text}{f'; engines: {engines}' if engines else ''}"))
        if refuted:
            print("".join(f"\n{line}" for line in explain(*refuted[0])).replace("\n\n\n", "\n\n"))
        print()
    return {
        "claim": claim.id,
        "verdict": row.verdict,
        "conclusion": row.text,
        "engines": [engine.model_dump() for engine in row.engines],
        "refuted": len(refuted),
        "trials": [_document(*trial) for trial in zip(trials, verdicts, strict=True)],
    }


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


def _verdict(claim: Claim, trial: Trial, *, is_by_proof: bool) -> ClaimVerdict:
    """Return the verdict of a trial, with the ruleset as its table."""
    of_trial: dict[str, Any] = {"table": trial.ruleset, "bound": trial.bound}
    if is_by_proof:
        of_trial["certificate"] = None
    if trial.for_all is not None:
        of_trial["for_all"] = trial.for_all
    return ClaimVerdict.of(claim.id, trial.parameters, trial.finding, trial.seconds, **of_trial)


def _document(trial: Trial, verdict: ClaimVerdict) -> Mapping[str, object]:
    document = verdict.document()
    for key in ("claim", "table", "certificate"):
        document.pop(key, None)
    return {**document, "ruleset": trial.ruleset, "quantity": trial.quantity}


def _label(trial: Trial) -> str:
    if trial.for_all is not None:
        return f"{trial.for_all.text}: "
    bound = "" if trial.bound is None else f"bound {trial.bound:,}"
    parts = ", ".join(filter(None, (assigned(trial.parameters), bound)))
    return f"{parts}: " if parts else ""
