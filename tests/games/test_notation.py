"""One notation: what is written can be read back, and mistakes are named."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline import parse_ruleset
from choco_pipeline.errors import ChocoError
from choco_pipeline.games.notation import match, read
from tests.rulesets import rulesets

WRITTEN = [
    "step-bar(k=4, s=2)",
    "strip-bar(k=4, s=2)",
    "solid-bar(f=(x+z)//3)",
    "rectangular-bar(m=5, n=7)",
    "nim(3)",
    "with-pass(strip-bar(k=4, s=2), passes=1)",
    "sum(nim(1), with-pass(solid-bar(f=max(x, z)//2), passes=2))",
]


@pytest.mark.parametrize("text", WRITTEN)
def test_as_written(text):
    assert str(parse_ruleset(text)) == text


@given(rulesets())
def test_what_is_written_can_be_read(game):
    assert parse_ruleset(game.notation) == game
    assert match(read(game.notation), read(game.notation)) == {}


@pytest.mark.parametrize(
    ("pattern", "concrete", "found"),
    [
        ("solid-bar(f=(x+z)//k)", "solid-bar(f=(x+z)//3)", {"k": 3}),
        ("solid-bar(f=(x+z)//k)", "solid-bar(f=(z+x)//3)", None),
        ("step-bar(k=k, s=0)", "step-bar(k=4)", {"k": 4}),
        ("step-bar(k=k, s=0)", "step-bar(k=4, s=1)", None),
        ("rectangular-bar(m=m, n=m)", "rectangular-bar(m=5, n=5)", {"m": 5}),
        ("rectangular-bar(m=m, n=m)", "rectangular-bar(m=5, n=7)", None),
        (
            "with-pass(strip-bar(k=k, s=s), passes=1)",
            "with-pass(strip-bar(k=4, s=2), passes=1)",
            {"k": 4, "s": 2},
        ),
        ("with-pass(strip-bar(k=k, s=s), passes=1)", "strip-bar(k=4, s=2)", None),
    ],
)
def test_patterns(pattern, concrete, found):
    assert match(read(pattern), read(concrete)) == found


def _sum_of(parts):
    """Return the notation of a sum of so many games of 15 heaps."""
    return "nim(15)" if parts == 1 else f"sum({_sum_of(parts - 1)}, nim(15))"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("stp-bar(k=2)", "'step-bar'"),
        ("step-bar", "after step-bar"),
        ("step-bar(k=2", "after step-bar"),
        ("sum(nim(1), nim(2", "after sum"),
        ("step-bar(k=2))", "too many"),
        ("sum(nim(1), nim(2)", "missing"),
        ("step-bar(s=2)", "needs k"),
        ("step-bar(k=2, t=3)", "'t'"),
        ("step-bar(2, 3, 4)", "2 arguments"),
        ("step-bar(k=2, k=3)", "'k' twice"),
        ("step-bar(2, k=3)", "'k' twice"),
        ("step-bar(k=0)", "at least 1, found 0"),
        ("step-bar(k=2, s=-1)", "at least 0, found -1"),
        ("nim(16)", "15"),
        ("step-bar(k=n)", "'n'"),
        ("solid-bar(f=__import__('os'))", "__import__"),
        ("solid-bar(f=open('/etc/passwd'))", 'call to "open"'),
        ("with-pass(" * 40 + "nim(1)" + ")" * 40, "20 deep"),
        ("nim(" + "1" * 5000 + ")", "at most 4000"),
        ("with-pass(nim(2), passes=1000000000000)", "at most 64, found 1000000000000"),
        ("step-bar(k=2**29)", "at most 268,435,456"),
        ("strip-bar(k=2, s=10**40)", "133 binary digits"),
        ("rectangular-bar(2, 10**12)", "n must be at most 268,435,456"),
        (_sum_of(5), "at most 64 coordinates"),
        ("", "unknown ruleset"),
    ],
)
def test_mistakes(text, part):
    with pytest.raises(ChocoError, match=re.escape(part)):
        parse_ruleset(text)


@given(st.text(alphabet="step-barnimsumwithpf(),=xz0123 //+*'\"", max_size=40))
def test_no_text_gives_a_traceback(text):
    with suppress(ChocoError):
        parse_ruleset(text)
