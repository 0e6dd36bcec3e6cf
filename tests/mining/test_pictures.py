"""Pictures of P-positions against the definition; rules and relations: planted and printed ones come out, chance has none."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, RectangularBar, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, Refuted
from choco_pipeline.mining.picture_rules import (
    find_copies,
    find_relations,
    find_rule,
    mine_blocks,
    mine_cellular,
    mine_copies,
)
from choco_pipeline.mining.pictures import Stack, solve, stacks
from choco_pipeline.tables.cells import Cells
from choco_pipeline.tables.computing import grundy_table, p_table
from tests.effort import examples
from tests.rulesets import solid_bars, strip_bars

SQUARE, EVERY = "rectangular-bar(m=m, n=m)", "rectangular-bar(m=m, n=n)"


def planted(cells, closed=True, first=0):
    return Stack("planted", ("n", "i", "j"), (first,) * 3, None, cells, np.ones_like(cells), closed)


def verdicts(claim, sides):
    said = Claim.from_json({"id": "found", **claim})
    for m in sides:
        bar = RectangularBar(m, m)
        for case in said.cases({"m": m}):
            yield check_claim(said, case, bar, m, p_table(bar)).verdict


def is_exhausted(claim, sides):
    return all(isinstance(v, Exhausted) for v in verdicts(claim, sides))


def is_refuted(claim, sides):
    return any(isinstance(v, Refuted) for v in verdicts(claim, sides))


@settings(max_examples=examples(25))
@given(
    st.one_of(strip_bars, solid_bars(), st.just(Nim(3))),
    st.integers(0, 6),
    st.booleans(),
    st.booleans(),
)
def test_three_coordinates(base, bound, passes, grundy):
    game = WithPass(base) if passes else base
    data = (grundy_table if grundy else p_table)(game, bound)
    every = list(stacks(Cells.of(game, bound, data)))
    assert {stack.passes for stack in every} == ({0, 1} if passes else {None})
    for stack in every:
        order = [stack.axes.index(name) for name in base.coordinates]
        for cell in np.ndindex(stack.cells.shape):
            position = tuple(cell[axis] for axis in order)
            legal = base.is_position(position)
            assert stack.legal[cell] == legal, (stack.text, position)
            whole = position if stack.passes is None else (*position, stack.passes)
            assert stack.cells[cell] == (legal and game.is_p_position(whole)), whole


@pytest.mark.parametrize("passes", [0, 1])
def test_a_step_bar_is_cut_with_its_strip(passes):
    base = StepBar(3, 1)
    game = WithPass(base) if passes else base
    whole = WithPass(StripBar(3, 1)) if passes else StripBar(3, 1)
    for stack in stacks(Cells.of(game, 7, grundy_table(game, 7))):
        assert stack.ruleset == whole.notation
        order = [stack.axes.index(name) for name in "xyz"]
        for cell in np.ndindex(stack.cells.shape):
            position = tuple(cell[axis] for axis in order)
            if whole.is_position((*position, 0)[: 3 + passes]):
                left = (stack.passes,) if passes else ()
                assert stack.cells[cell] == whole.is_p_position((*position, *left))


@pytest.mark.parametrize("passes", [0, 1])
def test_four_heaps_are_bars(passes):
    game = WithPass(Nim(4)) if passes else Nim(4)
    found = list(stacks(Cells.computed(game, 4, "p-positions")))
    assert len(found) == 2 * (1 + passes)
    for stack in found:
        for place in np.ndindex(stack.cells.shape):
            *numbers, i, j = (index + 1 for index in place)
            m, n = numbers * (3 - len(numbers)) if len(numbers) == 1 else numbers
            legal = i <= m and j <= n
            assert stack.legal[place] == legal
            heaps = RectangularBar(m, n).whole(i, j) if legal else ()
            left = (stack.passes,) if passes else ()
            assert stack.cells[place] == (legal and game.is_p_position((*heaps, *left)))


@st.composite
def systems(draw):
    unknowns, equations = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    bits = st.lists(st.booleans(), min_size=unknowns, max_size=unknowns)
    rows = draw(st.lists(bits, min_size=equations, max_size=equations))
    values = draw(st.lists(st.booleans(), min_size=equations, max_size=equations))
    return np.array(rows, bool), np.array(values, bool)


@given(systems(), st.data())
def test_all_solutions(system, data):
    rows, values = system
    unknowns = rows.shape[1]
    every = {
        bits
        for bits in product((False, True), repeat=unknowns)
        if all(
            sum(r and b for r, b in zip(row, bits, strict=True)) % 2 == v
            for row, v in zip(rows, values, strict=True)
        )
    }
    found = solve(rows, values)
    if found is None:
        assert not every
        return
    combined = {
        tuple(map(bool, np.bitwise_xor.reduce([found.one, *found.nullspace[list(chosen)]])))
        for chosen in product((False, True), repeat=len(found.nullspace))
    }
    assert combined == every
    assert len(every) == 2 ** (unknowns - found.rank)
    assert found.equations == len(
        {(*map(bool, r), bool(v)) for r, v in zip(rows, values, strict=True)}
        - {(False,) * (unknowns + 1)}
    )
    costs = np.array(data.draw(st.lists(st.integers(1, 9), min_size=unknowns, max_size=unknowns)))
    best = found.sparsest(costs)
    assert tuple(map(bool, best)) in every
    assert best @ costs == min(np.array(bits) @ costs for bits in every)


def test_a_large_nullspace_still_gives_a_solution_that_no_single_change_makes_cheaper():
    rng = np.random.default_rng(5)
    rows = rng.random((8, 40)) < 0.5
    values = rng.random(8) < 0.5
    found = solve(rows, values)
    assert found is not None
    assert len(found.nullspace) > 12
    best = found.sparsest(np.ones(40, np.int64))
    assert np.array_equal((rows @ best.astype(int)) % 2 == 1, values)
    assert best.sum() <= found.one.sum()
    assert all((best ^ change).sum() >= best.sum() for change in found.nullspace)


def grown(terms, seeds, shape, outside=0):
    """Return the cells that a rule makes of seeds, one by one; `outside` more cells are computed around."""
    cells = {}
    pictures_, rows, columns = shape
    for n in range(pictures_):
        for i in range(-outside, rows + outside):
            for j in range(-outside, columns + outside):
                around = sum(cells.get((n - dn, i - di, j - dj), 0) for dn, di, dj in terms)
                if (around + ((n, i, j) in seeds)) % 2:
                    cells[n, i, j] = 1
    filled = np.zeros(shape, bool)
    for cell in cells:
        if all(0 <= c < length for c, length in zip(cell, shape, strict=True)):
            filled[cell] = True
    return filled, len(cells) == filled.sum()


def holds(rule, stack):
    """Whether the pictures are what the rule's terms make of its exceptions, computed cell by cell."""
    assert rule.exceptions is not None
    said, _ = grown(rule.terms, set(rule.exceptions), stack.cells.shape, 8)
    return np.array_equal(said, stack.cells)


