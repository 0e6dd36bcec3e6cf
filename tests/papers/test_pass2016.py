"""What pass2016 prints, against the definition of its games, and what the catalogue says of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain

import pytest

from choco_pipeline import RectangularBar, StepBar, StripBar, WithPass
from choco_pipeline.claims.kinds import Columns, Listing
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.games import Position
from choco_pipeline.statements.meaning import World
from tests.catalogues import catalogue_of
from tests.claims.verdict_documents import verdict_document

CATALOGUE = catalogue_of("pass2016")
#: What the paper prints and mathematics refutes.
MISPRINTS = {
    *(f"pass2016-{end}" for end in ("ex-3.1", "rem-3.1", "lemma-3.2-same", "ex-3.3-m4")),
    *(f"pass2016-{end}" for end in ("lemma-4.2", "def-4.2", "cor-4.1", "ex-4.4")),
}
#: What the authors ask, and where the formula that it is asked of is not the answer.
QUESTIONS = {"pass2016-sec-4.2-question", "pass2016-sec-4.3-question"}
UNANSWERED = {"pass2016-sec-4.3-question"}
FINITE = {
    *(f"pass2016-{end}" for end in ("fig-1.1", "sec-3-bars", "table-4.1", "table-4.1-zeros")),
    *(f"pass2016-ex-3.{end}" for end in ("1-intended", "3", "3-m3", "3-m4-intended", "4")),
    *(f"pass2016-ex-4.{end}" for end in ("2", "4-intended", "4-listed", "4-legal", "4-values")),
}
#: Sets of values at finitely many positions.
FINITE_SETS = {"pass2016-ex-4.1", "pass2016-ex-4.5"}


def shifted_sum(position, s):
    """Return (x+s) ⊕ y ⊕ (z+s) ⊕ p."""
    x, y, z, p = position
    return (x + s) ^ y ^ (z + s) ^ p


@cache
def p_positions(k, s, bound):
    """Return the P-positions of the game with a pass, by definition."""
    game = WithPass(StripBar(k, s))
    return [position for position in game.positions(bound) if game.is_p_position(position)]


@pytest.mark.parametrize("claim_id", CATALOGUE.claims)
def test_every_claim_has_the_verdict_that_mathematics_gives_it(claim_id):
    verdicts = [trial.finding.verdict for trial in trials(CATALOGUE.claims[claim_id])]
    assert verdicts
    if claim_id in MISPRINTS | UNANSWERED:
        assert all(isinstance(verdict, Refuted) for verdict in verdicts)
    elif claim_id == "pass2016-lemma-3.2":  # its conditions contradict each other
        assert {verdict_document(verdict)["verdict"] for verdict in verdicts} <= {
            "undecided",
            "vacuous",
        }
    elif claim_id in FINITE_SETS:
        assert all(isinstance(verdict, Exhausted | HoldsToBound) for verdict in verdicts)
    else:
        expected = Exhausted if claim_id in FINITE else HoldsToBound
        assert all(isinstance(verdict, expected) for verdict in verdicts), verdicts


def test_every_misprint_is_corrected():
    corrected = {claim.as_ledger().corrects for claim in CATALOGUE.claims.values()} - {None}
    # Two as printed are not false, but say nothing or too little. That Lemma 3.2 is one of step2015 has a note.
    true = {"pass2016-lemma-3.2", "pass2016-lemma-3.6"}
    assert corrected == MISPRINTS - {"pass2016-lemma-3.2-same"} | true


def test_questions_and_remarks_of_the_catalogue_are_no_assertions_of_the_paper():
    statuses = {claim.id: claim.as_ledger().status for claim in CATALOGUE.claims.values()}
    assert {claim_id for claim_id, status in statuses.items() if status == "question"} == QUESTIONS
    ours = {claim_id for claim_id, status in statuses.items() if status == "ours"}
    assert not ours & (MISPRINTS | QUESTIONS)  # what we say ourselves is true


# Sections 1 and 3


def test_figure_1_1():
    bar = RectangularBar(4, 6)
    assert bar.whole(4, 4) == (3, 0, 3, 2)  # above, below, left, right
    assert bar.grundy((3, 0, 3, 2)) == 3 ^ 3 ^ 2


def test_example_3_1_by_definition():
    bar = StepBar(k=4, s=3)
    columns = [min(2, bar.height(i)) + 1 for i in range(12)]
    assert columns == [1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3]
    intended = CATALOGUE.claims["pass2016-ex-3.1-intended"].check
    assert isinstance(intended, Columns)
    assert intended.examples[0].columns == columns
    printed = CATALOGUE.claims["pass2016-ex-3.1"].check
    assert isinstance(printed, Columns)
    differ = [i for i, n in enumerate(printed.examples[0].columns) if n != columns[i]]
    assert differ == [4]


def test_examples_3_3_and_3_4_by_definition():
    world = World(StripBar(k=2))
    for claim_id in ("pass2016-ex-3.3", "pass2016-ex-3.4"):
        assert world.holds(CATALOGUE.claims[claim_id].proposition)
    m4 = {(2, min(2, w // 2), w) for w in range(5)}
    assert m4 - {(2, 1, 3), (2, 1, 2), (2, 0, 1), (2, 0, 0)} == {(2, 2, 4)}


def test_no_s_satisfies_both_conditions_of_lemma_3_2():
    for k in range(2, 30, 2):
        first = {k * 2**t + m * 2 ** (t + 1) for t in range(6) for m in range(k // 2)}
        assert not first & set(range(1, k))


def test_claims_speak_of_the_printed_s():
    shifts = [CATALOGUE.claims[f"pass2016-{end}"] for end in ("thm-3.1", "cor-3.1", "conj-4.2")]
    for k in range(1, 8):
        for s in range(60):
            first = k % 2 == 0 and any(
                s == k * 2**t + m * 2 ** (t + 1) for t in range(7) for m in range(k // 2)
            )
            second = k % 2 == 0 and 1 <= s < k
            said = [claim.is_about({"k": k, "s": s}) for claim in shifts]
            assert said == [first or second, first or second, first], (k, s)


@pytest.mark.parametrize(("k", "s"), [(2, 1), (4, 3), (6, 3)])
def test_lemma_3_6_by_definition(k, s):
    bar = StripBar(k, s)
    for x, y, z in bar.positions(7):
        if x > 0 and z > 0 and shifted_sum((x, y, z, 0), s) > 1:
            options = bar.options((x, y, z))
            assert any(shifted_sum((*option, 0), s) == 1 for option in options)


def test_lemma_3_6_as_printed_speaks_of_more_than_options():
    """With v ≤ ⌊(w+s)/k⌋, a cut of z may lower y further than the bar asks for."""
    bar, s = StripBar(2, 1), 1
    more = [
        (x, v, w)
        for x, y, z in bar.positions(7)
        for v in range(y)
        for w in range(z)
        if v <= bar.without_strip.height(w)
        and shifted_sum((x, v, w, 0), s) == 1
        and (x, v, w) not in set(bar.options((x, y, z)))
    ]
    assert more


# Section 4.1


@pytest.mark.parametrize(("k", "s"), [(2, 1), (4, 1), (4, 3)])
def test_theorem_4_1_by_definition(k, s):
    claimed = [
        position
        for position in WithPass(StripBar(k, s)).positions(7)
        if position == (0, 0, 0, 1) or shifted_sum(position, s) == 0
    ]
    assert p_positions(k, s, 7) == claimed


def test_corollary_4_1_as_printed_fails_first_where_the_definition_says():
    for trial in trials(CATALOGUE.claims["pass2016-cor-4.1"]):
        assert isinstance(trial.finding.verdict, Refuted)
        game = WithPass(StripBar(trial.parameters["k"], trial.parameters["s"]))
        wrong = [
            at
            for at in game.positions(6)
            if game.is_p_position(at) != (at == (0, 0, 0, 1) or shifted_sum(at, 0) == 0)
        ]
        least = min(wrong, key=lambda at: (max(at[:3]), at))
        assert trial.finding.verdict.counterexample.position == least


def test_lemma_4_2_needs_its_part_v():
    """At (1, 0, 1, 1) with k = 2, s = 1 only the pass leads to a P-position."""
    game = WithPass(StripBar(2, 1))
    good = [option for option in game.options((1, 0, 1, 1)) if game.is_p_position(option)]
    assert good == [(1, 0, 1, 0)]
    (first, *_) = trials(CATALOGUE.claims["pass2016-lemma-4.2"])
    assert isinstance(first.finding.verdict, Refuted)
    assert first.finding.verdict.counterexample.position == (1, 0, 1, 1)


def test_definition_4_2_as_printed_contradicts_lemma_4_3():
    """The pass from (0, 0, 0, 1) would lead from P~ to P~."""
    for trial in trials(CATALOGUE.claims["pass2016-def-4.2"]):
        if isinstance(trial.finding.verdict, Refuted):
            position = trial.finding.verdict.counterexample.position
            assert position is not None
            assert position[2:] == (0, 0, 0, 1, 0)  # x, z, y, p, q
    game = WithPass(StripBar(2, 1))
    assert list(game.options((0, 0, 0, 1))) == []
    assert game.is_p_position((0, 0, 0, 1))


# Sections 4.2 and 4.3


def test_table_4_1_by_definition():
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


def listed_by_the_program(k, s, most):
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


def test_example_4_2_program_as_printed_lists_what_is_no_position():
    listed = listed_by_the_program(4, 2, 20)
    inside = [position for position in listed if position[1] <= (position[2] + 2) // 4]
    assert len(listed) == 242
    assert sorted(inside) == sorted(p_positions(4, 2, 20))
    assert len(inside) == 144
    assert sum(y > (z + 2) // 4 for z in range(21) for y in range(6)) == 50


def test_example_4_4_program_as_printed_lists_what_is_no_position():
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


def found(claim_id, bound):
    claim = CATALOGUE.claims[claim_id]
    (trial,) = trials(claim, bound=bound)
    values: list[int] = trial.finding.evidence["values"]
    return values


def test_values_as_printed():
    assert found("pass2016-ex-4.1", 20) == [0, 1, 2, 6, 14, 30]
    printed = [106, 108, 112, 113, 114, 115, 116, 117, 118, 119, 120, 122, 123, 126]
    assert found("pass2016-ex-4.5", 80) == printed


def test_example_4_5_program_adds_its_constant_p():
    """With k = 4, s = 6 the constant p of the program of Example 4.5 changes no value but 0 at p = 0."""
    positions = p_positions(4, 6, 12)
    as_programmed = {shifted_sum((*position[:3], 1), 6) for position in positions}
    assert as_programmed | {0} == {shifted_sum(position, 6) for position in positions} | {1}
