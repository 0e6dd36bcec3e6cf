"""Trials of a claim on tables in memory, within a limit of CPU time."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from types import FrameType

from markupsafe import Markup

from choco_pipeline.claims.checks.check import check_claim, check_standing
from choco_pipeline.claims.conclusions.conclusion import SIGNS
from choco_pipeline.claims.conclusions.rows import check_across
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim, assignments
from choco_pipeline.claims.language.verdict import (
    AllParameters,
    ClaimVerdict,
    Finding,
    Undecided,
    VerdictKind,
    verdict_text,
)
from choco_pipeline.errors import ConfigError, LimitError
from choco_pipeline.formula import Range, parse_range
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.notation import build
from choco_pipeline.tables.computing import cost_of, require_memory, table
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.spec import Quantity, quantity_for

#: Seconds until the timer fires again after firing during an import.
AGAIN = 0.01


class OverTimeError(LimitError):
    """A time limit was exceeded."""


class _TimeOverError(BaseException):
    """The time is over; not an `Exception`, so that no handler catches it."""


class ProcessorTime:
    """A limit on the processor time of work in the main thread.

    Unlike time on the clock, processor time makes verdicts independent of the load of the machine. `more` is a hint at the end
    of the error message.
    """

    def __init__(self, seconds: float, more: str) -> None:
        self._seconds = self._left = seconds
        self._more = more
        self._is_counting = False

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time of the `with` block.

        Raises `OverTimeError` when no seconds are left.
        """
        before = signal.signal(signal.SIGPROF, self._ring)
        try:
            self._is_counting = True
            try:
                if self._left <= 0:
                    raise _TimeOverError
                signal.setitimer(signal.ITIMER_PROF, self._left)
                yield
            finally:
                self._is_counting = False
        except _TimeOverError:
            why = f"it takes more than {self._seconds:g} s of a processor; {self._more}"
            raise OverTimeError(why) from None
        finally:
            self._left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                # A module with an interrupted import cannot be used any more.
                signal.setitimer(signal.ITIMER_PROF, AGAIN)
                return
            frame = frame.f_back
        if self._is_counting:
            raise _TimeOverError


#: Largest number of combinations of parameter values; more need a sweep.
MOST_COMBINATIONS = 10_000
#: Largest estimated time of a table in seconds; more needs a sweep.
MOST_SECONDS = 600.0

Given = Mapping[str, int | Range]
#: Called after each table with the number of finished tables and the number of all tables.
Report = Callable[[int, int], None]
#: Makes a context for a trial, which becomes undecided if the context raises `OverTimeError`.
Limit = Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True)
class Trial:
    """The result of one trial of a claim."""

    #: Values of the ruleset's parameters and the integers of `every`, or of the integers that were fixed; empty for a
    #: claim that compares tables.
    parameters: Mapping[str, int]
    #: The ruleset with all values; the claim's pattern if tables are compared, None without a table.
    ruleset: str | None
    #: The bound of the table, or of the integers; None if tables are compared, or for the claim's own bound.
    bound: int | None
    #: The quantity of the table, if any.
    quantity: Quantity | None
    #: The verdict and the evidence for it.
    finding: Finding
    #: Time for the table and the check.
    seconds: float
    #: The domain of a verdict on all parameters at once.
    for_all: AllParameters | None = None

    @property
    def verdict(self) -> VerdictKind:
        """The verdict's name."""
        return self.finding.verdict.kind

    @property
    def text(self) -> str:
        """The verdict in a line."""
        return verdict_text(self.finding.verdict)

    def _repr_html_(self) -> str:
        """Return the verdict with its game and parameters, for notebooks."""
        of = ", ".join(filter(None, (self.ruleset, assigned(self.parameters))))
        return Markup("<p><b>{}</b>: <code>{}</code>: {}</p>").format(
            SIGNS[self.verdict][1], of, self.text
        )


def trials(
    claim: Claim,
    given: Given | None = None,
    bound: int | None = None,
    report: Report = lambda done, total: None,
    limit: Limit = nullcontext,
) -> Iterator[Trial]:
    """Check a claim in this process, and return an iterator over the trials.

    `given` has integers, or ranges of integers, for names in the claim's sample or in `every`; for a statement without a
    ruleset, integers for some of its names. The default of `bound`, for tables or integers, is that of the
    sample, or else the claim's reach; a rectangular bar needs none. `report` is called with the numbers of finished
    and of all tables. `limit` limits the time of each trial.

    There is one trial for each choice of the parameters of the claim, in the order of the sample; only one for a claim that
    compares tables, or that needs none. Mistakes in the request are raised at once. Raises `ConfigError` if a value is
    missing, a name is unknown, or the claim is about none of the values; `LimitError` if a table is too large for this
    machine, or takes too long.
    """
    given = given or {}
    if claim.pattern is None:
        fixed = _fixed_integers(claim, given)
        trial = partial(Trial, fixed, None, bound, None)
        return _timed_trials([(trial, partial(check_standing, claim, bound, fixed))], limit)
    with limit():
        # Auxiliary names can lead to the same parameters several times.
        distinct: dict[tuple[tuple[int, ...], int | None], dict[str, int]] = {}
        for known, case in _cases(claim, given):
            size = _bound(claim, known, case, bound)
            distinct.setdefault((tuple(case.values()), size), case)
        planned = [_planned_on_table(claim, case, size) for (_, size), case in distinct.items()]
    each = _timed_trials(planned, limit, report)
    return _trial_across_tables(claim, each) if claim.is_over_tables else each


