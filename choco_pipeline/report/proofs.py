"""The page on proofs: families of games, their automata, and growth of residuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.laws import FEWEST, Law, laws
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import assigned, listed
from choco_pipeline.games.notation import as_written
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.proof.games.certificate import read_certificate
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.proof.records import FormulaOfProof, GameProof, PositionCounts
from choco_pipeline.report.pictures import (
    Line,
    WorkedReading,
    draw_automaton,
    is_drawable,
    line_chart,
    worked_reading,
)
from choco_pipeline.sweep.ledger import Ledger

#: Residuals grow fast if each of the last two digits multiplies their number by at least this factor on average.
FAST = 2.0
RELATIONS = {"p": "P-positions", "grundy": "Grundy numbers"}
#: Fewest points of a series in a chart.
LEAST_POINTS = 3
#: Most drawn automata of one family; the smallest are chosen.
MOST_PICTURES = 8
#: Most named games in a list of undecided games.
MOST_NAMED = 6


@dataclass(frozen=True)
class ProofRow:
    """A game's entry in the ledger, with its varying parameters as text."""

    entry: GameProof
    varying: Mapping[str, str]

    @property
    def label(self) -> str:
        """Its parameters that vary in the family, or its ruleset if none does."""
        return assigned(self.varying) or self.entry.ruleset

    @property
    def states(self) -> str:
        """Numbers of states for each number of passes left."""
        return ", ".join(f"{number:,}" for number in self.entry.states) or "–"

    @property
    def factor(self) -> float | None:
        """The mean factor of the number of residuals for the last two digits, if known."""
        growth = self.entry.growth
        known = len(growth) >= 3 and growth[-3]
        return float((growth[-1] / growth[-3]) ** 0.5) if known else None

    @property
    def growth(self) -> str | None:
        """The word "fast" or "slowly", if enough residuals are known."""
        return None if self.factor is None else "fast" if self.factor >= FAST else "slowly"


@dataclass(frozen=True)
class AutomatonPicture:
    """An automaton that is small enough to be drawn."""

    ruleset: str
    #: Number of passes left; None in a game without passes.
    passes: int | None
    states: int
    reads: list[str]
    picture: Markup


#: Numbers of states against one parameter, by the values of the fixed ones.
Series = Mapping[str, Mapping[int, int]]


class ProofFamily:
    """The games of one sweep that requests proofs."""

    def __init__(
        self, entries: Sequence[GameProof], pattern: str, certificates: Mapping[str, Proof]
    ) -> None:
        """Build the family from proofs, the sweep's ruleset, and certificates by path."""
        named, all_parameters = {*as_written(pattern).names, "passes"}, entries[0].parameters
        values = {name: {e.parameters.get(name) for e in entries} for name in all_parameters}
        #: The parameters of the sweep's ruleset that vary, including passes.
        names = [n for n, of in values.items() if n in named and len(of) > 1 and None not in of]
        rows = [
            ProofRow(entry, {name: math_text(str(entry.parameters[name])) for name in names})
            for entry in entries
        ]
        #: The sweep, which distinguishes families of one notation.
        self.sweep = entries[0].sweep
        #: The notation with parameters.
        self.ruleset = notation(entries, pattern)
        self.relation = RELATIONS[entries[0].relation]
        self.proved = [row for row in rows if row.entry.status == "proved"]
        self.unclosed = [row for row in rows if row.entry.status != "proved"]
        self.games = len(entries)
        numbers = (n for n in names if all(isinstance(value, int) for value in values[n]))
        #: The first integer parameter that varies, and its largest value with a proved game.
        self.main = main = next((name for name in numbers if name != "passes"), None)
        self.largest: int | None = None
        #: The laws of numbers of states, each with its games; empty for all games.
        self.laws: list[tuple[str, Law]] = []
        #: The remark for the case that there is no law; None without a parameter for laws.
        self.no_law: str | None = None
        self.states_chart: Markup | None = None
        if main and self.proved:
            self.largest = max(row.entry.parameters[main] for row in self.proved)
            series = self._series(main, names)
            self.laws = [(of, law) for of, states in series.items() for law in _laws(states, main)]
            has_enough = any(len(states) >= FEWEST for states in series.values())
            self.no_law = "none found" if has_enough else "too few games for a law"
            self.states_chart = _states_chart(series, main)
        curves = [row for row in self.unclosed if len(row.entry.growth) >= LEAST_POINTS]
        lines = [Line(row.label, [*enumerate(row.entry.growth)]) for row in curves]
        self.growth_chart = line_chart(lines, "digits read", "residuals") if lines else None
        #: The smallest automata, and the number of others.
        self.pictures, self.not_drawn = self._pictures(certificates)

    @property
    def counts(self) -> list[tuple[str, PositionCounts]]:
        """The numbers of positions by size, with their games."""
        return [(row.entry.ruleset, count) for row in self.proved for count in row.entry.counts]

    @property
    def formulas(self) -> list[tuple[str, FormulaOfProof]]:
        """The formulas, each with its games."""
        formulas: dict[str, tuple[list[str], FormulaOfProof]] = {}
        for row in self.proved:
            if formula := row.entry.formula:
                formulas.setdefault(formula.text, ([], formula))[0].append(row.label)
        return [("; ".join(labels), formula) for labels, formula in formulas.values()]

    @property
    def undecided(self) -> list[tuple[str, str]]:
        """The reasons why games were not decided, each with its games."""
        reasons: dict[str, list[ProofRow]] = {}
        for row in self.unclosed:
            why = row.entry.why
            if row.growth:
                why = f"no automaton found: residuals grow {row.growth}"
            reasons.setdefault(why, []).append(row)
        return [(why, _listed(rows)) for why, rows in reasons.items()]

    def _series(self, main: str, names: Sequence[str]) -> Series:
        """Return the numbers of states by `main`, for all other parameters and passes."""
        entries = [row.entry for row in self.proved]
        layers = max(len(entry.states) for entry in entries)
        series: dict[str, dict[int, int]] = {}
        for passes in range(layers):
            left = [passes_left(passes)] if layers > 1 else []
            for entry in entries:
                if passes < len(entry.states):
                    fixed = [f"{name} = {entry.parameters[name]}" for name in names if name != main]
                    states = series.setdefault(", ".join([*fixed, *left]), {})
                    states[entry.parameters[main]] = entry.states[passes]
        return series

    def _pictures(self, certificates: Mapping[str, Proof]) -> tuple[list[AutomatonPicture], int]:
        distinct: dict[Automaton, tuple[Proof, int]] = {}
        for row in self.proved:
            if certificate := certificates.get(row.entry.certificate or ""):
                for passes, automaton in enumerate(certificate.automata):
                    distinct.setdefault(automaton, (certificate, passes))
        small = sorted(filter(is_drawable, distinct), key=lambda automaton: automaton.states)
        pictures = []
        for automaton, (certificate, passes) in distinct.items():
            if automaton in small[:MOST_PICTURES]:
                value = ["the Grundy number"] * (certificate.relation == "grundy")
                read = certificate.ruleset.coordinates[: len(automaton.tracks) - len(value)]
                pictures.append(
                    AutomatonPicture(
                        certificate.ruleset.notation,
                        passes if len(certificate.automata) > 1 else None,
                        automaton.states,
                        [*read, *value],
                        draw_automaton(automaton),
                    )
                )
        return pictures, len(distinct) - len(pictures)


