"""Families whose certificates are forged, by name."""

import json
from functools import cache

from tests.proof.uniform.judged import certificate_of
from tests.proof.uniform.test_failure import BEYOND as BOUND
from tests.proof.uniform.test_failure import box
from tests.proof.uniform.test_families import (
    FEW,
    HEAP,
    ODD,
    PLUS,
    POWERS,
    SHIFT,
    SHIFTED,
    SHORT,
    SIDES,
    STEPS,
    below,
    g,
    p,
)
from tests.proof.uniform.test_passes import NUMBER, OF_ODD
from tests.proof.uniform.test_passes import ODD as OF_ODD_S
from tests.proof.uniform.test_passes import STEP as PASSES_OF_STEP
from tests.proof.uniform.test_passes import STRIP as PASSES_OF_STRIP

SUM, STEP, NIM = "solid-bar(f=(x+z)//k)", "step-bar(k=k, s=s)", "x ^ y ^ z == 0"
FAMILIES = {
    "three": (SUM, "k % 4 == 3", p(0)),
    "one": (SUM, "k % 4 == 1", p(-1)),
    "grundy": (STEP, SHORT, g("(y ^ (z+s)) - s")),
    "beside": ("strip-bar(k=k, s=s)", SHORT, p("s")),
    "largest": ("solid-bar(f=max(x, z)//k)", "k % 2 == 0", p(0)),
    "least": ("solid-bar(f=min(x, z)//k)", "k % 2 == 0", p(0)),
    "flat": ("solid-bar(f=z//k)", "k % 2 == 0", p(0)),
    "cases": ("solid-bar(f=(x+z+c)//k)", "k % 2 == 1 and c <= k + 1", p(SHIFT)),
    "product": (PLUS, "k % 4 == 3 and c <= 1", p("c*(k+1)//2")),
    "heaps": ("nim(3)", "k >= 0", {"p_positions": "a ^ b ^ c == 0"}),
    "sum": (HEAP, SHORT, {"p_positions": "(a+s) ^ y ^ (z+s) == 0"}),
    "power": (POWERS, FEW, g(SHIFTED)),
    "formula": (STEP, ODD, g(STEPS)),
    "inside": (SUM, "k % 8 == 4", p(0, box("(3*k+2)//2"))),
    "corner": (SUM, "k >= 1", p(0, "x + z < k")),
    "sides": (SIDES, "k % 4 == 2", p(0, below("k+2"))),
    "beyond": (SUM, "k % 8 == 4", p(0, box("(3*k+2)//2 + 1"))),
    "wrong": (SUM, "k % 4 == 1", p(1)),
    "strip": ("strip-bar(k=k, s=k+2*a+1)", "k % 2 == 0 and 2*a+1 < k", p("k+2*a+1")),
    "conjecture": (SUM, "k % 2 == 0", p(0, box(BOUND))),
    "passed": (PASSES_OF_STRIP, OF_ODD_S, {"p_positions": OF_ODD}),
    "passed numbers": (PASSES_OF_STEP, SHORT, g(NUMBER)),
    "sharp": ("strip-bar(k=k, s=s)", "k % 2 == 0 and s >= 1 and k*(s & -s) <= s", p("s")),
}


@cache
def _text(name: str) -> str:
    ruleset, condition, asked = FAMILIES[name]
    return json.dumps(certificate_of(ruleset, condition, **asked))


def certificate(name):
    """Return a certificate that may be changed."""
    return json.loads(_text(name))


def with_formula(document, formula):
    """Return a certificate with another relation."""
    return {**document, "relation": {**document["relation"], "formula": formula}}
