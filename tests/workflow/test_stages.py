"""One word for each stage, in rules, jobs, folders, plans and progress."""

import re

import pytest

from choco_pipeline.cluster.connect import resolve
from choco_pipeline.stages import BY_SWEEP, RULES, UNITS, WORK, Stage
from tests.workflow.project import Project

JOB = re.compile(
    r"Shell command: python -m choco_pipeline (?P<command>[\w -]+?) (?P<source>\S+\.\w+)(?P<rest>.*) > (?P<log>\S+)"
)


def test_every_kind_of_work_has_the_word_of_its_stage_and_a_task() -> None:
    assert [work.stage for work in WORK.values()] == sorted(
        (work.stage for work in WORK.values()), key=list(Stage).index
    )
    for work in WORK.values():
        assert work.name.split("_")[0] == work.stage
        assert callable(resolve(f"choco_pipeline.{work.task}"))
    assert UNITS.keys() == set(Stage) - {Stage.PLAN}
    assert set(RULES) == {*Stage, "first_report", "ledger", "pages"}


@pytest.mark.full
def test_rules_commands_folders_and_logs_have_the_words_of_the_table(project: Project) -> None:
    config = project.folder / "proof.yaml"
    text = config.read_text().replace(
        "    prove: [p]\n", "    prove: [p]\n    mine: [value-sets]\n"
    )
    config.write_text(text + "height_functions: {side: 1, height: 1}\n")
    settings = ("--config", "choco=proof.yaml")
    listed = project.snakemake("--list-rules", *settings).stdout.split()
    assert {*listed} - {"all", "default"} == set(RULES)

    project.choco("write-plan", "proof.yaml")
    shown = project.snakemake("--cores", "4", "--dry-run", "--printshellcmds", *settings)
    jobs = [one for one in (shown.stdout + shown.stderr).split("rule ") if JOB.search(one)]
    # Proofs come after tables, and take two cores each without a cluster.
    by_proof = [job for job in jobs if job.startswith("prove:")]
    assert len(by_proof) == 2
    for words in ("priority: -2", "threads: 2", "mem_mb=4796"):
        assert all(words in job for job in by_proof)
    others = (job for job in jobs if job not in by_proof and not job.startswith("mine"))
    assert not any("priority: -" in job for job in others)
    plan = project.json("proof/plan.json")
    asked = []
    for job in jobs:
        rule, ran = job.split(":")[0], JOB.search(job)
        assert ran is not None
        if rule in BY_SWEEP:
            assert (ran["command"], ran["source"]) == (f"job {rule}", "results/proof/plan.json")
            sweep = ran["rest"].split()[0]
            assert ran["log"] == f"results/proof/log/{rule}/{sweep}.log"
            assert f"output: results/proof/{rule}/{sweep}.json" in job
            asked.append((rule, sweep))
        else:
            written_by_report = ("first_report", "pages")
            assert ran["command"] == ("report" if rule in written_by_report else rule)
    assert sorted(asked) == sorted(
        (stage, sweep) for stage, sweeps in plan["jobs"].items() for sweep in sweeps
    )
