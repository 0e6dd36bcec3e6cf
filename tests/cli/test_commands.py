"""The commands as a person types them."""

import json
from functools import reduce

import pytest

from choco_pipeline import SolidBar, parse_ruleset
from choco_pipeline.cli.value import evaluate
from choco_pipeline.documents.record import write_record
from choco_pipeline.tables.shard import build_shard
from choco_pipeline.tables.spec import Shard, TableSpec
from tests.cli.command import choco, choco_process
from tests.tables.stores import chunks_of


def test_processes_of_their_own_say_and_end_as_commands_do_in_this_one():
    right = ("value", "step-bar(k=2)", "2", "4", "--json")
    wrong = ("value", "stepbar(k=3)", "0", "0", "--json")
    for arguments, code in ((right, 0), (wrong, 2)):
        process, here = choco_process(*arguments), choco(*arguments)
        assert process.returncode == here.returncode == code
        assert (process.stdout, process.stderr) == (here.stdout, here.stderr)


def test_value_as_json_and_in_words():
    """triangular, Thm 7.3: for k=3, x⊕y⊕z=0 exactly at the P-positions."""
    done = choco("value", "solid-bar(f=(x+z)//3)", "7", "4", "7", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["outcome"]) == (0, "N")
    assert found["grundy"] == SolidBar("(x+z)//3").grundy((7, 4, 7))
    assert all(x ^ y ^ z == 0 for x, y, z in found["winning"])
    done = choco("value", "solid-bar(f=(x+z)//3)", "7", "4", "7")
    assert f"Grundy number: {found['grundy']}" in done.stdout
    assert "N-position: the next player wins" in done.stdout
    assert all(f"({', '.join(map(str, option))})" in done.stdout for option in found["winning"])


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("solid-bar(f=(x+z)//3)", (18, 9, 19)),
        ("with-pass(strip-bar(k=4, s=2), passes=1)", (30, 6, 25, 1)),
        ("with-pass(nim(3), passes=2)", (12, 13, 14, 2)),
        ("step-bar(k=1)", (60, 70)),
    ],
)
def test_value_by_a_table_is_value_by_definition(monkeypatch, game, position):
    ruleset = parse_ruleset(game)
    monkeypatch.setattr("choco_pipeline.cli.value.BY_DEFINITION", 0)
    by_table = evaluate(ruleset, position)
    monkeypatch.setattr("choco_pipeline.cli.value.BY_DEFINITION", 10**9)
    assert by_table == evaluate(parse_ruleset(game), position)


def test_value_of_a_position_whose_grundy_table_is_too_large():
    found = evaluate(SolidBar("(x+z)//3"), (3000, 40, 3001))
    assert found.grundy is None
    assert found.outcome == "N"
    assert found.winning
    assert all(x ^ y ^ z == 0 for ((x, y, z),) in found.winning), "triangular, Thm 7.3"


