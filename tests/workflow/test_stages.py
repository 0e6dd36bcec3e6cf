"""One word for each stage, in rules, jobs, folders, plans and progress."""

import pytest

from choco_pipeline.cluster.connect import resolve
from choco_pipeline.stages import RULES, UNITS, WORK, Stage


def test_every_kind_of_work_has_the_word_of_its_stage_and_a_task():
    assert [work.stage for work in WORK.values()] == sorted(
        (work.stage for work in WORK.values()), key=list(Stage).index
    )
    for work in WORK.values():
        assert work.name.split("_")[0] == work.stage
        assert callable(resolve(f"choco_pipeline.{work.task}"))
    assert UNITS.keys() == set(Stage) - {Stage.PLAN}
    assert set(RULES) == {*Stage, "first_report", "ledger", "pages"}


@pytest.mark.full
def test_proofs_come_after_tables_and_take_two_cores_without_a_cluster(project):
    settings = ("--config", "choco=proof.yaml")
    listed = project.snakemake("--list-rules", *settings).stdout.split()
    assert {*listed} - {"all", "default"} == set(RULES)
    project.choco("write-plan", "proof.yaml")
    shown = project.snakemake("--cores", "4", "--dry-run", "--printshellcmds", *settings)
    jobs = [one for one in (shown.stdout + shown.stderr).split("rule ") if "Shell command" in one]
    by_proof = [job for job in jobs if job.startswith("prove:")]
    assert len(by_proof) == 2
    for words in ("priority: -2", "threads: 2", "mem_mb=4796"):
        assert all(words in job for job in by_proof)
    assert not any("priority: -" in job for job in jobs if job not in by_proof)
