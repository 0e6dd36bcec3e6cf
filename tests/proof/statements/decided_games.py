"""Claims decided on games that are proved once for all tests."""

from functools import cache

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.statements.decided_claims import decide


@cache
def proved(text, relation="p"):
    found = prove(parse_ruleset(text), relation)
    assert found.status == "proved"
    return found


def decided(text, said, relation="p"):
    """Return the finding on a claim: on its statement, or on the parts of its document."""
    document = {"statement": said} if isinstance(said, str) else said
    claim = Claim.from_json({"id": "drawn", "ruleset": text, **document})
    return decide(claim, {}, proved(text, relation), "here")