@pytest.mark.parametrize("heap", [1, 9, 10**12])
def test_value_in_nineteen_heaps_is_said_or_refused(heap):
    """However large the table of such a sum would be: its size is no floating-point number."""
    game = reduce(lambda sums, _: f"sum({sums}, nim(1))", range(18), "nim(1)")
    done = choco("value", game, *[str(heap)] * 19, "--json")
    if heap == 1:
        assert json.loads(done.stdout)["grundy"] == 1, "nim-sum of nineteen ones"
    else:
        assert done.returncode == 2
        assert "is too large for this machine" in json.loads(done.stdout)["error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["value", "solid-bar(f=(x+z)//3)", "7", "4"],
            "a position has 3 coordinates (x, y, z), found (7, 4)",
        ),
        (
            ["value", "solid-bar(f=(x+z)//3)", "0", "4", "0"],
            "y = 4 is above its height at x = 0, z = 0, which is 0",
        ),
        (["value", "solid-bar(f=open(x))", "0", "4", "0"], 'call to "open" at column 1'),
        (["value", "stepbar(k=3)", "0", "0"], "did you mean 'step-bar'"),
        (["plan", "no-such.yaml"], "no-such.yaml: cannot be read"),
        (["verify", "no-such.done.json"], "no-such.done.json: cannot be read"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments, message):
    done = choco(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    as_json = choco(*arguments, "--json")
    assert json.loads(as_json.stdout)["status"] == "error"
    assert message in json.loads(as_json.stdout)["error"]


def test_what_was_handed_over_does_not_steer_the_terminal_or_fill_it(tmp_path):
    name = "\x1b[31m\u202e" + "x" * 5000 + ".yaml"
    done = choco("plan", name, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("choco: \\x1b[31m\\u202exxx")
    assert len(done.stderr) < 2100


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("bound: 1000000000", "bound 1000000000 is too large: its table needs"),
        ("bound: 1e9", '"1e9" at column 1'),
        ("boud: 5", "unknown key 'boud'; did you mean 'bound'?"),
        ("bound: 5\n    heights: [open(x)]", 'call to "open"'),
        ("bound: 5\n    heights: [csv(../../etc/passwd)]", "leads out of"),
    ],
)
def test_plan_refuses_what_cannot_be(tmp_path, config, message):
    text = f"run: t\nsweeps:\n  a:\n    ruleset: solid-bar(f={'f' if 'heights' in config else 'x+z'})\n    {config}\n    quantity: grundy\n"
    (tmp_path / "c.yaml").write_text(text)
    done = choco("plan", "c.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists(), "nothing has run"


def test_plan(tmp_path):
    text = "run: t\nsweeps:\n  a: {ruleset: step-bar(k=k), parameters: {k: 1..5}, bound: 50, quantity: grundy}\n"
    (tmp_path / "c.yaml").write_text(text)
    found = json.loads(choco("plan", "c.yaml", "--json", cwd=tmp_path).stdout)
    positions = sum(z // k + 1 for k in range(1, 6) for z in range(51))
    assert (found["total"]["tables"], found["total"]["positions"]) == (5, positions)
    assert "5" in choco("plan", "c.yaml", cwd=tmp_path).stdout
    clusters = tmp_path / "config" / "clusters"
    clusters.mkdir(parents=True)
    (clusters / "big.yaml").write_text(
        "kind: slurm\nminutes: 5\ncores: 2\nmemory: 6 GiB\nmaximum: 3\n"
    )
    found = json.loads(choco("plan", "c.yaml", "--cluster", "big", "--json", cwd=tmp_path).stdout)
    assert (found["workers"], found["memory_per_worker"]) == (6, 3 << 30)
    said = choco("plan", "c.yaml", "--cluster", "big", cwd=tmp_path).stdout
    assert "A worker has 3 GiB of memory (config/clusters/big.yaml)." in " ".join(said.split())


def test_verify_names_a_damaged_table(tmp_path):
    spec = TableSpec.of(SolidBar("(x+z)//3"), 12, "grundy")
    write_record(tmp_path / "s.json", Shard("s", (spec,)).as_json())
    manifest = tmp_path / "results" / "tables" / "s.done.json"
    build_shard(str(tmp_path / "s.json"), str(manifest), lambda *_, **__: None)
    right = choco("verify", "--json", cwd=tmp_path)
    assert (right.returncode, json.loads(right.stdout)["status"]) == (0, "right")
    (chunk,) = chunks_of(manifest.parent)
    chunk.write_bytes(chunk.read_bytes()[:-1])
    wrong = choco("verify", cwd=tmp_path)
    assert wrong.returncode == 1
    assert spec.table_id in wrong.stderr
    assert "1 tables are wrong" in wrong.stdout


@pytest.mark.full
def test_doctor_and_version():
    found = json.loads(choco("doctor", "--json").stdout)
    assert found["cores"] >= 1
    assert found["memory"] > found["memory_per_worker"] > 0
    assert json.loads(choco("version", "--json").stdout) == found["versions"]
    assert "kernels" in choco("doctor").stdout
