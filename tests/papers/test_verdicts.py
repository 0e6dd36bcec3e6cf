"""The verdict on every claim of the five papers, and on claims that are changed."""

from __future__ import annotations

import json
import re

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.conclusions.comparisons import check_counts
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted, Undecided
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.claims.standalone.standing import check_standing
from choco_pipeline.tables.computing.in_memory import table
from tests.catalogues import catalogue_of
from tests.claims.written import reworded

PAPERS = ("step2015", "pass2016", "triangular", "solid2022", "patterns")
CATALOGUE = catalogue_of(*PAPERS)
#: The claims that mathematics refutes: the counterexample in the first trial that has one, the number of trials that have one,
#: and the number of trials.
REFUTED: dict[str, tuple[tuple[int, ...] | None, int, int]] = {
    "step2015-sec-1-p": ((0, 1, 1), 4, 12),
    "step2015-sec-1-p-grundy": ((1, 0), 4, 12),
    "step2015-lemma-2.2-1-only-if": ((2, 0, 0, 0, 0), 1, 1),
    "step2015-lemma-2.2-2-proof": ((2, 2, 4, 3, 0), 1, 1),
    "step2015-rem-2.1-less": ((2, 2, 0), 1, 1),
    "step2015-rem-2.1-odd": ((3,), 1, 1),
    "step2015-def-2.2": ((0, 1, 2), 3, 3),
    "step2015-def-3.1": ((0, 1, 2), 12, 12),
    "step2015-ex-3.2-form": ((2, 5), 1, 1),
    "step2015-thm-3.1-other-s": ((0, 1, 1), 46, 46),
    "pass2016-ex-3.1": ((2, 11), 1, 1),
    "pass2016-rem-3.1": ((2, 0, 2, 1, 0, 0), 1, 1),
    "pass2016-ex-3.3-m4": ((2, 2, 5, 4), 1, 1),
    "pass2016-lemma-3.2-same": ((2, 0, 0, 1), 1, 1),
    "pass2016-lemma-4.2": ((1, 0, 1, 1), 6, 6),
    "pass2016-def-4.2": ((2, 1, 0, 0, 0, 1, 0), 1, 1),
    "pass2016-cor-4.1": ((0, 0, 1, 1), 10, 10),
    "pass2016-sec-4.3-question": ((0, 0, 1, 1), 6, 6),
    "pass2016-ex-4.4": ((26, 7, 22, 1), 1, 1),
    "triangular-def-4.3-printed": ((0, 0, 1), 2, 2),
    "triangular-lemma-5.6-printed": ((3, 0, 1, 1), 1, 1),
    "triangular-lemma-7.2-ab-printed": ((3, 1, 2, 2, 1), 1, 1),
    "triangular-lemma-7.4-swap-printed": ((3, 1, 2, 2, 1), 1, 1),
    "triangular-thm-7.1-5-printed": ((3, 0, 0), 1, 1),
    "triangular-thm-7.2-cases-printed": ((3, 3, 3, 1, 0), 1, 1),
    "triangular-thm-7.2-a.2-printed": ((7, 2, 3, 0, 0), 1, 1),
    "triangular-after-conj-8.1-beyond": ((0, 1, 1), 5, 5),
    "solid2022-lemma-8-subcases-printed": ((3, 3, 2, 0, 0), 1, 1),
    "solid2022-lemma-8-lowered-printed": ((3, 2, 1, 1, 1), 1, 1),
    "solid2022-conj-1-beyond": ((1, 1, 2), 7, 7),
    "solid2022-conj-2": ((0, 2, 2), 4, 4),
    "patterns-def-5.1-printed": ((2,), 1, 1),
    "patterns-thm-5.2-scale-printed": ((0,), 1, 1),
    "patterns-thm-4.3-again-full-printed": (None, 1, 1),
    "patterns-half-levels-printed": ((1, 1, 1, 3), 1, 1),
}
#: The claims of which the trials check every case.
EXHAUSTED = {
    f"{paper}-{number}"
    for paper, numbers in {
        "step2015": """
            sec-1-nim ex-1.2 ex-2.1-1 ex-2.1-1-pairs ex-2.1-2 ex-2.1-2-pairs ex-3.2-sharp fig-4.2
            sec-4.1 fig-4.3
        """,
        "pass2016": """
            fig-1.1 sec-3-bars ex-3.1-intended ex-3.3 ex-3.3-m3 ex-3.3-m4-intended ex-3.4 ex-4.1
            ex-4.2 table-4.1 table-4.1-zeros ex-4.4-intended ex-4.4-listed ex-4.4-legal
            ex-4.4-values ex-4.5
        """,
        "triangular": """
            thm-2.1-1 ex-3.2-moves ex-4.1 ex-4.2-1 ex-4.2-2 ex-4.2-3 ex-4.3-1 ex-4.3-2 ex-4.3-3
            ex-4.4-moves ex-4.5-moves ex-4.5-height ex-5.1-1 ex-5.1-2 ex-5.1-3 remark-5.1 remark-7.1
            ex-7.1-grundy ex-7.1-moves ex-7.1-differs sec-7-differs ex-8.1-1 ex-8.1-2 ex-8.2-a
            ex-8.2-b ex-8.3-equal ex-8.3-different ex-8.5-1 ex-8.5-2 ex-8.6-1 ex-8.6-2 ex-8.7
        """,
        "solid2022": """
            thm-1 sec-1-cube question-2 ex-2.1-moves ex-2.1-heights ex-2.1-tables ex-2.1-nim-sums
            eq-3 eq-5 eq-7 ex-2.1-only conj-1 conj-1-a0 conj-1-a1 conj-1-a2 conj-1-first-failure
        """,
        "patterns": """
            thm-2.3 prop-3.1-columns prop-3.1-rows prop-3.1-diagonal prop-3.2 thm-3.3 thm-3.4 fig-2
            lemma-4.1-cells def-5.1 thm-5.2 fig-4 half-levels-bars fig-5 thm-5.3 thm-5.4 figs-8-11
            figs-8-11-apart question-automata
        """,
    }.items()
    for number in numbers.split()
}
#: Refuted claims without a corrected form: a note explains them, or they are questions.
NOT_CORRECTED = {
    "step2015-lemma-2.2-2-proof",
    "step2015-sec-1-p",
    "step2015-sec-1-p-grundy",
    "step2015-ex-3.2-form",
    "step2015-thm-3.1-other-s",
    "pass2016-lemma-3.2-same",
    "pass2016-sec-4.3-question",
    "triangular-after-conj-8.1-beyond",
    "solid2022-conj-1-beyond",
    "solid2022-conj-2",
}
#: Claims that are corrected although they are not false: they say nothing, or too little.
TOO_WEAK = {
    "pass2016-lemma-3.2",
    "pass2016-lemma-3.6",
    "solid2022-lemma-4-printed",
    "solid2022-lemma-8-printed",
}


