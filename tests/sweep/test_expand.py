"""What a sweep stands for."""

from pathlib import Path

import pytest

from choco_pipeline.errors import ConfigError
from choco_pipeline.sweep import expand as expand_module
from choco_pipeline.sweep.config import json_schema, reference_page
from choco_pipeline.sweep.expand import expand, load_config

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Return a function from sweeps to their tables, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def expanded(sweeps):
        Path("c.yaml").write_text("run: t\nsweeps:\n" + sweeps)
        return expand(*load_config(Path("c.yaml")))

    return expanded


def test_parameters_in_order_ranges_lists_expressions_and_conditions(tables):
    found = tables(
        """\
  a:
    ruleset: step-bar(k=k, s=s)
    parameters: {k: [2, 5..9 step 2], t: 0..1, s: k*(1 << t)}
    where: not (k == 5 and t == 1)
    bound: [10, 2*k]
    quantity: grundy
""",
    )
    expected = [
        (f"step-bar(k={k}, s={k << t})", bound)
        for k in (2, 5, 7, 9)
        for t in (0, 1)
        if not (k == 5 and t == 1)
        for bound in (10, 2 * k)
    ]
    assert [(p.spec.ruleset, p.spec.bound) for p in found] == list(dict.fromkeys(expected))
    assert found[0].parameters == {"k": 2, "t": 0, "s": 2}


def test_passes_and_heights(tables):
    Path("h.csv").write_text("0,1,1\n1,1,2\n1,2,2\n")
    found = tables(
        """\
  a:
    ruleset: solid-bar(f=f)
    parameters: {k: 2..3}
    heights: ["(x+z)//k", "csv(h.csv)"]
    passes: 0..1
    bound: 2
    quantity: p-positions
""",
    )
    assert [p.spec.ruleset for p in found] == [
        "solid-bar(f=(x+z)//2)",
        "solid-bar(f=csv(h.csv))",
        "with-pass(solid-bar(f=(x+z)//2), passes=1)",
        "with-pass(solid-bar(f=csv(h.csv)), passes=1)",
        "solid-bar(f=(x+z)//3)",
        "with-pass(solid-bar(f=(x+z)//3), passes=1)",
    ], "the table of heights is one game, whatever k is"
    assert found[0].parameters == {"k": 2, "f": "(x+z)//k", "passes": 0}


def test_a_height_table_is_named_by_its_content(tables):
    sweep = "  a: {ruleset: solid-bar(f=csv(h.csv)), bound: 1, quantity: grundy}\n"
    Path("h.csv").write_text("0,1\n1,1\n")
    (first,) = tables(sweep)
    Path("h.csv").write_text("0, 1\n1, 1\n")
    (same,) = tables(sweep)
    Path("h.csv").write_text("0,1\n1,2\n")
    (other,) = tables(sweep)
    assert first.spec.table_id == same.spec.table_id != other.spec.table_id


def test_one_table_for_two_sweeps(tables):
    found = tables(
        """\
  a: {ruleset: step-bar(k=4), bound: 9, quantity: grundy, claims: [one], mine: [value-sets]}
  b: {ruleset: "step-bar(k=k, s=0)", parameters: {k: 4}, bound: 9, quantity: grundy, claims: [two]}
""",
    )
    (table,) = found
    assert (table.sweeps, table.claims, table.mine) == (["a", "b"], {"one", "two"}, ["value-sets"])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("{a: 1..99999, b: 1..99999}", "a: more than 10,000 tables"),
        pytest.param(
            "{a: 1..99999, b: 1..99999, c: b..b-1}",
            "more than 1,000,000 combinations of parameters",
            marks=pytest.mark.full,
        ),
        pytest.param(
            "{a: 1..99999, b: 1..99999}, where: a > b + 99998",
            "more than 1,000,000 combinations",
            marks=pytest.mark.slow,
        ),
        ("{a: 1..5001}, bound: [1, 2]", "a: more than 10,000 tables"),
    ],
)
def test_what_is_too_much_is_refused_before_any_table_is_made(
    tables, monkeypatch, parameters, message
):
    monkeypatch.setattr(expand_module, "build", None)
    sweep = f"  a: {{ruleset: nim(a), quantity: grundy, parameters: {parameters}}}\n"
    if "bound" not in parameters:
        sweep = sweep.replace("{ruleset", "{bound: 1, ruleset")
    with pytest.raises(ConfigError, match=message):
        tables(sweep)


def test_as_many_tables_as_there_may_be_are_counted_over_all_sweeps(tables, monkeypatch):
    monkeypatch.setattr(expand_module, "MOST_TABLES", 6)
    sweep = "{ruleset: solid-bar(f=f), heights: [x, z], bound: B, quantity: grundy}"
    half = [f"  {name}: {sweep.replace('B', b)}\n" for name, b in (("a", "1..2"), ("b", "3"))]
    assert len(tables("".join(half))) == 6
    with pytest.raises(ConfigError, match=r"c.yaml:\d+:\d+: sweeps.b: more than 6 tables"):
        tables(half[0] + half[1].replace("3", "3..4"))


def test_the_schema_and_the_reference_are_those_of_the_model():
    assert (ROOT / "config" / "schema.json").read_text() == json_schema(), (
        "run: choco schema > config/schema.json"
    )
    page = ROOT / "docs" / "config-reference.md"
    assert page.read_text() == reference_page(), (
        "run: choco schema --reference > docs/config-reference.md"
    )


@pytest.mark.parametrize(
    "path", sorted([*(ROOT / "config").glob("*.yaml"), *(ROOT / "config").glob("sweeps/*.yaml")])
)
def test_every_configuration_in_the_project_is_valid(path, monkeypatch):
    monkeypatch.chdir(ROOT)
    if path.parent.name != "claims":
        config, file = load_config(path)
        assert expand(config, file)
