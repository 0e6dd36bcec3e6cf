"""Snakemake's output, read whole or a few bytes at a time."""

import io
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.api.run import SnakemakeLog

OUTPUT = b"""Building DAG of jobs...
Job stats:
job       count
------  -------
build         2
ledger        1
prove         1
all           1
total         5

Select jobs to execute...
localrule build:
    input: results/tiny/plan.json
    wildcards: sweep=step-bars
Finished jobid: 3 (Rule: build)
localrule prove:
    wildcards: sweep=without_tables
localrule ledger:
    input: results/tiny/plan.json
Error in rule ledger:
    message: None
    log: results/tiny/log/ledger.log (check log file(s) for error details)
Error in rule mine:
    message: SLURM-job '7' failed
    log: results/tiny/log/mine/a.log, /p/results/.slurm/rule_mine/a/7.log (check log file(s) for error details)
"""
JOBS = {"build": 2, "prove": 1, "ledger": 1}
STARTED = [("build", "step-bars"), ("prove", "without_tables")]
FAILED = [
    ("ledger", [Path("results/tiny/log/ledger.log")]),
    ("mine", [Path("results/tiny/log/mine/a.log"), Path("/p/results/.slurm/rule_mine/a/7.log")]),
]


@given(st.lists(st.integers(0, len(OUTPUT)), max_size=8))
def test_events_do_not_depend_on_when_the_file_is_read(cuts):
    file = io.BytesIO()
    log = SnakemakeLog(file)
    for end in [*sorted(cuts), len(OUTPUT)]:
        place = file.tell()
        file.seek(0, io.SEEK_END)
        file.write(OUTPUT[file.tell() : end])
        file.seek(place)
        log.read()
    assert (log.jobs, log.started, log.failed) == (JOBS, STARTED, FAILED)
