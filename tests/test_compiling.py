"""Machine code of kernels is kept for later processes, by its own types."""

import numba as nb
from numba.core.caching import IndexDataCacheFile

from choco_pipeline import compiling
from choco_pipeline.automata.subsets import reachable_sets
from choco_pipeline.kernels.bitset import first_of

NARROW, WIDE = nb.types.int32, nb.types.int64


def interrupted(kind, folder):
    """Return two caches of one function; the first writes after the second."""
    first, second = (kind(str(folder), "kernel", "stamp") for _ in range(2))
    write = first._save_data

    def late(name, data):
        second.save(WIDE, "for wide numbers")
        write(name, data)

    first._save_data = late
    first.save(NARROW, "for narrow numbers")
    return second


def test_code_for_other_types_is_never_given(tmp_path):
    """Numba's own cache gives it if two processes compile at the same moment."""

    class Numbered(IndexDataCacheFile):
        """numba's, of which the second process has not seen what the first has written."""

        def _load_index(self):
            return {}

    folders = [tmp_path / name for name in ("own", "numbered")]
    for folder in folders:
        folder.mkdir()
    own = interrupted(compiling._CodeByTypes, folders[0])
    assert own.load(WIDE) == "for wide numbers"
    assert own.load(NARROW) in (None, "for narrow numbers")

    numbered = interrupted(Numbered, folders[1])
    index = IndexDataCacheFile(numbered._cache_path, "kernel", "stamp")
    assert index.load(WIDE) == "for narrow numbers"


def test_kernels_keep_their_code_so():
    for kernel in (reachable_sets, first_of):
        assert isinstance(kernel._cache, compiling._KernelCache)
        assert isinstance(kernel._cache._cache_file, compiling._CodeByTypes)