def spreads(terms):
    """Whether a rule makes cells live in both directions of the plane, so that many neighbourhoods are seen."""
    now = [(i, j) for n, i, j in terms if n == 1]
    return any(
        (b[0] - a[0]) * (c[1] - a[1]) != (c[0] - a[0]) * (b[1] - a[1])
        for a, b, c in combinations(now, 3)
    )


steps = st.tuples(st.integers(1, 2), st.integers(-1, 1), st.integers(-1, 1))
rules = st.sets(steps, min_size=3, max_size=5).filter(spreads)


@settings(max_examples=examples(15))
@given(
    rules,
    st.sets(
        st.tuples(st.just(0), st.integers(17, 19), st.integers(17, 19)), min_size=1, max_size=3
    ),
)
def test_planted_rules_come_back(terms, seeds):
    cells, inside = grown(terms, seeds, (14, 36, 36))
    stack = planted(cells)
    assert inside
    rule = find_rule(stack)
    assert not rule.nothing
    assert not rule.inside
    assert holds(rule, stack)
    assert len(rule.terms) <= len(terms)


@settings(max_examples=examples(20))
@given(st.integers(0, 2**32), st.floats(0.02, 0.98), st.booleans(), st.integers(8, 20))
def test_random_pictures_have_no_rule_no_relations_and_no_copies(seed, density, closed, side):
    rng = np.random.default_rng(seed)
    cells = rng.random((side, side, side)) < density
    assert find_rule(planted(cells, closed)).nothing
    assert find_relations(planted(cells, closed)) == {}
    assert find_copies(planted(cells, first=1)) == []


