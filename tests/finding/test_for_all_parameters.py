"""Found statements on families, for all parameters: proved only by a certificate that the check agrees with."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.finding.for_all import MEMORY, SECONDS, ForAllParameters
from choco_pipeline.finding.lines import by_cases, grundy, p_iff, up_to
from choco_pipeline.finding.scope import Tables
from choco_pipeline.finding.stage import MOST_ASKED, Finder
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.proof import for_all
from choco_pipeline.proof.for_all import settle_for_all
from choco_pipeline.proof.limits import Limited
from choco_pipeline.proof.task import PREPARED_BY
from tests.catalogues import catalogue_of
from tests.finding.made_statements import values_are

TRIANGLE, STEP = "solid-bar(f=(x+z)//k)", "step-bar(k=k, s=s)"


def statement(*parts, **values):
    return values_are(*parts, **values).concluded("holds-to-bound", "holds for all positions")


THREE = statement(TRIANGLE, p_iff("x ^ y ^ z == 0"), "k%4 == 3", k=(3, 7, 11))
FIVE = replace(THREE, when="k%4 == 1", parameters={"k": (5, 9)})
GAMES = {(f"solid-bar(f=(x+z)//{k})", "p-positions"): 32 for k in (3, 5, 7)}
GRUNDY = statement(STEP, grundy("(y ^ (z+s)) - s"), "k%2 == 0 and s < k", k=(2, 4), s=(0, 1))


class InThisProcess(ForAllParameters):
    """Decides in this process, with more time."""

    def decide(self, claim):
        """Decide a claim."""
        return settle_for_all(claim.as_json(), 5 * SECONDS, 2 * MEMORY, self.folder)


@pytest.fixture
def decided(tmp_path):
    return InThisProcess(None, tmp_path.as_posix(), Catalogue({})).decided


def test_a_true_statement_is_proved_for_all_parameters(decided):
    found = decided(THREE)
    assert found.verdict == "proved"
    assert found.is_proved_for_all
    (path,) = found.conclusion.certificates
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    assert (document["kind"], document["for"]) == ("family", "k%4 == 3")
    assert FoundStatement.from_json(found.as_json()) == found


def bounded(bound, formula="(x-1) ^ y ^ (z-1) == 0", when="k%4 == 2"):
    return statement(TRIANGLE, up_to(bound, p_iff(formula)), when, k=(2, 6, 10))


@pytest.mark.full
def test_a_bound_is_proved_for_all_parameters_and_that_it_is_the_largest(decided):
    found = decided(bounded("k"))
    assert found.verdict == "proved"
    right, beyond = (json.loads(Path(p).read_text("utf-8")) for p in found.conclusion.certificates)
    assert right["where"] == "x <= k and y <= k and z <= k"
    assert beyond["where"] == "x <= k+1 and y <= k+1 and z <= k+1"


def test_a_bound_that_is_not_the_largest_is_not_proved(decided):
    found = decided(bounded("k-1"))
    assert found.verdict == "holds-to-bound"
    assert len(found.conclusion.certificates) == 1


#: As near to true ones as can be.
FALSE = [
    bounded("k+1"),
    bounded("k", when="k%2 == 0"),
    bounded("k", "x ^ y ^ z == 0"),
    replace(THREE, when="k%2 == 1"),
    replace(THREE, when="k > 2"),
    replace(THREE, when=""),
    replace(THREE, statement=p_iff("(x-1) ^ y ^ (z-1) == 0")),
    replace(THREE, statement=p_iff("x ^ y ^ z == 0 and x < 40")),
    replace(GRUNDY, when="k%2 == 0 and s <= k+1"),
    replace(GRUNDY, when="s < k"),
    replace(GRUNDY, statement=grundy("(y ^ (z+s)) - s + s//12")),
]


@pytest.mark.parametrize(
    "said",
    [one if one.when else pytest.param(one, marks=pytest.mark.full) for one in FALSE],
    ids=lambda said: f"{said.statement}, {said.when}",
)
def test_false_neighbours_are_not_proved(said, decided):
    found = decided(said)
    assert found.verdict != "proved"
    assert not found.conclusion.certificates
    if found.verdict == "refuted":
        assert "k = " in found.conclusion.text
    else:
        assert found.verdict == "holds-to-bound"
        assert "not decided for all" in found.conclusion.text


@pytest.mark.full
def test_what_its_check_does_not_agree_with_is_not_proved(decided, monkeypatch):
    refused = {"status": "undecided", "why": "a condition does not hold"}
    monkeypatch.setattr(for_all, "check_family", lambda *_: refused)
    found = decided(THREE)
    assert (found.verdict, found.conclusion.certificates) == ("holds-to-bound", ())
    assert "a condition does not hold" in found.conclusion.text


NOT_ASKED = [
    replace(THREE, ruleset="solid-bar(f=(x+z)//3)", when="", parameters={}),
    THREE.concluded("refuted", "wrong"),
    THREE.concluded("undecided", "no table"),
    replace(THREE, statement=p_iff("x ^ y ^ z == 0", "x > 3")),
    replace(GRUNDY, statement=grundy("(y ^ (z+s)) - s", "y > z")),
    replace(THREE, statement=p_iff("x ^ y ^ z == 0", "not (x == 0 and y == 0 and z == 1)")),
]  # fmt: skip


@pytest.mark.parametrize("said", NOT_ASKED)
def test_what_speaks_of_one_game_or_not_of_all_positions_is_not_asked(said):
    # without a child process, a question would be an error
    assert ForAllParameters(None, "", Catalogue({})).decided(said) == said


PASS = "with-pass(strip-bar(k=k, s=s), passes=1)"
#: What pass2016, section 4.2, asks for.
FORMULA = "(x+s+1) ^ ((y ^ (z+s))+1) ^ p == 0"
END = "x == 0 and y == 0 and z == 0 and p == 1"
EVEN = statement(
    PASS,
    by_cases(p_iff, [(FORMULA, "")], END),
    "k%2 == 0 and s%2 == 0 and k > s",
    k=(2, 4, 6),
    s=(0, 2, 4),
)


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """Return statements as the stage decides them, with the claims of the papers."""
    catalogue = catalogue_of("step2015", "pass2016")
    with Limited(PREPARED_BY) as child:
        folder = tmp_path_factory.mktemp("kept").as_posix()
        yield ForAllParameters(child, folder, catalogue).decided


def test_with_a_pass_a_statement_is_proved_from_that_without(decided):
    found = decided(EVEN)
    assert found.verdict == "proved"
    (path,) = found.conclusion.certificates
    document = json.loads(Path(path).read_text("utf-8"))
    assert (document["kind"], document["without_passes"]) == ("family", "x+s+1 == (y ^ (z+s))+1")


@pytest.mark.full
def test_a_statement_follows_by_lemmas_from_what_is_proved(followed):
    line = "{(x+s) ^ y ^ (z+s) ^ p: P} == {v: v == 1 or v >= 0 and (v+2) & (v+1) == 0}"
    found = followed(replace(EVEN, statement=line))
    assert found.verdict == "proved"
    premise, *sentences = [
        json.loads(Path(p).read_text("utf-8")) for p in found.conclusion.certificates
    ]
    assert premise["kind"] == "family"
    assert len(sentences) == 4, (
        "of the parameters; no other value, and each value, with p = 0 and 1"
    )


@pytest.mark.parametrize(
    "said",
    [
        replace(EVEN, when="k%2 == 0 and k > s"),
        replace(EVEN, when="k%2 == 0 and s%2 == 0 and k >= s"),
        replace(EVEN, statement=p_iff(FORMULA)),
        replace(EVEN, statement=by_cases(p_iff, [("(x+s) ^ y ^ (z+s) ^ p == 0", "")], END)),
    ],
    ids=["odd s", "s = k", "without its exception", "as for odd s"],
)
def test_false_neighbours_do_not_follow(said, followed):
    found = followed(said)
    assert found.verdict == "refuted"
    assert not found.conclusion.certificates


def test_after_so_many_statements_nobody_is_asked_any_more(monkeypatch):
    monkeypatch.setitem(MOST_ASKED, "for all", 1)
    asked = []
    for open_questions in (None, {}):
        finder = Finder(Tables(GAMES), Catalogue({}), for_all=asked.append, open=open_questions)
        finder.answers = {("trial", one.id): one for one in (THREE, FIVE)}
        finder.consider([THREE, FIVE])
    assert asked == [THREE]
    assert [*open_questions] == [("for all", THREE.id)], "the same are asked about before"


def test_what_was_to_follow_from_a_statement_that_was_narrowed_is_to_be_tried_first():
    wide = replace(THREE, when="k%2 == 1", parameters={"k": (3, 5, 7)})
    folded = replace(THREE, when="k%4 == 1", parameters={"k": (5,)})
    known = {("trial", wide.id): THREE}
    for answers, asked in (
        ({}, [("trial", wide.id)]),
        (known, [("for all", THREE.id), ("trial", folded.id)]),
    ):
        finder = Finder(Tables(GAMES), Catalogue({}), for_all=str, answers=answers, open={})
        finder.consider([wide, folded])
        assert [key for key in finder.open if key[0] != "implication"] == asked
