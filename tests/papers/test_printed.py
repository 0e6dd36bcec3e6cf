"""What the five papers print, and how the catalogue writes it, against the definitions of the games."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain, product

import pytest

from choco_pipeline import Nim, SolidBar, StepBar, StripBar, WithPass, parse_ruleset
from choco_pipeline.claims.checks.check import Finding, check_claim
from choco_pipeline.claims.kinds import GrundyNumbers, Listing, PrintedNumbers
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted, Undecided
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.formula import parse
from choco_pipeline.games import Position
from choco_pipeline.statements.meaning import World
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.specs.schema import Quantity
from tests.catalogues import catalogue_of
from tests.claims.written import reworded
from tests.papers.test_verdicts import number_of_p_cells

PAPERS = ("step2015", "pass2016", "triangular", "solid2022", "patterns")
CATALOGUE = catalogue_of(*PAPERS)


def find(claim_id: str, ruleset: str, bound: int, quantity: Quantity) -> Finding:
    """Check a claim of the catalogue, which must fit, on a new table."""
    fitting: Mapping[str, tuple[Claim, dict[str, int]]] = {
        claim.id: (claim, parameters) for claim, parameters in CATALOGUE.fitting(ruleset, quantity)
    }
    claim, parameters = fitting[claim_id]
    game = parse_ruleset(ruleset)
    return check_claim(claim, parameters, game, bound, table(game, bound, quantity))


def fits(claim_id: str, ruleset: str) -> bool:
    return CATALOGUE.claims[claim_id].match(ruleset) is not None


def test_every_claim_has_a_source() -> None:
    for claim in CATALOGUE.claims.values():
        entry = claim.as_ledger()
        assert claim.id.startswith(f"{entry.paper.key}-")
        assert entry.formula
        assert len(entry.paper.authors) >= 2
    assert {claim.paper.key for claim in CATALOGUE.claims.values() if claim.paper} == set(PAPERS)


def test_step2015_theorem_3_2_is_sharp() -> None:
    claim = CATALOGUE.claims["step2015-thm-3.2"]
    for k in (2, 4, 6):
        for s in range(1, 40):
            game = parse_ruleset(f"step-bar(k={k}, s={s})")
            finding = check_claim(claim, {"k": k, "s": s}, game, 130, table(game, 130, "grundy"))
            expected = HoldsToBound if fits(claim.id, game.notation) else Refuted
            assert isinstance(finding.verdict, expected), (k, s)


@pytest.mark.parametrize(("k", "s"), [(2, 1), (4, 1), (4, 3), (6, 5), (8, 3)])
def test_pass2016_theorem_4_1(k: int, s: int) -> None:
    ruleset = f"with-pass(strip-bar(k={k}, s={s}), passes=1)"
    finding = find("pass2016-thm-4.1", ruleset, 90, "p-positions")
    assert isinstance(finding.verdict, HoldsToBound)
    assert finding.evidence == {"free": "x"}
    assert isinstance(find("pass2016-thm-4.1", ruleset, 20, "grundy").verdict, HoldsToBound)


def test_pass2016_corollary_4_1_is_a_misprint() -> None:
    theorem = CATALOGUE.claims["pass2016-thm-4.1"]
    printed = reworded(theorem, "(x+s) ^ y ^ (z+s) ^ p", "x ^ y ^ z ^ p")
    game = parse_ruleset("with-pass(strip-bar(k=4, s=3), passes=1)")
    verdict = check_claim(
        printed, {"k": 4, "s": 3}, game, 30, table(game, 30, "p-positions")
    ).verdict
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.position is not None
    least = min(
        (
            position
            for position in game.positions(4)
            for x, y, z, p in [position]
            if game.is_p_position(position) != (position == (0, 0, 0, 1) or x ^ y ^ z ^ p == 0)
        ),
        key=lambda position: (max(position[:3]), position),
    )
    assert verdict.counterexample.position == least


@pytest.mark.parametrize("k", [1, 5])
def test_the_least_counterexample_to_solid2022_conjecture_2_by_definition(k: int) -> None:
    game, bound = SolidBar(f"(x+z)//{k}"), k + 1
    wrong = [
        (x, y, z)
        for x, y, z in game.positions(bound)
        if game.is_p_position((x, y, z)) != ((x + 1) ^ y ^ (z + 1) == 0)
    ]
    least = min(wrong, key=lambda position: (max(position), position))
    for quantity in ("grundy", "p-positions"):
        verdict = find("solid2022-conj-2", game.notation, 32, quantity).verdict
        assert isinstance(verdict, Refuted)
        assert verdict.counterexample.position == least
        assert verdict.counterexample.claimed == "P-position"
        assert verdict.counterexample.found == f"Grundy number {game.grundy(least)} (N-position)"
        assert verdict.counterexample.option in game.options(least)
        assert game.is_p_position(verdict.counterexample.option)


@pytest.mark.parametrize("a", [0, 1, 2])
@pytest.mark.parametrize("m", [0, 1, 2])
def test_solid2022_conjecture_1_is_decided_by_a_table(a: int, m: int) -> None:
    k = 2 ** (a + 2) * m + 2 ** (a + 1)
    reach = (2 ** (2 * a + 2) - 2 ** (a + 1)) * m + 2 ** (2 * a + 1) - 1
    ruleset = f"solid-bar(f=(x+z)//{k})"
    positions = sum((x + z) // k + 1 for x in range(reach + 1) for z in range(reach + 1))
    assert find("solid2022-conj-1", ruleset, reach, "p-positions").verdict == Exhausted(positions)
    assert find("solid2022-conj-1", ruleset, reach + 3, "p-positions").verdict == Exhausted(
        positions
    )
    assert isinstance(
        find("solid2022-conj-1", ruleset, max(0, reach - 1), "p-positions").verdict, HoldsToBound
    )


def test_triangular_example_8_3() -> None:
    for bound in (20, 33):
        equal = find("triangular-ex-8.3-equal", "solid-bar(f=(x+z)//3)", bound, "grundy")
        different = find("triangular-ex-8.3-different", "solid-bar(f=(x+z)//3)", bound, "grundy")
        assert equal.verdict == different.verdict == Exhausted(977 + 2257)
        assert (equal.evidence["counted"], different.evidence["counted"]) == (977, 2257)
    short = find("triangular-ex-8.3-equal", "solid-bar(f=(x+z)//3)", 19, "grundy").verdict
    assert short == Undecided("the table reaches bound 19, 20 is needed")


@pytest.mark.parametrize("key", ["triangular", "solid2022", "patterns"])
def test_a_bound_that_is_no_largest_integer_is_explained(key: str) -> None:
    # "Up to bound 8" reads as x up to 8; where N is a number of digits the entry says so.
    for claim in CATALOGUE.claims.values():
        entry = claim.as_ledger()
        if entry.paper.key != key:
            continue
        spans = [span.text for span in claim.integers.values()]
        lengths = {name for name, span in claim.integers.items() if span.text.endswith("..N")} | {
            "N"
        }
        if any(re.search(rf"<< {name}\b", span) for name in lengths for span in spans):
            assert re.search(r"\bN\b.*digits|digits.*\bN\b", entry.note or ""), claim.id


def satisfies(k: int, s: int) -> bool:
    """Whether s satisfies condition (1) or (2) of Theorem 3.2."""
    return 1 <= s < k or any(
        s == k * 2**t + m * 2 ** (t + 1) for t in range(12) for m in range(k // 2)
    )


def test_claims_speak_of_the_printed_s() -> None:
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
                assert claim.speaks_of({"k": k, "s": s}) == said, (claim.id, k, s)


def test_figure_4_2_by_definition() -> None:
    rows = CATALOGUE.claims["step2015-fig-4.2"].statement.printed
    bar = StepBar(k=1)
    assert rows == [[bar.grundy((y, z)) for y in range(z + 1)] for z in range(16)]
    assert sum(map(len, rows)) == 136


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


def said_by(claim: Claim, limit: int) -> dict[tuple[int, int], int]:
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
def test_conjectures_say_what_is_printed(residue: int, part: int) -> None:
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


def test_conjectures_speak_of_each_position_once() -> None:
    places = [
        place
        for residue, part in PRINTED
        for place in said_by(CATALOGUE.claims[f"step2015-conj-4.{residue}-{part}"], 60)
    ]
    assert sorted(places) == sorted((y, z) for z in range(1, 61) for y in range(z + 1))


def shifted_sum(position: Position, s: int) -> int:
    """Return (x+s) ⊕ y ⊕ (z+s) ⊕ p."""
    x, y, z, p = position
    return (x + s) ^ y ^ (z + s) ^ p


@cache
def p_positions(k: int, s: int, bound: int) -> list[Position]:
    """Return the P-positions of the game with a pass, by definition."""
    game = WithPass(StripBar(k, s))
    return [position for position in game.positions(bound) if game.is_p_position(position)]


def test_table_4_1_by_definition() -> None:
    listed = sorted(p_positions(4, 2, 20), key=lambda position: position[::-1])
    values = [shifted_sum(position, 2) for position in listed]
    rows = len(values) // 3
    first, second, third = (values[i * rows : (i + 1) * rows] for i in range(3))
    assert rows == 48
    assert set(first) == set(second[:24]) == {0}
    check = CATALOGUE.claims["pass2016-table-4.1"].check
    assert isinstance(check, Listing)
    assert check.begins + check.ends == second[24:] + third
    assert check.length == 72
    zeros = CATALOGUE.claims["pass2016-table-4.1-zeros"].check
    assert isinstance(zeros, Listing)
    assert zeros.begins == first + second[:24]
    assert zeros.length == 72
    assert sorted(set(values)) == [0, 1, 2, 6, 14, 30]


def listed_by_the_program(k: int, s: int, most: int) -> list[Position]:
    """Return what the CGSuite program of Examples 4.2 and 4.4 lists, line by line.

    It lets y run to ⌊(z+s)/k⌋ with the largest z, and cuts what is above the bar as if it were not there.
    """
    is_p: dict[Position, bool] = {}
    for p in range(2):
        for z in range(most + 1):
            for y in range((most + s) // k + 1):
                for x in range(most + 1):
                    options: Iterator[Position] = chain(
                        ((u, y, z, p) for u in range(x)),
                        ((x, v, z, p) for v in range(min(y, (z + s) // k))),
                        ((x, min(y, (w + s) // k), w, p) for w in range(z)),
                        ((x, y, z, q) for q in range(p)),
                    )
                    ends = x == y == z == 0
                    is_p[x, y, z, p] = ends or not any(is_p[option] for option in options)
    return [position for position, found in is_p.items() if found]


def test_example_4_4_program_as_printed_lists_what_is_no_position() -> None:
    listed = listed_by_the_program(4, 6, 40)
    inside = [position for position in listed if position[1] <= (position[2] + 6) // 4]
    assert (len(listed), len(inside)) == (950, 553)
    values, right = ({shifted_sum(at, 6) for at in some} for some in (listed, inside))
    assert (len(values), len(right)) == (28, 22)
    assert right == {*range(16), 30, 51, 57, 58, 59, 62}
    assert values - right == {48, 49, 52, 53, 54, 55}
    added = [shifted_sum(at, 6) for at in listed if shifted_sum(at, 6) not in right]
    assert sorted(added) == sorted([48, 49, 52, 53, 54, 55] * 2)
    # What the entries count: beside each P-position at the top of the bar, all that lies above it.
    assert sorted(listed) == sorted(
        (x, v, z, p) for x, y, z, p in inside for v in range(y, 12) if v == y or y == (z + 6) // 4
    )


def found(claim_id: str, bound: int) -> list[int]:
    claim = CATALOGUE.claims[claim_id]
    (trial,) = trials(claim, bound=bound)
    values: list[int] = trial.finding.evidence["values"]
    return values


def test_values_as_printed() -> None:
    assert found("pass2016-ex-4.1", 20) == [0, 1, 2, 6, 14, 30]
    printed = [106, 108, 112, 113, 114, 115, 116, 117, 118, 119, 120, 122, 123, 126]
    assert found("pass2016-ex-4.5", 80) == printed


#: The 53 triples that Example 8.7 prints, for k = 2 and x, y, z up to 10.
EXAMPLE_8_7 = """
    000 101 112 202 211 303 314 325 336 347 358 404 413 426 435 448 457 505 516 523 534 549 55A 606 615 624 633 64A
    659 707 718 729 73A 743 754 808 817 82A 839 844 853 909 91A 927 938 945 956 A0A A19 A28 A37 A46 A55
