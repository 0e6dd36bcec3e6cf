"""The page of benchmarks, from a run of some that know nothing of it."""

import json
import os
import subprocess
import sys

import pytest

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


@pytest.mark.full
def test_any_benchmark_has_its_place(tmp_path):
    (tmp_path / "test_these.py").write_text(BENCHMARKS)
    command = [sys.executable, "-m", "pytest", "-q", "--benchmark-json=run.json", "-c", "/dev/null"]
    command += ["--benchmark-max-time=0.01", "--rootdir=.", "test_these.py"]
    # beside other workers of the tests' own, nothing would be measured
    alone = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, env=alone)
    html = page(json.loads((tmp_path / "run.json").read_text()))
    assert html.count("<svg") == 3
    assert html.count('width="360.0"') == 1  # the best rate
    assert html.count('width="180.0"') == 1  # half of it
    # Three powers of ten in 360: 0.5 is 0.7 of one above 0.1, and 50 is two more above that.
    assert html.count('cx="513.9"') == html.count('cx="753.9"') == 1
    assert 'points="44.0,216.0 360.0,130.0 676.0,44.0 "' in html  # a straight line
    for shown in ("1,235,000", "than &lt;others&gt;", "codec: none &amp; more", "<td>silent<"):
        assert shown in html
    assert "http" not in html
