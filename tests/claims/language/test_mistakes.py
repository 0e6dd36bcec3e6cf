"""Mistakes in claims: where they are, and what each message says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.catalogue import (
    Catalogue,
    formulas_of,
    load_catalogue,
    mistakes_in,
)
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Undecided
from choco_pipeline.errors import ConfigError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.tables.computing import table

HEAD = """\
paper: {key: drawn, title: On Nothing, authors: [N. N.], reference: preprint}
claims:
- id: drawn-1
  number: Theorem 1
  status: theorem
  words: Words.
"""


def refusal(folder, keys):
    """Return the lines of the refusal of a claim with these keys, which begin in line 7."""
    path = folder / "c.yaml"
    path.write_text(HEAD + "".join(f"  {line}\n" for line in keys.splitlines()), encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_catalogue([path])
    return [line.replace(f"{path}:", "") for line in str(error.value).splitlines()]


def with_check(ruleset, check):
    return f"ruleset: {ruleset}\ncheck:\n" + "".join(f"  {line}\n" for line in check.splitlines())


@pytest.mark.parametrize(
    ("ruleset", "statement", "column", "found"),
    [
        ("step-bar(k=k, s=s)", "P <=> y ^ (z+u) == 0", 14, '"u"'),
        ("step-bar(k=k, s=s)", "P <=> y ^ (z+s)", 7, "is an integer"),
        ("step-bar(k=k, s=s)", "P <=> open(y) == 0", 7, '"open"'),
        ("step-bar(k=k, s=s)", "P <=> y == z = s", 14, '"="'),
        ("step-bar(k=k, s=s)", "let y = k: P", 5, '"y" has a value already'),
        ("step-bar(k=k, s=s)", "size <= b => P", 9, '"b"'),
        ("step-bar(k=k, s=s)", "every option by q: P'", 17, '"q"'),
        ("nim(2)", "option(u, a, b) <=> P", 1, "2 coordinates"),
        ("nim(2)", "option(u, u) <=> P", 1, "a new name for each coordinate"),
        ("nim(2)", "count(position, a in 0..3: P) == 0", 17, '"a" has a value already'),
        ("nim(2)", "{a: P} <= {v: b > 1}", 15, "do not depend on a position"),
        ("rectangular-bar(m=m, n=m)", "P <=> i == x", 12, '"x"'),
        ("rectangular-bar(m=m, n=m)", "P <=> a == i", 12, '"i"'),
        (None, "for a in 0..M: a >= 0", 13, '"M"'),
        (None, "for a in 0..b, b in 0..N: a >= 0", 13, '"b"'),
        (None, "for a in 0..N: a + 1", 16, "is an integer"),
        (None, "for a in 0..N: a == (", 22, "ends"),
        (None, "for a in 0..N: P", 16, '"P" needs a game'),
    ],
)
def test_a_mistake_in_a_statement_is_shown_in_its_text(tmp_path, ruleset, statement, column, found):
    """The first line names the key, the next is the line of the text, and a caret stands below the mistake."""
    keys = ("" if ruleset is None else f"ruleset: {ruleset}\n") + f"statement: |-\n  {statement}"
    first, text, caret = refusal(tmp_path, keys)
    assert first.startswith(f"{7 if ruleset is None else 8}:3: claims.0.statement: ")
    assert found in first
    assert f"column {column}" in first
    assert (text.strip(), caret) == (statement, f"{' ' * (column + 1)}^")


OTHER_KEYS = [
    ("statement: 1 == 1\ncheck: {kind: sections}", "8:3: "),
    ("ruleset: nim(2)", "3:3: claims.0: "),
    ("ruleset: nim(2)\nstatment: P", "8:3: unknown key 'statment'; did you mean 'statement'?"),
    ("statement: 1 == 1\nwhen: 1 == 1", "8:3: claims.0.when: "),
    ("statement: 1 == 1\nevery: {t: 0..3}", "8:3: claims.0.every: "),
    ("ruleset: nim(2)\nstatement: P\nbound: 3", "9:3: claims.0.bound: "),
    ("ruleset: nim(2)\nstatement: count(position P) == 1", "8:3: claims.0.statement: "),
    ("ruleset: nim(2)\nstatement: 'count(position: P) == 1'", "8:3: claims.0.statement: "),
    ("ruleset: rectangular-bar(m=3, n=3)\nstatement: size <= 2 => P", "8:3: claims.0.statement: "),
    ("ruleset: nim(2)\nstatement: a // 0 == b", "8:3: claims.0.statement: division by zero"),
    ("ruleset: nim(2)\nstatement: a % (2-2) == b", "8:3: claims.0.statement: division by"),
    ("ruleset: nim(2)\nstatement: v2(0) == b", "8:3: claims.0.statement: v2(0)"),
    ("statement: 'for a in 0..1//0: a == 1'", "7:3: claims.0.statement: division by zero"),
    ("ruleset: step-bar(k=k)\nstatement: P\nwhen: k // 0 == 1", "9:3: claims.0.when: division"),
    ("ruleset: step-bar(k=k)\nstatement: P\nevery: {t: 0..k//0}", "9:11: claims.0.every.t: "),
    ("ruleset: step-bar(k=k)\nstatement: P\nwhen: y == 0", '9:3: claims.0.when: name "y"'),
    ("ruleset: step-bar(q=k)\nstatement: P", "7:3: claims.0.ruleset: "),
    ("ruleset: step-bar(k=2*k)\nstatement: P", "7:3: claims.0.ruleset: "),
    ("ruleset: step-bar(k=y)\nstatement: P", "7:3: claims.0.ruleset: 'y'"),
    ("ruleset: nim(k)\nstatement: P", "7:3: claims.0.ruleset: "),
    ("{sample}{parameters: {t: 1..3}, bound: 5}", "8:12: claims.0.sample.parameters: "),
    ("{sample}{parameters: {k: 1..3}, bound: q}", '8:35: claims.0.sample.bound: name "q"'),
    ("ruleset: step-bar(k=k)\nsome: {t: 0..q}\nstatement: P", '8:10: claims.0.some.t: name "q"'),
]


@pytest.mark.parametrize(("keys", "message"), OTHER_KEYS)
def test_mistakes_of_other_keys_name_their_place(tmp_path, keys, message):
    if keys.startswith("{sample}"):
        keys = keys.replace("{sample}", "ruleset: step-bar(k=k)\nsample: ") + "\nstatement: P"
    lines = refusal(tmp_path, keys)
    assert any(line.startswith(message) for line in lines), lines


HEIGHTS = "kind: height-functions\narguments: 1\nbound: 3\nheight: N\nall: {i: 1..2}\n"


BAR = "rectangular-bar(m=m, n=m)"
LISTING = "kind: listing\nof: a\norder: [a, b]\nup_to: 5"
OF_CHECKS = [
    (None, HEIGHTS + "such: f(i)\ngrundy: y ^ z", "check.such: "),
    (None, HEIGHTS + "such: h(i) > 0\ngrundy: y ^ z", 'check.such: call to "h" at column 1'),
    (None, HEIGHTS + "such: f(j) > 0\ngrundy: y ^ z", 'check.such: name "j" at column 3'),
    (None, HEIGHTS + "such: f(i) > 0\ngrundy: x ^ z", 'check.grundy: name "x" at column 1'),
    (None, HEIGHTS.replace("s: 1", "s: 3") + "such: f(i) > 0\ngrundy: y", "check.arguments: "),
    ("nim(2)", HEIGHTS + "such: f(i) > 0\ngrundy: y", "ruleset: "),
    ("nim(2)", "kind: sudoku", "check.kind: "),
    ("nim(2)", "kind: colums", "'columns'"),
    ("nim(2)", "of: a", "check.kind: "),
    (
        "step-bar(k=2)",
        "kind: columns\nexamples:\n- {position: [1, 2, 3], columns: [1]}",
        "check.examples.0: ",
    ),
    ("nim(2)", "kind: columns\nexamples:\n- {position: [1, 2], columns: [1]}", "check.kind: "),
    ("nim(2)", LISTING.replace("[a, b]", "[a]") + "\nbegins: [0]", "check.order: "),
    ("nim(2)", LISTING, "check: `begins` or `ends` is needed"),
    ("nim(2)", LISTING + "\nbegins: [0, 1]\nlength: 1", "check.length: "),
    (BAR, "kind: octahedron\nlevel: i\norder: m", 'check.level: name "i" at column 1'),
    (BAR, "kind: counts\nsums: {g: m}\nrelations: ['g(m) == m']", "check.sums.g: "),
    (BAR, "kind: counts\nsums: {t: h(m)}\nrelations: ['t(n) == 1']", "check.sums.t: "),
    ("nim(3)", "kind: counts\nrelations: ['g(1) == 1']", "rectangular-bar"),
    ("rectangular-bar(m=m, n=n)", "kind: counts\nrelations: ['g(1) == 1']", "ruleset: "),
    (BAR, "kind: counts\nrelations: ['g(1) == 1', 'g(n) == 1']", "relations.1: "),
    (
        BAR,
        "kind: cellular\nterms: [[0, 1, 1]]\nstart: [[1, 1, 1, 1]]\nmodulo: 2\ngeneration: m",
        "terms.0: ",
    ),
]


@pytest.mark.parametrize(("ruleset", "check", "message"), OF_CHECKS)
def test_mistakes_of_checks_that_are_no_statements(tmp_path, ruleset, check, message):
    keys = with_check(str(ruleset), check).split("\n", 1)[ruleset is None :]
    lines = refusal(tmp_path, "\n".join(keys))
    assert any(message in line for line in lines), lines


@pytest.mark.parametrize(
    ("some", "when", "is_right"),
    [
        ({"t": "0..s", "u": "0..k"}, "u < k and s == u*2**t", True),
        ({"t": "0..s", "u": "0..k"}, "u < k and s == u*2**t and s > 3", False),
        ({"t": "0..s", "u": "-1..k"}, "u < k and s == u*2**t", False),
    ],
)
def test_integers_of_some_are_in_for_all_only_if_it_is_when(some, when, is_right):
    claim = Claim.from_json(
        {
            "id": "powers",
            "ruleset": "step-bar(k=k, s=s)",
            "some": some,
            "when": when,
            "for_all": "u < k and s == u*2**t",
            "statement": "G == (y ^ (z+s)) - s",
        }
    )
    found = [message for place, message in mistakes_in(claim) if place == ("for_all",)]
    assert is_right == (not found)
    assert claim.is_for_all_only == (when == "u < k and s == u*2**t")
    assert claim.is_for_all({"k": 4, "s": 12})
    assert not claim.is_for_all({"k": 4, "s": 5})


def test_a_check_that_is_no_statement_does_not_follow_from_others():
    claim = Claim.from_json(
        {
            "id": "drawn",
            "ruleset": "rectangular-bar(m=m, n=m)",
            "for_all": "m > 0",
            "follows_from": {"claims": ["other-1"], "lemmas": ["free-heap"]},
            "check": {"kind": "counts", "relations": ["g(n) >= 1"]},
        }
    )
    assert claim.on_options is None
    messages = [message for place, message in mistakes_in(claim) if place == ("follows_from",)]
    assert any("can follow from others" in message for message in messages)


Load = Callable[..., Catalogue]

HEAD_PLACES = "paper: {key: mine, title: T, authors: [A], year: 2026, reference: R}\nclaims:\n"
CLAIM = """\
  - id: mine-{number}
    number: Theorem {number}
    status: theorem
    words: Words.
    ruleset: step-bar(k=k, s=s)
    {more}
    statement: "{statement}"
