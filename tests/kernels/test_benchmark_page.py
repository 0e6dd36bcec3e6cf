"""The page of benchmarks, from a run of some that know nothing of it."""

import json
import os
import subprocess
import sys

from benchmarks.page import page

BENCHMARKS = """
def test_rate(benchmark):
    benchmark(sum, [1])
    benchmark.extra_info["MB per second"] = 1234567
    benchmark.extra_info["times faster than <others>"] = 0.5

def test_other(benchmark):
    benchmark(sum, [1])
    benchmark.extra_info["MB per second"] = 617283.5
    benchmark.extra_info["times faster than <others>"] = 50
    benchmark.extra_info["codec"] = "none & more"

def test_silent(benchmark):
    benchmark(sum, [1])

def test_far(benchmark):
    benchmark(sum, [1])
    benchmark.extra_info["cells per second by bound"] = {10: 4, 100: 40, 1000: 400}
"""


def test_any_benchmark_has_its_place(tmp_path):
    (tmp_path / "test_these.py").write_text(BENCHMARKS)
    command = [sys.executable, "-m", "pytest", "-q", "--benchmark-json=run.json", "-c", "/dev/null"]
    command += ["--benchmark-max-time=0.01", "--rootdir=.", "test_these.py"]
    # beside other workers of the tests' own, nothing would be measured
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, env=alone)
    html = page(json.loads((tmp_path / "run.json").read_text()))
    assert html.count("<svg") == 3
    assert html.count('width="360.0"') == 2  # the best of each chart
    assert html.count('width="180.0"') == 1  # half the rate
    assert html.count('width="0.0"') == 1  # the least ratio
    assert "1,235,000" in html
    assert "times faster than &lt;others&gt;, logarithmic" in html
    assert "codec: none &amp; more" in html
    assert 'points="44.0,216.0 360.0,130.0 676.0,44.0 "' in html  # a straight line
    assert "cells per second by bound, both logarithmic" in html
    assert "<td>silent<" in html
    assert "http" not in html
