"""``python -m tests.hostile COUNT``: so many mutants of each kind."""

import argparse
import os
import sys
import tempfile

from tests.hostile.mutants import KINDS, attempt

options = argparse.ArgumentParser(prog="python -m tests.hostile")
options.add_argument("count", type=int, help="mutants of each kind")
options.add_argument("--seed", type=int, default=0)
given = options.parse_args()
bad = 0
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for kind in KINDS:
        seeds = [f"{given.seed}-{kind}-{i}" for i in range(given.count)]
        found = {seed: why for seed in seeds if (why := attempt(kind, seed)) is not None}
        bad += len(found)
        sys.stdout.write(f"{kind}: {given.count:,} tried, {len(found):,} bad\n")
        sys.stdout.writelines(f"  {seed}: {why}\n" for seed, why in found.items())
    os.chdir("/")
sys.exit(1 if bad else 0)
