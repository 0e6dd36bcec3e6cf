"""Large tables of the run as a whole: what was checked on all their cells is not checked again, and nothing else is taken for it."""

from dataclasses import replace
from pathlib import Path

import pytest

from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.documents.record import read_record
from choco_pipeline.finding import tables
from choco_pipeline.finding.scope import WholeTable, content_key
from choco_pipeline.finding.tables import whole_tables
from choco_pipeline.games import parse_ruleset
from choco_pipeline.stages import Stage
from choco_pipeline.tables.cells import Cells
from tests.finding.made_statements import TRIANGLE, triangles
from tests.jobs import planned_run

NIM, VALUES = "P <=> x^y^z == 0", "{x^y^z: P} == {v: v >= 0}"
RUN = """
run: whole
claims: [claims.yaml]
sweeps:
  bars: {ruleset: solid-bar(f=(x+z)//k), parameters: {k: [3, 5]}, bound: 24, quantity: p-positions}
"""
CLAIMS = """
paper: {key: own, title: Own claims, authors: [A. Author], year: 2026, reference: none}
claims:
  - id: own-nim
    number: "1"
    where: here
    status: theorem
    words: The P-positions are those of Nim.
    ruleset: solid-bar(f=(x+z)//n)
    statement: P <=> x^y^z == 0
    sample: {parameters: {n: 3}, bound: 12}
"""


def claim(statement, ruleset=TRIANGLE, **more):
    return Claim.from_json({"id": "a", "ruleset": ruleset, "statement": statement, **more})


def test_claims_that_say_the_same_of_a_game_are_known_by_that():
    said = content_key(claim(NIM), {"k": 3})
    assert said is not None
    assert said == content_key(claim("P <=> x ^ y ^ z == 0", *triangles(3)), {})
    assert said == content_key(claim(NIM, when="k%4 == 3"), {"k": 3})
    on = claim("P <=> x^y^z == k-3")
    assert content_key(on, {"k": 3}) != content_key(on, {"k": 4})


@pytest.mark.parametrize(
    "statement",
    [
        "P <=> x^y^(z+1) == 0",
        "P => x^y^z == 0",
        f"z > 0 => ({NIM})",
        f"size <= 9 => ({NIM})",
        "{x^y^z: P} == {v: v == 0}",
        "{x^y^z: P} <= {v: v >= 0}",
        "G == x^y^z",
    ],
)
def test_claims_that_say_nearly_the_same_are_others(statement):
    said = content_key(claim(statement), {"k": 3})
    assert said not in (content_key(claim(one), {"k": 3}) for one in (NIM, VALUES))
    assert said is not None


def test_what_holds_is_looked_for_once_and_what_fails_each_time():
    one, other = (
        Cells.computed(parse_ruleset(game), 24, "p-positions") for game in triangles(3, 5)
    )
    whole = WholeTable(one)
    found = whole.find(claim(NIM), {"k": 3})
    wrong = claim("P <=> x^y^z == 1")
    assert whole.find(wrong, {"k": 3}).verdict.kind == "refuted"
    damaged = replace(whole, cells=other)
    assert damaged.find(claim(NIM, when="k > 2"), {"k": 3}) == found
    assert list(damaged.holding.values()) == [found]


def test_what_the_run_has_checked_on_a_table_is_known_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config.yaml").write_text(RUN)
    Path("claims.yaml").write_text(CLAIMS)
    plan, paths = planned_run(Path("config.yaml"), Stage.BUILD, Stage.CHECK)
    tables._is_cut.cache_clear()
    monkeypatch.setattr(tables, "MOST_LOOKED_AT", 20 * 20)
    claims = load_catalogue([Path("claims.yaml")]).claims
    whole_of = whole_tables(plan, paths, claims)
    kept = {
        k: whole_of(game, "p-positions") for k, game in zip((3, 5), triangles(3, 5), strict=True)
    }
    tables._is_cut.cache_clear()
    (verdict,) = read_record(paths.outcome(Stage.CHECK, plan["tables"][0]["sweeps"][0]))[
        "verdicts"
    ][:1]
    assert verdict["verdict"] == "holds-to-bound"
    known = {k: dict(whole.holding) for k, whole in kept.items()}
    assert known[5] == {}  # refuted there
    ((said, finding),) = known[3].items()
    assert said == content_key(claim(NIM), {"k": 3})
    assert finding == WholeTable(kept[3].cells).find(claim(NIM), {"k": 3})
