"""Contents and formats of exports."""

from __future__ import annotations

from typing import Literal

What = Literal["p-positions", "statements", "claims", "digests"]
Format = Literal["csv", "parquet", "latex", "bfile", "markdown", "json"]
