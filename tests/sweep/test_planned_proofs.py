"""Plans of proofs: each game once, shared out evenly, with the claims that are decided on it."""

import json
import math
import re
from pathlib import Path

import pytest

from choco_pipeline.documents.record import read_record
from choco_pipeline.proof.proof_orders import GameToProve, ProofOrder
from choco_pipeline.sweep import orders as orders_module
from choco_pipeline.sweep import run_plan as plan_module
from choco_pipeline.sweep.proofs import (
    LEAST_SECONDS,
    LEAST_STATEMENTS,
    MOST_SECONDS,
    STATEMENT_PARTS,
    expected_seconds,
    shared_out,
)
from choco_pipeline.sweep.run_plan import current_plan
from choco_pipeline.tables.specs.spec import FORMAT
from tests.sweep.planned import CLAIMS, CONFIG, statements

PROVED = CONFIG.replace("    mine: [value-sets]\n", "    prove: [grundy, p, p]\n")


def proof_orders():
    return {p.stem: read_record(p) for p in Path("results/t/orders/prove").glob("*.json")}


def test_each_game_is_proved_once_whatever_the_bounds(config):
    assert current_plan(config)["prove"] == []
    assert not Path("results/t/orders/prove").exists()
    more = """\
  b:
    ruleset: step-bar(k=m)
    parameters: {m: [4, 5]}
    bound: 10
    quantity: p-positions
    prove: [p]
    prove_seconds: 7
    prove_memory: 2
"""
    config.write_text(PROVED.replace("bound: 20", "bound: [20, 30]") + more)
    plan = current_plan(config)
    step = "step-bar(k={k}, s=0)"
    assert [
        (p["ruleset"], p["relation"], p["sweep"], p["parameters"], p["seconds"], p["memory"])
        for p in plan["prove"]
    ] == [
        *[(step.format(k=k), r, "a", {"k": k}, 60, 4) for k in (2, 3, 4) for r in ("grundy", "p")],
        (step.format(k=5), "p", "b", {"m": 5}, 7, 2),
    ]
    assert [(p["ruleset"], p["relation"], p["claims"]) for p in plan["prove"] if p["claims"]] == [
        (step.format(k=k), "grundy", [{"claim": "mine-1", "parameters": {"k": k}}]) for k in (2, 4)
    ]
    orders = proof_orders()
    assert all(re.fullmatch("[0-9a-f]{16}", part) for part in orders)
    assert sorted(
        (part, proof["ruleset"], proof["relation"])
        for part, order in orders.items()
        for proof in order["proofs"]
    ) == sorted((p["part"], p["ruleset"], p["relation"]) for p in plan["prove"])
    assert {claim for order in orders.values() for claim in order["claims"]} == {"mine-1"}
    assert {order["certificates"] for order in orders.values()} == {"results/certificates"}
    assert all(order["code"] and order["format"] == FORMAT for order in orders.values())
    config.write_text(CONFIG)
    current_plan(config)
    assert proof_orders() == {}, "stale orders are removed"


def test_statements_on_integers_are_decided_where_games_are_proved(config):
    def orders():
        return {
            p.stem: read_record(p) for p in Path("results/t/orders/prove_statements").glob("*.json")
        }

    claims = Path("claims.yaml")
    for name, last in {"endless": "N", "finite": "9"}.items():
        entry = {"id": name, "number": name, "status": "lemma", "words": "Words.", "bound": 9}
        entry["statement"] = f"for x in 0..{last}: x >= 0"
        claims.write_text(f"{claims.read_text()}  - {json.dumps(entry)}\n")
    assert current_plan(config)["prove_statements"] == []
    config.write_text(PROVED + "    prove_seconds: 7\n")
    plan = current_plan(config)
    assert [(s["claim"], s["memory"]) for s in plan["prove_statements"]] == [("endless", 4)]
    ((part, order),) = orders().items()
    assert part == plan["prove_statements"][0]["part"]
    assert (order["seconds"], order["memory"], list(order["claims"])) == (7, 4, ["endless"])
    assert order["code"] in {one["code"] for one in proof_orders().values()}
    config.write_text(CONFIG)
    current_plan(config)
    assert orders() == {}, "stale orders are removed"


def test_a_sweep_decides_the_claims_that_it_names(config):
    config.write_text(PROVED + "    claims: none\n")
    assert [proof["claims"] for proof in current_plan(config)["prove"]] == [[]] * 6
    assert all(order["claims"] == {} for order in proof_orders().values())


