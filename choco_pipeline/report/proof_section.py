"""The section on proofs: families, their automata, and the growth of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.claims.conclusions.rows import ENGINES, enumerated
from choco_pipeline.commands import command
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.families.laws import FEWEST, Law, laws
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import assigned, listed
from choco_pipeline.games.combine import passes_left
from choco_pipeline.games.notation import Argument, Notation, as_written
from choco_pipeline.proof.games.certificate import read_certificate
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.proof.records import FormulaOfProof, GameProof, PositionCounts
from choco_pipeline.report.automaton_pictures import (
    WorkedReading,
    draw_automaton,
    is_drawable,
    worked_reading,
)
from choco_pipeline.report.line_chart import Line, line_chart
from choco_pipeline.sweep.ledger import Ledger

#: Residuals grow fast if each of the last digits multiplies them by at least this factor on average.
FAST = 2.0
RELATIONS = {"p": "P-positions", "grundy": "Grundy numbers"}


@dataclass(frozen=True)
class ProofRow:
    """One game of the section."""

    #: Its entry in the ledger.
    entry: GameProof
    #: Its parameters that vary in the family, typeset.
    varying: Mapping[str, str]
    #: Numbers of states for each number of passes left.
    states: str
    engines: str
    #: The command that checks the certificate; None without one.
    command: str | None
    #: `growth_factor` of a game without an automaton.
    factor: float | None

    @property
    def label(self) -> str:
        """Its parameters that vary in the family, or its ruleset if none does."""
        return assigned(self.varying) or self.entry.ruleset

    @property
    def growth(self) -> str | None:
        """The word "fast" or "slowly", if enough residuals are known."""
        if self.factor is None:
            return None
        return "fast" if self.factor >= FAST else "slowly"


def proof_row(entry: GameProof, names: Sequence[str]) -> ProofRow:
    """Return the row of a ledger's entry, with the parameters `names`."""
    certificate = entry.certificate
    return ProofRow(
        entry,
        {name: math_text(str(entry.parameters[name])) for name in names},
        ", ".join(f"{number:,}" for number in entry.states) or "–",
        enumerated([ENGINES.get(engine, engine) for engine in entry.engines]),
        certificate and command("prove", "--check", certificate),
        growth_factor(entry.growth),
    )


def growth_factor(growth: Sequence[int]) -> float | None:
    """Return the mean factor of the residuals for each of the last two digits.

    None if too few residuals are known.

    Examples
    --------
    >>> growth_factor([1, 4, 10, 40]), growth_factor([1, 1])
    (3.1622776601683795, None)
    """
    if len(growth) < 3 or not growth[-3]:
        return None
    return float((growth[-1] / growth[-3]) ** 0.5)


def grouped(entries: Sequence[GameProof]) -> list[list[GameProof]]:
    """Return the ledger's proofs by families: relation and sweep."""
    groups: dict[tuple[str, str], list[GameProof]] = {}
    for entry in entries:
        groups.setdefault((entry.relation, entry.sweep), []).append(entry)
    return [sorted(group, key=_order) for group in groups.values()]


def varying(entries: Sequence[GameProof]) -> list[str]:
    """Return the common parameters that occur in the rulesets and vary."""
    common = [name for name in entries[0].parameters if all(name in e.parameters for e in entries)]
    in_ruleset = {
        name
        for entry in entries
        for name in common
        if _template(entry, [name]) != as_written(entry.ruleset).text
    }
    return [
        name
        for name in common
        if name in in_ruleset and len({e.parameters[name] for e in entries}) > 1
    ]


def notation(entries: Sequence[GameProof], names: Sequence[str]) -> str:
    """Return the rulesets of the proofs, in which `names` stand for the parameters."""
    shapes: dict[str, Counter[str]] = {}
    for entry in entries:
        # A number may equal two parameters; most members of a family tell them apart.
        shapes.setdefault(_shape(entry), Counter())[_template(entry, names)] += 1
    return ", ".join(counts.most_common(1)[0][0] for counts in shapes.values())


