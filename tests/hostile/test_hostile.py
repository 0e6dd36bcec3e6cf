"""Some mutants of each kind in every run of the tests; `python -m tests.hostile` tries as many as anybody likes."""

import random
from contextlib import suppress

import pytest

from choco_pipeline.errors import ChocoError
from tests.effort import examples
from tests.hostile.mutants import ALL, KINDS, attempt


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_changed_at_random_places_is_answered_in_a_sentence(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seeds = [f"test-{kind}-{i}" for i in range(examples(20))]
    assert {seed: why for seed in seeds if (why := attempt(kind, seed)) is not None} == {}


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
def test_a_twentieth_of_what_the_page_of_results_counts(kind, seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seeds = [f"{seed}-{kind}-{i}" for i in range(ALL[kind] // 20)]
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
