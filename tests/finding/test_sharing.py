"""Found statements by steps that workers share: the same document whoever did which step, and in how many."""

from contextlib import contextmanager
from pathlib import Path

import pytest

from choco_pipeline.cluster.clusters import local_cluster
from choco_pipeline.cluster.connect import SCHEDULER, Runner
from choco_pipeline.documents.record import read_record
from choco_pipeline.finding import sharing, steps, tables
from choco_pipeline.finding.sharing import find_statements
from choco_pipeline.finding.statement import FoundDocument
from choco_pipeline.finding.steps import answer, ask, conclude, propose
from choco_pipeline.proof.limits import Limited
from choco_pipeline.stages import KILLED, Stage
from tests.finding.made_statements import silent
from tests.jobs import planned_run

pytestmark = pytest.mark.full
CONFIG = """
run: shared
claims: []
sweeps:
  step-bars:
    {ruleset: "step-bar(k=k, s=s)", parameters: {k: 1..4, s: 0..k-1}, bound: 20, quantity: grundy, mine: [formulas]}
  solid-bars:
    ruleset: solid-bar(f=(x+z)//k)
    parameters: {k: 1..11}
    bound: 24
    quantity: p-positions
    mine: [value-sets, formulas]
"""
PLAN = "results/shared/plan.json"
RUN = (PLAN, 0)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a folder with a run that has only its statements to find."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "config.yaml").write_text(CONFIG)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        planned_run(Path("config.yaml"), Stage.BUILD, Stage.MINE)
    return folder


@pytest.fixture(autouse=True)
def here(run, monkeypatch):
    monkeypatch.chdir(run)


@pytest.fixture(scope="module")
def alone(run):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(run)
        counts = find_statements(PLAN, "alone.json")
        found = read_record(Path("alone.json"))
        assert counts == {key: len(found[key]) for key in ("statements", "searches")}
        assert counts["statements"] > 5
        assert {one["conclusion"]["verdict"] for one in found["statements"]} - {"refuted"}
        return Path("alone.json").read_bytes()


@pytest.mark.parametrize("workers", [2, 5])
def test_what_is_found_does_not_depend_on_the_number_of_steps(alone, monkeypatch, workers):
    monkeypatch.setattr(Runner, "workers", workers)
    find_statements(PLAN, "found.json")
    assert Path("found.json").read_bytes() == alone


def test_what_nobody_has_tried_is_tried_at_the_end(alone):
    proposed = [propose(RUN, part, 2, silent) for part in range(2)]
    asked = ask(RUN, 2, *proposed, silent)
    answers = answer(RUN, 0, 2, asked, silent)
    assert 0 < sum(kind == "trial" for kind, _ in answers) < len(asked)
    conclude(RUN, "found.json", 2, *proposed, answers, silent)
    assert Path("found.json").read_bytes() == alone


def test_what_somebody_has_killed_is_no_answer(alone, monkeypatch):
    """Neither of a step, whose work the last one does again, nor of the last one, which says so to the next run."""
    proposed = propose(RUN, 0, 1, silent)
    asked = ask(RUN, 1, proposed, silent)

    @contextmanager
    def killed(prepare):
        with Limited(prepare) as child:
            child.was_killed = True
            yield child

    with monkeypatch.context() as patch:
        patch.setattr(steps, "limited", killed)
        assert answer(RUN, 0, len(asked) // 2, asked, silent) == {}
        conclude(RUN, "killed.json", 1, proposed, silent)
    found = read_record(Path("killed.json"))
    assert found.pop(KILLED)
    assert found == read_record(Path("alone.json"))
    assert FoundDocument.read(Path("killed.json")).killed
    assert not FoundDocument.read(Path("alone.json")).killed


def test_workers_share_the_steps_and_find_the_same(alone, monkeypatch):
    monkeypatch.setattr(sharing, "STEPS_OF_A_KIND", 4)
    with local_cluster(2, 1 << 30, Path("dask") / "workers") as cluster:
        monkeypatch.setenv(SCHEDULER, cluster.address)
        find_statements(PLAN, "found.json")
        done = cluster.client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert min(done.values()) > 2, done
    assert Path("found.json").read_bytes() == alone


def test_statements_are_tried_on_the_whole_of_tables_of_which_a_corner_is_searched(monkeypatch):
    tables._is_cut.cache_clear()
    monkeypatch.setattr(tables, "MOST_LOOKED_AT", 20 * 20)
    find_statements(PLAN, "cut.json")
    tables._is_cut.cache_clear()
    found = read_record(Path("cut.json"))["statements"]
    (one,) = (
        s for s in found if s["when"] == "k%4 == 3" and s["statement"] == "P <=> x ^ y ^ z == 0"
    )
    assert one["conclusion"]["text"].endswith("of 3 tables of the run, as a whole, to bound 24")
