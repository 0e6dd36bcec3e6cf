"""Heights read from a file that somebody else may have written: limits first, and errors that do not quote it."""

from __future__ import annotations

import re
from array import array
from io import StringIO
from pathlib import Path

import numpy as np

from choco_pipeline.documents.files import read_bytes
from choco_pipeline.errors import HeightError
from choco_pipeline.games.height import TableHeight

#: Bytes of a file with heights, and heights in it, 2,200 × 2,200 or so: to read them takes seconds, and at most 640 MB.
MOST_BYTES = 1 << 26
MOST_VALUES = 5_000_000
#: What stands between values, or at the end of a line.
SEPARATORS = (b",", b"\n", b"\r")
#: Decimal digits of an integer, so that an int64 holds it.
LONGEST_INTEGER = 18
_INTEGER = re.compile(r"[ \t]*[+-]?[0-9]+[ \t]*")


def read_heights(path: Path, name: str) -> TableHeight:
    """Read a height table: one line for each x, one comma-separated integer for each z.

    Errors say where something is wrong and what is needed, but do not quote the file: a ruleset that somebody else has
    written may name one that is no height table.

    The name is the path as the notation writes it. Raises `HeightError` if it is no such file.
    """
    if path.suffix.lower() != ".csv":
        raise HeightError(f"height table {name}: a file whose name ends with .csv is needed")
    try:
        content = read_bytes(path, MOST_BYTES + 1)
    except OSError as error:
        raise HeightError(f"height table {name}: cannot be read ({error.strerror})") from None
    if len(content) > MOST_BYTES:
        raise HeightError(f"height table {name}: at most {MOST_BYTES:,} bytes are read")
    if sum(map(content.count, SEPARATORS)) > MOST_VALUES:
        raise HeightError(f"height table {name}: at most {MOST_VALUES:,} values are read")
    try:
        lines = StringIO(content.decode("utf-8"), newline=None)
    except UnicodeDecodeError as error:
        raise HeightError(
            f"height table {name}: cannot be read (byte {error.start} is not UTF-8)"
        ) from None
    read, width = array("q"), 0
    for number, line in enumerate(map(str.rstrip, lines), start=1):
        if not line or line.lstrip().startswith("#"):
            continue
        where, before = f"height table {name}, line {number}", len(read)
        read.extend(
            _cell(cell, f"{where}, column {column}")
            for column, cell in enumerate(line.split(","), start=1)
        )
        width = width or len(read)
        if len(read) - before != width:
            raise HeightError(f"{where}: {width} values are needed, found {len(read) - before}")
    if not width:
        raise HeightError(f"height table {name}: no values in it")
    values = np.array(read, dtype=np.int64).reshape(-1, width)
    values.flags.writeable = False
    return TableHeight(values, name)


def _cell(text: str, where: str) -> int:
    """Return an integer that an int64 can hold, or raise `HeightError` without quoting what is there instead."""
    if not _INTEGER.fullmatch(text):
        what = "something else" if text.strip() else "nothing"
        raise HeightError(f"{where}: an integer is needed, found {what}")
    digits = text.strip()
    if len(digits.lstrip("+-").lstrip("0")) > LONGEST_INTEGER:
        raise HeightError(f"{where}: a value is too large for 64 bits")
    return int(digits)
