# The plan of the run, made or found when Snakemake starts: it names the shards that the rules speak of.
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

from choco_pipeline.errors import ChocoError
from choco_pipeline.provenance import FINDING_CODE, code_digest
from choco_pipeline.sweep.paths import RESULTS, Paths
from choco_pipeline.sweep.run_plan import current_plan

# "python" in rules is the interpreter that runs Snakemake, also where its environment is not activated.
os.environ.update(
    PATH=os.pathsep.join([str(Path(sys.executable).parent), *os.get_exec_path()])
)

try:
    PLAN = current_plan(Path(str(config.get("choco", "config/config.yaml"))))
except ChocoError as error:
    raise WorkflowError(str(error)) from None

RUN = Paths(RESULTS, PLAN["run"]).plan.parent.as_posix()
TABLES = {table["id"]: table for table in PLAN["tables"]}
PARTS = sorted({order["part"] for order in PLAN["standing"]})
PROOFS = sorted({order["part"] for order in PLAN["proofs"]})
STATEMENTS = sorted({order["part"] for order in PLAN["statements"]})
HEIGHTS = sorted({order["part"] for order in PLAN["heights"]})


def shards_of(kind):
    """Return the shards on whose tables claims ("checks") or mining ("mines") are ordered."""
    return sorted({TABLES[order["table"]]["shard"] for order in PLAN[kind]})


def memory_of(wildcards):
    """Return the MB that a job which builds the largest table of a shard asks for, rounded up."""
    return -(-MEMORY["memory_of_job", wildcards.shard] // 1_000_000)


def memory_to_read_of(wildcards):
    """Return the MB that reading the largest table of a shard needs, by windows, rounded up."""
    return -(-MEMORY["memory_to_read", wildcards.shard] // 1_000_000)


def memory_of_proofs(wildcards):
    """Return the MB that a proof or a decision of a part may take, and the process that waits for it."""
    (name,) = wildcards
    part = [
        order
        for kind in ("proofs", "statements")
        for order in PLAN[kind]
        if order["part"] == name
    ]
    return 500 + max(1074 * order["memory"] for order in part)


MEMORY = {}
for table in PLAN["tables"]:
    for key in ("memory_of_job", "memory_to_read"):
        of = (key, table["shard"])
        MEMORY[of] = max(table[key], MEMORY.get(of, 0))


# Verdicts on tables and on statements lie side by side; these are the names of either.
wildcard_constraints:
    shard="|".join(PLAN["shards"]),
    part="|".join(PARTS) or "none",
    proof="|".join(PROOFS) or "none",
    decided="|".join(STATEMENTS) or "none",
    heights="|".join(HEIGHTS) or "none",
