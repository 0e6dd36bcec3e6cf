"""What of a run can be exported, and how."""

from __future__ import annotations

from typing import Literal

What = Literal["p-positions", "statements", "claims", "digests"]
Format = Literal["csv", "parquet", "latex", "bfile", "markdown", "json"]
