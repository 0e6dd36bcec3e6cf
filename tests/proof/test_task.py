"""Orders for proofs: what is proved has a certificate and verdicts, what is not is told with its growth."""

import json
from pathlib import Path

import pytest

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import ClaimVerdict
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.proof import task
from choco_pipeline.proof.games.certificate import check_certificate
from choco_pipeline.proof.limits import KilledError, Limited
from choco_pipeline.proof.statements import decided_integers
from choco_pipeline.proof.task import decide_order, prove_order, settle_statement

TRIANGLE = "solid-bar(f=(x+z)//3)"
WILD = "solid-bar(f=(x+z)//2)"
LONG = "with-pass(nim(4), passes=2)"


def claim(claim_id, statement):
    said = {"id": claim_id, "ruleset": "solid-bar(f=(x+z)//k)", "statement": statement}
    return Claim.from_json(said).as_json()


CLAIMS = {
    "true": claim("true", "P <=> x ^ y ^ z == 0"),
    "false": claim("false", "P <=> x == z and y == 0"),
    "product": claim("product", "P <=> x*y*z == 0"),
}


def order(*todo, claims=(), seconds=60, memory=4):
    return {
        "code": "",
        "certificates": "certificates",
        "proofs": [
            {
                "ruleset": ruleset,
                "relation": "p",
                "seconds": seconds,
                "memory": memory,
                "sweep": "triangles",
                "parameters": {"k": 3},
                "claims": [{"claim": one, "parameters": {"k": 3}} for one in claims],
            }
            for ruleset in todo
        ],
        "claims": {one: CLAIMS[one] for one in claims},
    }


def proved(*todo, claims=("true", "false", "product"), **limits):
    reports = []
    asked = order(*todo, claims=claims, **limits)
    found = prove_order(asked, lambda *a, **more: reports.append((*a, more)))
    assert reports == [("prove", {"proofs": 1})] * len(todo)
    return json.loads(json.dumps(found))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_proof_with_its_verdicts():
    found = proved(TRIANGLE)
    (proof,) = found["proofs"]
    assert proof["ruleset"] == TRIANGLE
    assert (proof["relation"], proof["sweep"], proof["status"]) == ("p", "triangles", "proved")
    assert proof["parameters"] == {"k": 3}
    assert (proof["states"], proof["growth"]) == ([3], [])
    assert check_certificate(Path(proof["certificate"])).status == "proved"
    assert Path(proof["certificate"]).parent == Path("certificates")
    assert [(v["claim"], v["verdict"]) for v in found["verdicts"]] == [
        ("true", "proved"),
        ("false", "refuted"),
        ("product", "undecided"),
    ]
    for verdict in found["verdicts"]:
        assert (verdict["table"], verdict["bound"]) == (None, None)
        assert verdict["parameters"] == {"k": 3}
    true, *others = found["verdicts"]
    assert {verdict["certificate"] for verdict in others} == {proof["certificate"]}
    assert Path(true["certificate"]).parent == Path("certificates/claims/true")
    assert true["text"] == f"proved for all positions: {true['certificate']}"
    assert (proof["engines"][-1], true["evidence"]["engines"][-1]) == ("checker", "checker")
    assert found["verdicts"][1]["counterexample"]["position"] == [2, 1, 3], "P, though y is not 0"


