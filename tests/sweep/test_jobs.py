"""Jobs: finished parts are kept, and results of another plan are refused."""

from pathlib import Path

import pytest

from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import StoreError
from choco_pipeline.proof import task as proof_task
from choco_pipeline.stages import Stage
from choco_pipeline.sweep import jobs
from choco_pipeline.sweep.jobs import run_job
from choco_pipeline.sweep.run_files import Paths, is_done, outcomes
from choco_pipeline.sweep.run_plan import current_plan
from tests.jobs import planned_run
from tests.sweep.planned import CONFIG, orders

PROVED = CONFIG.replace("    mine: [value-sets]\n", "    prove: [p]\n").replace(
    "[2, 3, 4]", "[2, 3]"
)


@pytest.fixture
def done(monkeypatch):
    """Return the tasks that were called, by their names."""
    called = []
    original = jobs.resolve

    def noting(target):
        called.append(target.partition(":")[2])
        return original(target)

    monkeypatch.setattr(jobs, "resolve", noting)
    return called


def parts():
    return sorted(Path("results/t/parts").iterdir())


def test_a_finished_part_is_not_done_again(config, done):
    plan, paths = planned_run(config, Stage.BUILD, Stage.CHECK)
    assert not is_done(plan, paths, Stage.MINE, "a")
    assert run_job(paths.plan, Stage.MINE, "a") == {"searches": 3}
    assert is_done(plan, paths, Stage.MINE, "a")
    first = read_record(paths.outcome(Stage.MINE, "a"))
    assert first["order"] == plan["jobs"]["mine"]["a"]["order"]
    assert len(first["findings"]) >= 3
    assert done == ["check_shard", "mine_shard"]
    paths.outcome(Stage.MINE, "a").unlink()
    run_job(paths.plan, Stage.MINE, "a")
    assert read_record(paths.outcome(Stage.MINE, "a")) == first
    assert done == ["check_shard", "mine_shard"]
    for part in parts():
        part.write_text(part.read_text().replace("table", "tabel", 1))
    run_job(paths.plan, Stage.MINE, "a")
    assert done == ["check_shard", "mine_shard", "mine_shard"], "a damaged part is done again"


def test_a_part_is_done_again_if_a_certificate_is_not_as_it_was(config, done):
    config.write_text(PROVED)
    plan, paths = planned_run(config, Stage.PROVE)
    (outcome,) = outcomes(plan, paths, Stage.PROVE)
    certificates = [Path(proof["certificate"]) for proof in outcome["proofs"]]
    assert len(certificates) == 2
    done.clear()
    run_job(paths.plan, Stage.PROVE, "a")
    assert done == []
    certificates[0].write_text(certificates[0].read_text() + " ")
    run_job(paths.plan, Stage.PROVE, "a")
    assert done == ["prove_order"]
    certificates[1].unlink()
    run_job(paths.plan, Stage.PROVE, "a")
    assert done == ["prove_order"] * 2
    assert certificates[1].is_file()


def test_a_killed_part_marks_the_whole_result_and_is_done_again(config, monkeypatch):
    """The other parts are kept."""
    config.write_text(PROVED.replace("[2, 3]", "[200, 201, 202]"))
    paths = Paths(Path("results"), current_plan(config)["run"])
    number, called = len(orders("prove")), []
    assert number > 1

    def first_killed(order, report):
        called.append(order)
        return {"proofs": [], "verdicts": [], "killed": len(called) == 1}

    monkeypatch.setattr(proof_task, "prove_order", first_killed)
    for killed, done in ((True, number), (False, number + 1)):
        run_job(paths.plan, Stage.PROVE, "a")
        assert read_record(paths.outcome(Stage.PROVE, "a"))["killed"] is killed
        assert len(called) == done
        assert len(parts()) == done - 1


def test_results_and_orders_of_another_plan_are_refused(config):
    plan, paths = planned_run(config, Stage.BUILD, Stage.MINE)
    assert len(list(outcomes(plan, paths, Stage.MINE))) == 1
    plan["jobs"]["mine"]["a"]["order"] = "another"
    assert not is_done(plan, paths, Stage.MINE, "a")
    with pytest.raises(StoreError, match=r"mine/a.json: out of date"):
        list(outcomes(plan, paths, Stage.MINE))
    for stage, sweep in ((Stage.MINE, "b"), (Stage.FIND, "a")):
        with pytest.raises(StoreError, match="has no job"):
            run_job(paths.plan, stage, sweep)
    write_record(paths.order(Stage.MINE, "a"), {"parts": []})
    with pytest.raises(StoreError, match=r"orders/mine/a.json: belongs to another plan"):
        run_job(paths.plan, Stage.MINE, "a")


def test_a_build_is_done_if_its_tables_are_there(config):
    plan, paths = planned_run(config, Stage.BUILD)
    assert is_done(plan, paths, Stage.BUILD, "a")
    (shard,) = plan["shards"]
    paths.manifest(shard).unlink()
    assert not is_done(plan, paths, Stage.BUILD, "a")
    assert sum(run_job(paths.plan, Stage.BUILD, "a").values()) == 3
    assert is_done(plan, paths, Stage.BUILD, "a")
