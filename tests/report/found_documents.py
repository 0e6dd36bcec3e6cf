"""Found statements of every kind and status, as a run's ``found.json`` holds them, written by hand."""

from __future__ import annotations

from typing import Any

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.finding.statements.found_document import FoundDocument, Searched
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement, Tried
from choco_pipeline.finding.statements.statement_line import VALUES_ARE, VALUES_OF, StatementLine

Document = dict[str, Any]

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
    plain: Document = {
        "kind": "p-positions",
        "ruleset": "nim(3)",
        "said": "P iff a ^ b ^ c == 0",
        "formulas": (StatementLine("P iff", "a ^ b ^ c == 0"),),
        **EVIDENCE,
    }
    return FoundStatement(**plain | said)


def statements() -> list[FoundStatement]:
    """Return statements in the order in which a run writes them: proved ones first, refuted ones last."""
    return [
        a_statement(
            ruleset="strip-bar(k=k, s=s)",
            when="k%4 == 3 and s < k",
            parameters={"k": (3, 7, 11, 15, 19, 23), "s": (0, 1, 2)},
            formulas=(StatementLine("P iff", "(x+s) ^ y ^ (z+s) == 0"),),
            conclusion=Conclusion("proved-for-listed", "proved for all positions", (CERTIFICATE,)),
        ),
        a_statement(
            known=("own-intended", "elsewhere-thm-9"),
            conclusion=Conclusion("proved", "proved for all positions", (CERTIFICATE,)),
        ),
        a_statement(
            kind="grundy",
            ruleset="step-bar(k=k)",
            parameters={"k": (2, 4)},
            formulas=(
                StatementLine("G =", "y ^ z", "z < 2**v2(k)"),
                StatementLine("G =", "2*((y+z)//k)-abs(y-z)"),
            ),
            exceptions=((0, 1), (2, 3)),
            conclusion=Conclusion("holds-to-bound", "holds to bound 1024"),
        ),
        a_statement(
            ruleset="solid-bar(f=(x+z)//k)",
            parameters={"k": (1, 5)},
            formulas=(
                StatementLine("P iff", "(x-1) ^ y ^ (z-1) == 0"),
                StatementLine("up to", "2*k**2-1"),
            ),
            conclusion=Conclusion("undecided", "no decision within 10 seconds"),
        ),
        a_statement(
            kind="count",
            ruleset="rectangular-bar(m=m, n=m)",
            parameters={"m": tuple(range(1, 13))},
            said="the number g(m) of P-positions in a bar of side m satisfies g(2·m) = 4·g(m)",
            formulas=(StatementLine("relation", "g(2*m) == 4*g(m)-(m >> 1)", "m >= 2"),),
            conclusion=Conclusion("exhausted", "all sides that there are"),
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
            kind="cellular",
            ruleset="rectangular-bar(m=12, n=12)",
            said=f"each picture is a sum of two before it; {HOSTILE}",
            formulas=(),
            conclusion=Conclusion("unchecked", "in the tables only"),
        ),
        a_statement(
            kind="values",
            ruleset="strip-bar(k=k, s=s)",
            parameters={"k": (2, 4), "s": (1, 2)},
            said="at the P-positions, (x+s) ^ y ^ (z+s) takes exactly the values {2^n − 2 : n ≥ 1} ∪ {1}",
            formulas=(
                StatementLine(VALUES_OF, "(x+s) ^ y ^ (z+s)"),
                StatementLine(VALUES_ARE["exactly"], "v == 1 or v >= 0 and (v+2) & (v+1) == 0"),
            ),
            conclusion=Conclusion("holds-to-bound", "holds to bound 256"),
        ),
        a_statement(
            kind="heights",
            ruleset="solid-bar(f=f)",
            parameters={"f": ()},
            said="Of the 20 monotone f, 6 have G = x⊕y⊕z",
            formulas=(),
            conclusion=Conclusion("unchecked", "counted"),
            picture={
                "kind": "height-functions",
                "counts": {"G = x⊕y⊕z": [{"side": 2, "height": 1, "functions": 6174}]},
                "shifts": [{"sum": "(x−1)⊕y⊕(z−1)", "exact": 4321, "best": 5}],
                "least": {"G = x⊕y⊕z, <not> constant": [[0, 0], [0, 7]], "none": None},
            },
        ),
        a_statement(
            formulas=(StatementLine("P iff", "min(a, b, 2*c)%3 == 1 or not a <= b"),),
            conclusion=Conclusion("refuted", "wrong in a table held out, at (0, 0, 1)"),
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
