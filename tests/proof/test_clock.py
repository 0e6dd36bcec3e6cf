"""What limits of proofs count: computing, of this thread and of its children, and no waiting."""

import subprocess
import sys
import time

from choco_pipeline.proof.clock import computed

BUSY = """
import time
while time.process_time() < 0.5:
    pass
"""


def test_what_children_compute_counts_and_waiting_does_not():
    before = computed()
    time.sleep(0.5)
    waited = computed()
    assert waited - before < 0.25
    subprocess.run([sys.executable, "-c", BUSY], check=True)
    assert computed() - waited >= 0.5
