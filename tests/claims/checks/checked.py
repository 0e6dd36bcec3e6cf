"""A claim checked on a table."""

from __future__ import annotations

from choco_pipeline import Ruleset
from choco_pipeline.claims.checks.check import Finding, check_claim
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.tables.computing import table
from choco_pipeline.tables.spec import Quantity


def find(
    claim: Claim, game: Ruleset, bound: int, quantity: Quantity, block: int | None = None
) -> Finding:
    data = table(game, bound, quantity)
    return check_claim(claim, {}, game, bound, data, **({} if block is None else {"block": block}))
