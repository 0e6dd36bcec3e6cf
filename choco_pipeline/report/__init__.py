"""The report of a run: pages, machine-readable documents, exports, and a crate."""

from typing import Literal

#: Contents and formats of exports.
What = Literal["p-positions", "statements", "claims", "digests"]
Format = Literal["csv", "parquet", "latex", "bfile", "markdown", "json"]
