"""Formulas in English sentences: recognised, typeset, and nothing lost."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.language.catalogue import load_with_background
from choco_pipeline.formula.written.latex import LaTeX
from choco_pipeline.formula.written.mathml import MathML, in_page
from choco_pipeline.report.prose import prose
from tests.report.read_pages import as_shown

WRITTEN = r"(x+s)k=2^(a+2)·m ≤⌊z/k⌋, ′…ab[0){}P-position _t₁ mod"


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        ("For a k = 4m+1 in 3 bars", ["k = 4 m + 1"]),
        ("a P-position (a) of Theorem 2.1 (ii), N~ and 21B", []),
        ("k = 4 (9 bars)", ["k = 4"]),
        ("x ≡ 1 (mod 2^t)", [r"x \equiv 1 \pmod{2^{t}}"]),
        ("1,000 cases, 5 × 5 squares", [r"5 \times 5"]),
        ("y ≤ ⌊(x+z)/k⌋", [r"y \leq \left\lfloor \frac{x + z}{k} \right\rfloor"]),
        ("terms in [0, 2m) and S_(t+1)", ["[ 0 , 2 m )", "S_{t+1}"]),
        ("min(P1(b), f(−1, zₙ))", [r"\min(P_{1} (b), f(- 1, z_{n}))"]),
        ("(k = 2; s = 3)", ["k = 2", "s = 3"]),
    ],
)
def test_formulas_are_recognised(text, formulas):
    assert [one.text for one in prose(text, LaTeX()) if one.kind == "formula"] == formulas


def test_no_claim_has_a_power_in_plain_text():
    for claim in load_with_background(sorted(Path("config/claims").glob("*.yaml"))).claims.values():
        words = claim.as_ledger().words
        plain = "".join(one.text for one in prose(words, LaTeX()) if one.kind == "words")
        assert not re.search(r"[\^⌊⌋⊕≤≥·]", plain), words


@given(st.text(alphabet=st.sampled_from(WRITTEN), max_size=60))
def test_letters_and_digits_stay_in_their_order(text):
    def letters(shown):
        return re.sub(r"[^a-zA-Z0-9]", "", shown.translate(str.maketrans("₁", "1")))

    assert letters(as_shown(text)) == letters(text)


@given(st.text(max_size=60))
def test_a_sentence_never_becomes_markup(text):
    page = in_page(prose(f"<b>{text}", MathML()))
    assert "<b>" not in page
