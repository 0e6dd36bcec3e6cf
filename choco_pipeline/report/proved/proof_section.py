"""The section on proofs: families of games, what is known of each for all positions, and the automata that tell it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula.written.parameter_text import listed
from choco_pipeline.proof.games.certificate import Certificate, read_certificate
from choco_pipeline.proof.games.proof_outcome import FormulaOfProof, GameProof, PositionCounts
from choco_pipeline.report.proved.automaton_picture import draw_automaton, is_drawable
from choco_pipeline.report.proved.proof_charts import (
    FoundLaw,
    found_laws,
    growth_chart,
    has_enough,
    main_parameter,
    series_of,
    states_chart,
)
from choco_pipeline.report.proved.proof_rows import (
    RELATIONS,
    ProofRow,
    grouped,
    notation,
    proof_row,
    varying,
)
from choco_pipeline.report.proved.worked_reading import WorkedReading, worked_reading
from choco_pipeline.sweep.run_ledger import Ledger

#: Automata that are drawn of one family, the smallest ones.
MOST_PICTURES = 8
#: Games that are named where a family's undecided ones are listed.
MOST_NAMED = 6


@dataclass(frozen=True)
class AutomatonPicture:
    """One automaton that is small enough to be looked at."""

    ruleset: str
    passes: int | None
    states: int
    reads: list[str]
    picture: Markup


@dataclass(frozen=True)
class ProofFamily:
    """Games of which one sweep asked for proofs."""

    #: The sweep, which tells families of one notation apart.
    sweep: str
    #: With parameters for what varies.
    ruleset: str
    relation: str
    proved: list[ProofRow]
    unclosed: list[ProofRow]
    #: The parameter that varies most, and the largest value of it for which a game is proved.
    main: str | None
    largest: int | None
    laws: list[FoundLaw]
    #: What is said where no law was found; None where there is no parameter that one could depend on.
    no_law: str | None
    states_chart: Markup | None
    growth_chart: Markup | None
    pictures: list[AutomatonPicture]
    #: Proved automata that are not among `pictures`.
    not_drawn: int

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.proved) + len(self.unclosed)

    @property
    def counts(self) -> list[tuple[str, PositionCounts]]:
        """All that is known of numbers of positions, with the games."""
        return [(row.entry.ruleset, count) for row in self.proved for count in row.entry.counts]

    @property
    def formulas(self) -> list[tuple[str, FormulaOfProof]]:
        """The formulas, each with the games that it holds for."""
        formulas: dict[str, tuple[list[str], FormulaOfProof]] = {}
        for row in self.proved:
            if formula := row.entry.formula:
                formulas.setdefault(formula.text, ([], formula))[0].append(row.label)
        return [("; ".join(labels), formula) for labels, formula in formulas.values()]

    @property
    def undecided(self) -> list[tuple[str, str]]:
        """Why games were not decided, and which."""
        reasons: dict[str, list[ProofRow]] = {}
        for row in self.unclosed:
            why = row.entry.why
            if row.growth:
                why = f"no automaton found: residuals grow {row.growth}"
            reasons.setdefault(why, []).append(row)
        return [(why, _listed(rows)) for why, rows in reasons.items()]


@dataclass(frozen=True)
class ProofSection:
    """Everything that the section on proofs shows."""

    families: list[ProofFamily]
    example: WorkedReading | None

    @property
    def games(self) -> int:
        """Number of games with a proof."""
        return sum(len(family.proved) for family in self.families)

    @property
    def attempts(self) -> int:
        """Number of games without one."""
        return sum(len(family.unclosed) for family in self.families)


def proof_section(ledger: Ledger) -> ProofSection:
    """Return what a ledger says of proofs.

    Certificates are read only for pictures: one that is missing or cannot be read is left out.
    """
    entries = ledger.proofs
    certificates = {
        path: certificate
        for entry in entries
        if (path := entry.certificate) and (certificate := _read(path)) is not None
    }
    return ProofSection(
        [_family(group, certificates) for group in grouped(entries)],
        worked_reading(list(certificates.values())),
    )


def _family(entries: Sequence[GameProof], certificates: Mapping[str, Certificate]) -> ProofFamily:
    names = varying(entries)
    rows = [proof_row(entry, names) for entry in entries]
    proved = [row for row in rows if row.entry.status == "proved"]
    unclosed = [row for row in rows if row.entry.status != "proved"]
    main = main_parameter(entries)
    series = series_of([row.entry for row in proved], main, names) if main and proved else {}
    pictures, not_drawn = _pictures(proved, certificates)
    return ProofFamily(
        entries[0].sweep,
        notation(entries, names),
        RELATIONS[entries[0].relation],
        proved,
        unclosed,
        main,
        max((row.entry.parameters[main] for row in proved), default=None) if main else None,
        found_laws(series, main) if main else [],
        ("none found" if has_enough(series) else "too few games for a law") if series else None,
        states_chart(series, main) if main else None,
        growth_chart(unclosed),
        pictures,
        not_drawn,
    )


def _pictures(
    proved: Sequence[ProofRow], certificates: Mapping[str, Certificate]
) -> tuple[list[AutomatonPicture], int]:
    """Return drawings of a family's smallest automata, each once, and the number of those that are not drawn."""
    distinct: dict[Automaton, tuple[Certificate, int]] = {}
    for row in proved:
        if certificate := certificates.get(row.entry.certificate or ""):
            for passes, automaton in enumerate(certificate.automata):
                distinct.setdefault(automaton, (certificate, passes))
    small = [automaton for automaton in distinct if is_drawable(automaton)]
    chosen = set(sorted(small, key=lambda automaton: automaton.states)[:MOST_PICTURES])
    pictures = [
        _picture(*entries) for automaton, entries in distinct.items() if automaton in chosen
    ]
    return pictures, len(distinct) - len(pictures)


def _read(path: str) -> Certificate | None:
    try:
        return read_certificate(Path(path))
    except ChocoError:
        return None


def _picture(certificate: Certificate, passes: int) -> AutomatonPicture:
    automaton = certificate.automata[passes]
    with_value = certificate.relation == "grundy"
    return AutomatonPicture(
        certificate.ruleset.notation,
        passes if len(certificate.automata) > 1 else None,
        automaton.states,
        [
            *certificate.ruleset.coordinates[: len(automaton.tracks) - with_value],
            *["the Grundy number"] * with_value,
        ],
        draw_automaton(automaton),
    )


def _listed(rows: Sequence[ProofRow]) -> str:
    """Return games in a line, and of many the first."""
    shown = rows[:MOST_NAMED]
    text = listed([row.varying for row in shown]) or "; ".join(row.label for row in shown)
    return text if len(shown) == len(rows) else f"{text}, … ({len(rows)} in all)"
