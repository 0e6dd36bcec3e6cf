"""Periods: lines of a table whose numbers repeat with the same increase, or repeat modulo a small number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from choco_pipeline.games import Ruleset
from choco_pipeline.mining.search_evidence import Candidates, Seen
from choco_pipeline.mining.table_findings import PeriodFinding, PeriodicLine
from choco_pipeline.tables.specs.schema import NONE, variable_of

Ints = NDArray[np.int64]

#: Only the first so many lines of a direction, and the first so many numbers of a line, are looked at.
MOST_LINES, LONGEST = 256, 1024
#: Of tables with three coordinates and more: lines with all other coordinates below this.
NEAR = 12
#: A line must hold twice as many periods, three of them in what repeats, and repeat over so many numbers in each half.
PERIODS, FEWEST = 3, 16
#: Moduli for lines that have no period themselves.
MODULI = (8, 4, 2, 3)
#: What is said of a line: none of it is a period without the others.
PARTS = ("period", "saltus", "preperiod")
#: A law over lines is fitted on half of at least so many.
FEWEST_LINES = 8
#: So many of the first lines may be exceptions.
MOST_EXCEPTIONS = 4


@dataclass(frozen=True)
class Lines:
    """Parallel lines of a table."""

    #: The coordinate that grows along the lines; two of them, as in ``y, z``, where both grow together.
    along: str
    #: What tells the lines apart: other coordinates, or the difference of the two that grow together.
    across: tuple[str, ...]
    #: What each line holds, -1 for no number; int64, [line, place].
    numbers: Ints
    #: The least place from which on a line has only numbers that count, shape (lines,).
    starts: Ints
    #: The values of `across`, one tuple for each line.
    labels: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Periods:
    """Of each line: a(n+period) = a(n) + saltus for n ≥ preperiod; period 0 where there is none. int64, shape (lines,)."""

    period: Ints
    preperiod: Ints
    saltus: Ints
    found_on: int
    held_on: int


def mine_periods(game: Ruleset, bound: int, data: xr.Dataset) -> list[PeriodFinding]:
    """Return which lines of a table repeat, for every direction.

    One finding for each direction, and each number of passes left. Of P-positions only tables that hold a coordinate of them
    have lines.
    """
    return [
        _finding(game, passes, lines)
        for passes, lines in lines_of(game, data)
        if len(lines.labels) and lines.numbers.shape[1] >= 4 * FEWEST
    ]


def lines_of(game: Ruleset, data: xr.Dataset) -> Iterator[tuple[int | None, Lines]]:
    """Yield the rows, columns and diagonals of a table, with the number of passes left."""
    variable = variable_of(game, "grundy" if "grundy" in data else "p-positions")
    if variable.name in ("p_cell", "p_position"):
        return
    passes = game.passes
    cells = data[variable.name].transpose(*variable.dims).values.astype(np.int64)
    dims = variable.dims[1:] if passes else variable.dims
    bar = game.base.rules.bar
    holes = (
        bar is not None and variable.stored == bar.up
    )  # that a column holds no P-position may repeat, too
    for p, layer in enumerate(cells if passes else cells[None]):
        left = p if passes else None
        symmetric = len(dims) == 2 and np.array_equal(layer, layer.T)
        for axis, along in enumerate(dims[:1] if symmetric else dims):
            across = tuple(name for name in dims if name != along)
            most = _most_lines(layer.shape[axis]) if len(across) < 2 else NEAR
            part = np.moveaxis(layer, axis, -1)[(slice(most),) * len(across)]
            part = part[..., :LONGEST]
            labels = tuple(product(*(range(length) for length in part.shape[:-1])))
            yield left, _lines(along, across, part.reshape(-1, part.shape[-1]), labels, holes)
        if len(dims) == 2 and min(layer.shape) >= 4 * FEWEST:
            yield left, _diagonals(layer, (dims[0], dims[1]), holes)


def _lines(
    along: str,
    across: tuple[str, ...],
    numbers: Ints,
    labels: tuple[tuple[int, ...], ...],
    holes: bool,
) -> Lines:
    """Return the lines that do not end inside of the table."""
    missing = np.zeros_like(numbers, np.bool_) if holes else numbers == NONE
    starts = numbers.shape[1] - np.argmax(missing[:, ::-1], axis=1)
    starts[~missing.any(axis=1)] = 0
    kept = numbers.shape[1] - starts >= 4 * FEWEST
    chosen = tuple(label for label, keep in zip(labels, kept, strict=True) if keep)
    return Lines(along, across, numbers[kept], starts[kept], chosen)


def _most_lines(length: int) -> int:
    """Return how many lines are looked at: what line y does may change where the other coordinate passes y."""
    return max(1, min(MOST_LINES, length // PERIODS))


def _diagonals(layer: Ints, dims: tuple[str, str], holes: bool) -> Lines:
    """Return the lines on which the second coordinate is d more than the first, for all d ≥ 0."""
    length = min(LONGEST, *layer.shape) // 2
    step = np.arange(length)
    differences = np.arange(min(_most_lines(length), layer.shape[1] - length + 1))
    numbers = layer[step[None, :], step[None, :] + differences[:, None]]
    labels = tuple((int(d),) for d in differences)
    return _lines(", ".join(dims), (f"{dims[1]}-{dims[0]}",), numbers, labels, holes)


def find_periods(numbers: Ints, starts: Ints, modulo: int | None = None) -> Periods:
    """Return the least period of each line that has one, found on its first half and true on the second, too.

    Lines are [line, place], with -1 for no number, which repeats as no number; places before `starts` are not looked at. With a
    `modulo`, remainders are looked at, and only a saltus of 0 counts.
    """
    lines, length = numbers.shape
    none = numbers == NONE
    values = numbers if modulo is None else np.where(none, NONE, numbers % modulo)
    middle = starts + (length - starts) // 2
    period, preperiod, saltus = (np.zeros(lines, np.int64) for _ in range(3))
    last = middle[:, None] - 1 - np.arange(FEWEST)  # the last places of the first halves
    for p in range(1, length // (2 * PERIODS) + 1):
        fits = (period == 0) & (last[:, -1] >= p)
        at = np.flatnonzero(fits)
        later, before = last[at], last[at] - p
        step = values[at[:, None], later] - values[at[:, None], before]
        same = none[at[:, None], later] == none[at[:, None], before]
        at = at[
            (same & (step == step[:, :1])).all(axis=1)
        ]  # few lines are left to be looked at as a whole
        if not at.size:
            continue
        rise, begin, holds = _whole(values[at], none[at], starts[at], middle[at], p)
        half = middle[at]
        holds &= half - p - begin >= max(p, FEWEST)
        if modulo is not None:
            holds &= rise == 0
        repeating = at[holds]
        period[repeating], preperiod[repeating], saltus[repeating] = p, begin[holds], rise[holds]
    has = period > 0
    return Periods(
        period,
        preperiod,
        saltus,
        int((middle - preperiod)[has].sum()),
        int((length - middle)[has].sum()),
    )


def _whole(
    values: Ints, none: NDArray[np.bool_], starts: Ints, middle: Ints, p: int
) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return for each line its saltus, from where on its first half has period p, and whether the second half has it."""
    place = np.arange(values.shape[1])
    step = values[:, p:] - values[:, :-p]
    early = place[p:] < middle[:, None]
    rise = step[np.arange(len(step)), middle - 1 - p]
    good = (step == rise[:, None]) & (none[:, p:] == none[:, :-p])
    good |= place[:-p] < starts[:, None]
    wrong = ~good & early
    begin = np.where(wrong.any(axis=1), wrong.shape[1] - np.argmax(wrong[:, ::-1], axis=1), 0)
    return rise, np.maximum(begin, starts), (good | early).all(axis=1)


