"""A small run of the stages before the report, in this process."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import choco_pipeline
from choco_pipeline.stages import Stage
from choco_pipeline.sweep.ledger import write_ledger
from tests.jobs import planned_run
from tests.shared import shared_folder

CLAIMS = Path(choco_pipeline.__file__).parents[1] / "config" / "claims"
#: A text that would do harm if the page took it for markup, in a claim that is false.
HOSTILE = "</script><script>alert('claim')</script> & <b>bold</b>"
CONFIG = """
run: small
title: Small & <i>hostile</i>
claims: [claims/step2015.yaml, claims/pass2016.yaml, claims/solid2022.yaml, claims/patterns.yaml, claims/own.yaml]
sweeps:
  step-bars: {ruleset: "step-bar(k=k, s=s)", parameters: {k: 1..5, s: 0..k-1}, bound: 40, quantity: grundy}
  step-columns: {ruleset: "step-bar(k=2)", bound: 30, quantity: p-positions}
  pass-games:
    ruleset: strip-bar(k=4, s=s)
    parameters: {s: 1..3}
    passes: 1
    bound: 60
    quantity: p-positions
    mine: [value-sets]
  solid-bars:
    ruleset: solid-bar(f=(x+z)//k)
    parameters: {k: 1..13}
    bound: 48
    quantity: p-positions
    mine: [value-sets, formulas]
  solid-grundy: {ruleset: "solid-bar(f=(x+z)//3)", bound: 20, quantity: grundy}
  heights: {ruleset: solid-bar(f=f), heights: [csv(heights.csv), "max(x,z)//2"], bound: 5, quantity: p-positions}
  square-bars: {ruleset: "rectangular-bar(m=m, n=m)", parameters: {m: 1..12}, quantity: p-positions}
  square-passes: {ruleset: "rectangular-bar(m=m, n=m)", parameters: {m: 5..7}, passes: 1, quantity: p-positions}
  nim-heaps: {ruleset: nim(3), passes: 0..1, bound: 31, quantity: p-positions}
  one-heap: {ruleset: nim(1), bound: 4, quantity: p-positions}
  sums: {ruleset: "sum(nim(1), step-bar(k=2))", bound: 9, quantity: p-positions}
"""
OWN = f"""
paper: {{key: own, title: "Own <claims>", authors: [A. Nobody], year: 2026, reference: none}}
claims:
  - {{id: own-false, number: "Guess <1>", status: conjecture, words: "{HOSTILE}",
     ruleset: "step-bar(k=k, s=s)", statement: G == y ^ z}}
  - {{id: own-printed, number: Corollary 2, status: corollary, words: "As printed, with a sign that is wrong.",
     ruleset: step-bar(k=2), statement: P <=> y + z == 2}}
  - {{id: own-intended, number: Corollary 2, status: corollary, words: "As intended, with the sign put right.",
     note: "A note with <markup> in it.", ruleset: step-bar(k=2), corrects: own-printed, statement: P <=> y - z == 0}}
  - {{id: own-other, number: Remark 3, status: remark, words: What another paper says of the bars of Conjecture 2.,
     ruleset: solid-bar(f=(x+z)//k), when: k % 4 == 1, contradicts: [solid2022-conj-2],
     statement: P <=> (x-1) ^ y ^ (z-1) == 0}}
  - {{id: own-unchecked, number: Definition 4, status: definition, words: Of a game that this run has no table of.,
     ruleset: nim(7), corrects: own-no-sum, statement: P <=> a == 0}}
  - {{id: own-sum, number: Lemma 5, status: lemma, words: "On integers, and true.", bound: 20,
     statement: 'for x in 0..N, y in 0..x: let d = x - y: d + y == x'}}
  - {{id: own-no-sum, number: Lemma 6, status: lemma, words: "On integers, and false at x = 1 and y = 1.", bound: 20,
     statement: 'for x in 0..N, y in 0..x: x + y == x ^ y'}}
"""
LEDGER = "results/small/ledger.json"


def small_run(factory: pytest.TempPathFactory, name: str) -> Path:
    """Return the ledger of this run, in a new folder with all that it has made."""
    folder = factory.mktemp(name)
    shutil.copytree(shared_folder(factory, "small-run", _run), folder, dirs_exist_ok=True)
    return folder / LEDGER


def _run(folder: Path) -> None:
    """Carry the run out below `folder`."""
    shutil.copytree(CLAIMS, folder / "claims")
    (folder / "claims" / "own.yaml").write_text(OWN, encoding="utf-8")
    (folder / "small.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / "heights.csv").write_text("\n".join("0,1,1,2,2,3" for _ in range(6)) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        _, paths = planned_run(Path("small.yaml"), Stage.BUILD, Stage.CHECK, Stage.MINE)
        write_ledger(str(paths.plan), str(paths.folder / "ledger.json"), _quiet)


def _quiet(stage: str, **numbers: int) -> None:
    """Take a task's progress and say nothing."""
