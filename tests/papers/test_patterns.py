"""The catalogue of the paper `patterns`, against verdicts that are expected of it and numbers that it prints."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache
from itertools import product

import pytest

from choco_pipeline import RectangularBar, parse_ruleset
from choco_pipeline.claims.checks.check import check_standing
from choco_pipeline.claims.conclusions.rows import check_counts
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted
from choco_pipeline.claims.quick_trial import trials
from tests.catalogues import catalogue_of
from tests.claims.claims import is_about_cells

CATALOGUE = catalogue_of("patterns")
PRINTED = [claim_id for claim_id in CATALOGUE.claims if claim_id.endswith("-printed")]
OF_BARS = [c.id for c in CATALOGUE.claims.values() if c.shape and not c.is_over_tables]
OF_COUNTS = [c.id for c in CATALOGUE.claims.values() if c.is_over_tables]


def number_of_p_cells(m):
    """Return g(m), by the nim-sum of four heaps."""
    return sum((i ^ j ^ (m - 1 - i) ^ (m - 1 - j)) == 0 for i, j in product(range(m), repeat=2))


@cache
def verdicts(claim_id):
    """Return the verdicts on a claim: over its sample, with g up to 64 for counts."""
    claim = CATALOGUE.claims[claim_id]
    if claim_id in OF_COUNTS:
        return [check_counts(claim, {m: number_of_p_cells(m) for m in range(1, 65)})]
    return [trial.finding.verdict for trial in trials(claim)]


@pytest.mark.parametrize("claim_id", CATALOGUE.claims)
def test_only_what_is_misprinted_is_refuted(claim_id):
    found = verdicts(claim_id)
    assert found
    expected = Refuted if claim_id in PRINTED else (Exhausted, HoldsToBound)
    assert all(isinstance(verdict, expected) for verdict in found), found


@pytest.mark.parametrize("claim_id", OF_BARS)
def test_statements_on_one_bar_are_decided(claim_id):
    claim = CATALOGUE.claims[claim_id]
    # Of an option set the cells beyond a bar are not looked at.
    is_bounded = claim.shape[-1] == "nim" or is_about_cells(claim)
    expected = HoldsToBound if is_bounded else Refuted if claim_id in PRINTED else Exhausted
    assert {type(verdict) for verdict in verdicts(claim_id)} == {expected}


def test_every_misprint_has_its_intended_form():
    corrected = defaultdict(list)
    for claim in CATALOGUE.claims.values():
        assert isinstance(claim.statement, Entry)
        if claim.statement.corrects is not None:
            corrected[claim.statement.corrects].append(claim.id)
    assert sorted(corrected) == sorted(PRINTED)
    assert all(f"{intended}-printed" == printed for printed, [intended] in corrected.items())


@pytest.mark.parametrize(
    ("claim_id", "equations"),
    [
        *(("patterns-lemma-4.1", 64), ("patterns-thm-4.2", 6), ("patterns-thm-4.2-powers", 64)),
        *(("patterns-thm-4.2-all", 6), ("patterns-thm-4.2-step", 10), ("patterns-thm-4.3", 6)),
        *(("patterns-thm-4.3-again", 6), ("patterns-thm-4.3-again-full", 12)),
    ],
)
def test_how_many_equations_are_checked(claim_id, equations):
    (verdict,) = verdicts(claim_id)
    assert isinstance(verdict, HoldsToBound)
    assert verdict.sense is not None
    assert verdict.sense.startswith(f"all {equations} equations")


@pytest.mark.parametrize("claim_id", OF_COUNTS)
def test_one_wrong_number_is_noticed(claim_id):
    counts = {m: number_of_p_cells(m) for m in range(1, 65)}
    # A sum over odd m; the others use 2 and 8.
    for m in (1,) if claim_id == "patterns-thm-4.2" else (2, 8):
        wrong = check_counts(CATALOGUE.claims[claim_id], counts | {m: counts[m] + 1})
        assert isinstance(wrong, Refuted), m


def test_the_misprinted_number_of_cells():
    (verdict,) = verdicts("patterns-thm-4.3-again-full-printed")
    assert isinstance(verdict, Refuted)
    assert verdict.counterexample.found == "g(8) = 64"  # 2^(2^3) = 256; 2^(2^2) = 4^2 is right


def test_figure_2_and_4_speak_of_one_bar():
    for claim_id in ("patterns-fig-2", "patterns-fig-4", "patterns-fig-5"):
        claim = CATALOGUE.claims[claim_id]
        assert claim.match("rectangular-bar(m=11, n=11)") == {}
        assert claim.match("rectangular-bar(m=12, n=12)") is None
        assert verdicts(claim_id) == [Exhausted(121)]


def test_all_bars_are_spoken_of():
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


@pytest.mark.parametrize(
    ("claim_id", "old", "new"),
    [
        ("patterns-thm-5.2-copies", "m-2*s", "m-s"),
        ("patterns-thm-5.2-copies", "i-s", "i-s+1"),
        ("patterns-half-levels", "(2**n-1)//2", "(2**n+1)//2"),  # 2k+1 above 2^n: below the middle
        ("patterns-half-levels-next", "n+1", "n"),
        ("patterns-thm-5.3-limit", "(i+1)//2", "i//2"),
        ("patterns-def-5.1-pieces", "6**n", "5**n"),
    ],
)
def test_a_changed_claim_on_sections_is_refuted(claim_id, old, new):
    document = CATALOGUE.claims[claim_id].as_json()
    text = json.dumps(document["check"])
    changed = re.sub(rf'(?<=["\.]){re.escape(old)}(?=")', new, text)
    assert changed != text
    claim = Claim.from_json({**document, "check": json.loads(changed)})
    assert isinstance(check_standing(claim, 3).verdict, Refuted)


def test_the_cells_of_figures_8_to_11():
    for m, blue, red in [(14, 84, 16), (18, 100, 16), (21, 65, 32), (22, 116, 16)]:
        assert number_of_p_cells(m) == blue
        p: dict[tuple[tuple[int, ...], int], bool] = {}

        def is_p(heaps, left, p=p):
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


def test_the_rule_for_all_bars_by_definition():
    cells: dict[tuple[int, int, int, int], bool] = {}
    for m, n in product(range(1, 6), repeat=2):
        game = parse_ruleset(f"rectangular-bar(m={m}, n={n})")
        assert isinstance(game, RectangularBar)
        for i, j in product(range(1, m + 1), range(1, n + 1)):
            cells[m, n, i, j] = game.is_p_position(game.whole(i, j))
    steps = [(1, 1, 0, 0), (1, 1, 1, 0), (1, 1, 0, 1), (1, 1, 1, 1)]
    steps += [(2, 0, 1, 0), (0, 2, 0, 1), (2, 2, 1, 1)]
    for m, n in product(range(1, 6), repeat=2):
        for i, j in product(range(m + 2), range(n + 2)):
            if (m, n, i, j) != (1, 1, 1, 1):
                before = sum(cells.get((m - a, n - b, i - c, j - d), False) for a, b, c, d in steps)
                assert before % 2 == cells.get((m, n, i, j), False)
