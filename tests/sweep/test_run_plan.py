"""Plans: missing tables, constant ids, and tables that serve several runs."""

import json
import os
from pathlib import Path

import pytest

from choco_pipeline.documents.record import read_record
from choco_pipeline.errors import ConfigError, LimitError
from choco_pipeline.provenance import digest
from choco_pipeline.shipped import SHIPPED
from choco_pipeline.sweep import expand as expand_module
from choco_pipeline.sweep import run_plan as plan_module
from choco_pipeline.sweep.run_files import Paths
from choco_pipeline.sweep.run_plan import STATEMENT_PARTS, WITHOUT_TABLES, current_plan, make_plan
from choco_pipeline.tables.computing import Cost
from choco_pipeline.tables.shard import build_shard
from tests.sweep.planned import CLAIMS, CONFIG, STATEMENT, digests, orders, statements


def build_all(plan):
    paths = Paths(Path("results"), plan["run"])
    for shard in plan["shards"]:
        if not paths.manifest(shard).exists():
            build_shard(str(paths.spec(shard)), str(paths.manifest(shard)), lambda *_, **__: None)


def shard_tables(plan, shard):
    return [table["id"] for table in plan["tables"] if table["shard"] == shard]


def test_a_plan_is_kept_while_nothing_changes(config):
    plan = current_plan(config)
    files = {path: path.stat().st_mtime_ns for path in Path("results").rglob("*") if path.is_file()}
    assert current_plan(config) == plan
    assert {path: path.stat().st_mtime_ns for path in files} == files
    assert make_plan(config, write=True) == plan
    build_all(plan)
    assert make_plan(config, write=True)["shards"] == plan["shards"]


def test_finished_tables_serve_larger_sweeps_and_other_runs(config):
    plan = current_plan(config)
    build_all(plan)
    config.write_text(CONFIG.replace("[2, 3, 4]", "[2, 3, 4, 5]"))
    more = current_plan(config)
    (new,) = set(more["shards"]) - set(plan["shards"])
    assert len(shard_tables(more, new)) == 1
    kept = {table["id"]: table["shard"] for table in plan["tables"]}
    assert {t["id"]: t["shard"] for t in more["tables"] if t["id"] in kept} == kept
    config.write_text(CONFIG.replace("run: t", "run: u").replace("[2, 3, 4]", "[3, 4]"))
    other = current_plan(config)
    assert other["shards"] == plan["shards"]
    assert len(other["tables"]) == 2


def test_changed_code_builds_and_checks_everything_again(config, monkeypatch):
    Path("claims.yaml").write_text(statements(range(2, 22)))
    plan = current_plan(config)
    build_all(plan)
    monkeypatch.setattr(plan_module, "code_digest", lambda folders: "another")
    changed = current_plan(config)
    assert not set(changed["shards"]) & set(plan["shards"])
    assert [t["id"] for t in changed["tables"]] == [t["id"] for t in plan["tables"]]
    assert not digests(plan).items() & digests(changed).items()


def test_a_plan_is_not_older_than_its_configuration(config):
    plan = current_plan(config)
    later = Path("results/t/plan.json").stat().st_mtime_ns + 10**9
    os.utime(config, ns=(later, later))
    assert current_plan(config) == plan
    assert Path("results/t/plan.json").stat().st_mtime_ns >= later - 10**9
    config.touch()
    assert current_plan(config) == plan
    assert Path("results/t/plan.json").stat().st_mtime_ns >= config.stat().st_mtime_ns


def test_a_changed_claim_changes_only_the_job_of_checks(config):
    before = current_plan(config)
    Path("claims.yaml").write_text(CLAIMS.replace("y ^ z", "z ^ y"))
    after = current_plan(config)
    assert after["shards"] == before["shards"]
    changed = digests(before).items() ^ digests(after).items()
    assert {job for job, _ in changed} == {("check", "a")}


