"""What took how long in a run, stage by stage, with the longest of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from choco_pipeline.sweep.run_ledger import Ledger

#: So many of each stage are named, the longest.
MOST_NAMED = 3


@dataclass(frozen=True)
class RunTime:
    """How long a stage took, or one thing in it."""

    what: str
    seconds: float
    #: Of the longest stage.
    percent: float
    is_stage: bool


def run_times(ledger: Ledger) -> list[RunTime]:
    """Return the stages of a run in their order, each followed by what took longest in it; none if nothing took any time."""
    claims = {claim.id: f"{claim.paper.key}, {claim.number}" for claim in ledger.claims}
    rulesets = {table["id"]: str(table["ruleset"]) for table in ledger.tables}
    parts: Mapping[str, Counter[str]] = {name: Counter() for name in ledger.seconds}
    for stage, what, seconds in (
        *(("tables", t["ruleset"], t["seconds"] + t["seconds_to_store"]) for t in ledger.tables),
        *(("checks", claims[v.claim], v.seconds) for v in ledger.verdicts),
        *(("mining", rulesets[f.table], f.seconds) for f in ledger.findings),
        *(("proofs", p.ruleset, p.seconds) for p in ledger.proofs),
    ):
        parts[stage][what] += seconds
    longest = max(ledger.seconds.values(), default=0)
    if not longest:
        return []

    def time(what: str, seconds: float, *, is_stage: bool) -> RunTime:
        return RunTime(what, seconds, round(100 * seconds / longest, 1), is_stage)

    times = []
    for stage, seconds in ledger.seconds.items():
        times.append(time(stage, seconds, is_stage=True))
        for what, part in parts[stage].most_common(MOST_NAMED):
            if part > 0:
                times.append(time(what, part, is_stage=False))
    return times
