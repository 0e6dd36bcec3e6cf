"""Periods of lines, against their definition in plain Python; laws over lines; random tables have none."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, SolidBar, StepBar, StripBar, WithPass, parse_ruleset
from choco_pipeline.mining.number_sequences.periods import (
    FEWEST,
    PERIODS,
    find_periods,
    law,
    lines_of,
    mine_periods,
)
from choco_pipeline.mining.table_findings import PeriodicLine
from choco_pipeline.tables.computing.in_memory import grundy_table, p_table
from tests.effort import examples


def by_definition(line, start, modulo=None):
    """Return (period, preperiod, saltus) as `find_periods` should."""
    numbers = [n if modulo is None or n < 0 else n % modulo for n in line]
    length = len(numbers)
    middle = start + (length - start) // 2
    for p in range(1, length // (2 * PERIODS) + 1):
        if middle - 1 - p < 0:
            continue
        rise = numbers[middle - 1] - numbers[middle - 1 - p]
        if modulo is not None and rise:
            continue

        def good(n, p=p, rise=rise):
            a, b = numbers[n], numbers[n + p]
            return b - a == rise and (a < 0) == (b < 0)

        begin = middle - p
        while begin > start and good(begin - 1):
            begin -= 1
        long_enough = middle - p - begin >= max(p, FEWEST)
        if long_enough and all(good(n) for n in range(middle - p, length - p)):
            assert length - begin >= PERIODS * p
            return p, begin, rise
    return 0, 0, 0


@st.composite
def planted(draw):
    p, before = draw(st.integers(1, 26)), draw(st.integers(0, 20))
    saltus = draw(st.one_of(st.integers(0, 3), st.integers(0, 12)))
    block = draw(st.lists(st.integers(-1 if saltus == 0 else 0, 9), min_size=p, max_size=p))
    lead = draw(st.lists(st.integers(-1, 9), min_size=before, max_size=before))
    length = draw(st.integers(40, 160))
    rest = [block[n % p] + saltus * (n // p) for n in range(length - before)]
    line = lead + rest
    for place in draw(st.lists(st.integers(0, length - 1), max_size=1)):
        line[place] += 1
    return line


@example([*range(-1, 79)], 0, None)  # -1 is no number that 0 may follow
@example(
    [n // 20 for n in range(120)], 0, 8
)  # remainders that grow by 1 all the time do not repeat
@example([100 + n * n for n in range(22)] + [n % 20 for n in range(98)], 0, None)
@example([9] * 20 + [7] * 30, 19, None)
@given(planted(), st.integers(0, 19), st.sampled_from([None, 2, 3, 4, 8]))
def test_least_periods(line, start, modulo):
    found = find_periods(np.array([line]), np.array([start]), modulo)
    assert (found.period[0], found.preperiod[0], found.saltus[0]) == by_definition(
        line, start, modulo
    )
    if found.period[0]:
        middle = start + (len(line) - start) // 2
        assert (found.found_on, found.held_on) == (middle - found.preperiod[0], len(line) - middle)


@given(st.lists(planted(), min_size=2, max_size=5))
def test_lines_do_not_disturb_each_other(lines):
    length = min(map(len, lines))
    together = find_periods(np.array([line[:length] for line in lines]), np.zeros(len(lines), int))
    for at, line in enumerate(lines):
        alone = by_definition(line[:length], 0)
        assert (together.period[at], together.preperiod[at], together.saltus[at]) == alone


def test_lines_of_a_table():
    game = StepBar(3)
    data = grundy_table(game, 199)
    for passes, lines in lines_of(game, data):
        assert passes is None
        for label, numbers, start in zip(lines.labels, lines.numbers, lines.starts, strict=True):
            for place in range(0, numbers.size, 17):
                y, z = {
                    "y": (place, *label),
                    "z": (*label, place),
                    "y, z": (place, place + label[0]),
                }[lines.along]
                if game.is_position((y, z)):
                    assert numbers[place] == data.grundy.sel(y=y, z=z)
                    assert lines.along == "y, z" or place >= start
                else:
                    assert place < start
    directions = [
        (lines.along, len(lines.labels))
        for _, lines in lines_of(StepBar(1), grundy_table(StepBar(1), 199))
    ]
    assert directions == [("y", 0), ("z", 66), ("y, z", 33)]


@pytest.mark.parametrize(
    ("game", "preperiod"),
    [(StepBar(4), "4·y"), (StepBar(4, 2), "4·y-2, y ≥ 1"), (StripBar(4), "4·y")],
)
def test_rows_of_nim_sums(game, preperiod):
    """step2015, Thm 2.1 and 3.2: G(y, z) is y⊕z, or (y⊕(z+s))−s; adding a power of 2 above y to z adds it to G."""
    data = p_table(game, 511) if isinstance(game, StripBar) else grundy_table(game, 511)
    rows = next(f for f in mine_periods(game, 511, data) if f.along == "z")
    power = "2^⌈log₂(y+1)⌉"
    assert rows.laws == {"period": power, "saltus": power, "preperiod": preperiod}
    assert rows.without == 0
    for row in rows.lines:
        (y,) = row.line
        for z in range(row.preperiod, row.preperiod + 5):
            if y < 6 and isinstance(game, StepBar):
                later = game.grundy((y, z + row.period))
                assert later == game.grundy((y, z)) + row.saltus


def test_rows_of_the_step_bar_whose_columns_are_conjectures():
    """step2015, Conj 4.1 to 4.4, read along z."""
    rows, diagonals = mine_periods(StepBar(1), 400, grundy_table(StepBar(1), 400))
    assert rows.laws["period"] == rows.laws["saltus"] == "2, y ≥ 1"
    assert rows.laws["preperiod"] == "2·y for y ≡ 0 mod 2, 2·y-1 for y ≡ 1 mod 2"
    assert diagonals.across == ("z-y",)
    assert diagonals.laws["saltus"] == "3 for z-y ≡ 0 mod 2, 0 for z-y ≡ 1 mod 2"


def test_grundy_numbers_with_a_pass():
    game = WithPass(StepBar(4, 2))
    findings = mine_periods(game, 511, grundy_table(game, 511))
    assert [f.passes for f in findings] == [0, 1], "columns and diagonals end inside of the table"
    rows = next(f for f in findings if f.passes == 1 and f.across == ("y",))
    assert rows.laws["period"] == rows.laws["saltus"] == "2^⌈log₂(y+1)⌉, y ≥ 1"


def test_columns_without_a_p_position():
    game = SolidBar("(x+z)//3")
    rows = mine_periods(game, 255, p_table(game, 255))[0]
    assert rows.text == "line z along x holds no P-position from x = 2^⌈log₂(z+1)⌉ on"
    for row in rows.lines[:6]:
        (z,) = row.line
        last = row.preperiod - 1
        beyond = [(x, y, z) for x in range(last, last + 12) for y in range(game.f(x, z) + 1)]
        assert [p[0] for p in beyond if game.is_p_position(p)] == [last]


def test_remainders_where_numbers_do_not_repeat():
    game = Nim(3)
    diagonals = mine_periods(game, 255, p_table(game, 255))[1]
    row = next(r for r in diagonals.lines if r.line == (3,))
    assert (row.modulo, row.period, row.saltus) == (8, 4, 0)
    table = [(n ^ (n + 3)) % 8 for n in range(40)]
    assert all(table[n + 4] == table[n] for n in range(36))
    assert any(table[n + 2] != table[n] for n in range(36))


def test_three_coordinates():
    game = SolidBar("(x+z)//3")
    findings = mine_periods(game, 80, grundy_table(game, 80))
    rows = next(f for f in findings if f.along == "x")
    assert rows.across == ("y", "z")
    at = {tuple(r.line): r for r in rows.lines}
    line = PeriodicLine(line=(0, 3), preperiod=0, period=4, saltus=4)
    assert at[0, 3] == line, "G(x, 0, z) = x⊕z"


@settings(max_examples=examples(20))
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 10, 500]))
def test_random_tables_have_no_periods(seed, values):
    data = grundy_table(StepBar(1), 150)
    drawn = np.random.default_rng(seed).integers(0, values, (151, 151))
    data["grundy"].values[:] = np.where(data["grundy"].values >= 0, drawn, -1)
    found = mine_periods(StepBar(1), 150, data)
    assert len(found) == 2
    assert all(f.nothing and f.tried.candidates for f in found)


def test_held_out_numbers_decide():
    data = grundy_table(StepBar(4), 300)
    data["grundy"].values[3, 299] += 1
    rows = mine_periods(StepBar(4), 300, data)[0]
    assert (3,) not in [r.line for r in rows.lines if not r.modulo]
    assert (4,) in [r.line for r in rows.lines]


def test_laws():
    assert law({n: 7 for n in range(9)}, "y") == "7"
    assert law({n: 3 * n + 1 for n in range(2, 12)}, "y") == "3·y+1"
    assert (
        law({n: n // 2 for n in range(20)}, "y")
        == "1/2·y for y ≡ 0 mod 2, 1/2·y-1/2 for y ≡ 1 mod 2"
    )
    assert law({n: n for n in range(7)}, "y") is None, "too few"
    assert law({n: 7 + (n == 15) for n in range(16)}, "y") is None, (
        "the last line was not fitted on"
    )


def test_an_only_line_has_the_period_of_its_game() -> None:
    game = parse_ruleset("game(subtraction)")  # take 1, 3 or 4: 0101232, over and over
    (found,) = mine_periods(game, 100, grundy_table(game, 100))
    assert found.text == "along a: period 7; saltus 0; preperiod 0"
    assert found.laws == {"period": "7", "saltus": "0", "preperiod": "0"}
