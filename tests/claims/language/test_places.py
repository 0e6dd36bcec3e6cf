"""Where the user finds what is wrong: formulas without a value, and ids of claims that are not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.language.catalogue import Catalogue, formulas_of, load_catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Undecided
from choco_pipeline.errors import ConfigError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.tables.computing import table

Load = Callable[..., Catalogue]

HEAD = "paper: {key: mine, title: T, authors: [A], year: 2026, reference: R}\nclaims:\n"
CLAIM = """\
  - id: mine-{number}
    number: Theorem {number}
    status: theorem
    words: Words.
    ruleset: step-bar(k=k, s=s)
    {more}
    statement: "{statement}"
"""


def claim_text(number: int = 1, more: str = "", statement: str = "P <=> y == z") -> str:
    return CLAIM.format(number=number, more=more, statement=statement)


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    monkeypatch.chdir(tmp_path)

    def read(*files: str) -> Catalogue:
        paths = [Path(f"{name}.yaml") for name in "abc"[: len(files)]]
        for path, text in zip(paths, files, strict=True):
            path.write_text(text, encoding="utf-8")
        return load_catalogue(paths)

    return read


@pytest.mark.parametrize(
    "statement",
    ["P <=> y // ( z - 3 ) == 0", "let t = 7 // s: P <=> y == t", "P or y // (z-3) == 0"],
)
def test_a_formula_without_a_value_is_named_by_its_key(load: Load, statement: str) -> None:
    catalogue = load(HEAD + claim_text(1, "", statement))
    game = parse_ruleset("step-bar(k=2, s=0)")
    # As it comes from a work order.
    claim = Claim.from_json(catalogue.claims["mine-1"].as_json())
    finding = check_claim(claim, {"k": 2, "s": 0}, game, 12, table(game, 12, "p-positions"))
    assert isinstance(finding.verdict, Undecided)
    assert finding.evidence == {"key": "statement"}
    assert catalogue.places["mine-1"]["statement"].startswith("a.yaml:9:")


def test_every_formula_has_a_place() -> None:
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
def test_ids_of_no_claim_are_refused(load: Load, more: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(HEAD + claim_text(1, more) + claim_text(2))


def test_claims_that_follow_from_each_other_are_refused(load: Load) -> None:
    one, other = (f"for_all: k > 0\n    follows_from: {{claims: [mine-{n}]}}" for n in (2, 1))
    with pytest.raises(ConfigError, match=r"from itself: mine-1 from mine-2 from mine-1"):
        load(HEAD + claim_text(1, one) + claim_text(2, other))
    catalogue = load(HEAD + claim_text(1, one) + claim_text(2))
    assert [c.id for c in catalogue.premises(catalogue.claims["mine-1"])] == ["mine-2"]


def test_ids_may_be_of_a_later_file_or_of_a_paper_that_is_not_read(load: Load) -> None:
    first = HEAD + claim_text(1, "contradicts: [theirs-1]")
    theirs = HEAD.replace("mine", "theirs") + claim_text(1).replace("mine", "theirs")
    assert list(load(first, theirs).claims) == ["mine-1", "theirs-1"]
    assert list(load(first).claims) == ["mine-1"]
    with pytest.raises(ConfigError, match=r"a.yaml:8:19: claims.0.contradicts.0: .*'theirs-1'"):
        load(first, theirs.replace("theirs-1", "theirs-2"))


def test_a_condition_without_a_value_names_its_place(load: Load) -> None:
    catalogue = load(HEAD + claim_text(1, "when: k % s == 0"))
    with pytest.raises(ConfigError, match=r"a.yaml:8:5: claim mine-1: when: division by zero"):
        list(catalogue.fitting("step-bar(k=2, s=0)", "p-positions"))
