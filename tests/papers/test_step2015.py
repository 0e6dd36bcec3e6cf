"""What step2015 prints, against the definition of its games, and what the catalogue says of it."""

from __future__ import annotations

from itertools import product

import pytest

from choco_pipeline import StepBar, StripBar
from choco_pipeline.claims.checks.check import check_claim, check_standing
from choco_pipeline.claims.kinds import GrundyNumbers
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.formula import parse
from choco_pipeline.tables.computing import table
from tests.catalogues import catalogue_of

CATALOGUE = catalogue_of("step2015")
#: What the paper prints and mathematics refutes.
MISPRINTS = {
    "step2015-sec-1-p",
    "step2015-sec-1-p-grundy",
    "step2015-thm-3.1-other-s",  # ours, and false on purpose
    "step2015-lemma-2.2-1-only-if",
    "step2015-lemma-2.2-2-proof",
    "step2015-rem-2.1-less",
    "step2015-rem-2.1-odd",
    "step2015-def-2.2",
    "step2015-def-3.1",
    "step2015-ex-3.2-form",
}
FINITE = {
    *(f"step2015-{end}" for end in ("sec-1-nim", "ex-1.2", "fig-4.2", "fig-4.3", "sec-4.1")),
    *(f"step2015-ex-2.1-{end}" for end in ("1", "1-pairs", "2", "2-pairs")),
    "step2015-ex-3.2-sharp",
}


def standing(claim_id, bound=None):
    return check_standing(CATALOGUE.claims[claim_id], bound).verdict


def least(refuted):
    assert isinstance(refuted, Refuted)
    assert refuted.counterexample.position is not None
    return refuted.counterexample.position