def test_what_lies_beyond_the_table_is_not_known():
    terms = [(1, -1, 0), (1, 0, -1), (1, 0, 0)]
    cells, _ = grown(terms, {(0, 23, 21), (0, 30, 26), (0, 25, 32)}, (20, 34, 34))
    rule = find_rule(planted(cells[:, :24, :24], closed=False))
    assert not rule.nothing
    assert not rule.inside
    assert set(rule.terms) == set(terms)


def test_held_out_pictures_decide_on_a_rule():
    cells, _ = grown([(1, 0, 0), (1, 1, 0), (1, 0, 1)], {(0, 1, 1)}, (24, 26, 26))
    assert not find_rule(planted(cells)).nothing
    cells[20, 5, 5] ^= True
    assert find_rule(planted(cells)).nothing


def test_theorem_5_4_of_patterns():
    game = RectangularBar(24, 24)
    square, every = mine_cellular(Cells.of(game, 24, p_table(game)))
    assert square.terms == ((1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1), (2, 1, 1))
    assert not square.inside
    assert square.exceptions == ((1, 1, 1),)
    claim = square.claim
    assert claim["check"]["start"] == [[1, 1, 1, 1]]
    assert is_exhausted(claim, range(1, 40, 3))
    claim["check"]["terms"].pop()
    assert is_refuted(claim, range(1, 8))
    # the question after it: a rule for bars of all shapes, here by the definition for larger ones than it was found on
    assert every.exceptions == ((1, 1, 1, 1),)
    assert len(every.terms) == 7
    heaps, side, cells = p_table(Nim(4), 20)["p_d"].values, 20, {}
    for m, n, i, j in np.ndindex(side, side, side, side):
        around = sum(cells.get((m - a, n - b, i - c, j - d), 0) for a, b, c, d in every.terms)
        if (around + ((m, n, i, j) == (0, 0, 0, 0))) % 2:
            cells[m, n, i, j] = 1
    assert set(cells) == {
        (m, n, i, j)
        for m, n in np.ndindex(side, side)
        for i, j in np.ndindex(m + 1, n + 1)
        if heaps[i, m - i, j] == n - j
    }


@pytest.mark.parametrize("game", [Nim(3), SolidBar("(x+z)//3"), StripBar(4, 2)])
def test_nim_sums_follow_a_rule_with_earlier_cells_of_the_same_picture(game):
    (found,) = mine_cellular(Cells.computed(game, 48, "p-positions"))
    assert sorted(map(sorted, found.terms)) == [[0, 1, 1]] * 3
    assert found.inside == (game != Nim(3))
    assert not found.exceptions or found.exceptions == ((0, 0, 0),)
    assert found.claim is None


def test_games_without_a_rule():
    game = WithPass(Nim(3))
    plain, *with_pass = mine_cellular(Cells.computed(game, 40, "p-positions"))
    assert plain.terms
    assert with_pass
    assert all(f.nothing and f.passes == 1 for f in with_pass)
    data = p_table(StripBar(1), 40)
    drawn = np.random.default_rng(3).integers(0, 40, (41, 41))
    data["p_x"].values[:] = np.where(data["p_x"].values >= 0, drawn, -1)
    assert all(f.nothing for f in mine_cellular(Cells.of(StripBar(1), 40, data)))


@pytest.fixture(scope="module")
def bars():
    return mine_blocks(Cells.computed(Nim(4), 40, "p-positions"))


