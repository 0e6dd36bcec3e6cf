"""All kernels: types of cells and of arguments, and passes; what they carry on arrives as it was sent."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.kernels import (
    BelowSets,
    BlockedHeights,
    OptionSets,
    bitset,
    fill_bar,
    fill_columns,
    fill_solid,
    fold_bar,
    fold_columns,
    fold_solid,
    warm_up,
)
from choco_pipeline.kernels.bitset import pack, unpack
from choco_pipeline.kernels.dtypes import table_for
from tests.kernels.definitions import grundy_bar, grundy_solid, p_columns
from tests.kernels.test_solid import triangular


def test_number_of_options_beyond_int32_refused():
    with pytest.raises(ValueError, match="may hold 2147483648, more than int32"):
        table_for((1,), 2**31)


def test_warm_up_leaves_nothing_to_compile():
    warm_up()
    kernels = (fill_bar, fill_solid, fill_columns, fold_bar, fold_solid, fold_columns)
    compiled = [len(kernel.signatures) for kernel in kernels]
    assert set(compiled) == {2}
    grundy_bar(range(9), 1)
    grundy_bar(np.zeros(32769, np.uint8))
    grundy_solid([[0, 1, 2]], 1)
    grundy_solid(np.zeros((32769, 1), np.int64))
    p_columns([[0, 1, 2]], 1)
    p_columns(np.full((32769, 1), 2**20))
    assert [len(kernel.signatures) for kernel in kernels] == compiled


def test_the_usual_kernels_are_those_that_fill_tables_of_16_bits():
    """In a process of its own, because the test above compiles all."""
    code = (
        "from choco_pipeline import kernels\n"
        "kernels.warm_up_usual()\n"
        "fill = kernels.fill_bar, kernels.fill_solid, kernels.fill_columns\n"
        "fold = kernels.fold_bar, kernels.fold_solid, kernels.fold_columns\n"
        "print(*({a.dtype for s in one.signatures for a in s if a.__class__.__name__ == 'Array'} for one in fill))\n"
        "print(*(len(one.signatures) for one in (*fill, *fold)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    types, numbers = done.stdout.splitlines()
    assert types.count("int16") == 3
    assert numbers == "1 1 1 0 0 0"


@pytest.mark.parametrize(
    ("kernel", "heights"),
    [
        (grundy_bar, np.arange(700) // 3),
        (grundy_solid, triangular(60, 2)),
        (p_columns, triangular(300, 2)),
    ],
)
def test_two_more_passes_change_nothing(kernel, heights):
    table = kernel(heights, passes=4)
    np.testing.assert_array_equal(table[2:], table[:-2])
    assert (table[1] != table[0]).any()


KINDS = [
    lambda lines, layers, n: OptionSets.start(lines, layers, largest=n, n_y=n),
    lambda lines, layers, n: BelowSets.start(lines, layers, largest=n),
    lambda lines, layers, n: BlockedHeights.start(lines, layers, n_y=n),
]


@given(
    st.sampled_from(KINDS),
    st.integers(0, 9),
    st.integers(1, 3),
    st.integers(0, 200),
    st.sampled_from([8, 64, bitset.PIECE]),
    st.integers(0, 2**32 - 1),
)
def test_what_is_carried_on_arrives_whole(kind, lines, layers, n, piece, seed):
    random = np.random.default_rng(seed)
    sent = kind(lines, layers, n)
    for array in sent:
        array[...] = random.integers(0, 2**31, array.shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bitset, "PIECE", piece)
        got = [*unpack(pickle.loads(pickle.dumps(pack(sent))))]
    for array, other in zip(sent, got, strict=True):
        assert array.dtype == other.dtype
        assert np.array_equal(array, other)
        assert other.flags.writeable


def test_lines_of_a_larger_state_arrive_alone():
    sets = OptionSets.start(lines=8, layers=1, largest=100, n_y=50)
    sets.rows[:] = range(8)
    got = OptionSets(*unpack(pack(part[2:5] for part in sets)))
    assert got.rows.tolist() == [2, 3, 4]
    assert got.used.shape == (3, 1, 2, 50)


def test_what_is_mostly_empty_is_sent_small():
    sets = OptionSets.start(lines=64, layers=1, largest=1868, n_y=467)
    assert len(pickle.dumps(pack(sets))) < sum(array.nbytes for array in sets) / 50
