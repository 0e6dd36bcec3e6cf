"""The check of certificates of Grundy formulas by cases: everything in them that could be false is refused."""

import json
from copy import deepcopy
from functools import cache

import pytest

from choco_pipeline.proof.uniform.family_certificate import write
from tests.proof.uniform.judged import prove_family
from tests.proof.uniform.test_by_cases import BAR, LESS, MORE, ODD, STEPS


@cache
def text_of(folder):
    proof = prove_family(BAR, ODD, grundy=STEPS)
    return write(proof, folder).read_text(encoding="utf-8")


@pytest.fixture
def certificate(tmp_path_factory):
    return json.loads(text_of(tmp_path_factory.getbasetemp() / "formulas"))


def formula(document):
    return document["cases"][0]["formula"]


def test_what_was_found_passes(certificate, verdict):
    found = verdict(certificate)
    assert (found["status"], found["engines"]) == ("proved", ["z3", "cvc5"]), found["why"]
    assert found["members"] == len(found["tables_only"]) == 13


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("for", "k % 2 == 1 and s <= k+1"),
        ("for", "k % 2 == 0 and s < k"),
        ("for", "k % 2 == 1 and (s <= k or k >= 10**6 and s <= k+1)"),
        ("for", "k % 2 == 1 and s < 0"),
        ("ruleset", "step-bar(k=k, s=s+2)"),
        ("ruleset", "step-bar(k=k+1, s=s)"),
        ("where", "z <= k"),
        ("verdict", "refuted"),
    ],
)
def test_another_family_is_not_proved(key, value, certificate, verdict):
    assert verdict({**certificate, key: value})["status"] != "proved"


@pytest.mark.parametrize(
    "other",
    [
        STEPS + " + 1",
        f"{STEPS} + max(0, k-999999)",
        f"{STEPS} - max(0, z-999999)",
        STEPS.replace("y+z+s", "y+z+s+1"),
        f"z + (1-(y+z+s)%2)*({MORE}) - (y+z+s)%2*({MORE})",
        f"z + (1-(y+z+s)%2)*({MORE}) - (y+z+s)%2*({LESS})",
        STEPS.replace("max", "min"),
        "(y ^ (z+s)) - s",
    ],
)
def test_another_formula_is_not_proved(other, certificate, verdict):
    changed = {**certificate, "relation": {"kind": "grundy", "formula": other}}
    assert verdict(changed)["status"] != "proved"


@pytest.mark.slow
def test_each_option_is_needed_or_another_takes_its_place(certificate, verdict):
    """Options were chosen so that small members need each; without all of them nothing is proved."""
    every = formula(certificate)["options"]
    for place in range(len(every)):
        forged = deepcopy(certificate)
        del formula(forged)["options"][place]
        assert verdict(forged)["status"] == "undecided"
    forged = deepcopy(certificate)
    formula(forged)["options"] = []
    assert verdict(forged)["status"] == "undecided"


def forged_options(document):
    for option in formula(document)["options"]:
        yield {**option, "move": "y" if option["move"] == "z" else "z"}
        yield {**option, "fallen": ["z"]}
        yield {**option, "fallen": [*option["fallen"], "y"]}
        yield {**option, "changed": {}}
        yield {**option, "changed": {x: {"option(y)": 1} for x in option["changed"]}}
        yield {**option, "changed": {x: {"value()": 1} for x in option["changed"]}}


@pytest.mark.slow
def test_an_option_that_is_none_is_refused(certificate, verdict):
    for option in forged_options(certificate):
        forged = deepcopy(certificate)
        formula(forged)["options"].append(option)
        assert verdict(forged)["status"] == "undecided"


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.update(lemmas={}),
        lambda f: f.update(lemmas={name: [] for name in f["lemmas"]}),
        lambda f: f["lemmas"].update(more=[]),
        lambda f: f["lemmas"].update({"option": [{"m_k*position(y)": 1, "position(x)": 1}]}),
        lambda f: f["lemmas"].update({"value": [{"position(y)": 1 << 300}]}),
        lambda f: f["lemmas"].update({"value": [{"!0": 1}]}),
        lambda f: f.update(factor=None),
        lambda f: f.update(factor="position(y)"),
        lambda f: f.update(factor="s"),
        lambda f: f.update(quotients=[]),
        lambda f: f["quotients"][0].update(divisor={"position(y)": 1}),
        lambda f: f["quotients"][0].update(dividend={"number(2)": 1}),
        lambda f: f["quotients"][0].update(dividend={"value()": 1}),
    ],
)
def test_wrong_parts_are_refused(change, certificate, verdict):
    forged = deepcopy(certificate)
    change(formula(forged))
    assert verdict(forged)["status"] == "undecided"


@pytest.mark.full
def test_lemmas_of_any_sums_are_true(certificate, verdict):
    """So more of them, however large, leave true what is true, and make nothing true that is false."""
    odd = [{"position(y)": 10**40, "position(z)": -3, "1": 7}, {"1": 5}, {"1": 0}, {}]
    forged = deepcopy(certificate)
    for sums in formula(forged)["lemmas"].values():
        sums += odd
    assert verdict(forged)["status"] == "proved"
    forged["for"] = "k % 2 == 1 and (s <= k or k >= 10**6 and s <= k+1)"
    assert verdict(forged)["status"] == "undecided"


def test_other_cases_and_obligations_are_refused(certificate, verdict):
    case = certificate["cases"][0]
    for other in (
        {**case, "conditions": [*case["conditions"], {"m_k": 1, "1": -99}]},
        {**case, "parameters": {**case["parameters"], "s": {"m_k": 2, "1": 1}}},
        {**case, "formula": None},
        {**case, "shifts": {"y": {}, "z": {"s": 1}}},
    ):
        assert verdict({**certificate, "cases": [other]})["status"] == "undecided"
