"""Evidence as lines of a page: derivations with links to premises, tables with heads in words, no data as it is stored."""

from __future__ import annotations

from choco_pipeline.report.claims import EvidenceTable, evidence_rows

STEP = {
    "says": "A ⇒ B",
    "for": "p = 1",
    "engines": ["own", "checker"],
    "states": 66,
    "certificate": None,
}
FIRST = {"premises": [{"claim": "a-1", "for_all": "all k with k > 0", "follows_from": None}]}
DERIVATION = {
    "premises": [{"claim": "b-2", "for_all": "all k with k > 1", "follows_from": FIRST}],
    "lemmas": ["a free heap"],
    "hypotheses": [],
    "known": "x ⊕ y = 0",
    "steps": [STEP],
}


def test_a_derivation_names_its_premises_and_theirs():
    rows = dict(evidence_rows({"follows_from": DERIVATION}))
    assert rows["follows from"] == [
        '<a href="b-2.html">b-2</a>, proved for all k with k &gt; 1',
        '<a href="a-1.html">a-1</a>, proved for all k with k &gt; 0',
    ]
    assert rows["by"] == "a free heap"
    assert "where" not in rows
    steps = rows["from which it follows"]
    assert isinstance(steps, EvidenceTable)
    assert steps.rows == [["A ⇒ B (p = 1)", "ours and the checker", 66]]


def test_every_member_is_a_sentence():
    every = {
        "parameters": ["k"],
        "condition": "k%4 == 1",
        "where": "x <= k+1 and z <= k+1",
        "positions": ["x = 4m"],
        "engines": ["z3", "cvc5"],
    }
    assert list(evidence_rows({"every_member": every})) == [
        ("false for", "all k with k ≡ 1 (mod 4), on positions with x, z ≤ k+1"),
        ("it contradicts itself at", ["x = 4m"]),
        ("engines that agree on that", "z3 and cvc5"),
    ]
