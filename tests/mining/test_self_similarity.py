"""Self-similar pictures: the printed relations come out of the tables, and are true by definition; random ones have none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, RectangularBar, SolidBar, StripBar, WithPass
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import Exhausted, Refuted
from choco_pipeline.mining.pictures import Stack, stacks
from choco_pipeline.mining.self_similarity import (
    find_copies,
    find_relations,
    mine_blocks,
    mine_copies,
)
from choco_pipeline.tables.computing import p_table
from tests.claims.written import claim_from
from tests.definition import is_p_bar
from tests.effort import examples


def pictures(cells, closed=False):
    return Stack("planted", ("m", "i", "j"), (1, 1, 1), None, cells, np.ones_like(cells), closed)


@pytest.fixture(scope="module")
def bars():
    return mine_blocks(Nim(4), 40, p_table(Nim(4), 40))


def of(findings, ruleset, part="relations"):
    return next(f for f in findings if f.ruleset == ruleset and (getattr(f, part) or f.nothing))


def verdicts(claim, sides):
    said = claim_from({"id": "found", **claim})
    for m in sides:
        bar = RectangularBar(m, m)
        for case in said.cases({"m": m}):
            yield check_claim(said, case, bar, m, p_table(bar)).verdict


def is_p(m, n, i, j):
    return 1 <= i <= m and 1 <= j <= n and is_p_bar(m, n, i, j)


def test_theorem_3_3_and_lemma_4_1_of_patterns(bars):
    square = of(bars, "rectangular-bar(m=m, n=m)")
    assert square.complete
    relations = {tuple(r.residue): [tuple(t) for t in r.terms] for r in square.relations}
    for p in (0, 1):
        for q in (0, 1):
            assert relations[0, p, q] == [(0, 0, p, q)]
            assert relations[1, p, q] == ([] if p != q else [(0, p, p, p)])
    assert all(isinstance(v, Exhausted) for v in verdicts(square.claim, range(1, 60, 7)))
    assert square.begins == 1
    *lines, last = square.claim["statement"].split("; ")
    assert last.startswith("m%2 == 1 and i%2 == 1 and j%2 == 1 => (P <=> P[")
    changed = "; ".join([*lines, "m%2 == 1 and i%2 == 1 => not P"])
    wrong = {**square.claim, "statement": changed}
    assert any(isinstance(v, Refuted) for v in verdicts(wrong, range(1, 8)))


@pytest.mark.parametrize(
    "wider", [2, pytest.param(4, marks=pytest.mark.full), pytest.param(6, marks=pytest.mark.full)]
)
def test_bars_that_are_not_square(bars, wider):
    """C(m, m+d) follows from C(m, m+d') with d' near d/2; each relation by definition on small bars."""
    found = of(bars, f"rectangular-bar(m=m, n=m+{wider})")
    assert found.complete
    differences = [
        wider,
        *(int(name.split("by")[0].split("n=m")[1].strip(" +)") or 0) for name in found.known),
    ]
    for relation in found.relations:
        r, p, q = relation.residue
        for m in range(1, 5):
            for i in range(1, m + 1):
                for j in range(1, m + wider // 2 + 1):
                    large = (2 * m + r, 2 * m + r + wider, 2 * i + p, 2 * j + q)
                    if large[2] > large[0] or large[3] > large[1]:
                        continue
                    said = sum(
                        is_p(m + dm, m + dm + differences[which], i + di, j + dj)
                        for which, dm, di, dj in relation.terms
                    )
                    assert is_p(*large) == said % 2, (large, relation)


def test_bars_of_all_shapes(bars):
    found = of(bars, "rectangular-bar(m=m, n=n)")
    for relation in found.relations:
        r, s, p, q = relation.residue
        steps = [r * p, s * q, p, q] if r and s else [0, 0, p, q]
        assert relation.terms == (((0, *steps),) if r == s else ())


def test_theorem_3_4_of_patterns(bars):
    found = of(bars, "rectangular-bar(m=m, n=m)", "copies")
    placed = {(c.size, c.row, c.column) for c in found.copies}
    corners = {("s", row, column) for row in ("0", "2**e") for column in ("0", "2**e")}
    assert placed == corners | {("2**e-s", "s", "s")}
    sides = [3, 5, 6, 7, 11, 21, 44, 63]
    assert all(isinstance(v, Exhausted) for v in verdicts(found.claim, sides))
    first, *lines = found.claim["statement"].split("; ")
    where = first.partition(": ")[2].partition(" => ")[0]
    changed = f"let s = m-2**e: {'; '.join(lines).replace(f'({where}) or ', '')}"
    wrong = {**found.claim, "statement": changed}
    assert any(isinstance(v, Refuted) for v in verdicts(wrong, sides))


def wrong_numbers(found, game, side):
    """Yield the numbers of the pictures at whose small cells a relation is wrong by the definition of a game."""

    def is_p(cell, left):
        point = dict(zip(found.axes, cell, strict=True))
        position = tuple(point[name] for name in game.base.coordinates)
        if found.passes is not None:
            position += (left,)
        is_position = min(position) >= 0 and game.is_position(position)
        return game.is_p_position(position) if is_position else None

    for relation in found.relations:
        for small in np.ndindex(side, side, side):
            large = [2 * c + r for c, r in zip(small, relation.residue, strict=True)]
            parts = [
                is_p(
                    [c + d for c, d in zip(small, steps, strict=True)], (found.passes or 0) - which
                )
                for which, *steps in relation.terms
            ]
            if is_p(large, found.passes) not in (None, sum(map(bool, parts)) % 2):
                yield large[0]


@pytest.mark.parametrize("game", [Nim(3), SolidBar("(x+z)//3"), SolidBar("(x+z)//5")])
def test_nim_sums_are_generated_by_digits(game):
    for found in mine_blocks(game, 47, p_table(game, 47)):
        assert found.complete
        assert not [n for n in wrong_numbers(found, game, 6) if n >= found.begins]


def test_relations_of_a_game_with_a_pass_and_an_exception():
    """pass2016, Thm 4.1: the P-position (0, 0, 0) with the pass is none of the nim-sum's, so relations begin later."""
    game = WithPass(StripBar(4, 1))
    several = mine_blocks(game, 47, p_table(game, 47))
    assert [(found.complete, found.passes) for found in several] == [(True, 0), (True, 1)]
    for found in several:
        assert found.begins == max(wrong_numbers(found, game, 4)) + 1


def test_nim_with_a_pass_has_no_such_relations():
    game = WithPass(Nim(3))
    plain, with_pass = mine_blocks(game, 47, p_table(game, 47))
    assert plain.complete
    assert (with_pass.nothing, len(plain.known), len(with_pass.known)) == (True, 0, 1)


@settings(max_examples=examples(20))
@given(st.integers(0, 2**32), st.floats(0.05, 0.95), st.integers(8, 20))
def test_random_pictures_have_no_relations_and_no_copies(seed, density, side):
    cells = np.random.default_rng(seed).random((side, side, side)) < density
    assert len(find_relations(pictures(cells))) == 0
    assert find_copies(pictures(cells, closed=True)) == []


def test_held_out_pictures_decide():
    (square,) = next(iter(stacks(RectangularBar(40, 40), 40, p_table(RectangularBar(40, 40)))))
    assert len(find_relations(square)) == 8
    square.cells[37, 10, 11] ^= True  # m = 38, i = 11, j = 12
    assert set(find_relations(square)) == {
        (r, p, q) for r in (0, 1) for p in (0, 1) for q in (0, 1)
    } - {(0, 1, 0)}
    assert mine_copies(square).nothing


def test_copies_are_disjoint_and_leave_nothing_out():
    (square,) = next(iter(stacks(RectangularBar(40, 40), 40, p_table(RectangularBar(40, 40)))))
    assert len(find_copies(square)) == 5
    square.cells[19, 1, 9] ^= True  # m = 20; no larger bar that is learned from has a copy of it
    assert find_copies(square) == []
    diagonal = np.array([np.diag(np.arange(40) <= m) for m in range(40)])
    sizes = [copy.at(37)[0] for copy in find_copies(pictures(diagonal, closed=True))]
    assert sum(sizes) == 37, "of copies that overlap, one is chosen"
