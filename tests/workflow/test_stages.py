"""One word for each stage and each kind of its work: rules, commands, folders, keys of a plan, and progress say the same."""

import re
from pathlib import Path

import pytest

from choco_pipeline.cli.main import app
from choco_pipeline.cluster.connect import resolve
from choco_pipeline.stages import UNITS, WORK, Stage, rules_of, work_of
from tests.workflow.project import Project

JOB = re.compile(
    r"Shell command: python -m choco_pipeline (?P<command>\w+) (?P<source>\S+).* --out (?P<out>\S+).* > (?P<log>\S+)"
)


def test_every_kind_of_work_has_the_word_of_its_stage_and_a_task() -> None:
    assert [work.stage for work in WORK.values()] == sorted(
        (work.stage for work in WORK.values()), key=list(Stage).index
    )
    for work in WORK.values():
        assert work.name.split("_")[0] == work.stage
        assert callable(resolve(f"choco_pipeline.{work.task}"))
    assert UNITS.keys() == set(Stage) - {Stage.PLAN}
    assert all(rules_of(stage) for stage in UNITS)


def test_a_command_has_the_word_of_a_stage_or_carries_out_orders_of_all() -> None:
    commands = {one.name or one.callback.__name__ for one in app.registered_commands}
    jobs = {
        one.callback.__name__
        for group in app.registered_groups
        for one in group.typer_instance.registered_commands
        if one.callback.__module__.endswith(".jobs")
    }
    by_order = {stage.value for stage in Stage if work_of(stage)}
    assert jobs == {"work", "ledger"} | set(Stage) - by_order - {"plan"}
    assert not jobs & commands
    # What people ask of one game, or of a plan, has the word of the stage that does so in a run.
    assert {"plan", "mine", "prove"} <= commands


@pytest.mark.full
def test_rules_commands_folders_and_logs_have_the_words_of_the_table(project: Project) -> None:
    config = project.folder / "proof.yaml"
    text = config.read_text().replace(
        "    prove: [p]\n", "    prove: [p]\n    mine: [value-sets]\n"
    )
    config.write_text(text + "height_functions: {side: 1, height: 1}\n")
    settings = ("--config", "choco=proof.yaml")
    listed = project.snakemake("--list-rules", *settings).stdout.split()
    rules = {rule for stage in Stage for rule in rules_of(stage)}
    assert {*listed} - {"all", "default"} == rules

    shown = project.snakemake("--cores", "1", "--dry-run", "--printshellcmds", *settings)
    jobs = [one for one in (shown.stdout + shown.stderr).split("rule ") if JOB.search(one)]
    assert {job.split(":")[0] for job in jobs} == rules
    for job in jobs:
        rule, ran = job.split(":")[0], JOB.search(job)
        assert ran is not None
        source, out, log = (Path(ran[name]) for name in ("source", "out", "log"))
        if rule in WORK:
            assert ran["command"] == "work"
            assert source == Path("results/proof/orders", rule, source.name)
            assert out == Path("results/proof", rule, source.name)
            assert log == Path("results/proof/log", rule, f"{source.stem}.log")
            assert project.json(source.relative_to("results").as_posix())["work"] == rule
            assert rule in project.json("proof/plan.json")
        else:
            assert ran["command"] == rule.removeprefix("first_")
