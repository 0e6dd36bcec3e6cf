"""The checker decides every certificate that the default run writes, of games, of claims and of statements on integers."""

import json
from pathlib import Path

import pytest

from choco_pipeline.proof import task
from choco_pipeline.proof.task import decide_order, prove_order
from choco_pipeline.stages import PROVE, PROVE_STATEMENTS
from choco_pipeline.sweep.paths import Paths, orders_of
from choco_pipeline.sweep.run_plan import make_plan


def nothing(*_: object, **__: object) -> None:
    pass


@pytest.mark.slow
def test_the_checker_agrees_on_all_that_the_default_run_proves(tmp_path, monkeypatch):
    monkeypatch.setattr(task, "CHECKER_SECONDS", 120.0)
    results = tmp_path / "results"
    plan = make_plan(Path("config/config.yaml"), results, write=True)
    paths = Paths(results, plan["run"])
    said = []
    for work, decide in ((PROVE, prove_order), (PROVE_STATEMENTS, decide_order)):
        for name in sorted(orders_of(plan, work)):
            out = tmp_path / f"{name}.json"
            decide(str(paths.order(work, name)), str(out), nothing)
            document = json.loads(out.read_text(encoding="utf-8"))
            said += [one for one in document.get("proofs", []) if one["status"] == "proved"]
            proved = (v for v in document["verdicts"] if v["verdict"] == "proved")
            said += [verdict["evidence"] for verdict in proved]
    assert len(said) > 1000
    silent = [one["no_answer"]["checker"] for one in said if "checker" not in one["engines"]]
    assert silent == []
