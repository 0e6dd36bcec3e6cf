"""Found statements of every kind and status, written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.finding.statement import FoundDocument, FoundStatement, Searched
from choco_pipeline.mining.table_findings import Evidence, Tried

Document = dict[str, Any]
RESULTS = Path("results")

#: A text that would do harm if a page took it for markup, and that LaTeX and Markdown take for commands.
HOSTILE = (
    "</math><script>alert('found')</script> \\input{x} $a_1^2$ 100% #1 & ~ `code` | {…} ♞ \"q\""
)

EVIDENCE = {
    "found_on": Evidence(4096, "box of side 64"),
    "held_on": Evidence(1_044_480, "the rest of the table, to bound 1024", 2),
    "tried": Tried(12_000, "nim-sums of coordinates with shifts"),
}
CERTIFICATE = "results/certificates/nim-3-p-0123456789ab.json"


def a_statement(**said: Any) -> FoundStatement:
    """Return a statement on three heaps, changed as asked."""
    plain: Document = {"search": "formulas", "ruleset": "nim(3)", **EVIDENCE}
    if "words" not in said:
        plain["statement"] = "P <=> a ^ b ^ c == 0"
    return FoundStatement(**plain | said)


def statements() -> list[FoundStatement]:
    """Return statements in a run's order: refuted ones last."""
    return [
        a_statement(
            ruleset="strip-bar(k=k, s=s)",
            when="k%4 == 3 and s < k",
            parameters={"k": (3, 7, 11, 15, 19, 23), "s": (0, 1, 2)},
            statement="P <=> (x+s) ^ y ^ (z+s) == 0",
            conclusion=Conclusion("proved-for-listed", "proved for all positions", (CERTIFICATE,)),
        ),
        a_statement(
            known=("own-intended", "elsewhere-thm-9"),
            conclusion=Conclusion("proved", "proved for all positions", (CERTIFICATE,)),
        ),
        a_statement(
            ruleset="step-bar(k=k, s=0)",
            parameters={"k": (2, 4)},
            statement="z < 2**v2(k) => G == y ^ z; z >= 2**v2(k) => G == 2*((y+z)//k)-abs(y-z)",
            conclusion=Conclusion("holds-to-bound", "holds to bound 1024"),
        ),
        a_statement(
            ruleset="solid-bar(f=(x+z)//k)",
            parameters={"k": (1, 5)},
            statement="size <= 2*k**2-1 => (P <=> (x-1) ^ y ^ (z-1) == 0)",
            conclusion=Conclusion("undecided", "no decision within 10 seconds"),
        ),
        a_statement(
            search="count",
            ruleset="rectangular-bar(m=m, n=m)",
            parameters={"m": tuple(range(1, 13))},
            words="the number g(m) of P-positions in a bar of side m satisfies g(2·m) = 4·g(m)",
            conclusion=Conclusion("unchecked", "right in all tables"),
            picture={
                "kind": "sequence",
                "game": "rectangular-bar(m=m, n=m)",
                "what": "cells whose bar is a P-position",
                "index": "m",
                "first": 1,
                "terms": [0, 2, 3, 8, 11, 12, 17, 32, 40, 44, 50, 48],
            },
        ),
        a_statement(
            search="cellular",
            ruleset="rectangular-bar(m=12, n=12)",
            words=f"each picture is a sum of two before it; {HOSTILE}",
            conclusion=Conclusion("unchecked", "in the tables only"),
        ),
        a_statement(
            search="value-sets",
            ruleset="strip-bar(k=k, s=s)",
            parameters={"k": (2, 4), "s": (1, 2)},
            statement="{(x+s) ^ y ^ (z+s): P} == {v: v == 1 or v >= 0 and (v+2) & (v+1) == 0}",
            conclusion=Conclusion("holds-to-bound", "holds to bound 256"),
        ),
        a_statement(
            search="heights",
            ruleset="solid-bar(f=f)",
            parameters={"f": ()},
            words="of the 20 monotone f, 6 have G = x⊕y⊕z",
            conclusion=Conclusion("unchecked", "counted"),
            picture={
                "kind": "height-functions",
                "counts": {"G = x⊕y⊕z": [{"side": 2, "height": 1, "functions": 6174}]},
                "shifts": [{"sum": "(x−1)⊕y⊕(z−1)", "exact": 4321, "best": 5}],
                "least": {"G = x⊕y⊕z, <not> constant": [[0, 0], [0, 7]], "none": None},
            },
        ),
        a_statement(
            statement="P <=> min(a, b, 2*c)%3 == 1 or not a <= b",
            conclusion=Conclusion("refuted", "wrong in a held-out table, at (0, 0, 1)"),
        ),
    ]


def a_document() -> FoundDocument:
    """Return all of `statements`, one search that found nothing and one that did."""
    tried = Tried(81, HOSTILE, 3)
    searches = (
        Searched(what="counts", game="nim(2)", tried=tried, nothing=True, why="too few"),
        Searched(what="cellular", game="nim(3)", tried=tried, nothing=False),
    )
    return FoundDocument(statements=tuple(statements()), searches=searches)


def document_of(*statements: FoundStatement) -> FoundDocument:
    return FoundDocument(statements=statements, searches=())


def squeezed(text: str) -> str:
    """Return text without its line breaks."""
    return " ".join(text.split())