def chosen_cases(claim: Claim, given: Given) -> list[dict[str, int]]:
    """Return the parameters of all cases; raise errors as `trials` does."""
    cases = (case for _, case in _cases(claim, given))
    return list({tuple(case.values()): case for case in cases}.values())


#: A trial without its finding and seconds, and the check that finds it.
_Planned = tuple[Callable[[Finding, float], Trial], Callable[[], Finding]]


def _timed_trials(
    planned: Sequence[_Planned], limit: Limit, report: Report = lambda done, total: None
) -> Iterator[Trial]:
    """Yield timed trials; one that takes too long is undecided."""
    for done, (trial, find) in enumerate(planned, start=1):
        start = time.perf_counter()
        try:
            with limit():
                finding = find()
        except OverTimeError as error:
            finding = Finding(Undecided(str(error)))
        finished = trial(finding, time.perf_counter() - start)
        report(done, len(planned))
        yield finished


def _trial_across_tables(claim: Claim, each: Iterator[Trial]) -> Iterator[Trial]:
    start = time.perf_counter()
    tables = list(each)
    verdicts = [ClaimVerdict.of(claim.id, one.parameters, one.finding, 0.0) for one in tables]
    (verdict,) = check_across(Catalogue({claim.id: claim}), verdicts)
    seconds = time.perf_counter() - start
    yield Trial({}, claim.statement.ruleset, None, tables[0].quantity, verdict.finding, seconds)


def _fixed_integers(claim: Claim, given: Given) -> dict[str, int]:
    """Return the integers that are given for names of a statement without a ruleset."""
    _require_known(claim, given, list(claim.integers))
    fixed: dict[str, int] = {}
    for name, value in given.items():
        if isinstance(value, Range):
            raise ConfigError(f"claim {claim.id}: {name} must be one integer, found {value}")
        fixed[name] = value
    return fixed


def _cases(claim: Claim, given: Given) -> list[tuple[dict[str, int], dict[str, int]]]:
    """Return pairs: a choice of values, and a resulting case of the claim.

    Raises `ConfigError` if there is none.
    """
    spans = _spans(claim, given)
    wanted = {name: _as_range(given[name]) for name in claim.statement.every if name in given}
    values = list(islice(assignments(spans, {}), MOST_COMBINATIONS + 1))
    if len(values) > MOST_COMBINATIONS:
        raise LimitError(
            f"claim {claim.id}: more than {MOST_COMBINATIONS:,} combinations of {', '.join(spans)}"
        )
    cases = [
        (known, case)
        for known in values
        for case in claim.cases({name: known[name] for name in known if name in claim.parameters})
        if all(case[name] in span.values({}) for name, span in wanted.items())
    ]
    if not cases:
        when = claim.statement.when
        given_text = assigned(spans | wanted) or "anything"
        needed = f": {when}" if when else ""
        raise ConfigError(f"claim {claim.id} is not about {given_text}{needed}")
    return cases


def _spans(claim: Claim, given: Given) -> dict[str, Range]:
    """Return the range of each name, given or from the sample."""
    own = {} if claim.sample is None else dict(claim.sample.parameters)
    names = list(dict.fromkeys([*own, *sorted(claim.parameters)]))
    _require_known(claim, given, [*names, *claim.statement.every])
    missing = [name for name in names if name not in own and name not in given]
    if missing:
        raise ConfigError(
            f"claim {claim.id} has no sample: a value is needed for {' and '.join(missing)}, such as {missing[0]}=3"
        )
    return {name: _as_range(given[name]) if name in given else own[name] for name in names}


def _as_range(value: int | Range) -> Range:
    return value if isinstance(value, Range) else parse_range(str(value))


def _require_known(claim: Claim, given: Given, names: list[str]) -> None:
    if unknown := [name for name in given if name not in names]:
        known = ", ".join(names) or "none"
        raise ConfigError(f"claim {claim.id} has no parameter {unknown[0]!r}: it has {known}")


def _bound(
    claim: Claim, known: Mapping[str, int], parameters: Mapping[str, int], bound: int | None
) -> int | None:
    """Return the bound of a table; None where the ruleset's shape is its bound."""
    if claim.shape in RECTANGULAR:
        return None
    if bound is None and claim.sample is not None:
        bound = int(claim.sample.bound.value(known))
    if bound is None and claim.reach is not None:
        bound = int(claim.reach.value(claim.environment(parameters)))
    if bound is None:
        raise ConfigError(f"claim {claim.id} has no sample: a bound is needed")
    if bound < 0:
        raise ConfigError(f"claim {claim.id}: a bound is at least 0, found {bound}")
    return bound


def _planned_on_table(claim: Claim, parameters: dict[str, int], bound: int | None) -> _Planned:
    """Return the trial on the cheapest table that decides the claim.

    Raises `LimitError` if the table is too large.
    """
    assert claim.pattern is not None
    game = build(claim.pattern, parameters, Path())
    size = max(game.limits(None)) if bound is None else bound
    # P-positions are cheaper, but the table of one heap has no dimensions and decides nothing.
    quantity = quantity_for(game, claim.quantities)
    cost = cost_of(game, size, quantity)
    require_memory(game, size, cost.memory_whole, worker_memory(1))
    if cost.seconds > MOST_SECONDS:
        raise LimitError(
            f"{game.notation}: bound {size} is too large: its table takes about {cost.seconds:,.0f} s,"
            f" at most {MOST_SECONDS:,.0f} s are spent on a trial"
        )

    def find() -> Finding:
        return check_claim(claim, parameters, game, size, table(game, size, quantity))

    return partial(Trial, parameters, game.notation, size, quantity), find
