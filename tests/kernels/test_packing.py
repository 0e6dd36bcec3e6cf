"""What kernels carry on arrives as it was sent, whatever its shapes, in pieces or in one."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.kernels import BelowSets, BlockedHeights, OptionSets, bitset

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
        got = pickle.loads(pickle.dumps(sent))
    assert type(got) is type(sent)
    for array, other in zip(sent, got, strict=True):
        assert array.dtype == other.dtype
        assert np.array_equal(array, other)
        assert other.flags.writeable


def test_lines_of_a_larger_state_arrive_alone():
    sets = OptionSets.start(lines=8, layers=1, largest=100, n_y=50)
    sets.rows[:] = range(8)
    got = pickle.loads(pickle.dumps(OptionSets(*(part[2:5] for part in sets))))
    assert got.rows.tolist() == [2, 3, 4]
    assert got.used.shape == (3, 1, 2, 50)


def test_what_is_mostly_empty_is_sent_small():
    sets = OptionSets.start(lines=64, layers=1, largest=1868, n_y=467)
    assert len(pickle.dumps(sets)) < sum(array.nbytes for array in sets) / 50
