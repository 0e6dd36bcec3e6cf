"""A small configuration with a claim, and the orders of its jobs."""

from pathlib import Path
from typing import Any

from choco_pipeline.documents.record import read_record

CLAIMS = """\
paper: {key: mine, title: T, authors: [A], year: 2026, reference: R}
claims:
  - id: mine-1
    number: Theorem 1
    status: theorem
    words: The Grundy number of a step bar with s = 0 and even k is the nim-sum of y and z.
    ruleset: step-bar(k=k, s=0)
    when: k % 2 == 0
    statement: G == y ^ z
"""


STATEMENT = """\
  - id: mine-{i}
    number: Lemma {i}
    status: lemma
    words: A sum is never less than the nim-sum.
    statement: 'for x in 0..N, y in 0..N: x ^ y <= x+y'
    bound: {bound}
"""


CONFIG = """\
run: t
claims: [claims.yaml]
sweeps:
  a:
    ruleset: step-bar(k=k)
    parameters: {k: [2, 3, 4]}
    bound: 20
    quantity: grundy
    mine: [value-sets]
"""


def statements(numbers: range, bound: int = 9) -> str:
    return CLAIMS + "".join(STATEMENT.format(i=i, bound=bound) for i in numbers)


def orders(stage: str, sweep: str = "a") -> list[dict[str, Any]]:
    """Return the orders of the parts of a job of the run `t`; none without one."""
    file = Path(f"results/t/orders/{stage}/{sweep}.json")
    return [part["order"] for part in read_record(file)["parts"]] if file.exists() else []


def digests(plan: Any) -> dict[tuple[str, str], str]:
    """Return the digests of a plan's jobs by stage and sweep."""
    return {
        (stage, sweep): job["order"]
        for stage, jobs in plan["jobs"].items()
        for sweep, job in jobs.items()
    }
