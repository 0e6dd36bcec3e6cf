"""A dated page of a run's figures, its proofs, and the verdicts that larger bounds have changed: all from ledgers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import SIGNS
from choco_pipeline.claims.conclusions.outcomes import strongest
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.formula.written.parameter_text import parameters_text
from choco_pipeline.proof.games.proof_outcome import GameProof
from choco_pipeline.report.environment import templates
from choco_pipeline.report.proved.proof_rows import RELATIONS
from choco_pipeline.sweep.run_ledger import Ledger
from choco_pipeline.tables.computing.cost import in_bytes

#: A claim's id and the parameters of one check.
Case = tuple[str, tuple[tuple[str, int], ...]]


def results_page(ledger: Ledger, base: Ledger | None, on: date) -> str:
    """Return the page as Markdown, with what has changed since a run with smaller bounds if `base` is one."""
    environment = templates(autoescape=False, keep_trailing_newline=True)  # Markdown
    environment.filters |= {"count": "{:,}".format, "in_bytes": in_bytes, "cell": _cell}
    numbers = {claim.id: claim for claim in ledger.claims}
    on_tables = [verdict for verdict in ledger.verdicts if verdict.table is not None]
    return environment.get_template("results.md.j2").render(
        ledger=ledger,
        base=base,
        date=on.isoformat(),
        sweeps=sweeps(ledger),
        verdicts=Counter(verdict.verdict for verdict in on_tables),
        seconds_of_checks=sum(verdict.seconds for verdict in on_tables),
        changes=None if base is None else changes(ledger, base),
        proofs=proofs(ledger),
        undecided=[proof for proof in ledger.proofs if proof.status != "proved"],
        open_rows=[
            row
            for row in ledger.rows
            if row.checks and numbers[row.claim].status in ("conjecture", "question")
        ],
        numbers=numbers,
        signs=SIGNS,
    )


def sweeps(ledger: Ledger) -> list[Mapping[str, Any]]:
    """Return for each sweep, and for all tables, once each, what there is and what it took.

    Each has ``sweep``, None for all; ``tables``; ``bounds``, the least and the greatest; ``positions`` settled; ``bytes`` on
    disk; ``seconds`` of computing and ``seconds_to_store``, on one core; ``rate``, positions settled in a second of either.
    """
    names = dict.fromkeys(name for table in ledger.tables for name in table["sweeps"])
    by_sweep = [(name, [t for t in ledger.tables if name in t["sweeps"]]) for name in names]
    return [_sweep(name, tables) for name, tables in [*by_sweep, (None, ledger.tables)]]


def proofs(ledger: Ledger) -> list[Mapping[str, Any]]:
    """Return for each sweep, and what was to be proved of its games, what was found and what it took.

    Each has ``sweep``; ``of``, in words; ``games`` that were tried; how many were ``proved``, and ``checked`` by a second
    engine; the least and the greatest number of ``states``, whatever number of passes is left, or None; ``seconds``.
    """
    groups: dict[tuple[str, str], list[GameProof]] = defaultdict(list)
    for proof in ledger.proofs:
        groups[proof.sweep, proof.relation].append(proof)
    rows: list[Mapping[str, Any]] = []
    for (sweep, relation), games in groups.items():
        proved = [game for game in games if game.status == "proved"]
        states = [number for game in proved for number in game.states]
        rows.append(
            {
                "sweep": sweep,
                "of": RELATIONS[relation],
                "games": len(games),
                "proved": len(proved),
                "checked": sum(len(game.engines) > 1 for game in proved),
                "states": [min(states), max(states)] if states else None,
                "seconds": sum(game.seconds for game in games),
            }
        )
    return rows


def changes(ledger: Ledger, base: Ledger) -> Mapping[str, Any]:
    """Return what became of the verdicts of tables between a run and one with smaller bounds.

    ``same`` is the number of cases, each a claim with parameters, whose verdict is the same, and ``further``, of those among
    them that now hold to a larger bound; ``new``, the number of cases that only `ledger` has; ``changed`` are the others:
    ``claim``, ``parameters``, ``before`` and ``after`` (verdict, bound, text), sorted by claim.
    """
    before, after = (dict(_cases(run)) for run in (base, ledger))
    both = [case for case in after if case in before]
    same = [case for case in both if before[case].verdict == after[case].verdict]
    return {
        "same": len(same),
        "further": sum((after[case].bound or 0) > (before[case].bound or 0) for case in same),
        "new": len(after) - len(both),
        "changed": [
            {
                "claim": case[0],
                "parameters": parameters_text([dict(case[1])]) if case[1] else "",
                "before": before[case],
                "after": after[case],
            }
            for case in sorted(set(both) - set(same))
        ],
    }


def _cases(ledger: Ledger) -> Iterator[tuple[Case, ClaimVerdict]]:
    """Yield the strongest verdict of each case that tables decide, the one with the largest bound."""
    of_case: dict[Case, list[ClaimVerdict]] = defaultdict(list)
    for verdict in ledger.verdicts:
        if verdict.table is not None and not verdict.is_by_proof:
            of_case[verdict.claim, tuple(verdict.parameters.items())].append(verdict)
    for case, verdicts in of_case.items():
        outcome = strongest(verdicts)
        yield case, max((v for v in verdicts if v.verdict == outcome), key=lambda v: v.bound or 0)


def _sweep(name: str | None, tables: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    bounds = [table["bound"] for table in tables]
    summed = {
        key: sum(table[key] for table in tables)
        for key in ("positions", "bytes", "seconds", "seconds_to_store")
    }
    seconds = summed["seconds"] + summed["seconds_to_store"]
    return {
        "sweep": name,
        "tables": len(tables),
        "bounds": [min(bounds), max(bounds)],
        **summed,
        "rate": summed["positions"] / seconds if seconds else 0.0,
    }


def _cell(text: str) -> str:
    """Return text as a cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")
