"""Which tables belong together on a page: those of games that are said alike, and hold the same of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from choco_pipeline.games.notation import Notation, read

#: What tables hold, as a heading says it.
QUANTITIES = {"grundy": "Grundy numbers", "p-positions": "P-positions"}
#: Games whose arguments say how many coordinates they have, or which game it is: each is a family by itself.
APART = ("nim", "game")


def family_of(table: Mapping[str, Any]) -> str:
    """Return the heading that a table stands under.

    Examples
    --------
    >>> family_of({"ruleset": "with-pass(strip-bar(k=4, s=1), passes=1)", "quantity": "p-positions"})
    'strip-bar with a pass: P-positions'
    >>> family_of({"ruleset": "sum(nim(1), step-bar(k=2, s=0))", "quantity": "grundy"})
    'nim(1) + step-bar: Grundy numbers'
    """
    quantity = str(table["quantity"])
    return f"{_family(read(table['ruleset']))}: {QUANTITIES.get(quantity, quantity)}"


def _family(notation: Notation) -> str:
    inner = [_family(value) for _, value in notation.arguments if isinstance(value, Notation)]
    if notation.name in APART:
        return notation.text
    if not inner:
        return notation.name
    if notation.name != "with-pass":
        return " + ".join(inner)
    passes = next(str(value) for key, value in notation.arguments if key == "passes")
    return f"{inner[0]} with {'a pass' if passes == '1' else f'{passes} passes'}"
