"""What the paper on three-dimensional bars prints, against the definition, and the verdict on each of its claims."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from choco_pipeline import Nim, SolidBar, StepBar
from choco_pipeline.claims.language.verdict import HoldsToBound
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.tables.computing import grundy_table
from tests.catalogues import catalogue_of
from tests.definition import grundy_of_heights, monotone
from tests.papers.attempts import refuted_at

CATALOGUE = catalogue_of("solid2022")
#: Where the claims that are wrong as printed first fail: coordinates, or the integers of `all` in order.
REFUTED = {
    # False on purpose: the bound h of Conjecture 1 plus 1, for the largest power p of 2 that divides k.
    "solid2022-conj-1-beyond": [
        (h + 1 - p, p - 1, h)
        for k in range(2, 15, 2)
        for p in [k & -k]
        for h in [((p - 1) * k + p) // 2]
    ],
    "solid2022-lemma-8-subcases-printed": [(3, 3, 2, 0, 0)],
    "solid2022-lemma-8-lowered-printed": [(3, 2, 1, 1, 1)],
    "solid2022-conj-2": [(k - 1, 2, k + 1) for k in (1, 5, 9, 13)],
}


def bar(k):
    return SolidBar(f"(x+z)//{k}")


def printed_bound(a, m):
    """Return k and the bound of Conjecture 1 for a and m."""
    return 2 ** (a + 2) * m + 2 ** (a + 1), (2 ** (2 * a + 2) - 2 ** (a + 1)) * m + 2 ** (
        2 * a + 1
    ) - 1


@pytest.mark.parametrize("claim_id", CATALOGUE.claims)
def test_verdicts(claim_id):
    assert refuted_at(CATALOGUE.claims[claim_id]) == REFUTED.get(claim_id, [])


@pytest.mark.parametrize("game", [bar(2), bar(3), bar(5), StepBar(k=3, s=2), Nim(3)])
def test_theorem_1(game):
    # Outcomes by their own rule: a position is P if no option is. Then both kinds of tables.
    p: dict[tuple[int, ...], bool] = {}
    for position in sorted(game.positions(7), key=sum):
        p[position] = not any(p[option] for option in game.options(position))
        assert p[position] == (game.grundy(position) == 0) == game.is_p_position(position)
    numbers = grundy_table(game, 7)["grundy"].values
    assert {tuple(cell) for cell in np.argwhere(numbers == 0).tolist()} == {q for q in p if p[q]}


def test_section_1():
    for m, n in product(range(1, 7), range(1, 5)):
        assert Nim(2).grundy((m - 1, n - 1)) == (m - 1) ^ (n - 1)
    assert Nim(3).grundy((4, 4, 4)) == 4 ^ 4 ^ 4


def test_example_2_1():
    game = bar(3)
    assert (9, 3, 10) in set(game.options((14, 3, 10)))
    assert {option for option in game.options((13, 6, 7)) if option[0] == 4} == {(4, 3, 7)}
    assert [14 ^ 3 ^ 10, 9 ^ 3 ^ 10, 13 ^ 6 ^ 7, 4 ^ 3 ^ 7] == [7, 0, 12, 0]
    # Tables 1 to 4, read downwards from 2^3.
    tables = {14: "1110", 3: "0011", 10: "1010", 9: "1001", 13: "1101", 6: "0110", 7: "0111"}
    assert all(f"{number:04b}" == digits for number, digits in {**tables, 4: "0100"}.items())
    # (4) leads to no option: whatever the last two digits of u are, y = 6 does not stay, nor any v with digit 2^2.
    assert all(v < 4 for u, v, z in game.options((13, 6, 7)) if u < 4 and z == 7)


@pytest.mark.parametrize("k", [3, 7])
def test_lemmas_on_digit_sums(k):
    m, n = (k - 3) // 4, 3
    for x, y, z in product(range(2 ** (n + 1)), repeat=3):
        terms = [((x >> i & 1) + (z >> i & 1) - k * (y >> i & 1)) * 2**i for i in range(n + 1)]
        sums = [sum(terms[n - t :]) for t in range(n + 1)]
        assert sums[n] == x + z - k * y
        nim_sum, legal = x ^ y ^ z, y <= (x + z) // k
        for t, s in enumerate(sums):
            unit = 2 ** (n - t)
            if nim_sum < unit:
                assert s % (2 * unit) == 0  # Lemma 2
                assert s >= 0 or all(later < 0 for later in sums[t:])  # Lemma 3
                assert s >= 0 or not legal  # Lemma 4
            if nim_sum % (2 * unit) == 0:
                assert s >= 0 or not legal  # Lemma 4, as printed
            if s >= k * unit:
                assert all(sums[j] >= k * 2 ** (n - j) for j in range(t, n + 1))  # Lemma 5
            if t == n:
                continue
            digits = tuple(number >> (n - t - 1) & 1 for number in (x, y, z))
            follows, half = sums[t + 1], unit // 2
            if 0 <= s <= 2 * m * unit:
                if digits in {(1, 1, 0), (0, 1, 1)}:
                    assert follows < 0  # Lemma 6 (a)
                elif digits in {(1, 0, 1), (0, 0, 0)}:
                    assert (
                        0 <= follows < k * half
                    )  # Lemma 6 (b); with 0 < it fails for x = y = z = 0
            elif nim_sum < unit and (2 * m + 2) * unit <= s < k * unit:
                if digits in {(1, 1, 0), (0, 1, 1)}:
                    assert 0 <= follows < k * half  # Lemma 7 (a)
                elif digits in {(1, 0, 1), (0, 0, 0)}:
                    assert follows >= k * half  # Lemma 7 (b)


@pytest.mark.parametrize("claim_id", ["solid2022-lemma-7-a", "solid2022-lemma-7-b"])
def test_lemma_7_is_checked_for_all_that_it_supposes(claim_id):
    # y <= f(x, z) is not supposed: with it half of what is claimed follows from Lemma 4.
    wanted = {"a": {(1, 1, 0), (0, 1, 1)}, "b": {(1, 0, 1), (0, 0, 0)}}[claim_id[-1]]
    cases = 0
    for k in (3, 7, 11, 15):
        m = (k - 3) // 4
        for (x, y, z), d in product(product(range(8), repeat=3), range(1, 3)):
            term = (x >> d) + (z >> d) - k * (y >> d)
            digits = (x >> d - 1 & 1, y >> d - 1 & 1, z >> d - 1 & 1)
            if 2 * m + 2 <= term < k and (x ^ y ^ z) >> d == 0 and digits in wanted:
                cases += 1
    (trial,) = trials(CATALOGUE.claims[claim_id], bound=3)
    assert isinstance(trial.finding.verdict, HoldsToBound)
    assert trial.finding.verdict.positions == cases


@pytest.mark.parametrize("k", [3, 7])
def test_theorem_2_and_its_halves_by_definition(k):
    game = bar(k)
    for x, y, z in game.positions(14):
        zeros = [u ^ v ^ w == 0 for u, v, w in game.options((x, y, z))]
        assert any(zeros) == (x ^ y ^ z != 0)  # Lemmas 8 and 9
        assert game.is_p_position((x, y, z)) == (x ^ y ^ z == 0)


@pytest.mark.parametrize(("a", "m"), [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)])
def test_conjecture_1_and_its_bound_by_definition(a, m):
    k, bound = printed_bound(a, m)
    game = bar(k)
    wrong = [
        (x, y, z)
        for x, y, z in game.positions(bound + 1)
        if game.is_p_position((x, y, z)) != (x ^ y ^ z == 0)
    ]
    first = (bound + 2 - 2 ** (a + 1), 2 ** (a + 1) - 1, bound + 1)
    assert sorted(wrong) == sorted([first, first[::-1]])
    assert game.is_p_position(first)


@pytest.mark.parametrize("k", [1, 5, 9])
def test_conjecture_2_by_definition(k):
    game = bar(k)
    wrong = [
        (x, y, z)
        for x, y, z in game.positions(k + 1)
        if game.is_p_position((x, y, z)) != ((x + 1) ^ y ^ (z + 1) == 0)
    ]
    assert min(wrong, key=lambda p: (max(p), p)) == (k - 1, 2, k + 1)


def has_ns_property(f):
    return all(
        f[z] >> (i - 1) == f[w] >> (i - 1)
        for i in range(1, len(f) + 1)
        for z, w in product(range(len(f)), repeat=2)
        if z >> i == w >> i
    )


def is_nim_sum(f):
    """Whether the solid bar with heights f[x][z] has the Grundy number x ⊕ y ⊕ z everywhere."""
    grundy = grundy_of_heights(f)
    return all(
        grundy(x, y, z) == x ^ y ^ z
        for x, row in enumerate(f)
        for z, height in enumerate(row)
        for y in range(height + 1)
    )


def test_question_1_by_definition():
    found = {f for f in monotone(1, 5, 4) if is_nim_sum(f)}
    assert found == {f for f in monotone(1, 5, 4) if has_ns_property(f[0])}
    assert len(found) == 15
    squares = monotone(4, 4, 1)
    assert len(squares) == 70
    for f in squares:
        ns = all(map(has_ns_property, [*f, *zip(*f, strict=True)]))
        assert is_nim_sum(f) == ns, f


def test_every_numbered_statement_has_a_claim():
    entries = [claim.as_ledger() for claim in CATALOGUE.claims.values()]
    numbers = {re.sub(r"( \(|,).*$", "", entry.number) for entry in entries}
    expected = {"Example 2.1", "Theorem 2", "Conjecture 1", "Conjecture 2", "Definition 1.7"}
    assert expected | {f"Lemma {n}" for n in range(1, 10)} | {"Question 1", "Question 2"} <= numbers
