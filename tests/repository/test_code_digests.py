"""Digests of code cover all modules that decide a result."""

from pathlib import Path

import grimp

from choco_pipeline import provenance
from choco_pipeline.proof import task
from choco_pipeline.provenance import FINDING_CODE, MINING_CODE, PROOF_CODE, code_digest
from choco_pipeline.sweep.run_plan import PLAN_CODE

#: What carries results from place to place, and decides none.
CARRIERS = (
    "cluster",
    "commands",
    "compiling",
    "documents",
    "drawing",
    "errors",
    "provenance",
    "shipped",
    "stages",
)


def named(module, places):
    """Whether a module is in one of these files and folders of the package."""
    path = Path(*module.split(".")[1:])
    return any(
        path.with_suffix(".py") == Path(p) or Path(p) in (path, *path.parents) for p in places
    )


def test_what_proofs_import_is_in_their_digest():
    graph = grimp.build_graph("choco_pipeline")
    imported = {task.__name__, *graph.find_upstream_modules(task.__name__)}
    packages = {m for m in imported if graph.find_children(m)}
    missing = {m for m in imported - packages if not named(m, (*PROOF_CODE, *CARRIERS))}
    assert missing - {f"choco_pipeline.{name}" for name in CARRIERS} == set()
    alone = {place for place in PROOF_CODE if place.endswith(".py")}
    assert all(named(m, PROOF_CODE) for m in imported if ".mining." in m)
    used = {m for m in imported if any(named(m, (place,)) for place in alone)}
    assert len(used) == len(alone), "nothing is named that no proof imports"


def test_digests_include_those_of_what_they_are_made_from():
    assert set(PROOF_CODE) <= set(FINDING_CODE)
    # An order holds a digest of each of these: if the plan is not made anew, none of them is.
    for folders in (PROOF_CODE, MINING_CODE, FINDING_CODE):
        assert all(any(name.startswith(whole) for whole in PLAN_CODE) for name in folders)
    assert "mining" in FINDING_CODE


def test_a_digest_changes_with_the_files_that_it_names_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "PACKAGE", tmp_path)
    for name in ("mining/a.py", "mining/b.py", "proof/c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")

    def now():
        code_digest.cache_clear()
        return code_digest(("mining/a.py", "proof"))

    first = now()
    (tmp_path / "mining/b.py").write_text("2")
    assert now() == first
    (tmp_path / "mining/a.py").write_text("2")
    second = now()
    (tmp_path / "proof/c.py").write_text("2")
    assert len({first, second, now()}) == 3
    code_digest.cache_clear()
