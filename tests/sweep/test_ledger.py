"""The ledger gathers what a run has found, and compares tables."""

from pathlib import Path

from choco_pipeline.claims.language.verdict import HoldsToBound, Proved, Undecided
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.jobs import run_job
from choco_pipeline.sweep.ledger import write_ledger
from choco_pipeline.sweep.run_files import Paths
from choco_pipeline.sweep.run_plan import WITHOUT_TABLES, current_plan
from tests.claims.verdict_documents import verdict_document

CLAIMS = """\
paper: {key: mine, title: T, authors: [A], year: 2026, reference: R}
claims:
  - id: doubling
    number: Lemma 1
    status: lemma
    words: Doubling m makes four times as many P-positions.
    ruleset: rectangular-bar(m=m, n=m)
    check: {kind: counts, relations: ["g(2*m) == 4*g(m)"]}
  - id: nim-sum
    number: Theorem 1
    status: theorem
    words: The P-positions are those of nim-sum 0.
    ruleset: solid-bar(f=(x+z)//k)
    statement: P <=> x ^ y ^ z == 0
  - id: shifted
    number: Theorem 1
    status: theorem
    words: The P-positions are those of nim-sum 0, where there is a third of k.
    ruleset: solid-bar(f=(x+z)//k)
    when: k % 4 == 3
    corrects: nim-sum
    statement: P <=> x ^ y ^ z == 0
  - id: nowhere
    number: Conjecture 1
    status: conjecture
    words: There is no table for this.
    ruleset: step-bar(k=k, s=s)
    statement: G == y ^ z
  - id: by-zero
    number: Conjecture 2
    status: conjecture
    words: This has no value where z = 3.
    ruleset: solid-bar(f=(x+z)//k)
    when: k == 7
    statement: P <=> x // (z-3) == y
  - id: statement
    number: Lemma 2
    status: lemma
    words: A sum is never less than the nim-sum.
    statement: 'for x in 0..N, y in 0..N: x ^ y <= x+y'
    bound: 9
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
    mine: [value-sets, formulas]
    prove: [p]
"""


def write_proofs(plan):
    """Write what proofs might give: what they do give is tested beside them."""
    document = {"order": plan["jobs"]["prove"]["triangles"]["order"], "proofs": [], "verdicts": []}
    for order in plan["prove"]:
        k = order["parameters"]["k"]
        proof = {name: order[name] for name in ("ruleset", "relation", "sweep", "parameters")}
        proof["why"] = "said here"
        proof |= {"status": "undecided" if k == 11 else "proved", "seconds": 1.0}
        proof |= {"certificate": None if k == 11 else "c.json", "engines": ["own"]}
        document["proofs"].append(proof)
        for one in order["claims"]:
            verdict = Proved("c.json") if one["claim"] == "shifted" else Undecided("not linear")
            if k != 11:
                more = {"table": None, "evidence": {}, "certificate": "c.json", "seconds": 0.1}
                document["verdicts"].append({**one, **verdict_document(verdict), **more})
    write_record(Path("results/t/prove/triangles.json"), document)


def test_a_ledger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("claims.yaml").write_text(CLAIMS)
    Path("c.yaml").write_text(CONFIG)
    plan = current_plan(Path("c.yaml"))
    paths = Paths(Path("results"), "t")
    for stage in ("build", "check", "mine"):
        for sweep in plan["jobs"][stage]:
            if sweep != WITHOUT_TABLES:
                run_job(paths.plan, Stage(stage), sweep)
    # What is found of statements is tested beside them: here, only that it is gathered.
    checked = {
        "claim": "statement",
        "table": None,
        "parameters": {},
        "evidence": {},
        "seconds": 0.1,
    }
    found = {**checked, **verdict_document(HoldsToBound(100, 9))}
    proved = {**checked, **verdict_document(Proved("by this", "integer")), "certificate": None}
    for stage, verdict in (("check", found), ("prove", proved)):
        order = plan["jobs"][stage][WITHOUT_TABLES]["order"]
        file = paths.outcome(Stage(stage), WITHOUT_TABLES)
        write_record(file, {"order": order, "verdicts": [verdict]})
    write_proofs(plan)
    write_ledger(str(paths.plan), "results/t/ledger.json", ignore)
    ledger = read_record(Path("results/t/ledger.json"))

    (doubling,) = [v for v in ledger["verdicts"] if v["claim"] == "doubling"]
    assert doubling["table"] is None, "what one table says of it is no verdict"
    assert (doubling["verdict"], doubling["bound"]) == ("holds-to-bound", 8)
    said = [v for v in ledger["verdicts"] if v["claim"] == "nim-sum"]
    by_k = {v["parameters"]["k"]: v for v in said if v["table"] is not None}
    assert [v["verdict"] for v in said if v["table"] is None] == ["undecided"] * 3
    assert {k: v["verdict"] for k, v in by_k.items()} == {
        2: "refuted",
        3: "holds-to-bound",
        7: "holds-to-bound",
        11: "holds-to-bound",
    }
    assert by_k[2]["counterexample"]["position"] == [1, 1, 2], "P, though its nim-sum is 2"
    rows = {row["claim"]: row for row in ledger["rows"]}
    assert {claim: row["verdict"] for claim, row in rows.items()} == {
        "doubling": "holds-to-bound",
        "nim-sum": "refuted",
        "shifted": "holds-to-bound",
        "nowhere": "unchecked",
        "by-zero": "undecided",
        "statement": "proved",
    }
    assert rows["nim-sum"]["decided"]["parameters"] == {"k": 2}
    assert rows["nim-sum"]["decided"]["table"] in {table["id"] for table in ledger["tables"]}
    assert rows["statement"]["positions"] == 100
    assert rows["nim-sum"]["checks"] == 4, "what a proof leaves open says nothing against tables"
    assert [(p["parameters"]["k"], p["status"]) for p in ledger["proofs"]] == [
        (2, "proved"),
        (3, "proved"),
        (7, "proved"),
        (11, "undecided"),
    ]
    assert ledger["seconds"]["proofs"] == 4
    (pair,) = ledger["pairs"]
    assert (pair["kind"], pair["right"]) == ("misprint", "intended")
    assert pair["decided"] == rows["nim-sum"]["decided"]

    place = "claims.yaml:35:5: statement"
    silent, by_proof = [v for v in ledger["verdicts"] if v["claim"] == "by-zero"]
    assert by_proof["why"] == "not linear"
    assert silent["why"].startswith(place)
    assert len(ledger["tables"]) == len(plan["tables"]) == 12
    assert all(len(table["digest"]) == 64 and table["positions"] > 0 for table in ledger["tables"])
    assert {f["kind"] for f in ledger["findings"]} == {"value-sets", "formulas"}
    places = [table["id"] for table in plan["tables"]]
    found_in = [places.index(finding["table"]) for finding in ledger["findings"]]
    assert found_in == sorted(found_in)
    assert len(set(found_in)) == 4
