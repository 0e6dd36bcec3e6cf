"""Claims files: what may stand in them, what is said about mistakes, and which claims fit a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.language.catalogue import load_catalogue, mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.errors import ConfigError
from choco_pipeline.statements.tree import integers_in_front
from tests.catalogues import catalogue_of

HEAD = """\
paper:
  key: drawn
  title: On Nothing
  authors: [N. N.]
  reference: preprint
claims:
"""
CLAIM = """\
  - id: drawn-1
    number: Theorem 1
    status: theorem
    words: Words.
    ruleset: step-bar(k=k, s=s)
    when: k % 2 == 0
    statement: 'let t = k + s: P <=> y ^ (z+t) == 0'
"""


def load(tmp_path, text):
    path = tmp_path / "claims.yaml"
    path.write_text(text, encoding="utf-8")
    return dict(load_catalogue([path]).claims)


def test_a_work_order_holds_what_decides_the_verdict(tmp_path):
    claim = load(tmp_path, HEAD + CLAIM)["drawn-1"]
    again = Claim.from_json(claim.as_json())
    assert again.as_json() == claim.as_json()
    assert again.match("step-bar(k=4, s=3)") == {"k": 4, "s": 3}
    assert list(mistakes_in(again)) == []
    reworded = load(tmp_path, HEAD + CLAIM.replace("Words.", "Other words."))["drawn-1"]
    assert reworded.as_json() == claim.as_json()
    with pytest.raises(ValueError, match="drawn-1 was read from an order"):
        again.as_ledger()


def test_an_id_is_given_once(tmp_path):
    paths = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for path in paths:
        path.write_text(HEAD + CLAIM, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"b\.yaml:7:5: claims\.0\.id: .*a\.yaml:7:5"):
        load_catalogue(paths)


def test_a_condition_that_the_machine_found_is_meant_where_it_has_a_value(tmp_path):
    text = (HEAD + CLAIM.replace("k % 2 == 0", "v2(s) > 0")).replace("drawn-1", "found-1")
    claim = load(tmp_path, text)["found-1"]
    assert claim.match("step-bar(k=4, s=0)") is None
    assert claim.match("step-bar(k=4, s=2)") == {"k": 4, "s": 2}


CATALOGUE = catalogue_of()

#: Statements on integers that speak of no others than their ranges hold: printed numbers, and remarks with a bound in words;
#: and one of which it is known that nothing satisfies its conditions.
OF_THESE_ALONE = {
    "step2015-ex-1.2",
    "step2015-ex-2.1-1-pairs",
    "step2015-ex-2.1-2-pairs",
    "pass2016-sec-3-bars",
    "pass2016-ex-3.3-m3",
    "pass2016-lemma-3.2",
    "triangular-def-4.2-blue",
    "triangular-ex-4.1",
    "triangular-ex-4.2-3",
    "patterns-question-automata",
}


def test_ranges_that_list_some_integers_of_a_statement_say_so():
    """A lemma for every even k is not proved by k = 2, 4, 6; of a digit, 0 and 1 are all."""
    for claim in CATALOGUE.claims.values():
        ranges, _ = integers_in_front(claim.proposition) if claim.is_about_integers else ((), None)
        numbers = {
            one.name
            for one in ranges
            if not one.span.names and len(list(one.span.values({}))) > 1 and one.span.text != "0..1"
        }
        listed = {one.name for one in ranges if one.is_sample}
        assert listed == (set() if claim.id in OF_THESE_ALONE else numbers), claim.id


@given(
    st.sampled_from(
        [
            "step-bar(k={k}, s={s})",
            "strip-bar(k={k}, s={s})",
            "with-pass(strip-bar(k={k}, s={s}), passes=1)",
            "with-pass(strip-bar(k={k}, s={s}), passes=2)",
            "solid-bar(f=(x+z)//{k})",
            "rectangular-bar(m={k}, n={k})",
            "rectangular-bar(m={k}, n={s})",
            "nim(3)",
        ]
    ),
    st.integers(1, 40),
    st.integers(1, 80),
    st.sampled_from(["grundy", "p-positions"]),
)
def test_fitting_is_matching(pattern, k, s, quantity):
    ruleset = pattern.format(k=k, s=s)
    expected = [
        (claim.id, case)
        for claim in CATALOGUE.claims.values()
        if quantity in claim.quantities and (named := claim.match(ruleset)) is not None
        for case in claim.cases(named)
    ]
    fitting = [(claim.id, case) for claim, case in CATALOGUE.fitting(ruleset, quantity)]
    assert sorted(fitting, key=str) == sorted(expected, key=str)