def satisfies(k, s):
    """Whether s satisfies condition (1) or (2) of Theorem 3.2."""
    return 1 <= s < k or any(
        s == k * 2**t + m * 2 ** (t + 1) for t in range(12) for m in range(k // 2)
    )


@pytest.mark.parametrize("claim_id", CATALOGUE.claims)
def test_every_claim_has_the_verdict_that_mathematics_gives_it(claim_id):
    verdicts = [trial.finding.verdict for trial in trials(CATALOGUE.claims[claim_id])]
    assert verdicts
    if claim_id in MISPRINTS:
        assert any(isinstance(verdict, Refuted) for verdict in verdicts)
    else:
        expected = Exhausted if claim_id in FINITE else HoldsToBound
        assert all(isinstance(verdict, expected) for verdict in verdicts), verdicts


def test_every_misprint_is_corrected_or_explained():
    corrected = {
        entry.corrects for entry in (claim.as_ledger() for claim in CATALOGUE.claims.values())
    }
    explained = {
        claim.id
        for claim in CATALOGUE.claims.values()
        if "False:" in (claim.as_ledger().note or "")
    }
    # Theorems 3.1 and 3.2 are printed with the condition that is missing in section 1; Lemma 2.2 says more than a line
    # of its proof.
    assert explained == {
        "step2015-lemma-2.2-2-proof",
        "step2015-sec-1-p",
        "step2015-sec-1-p-grundy",
        "step2015-ex-3.2-form",
        "step2015-thm-3.1-other-s",
    }
    assert (corrected - {None}) | explained == MISPRINTS


# Section 1


def test_the_formula_without_a_condition_fails_exactly_where_theorem_3_1_has_one():
    for trial in trials(CATALOGUE.claims["step2015-sec-1-p"]):
        k, s = trial.parameters["k"], trial.parameters["s"]
        assert isinstance(trial.finding.verdict, Refuted) != satisfies(k, s), (k, s)


# Section 2


def digits_follow(k, x, y, z):
    """Return the conditions of Lemma 2.2 on the first digits, and the largest i at which Equation (1) is false."""
    n = (x | y | z).bit_length() - 1

    def digit(value, i):
        return value >> i & 1

    wrong = [
        i
        for i in range(n)
        if digit(y, i)
        != (
            sum(2**j * digit(z, i + j) for j in range(1, n - i + 1))
            - sum(2**j * digit(y, i + j) for j in range(1, n - i)) * k
        )
        // k
    ]
    return (digit(x, n), digit(z, n), digit(y, n)) == (1, 1, 0), max(wrong, default=None)


@pytest.mark.parametrize("k", [2, 4, 6, 10])
def test_lemma_2_2_digit_by_digit(k):
    for z in range(1, 70):
        for y in range(70):
            first, wrong = digits_follow(k, y ^ z, y, z)
            assert (y == z // k) == (first and wrong is None)
            # An equation that is false has a digit 0 or 1 on the left, and a greater or a smaller right side.
            below = (
                wrong is not None
                and (y >> wrong & 1) < ((z >> wrong + 1) * 2 - (y >> wrong + 1) * 2 * k) // k
            )
            assert (y < z // k) == (first and below)


def test_lemma_2_2_is_false_for_odd_k():
    assert any(
        (y == z // 3) != (digits_follow(3, y ^ z, y, z) == (True, None))
        for z in range(1, 20)
        for y in range(20)
    )


def test_remark_2_1_needs_m_0():
    """Where y < ⌊z/k⌋, the digit that is too small can be the last one, of place 0."""
    assert least(standing("step2015-rem-2.1-less", 8)) == (2, 2, 0)
    assert digits_follow(2, 2, 0, 2) == (True, 0)
    assert isinstance(standing("step2015-rem-2.1-less-intended", 8), HoldsToBound)


def test_lemma_2_2_says_nothing_of_zeros():
    """For x = y = z = 0, y is ⌊z/k⌋, but no digit is 1."""
    assert least(standing("step2015-lemma-2.2-1-only-if")) == (2, 0, 0, 0, 0)  # k, n, y, z, i
    assert isinstance(standing("step2015-lemma-2.2-1-only-if-intended"), HoldsToBound)


def test_equation_4_is_false_for_three_odd_k_only():
    false = {
        k
        for k in range(1, 200)
        for a, b, y in product(range(2), repeat=3)
        if (4 + 2 * a + b - 2 * k * y) // k != (4 + 2 * a - 2 * k * y) // k
    }
    assert {k for k in false if k % 2 == 1} == {1, 5, 7}
    assert least(standing("step2015-rem-2.1-odd")) == (3,)
    assert isinstance(standing("step2015-rem-2.1-odd-intended"), HoldsToBound)


def test_example_2_1():
    def pairs(x):
        return [(y, z) for y in range(50) for z in range(50) if x ^ y ^ z == 0 and y == z // 3]

    assert pairs(7) == []
    assert pairs(5) == [(1, 4), (2, 7)]


def test_definition_2_2_prints_what_is_no_position():
    (first, *_) = trials(CATALOGUE.claims["step2015-def-2.2"])
    assert least(first.finding.verdict) == (0, 1, 2)
    assert StripBar(k=2).is_position((0, 1, 2))
    assert not StripBar(k=2).is_position((0, 1, 0))


# Section 3


def test_claims_speak_of_the_printed_s():
    claims = [
        (CATALOGUE.claims[claim_id], speaks)
        for claim_id, speaks in [
            ("step2015-thm-3.2", satisfies),
            ("step2015-lemma-3.7", satisfies),
            ("step2015-thm-3.1", satisfies),
            ("step2015-ex-3.2-sharp", lambda k, s: s > 0 and not satisfies(k, s)),
            ("step2015-lemma-3.7-sharp", lambda k, s: s > 0 and not satisfies(k, s)),
        ]
    ]
    for k in range(1, 8):
        for s in range(60):
            for claim, speaks in claims:
                said = k % 2 == 0 and speaks(k, s)
                assert claim.is_about({"k": k, "s": s}) == said, (claim.id, k, s)


def test_definition_3_1_prints_what_is_no_position():
    (first, *_) = trials(CATALOGUE.claims["step2015-def-3.1"])
    assert least(first.finding.verdict) == (0, 1, 2)
    assert (0, min(1, 2 // 2), 0) not in set(StripBar(k=2).options((0, 1, 2)))
    assert (0, min(1, 0 // 2), 0) in set(StripBar(k=2).options((0, 1, 2)))


def forms(k, limit):
    """Yield t, a and s = k·2^t + (2a+1)·2^t up to a limit."""
    for t in range(limit.bit_length()):
        for a in range((k - 2) // 2 + 1):
            s = k * 2**t + (2 * a + 1) * 2**t
            if s <= limit:
                yield t, a, s


def test_example_3_2_by_definition():
    for k in (2, 4, 6):
        for t, a, s in forms(k, 24):
            bar = StripBar(k, s)
            position = (k * 2 ** (t + 1), 2**t, 0)
            x, y, z = position
            assert bar.is_position(position)
            assert (x + s) ^ y ^ (z + s) != 0
            assert all((u + s) ^ v ^ (w + s) != 0 for u, v, w in bar.options(position))
            assert k * 2**t + a * 2 ** (t + 1) < s
            assert not satisfies(k, s)


def test_example_3_2_misses_some_s():
    k, s = least(standing("step2015-ex-3.2-form"))
    missed = [
        (k, s)
        for k in range(2, 9, 2)
        for s in range(1, 40)
        if not satisfies(k, s) and s not in {found for _, _, found in forms(k, 40)}
    ]
    assert (k, s) == (2, 5) == min(missed, key=lambda found: (max(found), found))
    assert (4, 9) in missed
    # The theorem fails there all the same: (1, 1, 0) is a P-position.
    assert StripBar(2, 5).is_p_position((1, 1, 0))
    assert (1 + 5) ^ 1 ^ 5 != 0


@pytest.mark.parametrize("k", [2, 4, 6])
def test_theorem_3_1_fails_for_every_other_s(k):
    for s in range(1, 20):
        bar = StripBar(k, s)
        fails = any(
            bar.is_p_position((x, y, z)) != ((x + s) ^ y ^ (z + s) == 0)
            for x, y, z in bar.positions(8)
        )
        assert fails != satisfies(k, s), (k, s)


@pytest.mark.parametrize("k", [2, 4, 6])
def test_theorem_3_2_is_sharp(k):
    claim = CATALOGUE.claims["step2015-thm-3.2"]
    for s in range(1, 25):
        bar = StepBar(k, s)
        verdict = check_claim(claim, {"k": k, "s": s}, bar, 90, table(bar, 90, "grundy")).verdict
        assert isinstance(verdict, HoldsToBound if satisfies(k, s) else Refuted), (k, s)


# Section 4


def test_figure_4_2_by_definition():
    rows = CATALOGUE.claims["step2015-fig-4.2"].statement.printed
    bar = StepBar(k=1)
    assert rows == [[bar.grundy((y, z)) for y in range(z + 1)] for z in range(16)]
    assert sum(map(len, rows)) == 136


def test_example_4_1_program():
    """The program, line by line, gives the numbers of the definition for all a ≤ b ≤ 30."""
    numbers: dict[tuple[int, int], int] = {}
    for b in range(31):
        for a in range(b + 1):
            reached = {numbers[min(w, a), w] for w in range(b)} | {numbers[v, b] for v in range(a)}
            numbers[a, b] = min(set(range(len(reached) + 1)) - reached)
    bar = StepBar(k=1)
    assert numbers == {position: bar.grundy(position) for position in bar.positions(30)}
    assert [position for position, number in numbers.items() if number == 0] == [(0, 0)]


#: Part, y by i, the number by i and m, first and last i by m, as printed; z = 4m + 1, 2, 3, 4.
PRINTED = {
    (1, 1): ("2*i-1", "4*m+1+i", "1", "2*m+1"),
    (1, 2): ("2*i", "4*m+1-i", "0", "m"),
    (1, 3): ("2*i", "6*m+1-3*i", "m+1", "2*m"),
    (2, 1): ("2*i", "4*m+2+i", "0", "2*m+1"),
    (2, 2): ("2*i-1", "4*m+2-i", "1", "m+1"),
    (2, 3): ("2*i-1", "6*m+4-3*i", "m+2", "2*m+1"),
    (3, 1): ("2*i-1", "4*m+3+i", "1", "2*m+2"),
    (3, 2): ("2*i", "4*m+3-i", "0", "m"),
    (3, 3): ("2*i", "6*m+4-3*i", "m+1", "2*m+1"),
    (4, 1): ("2*i", "4*m+4+i", "0", "2*m+2"),
    (4, 2): ("2*i-1", "4*m+4-i", "1", "m+1"),
    (4, 3): ("2*i-1", "6*m+7-3*i", "m+2", "2*m+2"),
}


def said_by(claim, limit):
    """Return the numbers that a claim of section 4 gives, for z up to a limit."""
    check = claim.check
    assert isinstance(check, GrundyNumbers)
    assert check.where is not None
    return {
        (y, z): int(check.equals.value({"y": y, "z": z}))
        for z in range(limit + 1)
        for y in range(z + 1)
        if check.where.value({"y": y, "z": z})
    }


@pytest.mark.parametrize(("residue", "part"), PRINTED)
def test_conjectures_say_what_is_printed(residue, part):
    y, number, first, last = map(parse, PRINTED[residue, part])
    printed = {
        (int(y.value({"i": i})), 4 * m + residue): int(number.value({"i": i, "m": m}))
        for m in range(12)
        for i in range(int(first.value({"m": m})), int(last.value({"m": m})) + 1)
    }
    claim = CATALOGUE.claims[f"step2015-conj-4.{residue}-{part}"]
    assert said_by(claim, 47 + residue) == {
        place: value for place, value in printed.items() if place[1] <= 47 + residue
    }


def test_conjectures_speak_of_each_position_once():
    places = [
        place
        for residue, part in PRINTED
        for place in said_by(CATALOGUE.claims[f"step2015-conj-4.{residue}-{part}"], 60)
    ]
    assert sorted(places) == sorted((y, z) for z in range(1, 61) for y in range(z + 1))


def test_conjectures_give_figure_4_2():
    bar = StepBar(k=1)
    for residue, part in PRINTED:
        claim = CATALOGUE.claims[f"step2015-conj-4.{residue}-{part}"]
        for position, number in said_by(claim, 15).items():
            assert bar.grundy(position) == number
