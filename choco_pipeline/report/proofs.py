"""Games whose positions are all known, and games for which no automaton was found, as the page shows them."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import ChocoError
from choco_pipeline.proof.certificate import Certificate, read_certificate
from choco_pipeline.report.automaton_picture import draw_automaton, is_drawable
from choco_pipeline.report.line_chart import Line, line_chart

MOST_PICTURES = 6
#: Curves in a chart; more cannot be told apart.
MOST_CURVES = 4
#: Points of a family that make a chart.
LEAST_POINTS = 3
#: A game is called wild if its last digits multiply the residuals by this on average, tame if by less.
WILD = 2.0
RELATIONS = {"p": "P-positions", "grundy": "Grundy numbers"}
ENGINES = {"own": "ours", "mona": "MONA"}
Entry = Mapping[str, Any]


@dataclass(frozen=True)
class ProofRow:
    """One game of the section.

    Attributes
    ----------
    label
        Its parameters, or its ruleset if it has none.
    states
        For each number of passes left.
    command
        What checks the certificate again; None without one.
    factor
        Of a game that did not close: by how much its last digits multiplied the residuals.
    """

    entry: Entry
    label: str
    states: str
    engines: str
    command: str | None
    factor: float | None


@dataclass(frozen=True)
class ProofFamily:
    """Games that differ in numbers only."""

    ruleset: str
    relation: str
    rows: list[ProofRow]
    chart: Markup | None


@dataclass(frozen=True)
class AutomatonPicture:
    """One automaton that is small enough to be looked at."""

    ruleset: str
    relation: str
    passes: int | None
    states: int
    reads: list[str]
    picture: Markup


@dataclass(frozen=True)
class ProofSection:
    """Everything that the section on proofs shows.

    Attributes
    ----------
    proved, unclosed
        Families of games, in the order of the ledger.
    """

    proved: list[ProofFamily]
    unclosed: list[ProofFamily]
    pictures: list[AutomatonPicture]

    @property
    def games(self) -> int:
        """Number of rows with a proof."""
        return sum(len(family.rows) for family in self.proved)

    @property
    def attempts(self) -> int:
        """Number of rows without a proof."""
        return sum(len(family.rows) for family in self.unclosed)


def proof_section(ledger: Mapping[str, Any]) -> ProofSection:
    """Return what a ledger says of proofs; an older ledger, without the key ``proofs``, says nothing.

    Certificates are read only for pictures: one that is missing or cannot be read is left out.
    """
    entries: Sequence[Entry] = ledger.get("proofs", [])
    proved = [entry for entry in entries if entry["status"] == "proved"]
    unclosed = [entry for entry in entries if entry["status"] != "proved"]
    return ProofSection(
        [_family(group, _states_chart(group)) for group in _families(proved)],
        [_family(group, _growth_chart(group)) for group in _families(unclosed)],
        _pictures(proved),
    )


def growth_factor(growth: Sequence[int]) -> float | None:
    """Return by how much each of the last two digits multiplied the residuals, on average; None if too few are known.

    Examples
    --------
    >>> growth_factor([1, 4, 10, 40]), growth_factor([1, 1])
    (3.1622776601683795, None)
    """
    if len(growth) < 3 or not growth[-3]:
        return None
    return float((growth[-1] / growth[-3]) ** 0.5)


def _families(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Return the entries in groups with the same relation, and the same ruleset but for values of parameters."""
    groups: dict[tuple[object, ...], list[Entry]] = {}
    for entry in entries:
        shape = entry["ruleset"]
        if entry["parameters"]:
            shape = re.sub(r"(?<!passes=)\b\d+\b", "#", shape)
        key = (entry["relation"], tuple(entry["parameters"]), shape)
        groups.setdefault(key, []).append(entry)
    return list(groups.values())


def _family(entries: Sequence[Entry], chart: Markup | None) -> ProofFamily:
    names = Counter(_template(entry) for entry in entries)
    relation = RELATIONS[entries[0]["relation"]]
    rows = [_row(entry) for entry in sorted(entries, key=_order)]
    return ProofFamily(names.most_common(1)[0][0], relation, rows, chart)


def _template(entry: Entry) -> str:
    """Return the ruleset with parameters for their values: which number is which is clear from most of a family."""
    text: str = entry["ruleset"]
    for name, value in entry["parameters"].items():
        text = re.sub(rf"(?<!passes=)\b{re.escape(str(value))}\b", str(name), text)
    return text


