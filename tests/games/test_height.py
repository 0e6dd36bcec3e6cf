"""Height functions: three ways to give one, and what is refused."""

import os

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from choco_pipeline import SolidBar, parse_ruleset
from choco_pipeline.errors import ChocoError, HeightError, RulesetError
from choco_pipeline.formula import parse
from choco_pipeline.games import height
from choco_pipeline.games.height import read_heights


@pytest.mark.parametrize(
    ("f", "message"),
    [
        ("x-z", r"f\(0, 0\) = 0 but f\(0, 1\) = -1"),
        ("x % 3", r"f\(2, 0\) = 2 but f\(3, 0\) = 0"),
        ("x-1", r"f\(0, 0\) = -1"),
        ("x == z", "x == z"),
        ("x+k", "'k'"),
        ("x*100000000", "more than the"),
        (lambda x, z: 5 - x, r"f\(0, 0\) = 5 but f\(1, 0\) = 4"),
        (lambda x, z: x / 2, r"f\(0, 0\) = 0.0"),
        ([[0, 1], [1, 0]], r"f\(0, 1\) = 1 but f\(1, 1\) = 0"),
        ([[0.5]], "float64"),
        ([0, 1], "two dimensions"),
    ],
)
def test_refused(f, message):
    with pytest.raises(HeightError, match=message):
        SolidBar(f)


@pytest.mark.parametrize("block", [1, 4, 8, 12, 1000])
def test_a_fall_is_found_wherever_blocks_end(monkeypatch, block):
    monkeypatch.setattr(height, "BLOCK", block)
    for x in range(1, 6):
        heights = np.repeat(np.arange(7), 4).reshape(7, 4)
        heights[x] = x - 2  # below the row before it, and nowhere else
        with pytest.raises(
            HeightError, match=rf"f\({x - 1}, 0\) = {x - 1} but f\({x}, 0\) = {x - 2}"
        ):
            SolidBar(heights)
    heights = np.add.outer(np.arange(30), np.arange(20)) // 3
    np.testing.assert_array_equal(SolidBar(heights).f.table(30, 20), heights)
    np.testing.assert_array_equal(SolidBar("(x+z)//3").f.table(30, 20), heights)


SUMS = ["{}//3", "min({}, 40)", "{} + 1", "5", "{0}*{0} // 7", "min({0}, 30) + min(0, 60-{0})"]
SUMS += ["{}-30", "100//({}-31)", "{}*4000000", "{0} + x", "({} ^ 1) + z"]
DIP = "{0} - 20*max(0, 1-abs({0}-33))"  # falls from 32 to 33, and nowhere else
sides = st.builds(lambda first, n: range(first, first + n), st.integers(0, 40), st.integers(1, 40))


@example(DIP, range(20, 30), range(13, 20))
@example(DIP, range(20, 30), range(14, 20))
@given(st.sampled_from([*SUMS, DIP]), sides, sides)
def test_a_function_of_the_sum_is_as_any_other(text, x, z):
    """As z+x the sum is any formula, whose heights are computed place by place."""
    found, expected = (outcome(text.format(name), x, z) for name in ("(x+z)", "(z+x)"))
    assert found == expected


def outcome(text, x, z):
    bar = as_height_unchecked(text)
    try:
        heights = bar.block(x, z)
    except ChocoError as error:
        return str(error).replace("z+x", "x+z")
    assert heights.dtype == np.int32
    assert heights.tolist() == [[bar(u, w) for w in z] for u in x]
    return heights.tolist()


def as_height_unchecked(text):
    """Return a formula's heights, not yet checked near the origin."""
    found = object.__new__(height.FormulaHeight)
    object.__setattr__(found, "formula", parse(text))
    return found


def test_a_table_says_how_far_it_goes():
    with pytest.raises(HeightError, match="x = 1, z = 1; needed to x = 2, z = 0"):
        SolidBar([[0, 1], [1, 2]]).f(2, 0)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_csv(tmp_path, monkeypatch, end):
    monkeypatch.chdir(tmp_path)
    lines = ["# rows are x", "0,0,1", "0,1,1", "", "1,1,2", ""]
    (tmp_path / "heights.csv").write_bytes(end.join(lines).encode())
    bar = parse_ruleset("solid-bar(f=csv(heights.csv))")
    assert bar.notation == "solid-bar(f=csv(heights.csv))"
    assert parse_ruleset(bar.notation) == bar
    assert bar.identity == SolidBar([[0, 0, 1], [0, 1, 1], [1, 1, 2]]).identity, "named by content"
    assert bar.is_position((2, 2, 2))
    assert not bar.is_position((1, 2, 2))


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("0,1\n0,x\n", "line 2, column 2: .* found something else$"),
        ("0,1\n0,\n", "line 2, column 2: .* found nothing$"),
        ("0,1_0\n", "line 1, column 2"),
        ("0,1\n0\n", "line 2"),
        ("# nothing\n", "no values"),
        ("0,1\n1,0\n", "not monotone"),
        (f"0,{10**30}\n", "column 2"),
    ],
)
def test_csv_refused(tmp_path, content, place):
    path = tmp_path / "h.csv"
    path.write_text(content)
    with pytest.raises(HeightError, match=place):
        read_heights(path, "h.csv")


def test_errors_do_not_quote_the_file(tmp_path):
    """A ruleset in somebody else's certificate may name any file below the folder."""
    (tmp_path / "secret.csv").write_text("password: hunter2,hunter3\n")
    with pytest.raises(HeightError) as caught:
        parse_ruleset("solid-bar(f=csv(secret.csv))", base=tmp_path)
    assert "hunter" not in str(caught.value)
    assert "password" not in str(caught.value)


def test_only_csv_files_are_read(tmp_path):
    for name in ("notes.txt", "csv"):
        (tmp_path / name).write_text("0\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "notes.txt")
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "circle.csv").symlink_to(tmp_path / "circle.csv")
    names = ["notes.txt", "csv", ".csv", "link.csv", "folder.csv", "pipe.csv", "circle.csv"]
    for name in [*names, "no-such.csv", "a\0.csv", "a" * 300 + ".csv"]:
        with pytest.raises(RulesetError):
            parse_ruleset(f"solid-bar(f=csv({name}))", base=tmp_path)


@pytest.mark.parametrize("content", ["0,1\n2,3\n", "0\n" * 4, "0\r" * 4, "0,0,0,0,"])
def test_a_file_with_many_values_is_not_read(tmp_path, monkeypatch, content):
    """Five bytes of it may take a hundred when they are read."""
    (tmp_path / "h.csv").write_bytes(content.encode())
    for limit in ("MOST_VALUES", "MOST_BYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(height, limit, 3)
            with pytest.raises(HeightError, match="at most 3 "):
                parse_ruleset("solid-bar(f=csv(h.csv))", base=tmp_path)


def test_csv_outside_of_the_project_is_refused(tmp_path):
    (tmp_path / "secret.csv").write_text("0\n")
    (tmp_path / "project" / "a").mkdir(parents=True)
    (tmp_path / "project" / "link.csv").symlink_to(tmp_path / "secret.csv")
    for path in ("../secret.csv", "/etc/passwd", "a/../../secret.csv", "link.csv"):
        with pytest.raises(RulesetError, match="leads out of"):
            parse_ruleset(f"solid-bar(f=csv({path}))", base=tmp_path / "project")
