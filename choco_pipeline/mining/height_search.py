"""Search for all monotone height functions in a box with a given formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.compiling import kernel

#: The formula that a class requires of a bar: none, for its Grundy numbers, or for its P-positions.
EVERY: Final = 0
GRUNDY: Final = 1
P_POSITIONS: Final = 2
Asked = Literal[0, 1, 2]
#: Most functions in one batch.
BATCH = 1 << 16
#: Most random steps for each cell; then a random function is abandoned.
TURNS = 6

Heights = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True)
class HeightClass:
    """The height functions whose bars (x, y, z) have a given formula."""

    #: `GRUNDY` for G = x⊕y⊕z, `P_POSITIONS` for P iff (x+a)⊕(y+b)⊕(z+c) = 0, `EVERY` for all bars.
    asked: Asked
    #: a, b, c.
    shift: tuple[int, int, int] = (0, 0, 0)

    def members(self, side: int, height: int) -> Iterator[Heights]:
        """Yield the functions from (0..side)² to 0..height in this class.

        A batch is int64 [at most BATCH, side+1, side+1]. Whether a column has the formula depends only on it and on the columns
        before it. So the search goes back at the first wrong column, and skips all functions that begin like it.
        """
        n = side + 1
        f = np.zeros((n, n), np.int64)
        cell = 0
        while cell >= 0:
            out = np.empty((BATCH, n, n), np.int64)
            count, cell = _walk(f, cell, height, self.asked, self.shift, out)
            if count:
                yield out[:count]

    def count(self, side: int, height: int) -> int:
        """Return the number of members in the box.

        Examples
        --------
        >>> HeightClass(GRUNDY).count(1, 3), HeightClass(EVERY).count(1, 3)
        (6, 50)
        """
        return sum(len(batch) for batch in self.members(side, height))

    def has(self, heights: Heights) -> Truths:
        """Check which functions are members.

        The functions are monotone; int64, shape (functions, n_x, n_z).
        """
        inside = np.empty(len(heights), np.bool_)
        _classify(np.ascontiguousarray(heights), self.asked, self.shift, inside)
        return inside

    def mismatches(self, heights: Heights) -> NDArray[np.int64]:
        """Count the positions of each function's bar that contradict the formula.

        The functions are monotone; int64, shape (functions, n, n).
        """
        wrong = np.zeros(len(heights), np.int64)
        _compare(np.ascontiguousarray(heights), self.shift, wrong)
        return wrong

    def drawn(self, side: int, height: int, number: int, random: np.random.Generator) -> Heights:
        """Return random functions of the class, drawn cell by cell.

        If no height fits, the walk goes back by a row. Incomplete functions are left out. The result is int64, of shape
        (at most `number`, side+1, side+1).
        """
        out = np.zeros((number, side + 1, side + 1), np.int64)
        done = np.zeros(number, np.bool_)
        chances = random.random((number, TURNS * (side + 1) ** 2, 2))
        chances[:, :, 0] *= 2 * random.random((number, 1))  # some functions rise more often
        _draw(chances, height, self.asked, self.shift, out, done)
        return out[done]


@kernel
def _fits(
    f: Heights, x: int, z: int, asked: int, shift: tuple[int, int, int], seen: Heights
) -> bool:
    """Check that column (x, z) has the formula, if all columns before it have.

    Options lie below in the column, or in columns before it, so the formula gives their values.
    """
    if asked == GRUNDY:
        return _has_nim_sums(f, x, z, seen)
    return asked == EVERY or _has_p_positions(f, x, z, shift)


@kernel
def _has_nim_sums(f: Heights, x: int, z: int, seen: Heights) -> bool:
    """Check in a column that each nim-sum is the mex of the options' nim-sums."""
    for y in range(f[x, z] + 1):
        value = x ^ y ^ z
        for number in range(value):
            seen[number] = 0
        missing = value  # of the numbers below it
        for move in range(x + z + y):
            if move < x:
                option = move ^ min(y, f[move, z]) ^ z
            elif move < x + z:
                option = x ^ min(y, f[x, move - x]) ^ (move - x)
            else:
                option = x ^ (move - x - z) ^ z
            if option == value:
                return False
            if option < value and not seen[option]:
                seen[option] = 1
                missing -= 1
        if missing:
            return False
    return True


