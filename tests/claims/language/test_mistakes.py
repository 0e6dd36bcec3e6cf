"""A claims file with a mistake is refused with its line and what is allowed: one for each kind of mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.errors import ConfigError

HEAD = """\
paper: {key: drawn, title: On Nothing, authors: [N. N.], reference: preprint}
claims:
- id: drawn-1
  number: Theorem 1
  status: theorem
  statement: Words.
"""
INTEGERS = "kind: integers\nbound: 9\nall: {a: 0..N}\n"
HEIGHTS = "kind: height-functions\narguments: 1\nbound: 3\nheight: N\nall: {i: 1..2}\n"


def refusal(folder: Path, text: str) -> list[str]:
    path = folder / "c.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_catalogue([path])
    return [line.replace(f"{path}:", "") for line in str(error.value).splitlines()]


def refusal_of(folder: Path, more: str, check: str) -> list[str]:
    """Return the messages on a claim with these keys and this check, which starts in line 8 or after `more`."""
    lines = "".join(f"  {line}\n" for line in more.splitlines())
    body = "".join(f"    {line}\n" for line in check.splitlines())
    return refusal(folder, f"{HEAD}{lines}  check:\n{body}")


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (
            INTEGERS + "hold: a == a",
            "11:5: unknown key 'hold'; did you mean 'holds'? (allowed: kind, bound, all, listed, let,",
        ),
        (
            INTEGERS,
            "7:3: claims.0.check: one of `holds`, `any`, `equivalent` or `number` is needed",
        ),
        (
            INTEGERS.replace("0..N", "0..M") + "holds: a >= 0",
            '10:11: claims.0.check.all.a: name "M" at column 4: names are N',
        ),
        (
            INTEGERS.replace("a: 0..N", "a: 0..b, b: 0..N") + "holds: a >= 0",
            '10:11: claims.0.check.all.a: name "b" at column 4: names are N',
        ),
        (
            INTEGERS + "holds: a + 1",
            "11:5: claims.0.check.holds: a condition is needed, this is an integer, found 'a + 1'",
        ),
        (
            INTEGERS + "holds:\n- a >= 0\n- a",
            "13:7: claims.0.check.holds.1: a condition is needed, this is an integer, found 'a'",
        ),
        (INTEGERS + "holds: b >= 0", '11:5: claims.0.check.holds: name "b" at column 1: names are'),
        (
            INTEGERS + "holds: a // 0 == 1",
            "11:5: claims.0.check.holds: division by zero at column 3",
        ),
        (INTEGERS + "holds: a == (", "11:5: claims.0.check.holds: the formula ends at column 7"),
        (
            INTEGERS + "holds: {a: 1}",
            "11:5: claims.0.check.holds: a formula is needed, found",
        ),
        (INTEGERS + "equivalent: [a == a]", "claims.0.check.equivalent: two conditions or more"),
        (
            INTEGERS + "number: {of: {b: 0..a}, such: b < a}",
            "claims.0.check.number: either `least` or `exactly` is needed",
        ),
        (
            INTEGERS + "number:\n  of: {b: 0..a}\n  suc: b < a\n  least: 1",
            "13:7: unknown key 'suc'; did you mean 'such'?",
        ),
        (
            INTEGERS.replace("{a: 0..N}", "[a]") + "holds: a == a",
            "10:5: claims.0.check.all: needs keys and values, found ['a']",
        ),
        (
            "kind: integer\nbound: 9",
            "8:5: claims.0.check.kind: needs one of 20 words, found 'integer'; did you mean 'integers'?",
        ),
        (
            "kind: sudoku\nbound: 9",
            "8:5: claims.0.check.kind: needs 'p-positions' or 'grundy' or",
        ),
        ("bound: 9", "7:3: claims.0.check.kind: this key is needed"),
        (HEIGHTS + "such: f(i)\ngrundy: y ^ z", "claims.0.check.such: a condition is needed"),
        (HEIGHTS + "such: h(i) > 0\ngrundy: y ^ z", 'claims.0.check.such: call to "h" at column 1'),
        (HEIGHTS + "such: f(j) > 0\ngrundy: y ^ z", 'claims.0.check.such: name "j" at column 3'),
        (HEIGHTS + "such: f(i) > 0\ngrundy: x ^ z", 'claims.0.check.grundy: name "x" at column 1'),
        (
            HEIGHTS.replace("arguments: 1", "arguments: 3") + "such: f(i) > 0\ngrundy: y",
            "9:5: claims.0.check.arguments: needs '1' or '2', found 3",
        ),
    ],
)
def test_statements_without_a_ruleset(tmp_path, check, message):
    lines = refusal_of(tmp_path, "", check)
    assert any(message in line for line in lines), lines
    assert len(lines) == 1


@pytest.mark.parametrize(
    ("ruleset", "check", "message"),
    [
        (
            "nim(2)",
            "kind: p-positions\nformula: a == b\nrelation: exact",
            "11:5: claims.0.check.relation: needs 'exactly' or 'contain' or 'within', found 'exact'",
        ),
        (
            "nim(3)",
            "kind: moves\nexamples:\n- {position: [1, 2], options: [[0, 2, 0]], are: all}",
            "11:7: claims.0.check.examples.0: (1, 2) has 2 numbers, a position has 3: (a, b, c)",
        ),
        (
            "nim(2)",
            "kind: moves\nexamples:\n- {position: [1, -2], options: [[0, 2]], are: all}",
            "claims.0.check.examples.0.position.1: input should be greater than or equal to 0",
        ),
        (
            "nim(2)",
            "kind: moves\nexamples:\n- {position: [1, 2], options: [[0, 2]], are: al}",
            "claims.0.check.examples.0.are: needs 'all' or 'among' or 'none', found 'al'",
        ),
        (
            "step-bar(k=2)",
            "kind: shape\nexamples:\n- {position: [1, 2, 3], columns: [1]}",
            "claims.0.check.examples.0: (1, 2, 3) has 3 numbers, a position has 2: (y, z)",
        ),
        (
            "nim(2)",
            "kind: shape\nexamples:\n- {position: [1, 2], columns: [1]}",
            "claims.0.check.kind: shape speaks of a step-bar or strip-bar, found nim(2)",
        ),
        (
            "nim(2)",
            "kind: grundy-list\nnumbers: [[1, 2, 3], [1, 2]]",
            "claims.0.check.numbers.1: (1, 2) has 2 numbers, a position has 3: (a, b, its Grundy",
        ),
        (
            "nim(2)",
            "kind: grundy-table\ndown: a\nacross: b\nrows: [[], []]",
            "claims.0.check.rows: a number is needed",
        ),
        (
            "nim(2)",
            "kind: grundy-table\ndown: a\nacross: q\nrows: [[1]]",
            "claims.0.check: `down` and `across` must be the coordinates, a and b",
        ),
        ("nim(2)", "kind: p-list\npositions: [[1, 1]]", "claims.0.reach: this key is needed"),
        (
            "nim(2)\nreach: 5",
            "kind: p-list\npositions: [[1, 1, 1]]",
            "claims.0.check.positions.0: (1, 1, 1) has 3 numbers, a position has 2",
        ),
        (
            "nim(2)\nreach: 5",
            "kind: listing\nof: a\norder: [a]\nbegins: [0]",
            "claims.0.check.order: the coordinates, each once, are needed: a, b",
        ),
        (
            "nim(2)\nreach: 5",
            "kind: listing\nof: a\norder: [a, b]",
            "claims.0.check: `begins` or `ends` is needed",
        ),
        (
            "nim(3)",
            "kind: options\nof: a == b\nhave: none\nto: a == c",
            "11:5: claims.0.check.have: needs 'no' or 'some' or 'every', found 'none'",
        ),
        (
            "nim(3)",
            "kind: options\nof: a == b\nhave: no\nto: a == c\nby: [q]",
            "claims.0.check.by.0: 'q' is no coordinate: these are a, b, c",
        ),
        (
            "nim(2)",
            "kind: option-set\noption: [u]\nformula: u < a",
            "claims.0.check.option: 2 names are needed, one for each of a, b",
        ),
        (
            "nim(2)",
            "kind: option-set\noption: [u, a]\nformula: u < a",
            "claims.0.check.option.1: 'a' cannot name this coordinate: it names another one",
        ),
        (
            "nim(2)",
            "kind: option-set\noption: [u, u]\nformula: u < a",
            "claims.0.check.option.1: 'u' cannot name this coordinate: it names another one",
        ),
        (
            "step-bar(k=u)",
            "kind: option-set\noption: [u, w]\nformula: w < z and u < y",
            "claims.0.check.formula: 'u' cannot be named here: it has a value already",
        ),
        (
            "step-bar(k=k)\nreach: 5",
            "kind: count\nbeside: {k: 0..3}\nof: k < y\nequals: 0",
            "claims.0.check.of: 'k' cannot be named here: it has a value already",
        ),
        (
            "step-bar(k=k)\nreach: 5",
            "kind: count\nbeside: {y: 0..3}\nof: y < z\nequals: 0",
            "claims.0.check.beside.y: 'y' cannot be named here: it has a value already",
        ),
        (
            "nim(2)\nreach: 5",
            "kind: listing\nof: a\norder: [a, b]\nbegins: [0, 1]\nlength: 1",
            "claims.0.check.length: more values are listed than 1",
        ),
        (
            "rectangular-bar(m=m, n=m)",
            "kind: pattern\ncases:\n- where: i == j",
            "11:7: claims.0.check.cases.0: either `like` or `outcome` is needed",
        ),
        (
            "rectangular-bar(m=m, n=m)",
            "kind: pattern\ncases:\n- like: [m, i]",
            "claims.0.check.cases.0.like: list should have at least 3 items",
        ),
        (
            "rectangular-bar(m=m, n=m)",
            "kind: pattern\ncases:\n- like: [m, i, x]",
            'claims.0.check.cases.0.like.2: name "x" at column 1: names are',
        ),
        (
            "rectangular-bar(m=m, n=m)",
            "kind: octahedron\nlevel: i\norder: m",
            'claims.0.check.level: name "i" at column 1: names are m',
        ),
        (
            "rectangular-bar(m=m, n=m)",
            "kind: counts\nsums: {g: m}\nrelations: ['g(m) == m']",
            "claims.0.check.sums.g: 'g' cannot name a sum: g(n) is a number of P-positions",
        ),
        (
            "rectangular-bar(m=m, n=m)",
            "kind: counts\nsums: {t: h(m)}\nrelations: ['t(n) == 1']",
            'claims.0.check.sums.t: call to "h" at column 1',
        ),
        (
            "step-bar(k=k)",
            "kind: integers\nbound: 9\nall: {a: 0..N}\nholds: a == a",
            "7:3: claims.0.ruleset: a statement of kind integers has no `ruleset`",
        ),
        (
            "step-bar(k=k)\nsample: {parameters: {t: 1..3}, bound: 5}",
            "kind: grundy\nequals: y",
            "claims.0.sample.parameters: the ruleset's parameter 'k' is needed",
        ),
        (
            "step-bar(k=k)\nsample: {parameters: {k: 1..3}, bound: q}",
            "kind: grundy\nequals: y",
            'claims.0.sample.bound: name "q" at column 1: names are k',
        ),
        (
            "step-bar(k=k)\nsome: {t: 0..q}",
            "kind: grundy\nequals: y",
            'claims.0.some.t: name "q" at column 4: names are k',
        ),
    ],
)
def test_statements_on_rulesets(tmp_path, ruleset, check, message):
    lines = refusal_of(tmp_path, f"ruleset: {ruleset}", check)
    assert any(message in line for line in lines), lines


def test_a_ruleset_is_needed(tmp_path):
    lines = refusal_of(tmp_path, "", "kind: p-positions\nformula: a == b")
    assert "3:3: claims.0: `ruleset` is needed: p-positions speaks of one" in lines
