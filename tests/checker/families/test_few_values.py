"""The check of certificates without words: of relations on a part of the positions, and of refutations for every member."""

import json
import random
from functools import cache
from itertools import product

import pytest

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.games.notation import parse_ruleset
from choco_pipeline.proof.uniform.family_certificate import write
from tests.checker.families.mutations import changed, of_texts
from tests.checker.families.program import families
from tests.effort import examples
from tests.proof.uniform.judged import prove_family

SUM, NIM = "solid-bar(f=(x+z)//k)", "x ^ y ^ z == 0"


def box(bound):
    return f"x <= {bound} and z <= {bound}"


INSIDE = (SUM, "k % 8 == 4", NIM, box("(3*k+2)//2"))
BEYOND = (SUM, "k % 8 == 4", NIM, box("(3*k+2)//2 + 1"))
WRONG = (SUM, "k % 4 == 1", "(x+1) ^ y ^ (z+1) == 0", "")
STRIP = (
    "strip-bar(k=k, s=k+2*a+1)",
    "k % 2 == 0 and 2*a+1 < k",
    "(x+k+2*a+1) ^ y ^ (z+k+2*a+1) == 0",
    "",
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    @cache
    def made(ruleset, members, relation, where):
        proof = prove_family(ruleset, members, p_positions=relation, where=where)
        return write(proof, tmp_path_factory.mktemp("families")).read_text(encoding="utf-8")

    return lambda family: json.loads(made(*family))


@pytest.mark.parametrize(
    ("family", "status"),
    [(INSIDE, "proved"), (BEYOND, "refuted"), (WRONG, "refuted"), (STRIP, "refuted")],
)
def test_what_was_found_passes(family, status, certificate, verdict):
    found = verdict(certificate(family))
    assert (found["status"], found["engines"]) == (status, ["z3", "cvc5"]), found["why"]
    assert found["every_member"] == (status == "refuted")
    assert found["members"] == 13


#: What is changed; some of it is wrong for large members alone.
FORGED = [
    (INSIDE, {"where": box("(3*k+2)//2 + 1")}),
    (INSIDE, {"where": "x <= (3*k+2)//2 and z <= (3*k+2)//2 + 1"}),
    (INSIDE, {"where": box("(3*k+2)//2 + min(max(k-99, 0), 1)")}),
    (INSIDE, {"where": "x >= 1 and " + box("(3*k+2)//2")}),
    (INSIDE, {"where": ""}),
    (INSIDE, {"for": "k % 4 == 0"}),
    (INSIDE, {"for": "k % 8 == 4 or k == 102"}),
    (INSIDE, {"ruleset": "solid-bar(f=(x+z+1)//k)"}),
    (INSIDE, {"verdict": "refuted"}),
    (BEYOND, {"where": box("(3*k+2)//2")}),
    (BEYOND, {"verdict": "proved"}),
    (WRONG, {"for": "k % 4 == 1 or k == 102"}),
    (WRONG, {"for": "k % 2 == 1"}),
    (WRONG, {"verdict": "proved"}),
    (WRONG, {"ruleset": "solid-bar(f=(x+z)//(k+1))"}),
    (STRIP, {"for": "k % 2 == 0 and 2*a <= k"}),
    (STRIP, {"ruleset": "strip-bar(k=k, s=k+2*a)"}),
]


@pytest.mark.parametrize(("family", "forged"), FORGED)
@pytest.mark.parametrize("has_members", [pytest.param(True, marks=pytest.mark.full), False])
def test_a_forged_certificate_is_refused(
    family, forged, has_members, certificate, verdict, monkeypatch
):
    """Also where members are not looked at: the conditions alone refuse it."""
    if not has_members:
        monkeypatch.setattr(families, "wrong_position", lambda *_: None)
        monkeypatch.setattr(families, "require_failure", lambda *_: None)
    found = verdict({**certificate(family), **forged})
    assert found["engines"] == []
    assert not found["every_member"]
    assert found["status"] != "proved"


def test_quotients_in_a_condition_on_positions_are_those_numbers(certificate, verdict):
    """No position satisfies it; if k//3 were any number, some would."""
    document = certificate(INSIDE)
    found = verdict({**document, "where": f"{document['where']} and x + 1 <= k//3 - k"})
    assert found["status"] == "undecided"
    assert "no position" in found["why"], found["why"]


def test_a_power_of_what_is_no_parameter_is_refused(certificate, verdict):
    document = certificate(INSIDE)
    found = verdict({**document, "where": f"{document['where']} and (x & -x) <= 3"})
    assert found["status"] == "undecided"
    assert "a coordinate" in found["why"]


def test_a_further_case_without_a_parameter_is_refused(certificate, verdict):
    document = certificate(INSIDE)
    found = verdict(
        {**document, "cases": [*document["cases"], {**document["cases"][0], "parameters": {}}]}
    )
    assert found["status"] == "undecided"
    assert "parameters" in found["why"]


@pytest.mark.parametrize("where", ["x <= 0 - 1", "x <= 2 and z >= k + x + 3 and z <= k + 2"])
def test_nothing_is_proved_of_no_position(where, certificate, verdict):
    """The conditions all hold then, whatever the relation is."""
    for formula in (NIM, "(x+1) ^ y ^ (z+2) == 0"):
        relation = {"kind": "p-positions", "formula": formula}
        forged = {**certificate(INSIDE), "where": where, "relation": relation}
        if formula != NIM:
            for case in forged["cases"]:
                case["shifts"] = {"x": {"1": 1}, "y": {}, "z": {"1": 2}}
        found = verdict(forged)
        assert found["status"] == "undecided"
        assert "no position" in found["why"], found["why"]


@pytest.mark.parametrize("relation", ["(x-1) ^ y ^ (z-1) == 0", "(x+1) ^ y ^ (z+1) == 1", NIM])
def test_a_position_refutes_its_own_relation_alone(relation, certificate, verdict, monkeypatch):
    monkeypatch.setattr(families, "require_failure", lambda *_: None)
    document = {**certificate(WRONG), "relation": {"kind": "p-positions", "formula": relation}}
    found = verdict(document)
    assert (found["status"], found["every_member"]) == ("undecided", False)


@pytest.mark.parametrize("family", [WRONG, pytest.param(BEYOND, marks=pytest.mark.full)])
def test_each_number_of_a_position_counts(family, certificate, verdict, monkeypatch):
    """A position of other sums passes only if the relation contradicts itself there, too, which it does at few."""
    monkeypatch.setattr(families, "require_failure", lambda *_: None)
    document, passed = certificate(family), []
    (case,) = document["cases"]
    tried = 0
    for coordinate, total in case["position"].items():
        for name in {*total, "1", "m_k"}:
            for by in (1, -1):
                other = {**total, name: total.get(name, 0) + by}
                path = ("cases", 0, "position", coordinate)
                found = verdict(changed(document, path, lambda _, other=other: other))
                tried += 1
                passed += [(coordinate, other)] if found["every_member"] else []
    assert tried == 12
    assert passed == []


@pytest.mark.full
def test_largest_values_are_needed_and_right(certificate, verdict):
    document = certificate(INSIDE)
    for largest, status in (({"y": 4}, "proved"), ({"y": 2}, "undecided")):
        found = verdict(changed(document, ("cases", 0, "largest"), lambda _, n=largest: n))
        assert found["status"] == status
    for largest in (None, {}, {"x": 3}, {"y": -1}, {"y": 3, "z": 1}, {"y": 1 << 40}):
        found = verdict(changed(document, ("cases", 0, "largest"), lambda _, n=largest: n))
        assert found["status"] == "undecided"


@pytest.mark.parametrize(
    "name",
    [
        "m",
        *(
            pytest.param(name, marks=pytest.mark.full)
            for name in ("option", "lowered", "at", "position")
        ),
    ],
)
def test_no_name_of_a_case_is_that_of_a_coordinate(name, certificate, verdict):
    """A place that options leave proves nothing, whatever the case's number is called; it has positions for large members only."""
    document = certificate((SUM, "k >= 1", NIM, "x + z < k"))
    document["relation"]["formula"] = "x ^ y ^ z == 1"
    document["where"] = "z >= x + 1 and x + 100 <= k and x + z < k"
    (case,) = document["cases"]
    case["parameters"], case["conditions"] = {"k": {name: 1}}, [{name: 1, "1": -1}]
    case["constant"], case["heights"]["y"]["parts"][0]["divisor"] = {"1": 1}, {name: 1}
    found = verdict(document)
    assert found["status"] == "undecided"
    assert "case-1/inside-0" in found["why"]


@pytest.mark.parametrize("name", ["option", pytest.param("lowered", marks=pytest.mark.full)])
def test_parameters_have_any_name(name):
    ruleset = f"solid-bar(f=(x+z)//{name})"
    inside = prove_family(ruleset, f"{name} >= 1", p_positions=NIM, where=f"x + z < {name}")
    assert inside.status == "proved"
    left = f"z >= x + 1 and x + 100 <= {name} and x + z < {name}"
    outside = prove_family(ruleset, f"{name} >= 1", p_positions="x ^ y ^ z == 1", where=left)
    assert outside.status == "refuted"


def height(terms, constant, divisor):
    part = {"terms": terms, "constant": constant, "divisor": divisor}
    return {"function": "min", "parts": [part]}


def test_nothing_is_refuted_where_limited_coordinates_let_others_fall(verdict):
    """The relation is true for k >= 100: from (1, 1, 0) the cut of w leaves (0, 0, 0), as y falls, which is in it."""
    moves = [{"lower": [name]} for name in "wyz"]
    game = {"game": "falling", "parameters": {"k": 2}, "coordinates": ["w", "y", "z"]}
    game |= {"heights": {"w": 1, "y": "k*w//k"}, "moves": moves}
    relation = "w ^ (y+1) ^ (z+min(1, max(0, 100-k))) == 1"
    large = parse_ruleset("game(falling, k=k)", {"k": 100}, games={"falling": game})
    for position in product(range(2), range(2), range(9)):
        if large.rules.why_not(position) is None:
            said = parse(relation).value({"k": 100, **large.rules.named(position)})
            assert said == (large.grundy(position) == 0)

    def of(conditions, shift, position):
        heights = {
            "w": height({}, {"1": 1}, {"1": 1}),
            "y": height({"w": {"m": 1}}, {}, {"m": 1}),
        }
        shown = {"shifts": {"w": {}, "y": {"1": 1}, "z": shift}, "constant": {"1": 1}, "offset": {}}
        case = {"parameters": {"k": {"m": 1}}, "conditions": conditions, "heights": heights}
        return {**case, **shown, "position": position}

    small = of([{"m": 1, "1": -1}, {"m": -1, "1": 99}], {"1": 1}, {"w": {}, "y": {}, "z": {}})
    others = of([{"m": 1, "1": -100}], {}, {"w": {"1": 1}, "y": {"1": 1}, "z": {}})
    document = {"kind": "family", "format": 2, "ruleset": "game(falling, k=k)"}
    document |= {"games": {"falling": game}, "parameters": ["k"], "for": "k >= 1"}
    document |= {"relation": {"kind": "p-positions", "formula": relation}, "verdict": "refuted"}
    found = verdict({**document, "cases": [small, others]})
    assert (found["status"], found["every_member"]) == ("undecided", False)
    assert "depends on a limited coordinate" in found["why"]


#: What may be otherwise in a proof: a part of the positions that is smaller, a sum that another makes superfluous.
MAY_PASS = {"where", "conditions", "largest"}


@pytest.mark.parametrize(("family", "seed"), [(WRONG, 1), (BEYOND, 2)])
def test_a_changed_statement_is_refused_or_another_that_is_true(family, seed, certificate, verdict):
    chosen = random.Random(seed).sample(list(of_texts(certificate(family))), examples(30))
    passed = 0
    for kind, mutant in chosen:
        try:
            found = verdict(mutant)
        except ChocoError:
            continue
        if found["engines"]:
            passed += 1
            assert kind.partition(":")[0] in MAY_PASS, (kind, mutant)
    assert passed < len(chosen) / 2