"""


def claim_text(number=1, more="", statement="P <=> y == z"):
    return CLAIM.format(number=number, more=more, statement=statement)


@pytest.fixture
def load(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read(*files):
        paths = [Path(f"{name}.yaml") for name in "abc"[: len(files)]]
        for path, text in zip(paths, files, strict=True):
            path.write_text(text, encoding="utf-8")
        return load_catalogue(paths)

    return read


@pytest.mark.parametrize(
    "statement",
    ["P <=> y // ( z - 3 ) == 0", "let t = 7 // s: P <=> y == t", "P or y // (z-3) == 0"],
)
def test_a_formula_without_a_value_is_named_by_its_key(load, statement):
    catalogue = load(HEAD_PLACES + claim_text(1, "", statement))
    game = parse_ruleset("step-bar(k=2, s=0)")
    # As it comes from a work order.
    claim = Claim.from_json(catalogue.claims["mine-1"].as_json())
    finding = check_claim(claim, {"k": 2, "s": 0}, game, 12, table(game, 12, "p-positions"))
    assert isinstance(finding.verdict, Undecided)
    assert finding.evidence == {"key": "statement"}
    assert catalogue.places["mine-1"]["statement"].startswith("a.yaml:9:")


def test_every_formula_has_a_place():
    files = sorted(Path("config/claims").glob("*.yaml"))
    catalogue = load_catalogue(files)
    for claim in catalogue.claims.values():
        keys = {".".join(map(str, place)) for place, _ in formulas_of(claim)}
        keys |= {"statement"} if claim.statement.statement else set()
        assert keys == catalogue.places[claim.id].keys()
        assert all(
            place.split(":")[0] in map(str, files) for place in catalogue.places[claim.id].values()
        )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("corrects: mine-3", r"a.yaml:8:5: claims.0.corrects: .*'mine-3'"),
        ("corrects: other-1", r"a.yaml:8:5: claims.0.corrects: .*'other-1'"),
        ("contradicts: [mine-2, mine-3]", r"a.yaml:8:27: claims.0.contradicts.1: .*'mine-2'"),
        (
            "for_all: k > 0\n    follows_from: {claims: [mine-3]}",
            r"a.yaml:9:20: claims.0.follows_from.claims: .*'mine-3'",
        ),
        ("for_all: k > 0\n    follows_from: {claims: [mine-2, mine-1]}", "mine-1 from mine-1"),
        ("follows_from: {claims: [mine-2]}", r"a.yaml:8:5: claims.0.follows_from: `for_all`"),
        (
            "for_all: k > 0\n    follows_from: {claims: [mine-2], lemmas: [two-passes]}",
            r"a.yaml:9:47: claims.0.follows_from.lemmas.0: ",
        ),
    ],
)
def test_ids_of_no_claim_are_refused(load, more, message):
    with pytest.raises(ConfigError, match=message):
        load(HEAD_PLACES + claim_text(1, more) + claim_text(2))


def test_claims_that_follow_from_each_other_are_refused(load):
    one, other = (f"for_all: k > 0\n    follows_from: {{claims: [mine-{n}]}}" for n in (2, 1))
    with pytest.raises(ConfigError, match=r"from itself: mine-1 from mine-2 from mine-1"):
        load(HEAD_PLACES + claim_text(1, one) + claim_text(2, other))
    catalogue = load(HEAD_PLACES + claim_text(1, one) + claim_text(2))
    assert [c.id for c in catalogue.premises(catalogue.claims["mine-1"])] == ["mine-2"]


def test_ids_may_be_of_a_later_file_or_of_a_paper_that_is_not_read(load):
    first = HEAD_PLACES + claim_text(1, "contradicts: [theirs-1]")
    theirs = HEAD_PLACES.replace("mine", "theirs") + claim_text(1).replace("mine", "theirs")
    assert list(load(first, theirs).claims) == ["mine-1", "theirs-1"]
    assert list(load(first).claims) == ["mine-1"]
    with pytest.raises(ConfigError, match=r"a.yaml:8:19: claims.0.contradicts.0: .*'theirs-1'"):
        load(first, theirs.replace("theirs-1", "theirs-2"))


def test_a_condition_without_a_value_names_its_place(load):
    catalogue = load(HEAD_PLACES + claim_text(1, "when: k % s == 0"))
    with pytest.raises(ConfigError, match=r"a.yaml:8:5: claim mine-1: when: division by zero"):
        list(catalogue.fitting("step-bar(k=2, s=0)", "p-positions"))
