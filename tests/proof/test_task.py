"""Orders for proofs: what is proved has a certificate and verdicts, what is not is told with its growth."""

from pathlib import Path

import pytest

from choco_pipeline.claims.claim import Claim
from choco_pipeline.claims.model import Statement
from choco_pipeline.documents.files import read_json, write_json
from choco_pipeline.proof import task
from choco_pipeline.proof.certificate import check_certificate
from choco_pipeline.proof.prove import DisagreementError
from choco_pipeline.proof.task import prove_order

TRIANGLE = "solid-bar(f=(x+z)//3)"


def claim(claim_id, **check):
    said = {"id": claim_id, "ruleset": "solid-bar(f=(x+z)//k)", "check": check}
    return Claim(Statement.model_validate(said)).as_json()


CLAIMS = {
    "true": claim("true", kind="p-positions", formula="x ^ y ^ z == 0"),
    "false": claim("false", kind="p-positions", formula="x == z and y == 0"),
    "product": claim("product", kind="p-positions", formula="x*y*z == 0"),
}


def proved(*todo, claims=("true", "false", "product")):
    order = {
        "format": 1,
        "code": "",
        "certificates": "certificates",
        "proofs": [
            {
                "ruleset": ruleset,
                "relation": "p",
                "seconds": 60,
                "parameters": {"k": 3},
                "claims": [{"claim": one, "parameters": {"k": 3}} for one in claims],
            }
            for ruleset in todo
        ],
        "claims": {one: CLAIMS[one] for one in claims},
    }
    write_json(Path("order.json"), order)
    reports = []
    counts = prove_order("order.json", "out.json", lambda *a, **more: reports.append((*a, more)))
    assert reports == [("proofs", {"proofs": 1})] * len(todo)
    found = read_json(Path("out.json"))
    assert counts == {"proofs": len(todo), "verdicts": len(found["verdicts"])}
    return found


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_proof_with_its_verdicts():
    found = proved(TRIANGLE)
    (proof,) = found["proofs"]
    assert proof["ruleset"] == TRIANGLE
    assert (proof["relation"], proof["parameters"], proof["status"]) == ("p", {"k": 3}, "proved")
    assert (proof["states"], proof["growth"]) == ([3], [])
    assert check_certificate(Path(proof["certificate"]), ["own"]).status == "proved"
    assert Path(proof["certificate"]).parent == Path("certificates")
    assert [(v["claim"], v["verdict"]) for v in found["verdicts"]] == [
        ("true", "proved"),
        ("false", "refuted"),
        ("product", "undecided"),
    ]
    for verdict in found["verdicts"]:
        assert (verdict["table"], verdict["bound"]) == (None, None)
        assert (verdict["parameters"], verdict["certificate"]) == ({"k": 3}, proof["certificate"])
    assert found["verdicts"][1]["counterexample"]["position"] == [2, 1, 3], "P, though y is not 0"


@pytest.mark.parametrize(
    ("ruleset", "why"),
    [
        ("solid-bar(f=x*z)", "multiplies two coordinates"),
        ("solid-bar(f=x*x//(z+1))", "not monotone"),
        ("solid-bar(f=(x+z)//2)", "does not close"),
    ],
)
def test_what_cannot_be_proved_is_undecided_and_the_others_go_on(ruleset, why):
    found = proved(ruleset, TRIANGLE, claims=("true",))
    undecided, proof = found["proofs"]
    assert (undecided["status"], undecided["certificate"]) == ("undecided", None)
    assert why in undecided["why"]
    assert bool(undecided["growth"]) == (why == "does not close")
    assert undecided.keys() == proof.keys()
    assert proof["status"] == "proved"
    assert [verdict["claim"] for verdict in found["verdicts"]] == ["true"]


def test_a_proof_without_memory_is_undecided(monkeypatch):
    def too_large(*_, **__):
        raise MemoryError

    monkeypatch.setattr(task, "decide", too_large)
    (verdict,) = proved(TRIANGLE, claims=("true",))["verdicts"]
    assert (verdict["verdict"], verdict["why"]) == ("undecided", "there is too little memory")
    monkeypatch.setattr(task, "prove", too_large)
    found = proved(TRIANGLE, claims=("true",))
    assert (found["proofs"][0]["status"], found["verdicts"]) == ("undecided", [])


def test_engines_that_contradict_each_other_are_not_passed_over(monkeypatch):
    def contradicted(*_, **__):
        raise DisagreementError("right by own, wrong by mona")

    monkeypatch.setattr(task, "prove", contradicted)
    with pytest.raises(DisagreementError):
        proved(TRIANGLE)
    assert not Path("out.json").exists()
