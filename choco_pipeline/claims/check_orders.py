"""Work orders of checks: which claims are checked on which tables, and which statements need none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from choco_pipeline.claims.language.claim import Claim


@dataclass(frozen=True)
class TableCheck:
    """One claim, by its id, on one table, by its id, with these parameters."""

    claim: str
    table: str
    parameters: Mapping[str, int]


@dataclass(frozen=True)
class StatementOrder:
    """A part of the statements that need no table.

    Attributes
    ----------
    format
        Of tables, and of what comes of the order.
    code
        Digest of the code that checks: an order for other code is another one.
    claims
        By id.
    """

    format: int
    code: str
    claims: Mapping[str, Claim]

    def as_json(self) -> Mapping[str, object]:
        """Return the order as plain data."""
        claims = {claim_id: claim.as_json() for claim_id, claim in self.claims.items()}
        return {"format": self.format, "code": self.code, "claims": claims}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Return the order that `as_json` gave."""
        claims = {name: Claim.from_json(one) for name, one in document["claims"].items()}
        return cls(document["format"], document["code"], claims)


@dataclass(frozen=True)
class CheckOrder:
    """The checks on the tables of a shard.

    Attributes
    ----------
    manifest
        The shard's.
    checks
        In the order of their verdicts.
    statements
        The claims that they name, with format and code.
    """

    manifest: Path
    checks: Sequence[TableCheck]
    statements: StatementOrder

    def as_json(self) -> Mapping[str, object]:
        """Return the order as plain data."""
        checks = [asdict(check) for check in self.checks]
        return {
            "manifest": self.manifest.as_posix(),
            "checks": checks,
            **self.statements.as_json(),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Return the order that `as_json` gave."""
        checks = [TableCheck(**check) for check in document["checks"]]
        return cls(Path(document["manifest"]), checks, StatementOrder.from_json(document))
