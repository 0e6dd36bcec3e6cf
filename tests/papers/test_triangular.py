"""What "Impartial Triangular Chocolate Bar Games" prints, against the definition, and the verdict on each claim."""

from __future__ import annotations

import re
from itertools import product

import pytest

from choco_pipeline import DisjunctiveSum, Nim, SolidBar
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.kinds import PrintedNumbers
from choco_pipeline.claims.language.verdict import Refuted
from choco_pipeline.statements.meaning import World
from choco_pipeline.statements.tree import text_of
from choco_pipeline.tables.computing import grundy_table
from tests.catalogues import catalogue_of
from tests.claims.claims import reworded
from tests.papers.attempts import refuted_at

CATALOGUE = catalogue_of("triangular")
#: Where the claims that are wrong as printed first fail: coordinates, or the integers of `all` in order.
REFUTED = {
    "triangular-after-conj-8.1-beyond": [(0, 1, 1)] * 5,  # false on purpose: the next c
    "triangular-def-4.3-printed": [(0, 0, 1), (0, 0, 1)],
    "triangular-lemma-5.6-printed": [(3, 0, 1, 1)],
    "triangular-lemma-7.2-ab-printed": [(3, 1, 2, 2, 1)],
    "triangular-lemma-7.4-swap-printed": [(3, 1, 2, 2, 1)],
    "triangular-thm-7.1-5-printed": [(3, 0, 0)],
    "triangular-thm-7.2-cases-printed": [(3, 3, 3, 1, 0)],
    "triangular-thm-7.2-a.2-printed": [(7, 2, 3, 0, 0)],
}
#: The 53 triples that Example 8.7 prints, for k = 2 and x, y, z up to 10.
EXAMPLE_8_7 = """
    000 101 112 202 211 303 314 325 336 347 358 404 413 426 435 448 457 505 516 523 534 549 55A 606 615 624 633 64A
    659 707 718 729 73A 743 754 808 817 82A 839 844 853 909 91A 927 938 945 956 A0A A19 A28 A37 A46 A55
"""


def bar(k):
    return SolidBar(f"(x+z)//{k}")


def sequences(k, length):
    """Yield every word in 1, 2, 3 and what P1, P2 and P3 then make of 2, by Definition 5.1."""
    for word in product((1, 2, 3), repeat=length):
        terms = [2]
        for p in word:
            terms.append({1: 2 * terms[-1] + 2, 2: 2 * terms[-1], 3: 2 * terms[-1] + 1 - k}[p])
        yield word, terms


def types(k, terms):
    """Return the types of a sequence by Definition 5.2, those of 2 and 3 with a term that is not in [0, k)."""
    inside = [0 <= term < k for term in terms]
    first = inside.index(False) if False in inside else len(terms)
    rest = terms[first:]
    if not rest:
        return {1}
    return ({2} if all(b >= k for b in rest) else set()) | (
        {3} if all(b < 0 for b in rest) else set()
    )


@pytest.mark.parametrize("claim_id", CATALOGUE.claims)
def test_verdicts(claim_id):
    assert refuted_at(CATALOGUE.claims[claim_id]) == REFUTED.get(claim_id, [])


@pytest.mark.parametrize("k", [3, 7, 11])
def test_a_word_is_a_pair_of_integers(k):
    # The reading of sequences that the claims use: Definition 6.1 and Lemma 6.2.
    digits = {1: [(1, 1)], 2: [(0, 0)], 3: [(1, 0), (0, 1)]}
    for word, terms in sequences(k, 5):
        for pairs in product(*(digits[p] for p in word)):
            x = int("1" + "".join(str(a) for a, _ in pairs), 2)
            z = int("1" + "".join(str(b) for _, b in pairs), 2)
            y = x ^ z
            read = [(x >> d) + (z >> d) - k * (y >> d) for d in range(5, -1, -1)]
            by_digit = [
                sum(
                    ((x >> i & 1) + (z >> i & 1) - k * (y >> i & 1)) << (i + j - 5)
                    for i in range(5 - j, 6)
                )
                for j in range(6)
            ]
            assert read == terms == by_digit, (word, x, z)


