"""Claims tried at once, against the definition; and which parameters, bounds and tables a trial takes."""

from __future__ import annotations

import importlib
import itertools
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from choco_pipeline import StepBar, parse_ruleset
from choco_pipeline.claims import quick_trial as trial_module
from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue, mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Exhausted, HoldsToBound, Refuted
from choco_pipeline.claims.processor_time import OverTimeError, ProcessorTime
from choco_pipeline.claims.quick_trial import Trial, trials
from choco_pipeline.errors import ConfigError, LimitError
from choco_pipeline.formula.ranges import parse_range
from tests.claims.written import entry_from
from tests.effort import examples

PAGE = Path("docs/statements.md")


def claim(**more: Any) -> Claim:
    """Return a claim of a catalogue, by default one that is true of every step bar with even k and s = 0."""
    entry = {
        "id": "drawn",
        "ruleset": "step-bar(k=k, s=s)",
        "when": "k % 2 == 0",
        "check": {"kind": "grundy", "equals": "y ^ z", "where": "s == 0"},
        **more,
    }
    found = entry_from({key: v for key, v in entry.items() if v is not None})
    assert list(mistakes_in(found)) == []
    return found


def tried(found: Claim, *arguments: Any) -> list[tuple[dict[str, int], int | None]]:
    return [(dict(trial.parameters), trial.bound) for trial in trials(found, *arguments)]


SAMPLE = {"parameters": {"k": "2..5", "t": "0..1", "s": "t*k"}, "bound": "10*k+t"}


def test_a_sample_is_tried_in_order_where_the_claim_speaks():
    assert tried(claim(sample=SAMPLE)) == [
        ({"k": 2, "s": 0}, 20),
        ({"k": 2, "s": 2}, 21),
        ({"k": 4, "s": 0}, 40),
        ({"k": 4, "s": 4}, 41),
    ]


def test_progress_is_reported_table_by_table():
    done: list[tuple[int, int]] = []
    found = trials(claim(sample=SAMPLE), {}, None, lambda *seen: done.append(seen))
    next(found)
    assert done == [(1, 4)]
    list(found)
    assert done == [(1, 4), (2, 4), (3, 4), (4, 4)]


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


def test_without_a_sample_the_values_and_the_bound_must_be_given():
    found = claim()
    assert tried(found, {"s": 0, "k": 2}, 9) == [({"k": 2, "s": 0}, 9)]
    for values, message in [
        ({}, "claim drawn has no sample: a value is needed for k and s, such as k=3"),
        ({"k": 2}, "claim drawn has no sample: a value is needed for s, such as s=3"),
        ({"k": 2, "s": 0}, "claim drawn has no sample: a bound is needed"),
        ({"k": 2, "s": 0, "q": 1}, "claim drawn has no parameter 'q': it has k, s"),
    ]:
        with pytest.raises(ConfigError, match=f"^{re.escape(message)}$"):
            trials(found, values)
    assert tried(claim(reach="k+5"), {"k": 2, "s": 0}) == [({"k": 2, "s": 0}, 7)]


def test_a_value_that_the_claim_does_not_speak_of_is_an_error():
    with pytest.raises(ConfigError, match=r"^claim drawn is not about k = 3, s = 0: k%2 == 0$"):
        trials(claim(), {"k": 3, "s": 0}, 9)
    with pytest.raises(ConfigError, match=r"is not about k = 3, t = 0..1, s = t\*k: k%2 == 0$"):
        trials(claim(sample=SAMPLE), {"k": 3})


def test_what_is_too_large_is_refused_before_anything_is_computed(monkeypatch):
    monkeypatch.setattr(trial_module, "table", None)  # whatever would call it fails
    with pytest.raises(LimitError, match=r"bound 10000000 is too large: its table needs .* memory"):
        trials(claim(), {"k": 2, "s": 0}, 10_000_000)
    with pytest.raises(LimitError, match=r"more than 10,000 combinations of k, s"):
        trials(claim(), {"k": parse_range("1..200"), "s": parse_range("0..99")}, 5)
    with pytest.raises(ConfigError, match=r"a bound is at least 0, found -1"):
        trials(claim(), {"k": 2, "s": 0}, -1)
    monkeypatch.setattr(trial_module, "MOST_SECONDS", 1e-3)
    with pytest.raises(LimitError, match=r"bound 5 is too large: its table takes about"):
        trials(claim(), {"k": 2, "s": 0}, 5)


