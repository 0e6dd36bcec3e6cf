"""The loops of loops.cpp, compiled for this machine when they are first asked for."""

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

SOURCE = Path(__file__).with_name("loops.cpp")


@cache
def library():
    """Return the compiled loops; a benchmark that asks without a compiler is skipped."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ on this machine, so nothing to compare with C++")
    with TemporaryDirectory() as folder:
        compiled = Path(folder, "loops.so")
        flags = ["-O3", "-march=native", "-std=c++17", "-Wall", "-Wextra", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, str(SOURCE), "-o", str(compiled)], check=True)
        return ctypes.CDLL(str(compiled))  # stays loaded when its file goes


def run(name, heights, shape, *numbers):
    """Call a loop on heights and further numbers, and return its int32 table of this shape."""
    heights = np.ascontiguousarray(heights, np.int32)
    table = np.full(shape, -1, np.int32)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (heights, table)]
    sizes = [ctypes.c_ssize_t(n) for n in (*heights.shape, *numbers)]
    getattr(library(), name)(pointers[0], *sizes, pointers[1])
    return table


def grundy_bar(heights, passes):
    return run("grundy_bar", heights, (passes + 1, len(heights), heights[-1] + 1), passes)


def grundy_bar_bitsets(heights, passes):
    return run("grundy_bar_bitsets", heights, (passes + 1, len(heights), heights[-1] + 1), passes)


def grundy_solid(heights):
    return run("grundy_solid", heights, (1, *heights.shape, heights[-1, -1] + 1))


def p_columns(heights):
    return run("p_columns", heights, (1, *heights.shape))
