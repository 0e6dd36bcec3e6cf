"""What a run says of each claim: one row for each, over all of its tables."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from choco_pipeline.claims.catalogue import Catalogue
from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.row_text import (
    STRONGEST_FIRST,
    Document,
    Given,
    distinct_positions,
    is_by_proof,
    parameters_text,
    row_text,
    strongest,
)

#: The name of the coordinate that counts passes: sizes of positions do not count it.
PASSES = "p"


def rows(catalogue: Catalogue, verdicts: Iterable[Document]) -> list[dict[str, Any]]:
    """Return what a run says of every claim of its files, in their order.

    Parameters
    ----------
    catalogue
        All claims of the run.
    verdicts
        Of the whole run, those of claims over several tables as `check_across` gives them. Those with a key ``certificate``
        were decided on what is proved of a game, not on a table. Where such a one is undecided, it says nothing against
        what other verdicts on the claim say, and is left out.

    Returns
    -------
    list of dict
        ``claim``, its id; ``verdict``, that of a table or ``unchecked``; ``text``, one line; ``checks``, their number;
        ``counts``, of each verdict; ``parameters``, in short; ``bound``, the least and the greatest of the tables, or
        None; ``positions``, each counted once however many tables hold it; ``seconds``, in all; ``decided``, the least
        counterexample, or None; ``command``.
        With parameters, of which there are infinitely many, every case of those checked is a bound, too; and ``proved``
        is only for the parameters that the text names.
    """
    of_claim: dict[str, list[Document]] = defaultdict(list)
    for verdict in verdicts:
        of_claim[verdict["claim"]].append(verdict)
    return [_row(claim, of_claim[claim.id]) for claim in catalogue.claims.values()]


def _row(claim: Claim, found: list[Document]) -> dict[str, Any]:
    said = [v for v in found if not (is_by_proof(v) and v["verdict"] == "undecided")]
    verdicts = said or found
    by_parameters: dict[Given, list[Document]] = defaultdict(list)
    for verdict in verdicts:
        by_parameters[tuple(verdict["parameters"].items())].append(verdict)
    are_all = _are_all(claim, by_parameters)
    outcome = _outcome(are_all, by_parameters)
    decided = min(
        (verdict for verdict in verdicts if verdict["verdict"] == "refuted"),
        key=lambda verdict: _least_first(claim, verdict),
        default=None,
    )
    bounds = [verdict["bound"] for verdict in verdicts if verdict["bound"] is not None]
    counts = Counter(verdict["verdict"] for verdict in verdicts)
    return {
        "claim": claim.id,
        "verdict": outcome,
        "text": row_text(claim, outcome, by_parameters, decided, are_all=are_all),
        "checks": len(verdicts),
        "counts": {verdict: counts[verdict] for verdict in STRONGEST_FIRST if counts[verdict]},
        "parameters": parameters_text(_parameters(claim, verdicts)),
        "bound": [min(bounds), max(bounds)] if bounds else None,
        "positions": distinct_positions(verdicts),
        "seconds": round(sum(verdict["seconds"] for verdict in verdicts), 4),
        "decided": None if decided is None else _decided(decided),
        "command": f"./choco claims check {claim.id}",
    }


def _outcome(are_all: bool, by_parameters: Mapping[Given, Sequence[Document]]) -> str:
    """Return what all verdicts on a claim come to.

    A statement on integers that was not refuted up to its bound comes to what is proved of it for some parameters.
    """
    found = {strongest(verdicts) for verdicts in by_parameters.values()}
    of_parameters = {strongest(verdicts) for given, verdicts in by_parameters.items() if given}
    if of_parameters == {"proved"} and "refuted" not in found:
        return "proved"
    if not found:
        return "unchecked"
    if "refuted" in found:
        return "refuted"
    if found == {"undecided"}:
        return "undecided"
    if found == {"proved"}:
        return "proved"
    if found & {"holds-to-bound", "undecided"}:
        return "holds-to-bound"
    return "exhausted" if are_all else "holds-to-bound"


def _are_all(claim: Claim, by_parameters: Mapping[Given, Sequence[Document]]) -> bool:
    """Whether there are verdicts for all parameters that a claim speaks of."""
    if claim.pattern is None:
        return not any(by_parameters)
    every = _all_parameters(claim)
    checked = [dict(given) for given in by_parameters]
    return every is not None and all(one in checked for one in every)


def _all_parameters(claim: Claim) -> list[dict[str, int]] | None:
    """Return all parameters that a claim speaks of if its condition names them; None if they may be infinitely many."""
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
    return [one for one in every if claim.speaks_of(one)]


def _parameters(claim: Claim, verdicts: Sequence[Document]) -> list[Mapping[str, int]]:
    if not claim.is_over_tables:
        return [verdict["parameters"] for verdict in verdicts]
    (name,) = claim.parameters
    return [{name: int(n)} for verdict in verdicts for n in verdict["evidence"]["p_positions"]]


def _least_first(claim: Claim, verdict: Document) -> tuple[Any, ...]:
    """Return what counterexamples are ordered by: largest coordinate, position, parameters."""
    shown, given = verdict["counterexample"], list(verdict["parameters"].values())
    position = shown["position"]
    if position is None:
        return (math.inf, [], given)
    sizes = [
        value
        for name, value in zip(shown["coordinates"], position, strict=True)
        if claim.pattern is None or name != PASSES
    ]
    return (max(sizes), position, given)


def _decided(verdict: Document) -> dict[str, Any]:
    shown = verdict["counterexample"]
    return {
        "table": verdict["table"],
        "parameters": verdict["parameters"],
        "coordinates": shown["coordinates"],
        "position": shown["position"],
    }