@kernel
def _has_p_positions(f: Heights, x: int, z: int, shift: tuple[int, int, int]) -> bool:
    """Check that exactly positions with nonzero sum have a zero-sum option."""
    a, b, c = x + shift[0], shift[1], z + shift[2]
    below = False
    for y in range(f[x, z] + 1):
        zero = a ^ (y + b) ^ c == 0
        wins = below
        for u in range(x):
            wins |= (u + shift[0]) ^ (min(y, f[u, z]) + b) ^ c == 0
        for w in range(z):
            wins |= a ^ (min(y, f[x, w]) + b) ^ (w + shift[2]) == 0
        if wins == zero:
            return False
        below |= zero
    return True


@kernel
def _least(f: Heights, cell: int) -> int:
    """Return the least height of a cell that keeps the function monotone."""
    n = f.shape[1]
    x, z = cell // n, cell % n
    least = 0
    if x:
        least = f[x - 1, z]
    if z:
        least = max(least, f[x, z - 1])
    return least


@kernel
def _walk(
    f: Heights, cell: int, height: int, asked: int, shift: tuple[int, int, int], out: Heights
) -> tuple[int, int]:
    """Fill `out` with functions; return their number and the next cell, or -1.

    `f` is the function up to `cell`, whose height is tried next.
    """
    n = f.shape[0]
    scratch = np.zeros(2 * (n + height) + 2, np.int64)  # nim-sums are less
    count = 0
    while cell >= 0:
        x, z = cell // n, cell % n
        if f[x, z] > height:
            cell -= 1
            if cell >= 0:
                f[cell // n, cell % n] += 1
        elif not _fits(f, x, z, asked, shift, scratch):
            f[x, z] += 1
        elif cell + 1 < n * n:
            cell += 1
            f[cell // n, cell % n] = _least(f, cell)
        else:
            out[count] = f
            count += 1
            f[x, z] += 1
            if count == len(out):
                break
    return count, cell


@kernel
def _classify(heights: Heights, asked: int, shift: tuple[int, int, int], inside: Truths) -> None:
    n_x, n_z = heights.shape[1:]
    for i in range(len(heights)):
        f = heights[i]
        scratch = np.zeros(2 * (n_x + n_z + f[n_x - 1, n_z - 1]) + 2, np.int64)
        inside[i] = True
        for cell in range(n_x * n_z):
            if not _fits(f, cell // n_z, cell % n_z, asked, shift, scratch):
                inside[i] = False
                break


@kernel
def _compare(heights: Heights, shift: tuple[int, int, int], wrong: NDArray[np.int64]) -> None:
    """Count in `wrong` the positions that are P or have sum zero, but not both."""
    n = heights.shape[1]
    p_y = np.empty((n, n), np.int64)
    for i in range(len(heights)):
        f = heights[i]
        for x in range(n):
            for z in range(n):
                p_y[x, z] = -1
                for y in range(f[x, z] + 1):
                    wins = p_y[x, z] >= 0
                    for u in range(x):
                        wins |= min(y, f[u, z]) == p_y[u, z]
                    for w in range(z):
                        wins |= min(y, f[x, w]) == p_y[x, w]
                    if not wins:
                        p_y[x, z] = y
                    zero = (x + shift[0]) ^ (y + shift[1]) ^ (z + shift[2]) == 0
                    wrong[i] += wins == zero


@kernel
def _draw(
    chances: NDArray[np.float64],
    height: int,
    asked: int,
    shift: tuple[int, int, int],
    out: Heights,
    done: Truths,
) -> None:
    """Fill `out` with random functions; `done` marks those that are complete.

    `chances` has two numbers for each function and turn. The height rises if the first is at least 1/2. The second says how far.
    """
    n = out.shape[1]
    scratch = np.zeros(2 * (n + height) + 2, np.int64)  # nim-sums are less
    for i in range(len(out)):
        f = out[i]
        cell = 0
        for turn in range(chances.shape[1]):
            least = _least(f, cell)
            choices = height - least + 1
            start = 0
            if chances[i, turn, 0] >= 0.5:
                start = int(chances[i, turn, 1] ** 4 * choices)  # rarely far
            fits = False
            for step in range(choices):
                f[cell // n, cell % n] = least + (start + step) % choices
                if _fits(f, cell // n, cell % n, asked, shift, scratch):
                    fits = True
                    break
            cell = cell + 1 if fits else max(0, cell - n - 1)  # to be drawn again
            if cell == n * n:
                done[i] = True
                break