@pytest.mark.parametrize(
    ("ruleset", "why"),
    [
        pytest.param("solid-bar(f=x*z)", "multiplies two coordinates", marks=pytest.mark.full),
        pytest.param("solid-bar(f=x*x//(z+1))", "not monotone", marks=pytest.mark.full),
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


@pytest.mark.full
def test_a_proof_without_memory_is_undecided(monkeypatch):
    def too_large(*_, **__):
        raise MemoryError

    certificate = proved(TRIANGLE, claims=())["proofs"][0]["certificate"]
    monkeypatch.setattr(task, "decide", too_large)
    verdict = task.settle(CLAIMS["true"], {"k": 3}, certificate, 60)
    assert (verdict.verdict, verdict.why) == ("undecided", "there is too little memory")


@pytest.mark.full
@pytest.mark.parametrize(
    ("formula", "reach", "verdict", "further"),
    [
        ("x ^ y ^ z == 0", 20, "proved", "proved"),
        ("x ^ y ^ z == 0 and x <= 20 and z <= 20", 20, "proved", None),
        ("x ^ y ^ z == 0 and x <= 20 and z <= 20", None, "refuted", None),
    ],
)
def test_what_is_true_without_its_bound_is_told(formula, reach, verdict, further):
    certificate = proved(TRIANGLE, claims=())["proofs"][0]["certificate"]
    premise = "" if reach is None else f"size <= {reach} => "
    bounded = claim("bounded", f"{premise}(P <=> {formula})")
    found = task.settle(bounded, {"k": 3}, certificate, 60)
    assert (found.verdict, found.evidence.get("without_reach")) == (verdict, further)


def test_engines_that_contradict_each_other_are_not_passed_over(monkeypatch):
    def contradicted(*_, **__):
        raise DisagreementError("right by own, wrong by definition")

    monkeypatch.setattr(task, "prove", contradicted)
    with pytest.raises(DisagreementError):
        task.attempt(TRIANGLE, "p", 60, "certificates")


@pytest.mark.full
def test_certificates_that_cannot_be_written_end_the_order():
    Path("certificates").write_text("this is no folder")
    with pytest.raises(ChocoError, match=r"certificates/.*: cannot be written"):
        proved(TRIANGLE)


@pytest.mark.full
def test_a_proof_that_takes_too_long_is_ended_and_the_others_go_on():
    found = proved(LONG, TRIANGLE, claims=("true",), seconds=1)
    undecided, proof = found["proofs"]
    assert undecided["status"] == "undecided"
    assert "1 s" in undecided["why"], undecided["why"]
    assert proof["status"] == "proved"


def times():
    return {p: p.stat().st_mtime_ns for p in Path("certificates").rglob("*.json")}


@pytest.mark.full
def test_what_is_known_is_not_searched_again_and_its_claims_are_decided_anew():
    first = proved(TRIANGLE, WILD, claims=("true",))
    written = times()
    assert len(written) == 4, "a certificate of the game, one of the claim, and two outcomes"
    again = proved(TRIANGLE, WILD, claims=("true", "false"))
    assert times() == written
    assert again["proofs"] == first["proofs"]
    assert [v["verdict"] for v in again["verdicts"]] == ["proved", "refuted"]


@pytest.mark.full
@pytest.mark.parametrize("limit", ["seconds", "memory"])
def test_with_more_time_or_memory_what_was_not_found_is_searched_again(limit):
    low, high = {limit: 40}, {limit: 41}
    proved(TRIANGLE, WILD, claims=(), **high)
    written = times()
    proved(TRIANGLE, WILD, claims=(), **low)
    assert times() == written, "less cannot help"
    proved(TRIANGLE, WILD, claims=(), **{limit: 42})
    changed = {p.stem for p, at in times().items() if at != written[p]}
    assert len(changed) == 1, "the proof stands"


# ---- Statements on integers.

STATEMENTS = {
    "true": "for k in 2..3, z in 0..N: z - k*(z//k) < k",
    "false": "for x in 0..N: x < 300",
    "large": "for x in 0..N, y in 0..N: (4999*x ^ 4999*y) != 5003*(x ^ y)+1",
    "shift": "for n in 0..N, x in 0..2**n: x <= 2**n",
}


def statement(claim_id):
    said = {"id": claim_id, "statement": STATEMENTS[claim_id], "bound": 9}
    return Claim.from_json(said).as_json()


def decision(*ids, seconds=60, memory=4):
    todo = {"code": "", "seconds": seconds, "memory": memory}
    todo["certificates"] = "certificates"
    todo["claims"] = {one: statement(one) for one in ids}
    reports = []
    outcome = decide_order(todo, lambda *a, **more: reports.append((*a, more)))
    assert reports == [("prove", {"proofs": 1})] * len(ids)
    return json.loads(json.dumps(outcome))


def decided(*ids, **limits):
    verdicts = decision(*ids, **limits)["verdicts"]
    return [ClaimVerdict.model_validate(verdict) for verdict in verdicts]


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


def test_what_somebody_has_killed_is_undecided_until_the_next_run(monkeypatch):
    def die(self, *_):
        raise KilledError("the decision was killed (SIGKILL); is there too little memory?")

    monkeypatch.setattr(Limited, "_call", die)
    for outcome in (decision("true"), prove_order(order(TRIANGLE), lambda *_, **__: None)):
        told = [*outcome["verdicts"], *outcome.get("proofs", [])]
        assert {one.get("verdict", one.get("status")) for one in told} == {"undecided"}
        assert outcome["killed"] is True
    assert not list(Path().rglob("outcomes/*.json"))


@pytest.mark.full
def test_what_breaks_a_limit_is_undecided_and_the_others_go_on():
    slow, true, _ = decided("large", "true", memory=0)
    assert (slow.claim, slow.verdict) == ("large", "undecided")
    assert slow.why == "the decision took more than 0 GiB of memory"
    assert true.verdict == "proved"


def test_a_contradiction_ends_the_order(monkeypatch):
    monkeypatch.setattr(decided_integers._Sentences, "least", lambda *_: {"N": 9, "x": 1})
    with pytest.raises(DisagreementError, match="by the engine, not by definition"):
        settle_statement(statement("false"), 60.0)
