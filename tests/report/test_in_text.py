"""Found statements as lines of text: how games are introduced, and that nothing reads as a program."""

from __future__ import annotations

import pytest

from choco_pipeline.finding.formulas import in_text, introduced
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.formula.written.math_text import MathNotation
from choco_pipeline.games.notation import read
from tests.report.found_documents import a_statement


@pytest.mark.parametrize(
    ("ruleset", "text"),
    [
        ("solid-bar(f=max(x, z)//2)", "Let f(x, z) = ⌊max(x, z)/2⌋. In CB(f, x, y, z)"),
        ("solid-bar(f=f)", "In CB(f, x, y, z)"),
        ("step-bar(k=k, s=s)", "In CB(s, k, y, z)"),
        ("strip-bar(k=4, s=2)", "In CB(2, 4, y, z) with a strip x"),
        ("with-pass(strip-bar(k=k, s=1), passes=1)", "In CB(1, k, y, z) with a strip x and a pass"),
        ("with-pass(solid-bar(f=x), passes=3)", "Let f(x, z) = x. In CB(f, x, y, z) with 3 passes"),
        ("rectangular-bar(m=m, n=m)", "In C(m, m)"),
        ("nim(1)", "In Nim with 1 heap"),
        ("nim(3)", "In Nim with 3 heaps"),
        (
            "sum(step-bar(k=2, s=0), solid-bar(f=x+z))",
            "Let f(x, z) = x+z. In the sum of CB(0, 2, y, z) and CB(f, x, y, z)",
        ),
        ("game(wythoff)", "In game(wythoff)"),
    ],
)
def test_a_game_is_introduced_as_a_paper_does(ruleset: str, text: str):
    assert "".join(phrase.text for phrase in introduced(read(ruleset), MathNotation())) == text


RELATED = {"ruleset": "solid-bar(f=(x+z)//k+1)", "parameters": {"k": (3, 5)}}
OTHER = "solid-bar(f=(x+z)//k)"


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (
            a_statement(statement="a > 1 or c > 2 => (P <=> a ^ b ^ c == 0)"),
            "In Nim with 3 heaps, (a, b, c) is a P-position ⇔ a ⊕ b ⊕ c = 0 where a > 1 or c > 2",
        ),
        (
            a_statement(
                ruleset="step-bar(k=k, s=s)",
                when="k%2 == 0 and k > s",
                parameters={"k": (2, 4), "s": (0, 1)},
                statement="G == (y ^ (z+s))-s",
            ),
            "In CB(s, k, y, z), for k ≡ 0 (mod 2) and k > s, G(y, z) = (y ⊕ (z+s))−s",
        ),
        (
            a_statement(statement="size <= 9 => (c == 0 => (P <=> a == b))"),
            "In Nim with 3 heaps, for coordinates up to 9, "
            "(a, b, c) is a P-position ⇔ a = b where c = 0",
        ),
        (
            a_statement(**RELATED, statement=f"P <=> P[{OTHER}](x+k, y, z)"),
            "Let f(x, z) = ⌊(x+z)/k⌋+1. In CB(f, x, y, z), "
            f"(x, y, z) is a P-position ⇔ (x+k, y, z) is a P-position of {OTHER}",
        ),
        (
            a_statement(**RELATED, statement=f"x > 0 => G == G[{OTHER}](x, y, z+1)-1"),
            "Let f(x, z) = ⌊(x+z)/k⌋+1. In CB(f, x, y, z), "
            f"G(x, y, z) = g−1 where x > 0, where g is that of (x, y, z+1) in {OTHER}",
        ),
        (
            a_statement(
                search="count",
                ruleset="nim(k)",
                words="many",
                when="k%2 == 1",
                parameters={"k": (1, 3)},
            ),
            "nim(k), for k%2 == 1: many",
        ),
    ],
)
def test_a_statement_in_a_line(statement: FoundStatement, text: str):
    assert in_text(statement) == text
