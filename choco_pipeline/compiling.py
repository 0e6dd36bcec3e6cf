"""Compilation of kernels, with a cache for each version of their source."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba as nb
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile

Function = TypeVar("Function", bound=Callable[..., Any])

#: The folder of the kernels.
FOLDER = Path(__file__).parent / "kernels"


class _CodeByTypes(IndexDataCacheFile):
    """The machine code of a function, in files with names from the argument types.

    numba numbers these files, and writes the numbers to an index first. If two processes compile a function for different types at
    the same time, one may later load the code of the other, which misreads its arrays. Files named by types cannot be confused. Code
    that is missing in the index is compiled again.
    """

    def save(self, key: object, data: object) -> None:
        """Save the code, then the index."""
        types = hashlib.sha256(repr((self._source_stamp, key)).encode()).hexdigest()
        name = self._data_name_pattern.format(number=int(types[:15], 16))
        self._save_data(name, data)
        self._save_index(self._load_index() | {key: name})


class _KernelCache(FunctionCache):
    """numba's cache of a function, with files named by types."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _CodeByTypes(
            self.cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )


def _cache_folder() -> Path | None:
    """Return the folder for machine code of this version of the source, if writable.

    numba checks only the file of a kernel, and would reuse old code of functions that the file imports.
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
_settings = vars(config)  # numba defines these names when it reads its environment variables
if _folder is not None and not _settings["CACHE_DIR"]:
    _settings["CACHE_DIR"] = str(_folder)


def kernel(function: Function) -> Function:
    """Return a compiled function; later processes reuse its code.

    The function should copy arrays in loops, because numba takes seconds to compile ``a[:n] = b``.
    """
    return _cached(function)


def inlined(function: Function) -> Function:
    """Return a function that is inlined into its callers.

    A call would be slower, because it counts references to each array.
    """
    return _cached(function, inline="always")


def _cached(function: Function, **options: Any) -> Function:
    dispatcher: Any = nb.njit(nogil=True, **options)(function)
    dispatcher._cache = _KernelCache(function)
    compiled: Function = dispatcher
    return compiled