def _template(entry: GameProof, names: Iterable[str]) -> str:
    """Return the ruleset with the names of parameters instead of their values."""
    values = {name: _argument(entry.parameters[name]) for name in names}
    return _with_names(as_written(entry.ruleset), values).text


def _shape(entry: GameProof) -> str:
    """Return the ruleset with placeholders for all parameters."""
    ruleset = as_written(entry.ruleset)
    if not entry.parameters:
        return ruleset.text
    heights = {n: _argument(v) for n, v in entry.parameters.items() if isinstance(v, str)}
    shape = _with_names(ruleset, heights)
    for number in ruleset.integers:
        shape = _with_names(shape, {"n": _argument(number)})
    return shape.text


def _argument(value: int | str) -> Argument:
    ((_, argument),) = as_written(f"solid-bar(f={value})").arguments
    return argument


def _with_names(notation: Notation, values: Mapping[str, Argument]) -> Notation:
    """Return a notation with names instead of values, except numbers of passes."""

    def named(key: str, argument: Argument) -> Argument:
        if isinstance(argument, Notation):
            return _with_names(argument, values)
        for name, value in values.items():
            if argument == value and key != "passes":
                return parse(name)
            if isinstance(argument, Formula) and isinstance(value, Formula) and key != "passes":
                argument = argument.with_name(name, value)
        return argument

    arguments = ((key, named(key, argument)) for key, argument in notation.arguments)
    return Notation(notation.name, tuple(arguments))


def _order(entry: GameProof) -> list[tuple[int, str]]:
    values = entry.parameters.values()
    return [(v, "") if isinstance(v, int) else (0, str(v)) for v in values]


#: Numbers of states against one parameter, all others fixed, by what is fixed.
Series = Mapping[str, Mapping[int, int]]
#: Fewest points of a series in a chart.
LEAST_POINTS = 3


@dataclass(frozen=True)
class FoundLaw:
    """A law of numbers of states, in words."""

    #: The games of the family that it is about; empty for all.
    of: str
    formula: str
    where: str
    #: The numbers of games for the fit and for the test, in words.
    tested: str


def series_of(proved: Sequence[GameProof], main: str, names: Sequence[str]) -> Series:
    """Return the numbers of states against `main`, by other parameters and passes."""
    others = [name for name in names if name != main]
    layers = max(len(entry.states) for entry in proved)
    lines: dict[str, dict[int, int]] = {}
    for passes in range(layers):
        left = [passes_left(passes)] if layers > 1 else []
        for entry in proved:
            if passes < len(entry.states):
                fixed = [f"{name} = {entry.parameters[name]}" for name in others]
                states = lines.setdefault(", ".join([*fixed, *left]), {})
                states[entry.parameters[main]] = entry.states[passes]
    return lines


def found_laws(series: Series, main: str) -> list[FoundLaw]:
    """Return the laws of all series."""
    found = []
    for name, states in series.items():
        for law in _laws(states, main):
            fitted, held = law.fitted, law.held_out
            tested = f"fitted on the {len(fitted)} with {main} = {fitted[0]} to {fitted[-1]}"
            tested += f"; right at all {len(held)} larger ones, {main} = {held[0]} to {held[-1]}"
            found.append(FoundLaw(name, law.formula, law.where, tested))
    return found


def states_chart(series: Series, main: str) -> Markup | None:
    """Return the chart of states against `main`, with a line for each law or series."""
    if not any(len(states) >= LEAST_POINTS for states in series.values()):
        return None
    if len(series) == 1:
        lines = _by_law(next(iter(series.values())), main)
    else:
        named = series.items()
        lines = [Line(name, sorted(states.items())) for name, states in named if len(states) > 1]
    return line_chart(lines, main, "states")


