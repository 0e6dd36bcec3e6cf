"""Exports of a run, compared with the definition and the ledger."""

from __future__ import annotations

import importlib.util
import io
import json

import pandas as pd
import pytest

from choco_pipeline import SolidBar, StepBar, p_positions
from choco_pipeline.documents.record import write_record
from choco_pipeline.tables.shard import build_shard
from choco_pipeline.tables.spec import Shard, TableSpec
from tests.cli.command import choco
from tests.report.documents import a_claim, a_row, whole

BAR, STEP = SolidBar("(x+z)//3"), StepBar(k=2)


@pytest.fixture
def folder(tmp_path):
    """Return a folder with as much of a run as is exported."""
    tables = []
    for name, game, bound in (("one", BAR, 6), ("two", BAR, 9), ("three", STEP, 7)):
        spec = TableSpec.of(game, bound, "p-positions")
        write_record(tmp_path / f"{name}.json", Shard(name, (spec,)).as_json())
        manifest = tmp_path / f"results/tables/{name}.done.json"
        build_shard(str(tmp_path / f"{name}.json"), str(manifest), lambda *_, **__: None)
        entry = json.loads(manifest.read_text())["tables"][spec.table_id]
        tables.append({**entry, "id": spec.table_id, "shard": name})
    claim = {**a_claim(number="1_1"), "words": "x | y"}
    ledger = whole({"claims": [claim], "rows": [a_row([])], "tables": tables})
    write_record(tmp_path / "results/r/ledger.json", ledger.document())
    return tmp_path


def test_p_positions_of_a_game_are_those_of_the_largest_table(folder):
    words = ("export", "r", "--what", "p-positions", "--game", BAR.notation)
    frame = pd.read_csv(io.StringIO(choco(*words, cwd=folder).stdout))
    expected = p_positions(BAR, 9)
    assert frame.drop(columns="ruleset").equals(expected)
    assert all(
        BAR.grundy(position) == 0 for position in expected.itertuples(index=False, name=None)
    )
    small = pd.read_csv(io.StringIO(choco(*words, "--bound", "4", cwd=folder).stdout))
    assert len(small) == len(p_positions(BAR, 4))
    done = choco(*words, "--as", "parquet", "--out", "p.parquet", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert pd.read_parquet(folder / "p.parquet").equals(frame)
    numbers = choco(*words, "--as", "bfile", cwd=folder).stdout.splitlines()[1:]
    counts = [len(expected[expected.max(axis=1) <= n]) for n in range(10)]
    assert numbers == [f"{n} {count}" for n, count in enumerate(counts)]


def test_without_an_optional_package_the_error_names_its_extra(folder, monkeypatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pyarrow" else find_spec(name)
    )
    words = ("--what", "claims", "--as", "parquet", "--out", "claims.parquet")
    done = choco("export", "r", *words, cwd=folder)
    assert done.returncode == 2
    assert "pyarrow" in done.stderr
    assert "`parquet`" in done.stderr
    assert not (folder / "claims.parquet").exists()


def test_claims_are_tables_of_a_paper(folder):
    words = ("export", "r", "--what", "claims")
    done = choco(*words, "--as", "latex", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert r"1\_1" in done.stdout
    lines = choco(*words, "--as", "markdown", cwd=folder).stdout.splitlines()
    assert len(lines) == 3
    assert r"x \| y" in lines[2]


@pytest.mark.parametrize(
    "words",
    [
        ["r", "--what", "claims", "--as", "bfile"],
        ["r", "--what", "claims", "--as", "parquet"],
        ["r", "--what", "p-positions"],
        ["r", "--what", "p-positions", "--as", "bfile"],
        ["r", "--what", "p-positions", "--game", "nim(3)"],
        ["../r", "--what", "claims"],
        ["r", "--what", "claims", "--as", "xls"],
    ],
)
def test_what_cannot_be_exported_is_refused(folder, words):
    done = choco("export", *words, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