@pytest.mark.parametrize("k", [3, 7, 11])
def test_lemmas_of_section_5_word_by_word(k):
    m = (k - 3) // 4
    for n in range(6):
        of_type_1 = [terms for _, terms in sequences(k, n) if types(k, terms) == {1}]
        assert of_type_1  # so Lemma 5.6 as printed makes every sequence one of Type 2
        for word, terms in sequences(k, n):
            found, last = types(k, terms), terms[-1]
            assert all(term % 2 == 0 for term in terms)
            assert found == ({1} if 0 <= last < k else {2} if last >= k else {3})  # Lemma 5.1
            steps = all(
                (b > 2 * m or p in (1, 2)) and (b < 2 * m + 2 or p == 3)
                for b, p in zip(terms, word, strict=False)
                if 0 <= b < k
            )
            assert (found == {1}) == steps  # Lemma 5.4
            leaves = any(
                other[: j + 1] == terms[: j + 1]
                and 2 * m + 2 <= terms[j] < k
                and other[j + 1] == 2 * terms[j] + 1 - k
                and word[j] in (1, 2)
                for other in of_type_1
                for j in range(n)
            )
            assert (found == {2}) == leaves  # Lemma 5.6 as it is proved


def test_example_5_1_and_remark_5_1():
    printed = {
        (2, 3, 2, 3, 1): ([2, 4, 2, 4, 2, 6], 1),
        (2, 3, 2, 2, 1): ([2, 4, 2, 4, 8, 18], 2),
        (3, 1, 2, 1, 3, 1): ([2, -2, -2, -4, -6, -18, -34], 3),
    }
    for word, (terms, kind) in printed.items():
        assert dict(sequences(7, len(word)))[word] == terms
        assert types(7, terms) == {kind}


@pytest.mark.parametrize("k", [3, 7])
def test_the_lines_of_definition_4_1_are_the_cuts(k):
    # The bar (u, v, w) is where y ≤ x+1+2u, y ≤ −x+1+2w and y ≤ k(v+1); a line y = ks cuts it if a point is above.
    game = bar(k)
    for u, v, w in game.positions(9):
        top = max(
            min(x + 1 + 2 * u, -x + 1 + 2 * w, k * (v + 1)) for x in range(-2 * u - 1, 2 * w + 2)
        )
        assert sum(k * s < top for s in range(1, 40)) == v
        for less in range(u):
            options = [option for option in game.options((u, v, w)) if option[0] == less]
            top = max(
                min(x + 1 + 2 * less, -x + 1 + 2 * w, k * (v + 1))
                for x in range(-2 * u - 1, 2 * w + 2)
            )
            assert options == [(less, sum(k * s < top for s in range(1, 40)), w)]


def test_printed_moves_and_grundy_numbers():
    game, nim = bar(3), Nim(3)
    assert {(3, 7, 1), (3, 0, 4)} <= set(nim.options((3, 7, 4)))
    assert not {(3, 2, 1), (0, 4, 4), (0, 0, 0)} & set(nim.options((3, 7, 4)))
    assert (3, 2, 1) in set(nim.options((3, 7, 1)))
    assert {(5, 4, 7), (7, 2, 7), (7, 3, 2)} <= set(game.options((7, 4, 7)))
    assert set(game.options((1, 1, 2))) == {(1, 0, 0), (1, 0, 1), (1, 0, 2), (0, 0, 2)}
    listed = CATALOGUE.claims["triangular-ex-7.1-grundy"].check
    assert isinstance(listed, PrintedNumbers)
    assert [game.grundy(position) for position, _ in listed.numbers] == [0, 1, 1, 0, 2, 3, 4]
    assert [number for _, number in listed.numbers] == [0, 1, 1, 0, 2, 3, 4]
    assert World(game).holds(CATALOGUE.claims["triangular-ex-7.1-moves"].proposition)
    assert game.grundy((1, 1, 2)) != 1 ^ 1 ^ 2


def test_theorem_2_1_for_a_sum():
    game, k3, k5 = DisjunctiveSum(bar(3), bar(5)), bar(3), bar(5)
    for position in game.positions(2):
        assert game.grundy(position) == k3.grundy(position[:3]) ^ k5.grundy(position[3:])


def test_examples_8_1_to_8_4_by_definition():
    game = bar(3)
    numbers = {position: game.grundy(position) for position in game.positions(20)}
    assert all((g == 0) == (x ^ y ^ z == 0) for (x, y, z), g in numbers.items())
    equal = sum(g == x ^ y ^ z for (x, y, z), g in numbers.items())
    assert (equal, len(numbers) - equal) == (977, 2257)  # fewer are equal, as section 7 says


