"""Printed tables and lists against the definition, listed by the loops of a program."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from choco_pipeline import Nim, RectangularBar, Ruleset, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.claims.checks.check import Finding, check_claim
from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, Refuted, Undecided
from choco_pipeline.formula import parse
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import QUANTITIES
from tests.claims.claims import conditions, holds, integer_formulas, key_of
from tests.rulesets import rulesets_with_bounds

Drawn = tuple[Ruleset, int]


def find(game, bound, said, quantity="grundy", block=1 << 18):
    claim = Claim.from_json({"id": "drawn", "ruleset": game.notation, **said})
    assert list(mistakes_in(claim)) == []
    return check_claim(claim, {}, game, bound, table(game, bound, quantity), block)


def numbers_at(printed):
    """Return a statement on the Grundy numbers of single positions."""
    said = (f"G({', '.join(map(str, at))}) == {number}" for at, number in printed)
    return {"statement": " and ".join(said)}


def require_numbers(finding, game, printed, bound):
    """Assert that a verdict is right about printed Grundy numbers of legal positions in the table."""
    wrong = {at: number for at, number in printed if game.grundy(at) != number}
    if not wrong:
        assert finding == Finding(Exhausted(len(printed), "number"))
        return
    assert isinstance(finding.verdict, Refuted)
    assert finding.verdict.positions == len(printed)
    found = finding.verdict.counterexample
    assert found.position == min(wrong, key=lambda at: key_of(game, at))
    assert found.found == f"Grundy number {game.grundy(found.position)}"
    assert found.claimed == f"Grundy number {wrong[found.position]}"
    assert finding.evidence == {"failures": len(wrong)}


@given(st.data(), rulesets_with_bounds())
def test_printed_numbers_of_single_positions(data, drawn):
    game, bound = drawn
    positions = data.draw(
        st.lists(st.sampled_from(list(game.positions(bound))), min_size=1, unique=True)
    )
    changes = st.sampled_from([0, 0, 0, 1])
    printed = [(at, game.grundy(at) + data.draw(changes)) for at in positions]
    finding = find(game, bound, numbers_at(printed))
    require_numbers(finding, game, printed, bound)


@given(st.data(), st.integers(1, 4), st.integers(0, 5), st.integers(1, 9))
def test_printed_tables(data, k, s, bound):
    game = StepBar(k, s)  # a row for each z, as the bar is high
    printed = [
        [((y, z), game.grundy((y, z))) for y in range((z + s) // k + 1)] for z in range(bound + 1)
    ]
    if data.draw(st.booleans()):
        row = data.draw(st.sampled_from(printed))
        column = data.draw(st.integers(0, len(row) - 1))
        row[column] = (row[column][0], row[column][1] + 2)
    rows = [[number for _, number in row] for row in printed]
    statement = {"statement": f"z <= {bound} => G == printed(z, y)"}
    finding = find(game, bound, {**statement, "printed": rows})
    require_numbers(finding, game, [entry for row in printed for entry in row], bound)
    shorter = [*rows[:-1], rows[-1][:-1] or [0, 0]]
    short = find(game, bound, {**statement, "printed": shorter}).verdict
    assert isinstance(short, Undecided) == (len(rows[-1]) > 1)  # a position without a number


@pytest.mark.parametrize(
    ("game", "number", "needed"),
    [
        (StepBar(k=3, s=9), ((4, 5), 0), 5),
        (SolidBar("x*3+z"), ((2, 7, 6), 0), 6),
        (WithPass(Nim(2), 3), ((4, 1, 3), 0), 4),
    ],
)
def test_a_table_that_is_too_small_decides_nothing(game, number, needed):
    for bound, is_open in ((needed - 1, True), (needed, False)):
        verdict = find(game, bound, numbers_at([number])).verdict
        assert isinstance(verdict, Undecided) == is_open


def test_what_is_no_position_has_no_number():
    said = numbers_at([((0, 1), 1), ((3, 4), 0)])
    assert isinstance(find(StepBar(k=2), 2, said).verdict, Undecided)


def quantities_of(game):
    return ("grundy",) if isinstance(game.base, RectangularBar) else QUANTITIES


def reaches(game, bound):
    """Return how far a list on the game may go; the shape of a rectangular bar says it."""
    whole = isinstance(game.base, RectangularBar)
    return st.none() if whole else st.integers(0, bound)


def lies_within(game, position, reach):
    return reach is None or key_of(game, position)[0] <= reach


@given(st.data(), rulesets_with_bounds(), st.integers(1, 60))
def test_listings(data, drawn, block):
    game, bound = drawn
    quantity = data.draw(st.sampled_from(quantities_of(game)))
    assume(table(game, bound, quantity).sizes)
    reach = data.draw(reaches(game, bound))
    names = list(game.coordinates)
    where, of = data.draw(st.none() | conditions(names)), data.draw(integer_formulas(names))
    order = data.draw(st.permutations(names))
    restriction, value = None if where is None else parse(where), parse(of)
    limits = dict(zip(names, game.limits(bound), strict=True))
    listed = []
    for loops in product(*(range(limits[name] + 1) for name in order)):
        named = dict(zip(order, loops, strict=True))
        at = tuple(named[name] for name in names)
        if (
            game.is_position(at)
            and lies_within(game, at, reach)
            and holds(restriction, named)
            and game.is_p_position(at)
        ):
            listed.append((int(value.value(named)), at))
    values = [v for v, _ in listed]
    begins = values[: data.draw(st.integers(0, 5))]
    ends = values[max(0, len(values) - data.draw(st.integers(1, 5))) :] or [7]
    change = data.draw(st.sampled_from(["nothing", "begins", "ends", "more"]))
    if change == "more":
        begins = [*values, 0]
    if change in ("begins", "ends"):
        changed = begins if change == "begins" and begins else ends
        changed[data.draw(st.integers(0, len(changed) - 1))] += 1
    least = max(len(begins), len(ends))
    length = data.draw(st.none() | st.sampled_from([max(least, len(values)), least]))
    check = {"of": of, "order": order, "where": where, "begins": begins, "ends": ends}
    check |= {"kind": "listing", "length": length, "up_to": 99 if reach is None else reach}
    finding = find(game, bound, {"check": check}, quantity, block)

    assert finding.evidence == {"count": len(values)}
    first = len(values) - len(ends)
    printed = [*enumerate(begins), *enumerate(ends, first)]
    if least > len(values) or length not in (None, len(values)):
        assert isinstance(finding.verdict, Refuted)
        assert finding.verdict.counterexample.position is None
    elif differing := [i for i, v in printed if values[i] != v]:
        assert isinstance(finding.verdict, Refuted)
        assert finding.verdict.counterexample.position == listed[differing[0]][1]
    else:
        assert finding.verdict == Exhausted(len({i for i, _ in printed}), "number")


LISTING = {"kind": "listing", "of": "x", "order": ["x", "y", "z"], "begins": [0], "up_to": 10}


def test_lists_need_a_table_that_reaches_their_end_and_memory_may_hold(monkeypatch):
    game = SolidBar("(x+z)//2")
    number = sum(map(game.is_p_position, game.positions(10)))
    for most, bound, is_open in ((number, 20, False), (number - 1, 20, True), (number, 9, True)):
        monkeypatch.setattr("choco_pipeline.claims.checks.check.MOST_LISTED", most)
        verdict = find(game, bound, {"check": LISTING}, "p-positions").verdict
        assert isinstance(verdict, Undecided) == is_open


def columns_on(game, *examples):
    return find(game, 2, {"check": {"kind": "columns", "examples": list(examples)}}).verdict


@given(st.data(), st.integers(1, 5), st.integers(0, 6), st.integers(0, 9))
def test_columns(data, k, s, z):
    y, x = data.draw(st.integers(0, (z + s) // k)), data.draw(st.integers(0, 3))
    columns = [min(y, (i + s) // k) + 1 for i in range(z + 1)]
    wrong = list(columns)
    wrong[data.draw(st.integers(0, z))] += data.draw(st.sampled_from([-1, 1]))
    for game, position in [
        (StepBar(k, s), [y, z]),
        (StripBar(k, s), [x, y, z]),
        (WithPass(StripBar(k, s)), [x, y, z, 1]),
    ]:
        good = {"position": position, "columns": columns}
        assert columns_on(game, good) == Exhausted(1, "example")
        for bad in (wrong, columns[:-1] or [9], [*columns, columns[-1]]):
            verdict = columns_on(game, good, {"position": position, "columns": bad})
            assert isinstance(verdict, Refuted)
            assert verdict.counterexample.position == tuple(position)
            assert verdict.counterexample.found == f"its columns are {columns}"
            assert verdict.counterexample.claimed == f"its columns are {bad}"


def test_columns_of_what_is_no_position():
    verdict = columns_on(StepBar(k=2), {"position": [3, 4], "columns": [1]})
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position == (3, 4)
