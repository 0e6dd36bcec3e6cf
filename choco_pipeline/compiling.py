"""Compilation of kernels: once for each version of their source and type."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba as nb
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile

Function = TypeVar("Function", bound=Callable[..., Any])

#: The folder of kernels, which call each other.
FOLDER = Path(__file__).parent / "kernels"


class _CodeByTypes(IndexDataCacheFile):
    """The machine code of one function, in files named by its types.

    numba numbers these files, and writes the numbers to an index first. If two processes compile a function for different types at
    the same moment, one may later load the code of the other, which reads arrays as if they had other types. Files that are
    named by types cannot be mixed up; code that is missing in the index is compiled again.
    """

    def save(self, key: object, data: object) -> None:
        """Save the code, and then the index."""
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
    """Return the folder for the machine code of this source, if writable.

    numba looks only at the file of a kernel, and would keep the old code of functions that the file imports.
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
    """Return a compiled function; its code is kept for later processes.

    It copies arrays in loops: numba compiles ``a[:n] = b`` for seconds, in every process that has no kept code.
    """
    return _cached(nb.njit(nogil=True), function)


def inlined(function: Function) -> Function:
    """Return a function that is compiled into its callers.

    A call would count references to each array, which takes longer.
    """
    return _cached(nb.njit(nogil=True, inline="always"), function)


def _cached(compiled: Callable[[Function], Any], function: Function) -> Function:
    dispatcher = compiled(function)
    dispatcher._cache = _KernelCache(function)
    made: Function = dispatcher
    return made