def test_jobs_are_those_of_the_first_sweep_that_asks(config):
    """A table is built and checked by its first sweep, and searched by the first with searches."""
    one = "{ruleset: 'step-bar(k=k)', parameters: {k: [4, 5]}, bound: 20, quantity: grundy"
    config.write_text(
        CONFIG.replace("    mine: [value-sets]\n", "")
        + f"  b: {one}}}\n  c: {one}, mine: [formulas]}}\n  d: {one}, mine: [counts], prove: [p]}}\n"
    )
    plan = current_plan(config)
    found = {
        stage: {sweep: (job["amount"], job["needs"]) for sweep, job in jobs.items()}
        for stage, jobs in plan["jobs"].items()
    }
    assert found == {
        "build": {"a": (3, []), "b": (1, [])},
        "check": {"a": (2, ["a"])},
        "mine": {"c": (2, ["a", "b"])},
        "prove": {"d": (2, [])},
    }
    assert sorted(plan["shards"].values()) == ["a", "b"]
    assert {search["table"] for order in orders("mine", "c") for search in order["searches"]} == {
        table["id"] for table in plan["tables"] if table["parameters"]["k"] in (4, 5)
    }


def test_questions_on_height_functions_are_orders_of_their_own(config):
    current_plan(config)
    assert orders("mine", WITHOUT_TABLES) == []
    for box, (side, height) in {"{side: 2, height: 1}": (2, 1), "{}": (3, 2)}.items():
        config.write_text(CONFIG + f"height_functions: {box}\n")
        asked = [
            {"asked": one, "side": side, "height": height}
            for one in ("grundy", "p-positions", "counts")
        ]
        current_plan(config)
        assert [order | {"code": ""} for order in orders("mine", WITHOUT_TABLES)] == [
            one | {"code": ""} for one in asked
        ]
    for box in ("{side: 2, height: 3}", "{side: 4, height: 3}", "{side: 3, hight: 1}", "{side: 9}"):
        config.write_text(CONFIG + f"height_functions: {box}\n")
        with pytest.raises(ConfigError, match=r"c.yaml:\d+:\d+: .*"):
            current_plan(config)


def test_orders_name_what_fits(config):
    plan = current_plan(config)
    rulesets = {table["id"]: table["ruleset"] for table in plan["tables"]}
    (order,) = orders("check")
    assert [(c["claim"], rulesets[c["table"]], c["parameters"]) for c in order["checks"]] == [
        ("mine-1", "step-bar(k=2, s=0)", {"k": 2}),
        ("mine-1", "step-bar(k=4, s=0)", {"k": 4}),
    ]
    (order,) = orders("mine")
    assert [(rulesets[m["table"]], m["what"]) for m in order["searches"]] == [
        (f"step-bar(k={k}, s=0)", ["value-sets"]) for k in (2, 3, 4)
    ]
    assert [(table["checks"], table["is_searched"]) for table in plan["tables"]] == [
        (1, True),
        (0, True),
        (1, True),
    ]
    config.write_text(CONFIG.replace("    mine: [value-sets]\n", "    claims: none\n"))
    assert not any(t["checks"] or t["is_searched"] for t in current_plan(config)["tables"])
    assert not list(Path("results/t/orders").glob("*/*")), "no order is left of another plan"


def test_statements_without_tables_are_shared_out(config):
    def parts():
        return {digest(order): list(order["claims"]) for order in orders("check", WITHOUT_TABLES)}

    current_plan(config)
    assert parts() == {}
    text = statements(range(2, 22))
    Path("claims.yaml").write_text(text)
    plan, before = current_plan(config), parts()
    expected = sorted(f"mine-{i}" for i in range(2, 22))
    assert plan["jobs"]["check"][WITHOUT_TABLES]["amount"] == 20
    assert sorted(claim for part in before.values() for claim in part) == expected
    assert 2 <= len(before) <= STATEMENT_PARTS
    assert max(map(len, before.values())) <= 10
    # In other words, with another bound, and one more of them.
    text = text.replace("A sum is", "Sums are")
    Path("claims.yaml").write_text(text)
    assert digests(current_plan(config)) == digests(plan)
    other = STATEMENT.format(i=7, bound=9).replace("A sum is", "Sums are")
    assert other in text
    Path("claims.yaml").write_text(text.replace(other, STATEMENT.format(i=7, bound=10)))
    changed = current_plan(config)
    assert {job for job, _ in digests(plan).items() ^ digests(changed).items()} == {
        ("check", WITHOUT_TABLES)
    }
    assert len(before.keys() - parts().keys()) == 1
    Path("claims.yaml").write_text(text + STATEMENT.format(i=99, bound=9))
    current_plan(config)
    assert len(before.keys() - parts().keys()) <= 1, "one more statement moves no other part"
    Path("claims.yaml").write_text(CLAIMS)
    current_plan(config)
    assert parts() == {}, "orders of another plan are removed"


