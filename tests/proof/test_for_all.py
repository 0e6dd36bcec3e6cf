"""Claims decided for all parameters at once: those of the catalogue are read, false neighbours are never proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.claims.language.verdict import AllParameters
from choco_pipeline.claims.quick_trial import assignments
from choco_pipeline.errors import ChocoError
from choco_pipeline.games.notation import build
from choco_pipeline.proof import for_all
from choco_pipeline.proof.for_all import family_of, settle_for_all
from choco_pipeline.proof.implied_condition import require_implied_condition
from tests.catalogues import catalogue_of
from tests.claims.claims import claim_for_all as a_claim
from tests.claims.claims import of_p_positions as p

CLAIMS = catalogue_of().claims
CHOSEN = [
    claim
    for claim in CLAIMS.values()
    if claim.statement.for_all is not None and claim.statement.follows_from is None
]
SOLID, STEP = "solid-bar(f=(x+z)//k)", "step-bar(k=k, s=s)"
DRAWN = """\
game: drawn
parameters: {k: 3}
coordinates: [x, y, z]
heights: {y: HEIGHT}
moves: [{lower: [x]}, {lower: [y]}, {lower: [z]}]
"""
SHIFTED = "solid-bar(f=(x+z+c)//k)"
NUMBERS = "G == (y ^ (z+s)) - s"


def spoken_of(when, condition, some=None):
    return a_claim(STEP, condition, NUMBERS, when=when, some=some or {})


@pytest.mark.parametrize("claim", CHOSEN, ids=lambda claim: claim.id)
def test_a_claim_of_the_catalogue_is_a_family_with_its_parameters(claim):
    assert next(iter(family_of(claim).cases()))
    assert isinstance(claim.statement, Entry)
    assert claim.statement.sample is not None
    sample = list(assignments(claim.statement.sample.parameters, {}))
    listed = [given for given in sample if claim.is_for_all(given)]
    assert listed
    assert all(claim.is_about(given) for given in listed)
    if claim.is_for_all_only:
        assert all(claim.is_for_all(given) == claim.is_about(given) for given in sample)


def test_a_theorem_is_proved_and_kept(tmp_path, monkeypatch):
    claim = CLAIMS["step2015-thm-2.1"]
    found = settle_for_all(claim.as_json(), 60, 4, tmp_path.as_posix())
    assert (found.verdict, found.parameters) == ("proved", {})
    assert found.for_all == AllParameters(parameters=("k",), condition="k%2 == 0", where="")
    assert found.evidence["engines"] == ["z3", "cvc5"]
    assert found.text.startswith("proved for all k with k ≡ 0 (mod 2): ")
    path = Path(found.certificate)
    assert path.is_file()

    def again(*_):
        raise AssertionError("decided again")

    monkeypatch.setattr(for_all, "decide", again)
    assert settle_for_all(claim.as_json(), 60, 4, tmp_path.as_posix()) == found
    other = Claim(claim.statement.model_copy(update={"id": "other"})).as_json()
    assert settle_for_all(other, 60, 4, tmp_path.as_posix()) == found.model_copy(
        update={"claim": "other"}
    )
    path.write_text(path.read_text() + "\n")
    with pytest.raises(AssertionError, match="decided again"):
        settle_for_all(claim.as_json(), 60, 4, tmp_path.as_posix())


@pytest.mark.parametrize(
    ("ruleset", "condition", "statement"),
    [
        (SOLID, "k % 4 == 1", p("x ^ y ^ z == 0")),
        (SOLID, "k % 4 == 3", p("(x-1) ^ y ^ (z-1) == 0")),
        (SOLID, "k % 4 == 2", p("x ^ y ^ z == 0")),
        (SOLID, "k % 4 == 1", p("(x+1) ^ y ^ (z+1) == 0")),
        (STEP, "k % 2 == 0 and s <= k+1", NUMBERS),
        (STEP, "k % 2 == 1 and s < k", NUMBERS),
        (STEP, "k % 2 == 0 and s < k", "G == (y ^ (z+s+1)) - s"),
        (SHIFTED, "k % 4 == 3 and c <= k+2", p("(x+(c+1)//2) ^ y ^ (z+(c+1)//2) == 0")),
        pytest.param(
            *(SHIFTED, "k % 4 == 1 and c <= k+1", p("(x+(c+1)//2) ^ y ^ (z+(c+1)//2) == 0")),
            marks=pytest.mark.full,
        ),
    ],
)
def test_a_false_neighbour_is_refuted_where_the_definition_says_so(ruleset, condition, statement):
    claim = a_claim(ruleset, condition, statement)
    found = settle_for_all(claim.as_json(), 20, 4, None)
    assert found.verdict == "refuted"
    assert found.for_all is None
    assert claim.is_about(found.parameters)
    position = tuple(found.counterexample.position)
    assert claim.pattern is not None
    game = build(claim.pattern, found.parameters, Path())
    at = {**found.parameters, **dict(zip(game.coordinates, position, strict=True))}
    number = game.grundy(position)
    if statement.startswith("G"):
        assert claim.check.equals.value(at) != number
    else:
        assert claim.check.formula.value(at) != (number == 0)


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (a_claim(f"with-pass({SOLID}, passes=1)", "k % 4 == 1", p("x ^ y ^ z ^ p == 0")), "passes"),
        (spoken_of("k % 2 == 0 and s < 50", "k % 2 == 0 and s < k"), "is not shown"),
    ],
)
def test_what_has_no_obligations_is_undecided_and_says_why(claim, why):
    found = settle_for_all(claim.as_json(), 20, 4, None)
    assert (found.verdict, found.certificate) == ("undecided", None)
    assert why in found.why


def test_undecided_is_kept_for_the_same_limits_or_less(tmp_path, monkeypatch):
    asked: list[float] = []
    real = for_all.decide

    def counted(family, clock):
        asked.append(clock.seconds)
        return real(family, clock)

    monkeypatch.setattr(for_all, "decide", counted)
    claim = CLAIMS["triangular-conj-8.1"].as_json()
    for seconds in (0.001, 0.001, 0.0005, 0.002):
        found = settle_for_all(claim, seconds, 4, tmp_path.as_posix())
        assert found.verdict == "undecided"
        assert found.for_all.condition == "k%4 == 1"
    assert asked == [0.001, 0.002]


@pytest.mark.full
def test_another_game_of_the_same_name_is_decided_anew(tmp_path, monkeypatch):
    games = tmp_path / "config" / "games"
    games.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    found = []
    for height in ("(x+z)//k", "(x+z)//(k+2)"):
        (games / "drawn.yaml").write_text(DRAWN.replace("HEIGHT", height))
        claim = a_claim("game(drawn, k=k)", "k % 4 == 3", p("x ^ y ^ z == 0"))
        found.append(settle_for_all(claim.as_json(), 60, 4, tmp_path.as_posix()).verdict)
    assert found == ["proved", "refuted"]


def test_the_ledger_says_for_all_of_which_parameters_a_claim_is_false_or_its_bound_the_best(
    tmp_path,
):
    found = settle_for_all(CLAIMS["solid2022-conj-2"].as_json(), 60, 4, tmp_path.as_posix())
    assert (found.verdict, found.certificate) == ("refuted", None)
    every = found.false_everywhere
    assert every.condition == "k%4 == 1"
    assert every.positions == ("(x, y, z) = (4mₖ, 2, 4mₖ+2) for k = 4mₖ+1, mₖ ≥ 0",)
    assert Path(every.certificate).is_file()
    found = settle_for_all(CLAIMS["solid2022-conj-1-a0"].as_json(), 60, 4, None)
    assert (found.verdict, found.reach) == ("proved", "k//2")
    assert "on positions with x, y, z ≤ ⌊k/2⌋: " in found.text
    assert found.evidence["every_member"]["positions"] == [
        "(x, y, z) = (2mₖ+1, 1, 2mₖ+2) for k = 4mₖ+2, mₖ ≥ 0"
    ]


# ---- That `for_all` implies `when` is decided, not tried on small parameters.

TWO_FORMS = {"t": "0..v2(max(s, 1))", "m": "0..k//2-1"}


@pytest.mark.parametrize(
    "claim",
    [c for c in CLAIMS.values() if c.statement.for_all and not c.is_for_all_only],
    ids=lambda claim: claim.id,
)
def test_claims_of_the_catalogue_speak_of_all_that_they_are_decided_for(claim):
    require_implied_condition(claim, 20)


@pytest.mark.parametrize(
    ("when", "for_all", "some"),
    [
        ("s <= 2*k", "s < k", {}),
        ("k % 2 == 0", "k % 6 == 4 and s < k", {}),
        ("k % 2 == 0 and (s == k*2**t + m*2**(t+1) or s < k)", "k % 2 == 0 and s < k", TWO_FORMS),
        ("s*k >= 7 or s < k", "s < k", {}),
    ],
)
def test_what_for_all_implies_is_accepted(when, for_all, some):
    require_implied_condition(spoken_of(when, for_all, some), 20)


#: The first ones are false beyond the small parameters that a file of claims is tried with.
NOT_IMPLIED = [
    ("k < 40", "s < k", {}),
    ("s <= 2*k or s < 60", "s <= 2*k + 1", {}),
    ("k % 2 == 0 or k < 99", "s < k", {}),
    ("k % 2 == 0 and (s == k*2**t or s < k)", "k % 2 == 0 and s <= k", TWO_FORMS),
    ("s < k", "s < k", {"m": "0..k//2-20"}),  # no m for small k
    ("s < k", "s < k", {"t": "0..v2(s)"}),  # no value for s = 0
    ("s // (k-50) >= 0 or s < k", "s < k", {}),
    ("t >= 0 and s < k", "s < k", {"t": "0..s step 40-k"}),  # no step for k >= 40
    ("t >= 0 and s < k", "s < k", {"t": "0..s step 1 + s//(40-k)**2"}),  # nor for k = 40
]


@pytest.mark.parametrize(("when", "for_all", "some"), NOT_IMPLIED)
def test_what_for_all_does_not_imply_is_refused(when, for_all, some):
    with pytest.raises(ChocoError):
        require_implied_condition(spoken_of(when, for_all, some), 20)
