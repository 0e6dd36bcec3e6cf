"""A table that is extended to a larger bound reuses its blocks."""

import json
from pathlib import Path

import pytest

from choco_pipeline import SolidBar
from choco_pipeline.cluster.connect import ignore
from choco_pipeline.tables.shard import build_shard
from tests.tables.stores import order
from tests.workflow.project import Project

pytestmark = pytest.mark.full

CONFIG = """
run: extended
sweeps:
  columns: {ruleset: solid-bar(f=(x+z)//3), bound: 8192, quantity: p-positions, claims: none}
"""


def test_a_run_says_how_many_blocks_it_has_taken_from_a_smaller_table(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "larger.yaml").write_text(CONFIG)
    spec, manifest = order(tmp_path / "results", SolidBar("(x+z)//3"), 4096, "p-positions")
    build_shard(spec, manifest, ignore)
    done = project.choco("run", "larger.yaml", "--json")
    (entry,) = (
        entry
        for one in project.manifests().values()
        for entry in one["tables"].values()
        if entry["bound"] == 8192
    )
    number, reused = entry["blocks"]["rows"] * entry["blocks"]["columns"], entry["blocks"]["reused"]
    assert 0 < reused < number
    assert json.loads(done.stdout)["blocks"] == {"all": number, "reused": reused}