def proof_families(ledger: Ledger) -> tuple[list[ProofFamily], WorkedReading | None]:
    """Return the proofs by relation and sweep, and an example of an automaton.

    Certificates are read only for pictures. Missing and damaged ones are skipped.
    """
    certificates: dict[str, Proof] = {}
    groups: dict[tuple[str, str], list[GameProof]] = {}
    for entry in ledger.proofs:
        groups.setdefault((entry.relation, entry.sweep), []).append(entry)
        if entry.certificate:
            with suppress(ChocoError):
                certificates[entry.certificate] = read_certificate(Path(entry.certificate))

    def order(entry: GameProof) -> list[tuple[int, str]]:
        values = entry.parameters.values()
        return [(v, "") if isinstance(v, int) else (0, str(v)) for v in values]

    families = [
        ProofFamily(
            sorted(group, key=order), ledger.sweeps.get(sweep, group[0].ruleset), certificates
        )
        for (_, sweep), group in groups.items()
    ]
    return families, worked_reading([*certificates.values()])


def notation(entries: Sequence[GameProof], pattern: str) -> str:
    """Return a sweep's ruleset for each number of passes, with fixed parameters."""
    passes = sorted({entry.parameters.get("passes", 0) for entry in entries})
    rulesets = [f"with-pass({pattern}, passes={n})" if n else pattern for n in passes]
    given = entries[0].parameters
    names = sorted(as_written(pattern).names & given.keys())
    fixed = {n: given[n] for n in names if all(e.parameters.get(n) == given[n] for e in entries)}
    return ", ".join(rulesets) + (f" with {assigned(fixed)}" if fixed else "")


def _laws(states: Mapping[int, int], main: str) -> list[Law]:
    return laws({k: number for k, number in states.items() if k >= 1}, main)


def _states_chart(series: Series, main: str) -> Markup | None:
    """Return the chart of states by `main`, with a line for each law or series."""
    if not any(len(states) >= LEAST_POINTS for states in series.values()):
        return None
    lines = [Line(of, sorted(states.items())) for of, states in series.items() if len(states) > 1]
    if len(series) == 1:
        ((_, states),) = series.items()
        left, lines = dict(states), []
        for law in _laws(states, main):
            members = [*law.fitted, *law.held_out]
            lines.append(Line(law.formula, [(k, left.pop(k)) for k in members if k in left]))
        lines.append(Line("no law found" if lines else "", sorted(left.items())))
    return line_chart([line for line in lines if line.points], main, "states")


def _listed(rows: Sequence[ProofRow]) -> str:
    """Return a list of games in a line, abbreviated if there are many."""
    named = rows[:MOST_NAMED]
    text = listed([row.varying for row in named]) or "; ".join(row.label for row in named)
    return text if len(named) == len(rows) else f"{text}, … ({len(rows)} in all)"
