"""Claims tried at once, against the definition; and which parameters, bounds and tables a trial takes."""

from __future__ import annotations

import importlib
import itertools
import re
import signal
import sys
from pathlib import Path

import pytest

from choco_pipeline.claims import quick_trial as trial_module
from choco_pipeline.claims.language.catalogue import load_catalogue, mistakes_in
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted
from choco_pipeline.claims.quick_trial import OverTimeError, ProcessorTime, Trial, trials
from choco_pipeline.errors import ConfigError, LimitError
from choco_pipeline.formula import parse_range
from tests.claims.claims import entry_from

PAGE = Path("docs/statements.md")


def claim(**more):
    """Return a claim of a catalogue, by default one that is true of every step bar with even k and s = 0."""
    entry = {
        "id": "drawn",
        "ruleset": "step-bar(k=k, s=s)",
        "when": "k % 2 == 0",
        "statement": "s == 0 => G == y ^ z",
        **more,
    }
    found = entry_from({key: v for key, v in entry.items() if v is not None})
    assert list(mistakes_in(found)) == []
    return found


def tried(found, *arguments):
    return [(dict(trial.parameters), trial.bound) for trial in trials(found, *arguments)]


SAMPLE = {"parameters": {"k": "2..5", "t": "0..1", "s": "t*k"}, "bound": "10*k+t"}


def test_a_sample_is_tried_in_order_where_the_claim_speaks():
    assert tried(claim(sample=SAMPLE)) == [
        ({"k": 2, "s": 0}, 20),
        ({"k": 2, "s": 2}, 21),
        ({"k": 4, "s": 0}, 40),
        ({"k": 4, "s": 4}, 41),
    ]


def test_what_is_given_replaces_the_sample():
    found = claim(sample=SAMPLE)
    assert tried(found, {"k": 8, "t": 1}) == [({"k": 8, "s": 8}, 81)]
    assert tried(found, {"k": parse_range("6..9"), "t": 0}, 5) == [
        ({"k": 6, "s": 0}, 5),
        ({"k": 8, "s": 0}, 5),
    ]
    # t no longer makes a difference, but for the bound that the sample takes from it.
    assert tried(found, {"k": 2, "s": 3}, 5) == [({"k": 2, "s": 3}, 5)]
    assert tried(found, {"k": 2, "s": 3}) == [({"k": 2, "s": 3}, 20), ({"k": 2, "s": 3}, 21)]


@pytest.mark.parametrize(
    ("values", "bound", "missing"),
    [
        ({}, 9, "k and s"),
        ({"k": 2}, 9, "s"),
        ({"k": 2, "s": 0}, None, "bound"),
        ({"k": 2, "s": 0, "q": 1}, 9, "'q'"),
        ({"k": 3, "s": 0}, 9, "is not about k = 3"),
    ],
)
def test_without_a_sample_the_values_and_the_bound_must_be_given(values, bound, missing):
    with pytest.raises(ConfigError, match=f"^claim drawn .*{missing}"):
        trials(claim(), values, bound)


def test_given_values_and_the_reach_of_a_claim_are_enough():
    assert tried(claim(), {"s": 0, "k": 2}, 9) == [({"k": 2, "s": 0}, 9)]
    assert tried(claim(statement="size <= k+5 and s == 0 => G == y ^ z"), {"k": 2, "s": 0}) == [
        ({"k": 2, "s": 0}, 7)
    ]


@pytest.mark.parametrize(
    ("error", "k", "s", "bound", "seconds"),
    [
        (LimitError, 2, 0, 10_000_000, 600),
        (LimitError, parse_range("1..200"), parse_range("0..99"), 5, 600),
        (ConfigError, 2, 0, -1, 600),
        (LimitError, 2, 0, 5, 1e-3),
    ],
)
def test_what_is_too_large_is_refused_before_anything_is_computed(
    monkeypatch, error, k, s, bound, seconds
):
    monkeypatch.setattr(trial_module, "table", None)  # whatever would call it fails
    monkeypatch.setattr(trial_module, "MOST_SECONDS", seconds)
    with pytest.raises(error):
        trials(claim(), {"k": k, "s": s}, bound)