"""


def bar(k: int) -> SolidBar:
    return SolidBar(f"(x+z)//{k}")


def sequences(k: int, length: int) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """Yield every word in 1, 2, 3 and what P1, P2 and P3 then make of 2, by Definition 5.1."""
    for word in product((1, 2, 3), repeat=length):
        terms = [2]
        for p in word:
            terms.append({1: 2 * terms[-1] + 2, 2: 2 * terms[-1], 3: 2 * terms[-1] + 1 - k}[p])
        yield word, terms


@pytest.mark.parametrize("k", [3, 7, 11])
def test_a_word_is_a_pair_of_integers(k: int) -> None:
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


def test_printed_moves_and_grundy_numbers() -> None:
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


def test_example_8_7_by_definition() -> None:
    printed = [tuple(int(c, 16) for c in word) for word in EXAMPLE_8_7.split()]
    game = bar(2)
    assert printed == sorted(p for p in game.positions(10) if game.is_p_position(p))
    assert [*map(tuple, CATALOGUE.claims["triangular-ex-8.7"].statement.printed)] == printed


@pytest.mark.parametrize("claim_id", ["solid2022-lemma-7-a", "solid2022-lemma-7-b"])
def test_lemma_7_is_checked_for_all_that_it_supposes(claim_id: str) -> None:
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


def test_all_bars_are_spoken_of() -> None:
    for m in range(1, 65):
        fitting = {
            c.id for c, _ in CATALOGUE.fitting(f"rectangular-bar(m={m}, n={m})", "p-positions")
        }
        for claim_id in ("patterns-thm-2.3", "patterns-prop-3.2", "patterns-thm-3.4"):
            assert claim_id in fitting
        assert {"patterns-thm-5.2", "patterns-thm-5.3", "patterns-thm-5.4"} <= fitting
        assert ("patterns-thm-3.3" in fitting) == (m % 2 == 0)
        odd = {"patterns-lemma-4.1-cells", "patterns-half-levels-bars"}
        assert odd & fitting == (odd if m % 2 == 1 and m > 1 else set())


def test_the_cells_of_figures_8_to_11() -> None:
    for m, blue, red in [(14, 84, 16), (18, 100, 16), (21, 65, 32), (22, 116, 16)]:
        assert number_of_p_cells(m) == blue
        p: dict[tuple[tuple[int, ...], int], bool] = {}

        def is_p(
            heaps: tuple[int, ...], left: int, p: dict[tuple[tuple[int, ...], int], bool] = p
        ) -> bool:
            if (heaps, left) not in p:
                moves = {
                    (tuple(sorted((*heaps[:n], less, *heaps[n + 1 :]))), left)
                    for n, heap in enumerate(heaps)
                    for less in range(heap)
                }
                passes = {(heaps, 0)} if left and any(heaps) else set()
                p[heaps, left] = not any(is_p(*option) for option in moves | passes)
            return p[heaps, left]

        cells = {
            (i, j)
            for i, j in product(range(1, m + 1), repeat=2)
            if is_p(tuple(sorted((i - 1, j - 1, m - i, m - j))), 1)
        }
        assert len(cells) == red
        assert not any((i - 1) ^ (j - 1) ^ (m - i) ^ (m - j) == 0 for i, j in cells)
        assert cells == {(j, i) for i, j in cells} == {(i, m - j + 1) for i, j in cells}
