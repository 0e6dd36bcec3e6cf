"""The JSON schema of claims files, for editors, made from the models."""

from __future__ import annotations

from choco_pipeline.claims.language.claims_file import ClaimsFile
from choco_pipeline.documents.reference import schema_text


def claims_schema() -> str:
    """Return the JSON schema of a claims file, as text that ends with a line break."""
    return schema_text(ClaimsFile)