def test_rectangular_bars_are_their_own_bound():
    statement = "P <=> (i-1) ^ (m-i) ^ (j-1) ^ (m-j) == 0"
    found = claim(ruleset="rectangular-bar(m=m, n=m)", when=None, statement=statement)
    for bound in (None, 3, 999):
        (trial,) = trials(found, {"m": 7}, bound)
        assert (trial.bound, trial.finding.verdict) == (6, Exhausted(49))


@pytest.mark.parametrize(
    ("relation", "expected"), [("g(2*m) == 4*g(m)", HoldsToBound), ("g(m) == m*m", Refuted)]
)
def test_tables_are_compared_in_one_trial(relation, expected):
    check = {"kind": "counts", "relations": [relation]}
    found = claim(ruleset="rectangular-bar(m=m, n=m)", when=None, statement=None, check=check)
    done: list[tuple[int, int]] = []
    (trial,) = trials(found, {"m": parse_range("1..8")}, None, lambda *seen: done.append(seen))
    assert isinstance(trial.finding.verdict, expected)
    assert (trial.parameters, trial.bound) == ({}, None)
    assert [*trial.finding.evidence["p_positions"].values()] == [1, 4, 5, 16, 9, 20, 21, 64]
    assert done == [(i, 8) for i in range(1, 9)]


def standing():
    return claim(ruleset=None, when=None, statement="for a in 0..N, b in 0..a: b != 3", bound=8)


def test_a_statement_on_integers_is_tried_once():
    (trial,) = trials(standing())
    assert isinstance(trial.finding.verdict, Refuted)
    assert (trial.ruleset, trial.bound, trial.quantity, trial.parameters) == (None, None, None, {})
    (trial,) = trials(standing(), {"b": 2}, 5)
    assert not isinstance(trial.finding.verdict, Refuted)
    assert (trial.parameters, trial.bound) == ({"b": 2}, 5)
    for given in ({"c": 1}, {"a": parse_range("1..2")}):
        with pytest.raises(ConfigError, match="claim drawn"):
            trials(standing(), given)


def examples_of_the_page(folder):
    """Return the claims in docs/statements.md."""
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    path = folder / "docs.yaml"
    head = "paper: {key: docs, title: T, authors: [A], reference: r}\nclaims:\n"
    path.write_text(head + "".join(blocks), encoding="utf-8")
    return load_catalogue([path])


def test_the_examples_of_the_page_hold(tmp_path):
    for found in examples_of_the_page(tmp_path).claims.values():
        results: list[Trial] = list(trials(found))
        assert results
        for trial in results:
            assert isinstance(trial.finding.verdict, Exhausted | HoldsToBound), (found.id, trial)


def test_what_takes_too_long_is_undecided_and_so_is_what_comes_behind():
    statement = "for x in 0..N, y in 0..N, z in 0..N: x ^ y ^ z <= x+y+z"
    endless = claim(ruleset=None, when=None, statement=statement, bound=999)
    clock = ProcessorTime(0.1, "there is no more")
    for late in (endless, standing()):
        (trial,) = trials(late, limit=clock.counted)
        assert trial.verdict == "undecided"
        assert "there is no more" in trial.text


def test_an_import_is_not_ended_half_way(tmp_path, monkeypatch):
    module = tmp_path / "slow_to_import.py"
    module.write_text(
        "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end:\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    clock = ProcessorTime(0.1, "there is no more")
    works = (importlib.import_module, lambda _: max(n % 2 for n in itertools.count()))
    with pytest.raises(OverTimeError), clock.counted():
        [work("slow_to_import") for work in works]
    assert hasattr(sys.modules.pop("slow_to_import"), "end")


def test_a_search_for_parameters_that_takes_too_long_is_refused():
    clock = ProcessorTime(0.1, "there is no more")
    with clock.counted():
        pass
    with pytest.raises(OverTimeError, match=r"more than 0\.1 s of a processor"), clock.counted():
        max(n % 2 for n in itertools.count())
    with pytest.raises(OverTimeError):
        trials(claim(sample=SAMPLE), limit=clock.counted)
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)
    assert signal.getsignal(signal.SIGPROF) == signal.SIG_DFL