def growth_chart(rows: Sequence[ProofRow]) -> Markup | None:
    """Return the chart of residuals against digits read, a line for each game."""
    curves = [row for row in rows if len(row.entry.growth) >= LEAST_POINTS]
    lines = [Line(row.label, list(enumerate(row.entry.growth))) for row in curves]
    return line_chart(lines, "digits read", "residuals") if lines else None


def _laws(states: Mapping[int, int], main: str) -> list[Law]:
    return laws({k: number for k, number in states.items() if k >= 1}, main)


def _by_law(states: Mapping[int, int], main: str) -> list[Line]:
    """Return a line for each law, and one for the remaining numbers."""
    left = dict(states)
    lines = []
    for law in _laws(states, main):
        members = [*law.fitted, *law.held_out]
        lines.append(Line(law.formula, [(k, left.pop(k)) for k in members if k in left]))
    rest = Line("no law found" if lines else "", sorted(left.items()))
    return [line for line in [*lines, rest] if line.points]


#: Drawn automata of one family, the smallest ones.
MOST_PICTURES = 8
#: Named games in a list of undecided ones.
MOST_NAMED = 6


@dataclass(frozen=True)
class AutomatonPicture:
    """An automaton that is small enough to be drawn."""

    ruleset: str
    passes: int | None
    states: int
    reads: list[str]
    picture: Markup


@dataclass(frozen=True)
class ProofFamily:
    """Games for which one sweep asked for proofs."""

    #: The sweep, which distinguishes families of one notation.
    sweep: str
    #: The notation with parameters.
    ruleset: str
    relation: str
    proved: list[ProofRow]
    unclosed: list[ProofRow]
    #: The parameter that varies most, and the largest value of it for which a game is proved.
    main: str | None
    largest: int | None
    laws: list[FoundLaw]
    #: The remark if no law was found; None without a parameter for a law.
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
        """The known numbers of positions, with the games."""
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
        """The reasons why games were not decided, with these games."""
        reasons: dict[str, list[ProofRow]] = {}
        for row in self.unclosed:
            why = row.entry.why
            if row.growth:
                why = f"no automaton found: residuals grow {row.growth}"
            reasons.setdefault(why, []).append(row)
        return [(why, _listed(rows)) for why, rows in reasons.items()]


@dataclass(frozen=True)
class ProofSection:
    """The content of the section on proofs."""

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
    """Return the section on the proofs of a ledger.

    Certificates are read only for pictures; missing and damaged ones are left out.
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


def _family(entries: Sequence[GameProof], certificates: Mapping[str, Proof]) -> ProofFamily:
    names = varying(entries)
    rows = [proof_row(entry, names) for entry in entries]
    proved = [row for row in rows if row.entry.status == "proved"]
    unclosed = [row for row in rows if row.entry.status != "proved"]
    numbers = (n for n in names if all(isinstance(e.parameters[n], int) for e in entries))
    main = next(numbers, None)
    series = series_of([row.entry for row in proved], main, names) if main and proved else {}
    no_law = None
    if series:
        has_enough = any(len(states) >= FEWEST for states in series.values())
        no_law = "none found" if has_enough else "too few games for a law"
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
        no_law,
        states_chart(series, main) if main else None,
        growth_chart(unclosed),
        pictures,
        not_drawn,
    )


def _pictures(
    proved: Sequence[ProofRow], certificates: Mapping[str, Proof]
) -> tuple[list[AutomatonPicture], int]:
    """Return drawings of a family's smallest automata, and the number of others."""
    distinct: dict[Automaton, tuple[Proof, int]] = {}
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


def _read(path: str) -> Proof | None:
    try:
        return read_certificate(Path(path))
    except ChocoError:
        return None


def _picture(certificate: Proof, passes: int) -> AutomatonPicture:
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
    """Return a list of games in a line, abbreviated if there are many."""
    named = rows[:MOST_NAMED]
    text = listed([row.varying for row in named]) or "; ".join(row.label for row in named)
    return text if len(named) == len(rows) else f"{text}, … ({len(rows)} in all)"
