"""Documents of found statements: what they keep, what their ids follow from, and what is refused."""

import json

import pytest

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement, Tried
from choco_pipeline.finding.statements.statement_line import StatementError, StatementLine


def statement(**given):
    said = {
        "kind": "p-positions",
        "ruleset": "strip-bar(k=k, s=s)",
        "said": "P iff x ^ y ^ z == 0",
        "found_on": Evidence(100, "box of side 8"),
        "held_on": Evidence(900, "the rest", 2),
        "tried": Tried(7, "nim-sums"),
        "when": "k%2==0",
        "parameters": {"k": (2, 4), "s": (0, 1)},
        "formulas": (StatementLine("P iff", "x^y^(z+s)==0", "z>0"),),
        "exceptions": ((0, 0, 1),),
    }
    return FoundStatement(**(said | given))


def test_a_document_holds_all_of_a_statement():
    known = statement(
        claim={"check": {"kind": "p-positions", "formula": "x == y"}},
        conclusion=Conclusion("proved", "for all", ("a.json",)),
        known=("a-thm-1",),
        picture={"kind": "sequence", "terms": [1, 2]},
    )
    document = known.as_json()
    assert FoundStatement.from_json(json.loads(json.dumps(document))) == known
    assert document["id"] == known.id
    assert document["text"] == "for k%2 == 0: P iff x ^ y ^ z == 0"
    with pytest.raises(StatementError, match="its text is for k%2 == 0: P iff"):
        FoundStatement.from_json(document | {"text": "for k%4 == 0: P iff x ^ y ^ z == 0"})
    assert document["held_on"] == {"positions": 900, "what": "the rest", "tables": 2}
    assert document["conclusion"]["certificates"] == ["a.json"]


def test_an_id_follows_from_what_is_said_and_from_nothing_else():
    said = statement()
    spaced = StatementLine("P iff", "x ^ y ^ (z + s) == 0", "z > 0")
    same = statement(
        said="in other words",
        formulas=(spaced,),
        held_on=Evidence(1, "less"),
        conclusion=Conclusion("holds-to-bound", "here"),
        parameters={"k": (6,), "s": (0,)},
    )
    assert same.id == said.id
    others = [
        statement(when="k%4==0"),
        statement(exceptions=()),
        statement(ruleset="with-pass(strip-bar(k=k, s=s), passes=1)"),
        statement(formulas=(StatementLine("P iff", "x^y^z==0", "z>0"),)),
        statement(formulas=(StatementLine("P iff", "x^y^(z+s)==0"),)),
        statement(formulas=(), said="one thing"),
        statement(formulas=(), said="another thing"),
    ]
    assert len({one.id for one in [said, *others]}) == len(others) + 1


def test_a_size_counts_the_nodes_of_formulas_and_conditions():
    assert statement(when="", formulas=(StatementLine("G =", "y^z"),)).size == 3
    assert statement(when="k > 1", formulas=(StatementLine("G =", "y^z", "y < z"),)).size == 9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "formula"}, "kind 'formula'"),
        ({"said": " "}, "has no text"),
        ({"parameters": {"k": (2,)}}, "says no values for s"),
        (
            {"conclusion": Conclusion("unchecked", ""), "claim": {"check": {}}},
            "has a claim: it is checked",
        ),
    ],
)
def test_what_is_no_statement_is_refused(change, message):
    with pytest.raises(StatementError, match=message):
        statement(**change)


def test_a_formula_that_cannot_be_read_is_refused():
    with pytest.raises(ChocoError, match="column"):
        StatementLine("P iff", "x ^ ^ y")
    with pytest.raises(ValueError, match="'true': one of"):
        Conclusion("true", "")  # type: ignore[arg-type]


def test_a_document_that_was_changed_is_refused():
    document = statement().as_json()
    with pytest.raises(StatementError, match="its id is"):
        FoundStatement.from_json({**document, "when": "k%4 == 0"})
    with pytest.raises(StatementError, match="not a found statement"):
        FoundStatement.from_json({**document, "proof": "trivial"})
    with pytest.raises(StatementError, match="not a found statement"):
        FoundStatement.from_json({k: v for k, v in document.items() if k != "tried"})
