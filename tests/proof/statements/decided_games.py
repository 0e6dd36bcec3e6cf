"""Claims decided on games that are proved once for all tests."""

from functools import cache

from choco_pipeline import parse_ruleset
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.statements.decided_claims import decide
from tests.claims.written import claim_from


@cache
def proved(text, relation="p"):
    found = prove(parse_ruleset(text), relation)
    assert found.status == "proved"
    return found


def decided(text, proof_of="p", *, more=None, check=None, **said):
    proof = proved(text, proof_of)
    document = {"id": "drawn", "ruleset": text, "check": {**(check or {}), **said}, **(more or {})}
    return decide(claim_from(document), {}, proof, "here")
