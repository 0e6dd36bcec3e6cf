"""That `for_all` implies `when` is decided, not tried on small parameters."""

import pytest

from choco_pipeline.errors import ChocoError
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.for_all import settle_for_all
from choco_pipeline.proof.spoken import require_spoken_of
from tests.catalogues import catalogue_of
from tests.claims.written import claim_from

CLAIMS = catalogue_of().claims
FOR_ALL = [claim for claim in CLAIMS.values() if claim.statement.for_all is not None]
TWO_FORMS = {"t": "0..v2(max(s, 1))", "m": "0..k//2-1"}


def a_claim(when, for_all, some=None):
    said = {"id": "drawn", "ruleset": "step-bar(k=k, s=s)", "when": when, "for_all": for_all}
    check = {"kind": "grundy", "equals": "(y ^ (z+s)) - s"}
    return claim_from({**said, "some": some or {}, "check": check})


@pytest.mark.parametrize("claim", FOR_ALL, ids=lambda claim: claim.id)
def test_claims_of_the_catalogue_speak_of_all_that_they_are_decided_for(claim):
    require_spoken_of(claim, Clock(20))


@pytest.mark.parametrize(
    ("when", "for_all", "some"),
    [
        ("s <= 2*k", "s < k", {}),
        ("k % 2 == 0", "k % 6 == 4 and s < k", {}),
        ("k % 2 == 0 and (s == k*2**t + m*2**(t+1) or s < k)", "k % 2 == 0 and s < k", TWO_FORMS),
        ("s*k >= 7 or s < k", "s < k", {}),
    ],
)
def test_what_follows_is_accepted(when, for_all, some):
    require_spoken_of(a_claim(when, for_all, some), Clock(20))


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
def test_what_does_not_follow_is_refused(when, for_all, some):
    with pytest.raises(ChocoError):
        require_spoken_of(a_claim(when, for_all, some), Clock(20))


def test_a_claim_that_is_not_spoken_of_is_undecided():
    claim = a_claim("k % 2 == 0 and s < 50", "k % 2 == 0 and s < k")
    found = settle_for_all(claim.as_json(), 20, 4, None)
    assert (found.verdict, found.certificate) == ("undecided", None)
    assert "is not shown" in found.why
