"""Every statement of a small search, read back by rules written down once more: on larger bounds and other parameters."""

import json

import pytest

from benchmarks.finding.formulas import value
from benchmarks.finding.reading import Effort, game_of, wrong
from benchmarks.finding.reading_related import wrong_related
from benchmarks.finding.reading_words import wrong_in_words
from choco_pipeline.cli.mine import mine
from choco_pipeline.finding.height_functions.height_statements import classified_all

ANY_K = [{"k": k} for k in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 19, 20, 21)]
#: With s < k, s = k and s > k.
ANY_K_AND_S = [
    {"k": k, "s": s}
    for k, s in (
        (1, 0),
        (1, 2),
        (2, 1),
        (2, 3),
        (3, 1),
        (3, 10),
        (4, 2),
        (4, 4),
        (5, 2),
        (6, 5),
        (8, 6),
    )
]
#: Families, what is searched, the bound of the tables, that to which statements are read back, and for which parameters.
SEARCHED = [
    pytest.param(
        *("solid-bar(f=(x+z)//k) k=1..16", ["value-sets"], 40, 16, ANY_K), marks=pytest.mark.full
    ),
    pytest.param(
        *("step-bar(k=k, s=s) k=1..3 s=0..4", ["formulas"], 48, 60, ANY_K_AND_S),
        marks=pytest.mark.full,
    ),
    pytest.param(
        *("with-pass(strip-bar(k=k, s=s), passes=1) k=3..6 s=0..5", ["value-sets"], 40, 14),
        ANY_K_AND_S,
        marks=pytest.mark.full,
    ),
    ("rectangular-bar(m=m, n=m) m=1..3", ["counts", "cellular", "blocks"], 20, 0, []),
    pytest.param(*("rectangular-bar(m=64, n=64)", ["blocks"], 64, 0, [{}]), marks=pytest.mark.full),
    pytest.param(
        *("nim(3)", ["value-sets", "counts", "cellular", "blocks"], 24, 30, [{}]),
        marks=pytest.mark.full,
    ),
    ("solid-bar(f=x//2+z//2)", ["value-sets"], 40, 24, [{}]),
    ("solid-bar(f=max(x, z)//2)", ["shifts"], 24, 16, [{}]),
]
SMALL = Effort(cells=1 << 16, times=1)


@pytest.mark.parametrize(("words", "what", "bound", "beyond", "parameters"), SEARCHED)
def test_what_is_found_is_so_as_it_is_written(
    capsys, words, what, bound, beyond, parameters
) -> None:
    ruleset, *values = words.rsplit(" ", words.count(".."))
    mine([ruleset, *values], bound, None, what, json=True)
    found = json.loads(capsys.readouterr().out)["statements"]
    for one in found:
        if one["conclusion"]["verdict"] == "refuted":
            continue
        claim = one["claim"]
        if claim is not None:
            assert (claim["id"], claim["words"]) == (one["id"], one["text"])
            assert one["when"] in ("", claim.get("when", ""))
        if one["kind"] in ("p-positions", "grundy", "values"):
            spoken = [p for p in parameters if not one["when"] or value(one["when"], **p)]
            assert spoken, one["text"]
            for point in spoken:
                assert wrong(one, point, beyond) is None, (one["text"], point)
        elif one["kind"] == "related":
            for point in [p for p in parameters if not one["when"] or value(one["when"], **p)]:
                assert wrong_related(one, point, beyond, SMALL) is None, (one["text"], point)
        else:
            assert one["kind"] in ("blocks", "cellular", "count"), "else nobody reads it"
            assert wrong_in_words(one, 8 if "n=n" in one["ruleset"] else 16) is None, one["text"]


@pytest.mark.full
def test_what_is_found_of_height_functions_is_so_as_it_is_written() -> None:
    found = classified_all(2, 2).document()["statements"]
    assert [one["kind"] for one in found] == ["heights"] * len(found) != []
    for one in found:
        assert wrong_in_words(one, 0) is None, one["text"]


def document(text, ruleset, when="", kind="grundy"):
    return {"text": text, "ruleset": ruleset, "when": when, "kind": kind}