def _order(entry: Entry) -> list[tuple[int, str]]:
    """Return a sorting key: numbers by size, all else as text."""
    values = entry["parameters"].values()
    return [(v, "") if isinstance(v, int) else (0, str(v)) for v in values]


def _row(entry: Entry) -> ProofRow:
    states = entry["states"]
    certificate = entry["certificate"]
    return ProofRow(
        entry,
        ", ".join(f"{name} = {value}" for name, value in entry["parameters"].items())
        or entry["ruleset"],
        ", ".join(f"{number:,}" for number in states) or "–",
        " and ".join(ENGINES.get(engine, engine) for engine in entry["engines"]),
        certificate and f"./choco prove --check {shlex.quote(certificate)}",
        growth_factor(entry["growth"]),
    )


def _varying(entries: Sequence[Entry]) -> str | None:
    """Return the one parameter that differs between the entries, if one does, and no other."""
    values: dict[str, set[Any]] = {}
    for entry in entries:
        for name, value in entry["parameters"].items():
            values.setdefault(name, set()).add(value)
    names = [name for name, found in values.items() if len(found) > 1]
    whole = all(isinstance(value, int) for name in names for value in values[name])
    return names[0] if len(names) == 1 and whole else None


def _states_chart(entries: Sequence[Entry]) -> Markup | None:
    name = _varying(entries)
    if name is None or len(entries) < LEAST_POINTS:
        return None
    layers = max(len(entry["states"]) for entry in entries)
    lines = [
        Line(
            f"{passes} pass{'' if passes == 1 else 'es'} left" if layers > 1 else "",
            [
                (e["parameters"][name], e["states"][passes])
                for e in entries
                if passes < len(e["states"])
            ],
        )
        for passes in range(min(layers, MOST_CURVES))
    ]
    return line_chart(lines, name, "states")


def _growth_chart(entries: Sequence[Entry]) -> Markup | None:
    curves = [entry for entry in entries if len(entry["growth"]) >= LEAST_POINTS]
    curves = sorted(curves, key=_order)
    if len(curves) > MOST_CURVES:
        last = len(curves) - 1
        curves = [curves[i * last // (MOST_CURVES - 1)] for i in range(MOST_CURVES)]
    lines = [Line(_row(entry).label, list(enumerate(entry["growth"]))) for entry in curves]
    return line_chart(lines, "digits read", "residuals") if lines else None


def _pictures(proved: Sequence[Entry]) -> list[AutomatonPicture]:
    """Return the smallest automata that can be drawn: one of each family, then more as there is room."""
    found: list[tuple[int, int, Certificate, int]] = []
    for family in _families(proved):
        small = sorted(
            (entry for entry in family if entry["certificate"] and entry["states"]),
            key=lambda entry: min(entry["states"]),
        )
        rank = 0
        for entry in small[:MOST_PICTURES]:
            certificate = _read(entry["certificate"])
            if certificate is None:
                continue
            drawable = [p for p, a in enumerate(certificate.automata) if is_drawable(a)]
            for passes in drawable:
                found.append((rank, certificate.automata[passes].states, certificate, passes))
                rank += 1
    chosen = sorted(found, key=lambda one: one[:2])
    distinct: dict[tuple[Automaton, str], tuple[Certificate, int]] = {}
    for _, _, certificate, passes in chosen:
        key = (certificate.automata[passes], certificate.relation)
        distinct.setdefault(key, (certificate, passes))
    pictures = list(distinct.values())[:MOST_PICTURES]
    return [_picture(number, *one) for number, one in enumerate(pictures)]


def _read(path: str) -> Certificate | None:
    try:
        return read_certificate(Path(path))
    except ChocoError:
        return None


def _picture(number: int, certificate: Certificate, passes: int) -> AutomatonPicture:
    automaton = certificate.automata[passes]
    coordinates = certificate.ruleset.coordinates[: len(automaton.tracks)]
    with_value = certificate.relation == "grundy"
    reads = [
        *coordinates[: len(automaton.tracks) - with_value],
        *["the Grundy number"] * with_value,
    ]
    return AutomatonPicture(
        certificate.ruleset.notation,
        RELATIONS[certificate.relation],
        passes if len(certificate.automata) > 1 else None,
        automaton.states,
        reads,
        draw_automaton(automaton, f"automaton-{number}"),
    )
