"""Outcomes of trials on single tables, and their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    HoldsToBound,
    Refuted,
    Undecided,
    Vacuous,
    verdict_text,
)
from choco_pipeline.finding.judge.bounds import Disputed
from choco_pipeline.finding.statements.scope import Parameters
from choco_pipeline.formula.written.parameter_text import listed as all_listed
from choco_pipeline.mining.table_findings import Evidence


@dataclass(frozen=True)
class MissingMember:
    """A small member of a value set does not occur: no table refutes the set, but it is not reported."""

    member: int


@dataclass(frozen=True)
class TableTrial:
    """The outcome of a trial on one table."""

    parameters: Parameters
    bound: int
    verdict: Exhausted | HoldsToBound | Refuted | Undecided | Vacuous | MissingMember | Disputed
    #: The bound of the run's own table of the game; None if the statement was not seen for it.
    run: int | None
    #: Whether it is the whole table of the run, of which searches read a corner.
    is_own: bool = False

    @property
    def is_against(self) -> bool:
        """Whether it contradicts a statement for these parameters."""
        return isinstance(self.verdict, Refuted | MissingMember | Disputed)

    @property
    def positions(self) -> int:
        """The number of positions if the statement was right on all of them, else 0."""
        match self.verdict:
            case Exhausted(positions) | HoldsToBound(positions):
                return positions
            case _:
                return 0


def held_on(before: Evidence, held: Sequence[TableTrial]) -> Evidence:
    """Return the evidence with further games added. Larger tables of games seen repeat their cells and do not count."""
    new = [trial for trial in held if trial.run is None]
    if not new:
        return before
    positions = sum(trial.positions for trial in new)
    what = f"{before.what}; then {_where(new)}"
    return Evidence(before.positions + positions, what, before.tables + len(new))


def agreement(held: Sequence[TableTrial]) -> str:
    """Return the text for the tables on which a statement was right: computed ones and the run's own."""
    computed = [trial for trial in held if not trial.is_own]
    own = [trial for trial in held if trial.is_own]
    parts = []
    if computed:
        parts.append(f"{_counted(computed)} computed to test it: {_where(computed)}")
    if own:
        parts.append(f"{_counted(own)} of the run, as a whole, {_bounds(own)}")
    return f"holds for {'; and for '.join(parts)}"


def _counted(held: Sequence[TableTrial]) -> str:
    tables = f"{len(held)} tables" if len(held) > 1 else "a table"
    return f"all {sum(trial.positions for trial in held):,} positions of {tables}"


def _where(held: Sequence[TableTrial]) -> str:
    new = [trial for trial in held if trial.run is None]
    further = [trial for trial in held if trial.run is not None and trial.bound > trial.run]
    again = [trial for trial in held if trial.run is not None and trial.bound <= trial.run]
    parts = []
    if new:
        named = all_listed([trial.parameters for trial in new])
        which = f"{named}, not seen before" if named else "a table of the game"
        parts.append(f"{which}, {_bounds(new)}")
    if further:
        parts.append(
            f"{'larger tables' if len(further) > 1 else 'a larger table'}, {_bounds(further)}"
        )
    if again:
        parts.append(f"a part of what it was found on again, {_bounds(again)}")
    return " and ".join(parts)


def _bounds(held: Sequence[TableTrial]) -> str:
    """Return the text for the bounds of tables."""
    least, most = (choose(trial.bound for trial in held) for choose in (min, max))
    return f"to bound {most:,}" if least == most else f"to bounds from {least:,} to {most:,}"


def verdict_against(against: Sequence[TableTrial]) -> Conclusion:
    """Return the verdict of trials that contradict a statement: "refuted" if one of them refutes it."""
    refuting = [trial for trial in against if isinstance(trial.verdict, Refuted)]
    deciding = (refuting or against)[0]
    match deciding.verdict:
        case MissingMember(member):
            text = f"no P-position up to bound {deciding.bound:,} has the value {member:,}"
        case Disputed(claim, _, why):
            text = f"right to bound {deciding.bound:,}, but {claim} {why}"
        case verdict:
            text = verdict_text(verdict)
    where = all_listed([deciding.parameters])
    return Conclusion("refuted" if refuting else "undecided", f"{where}: {text}" if where else text)
