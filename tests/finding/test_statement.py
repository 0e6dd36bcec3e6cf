"""Documents of found statements: what they keep, what their ids follow from, and what is refused."""

import pytest

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.finding.lines import by_cases, grundy, p_iff
from choco_pipeline.finding.statement import (
    FoundStatement,
    StatementError,
)
from choco_pipeline.mining.table_findings import Evidence, Tried

LINE = "z > 0 and not (x == 0) => (P <=> x ^ y ^ (z+s) == 0)"


def statement(**given):
    said = {
        "search": "formulas",
        "ruleset": "strip-bar(k=k, s=s)",
        "found_on": Evidence(100, "box of side 8"),
        "held_on": Evidence(900, "the rest", 2),
        "tried": Tried(7, "nim-sums"),
        "when": "k%2==0",
        "parameters": {"k": (2, 4), "s": (0, 1)},
    }
    if not given.keys() & {"statement", "check", "words"}:
        said["statement"] = LINE
    return FoundStatement(**(said | given))


def test_an_id_follows_from_what_is_said_and_from_nothing_else():
    said = statement()
    same = statement(
        statement=LINE.replace(" ^ ", "^").replace("z > 0", "(z>0)"),
        held_on=Evidence(1, "less"),
        conclusion=Conclusion("holds-to-bound", "here"),
        parameters={"k": (6,), "s": (0,)},
    )
    assert same.id == said.id
    others = [
        statement(when="k%4==0"),
        statement(statement=p_iff("x ^ y ^ (z+s) == 0", "z > 0")),
        statement(ruleset="with-pass(strip-bar(k=k, s=s), passes=1)"),
        statement(statement=p_iff("x^y^z==0", "z>0")),
        statement(statement=p_iff("x^y^(z+s)==0")),
        statement(statement=grundy("x^y^(z+s)")),
        statement(words="one thing"),
        statement(words="another thing"),
    ]
    assert len({one.id for one in [said, *others]}) == len(others) + 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"statement": ""}, "one of statement, check and words is needed"),
        ({"statement": LINE, "words": "so"}, "one of statement, check and words is needed"),
        ({"parameters": {"k": (2,)}}, "has no values for s"),
        ({"conclusion": Conclusion("unchecked", "")}, "has a claim: it is checked"),
    ],
)
def test_what_is_no_statement_is_refused(change, message):
    with pytest.raises(StatementError, match=message):
        statement(**change)


def test_a_line_that_cannot_be_read_is_no_claim():
    wrong = statement(statement="P <=> x ^ ^ y")
    assert (wrong.whole, wrong.claims) == (None, ())
    assert "column" in wrong.mistake


def test_cases_of_a_formula_are_claims_of_their_own():
    cases = statement(statement=by_cases(grundy, [("z", "y > z"), ("y", "y <= z")]))
    assert [one.statement.statement for one in cases.claims] == [
        "y > z => G == z",
        "not y > z => G == y",
    ]
    p = statement(statement=by_cases(p_iff, [("x == z", "y > z"), ("x == y", "y <= z")]))
    (one,) = p.claims
    assert one.statement.statement == ("P <=> y > z and x == z or y <= z and x == y")


def test_a_document_that_was_changed_is_refused():
    document = statement().as_json()
    claim = document["claim"] | {"statement": "P <=> x == y"}
    for wrong, message in (
        (document | {"text": document["text"].replace("k%2", "k%4")}, "its text is"),
        (document | {"claim": claim}, "its claim is"),
        (document | {"when": "k%4 == 0"}, "its id is"),
        (document | {"proof": "trivial"}, "not a found statement"),
        ({k: v for k, v in document.items() if k != "tried"}, "not a found statement"),
    ):
        with pytest.raises(StatementError, match=message):
            FoundStatement.from_json(wrong)