def test_shards_are_cut_by_number_and_by_work(config, monkeypatch):
    config.write_text(CONFIG.replace("[2, 3, 4]", "1..250"))
    plan = current_plan(config)
    assert [len(shard_tables(plan, shard)) for shard in plan["shards"]] == [100, 100, 50]
    config.write_text(CONFIG.replace("[2, 3, 4]", "1..1300").replace("run: t", "run: v"))
    plan = current_plan(config)
    assert len(plan["shards"]) == 6, "shared out among workers"
    monkeypatch.setattr(expand_module, "cost_of", lambda *_: Cost(1, 1, 1, 1, 1, 3.0, large=False))
    config.write_text(CONFIG.replace("[2, 3, 4]", "1..6").replace("run: t", "run: u"))
    plan = current_plan(config)
    assert [len(shard_tables(plan, shard)) for shard in plan["shards"]] == [1] * 6


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("    mine", "    prove: [q]\n    mine", "c.yaml:9:13: sweeps.a.prove.0: "),
        ("    mine", "    prove_seconds: 0\n    mine", "c.yaml:9:5: sweeps.a.prove_seconds: "),
        ("    mine", "    prove_memory: 2.5\n    mine", "c.yaml:9:5: sweeps.a.prove_memory: "),
        ("[claims.yaml]", "[../claims.yaml]", "c.yaml:2:10: claims.0: .*leads out of"),
        ("[claims.yaml]", "[none.yaml]", "c.yaml:2:10: claims.0: .*none.yaml"),
        ("    bound", "    claims: [mine-2]\n    bound", "c.yaml:7:5: sweeps.a.claims: .*mine-2"),
    ],
)
def test_refused(config, old, new, place):
    config.write_text(CONFIG.replace(old, new))
    with pytest.raises(ConfigError, match=place):
        current_plan(config)
    assert not Path("results").exists()


def test_a_mistake_in_the_background_theorems_is_found_before_anything_runs(config):
    claims = Path("config/claims")
    claims.mkdir(parents=True)
    text = (SHIPPED / claims / "background.yaml").read_text()
    assert "game(wythoff)" in text
    (claims / "background.yaml").write_text(text.replace("game(wythoff)", "game(nobody)"))
    with pytest.raises(ConfigError, match=r"background.*there is no file config/games/nobody"):
        make_plan(config, write=False)


def test_a_game_of_the_package_is_there_until_the_project_describes_its_own(config):
    config.write_text(
        "run: t\nsweeps:\n  one: {ruleset: game(kayles), bound: 20, quantity: grundy}\n"
    )
    plan = current_plan(config)
    assert current_plan(config) == plan
    own = Path("config/games/kayles.yaml")
    own.parent.mkdir(parents=True)
    own.write_text("game: kayles\ncoordinates: [a]\nmoves: [{lower: [a], by: [1, 2]}]\n")
    changed = current_plan(config)
    assert changed["made_from"] != plan["made_from"]
    assert [t["id"] for t in changed["tables"]] != [t["id"] for t in plan["tables"]]


def test_what_cannot_fit_is_refused_by_the_number_that_is_too_large(config):
    config.write_text(CONFIG.replace("bound: 20", "bound: 1000000000"))
    with pytest.raises(
        LimitError, match=r"bound 1000000000 is too large: its table needs .* of memory"
    ):
        current_plan(config)


def test_a_damaged_plan_or_manifest_is_made_again(config):
    plan = current_plan(config)
    Path("results/t/plan.json").write_text("{")
    assert current_plan(config) == plan
    build_all(plan)
    (manifest,) = Path("results/tables").glob("*.done.json")
    manifest.write_text(json.dumps({"kernels": 1}))
    assert make_plan(config, write=False)["shards"] == plan["shards"]


def test_a_large_table_is_a_shard_of_its_own(config):
    config.write_text(CONFIG.replace("bound: 20", "bound: [20, 30000]"))
    plan = current_plan(config)
    large = [table for table in plan["tables"] if table["large"]]
    assert large
    assert all(table["bound"] == 30000 for table in large)
    shards = {shard: read_record(Path(f"results/shards/{shard}.json")) for shard in plan["shards"]}
    for shard, document in shards.items():
        own = [table["id"] for table in plan["tables"] if table["shard"] == shard]
        assert document["large"] == (shard in {table["shard"] for table in large})
        assert len(own) == 1 or not document["large"]
