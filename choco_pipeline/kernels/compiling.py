"""How kernels are compiled: once for each state of their source, whichever file has changed."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numba as nb
from numba.core import config

FOLDER = Path(__file__).parent


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

#: The decorator of every kernel.
kernel = nb.njit(cache=True, nogil=True)
#: That of a part of one kernel with many arrays: a call would count references to each of them, which takes longer than its work.
inlined = nb.njit(cache=True, nogil=True, inline="always")
