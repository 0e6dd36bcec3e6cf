"""``choco prove``: a game's P-positions or Grundy numbers, proved for all positions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, get_args

from choco_pipeline.cli.output import emit, in_time
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.certificate import check_certificate, write_certificate
from choco_pipeline.proof.counts import SHOWN, described_counts
from choco_pipeline.proof.engines import ENGINES, EngineName
from choco_pipeline.proof.formulas import described_formula
from choco_pipeline.proof.members import Relation
from choco_pipeline.proof.prove import prove
from choco_pipeline.proof.proved import Proof

RELATIONS: tuple[Relation, ...] = get_args(Relation)
NAMES = {"own": "our engine", "mona": "MONA"}


def show_proof(
    notation: str | None,
    relation: str,
    check: Path | None,
    engines: list[str],
    out: Path,
    seconds: float,
    json: bool,
) -> int:
    """Prove, or check a certificate again; print the result and return the exit code: 0 if it is proved, else 1.

    Parameters
    ----------
    notation, relation
        What to prove; without `check`.
    check
        A certificate to check again; without `notation`.
    engines
        Names of engines; none are all that are installed.
    out
        Folder for the certificate.
    seconds
        Limit of time.
    json
        Print a document with the keys ``status``, ``why``, ``ruleset``, ``relation``, ``states`` (one number for each
        number of passes left, 0 first), ``engines``, ``seconds``, ``growth``, ``certificate`` (a path or null),
        ``counts`` (as `described_counts` returns them) and ``formula`` (as `described_formula` does).
    """
    if (notation is None) == (check is None):
        raise ChocoError("prove: give either a ruleset or --check with a certificate")
    if not (math.isfinite(seconds) and seconds > 0):
        raise ChocoError(f"prove: --seconds must be a positive number, found {seconds:g}")
    chosen = [_engine(name) for name in engines] or None
    path = check
    if check is not None:
        proof = check_certificate(check, chosen, seconds=seconds)
    else:
        assert notation is not None
        proof = prove(parse_ruleset(notation), _relation(relation), engines=chosen, seconds=seconds)
        path = write_certificate(proof, out) if proof.status == "proved" else None
    if json:
        emit(_document(proof, path, chosen))
    else:
        print("\n".join(_lines(proof, path, chosen)))
    return 0 if proof.status == "proved" else 1


def _document(proof: Proof, path: Path | None, engines: list[EngineName] | None) -> dict[str, Any]:
    is_proved = proof.status == "proved"
    return {
        "status": proof.status,
        "why": proof.why,
        "ruleset": proof.ruleset.notation,
        "relation": proof.relation,
        "states": list(proof.states),
        "engines": list(proof.engines),
        "seconds": round(proof.seconds, 3),
        "growth": list(proof.growth),
        "certificate": None if path is None else path.as_posix(),
        "counts": described_counts(proof) if is_proved else [],
        "formula": described_formula(proof, engines) if is_proved else None,
    }


def _lines(proof: Proof, path: Path | None, engines: list[EngineName] | None) -> list[str]:
    what = "P-positions" if proof.relation == "p" else "Grundy numbers"
    lines = [f"{proof.status}: the {what} of {proof.ruleset.notation}: {proof.why}"]
    if proof.states:
        found = ", ".join(
            f"{n} states" + (f" with {_passes(p)} left" if len(proof.states) > 1 else "")
            for p, n in enumerate(proof.states)
        )
        lines.append(f"automata: {found}")
    if proof.status != "proved":
        if proof.growth:
            lines.append(f"residuals by digits read: {', '.join(map(str, proof.growth))}")
        return lines
    obligations = len({check.obligation for check in proof.checks})
    by = " and ".join(NAMES[engine] for engine in proof.engines)
    lines.append(f"{obligations} obligations decided by {by}, {in_time(proof.seconds)} in all")
    lines += _formula(proof, engines)
    lines += _counts(proof)
    lines += [f"certificate: {path}", f"check it again: choco prove --check {path}"]
    return lines


def _formula(proof: Proof, engines: list[EngineName] | None) -> list[str]:
    found = described_formula(proof, engines)
    if found is None:
        return []
    by = " and ".join(NAMES[engine] for engine in found["engines"])
    return [f"formula, found by search, proved by {by}: {found['text']}"]


def _counts(proof: Proof) -> list[str]:
    lines = []
    for row in described_counts(proof):
        what = "P-positions"
        if proof.relation == "grundy":
            what = f"positions with Grundy number {row['value']}"
        left = f" with {_passes(row['passes'])} left" if len(proof.states) > 1 else ""
        first = ", ".join(map(str, row["first"][:SHOWN]))
        rule = f"a(n) = {row['closed']}" if row["closed"] else row["recurrence"]
        lines.append(f"{what}{left}, coordinates below 2^n for n = 0, 1, …: {first}, …; {rule}")
    return lines


def _passes(number: int) -> str:
    return f"{number} pass" + ("" if number == 1 else "es")


def _engine(name: str) -> EngineName:
    for engine in ENGINES:
        if name == engine:
            return engine
    raise ChocoError(f"prove: unknown engine {name!r}; engines are {', '.join(ENGINES)}")


def _relation(name: str) -> Relation:
    for relation in RELATIONS:
        if name == relation:
            return relation
    raise ChocoError(f"prove: unknown relation {name!r}; relations are {', '.join(RELATIONS)}")
