"""Claims on options, decided for all positions, against the definition, option by option."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.verdict import HoldsToBound, Proved, Refuted, Vacuous
from choco_pipeline.formula import parse
from choco_pipeline.proof.statements.decided_claims import decide
from choco_pipeline.tables.computing import table
from tests.catalogues import catalogue_of
from tests.claims.checks.test_options import counted
from tests.claims.claims import claim_on, holds, key_of
from tests.effort import examples
from tests.proof.statements.decided_games import proved
from tests.proof.statements.test_decided_claims import pieces

BOUNDS = {
    "step-bar(k=2, s=1)": 9,
    "with-pass(step-bar(k=2, s=1), passes=1)": 9,
    "with-pass(nim(2), passes=1)": 8,
    "strip-bar(k=2, s=0)": 6,
    "solid-bar(f=(x+z)//3)": 6,
    "nim(2)": 9,
    "sum(step-bar(k=2, s=0), nim(1))": 6,
}


def decided(text, **check):
    game = parse_ruleset(text)
    claim = claim_on(game, kind="options", **check)
    return claim, decide(claim, {}, proved(text), "here")


def first_wrong(text, check):
    """Return the least position up to the bound of this game whose options contradict a statement, by definition."""
    game = parse_ruleset(text)

    def named(position):
        return dict(zip(game.coordinates, position, strict=True))

    for position in sorted(game.positions(BOUNDS[text]), key=lambda q: key_of(game, q)):
        if not holds(parse(check["of"]), named(position)):
            continue
        options = counted(game, position, check.get("by", []), check.get("beside"))
        truths = [holds(parse(check["to"]), named(option)) for option in options]
        right = {"no": not any(truths), "some": any(truths), "every": all(truths)}
        if not right[check["have"]]:
            return position
    return None


@settings(max_examples=examples(120), deadline=None)
@given(st.data())
def test_drawn_claims_on_options(data) -> None:
    text = data.draw(st.sampled_from(list(BOUNDS)))
    game = parse_ruleset(text)
    names = game.coordinates
    _, conditions = pieces(names)
    by = data.draw(st.lists(st.sampled_from(names), unique=True, max_size=2))
    falls = "y" in names and by and "y" not in by
    check = {
        "of": data.draw(conditions),
        "to": data.draw(conditions),
        "have": data.draw(st.sampled_from(["no", "some", "every"])),
        "by": by,
        "beside": data.draw(st.sampled_from([None, "kept", "lowered"])) if falls else None,
    }
    _, finding = decided(text, **check)
    expected = first_wrong(text, check)
    match finding.verdict:
        case Proved("here"):
            assert expected is None
        case Refuted(counterexample):
            at = counterexample.position
            heaps = len(game.base.coordinates)
            assert at == expected or (expected is None and max(at[:heaps]) > BOUNDS[text])
        case Vacuous(why):
            assert why.startswith("no position")
            assert expected is None
            for q in game.positions(BOUNDS[text]):
                spoken = holds(parse(check["of"]), dict(zip(names, q, strict=True)))
                empty = check["have"] == "every" and not counted(game, q, by, check["beside"])
                assert not spoken or empty
        case other:
            raise AssertionError(other)


@pytest.mark.parametrize(
    ("text", "check", "at"),
    [
        ("solid-bar(f=(x+z)//3)", {"have": "some", "of": "x ^ y ^ z != 0"}, None),
        ("solid-bar(f=(x+z)//3)", {"have": "no", "of": "x ^ y ^ z == 0"}, None),
        ("solid-bar(f=(x+z)//3)", {"have": "every", "of": "x ^ y ^ z == 0"}, (1, 0, 1)),
        ("solid-bar(f=(x+z)//3)", {"have": "some", "of": "x ^ y ^ z == 0"}, (0, 0, 0)),
        (
            "step-bar(k=2, s=1)",
            {"have": "no", "of": "y > 1", "by": ["z"], "beside": "lowered"},
            (2, 3),
        ),
        ("with-pass(nim(2), passes=1)", {"have": "no", "of": "a == b and a > 0"}, (1, 1, 1)),
    ],
)
def test_verdicts_are_those_of_the_table_with_the_same_words(text, check, at) -> None:
    game = parse_ruleset(text)
    nim_sum = " ^ ".join(c for c in game.coordinates if c != "p")
    to = {"step-bar(k=2, s=1)": "y == 1", "with-pass(nim(2), passes=1)": "a ^ b == 0 and p == 0"}
    claim, finding = decided(text, to=to.get(text, f"{nim_sum} == 0"), **check)
    if at is None:
        assert finding.verdict == Proved("here")
        return
    bound = max(at) + 1
    on_table = check_claim(claim, {}, game, bound, table(game, bound, "p-positions")).verdict
    assert finding.verdict.counterexample.position == at
    assert finding.verdict.counterexample == on_table.counterexample


def test_far_counterexamples_are_told_without_listing_options() -> None:
    far = 10**6
    of = f"a == {far} and b == 0"
    for have, to in (("no", "a == 5"), ("some", f"a > {far}")):
        _, finding = decided("nim(2)", of=of, to=to, have=have, by=["a"])
        counterexample = finding.verdict.counterexample
        assert counterexample.position == (far, 0)
        assert counterexample.found == "it is false"


@pytest.mark.parametrize(
    ("claim_id", "text"),
    [
        ("pass2016-lemma-4.2", "with-pass(strip-bar(k=2, s=1), passes=1)"),
        ("pass2016-lemma-4.2-intended", "with-pass(strip-bar(k=2, s=1), passes=1)"),
        ("pass2016-lemma-4.1-4", "with-pass(strip-bar(k=2, s=1), passes=1)"),
        ("solid2022-lemma-8", "solid-bar(f=(x+z)//3)"),
        ("triangular-thm-7.4", "solid-bar(f=(x+z)//3)"),
        ("step2015-lemma-3.7", "strip-bar(k=2, s=2)"),  # with an auxiliary integer
    ],
)
def test_claims_of_the_papers_on_options(claim_id, text) -> None:
    claim, game = catalogue_of().claims[claim_id], parse_ruleset(text)
    parameters = claim.match(text)
    on_table = check_claim(claim, parameters, game, 9, table(game, 9, "p-positions")).verdict
    verdict = decide(claim, parameters, proved(text), "here").verdict
    if claim_id == "pass2016-lemma-4.2":
        assert verdict.counterexample == on_table.counterexample
    else:
        assert verdict == Proved("here")
        assert isinstance(on_table, HoldsToBound)
