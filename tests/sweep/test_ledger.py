"""The ledger gathers what a run has found, and compares tables."""

from pathlib import Path

from choco_pipeline.claims.task import check_shard
from choco_pipeline.documents.files import read_json
from choco_pipeline.mining.task import mine_shard
from choco_pipeline.sweep.ledger import write_ledger
from choco_pipeline.sweep.plan import Paths, current_plan
from choco_pipeline.tables.shard import build_shard

CLAIMS = """\
paper: {key: mine, title: T, authors: [A], year: 2026, reference: R}
claims:
  - id: doubling
    number: Lemma 1
    status: lemma
    statement: Doubling m makes four times as many P-positions.
    ruleset: rectangular-bar(m=m, n=m)
    check: {kind: counts, relations: ["g(2*m) == 4*g(m)"]}
  - id: nim-sum
    number: Theorem 1
    status: theorem
    statement: The P-positions are those of nim-sum 0.
    ruleset: solid-bar(f=(x+z)//k)
    check: {kind: p-positions, formula: x ^ y ^ z == 0}
"""
CONFIG = """\
run: t
claims: [claims.yaml]
sweeps:
  squares: {ruleset: "rectangular-bar(m=m, n=m)", parameters: {m: 1..8}, quantity: p-positions}
  triangles:
    ruleset: solid-bar(f=(x+z)//k)
    parameters: {k: [2, 3, 7, 11]}
    bound: 30
    quantity: p-positions
    mine: [value-sets, shifts]
"""


def quiet(stage, **numbers):
    """Report to nobody."""


def test_a_ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("claims.yaml").write_text(CLAIMS)
    Path("c.yaml").write_text(CONFIG)
    plan = current_plan(Path("c.yaml"))
    paths = Paths(Path("results"), "t")
    for shard in plan["shards"]:
        build_shard(str(paths.spec(shard)), str(paths.manifest(shard)), quiet)
        for kind, folder, task in (
            ("checks", "verdicts", check_shard),
            ("mines", "mining", mine_shard),
        ):
            if paths.order(kind, shard).exists():
                task(str(paths.order(kind, shard)), f"results/t/{folder}/{shard}.json", quiet)
    write_ledger(str(paths.plan), "results/t/ledger.json", quiet)
    ledger = read_json(Path("results/t/ledger.json"))

    (doubling,) = [v for v in ledger["verdicts"] if v["claim"] == "doubling"]
    assert doubling["table"] is None, "what one table says of it is no verdict"
    assert (doubling["verdict"], doubling["bound"]) == ("holds-to-bound", 8)
    by_k = {v["parameters"]["k"]: v for v in ledger["verdicts"] if v["claim"] == "nim-sum"}
    assert {k: v["verdict"] for k, v in by_k.items()} == {
        2: "refuted",
        3: "holds-to-bound",
        7: "holds-to-bound",
        11: "holds-to-bound",
    }
    assert by_k[2]["counterexample"]["position"] == [1, 1, 2], "P, though its nim-sum is 2"
    assert {claim["id"] for claim in ledger["claims"]} == {"doubling", "nim-sum"}
    assert len(ledger["tables"]) == len(plan["tables"]) == 12
    assert all(len(table["digest"]) == 64 and table["positions"] > 0 for table in ledger["tables"])
    assert {f["kind"] for f in ledger["findings"]} == {"value-sets", "shifts"}
    (rule,) = ledger["rules"]
    assert (rule["shift"], rule["members"]) == ([0, 0, 0], [3, 7, 11])
    assert (rule["modulus"], rule["residue"]) == (2, 1), "the coarsest class that these k allow"