def test_examples_8_5_and_8_6_by_definition():
    game, negative = bar(5), 0
    for x, y, z in game.positions(20):
        nim_sum = (x - 1) ^ y ^ (z - 1)
        assert game.is_p_position((x, y, z)) == (nim_sum == 0)
        negative += nim_sum < 0
    assert negative  # Example 8.5 (i) looks for nim-sums above 0 only: these are not looked at


def test_example_8_7_by_definition():
    printed = [tuple(int(c, 16) for c in word) for word in EXAMPLE_8_7.split()]
    game = bar(2)
    assert printed == sorted(p for p in game.positions(10) if game.is_p_position(p))
    assert [*map(tuple, CATALOGUE.claims["triangular-ex-8.7"].statement.printed)] == printed


@pytest.mark.parametrize("k", [1, 5, 9])
def test_conjecture_8_1_by_definition(k):
    game = bar(k)
    for x, y, z in game.positions(12):
        assert game.is_p_position((x, y, z)) == ((x - 1) ^ y ^ (z - 1) == 0), (k, x, y, z)


def is_cut(line, k, u, v, w):
    """Whether the bar (u, v, w) has points on both sides of a line, by a grid of half the unit."""
    sides = set()
    for x2, y2 in product(range(-4 * u - 4, 4 * w + 5), range(2 * k * (v + 1) + 1)):
        # Doubled coordinates: y <= x+1+2u, y <= k(v+1), y <= -x+1+2w, away from the bar's edge.
        if y2 < x2 + 2 + 4 * u and y2 < -x2 + 2 + 4 * w and 0 < y2 < 2 * k * (v + 1):
            sides.add(line(x2, y2))
    return len(sides) == 2


@pytest.mark.parametrize("position", [(7, 4, 7), (4, 2, 7), (5, 0, 1), (0, 0, 0), (2, 1, 2)])
def test_definition_4_2_counts_the_lines_that_cut(position):
    k = 3
    u, v, w = position
    # A line is crossed where points of the bar lie strictly on both sides, on the grid next to it.
    left = [r for r in range(12) if is_cut(lambda x, y, r=r: y > x + 2 + 4 * r, k, u, v, w)]  # type: ignore[misc]
    right = [t for t in range(12) if is_cut(lambda x, y, t=t: y > -x + 2 + 4 * t, k, u, v, w)]  # type: ignore[misc]
    above = [s for s in range(1, 12) if is_cut(lambda _, y, s=s: y > 2 * k * s, k, u, v, w)]  # type: ignore[misc]
    assert (len(left), len(above), len(right)) == position


def test_a_definition_with_a_move_left_out_is_refuted():
    for claim_id in ("triangular-def-3.3", "triangular-def-4.3"):
        whole = CATALOGUE.claims[claim_id]
        clauses = text_of(whole.proposition).split(" <=> ")[1].split(" or ")
        assert len(clauses) == 3
        for n in range(3):
            fewer = " or ".join(clauses[:n] + clauses[n + 1 :])
            claim = reworded(whole, " or ".join(clauses), fewer)
            game = Nim(3) if claim_id == "triangular-def-3.3" else bar(3)
            parameters = {} if claim_id == "triangular-def-3.3" else {"k": 3}
            verdict = check_claim(claim, parameters, game, 5, grundy_table(game, 5)).verdict
            assert isinstance(verdict, Refuted)


def test_every_numbered_statement_has_a_claim():
    entries = [claim.as_ledger() for claim in CATALOGUE.claims.values()]
    numbers = {re.sub(r"( \(.*)?$", "", entry.number) for entry in entries}
    expected = {"Theorem 3.1", *(f"Theorem 7.{n}" for n in range(1, 6)), "Conjecture 8.1"}
    expected |= {f"Lemma 5.{n}" for n in range(1, 7)} | {"Lemma 6.1", "Lemma 6.2"}
    expected |= {f"Lemma 7.{n}" for n in range(1, 6)} | {"Definition 4.3", "Definition 5.1"}
    expected |= {f"Definition {n}" for n in ("3.3", "4.2")}
    expected |= {f"Example {n}" for n in ("3.2", "4.1", "4.2", "4.3", "4.4", "4.5", "5.1", "7.1")}
    expected |= {f"Example 8.{n}" for n in (1, 2, 3, 5, 6, 7)}
    assert expected <= numbers
