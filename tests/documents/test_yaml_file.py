"""Configuration mistakes: an error with a place, never a traceback."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.documents.files import read_json
from choco_pipeline.documents.record import read_record
from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.errors import ChocoError, ConfigError
from choco_pipeline.sweep.expand import expand, load_config

GOOD = """\
run: t
sweeps:
  a:
    ruleset: step-bar(k=k, s=s)
    parameters: {k: 1..3, s: 0..k-1}
    bound: 20
    quantity: grundy
"""


def refusal(path, text):
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        expand(*load_config(path))
    return str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("bound: 20", "boud: 20", 6, "unknown key 'boud'; did you mean 'bound'?"),
        ("bound: 20", "bound: 1e9", 6, 'sweeps.a.bound: "1e9" at column 1'),
        ("bound: 20", "bound: 20.5", 6, "needs an integer or text or a list, found 20.5"),
        ("bound: 20", "bound: -1", 6, "sweeps.a.bound: a bound must be at least 0 (got -1)"),
        ("bound: 20", "bound: [10, false]", 6, "sweeps.a.bound.1: needs an integer or text"),
        ("bound: 20", "bound: 99999999999", 6, "integers must be at most"),
        ("bound: 20", "bound: 2\n    where: k", 7, "sweeps.a.where: 'k': must be a condition"),
        ("bound: 20", "bound: 2\n    where: k // 0 == 1", 7, "division by zero at column 3"),
        ("bound: 20", "bound: 2\n    passes: -1", 7, "sweeps.a.passes: "),
        ("bound: 20", "bound: 2\n    claims: al", 7, "needs one of 'all' or 'none' or a list"),
        ("bound: 20", "bound: 2\n    mine: [count]", 7, "found 'count'; did you mean 'counts'?"),
        ("quantity: grundy", "quantity: grundi", 7, "found 'grundi'; did you mean 'grundy'?"),
        ("s=s)", "s=t)", 4, "unknown parameter 't' (parameters here: k, s)"),
        ("step-bar(k=k, s=s)", "solid-bar(f=open('/etc/passwd'))", 4, 'call to "open"'),
        ("step-bar(k=k, s=s)", "solid-bar(f=csv(../x.csv))", 4, "leads out of"),
        ("0..k-1", "0..q-1", 5, 'sweeps.a.parameters.s: name "q" at column 4: names are k'),
        ("0..k-1", "0..k-1 step 0", 5, "the step of a range is at least 1"),
        ("1..3", "1..1000001", 5, "more than 1,000,000 values"),
        ("1..3", "5..3", 3, "sweeps.a: no parameters satisfy this sweep"),
        ("1..3, s", "1..3, x: 1, s", 5, "'x' cannot be a parameter"),
        ("1..3, s", "1..3, K: 1, s", 5, "K"),
        ("run: t", "run: ../t", 1, "run: needs text of the form"),
        ("run: t", "run: t\nrun: u", 2, "the key 'run' is given twice"),
        ("run: t", "rum: t", 1, "unknown key 'rum'; did you mean 'run'?"),
        ("run: t", "run: tables", 1, "must not be one of tables, shards"),
        ("run: t", "run: &t t\ntitle: *t", 2, "aliases"),
        ("run: t", "run: t\n? [a]\n: 1", 2, "a key must be a word"),
        ("run: t", "run: !!python/object/apply:os.system [ls]", 1, "run"),
    ],
)
def test_mistakes(tmp_path, old, new, line, message):
    assert old in GOOD
    said = refusal(tmp_path / "c.yaml", GOOD.replace(old, new, 1))
    assert message in said
    assert f"c.yaml:{line}:" in said
    assert "\n" not in said, "one mistake, one line"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("- 1", "found [1]"),
        ("a: [", "not YAML"),
        ("a: " + "[" * 200 + "]" * 200, "1:33: nested too deeply"),
        ("a: " + "[" * 10**5, "nested too deeply"),
        ("a: 1\nb: \x07", "c.yaml:2:4: not YAML: the character U+0007 is not allowed"),
        ("a: !foo [b]", "1:4: tags are not read, found !foo"),
        ("a: !foo b", "1:4: cannot be read: could not determine a constructor for the tag '!foo'"),
        ("a: !!int ''", "1:4: cannot be read: '' is not of type int"),
        ("a: !!float ''", "1:4: cannot be read: '' is not of type float"),
        ("a: !!timestamp foo", "1:4: cannot be read: 'foo' is not of type timestamp"),
        ("a: 2001-01-01 00:00:00 -99:00", "1:4: cannot be read: offset must be"),
        ("a: !!int " + "9" * 6000, "1:4: an integer of 6,000 characters, at most 1,000 are read"),
        ("a: !!float " + "9" * 6000, "unknown key 'a'"),
        ("a: " + "9" * 5000, "1:4: an integer of 5,000 characters, at most 1,000 are read"),
        ("run: t\n", "sweeps: this key is needed"),
        ("run: t\nsweeps: {}\n", "sweeps"),
        ("a: 010", "1:4: an integer is written in decimal digits, without a leading zero"),
        *((f"a: {text}", "in decimal digits") for text in ("1:30", "0x10", "0b11", "4_0")),
        ('title: "\\e[31m"', "1:8: the character U+001B is not allowed"),
        ('title: "\\0"', "1:8: the character U+0000 is not allowed"),
        ('title: "\\ud800"', "1:8: the character U+D800 is not allowed"),
        ("title: a\u202eb", "1:8: the character U+202E is not allowed"),
        ("? " + "k" * 3_000 + "\n: 1", "1:3: a key of 3,000 characters, at most 200 are read"),
        ("#" * (1 << 20), "too large, at most 524,288 bytes are read"),
        ("".join(f"k{i}: 1\n" for i in range(3000)), "c.yaml: 2,982 more"),
    ],
)
def test_broken_files(tmp_path, text, message):
    assert message in refusal(tmp_path / "c.yaml", text)


@pytest.mark.parametrize("path", sorted(Path("config").rglob("*.yaml")), ids=str)
def test_both_parsers_read_the_same(path, monkeypatch):
    """PyYAML may be built without libyaml, and errors come from its own parser."""
    read = YamlFile(path)
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    again = YamlFile(path)
    assert (again.content, again._places) == (read.content, read._places)


def test_tabs_are_refused_by_whichever_parser_there_is(tmp_path, monkeypatch):
    """Libyaml takes one inside of a word."""
    for is_there in (True, False):
        monkeypatch.setattr(yaml, "__with_libyaml__", is_there)
        assert "1:5: not YAML: found character '\\t'" in refusal(tmp_path / "c.yaml", "a: b\tc\n")


def test_words_that_older_yaml_takes_for_truths(tmp_path):
    (tmp_path / "c.yaml").write_text("a: [no, yes, on, Off, true, False]\nno: 1\n")
    content = YamlFile(tmp_path / "c.yaml").content
    assert content == {"a": ["no", "yes", "on", "Off", True, False], "no": 1}


@pytest.mark.parametrize("read", [YamlFile, lambda path: read_json(path, 10), read_record])
@pytest.mark.parametrize("kind", ["pipe", "zeros", "folder"])
def test_what_is_no_file_is_not_waited_for(tmp_path, read, kind):
    path = Path("/dev/zero") if kind == "zeros" else tmp_path / kind
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    with pytest.raises(ChocoError, match=f"^{path}: cannot be read \\("):
        read(path)


def test_missing_and_unreadable_files(tmp_path):
    (tmp_path / "latin.yaml").write_bytes(b"run: \xff")
    (tmp_path / "large.yaml").write_bytes(b"#" * (5 << 20))
    for name, message in (("none", "cannot be read"), ("latin", "not UTF-8"), ("large", "at most")):
        with pytest.raises(ConfigError, match=message):
            YamlFile(tmp_path / f"{name}.yaml")


@given(st.data())
def test_no_edit_of_a_good_file_gives_a_traceback(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "edited.yaml"
    start = data.draw(st.integers(0, len(GOOD)))
    end = data.draw(st.integers(start, min(len(GOOD), start + 8)))
    path.write_text(
        GOOD[:start]
        + data.draw(st.text(alphabet="akszx:{}[]()0123.-=,\n '\"&*!#%/", max_size=6))
        + GOOD[end:]
    )
    with suppress(ChocoError):
        expand(*load_config(path))
