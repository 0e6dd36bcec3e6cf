"""How automata grow with a family's parameter, as charts and as laws, and how residuals grow where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from choco_pipeline.finding.families.laws import FEWEST, Law, laws
from choco_pipeline.games.combine import passes_left
from choco_pipeline.proof.games.proof_outcome import GameProof
from choco_pipeline.report.charts.line_chart import Line, line_chart
from choco_pipeline.report.proved.proof_rows import ProofRow, varying

#: Numbers of states against one parameter, all others fixed, by what is fixed.
Series = Mapping[str, Mapping[int, int]]
#: Points of a series that make a chart.
LEAST_POINTS = 3


@dataclass(frozen=True)
class FoundLaw:
    """A law of numbers of states, in words."""

    #: Of which games of the family it speaks; empty if of all.
    of: str
    formula: str
    where: str
    #: On how much it was fitted, and on how much tested.
    tested: str


def main_parameter(entries: Sequence[GameProof]) -> str | None:
    """Return the first parameter that differs between the entries and is a whole number, if there is one."""
    return next(
        (
            name
            for name in varying(entries)
            if all(isinstance(entry.parameters[name], int) for entry in entries)
        ),
        None,
    )


def series_of(proved: Sequence[GameProof], main: str, names: Sequence[str]) -> Series:
    """Return the states of proved games against `main`, apart for other parameters and for passes left."""
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
    return [
        FoundLaw(name, law.formula, law.where, _tested(law, main))
        for name, states in series.items()
        for law in _laws(states, main)
    ]


def has_enough(series: Series) -> bool:
    """Return whether a law could have been found in one of the series."""
    return any(len(states) >= FEWEST for states in series.values())


def states_chart(series: Series, main: str) -> Markup | None:
    """Return the states against the parameter `main`; one series apart by its laws, several each in one line."""
    if not any(len(states) >= LEAST_POINTS for states in series.values()):
        return None
    if len(series) == 1:
        lines = _by_law(next(iter(series.values())), main)
    else:
        named = series.items()
        lines = [Line(name, sorted(states.items())) for name, states in named if len(states) > 1]
    return line_chart(lines, main, "states")


def growth_chart(rows: Sequence[ProofRow]) -> Markup | None:
    """Return the residuals against the digits that were read, one curve for each game that has one."""
    curves = [row for row in rows if len(row.entry.growth) >= LEAST_POINTS]
    lines = [Line(row.label, list(enumerate(row.entry.growth))) for row in curves]
    return line_chart(lines, "digits read", "residuals") if lines else None


def _laws(states: Mapping[int, int], main: str) -> list[Law]:
    return laws({k: number for k, number in states.items() if k >= 1}, main)


def _by_law(states: Mapping[int, int], main: str) -> list[Line]:
    """Return one line for each law that the numbers follow, and one for those that follow none."""
    left = dict(states)
    lines = []
    for law in _laws(states, main):
        members = [*law.fitted, *law.held_out]
        lines.append(Line(law.formula, [(k, left.pop(k)) for k in members if k in left]))
    rest = Line("no law found" if lines else "", sorted(left.items()))
    return [line for line in [*lines, rest] if line.points]


def _tested(law: Law, main: str) -> str:
    fitted = f"fitted on the {len(law.fitted)} with {main} = {law.fitted[0]} to {law.fitted[-1]}"
    held = f"right at all {len(law.held_out)} larger ones, {main} = {law.held_out[0]} to {law.held_out[-1]}"
    return f"{fitted}; {held}"
