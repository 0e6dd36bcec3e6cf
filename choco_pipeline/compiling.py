"""How kernels are compiled: once for each state of their source, whichever file has changed, and for each type."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba as nb
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile

Function = TypeVar("Function", bound=Callable[..., Any])

#: Where kernels call those of other files.
FOLDER = Path(__file__).parent / "kernels"


class _CodeByTypes(IndexDataCacheFile):
    """The machine code of one function, with a file for each of its types that is named by them.

    numba numbers these files, and writes first into the index which number is whose. Of two processes that compile a function for
    different types at the same moment, one is later given the other's code, which reads arrays as if they had other types.
    Here neither can overwrite the other's file; what an index that was written twice has lost is compiled again.
    """

    def save(self, key: object, data: object) -> None:
        """Keep code, and then say in the index that it is there."""
        types = hashlib.sha256(repr((self._source_stamp, key)).encode()).hexdigest()
        name = self._data_name_pattern.format(number=int(types[:15], 16))
        self._save_data(name, data)
        self._save_index(self._load_index() | {key: name})


class _KernelCache(FunctionCache):
    """numba's cache of one function, with its code in files named by types."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _CodeByTypes(
            self.cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )


def _cache_folder() -> Path | None:
    """Return a folder for this source's machine code; None if the package lies where nobody may write.

    numba looks only at the file that a kernel stands in, and would keep the old code of what that file imports.
    """
    source = hashlib.sha256()
    for path in sorted(FOLDER.glob("*.py")):
        source.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    folder = FOLDER / "__pycache__" / f"numba-{source.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return folder


_folder = _cache_folder()
_settings = vars(config)  # numba makes these names when it reads its environment variables
if _folder is not None and not _settings["CACHE_DIR"]:
    _settings["CACHE_DIR"] = str(_folder)


def kernel(function: Function) -> Function:
    """Return a function as machine code, compiled when it is called and kept for later processes."""
    return _cached(nb.njit(nogil=True), function)


def inlined(function: Function) -> Function:
    """Return a part of one kernel that has many arrays: a call would count references to each, which takes longer than its work."""
    return _cached(nb.njit(nogil=True, inline="always"), function)


def _cached(compiled: Callable[[Function], Any], function: Function) -> Function:
    dispatcher = compiled(function)
    dispatcher._cache = _KernelCache(function)
    made: Function = dispatcher
    return made
