"""Orders for statements on integers: verdicts for each choice of what is fixed, under limits."""

from pathlib import Path

import pytest

from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import DisagreementError
from choco_pipeline.proof import task
from choco_pipeline.proof.limits import KilledError, Limited
from choco_pipeline.proof.statements import decided_integers
from choco_pipeline.proof.task import decide_order, settle_statement
from tests.claims.written import claim_from

CLAIMS = {
    "true": {"all": {"k": "2..3", "z": "0..N"}, "holds": "z - k*(z//k) < k"},
    "false": {"all": {"x": "0..N"}, "holds": "x < 300"},
    "large": {"all": {"x": "0..N", "y": "0..N"}, "holds": "(4999*x ^ 4999*y) != 5003*(x ^ y)+1"},
    "shift": {"all": {"n": "0..N", "x": "0..2**n"}, "holds": "x <= 2**n"},
}


def claim(claim_id):
    check = {"kind": "integers", "bound": 9, **CLAIMS[claim_id]}
    return claim_from({"id": claim_id, "check": check}).as_json()


def decided(*ids, seconds=60, memory=4):
    order = {"format": 1, "code": "", "seconds": seconds, "memory": memory}
    order["certificates"] = "certificates"
    write_record(Path("order.json"), {**order, "claims": {one: claim(one) for one in ids}})
    reports = []
    counts = decide_order("order.json", "out.json", lambda *a, **more: reports.append((*a, more)))
    assert reports == [("prove", {"proofs": 1})] * len(ids)
    written = read_record(Path("out.json"))["verdicts"]
    found = [ClaimVerdict.model_validate(verdict) for verdict in written]
    assert counts == {"statements": len(ids), "verdicts": len(found)}
    return found


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_an_order_with_its_verdicts():
    found = decided("true", "false", "shift")
    assert [(v.claim, v.parameters, v.verdict) for v in found] == [
        ("true", {"k": 2}, "proved"),
        ("true", {"k": 3}, "proved"),
        ("false", {}, "refuted"),
        ("shift", {}, "undecided"),
    ]
    for verdict in found:
        assert (verdict.table, verdict.bound) == (None, None)
        assert (verdict.certificate is None) == (verdict.verdict != "proved")
    path = found[0].certificate
    assert Path(path).parent == Path("certificates/claims/true")
    assert found[0].text == f"proved for all integers: {path}"
    assert {"own", "checker"} <= {*found[0].evidence["engines"]}
    assert found[2].counterexample.position == (300,)
    assert "given n there are finitely many integers" in found[3].why


def test_a_decision_that_somebody_has_killed_is_undecided_until_the_next_run(monkeypatch):
    def die(self, *_):
        raise KilledError("the decision was killed (SIGKILL); is there too little memory?")

    monkeypatch.setattr(Limited, "_call", die)
    (killed,) = decided("true")
    assert killed.verdict == "undecided"
    assert read_record(Path("out.json"))["killed"] is True


@pytest.mark.full
def test_what_breaks_a_limit_is_undecided_and_the_others_go_on():
    slow, true, _ = decided("large", "true", memory=0)
    assert (slow.claim, slow.verdict) == ("large", "undecided")
    assert slow.why == "the decision took more than 0 GiB of memory"
    assert true.verdict == "proved"


def test_a_contradiction_ends_the_order(monkeypatch):
    monkeypatch.setattr(decided_integers, "_least", lambda *_: {"N": 9, "x": 1})
    with pytest.raises(DisagreementError, match="by the engine, not by definition"):
        settle_statement(claim("false"), 60.0)


def test_too_little_memory_is_undecided(monkeypatch):
    def too_large(*_, **__):
        raise MemoryError

    monkeypatch.setattr(task, "decide_integers", too_large)
    (verdict,) = settle_statement(claim("true"), 60.0)
    assert (verdict.verdict, verdict.why) == ("undecided", "there is too little memory")