@pytest.mark.parametrize(
    ("text", "ruleset", "when", "point"),
    [
        ("for k%2 == 0: G = (y ^ (z+s))-s", "step-bar(k=k, s=s)", "k%2 == 0", {"k": 2, "s": 3}),
        (
            "for k%2 == 1: G = z+(y+1)//2 where (y+z)%2 == s%2",
            "step-bar(k=k, s=s)",
            "k%2 == 1",
            {"k": 3, "s": 10},
        ),
        ("for k%2 == 1: P iff x ^ y ^ z == 0", "solid-bar(f=(x+z)//k)", "k%2 == 1", {"k": 5}),
        (
            "solid-bar(f=max(x, z)//2): the Grundy number is x ^ z where y == 0; (x ^ z) ^ 1 where y == 1",
            "solid-bar(f=max(x, z)//2)",
            "",
            {},
        ),
        ("P iff a ^ b == 0, except at (1, 1)", "nim(2)", "", {}),
        ("P iff a ^ b == 0, for coordinates up to 5, and no further", "nim(2)", "", {}),
    ],
)
def test_the_reader_finds_what_is_wrong(text, ruleset, when, point) -> None:
    assert wrong(document(text, ruleset, when), point, 12) is not None
    assert game_of(ruleset, point) != ruleset or not point


def test_the_reader_finds_wrong_equations() -> None:
    ruleset = "rectangular-bar(m=m, n=m)"
    right = f"P-positions of {ruleset}: a(2m, 2i, 2j) = a(m, i, j); a(2m+1, 2i, 2j+1) = 0"
    assert wrong_in_words(document(right, ruleset, kind="blocks"), 9) is None
    for old, new in (("a(m, i, j)", "a(m, i, j+1)"), ("2j+1) = 0", "2j) = 0")):
        assert wrong_in_words(document(right.replace(old, new), ruleset, kind="blocks"), 9)
    whose = "cells whose bar of m rows and m columns is a P-position"
    text = f"{ruleset}: the number g(m) of {whose} satisfies g(2·m) = 4·g(m)"
    count = document(text, ruleset, kind="count")
    lines = [{"formula": "g(2*m) == 4*g(m)", "where": ""}]
    assert wrong_in_words(count | {"formulas": lines}, 9) is None
    assert wrong_in_words(count | {"formulas": [{"formula": "g(2*m) == 2*g(m)", "where": ""}]}, 9)


STEP, STRIP = "step-bar(k=k, s=s)", "with-pass(strip-bar(k=k, s=s), passes=1)"


@pytest.mark.parametrize(
    ("ruleset", "when", "said", "point", "others"),
    [
        (
            STEP,
            "s > 0 and k >= s",
            "G(y, z) = g-1, with g = G(y, z+1) of step-bar(k=k, s=s-1)",
            {"k": 3, "s": 3},
            [("g-1,", "g,"), ("z+1", "z+2"), ("s=s-1", "s=s-2"), ("y, z+1", "y+1, z+1")],
        ),
        (
            STRIP,
            "k > s",
            f"(x, y, z, p) is a P-position where p >= 1 if and only if (max(((x+1) ^ 1)-1, 0), y, z, p-1) is one of {STRIP}",
            {"k": 3, "s": 2},
            [("((x+1) ^ 1)-1", "x ^ 1"), ("max(((x+1) ^ 1)-1, 0)", "x"), ("if (", "if (1+")],
        ),
        (
            "solid-bar(f=(x+z)//k+1)",
            "",
            "(x, y, z) is a P-position if and only if (x+(k-k//2), y, z+(k-k//2)) is one of solid-bar(f=(x+z)//k)",
            {"k": 4},
            [("(x+(k-k//2)", "(x+k//2-1"), ("//k)", "//(k+1))"), ("y, z+", "y+1, z+")],
        ),
    ],
)
def test_relations_are_read_back(ruleset, when, said, point, others) -> None:
    def at(text, **known):
        found = document(f"for {when}: {text}" if when else text, ruleset, when, "related")
        return wrong_related(found, point | known, 20, SMALL)

    assert at(said) is None
    for old, new in others:
        assert old in said
        assert at(said.replace(old, new)) is not None, new
    if "s" in point:
        assert at(said, s=point["k"] + 1) is not None, "beyond its condition"