@pytest.mark.parametrize(
    ("number", "parts"),
    [(LEAST_STATEMENTS, 1), (LEAST_STATEMENTS + 1, 2), (9 * LEAST_STATEMENTS, STATEMENT_PARTS)],
)
def test_statements_to_decide_are_shared_out_where_they_are_many(config, number, parts):
    config.write_text(PROVED)
    Path("claims.yaml").write_text(statements(range(2, 2 + number)))
    asked = current_plan(config)["prove_statements"]
    assert sorted(s["claim"] for s in asked) == sorted(f"mine-{i}" for i in range(2, 2 + number))
    folder = Path("results/t/orders/prove_statements")
    orders = {path.stem: read_record(path)["claims"] for path in folder.glob("*.json")}
    assert {(c, part) for part, claims in orders.items() for c in claims} == {
        (s["claim"], s["part"]) for s in asked
    }
    assert len(orders) == parts
    assert max(map(len, orders.values())) <= 2 * number / parts


@pytest.mark.parametrize(
    ("prove", "on"), [("[grundy, p]", "p"), ("[grundy]", "grundy"), ("[p]", "p")]
)
@pytest.mark.parametrize(
    "check",
    [
        "P <=> y == z",
        "'y == z => some option: y'' == 0'",
    ],
)
def test_a_claim_on_p_positions_is_decided_once(config, prove, on, check):
    Path("claims.yaml").write_text(CLAIMS.replace("G == y ^ z", check))
    config.write_text(PROVED.replace("[grundy, p, p]", prove))
    decided = [proof["relation"] for proof in current_plan(config)["prove"] if proof["claims"]]
    assert decided == [on] * 2


def test_proofs_are_decided_on_games_that_bars_are_cut_to(config):
    claims = CLAIMS.replace("step-bar(k=k, s=0)", "rectangular-bar(m=m, n=m)").replace("k %", "m %")
    claims = claims.replace("G == y ^ z", "P <=> i == j")
    Path("claims.yaml").write_text(claims)
    config.write_text(
        PROVED.replace("step-bar(k=k)", "rectangular-bar(m=k, n=k)").replace(
            "grundy\n", "p-positions\n"
        )
    )
    plan = current_plan(config)
    assert {check["claim"] for check in plan["check"]} == {"mine-1"}
    assert [proof["claims"] for proof in plan["prove"]] == [[]] * 6


def proof(k, relation="p", ruleset="solid-bar(f=(x+z)//{k})", seconds=60):
    game = ruleset.format(k=k)
    return GameToProve(
        ruleset=game,
        relation=relation,
        seconds=seconds,
        memory=4,
        sweep="a",
        parameters={"k": k},
        claims=(),
    )


def proofs_in(order):
    return ProofOrder.model_validate(order).proofs


def test_proofs_are_shared_out_evenly(config):
    config.write_text(PROVED.replace("[2, 3, 4]", "2..30").replace("[grundy, p, p]", "[grundy, p]"))
    plan = current_plan(config)
    parts = list(proof_orders().values())
    seconds = [[expected_seconds(one) for one in proofs_in(part)] for part in parts]
    assert len(parts) > 2
    assert sum(map(len, seconds)) == len(plan["prove"])
    loads = list(map(sum, seconds))
    assert max(loads) - min(loads) < max(map(max, seconds))
    files = {p: p.stat().st_mtime_ns for p in Path("results/t/orders/prove").iterdir()}
    current_plan(config)
    assert {p: p.stat().st_mtime_ns for p in Path("results/t/orders/prove").iterdir()} == files


@pytest.mark.parametrize("number", [0, 1, 3, 40, 1000])
def test_few_proofs_make_few_parts_and_many_make_parts_of_some_size(number):
    chosen = [proof(k) for k in range(1, number + 1)]
    parts = shared_out(chosen)
    assert sorted(p.ruleset for part in parts.values() for p in part) == sorted(
        p.ruleset for p in chosen
    )
    total = sum(map(expected_seconds, chosen))
    assert len(parts) <= min(number, math.ceil(total / LEAST_SECONDS))
    if parts:
        assert total / len(parts) <= MOST_SECONDS


def test_what_is_expected_of_a_proof():
    assert expected_seconds(proof(61)) > expected_seconds(proof(5)) > 0
    assert expected_seconds(proof(61, seconds=2)) == 2, "never more than it may take"
    bar = "strip-bar(k={k}, s=1)"
    with_pass = proof(9, ruleset=f"with-pass({bar}, passes=1)")
    assert expected_seconds(with_pass) > expected_seconds(proof(9, ruleset=bar))
    assert expected_seconds(proof(9, "grundy", bar)) > expected_seconds(proof(9, ruleset=bar))
    assert expected_seconds(proof(0, ruleset="sum(nim(1), nim(1))")) < 1


def test_changed_code_proves_everything_again(config, monkeypatch):
    config.write_text(PROVED)
    plan = current_plan(config)
    before = proof_orders()
    digests = plan_module.code_digest
    for module in (plan_module, orders_module):
        monkeypatch.setattr(
            module,
            "code_digest",
            lambda folders: "another" if "proof" in folders else digests(folders),
        )
    assert current_plan(config)["prove"] == plan["prove"]
    after = proof_orders()
    assert after.keys() == before.keys()
    assert {order["code"] for order in after.values()} == {"another"}
