"""Pictures of square bars put together from copies of smaller ones, as in Theorem 3.4 of patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from choco_pipeline.mining.pictures.gf2 import Bits
from choco_pipeline.mining.pictures.slices import Stack
from choco_pipeline.mining.table_findings import (
    BlocksFinding,
    ClaimContent,
    CopiedPicture,
    Evidence,
    Tried,
)

#: Sizes and places of copies are a·s + b·2^e for these a and b, where m = 2^e + s and 0 < s < 2^e.
FACTORS = (range(-2, 3), range(-1, 3))

#: (a, b)
Form = tuple[int, int]


@dataclass(frozen=True)
class Copy:
    """The picture of the bar of side `size`, put where its first cell is in row `row` and column `column`, from 0."""

    size: Form
    row: Form
    column: Form

    def at(self, m: int) -> tuple[int, int, int]:
        """Return size, row and column in the picture number m."""
        size, row, column = (_value(form, m) for form in (self.size, self.row, self.column))
        return size, row, column


def mine_copies(stack: Stack) -> BlocksFinding:
    """Return which copies of smaller pictures a stack's pictures consist of.

    The pictures are of square bars by m, from 1 on.
    """
    most = len(stack.cells)
    forms = list(product(*FACTORS))
    finding = partial(
        BlocksFinding,
        ruleset=stack.ruleset,
        axes=tuple(stack.axes),
        passes=stack.passes,
        tried=Tried(
            candidates=len(forms) ** 3,
            what="copies of smaller pictures whose sizes and places are a·s + b·2^e"
            f" with -2 ≤ a ≤ 2, -1 ≤ b ≤ 2, for m = 2^e + s; {stack.text}",
        ),
    )
    copies = find_copies(stack)
    learned, held_out = _numbers(1, most // 2), _numbers(most // 2 + 1, most)
    if not copies or not held_out or not _explained(stack, copies, held_out):
        return finding(nothing=True)
    texts = tuple(
        CopiedPicture(size=_text(copy.size), row=_text(copy.row), column=_text(copy.column))
        for copy in copies
    )
    return finding(
        copies=texts,
        text="for m = 2^e + s, 0 < s < 2^e: "
        + ", ".join(
            f"R({_text(copy.size, '2^e')}) at ({_text(copy.row, '2^e')}, {_text(copy.column, '2^e')})"
            for copy in copies
        )
        + ", and no other P-position",
        found_on=Evidence(positions=sum(m * m for m in learned), what=f"m up to {most // 2}"),
        held_on=Evidence(positions=sum(m * m for m in held_out), what=f"m up to {most}"),
        claim=_claim(stack, copies),
    )


def find_copies(stack: Stack) -> list[Copy]:
    """Return disjoint copies that hold all P-positions of the first half of the pictures, the largest first, or none."""
    numbers = _numbers(1, len(stack.cells) // 2)
    if len(numbers) < 8:
        return []
    forms = list(product(*FACTORS))
    sizes = [form for form in forms if all(0 < _value(form, m) < m for m in numbers)]
    places = [form for form in forms if all(0 <= _value(form, m) < m for m in numbers)]
    copies = [
        copy
        for copy in (Copy(*forms) for forms in product(sizes, places, places))
        if all(_is_copy(stack, copy, m) for m in numbers)
    ]
    copies.sort(key=lambda copy: -sum(copy.at(m)[0] for m in numbers))
    chosen: list[Copy] = []
    for copy in copies:
        if all(_apart(copy, other, m) for other in chosen for m in numbers):
            chosen.append(copy)
    return chosen if _explained(stack, chosen, numbers) else []


def _numbers(low: int, high: int) -> list[int]:
    """Return the m that are no powers of 2."""
    return [m for m in range(low, high + 1) if m & (m - 1)]


def _value(form: Form, m: int) -> int:
    power = 1 << (m.bit_length() - 1)
    return form[0] * (m - power) + form[1] * power


def _is_copy(stack: Stack, copy: Copy, m: int) -> bool:
    size, row, column = copy.at(m)
    if row + size > m or column + size > m:
        return False
    mine = stack.cells[m - 1, row : row + size, column : column + size]
    return bool(np.array_equal(mine, stack.cells[size - 1, :size, :size]))


def _apart(copy: Copy, other: Copy, m: int) -> bool:
    """Whether two copies have no cell in common."""
    size, *place = copy.at(m)
    other_size, *other_place = other.at(m)
    return any(
        mine + size <= theirs or theirs + other_size <= mine
        for mine, theirs in zip(place, other_place, strict=True)
    )


def _explained(stack: Stack, copies: Sequence[Copy], numbers: Sequence[int]) -> bool:
    """Whether the pictures consist of the copies, which are disjoint, and hold no other P-position."""
    for m in numbers:
        pasted: Bits = np.zeros((m, m), np.bool_)
        covered = np.zeros((m, m), np.int8)
        for copy in copies:
            size, row, column = copy.at(m)
            at = (slice(row, row + size), slice(column, column + size))
            if min(size - 1, row, column) < 0 or max(row, column) + size > m:
                return False
            pasted[at] |= stack.cells[size - 1, :size, :size]
            covered[at] += 1
        if (covered > 1).any() or not np.array_equal(pasted, stack.cells[m - 1, :m, :m]):
            return False
    return True


def _text(form: Form, power: str = "2**e") -> str:
    """Return a·s + b·2^e as a formula in e and s, or with another name for the power of 2."""
    terms = [
        f"{'-' if factor < 0 else '+'}{'' if abs(factor) == 1 else f'{abs(factor)}*'}{name}"
        for factor, name in zip(reversed(form), (power, "s"), strict=True)
        if factor
    ]
    return "".join(terms).removeprefix("+") or "0"


def like_cell(size: str, cell: Sequence[str]) -> str:
    """Return that a cell is a P-position if and only if a cell of another square bar is."""
    return f"P <=> P[rectangular-bar(m={size}, n={size})]({', '.join(cell)})"


def _claim(stack: Stack, copies: Sequence[Copy]) -> ClaimContent:
    """Return copies as a statement; a cell belongs to the copy whose rows and columns it is in."""
    cases: dict[str, str] = {}
    for copy in copies:
        inside, cell = [], []
        for name, start in zip(stack.axes[1:], (copy.row, copy.column), strict=True):
            end = (start[0] + copy.size[0], start[1] + copy.size[1])
            inside.append(f"{name} > {_text(start)} and {name} <= {_text(end)}")
            cell.append(f"{name}-({_text(start)})" if any(start) else name)
        cases[" and ".join(inside)] = like_cell(_text(copy.size), cell)
    outside = " or ".join(f"({where})" for where in cases)
    lines = [f"{where} => ({said})" for where, said in cases.items()]
    return {
        "ruleset": stack.ruleset,
        "every": {"e": "0..m"},
        "when": "2**e < m and m < 2**(e+1)",
        "statement": f"let s = m-2**e: {'; '.join(lines)}; not ({outside}) => not P",
    }
