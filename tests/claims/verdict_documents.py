"""Verdicts as documents hold them."""

from __future__ import annotations

import json
from typing import Any

from choco_pipeline.claims.language.verdict import Verdict, VerdictRecord, verdict_fields


def verdict_document(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as plain data, as it comes back from a file."""
    record = VerdictRecord(**verdict_fields(verdict))
    document: dict[str, Any] = json.loads(json.dumps(record.model_dump()))
    return document
