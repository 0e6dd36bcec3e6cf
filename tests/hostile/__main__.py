"""``python -m tests.hostile COUNT [KIND…]``: so many mutants of each kind, or of some; ``all`` are those of the page of results."""

import argparse
import os
import resource
import sys
import tempfile
import time

from tests.hostile.mutants import ALL, ENDED, KINDS, attempt

options = argparse.ArgumentParser(prog="python -m tests.hostile")
options.add_argument("count", help="mutants of each kind; all: as many as the page of results has")
options.add_argument("kinds", nargs="*", metavar="kind", help=f"of {', '.join(KINDS)}")
options.add_argument("--seed", type=int, default=0)
given = options.parse_intermixed_args()
if unknown := set(given.kinds) - KINDS.keys():
    options.error(f"no kind: {', '.join(sorted(unknown))}")
bad = 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for kind in given.kinds or KINDS:
        start, count = time.process_time(), ALL[kind] if given.count == "all" else int(given.count)
        seeds = [f"{given.seed}-{kind}-{i}" for i in range(count)]
        found = {seed: why for seed in seeds if (why := attempt(kind, seed)) is not None}
        bad += len(found)
        seconds = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        sys.stdout.write(
            f"{kind}: {count:,} tried, {len(found):,} bad"
            f" ({seconds:.0f} s of a processor; at most {memory:,} MiB so far)\n"
        )
        sys.stdout.writelines(f"  {seed}: {why}\n" for seed, why in found.items())
        sys.stdout.flush()
    if ENDED:
        codes = ", ".join(f"{number:,} with {code}" for code, number in sorted(ENDED.items()))
        sys.stdout.write(f"commands ended: {codes}\n")
    os.chdir("/")
sys.exit(1 if bad else 0)