def law(values: Mapping[int, int], name: str) -> str | None:
    """Return a formula for numbers that depend on a line's number, fitted on the first half and true on the rest, too.

    Tried are a·n + b and a·2^⌈log₂(n+1)⌉ + b, one formula for all n or one for each remainder modulo 2 or 4.

    Examples
    --------
    >>> law({y: 2 * (1 << y.bit_length()) for y in range(20)}, "y")
    '2·2^⌈log₂(y+1)⌉'
    >>> law({y: y * y for y in range(20)}, "y")
    """
    if len(values) < FEWEST_LINES:
        return None
    for modulus in (1, 2, 4):
        parts = []
        for remainder in range(modulus):
            members = {n: value for n, value in values.items() if n % modulus == remainder}
            text = _fitted(members, name)
            where = f" for {name} ≡ {remainder} mod {modulus}" if modulus > 1 else ""
            parts.append(None if text is None else text + where)
        if all(part is not None for part in parts):
            return ", ".join(filter(None, parts))
    return None


def _fitted(values: Mapping[int, int], name: str) -> str | None:
    """Return the first shape that two of the lines determine and all others follow."""
    numbers = sorted(values)
    first = numbers[0]
    shapes = (
        (name, {n: n for n in numbers}),
        (f"2^⌈log₂({name}+1)⌉", {n: 1 << n.bit_length() for n in numbers}),
    )
    for term, x in shapes:
        other = next((n for n in numbers[: (len(numbers) + 1) // 2] if x[n] != x[first]), None)
        if other is None or len(numbers) < FEWEST_LINES // 2:
            continue
        slope = Fraction(values[other] - values[first], x[other] - x[first])
        constant = values[first] - slope * x[first]
        if all(slope * x[n] + constant == values[n] for n in numbers):
            product_text = "" if not slope else term if slope == 1 else f"{slope}·{term}"
            rest = f"{constant}" if constant or not slope else ""
            plus = "+" if product_text and rest and constant > 0 else ""
            return product_text + plus + rest
    return None


def _finding(game: Ruleset, passes: int | None, lines: Lines) -> PeriodFinding:
    """Return what was found on the lines of a direction."""
    periods = find_periods(lines.numbers, lines.starts)
    rows = [
        PeriodicLine(
            line=label,
            preperiod=int(n),
            period=int(p),
            saltus=int(s),
            **({"empty": True} if (numbers[n:] == NONE).all() else {}),
        )
        for label, numbers, n, p, s in zip(
            lines.labels,
            lines.numbers,
            periods.preperiod,
            periods.period,
            periods.saltus,
            strict=True,
        )
        if p
    ]
    found_on, held_on = periods.found_on, periods.held_on
    rest = np.flatnonzero(periods.period == 0)
    for modulo in MODULI:
        if not rest.size:
            break
        remainders = find_periods(lines.numbers[rest], lines.starts[rest], modulo)
        found_on, held_on = found_on + remainders.found_on, held_on + remainders.held_on
        rows += [
            PeriodicLine(
                line=lines.labels[at], preperiod=int(n), period=int(p), saltus=0, modulo=modulo
            )
            for at, n, p in zip(rest, remainders.preperiod, remainders.period, strict=True)
            if p
        ]
        rest = rest[remainders.period == 0]
    finding = partial(
        PeriodFinding,
        ruleset=game.notation,
        along=lines.along,
        across=lines.across,
        passes=passes,
        tried=Candidates(
            candidates=len(lines.labels) * (1 + len(MODULI)),
            what=f"lines along {lines.along}: periods up to {max(1, lines.numbers.shape[1] // (2 * PERIODS))} of the"
            " numbers, and of their remainders modulo 2, 3, 4 and 8",
        ),
    )
    if not rows:
        return finding(nothing=True)
    laws = _laws(lines, rows)
    return finding(
        lines=tuple(rows),
        without=len(rest),
        laws=laws,
        text=_text(lines, rows, laws),
        found_on=Seen(positions=found_on, what="the first half of each line"),
        held_on=Seen(positions=held_on, what="the second half"),
    )


def _laws(lines: Lines, rows: Sequence[PeriodicLine]) -> dict[str, str]:
    """Return formulas for period, saltus and preperiod of the lines 0, 1, … up to the first that has no period.

    Of an only line these are the integers themselves.
    """
    if not lines.across and not rows[0].modulo:
        return {part: str(getattr(rows[0], part)) for part in PARTS}
    if len(lines.across) != 1:
        return {}
    at = {row.line[0]: row for row in rows if not row.modulo}
    last = next(n for n in range(len(at) + 1) if n not in at)
    formulas = {}
    for part in PARTS:
        for first in range(MOST_EXCEPTIONS + 1):
            formula = law({n: getattr(at[n], part) for n in range(first, last)}, lines.across[0])
            if formula is not None:
                formulas[part] = f"{formula}, {lines.across[0]} ≥ {first}" if first else formula
                break
    return formulas


def _text(lines: Lines, rows: Sequence[PeriodicLine], laws: Mapping[str, str]) -> str:
    which = f"line {', '.join(lines.across)} " if lines.across else ""
    if all(row.empty for row in rows):
        where = (
            f"from {lines.along} = {laws['preperiod']} on"
            if "preperiod" in laws
            else "from some place on"
        )
        return f"{which}along {lines.along} holds no P-position {where}"
    if len(laws) == len(PARTS):
        parts = "; ".join(f"{part} {formula}" for part, formula in laws.items())
        return f"{which}along {lines.along}: {parts}"
    return f"{len(rows)} of the lines {', '.join(lines.across)} along {lines.along} repeat"
