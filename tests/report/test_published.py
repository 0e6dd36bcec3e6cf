"""Comparison of a run with published results."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from choco_pipeline.claims.language.verdict import Counterexample
from choco_pipeline.finding.statement import FoundDocument
from choco_pipeline.report.published import Published, compare_run
from choco_pipeline.sweep.ledger import ledger_of
from choco_pipeline.sweep.run_files import Paths, read_plan
from tests.cli.command import choco
from tests.workflow.conftest import tiny  # noqa: F401 -- a fixture

RESULTS = Published(
    inputs="a",
    tables={"nim(2), grundy to 3": "1"},
    claims={"one": "2", "two": "3"},
    proofs={"nim(2), p": "4"},
    found={"nim(2): P <=> a ^ b == 0": "5"},
)


@pytest.mark.parametrize(
    ("kind", "changed", "expected"),
    [
        ("tables", {"nim(2), grundy to 3": "9"}, ["tables: nim(2), grundy to 3 differs"]),
        ("claims", {"one": "2"}, ["claims: two is missing"]),
        ("proofs", {"nim(2), p": "4", "nim(3), p": "6"}, ["proofs: nim(3), p is new"]),
        (
            "found",
            {"nim(2): P <=> a == b": "5"},
            ["found: nim(2): P <=> a ^ b == 0 is missing", "found: nim(2): P <=> a == b is new"],
        ),
    ],
)
def test_each_difference_is_named(kind, changed, expected):
    assert [*RESULTS.differences(RESULTS)] == []
    assert [*RESULTS.differences(RESULTS.model_copy(update={kind: changed}))] == expected


def comparison_of_run(run):
    paths = Paths(Path("results"), run)
    found = FoundDocument.read(paths.found).statements
    return compare_run(read_plan(paths.plan), ledger_of(run), found)


def comparison_of(document, other):
    return [*Published.model_validate(document).differences(other)]


@pytest.mark.full
def test_a_run_is_compared_with_what_was_published_of_it(tiny, tmp_path, monkeypatch):  # noqa: F811 -- the fixture
    folder = copytree(tiny[0].folder, tmp_path / "copy", symlinks=True)
    monkeypatch.chdir(folder)
    assert comparison_of_run("tiny") is None
    assert choco("verify", "--published", cwd=folder).returncode == 2
    published = folder / "config/published/tiny.json"
    words = ("export", "tiny", "--what", "digests", "--as", "json", "--out", published)
    assert choco(*map(str, words), cwd=folder).returncode == 0
    done = choco("verify", "--published", "--json", cwd=folder)
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"tiny": {"is_same_input": True, "differences": []}}

    document = json.loads(published.read_text())
    for kind in ("tables", "claims", "found"):
        name = next(iter(document[kind]))
        published.write_text(json.dumps({**document, kind: {**document[kind], name: "0"}}))
        comparison = comparison_of_run("tiny")
        assert comparison is not None
        assert comparison.differences == (f"{kind}: {name} differs",)
        assert choco("verify", "--published", cwd=folder).returncode == 1
    ledger = ledger_of("tiny")
    plan = read_plan(folder / "results/tiny/plan.json")
    first, *others = ledger.verdicts
    wrong = Counterexample("P", "N", (9, 9), ("x", "y"))
    for change in (
        {"verdict": "undecided"},
        {"parameters": {"k": 999}},
        {"bound": 999},
        {"counterexample": wrong},
    ):
        other = first.model_copy(update=change)
        changed = ledger.model_copy(update={"verdicts": (other, *others)})
        digests = Published.of_run(plan, changed, ())
        (difference,) = (d for d in comparison_of(document, digests) if d.startswith("claims"))
        assert difference == f"claims: {first.claim} differs"
    published.write_text(json.dumps({**document, "inputs": "0"}))
    comparison = comparison_of_run("tiny")
    assert comparison is not None
    assert str(comparison) != "identical to the published results"
    assert comparison.differences == ()
    published.write_text("{}")
    assert choco("verify", "--published", cwd=folder).returncode == 2
