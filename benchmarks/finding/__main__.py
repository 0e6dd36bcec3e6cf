"""``./choco bench find``: search all targets and decoys, read back what was said, and write the scores and a page of them."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path

from benchmarks.finding.case import load
from benchmarks.finding.page import page
from benchmarks.finding.run import ROOT, scores, summary


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="choco bench find", description=__doc__)
    parser.add_argument(
        "cases", nargs="*", help="names of targets and decoys, or beginnings; all by default"
    )
    parser.add_argument("--short", action="store_true", help="the short form, as the tests run it")
    parser.add_argument("--seeds", type=int, default=3, help="of what is drawn, so many (3)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--out", type=Path, help="the JSON file; the page stands beside it")
    given = parser.parse_args()
    cases = [
        case
        for case in load()
        if (case.short or not given.short) and case.id.startswith(tuple(given.cases or [""]))
    ]
    if not cases:
        parser.error(f"no target or decoy begins with {' or '.join(given.cases)}")
    found = []
    for score in scores(cases, given.seeds, given.jobs):
        found.append(score)
        wrong = f"{len(score.false)} false of {score.statements}"
        told = f"{score.id} {score.seed}: {score.outcome}, {wrong}, {score.seconds} s of a core"
        sys.stdout.write(f"{told}\n")
        sys.stdout.flush()
    document = {
        "date": date.today().isoformat(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "commit": _commit(),
        "summary": summary(found, cases),
        "scores": [score.as_json() for score in found],
    }
    out = given.out or ROOT / "results" / "benchmarks" / f"find-{document['date']}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
    out.with_suffix(".html").write_text(page(document, cases), encoding="utf-8")
    for name, number in document["summary"].items():
        sys.stdout.write(f"{name:32} {number}\n")
    sys.stdout.write(f"Scores: {out}, {out.with_suffix('.html')}\n")


def _commit() -> str:
    told = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
    )
    return told.stdout.strip() or "none"


if __name__ == "__main__":
    main()
