"""Mutants of each kind: a few, many with ``--all``, more with ``--slow``."""

import random
from contextlib import suppress

import pytest

from choco_pipeline.errors import ChocoError
from tests.hostile.mutants import ALL, KINDS, attempt


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "share",
    [
        0.001,
        pytest.param(0.05, marks=pytest.mark.full),
        pytest.param(1, marks=[pytest.mark.full, pytest.mark.slow]),
    ],
)
def test_a_mutant_is_answered_in_a_sentence(kind, share, seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seeds = [
        f"{seed if share > 0.01 else 0}-{kind}-{i}" for i in range(max(10, int(share * ALL[kind])))
    ]
    assert {one: why for one in seeds if (why := attempt(kind, one)) is not None} == {}


def test_a_traceback_is_found(monkeypatch):
    monkeypatch.setitem(KINDS, "formulas", lambda chance: [][chance.randrange(9)])
    assert attempt("formulas", "any") == "IndexError: list index out of range"


def test_most_mutants_are_refused_and_some_are_read(tmp_path, monkeypatch):
    """Else the mutations would be too wild, or too tame, to find anything."""
    monkeypatch.chdir(tmp_path)
    read = 0
    for i in range(60):
        with suppress(ChocoError):
            KINDS["configurations"](random.Random(i))
            read += 1
    assert 2 <= read <= 40