def test_theorem_3_3_and_lemma_4_1_of_patterns(bars):
    square, *_ = bars
    assert square.complete
    relations = {tuple(r.residue): [tuple(t) for t in r.terms] for r in square.relations}
    for p in (0, 1):
        for q in (0, 1):
            assert relations[0, p, q] == [(0, p, q)]
            assert relations[1, p, q] == ([] if p != q else [(p, p, p)])
    assert is_exhausted(square.claim, range(1, 60, 7))
    assert square.begins == 1
    *lines, last = square.claim["statement"].split("; ")
    assert last.startswith("m%2 == 1 and i%2 == 1 and j%2 == 1 => (P <=> P[")
    changed = "; ".join([*lines, "m%2 == 1 and i%2 == 1 => not P"])
    wrong = {**square.claim, "statement": changed}
    assert is_refuted(wrong, range(1, 8))


def test_bars_of_all_shapes(bars):
    *_, found = bars
    assert found.ruleset == EVERY
    for relation in found.relations:
        r, s, p, q = relation.residue
        steps = [r * p, s * q, p, q] if r and s else [0, 0, p, q]
        assert relation.terms == ((tuple(steps),) if r == s else ())


def test_theorem_3_4_of_patterns(bars):
    _, found, _ = bars
    placed = {(c.size, c.row, c.column) for c in found.copies}
    corners = {("s", row, column) for row in ("0", "2**e") for column in ("0", "2**e")}
    assert placed == corners | {("2**e-s", "s", "s")}
    sides = [3, 5, 6, 7, 11, 21, 44, 63]
    assert is_exhausted(found.claim, sides)
    first, *lines = found.claim["statement"].split("; ")
    where = first.partition(": ")[2].partition(" => ")[0]
    changed = f"let s = m-2**e: {'; '.join(lines).replace(f'({where}) or ', '')}"
    wrong = {**found.claim, "statement": changed}
    assert is_refuted(wrong, sides)


def wrong_numbers(found, game, side):
    """Yield the numbers of the pictures at whose small cells a relation is wrong by the definition of a game."""

    def is_p(cell):
        point = dict(zip(found.axes, cell, strict=True))
        position = tuple(point[name] for name in game.base.coordinates)
        if found.passes is not None:
            position += (found.passes,)
        is_position = min(position) >= 0 and game.is_position(position)
        return game.is_p_position(position) if is_position else None

    for relation in found.relations:
        for small in np.ndindex(side, side, side):
            large = [2 * c + r for c, r in zip(small, relation.residue, strict=True)]
            parts = [is_p(np.add(small, steps).tolist()) for steps in relation.terms]
            if is_p(large) not in (None, sum(map(bool, parts)) % 2):
                yield large[0]


@pytest.mark.parametrize("game", [Nim(3), SolidBar("(x+z)//3"), SolidBar("(x+z)//5")])
def test_nim_sums_are_generated_by_digits(game):
    (found,) = mine_blocks(Cells.computed(game, 47, "p-positions"))
    assert found.complete
    assert not [n for n in wrong_numbers(found, game, 6) if n >= found.begins]


def test_relations_may_begin_late():
    game = WithPass(StripBar(4, 1))
    plain, with_pass = mine_blocks(Cells.computed(game, 47, "p-positions"))
    assert (plain.complete, plain.passes, with_pass.nothing) == (True, 0, True)
    assert plain.begins == max(wrong_numbers(plain, game, 4)) + 1


def test_held_out_pictures_decide_on_relations_and_copies():
    square = next(stacks(Cells.of(RectangularBar(40, 40), 40, p_table(RectangularBar(40, 40)))))
    assert len(find_relations(square)) == 8
    square.cells[37, 10, 11] ^= True  # m = 38, i = 11, j = 12
    assert set(find_relations(square)) == {*product((0, 1), repeat=3)} - {(0, 1, 0)}
    assert mine_copies(square).nothing


def test_copies_are_disjoint_and_leave_nothing_out():
    square = next(stacks(Cells.of(RectangularBar(40, 40), 40, p_table(RectangularBar(40, 40)))))
    assert len(find_copies(square)) == 5
    square.cells[19, 1, 9] ^= True  # m = 20; no larger bar that is learned from has a copy of it
    assert find_copies(square) == []
    diagonal = np.array([np.diag(np.arange(40) <= m) for m in range(40)])
    sizes = [copy.at(37)[0] for copy in find_copies(planted(diagonal, first=1))]
    assert sum(sizes) == 37, "of copies that overlap, one is chosen"