@settings(max_examples=examples(20))
@given(
    st.integers(1, 6), st.integers(0, 6), st.integers(0, 14), st.sampled_from(["y ^ z", "y + z"])
)
def test_the_verdict_is_that_of_the_definition(k, s, bound, formula):
    found = claim(when=None, check={"kind": "grundy", "equals": formula})
    (trial,) = trials(found, {"k": k, "s": s}, bound)
    game = StepBar(k, s)
    assert parse_ruleset(str(trial.ruleset)) == game
    equals = {"y ^ z": lambda y, z: y ^ z, "y + z": lambda y, z: y + z}[formula]
    wrong = [p for p in game.positions(bound) if game.grundy(p) != equals(*p)]
    verdict = trial.finding.verdict
    assert isinstance(verdict, Refuted if wrong else HoldsToBound), (k, s, bound, formula)
    if isinstance(verdict, Refuted):
        assert verdict.counterexample.position == min(wrong, key=lambda p: (max(p), p))


@pytest.mark.parametrize(
    ("ruleset", "check", "quantity"),
    [
        ("nim(3)", {"kind": "p-positions", "formula": "a ^ b ^ c == 0"}, "p-positions"),
        ("nim(1)", {"kind": "p-positions", "formula": "a == 0"}, "grundy"),
        ("nim(3)", {"kind": "grundy", "equals": "a ^ b ^ c"}, "grundy"),
    ],
)
def test_the_cheaper_table_that_settles_anything(ruleset, check, quantity):
    (trial,) = trials(claim(ruleset=ruleset, when=None, check=check), {}, 6)
    assert (trial.quantity, type(trial.finding.verdict)) == (quantity, HoldsToBound)


def test_rectangular_bars_are_their_own_bound():
    check = {"kind": "p-positions", "formula": "(i-1) ^ (m-i) ^ (j-1) ^ (m-j) == 0"}
    found = claim(ruleset="rectangular-bar(m=m, n=m)", when=None, check=check)
    for bound in (None, 3, 999):
        (trial,) = trials(found, {"m": 7}, bound)
        assert (trial.bound, trial.finding.verdict) == (6, Exhausted(49))


def test_tables_are_compared_in_one_trial():
    relations = ["g(2*m) == 4*g(m)", "g(2*m+1) == g(m) + g(m+1)"]
    check = {"kind": "counts", "relations": relations}
    found = claim(ruleset="rectangular-bar(m=m, n=m)", when=None, check=check)
    done: list[tuple[int, int]] = []
    (trial,) = trials(found, {"m": parse_range("1..8")}, None, lambda *seen: done.append(seen))
    assert isinstance(trial.finding.verdict, HoldsToBound)
    assert (trial.parameters, trial.bound) == ({}, None)
    assert trial.finding.evidence["p_positions"] == {
        str(m): g for m, g in enumerate([1, 4, 5, 16, 9, 20, 21, 64], start=1)
    }
    assert done == [(i, 8) for i in range(1, 9)]
    wrong = {"kind": "counts", "relations": ["g(m) == m*m"]}
    found = claim(ruleset="rectangular-bar(m=m, n=m)", when=None, check=wrong)
    (trial,) = trials(found, {"m": parse_range("1..8")})
    assert isinstance(trial.finding.verdict, Refuted)


def standing() -> Claim:
    check = {"kind": "integers", "bound": 8, "all": {"a": "0..N", "b": "0..a"}, "holds": "b != 3"}
    return claim(ruleset=None, when=None, check=check)


def test_a_statement_on_integers_is_tried_once():
    (trial,) = trials(standing())
    assert isinstance(trial.finding.verdict, Refuted)
    assert (trial.ruleset, trial.bound, trial.quantity, trial.parameters) == (None, None, None, {})
    (trial,) = trials(standing(), {"b": 2}, 5)
    assert not isinstance(trial.finding.verdict, Refuted)
    assert (trial.parameters, trial.bound) == ({"b": 2}, 5)
    (trial,) = trials(standing(), {}, 2)
    assert not isinstance(trial.finding.verdict, Refuted)
    with pytest.raises(ConfigError, match=r"^claim drawn has no parameter 'c': it has a, b$"):
        trials(standing(), {"c": 1})
    with pytest.raises(ConfigError, match=r"^claim drawn: a must be one integer, found 1..2$"):
        trials(standing(), {"a": parse_range("1..2")})


def examples_of_the_page(folder: Path) -> Catalogue:
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
    spans = {name: "0..N" for name in "xyz"}
    check = {"kind": "integers", "bound": 999, "all": spans, "holds": "x ^ y ^ z <= x+y+z"}
    endless = claim(ruleset=None, when=None, check=check)
    clock = ProcessorTime(0.1, "there is no more")
    (trial,) = trials(endless, limit=clock.counted)
    assert trial.text == "undecided: it takes more than 0.1 s of a processor; there is no more"
    (again,) = trials(standing(), limit=clock.counted)
    assert again.text == trial.text


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