@pytest.mark.parametrize("claim_id", CATALOGUE.claims)
def test_every_claim_has_the_verdict_that_mathematics_gives_it(claim_id: str) -> None:
    verdicts = [trial.finding.verdict for trial in trials(CATALOGUE.claims[claim_id])]
    assert verdicts
    if claim_id in REFUTED:
        positions = [v.counterexample.position for v in verdicts if isinstance(v, Refuted)]
        assert (positions[0], len(positions), len(verdicts)) == REFUTED[claim_id]
    elif claim_id == "pass2016-lemma-3.2":  # its conditions contradict each other
        assert {type(verdict) for verdict in verdicts} == {Undecided}
    elif claim_id in EXHAUSTED:
        assert {type(verdict) for verdict in verdicts} == {Exhausted}
    else:
        assert (
            {HoldsToBound} <= {type(verdict) for verdict in verdicts} <= {Exhausted, HoldsToBound}
        )


def test_every_misprint_is_corrected_or_explained() -> None:
    corrected = {claim.as_ledger().corrects for claim in CATALOGUE.claims.values()} - {None}
    assert corrected == REFUTED.keys() - NOT_CORRECTED | TOO_WEAK


@pytest.mark.parametrize(
    ("claim_id", "old", "new"),
    [
        ("pass2016-cor-3.1", "(z+s)", "(z+s+1)"),
        ("pass2016-lemma-3.6-intended", "== 1", "== 2"),
        ("pass2016-lemma-4.4", "p' == 1", "p' == 0"),
        ("pass2016-ex-4.1", "v == 30", "v == 62"),
        ("pass2016-ex-4.5", "v == 126", "v == 127"),
        ("pass2016-conj-4.1", "v == 1", "v == 3"),
        ("triangular-def-3.3", " or ", " and "),
        ("triangular-def-4.3", " or ", " and "),
        ("patterns-prop-3.1-diagonal", "(j, i)", "((i+j)//2, i)"),
        ("patterns-prop-3.2", "i == j", "i == j or i == 1"),
        ("patterns-thm-3.3", "(j+1)//2", "(i+1)//2"),
        ("patterns-thm-3.4", "not P", "P"),
        ("patterns-lemma-4.1-cells", "i//2", "j//2"),
    ],
)
def test_a_changed_statement_is_refuted(claim_id: str, old: str, new: str) -> None:
    claim = CATALOGUE.claims[claim_id]
    changed, trial = reworded(claim, old, new), list(trials(claim))[-1]
    assert trial.ruleset is not None
    assert trial.bound is not None
    assert trial.quantity is not None
    game = parse_ruleset(trial.ruleset)
    data = table(game, trial.bound, trial.quantity)
    finding = check_claim(changed, trial.parameters, game, trial.bound, data)
    assert isinstance(finding.verdict, Refuted)


