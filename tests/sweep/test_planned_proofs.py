"""Plans of proofs: each game once, in equal parts, with its claims."""

import json
import math
from pathlib import Path

import pytest

from choco_pipeline.proof.records import GameToProve
from choco_pipeline.sweep import run_plan as plan_module
from choco_pipeline.sweep.run_plan import (
    LEAST_STATEMENTS,
    PART_SECONDS,
    STATEMENT_PARTS,
    WITHOUT_TABLES,
    balanced_parts,
    current_plan,
    expected_seconds,
)
from tests.sweep.planned import CLAIMS, CONFIG, digests, orders, statements

PROVED = CONFIG.replace("    mine: [value-sets]\n", "    prove: [grundy, p, p]\n")


def test_each_game_is_proved_once_whatever_the_bounds(config):
    assert current_plan(config)["prove"] == []
    assert orders("prove") == []
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
    for sweep, claims in {"a": {"mine-1"}, "b": set()}.items():
        parts = orders("prove", sweep)
        assert sorted(
            (p["ruleset"], p["relation"]) for part in parts for p in part["proofs"]
        ) == sorted((p["ruleset"], p["relation"]) for p in plan["prove"] if p["sweep"] == sweep)
        assert {claim for part in parts for claim in part["claims"]} == claims
        assert {part["certificates"] for part in parts} == {"results/certificates"}
        assert all(part["code"] for part in parts)
    config.write_text(PROVED + "    claims: none\n")
    assert [proof["claims"] for proof in current_plan(config)["prove"]] == [[]] * 6
    assert all(order["claims"] == {} for order in orders("prove"))
    config.write_text(CONFIG)
    current_plan(config)
    assert orders("prove") == [], "orders of another plan are removed"


def test_statements_on_integers_are_decided_where_games_are_proved(config):
    claims = Path("claims.yaml")
    for name, last in {"endless": "N", "finite": "9"}.items():
        entry = {"id": name, "number": name, "status": "lemma", "words": "Words.", "bound": 9}
        entry["statement"] = f"for x in 0..{last}: x >= 0"
        claims.write_text(f"{claims.read_text()}  - {json.dumps(entry)}\n")
    current_plan(config)
    assert orders("prove", WITHOUT_TABLES) == []
    config.write_text(PROVED + "    prove_seconds: 7\n")
    current_plan(config)
    (order,) = orders("prove", WITHOUT_TABLES)
    assert (order["seconds"], order["memory"], list(order["claims"])) == (7, 4, ["endless"])
    assert order["code"] in {one["code"] for one in orders("prove")}
    config.write_text(CONFIG)
    current_plan(config)
    assert orders("prove", WITHOUT_TABLES) == []


@pytest.mark.parametrize(
    ("number", "parts"),
    [(LEAST_STATEMENTS, 1), (LEAST_STATEMENTS + 1, 2), (9 * LEAST_STATEMENTS, STATEMENT_PARTS)],
)
def test_statements_to_decide_are_shared_out_where_they_are_many(config, number, parts):
    config.write_text(PROVED)
    Path("claims.yaml").write_text(statements(range(2, 2 + number)))
    expected = sorted(f"mine-{i}" for i in range(2, 2 + number))
    assert current_plan(config)["jobs"]["prove"][WITHOUT_TABLES]["amount"] == number
    decided = [list(order["claims"]) for order in orders("prove", WITHOUT_TABLES)]
    assert sorted(claim for part in decided for claim in part) == expected
    assert len(decided) == parts
    assert max(map(len, decided)) <= 2 * number / parts


@pytest.mark.parametrize("check", ["P <=> y == z", "'y == z => some option: y'' == 0'"])
def test_a_claim_on_p_positions_is_decided_once(config, check):
    Path("claims.yaml").write_text(CLAIMS.replace("G == y ^ z", check))
    for prove, on in (("[grundy, p]", "p"), ("[grundy]", "grundy"), ("[p]", "p")):
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
    assert {check["claim"] for order in orders("check") for check in order["checks"]} == {"mine-1"}
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


@pytest.mark.parametrize("number", [0, 1, 3, 40, 1000])
def test_proofs_are_shared_out_evenly_in_parts_of_some_size(number):
    chosen = [proof(k) for k in range(1, number + 1)]
    parts = balanced_parts(chosen)
    assert sorted(p.ruleset for part in parts for p in part) == sorted(p.ruleset for p in chosen)
    seconds = [list(map(expected_seconds, part)) for part in parts]
    loads = list(map(sum, seconds))
    assert len(parts) == min(number, math.ceil(sum(loads) / PART_SECONDS))
    if parts:
        assert max(loads) - min(loads) <= max(map(max, seconds))


def test_changed_code_proves_everything_again(config, monkeypatch):
    config.write_text(PROVED)
    plan = current_plan(config)
    before = digests(plan)
    code_digest = plan_module.code_digest
    monkeypatch.setattr(
        plan_module,
        "code_digest",
        lambda folders: "another" if "proof" in folders else code_digest(folders),
    )
    changed = current_plan(config)
    assert changed["prove"] == plan["prove"]
    assert {job for job, _ in before.items() ^ digests(changed).items()} == {("prove", "a")}
    assert {order["code"] for order in orders("prove")} == {"another"}
