"""Height functions: largest legal values of coordinates, all monotone."""

from __future__ import annotations

import hashlib
import math
import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from choco_pipeline.documents.files import read_bytes
from choco_pipeline.errors import HeightError
from choco_pipeline.formula import Formula, FormulaError, parse

#: Side of the box on which a new height function is checked. Tables check it at all of their places.
FIRST_LOOK = 24

#: Number of heights in a block, which fits into a cache.
BLOCK = 1 << 18

#: Largest height: heights and Grundy numbers then stay far below 32 bits.
TALLEST = 1 << 28
#: Largest number of cached values of a formula, and of cached formulas that are monotone near 0.
MOST_KNOWN = 1 << 16


class Height(ABC):
    """A monotone function: the largest legal value of a coordinate, given others."""

    @property
    @abstractmethod
    def notation(self) -> str:
        """The function in the notation of rulesets, after ``f=``."""

    @property
    def identity(self) -> str:
        """Text that is equal for two height functions only if they are the same."""
        return self.notation

    @abstractmethod
    def __call__(self, *at: int) -> int:
        """Return the height at one place, by definition."""

    def at_points(self, *at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the heights at points that may lie far apart, unchecked."""
        return np.array([self(*map(int, place)) for place in zip(*at, strict=True)], np.int64)

    @abstractmethod
    def _values(self, ranges: Sequence[range]) -> NDArray[np.int64]:
        """Return the heights on the product of the ranges, unchecked."""

    def table(self, *sizes: int) -> NDArray[np.int32]:
        """Return the heights on the product of ``range(size)``, checked by `block`."""
        return np.array(self.block(*map(range, sizes)), order="C")

    def block(self, *ranges: range) -> NDArray[np.int32]:
        """Return the heights on the product of ranges, checked with their neighbours.

        Blocks that cover a table therefore compare all neighbours in it. Raises `HeightError` if a value is negative or too large,
        or if the heights are not monotone. The array is int32, with an axis for each range.
        """
        heights = np.empty([len(r) for r in ranges], np.int32)
        seen = [range(max(r.start - 1, 0), r.stop) for r in ranges]
        if not ranges:
            heights[()] = self._checked([])
            return heights
        first, others = ranges[0], seen[1:]
        step = max(1, BLOCK // math.prod(map(len, others)))
        inner = tuple(
            slice(r.start - s.start, None) for r, s in zip(ranges[1:], others, strict=True)
        )
        for start in range(first.start, first.stop, step):
            rows = range(max(start - 1, 0), min(start + step, first.stop))
            checked = self._checked([rows, *others])
            heights[start - first.start : rows.stop - first.start] = checked[
                (slice(start - rows.start, None), *inner)
            ]
        return heights

    def _checked(self, ranges: Sequence[range]) -> NDArray[np.int64]:
        """Return the heights on the product of the ranges, or raise `HeightError`."""

        def at(place: Sequence[int]) -> str:
            where = self._place([r[i] for r, i in zip(ranges, place, strict=True)])
            return f"{f'f({where})' if where else 'f'} = {heights[tuple(place)]}"

        heights = self._values(ranges)
        if heights.flat[0] < 0:
            raise self._error(f"{at([0] * heights.ndim)}, but heights start at 0")
        for axis in range(heights.ndim):
            before = (slice(None),) * axis
            falls = heights[(*before, slice(1, None))] < heights[(*before, slice(None, -1))]
            if falls.any():
                here = [int(i) for i in np.argwhere(falls)[0]]
                there = [i + (j == axis) for j, i in enumerate(here)]
                raise self._error(f"not monotone: {at(here)} but {at(there)}")
        if heights.flat[-1] > TALLEST:
            place = [int(i) for i in np.argwhere(heights > TALLEST)[0]]
            raise self._error(f"{at(place)}, more than the {TALLEST} that tables can hold")
        return heights

    def _place(self, at: Sequence[int]) -> str:
        return ", ".join(map(str, at))

    def _error(self, what: str) -> HeightError:
        return HeightError(f"height function {self.notation}: {what}")


#: Formulas with their arguments that are checked near 0, because a search makes the same games thousands of times.
_SOUND: set[tuple[Formula, tuple[str, ...]]] = set()


@dataclass(frozen=True)
class FormulaHeight(Height):
    """A height given by a formula such as ``(x+z)//3``."""

    formula: Formula
    arguments: tuple[str, ...] = ("x", "z")

    def __post_init__(self) -> None:
        """Check the formula's names, its type, and its values near the origin."""
        if self.formula.is_truth:
            raise HeightError(
                f"height function {self.formula.text}: a height is an integer, this is true or false"
            )
        unknown = sorted(self.formula.names - set(self.arguments))
        if unknown:
            known = " and ".join(self.arguments) or "no names"
            raise HeightError(
                f"height function {self.formula.text}: unknown name {unknown[0]!r}; heights are formulas in {known}"
            )
        key = self.formula, self.arguments
        if key not in _SOUND:
            side = max(2, int((FIRST_LOOK**2) ** (1 / max(1, len(self.arguments)))))
            self.table(*[side] * len(self.arguments))
            if len(_SOUND) >= MOST_KNOWN:
                _SOUND.clear()
            _SOUND.add(key)

    @property
    def notation(self) -> str:
        """The formula's canonical text."""
        return self.formula.text

    def __call__(self, *at: int) -> int:
        """Return the formula's value in exact integers."""
        height = self._cache.get(at)
        if height is None:
            height = int(self.formula.value(dict(zip(self.arguments, at, strict=True))))
            if len(self._cache) < MOST_KNOWN:
                self._cache[at] = height
        return height

    def at_points(self, *at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the heights at points, without a loop."""
        values = self.formula.evaluate(dict(zip(self.arguments, at, strict=True)))
        return np.asarray(values, np.int64)

    @cached_property
    def _cache(self) -> dict[tuple[int, ...], int]:
        """Cache of values: the definition needs the same ones at most positions."""
        return {}

    def look_along(self, axis: int, size: int) -> None:
        """Check `size` values along an argument, with the others 0.

        Raises `HeightError` if they are not monotone; `FormulaError` if one is undefined.
        """
        place, before = [0] * len(self.arguments), 0
        for place[axis] in range(size):
            value = self(*place)
            if value < before:
                there = self._place(place)
                raise self._error(
                    f"not monotone: f({there}) = {value} is less than {before} before it"
                )
            if value > TALLEST:
                return
            before = value

    @cached_property
    def _of_sum(self) -> Formula | None:
        """The formula in n = x+z, if x and z occur only in this sum."""
        if len(self.arguments) != 2:
            return None
        formula = self.formula.with_name("n", parse("+".join(self.arguments)))
        return formula if formula.names == {"n"} else None

    def block(self, *ranges: range) -> NDArray[np.int32]:
        """Return the checked heights; for a function of x+z they are a view."""
        if self._of_sum is None:
            return super().block(*ranges)
        x, z = ranges
        first = max(x.start - 1, 0) + max(z.start - 1, 0)
        try:
            along = self._of_sum.evaluate({"n": np.arange(first, x.stop + z.stop - 1)})
        except FormulaError:
            return super().block(x, z)  # raises an error with the place
        is_sound = along[0] >= 0 and along[-1] <= TALLEST and (along[1:] >= along[:-1]).all()
        if not is_sound:
            return super().block(x, z)
        inner = along[x.start + z.start - first :].astype(np.int32)
        return sliding_window_view(inner, len(z))

    def _place(self, at: Sequence[int]) -> str:
        if self.arguments == ("x", "z"):
            return super()._place(at)
        return ", ".join(f"{n}={value}" for n, value in zip(self.arguments, at, strict=True))

    def _values(self, ranges: Sequence[range]) -> NDArray[np.int64]:
        grid = np.meshgrid(*ranges, indexing="ij", sparse=True) if ranges else []
        values = self.formula.evaluate(dict(zip(self.arguments, grid, strict=True)))
        return np.broadcast_to(values, [len(r) for r in ranges])


@dataclass(frozen=True, eq=False)
class TableHeight(Height):
    """A height given by a table ``values[x, z]``, up to the table's own size."""

    values: NDArray[np.int64] = field(repr=False)
    name: str | None = None

    def __post_init__(self) -> None:
        """Check the whole table, and make it immutable."""
        if self.values.ndim != 2 or self.values.size == 0:
            raise HeightError(
                f"height table {self.notation}: two dimensions (x, z) are needed, found {self.values.shape}"
            )
        self.values.flags.writeable = False
        self.table(*self.values.shape)

    @cached_property
    def digest(self) -> str:
        """First 16 hex digits of the SHA-256 of shape and values."""
        shape = ",".join(map(str, self.values.shape)).encode()
        return hashlib.sha256(
            shape + b";" + np.ascontiguousarray(self.values, "<i8").tobytes()
        ).hexdigest()[:16]

    @property
    def notation(self) -> str:
        """``csv(path)`` for a file, ``array(digest)`` for an array in memory."""
        return f"csv({self.name})" if self.name else f"array({self.digest})"

    @property
    def identity(self) -> str:
        """The values' digest: the same table under another file name is the same game."""
        return f"array({self.digest})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TableHeight) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __call__(self, *at: int) -> int:
        """Return the table's value, or raise `HeightError` outside of it."""
        x, z = at
        self._require(x + 1, z + 1)
        return int(self.values[x, z])

    def _values(self, ranges: Sequence[range]) -> NDArray[np.int64]:
        x, z = ranges
        self._require(x.stop, z.stop)
        return self.values[x.start : x.stop, z.start : z.stop]

    def _require(self, n_x: int, n_z: int) -> None:
        if n_x > self.values.shape[0] or n_z > self.values.shape[1]:
            have_x, have_z = (n - 1 for n in self.values.shape)
            raise HeightError(
                f"height table {self.notation}: goes to x = {have_x}, z = {have_z};"
                f" needed to x = {n_x - 1}, z = {n_z - 1}"
            )


@dataclass(frozen=True)
class FunctionHeight(Height):
    """A height given by a Python function of x and z, which has no notation."""

    function: Callable[[int, int], int]

    def __post_init__(self) -> None:
        """Check the function's values near the origin."""
        self.table(FIRST_LOOK, FIRST_LOOK)

    @property
    def notation(self) -> str:
        """``function(name)``, for readers: it cannot be parsed."""
        return f"function({getattr(self.function, '__qualname__', type(self.function).__name__)})"

    def __call__(self, *at: int) -> int:
        """Return the function's value as an int."""
        x, z = at
        value = self.function(x, z)
        if not hasattr(value, "__index__"):
            raise HeightError(f"height {self.notation}: f({x}, {z}) = {value!r} is not an integer")
        return int(value)

    def _values(self, ranges: Sequence[range]) -> NDArray[np.int64]:
        x, z = ranges
        return np.array([[self(u, w) for w in z] for u in x], dtype=np.int64)


def as_height(f: Height | Formula | str | Callable[[int, int], int] | ArrayLike) -> Height:
    """Return a formula, its text, a function or an array [x, z] as a `Height`."""
    if isinstance(f, Height):
        return f
    if isinstance(f, Formula):
        return FormulaHeight(f)
    if isinstance(f, str):
        return FormulaHeight(parse(f))
    if callable(f):
        return FunctionHeight(f)
    values = np.asarray(f)
    if values.dtype.kind not in "iu":
        raise HeightError(f"height table: integers are needed, found {values.dtype}")
    return TableHeight(values.astype(np.int64))


#: Largest number of bytes of a file, and of heights in it. Reading them takes seconds and 640 MB.
MOST_BYTES = 1 << 26
MOST_VALUES = 5_000_000
#: Bytes that end a value or a line.
SEPARATORS = (b",", b"\n", b"\r")
#: Largest number of decimal digits, so that the integer fits into int64.
LONGEST_INTEGER = 18
_INTEGER = re.compile(r"[ \t]*[+-]?[0-9]+[ \t]*")


def read_heights(path: Path, name: str) -> TableHeight:
    """Read a table: a line for each x, a comma-separated integer for each z.

    `name` is the path in the notation. Raises `HeightError` for any other file. Errors name the place and the allowed content, but
    do not quote the file, because an untrusted ruleset may name a private file.
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
    return TableHeight(np.array(read, dtype=np.int64).reshape(-1, width), name)


def _cell(text: str, where: str) -> int:
    if not _INTEGER.fullmatch(text):
        what = "something else" if text.strip() else "nothing"
        raise HeightError(f"{where}: an integer is needed, found {what}")
    digits = text.strip()
    if len(digits.lstrip("+-").lstrip("0")) > LONGEST_INTEGER:
        raise HeightError(f"{where}: a value is too large for 64 bits")
    return int(digits)