@pytest.mark.parametrize(
    ("claim_id", "old", "new"),
    [
        ("patterns-thm-5.2-copies", "m-2*s", "m-s"),
        ("patterns-thm-5.2-copies", "i-s", "i-s+1"),
        ("patterns-half-levels", "(2**n-1)//2", "(2**n+1)//2"),  # 2k+1 above 2^n: below the middle
        ("patterns-half-levels-next", "n+1", "n"),
        ("patterns-thm-5.3-limit", "(i+1)//2", "i//2"),
        ("patterns-def-5.1-pieces", "6**n", "5**n"),
        ("patterns-thm-5.2", "m", "m-1"),
        ("patterns-half-levels-bars", "m", "m-2"),
    ],
)
def test_a_changed_plug_in_is_refuted(claim_id: str, old: str, new: str) -> None:
    document = CATALOGUE.claims[claim_id].as_json()
    text = json.dumps(document["check"])
    changed = re.sub(rf'(?<=["\.]){re.escape(old)}(?=")', new, text)
    assert changed != text
    claim = Claim.from_json({**document, "check": json.loads(changed)})
    if claim.pattern is None:
        assert isinstance(check_standing(claim, 3).verdict, Refuted)
        return
    game = parse_ruleset("rectangular-bar(m=7, n=7)")
    data = table(game, 7, "p-positions")
    for case in claim.cases({"m": 7}):
        assert isinstance(check_claim(claim, case, game, 7, data).verdict, Refuted)


def number_of_p_cells(m: int) -> int:
    """Return g(m), by the nim-sum of four heaps."""
    return sum((i ^ j ^ (m - 1 - i) ^ (m - 1 - j)) == 0 for i in range(m) for j in range(m))


@pytest.mark.parametrize(
    ("claim_id", "equations"),
    [
        ("patterns-lemma-4.1", 1 + 32 + 31),
        ("patterns-thm-4.2", 6),
        ("patterns-thm-4.2-powers", 64),
        ("patterns-thm-4.2-all", 6),
        ("patterns-thm-4.2-step", 2 * 5),
        ("patterns-thm-4.3", 6),
        ("patterns-thm-4.3-again", 6),
        ("patterns-thm-4.3-again-full", 2 * 6),
    ],
)
def test_all_equations_are_checked_and_a_wrong_number_is_noticed(
    claim_id: str, equations: int
) -> None:
    claim, counts = CATALOGUE.claims[claim_id], {m: number_of_p_cells(m) for m in range(1, 65)}
    verdict = check_counts(claim, counts)
    assert isinstance(verdict, HoldsToBound)
    assert verdict.sense is not None
    assert verdict.sense.startswith(f"all {equations} equations between the tables")
    # The sum over odd m uses 1; the others use 2 and 8.
    for m in {1} if claim_id == "patterns-thm-4.2" else {2, 8}:
        assert isinstance(check_counts(claim, counts | {m: counts[m] + 1}), Refuted), m
