"""Nim and chocolate bars by their definitions, the reference for all kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from string import ascii_lowercase

from numpy.typing import ArrayLike

from choco_pipeline.formula import Formula, parse
from choco_pipeline.games.height import FormulaHeight, Height, as_height
from choco_pipeline.games.rules import Face, Limit, Move, Position, Rules, with_free_heap
from choco_pipeline.games.ruleset import Ruleset, require_count

#: Heaps are named a, b, c, …; p is kept for passes.
HEAP_NAMES = ascii_lowercase[: ascii_lowercase.index("p")]


def heap_options(position: Position) -> Iterator[Position]:
    """Yield the options of Nim: stones are removed from one heap."""
    for i, heap in enumerate(position):
        for smaller in range(heap):
            yield (*position[:i], smaller, *position[i + 1 :])


def heaps(*names: str) -> Rules:
    """Return the rules of Nim: take any number from one heap of any size."""
    return Rules(names, {}, tuple(Move((name,)) for name in names))


@dataclass(frozen=True)
class Nim(Ruleset):
    """Nim: take any number of stones from one heap.

    Parameters
    ----------
    heaps
        Number of heaps, 1 to 15.

    Examples
    --------
    >>> Nim(3).grundy((1, 2, 3))
    0
    """

    heaps: int
    form = "nim({0.heaps})"

    def __post_init__(self) -> None:
        require_count("nim", "heaps", self.heaps, 1, len(HEAP_NAMES))

    @cached_property
    def rules(self) -> Rules:
        """The heaps a, b, c, …; the last one is the free heap."""
        return with_free_heap(heaps(*HEAP_NAMES[: self.heaps]))

    def options(self, position: Position) -> Iterator[Position]:
        """Yield every position that reduces one heap."""
        return heap_options(position)


@dataclass(frozen=True)
class StepBar(Ruleset):
    """The step bar CB(s, k, y, z).

    Positions are (y, z) with y ≤ ⌊(z+s)/k⌋. Source: step2015, Def 1.1 (which writes h for s) and Def 3.1, whose last
    set must read min(y, ⌊(w+h)/k⌋).

    Parameters
    ----------
    k
        Columns in a step, at least 1.
    s
        Shift of the steps, at least 0: the height is ⌊(z+s)/k⌋.

    Examples
    --------
    >>> StepBar(k=4, s=2).grundy((2, 7))
    9
    >>> list(StepBar(k=2).options((1, 2)))
    [(0, 2), (0, 0), (0, 1)]
    """

    k: int
    s: int = 0
    form = "step-bar(k={0.k}, s={0.s})"

    def __post_init__(self) -> None:
        require_count("step-bar", "k", self.k, 1)
        require_count("step-bar", "s", self.s, 0)

    @cached_property
    def rules(self) -> Rules:
        """The coordinates: horizontal cuts y and vertical cuts z."""
        height = FormulaHeight(parse(f"(z+{self.s})//{self.k}"), ("z",))
        return replace(heaps("y", "z"), limits={"y": Limit(height, ("z",))})

    @property
    def with_strip(self) -> StripBar:
        """The strip bar of the same k and s."""
        return StripBar(self.k, self.s)

    def height(self, z: int) -> int:
        """Return the largest legal y at z."""
        return (z + self.s) // self.k

    def options(self, position: Position) -> Iterator[Position]:
        """Yield every position one cut away, horizontal cuts first."""
        y, z = position
        for v in range(y):
            yield (v, z)
        for w in range(z):
            yield (min(y, self.height(w)), w)


@dataclass(frozen=True)
class StripBar(Ruleset):
    """A step bar beside a strip of x squares: their disjunctive sum.

    Positions are (x, y, z) with y ≤ ⌊(z+s)/k⌋. Source: step2015, section 1; pass2016, Def 2.1.

    Parameters
    ----------
    k, s
        As for `StepBar`.

    Examples
    --------
    >>> StripBar(k=4, s=2).is_p_position((9, 2, 7))
    True
    """

    k: int
    s: int = 0
    form = "strip-bar(k={0.k}, s={0.s})"

    def __post_init__(self) -> None:
        require_count("strip-bar", "k", self.k, 1)
        require_count("strip-bar", "s", self.s, 0)

    @cached_property
    def rules(self) -> Rules:
        """The coordinates: x of the strip, y and z of the bar."""
        return with_free_heap(replace(heaps("x", "y", "z"), limits=self.without_strip.rules.limits))

    @property
    def without_strip(self) -> StepBar:
        """The bar alone."""
        return StepBar(self.k, self.s)

    def options(self, position: Position) -> Iterator[Position]:
        """Yield the cuts of the strip, then those of the bar."""
        x, y, z = position
        for u in range(x):
            yield (u, y, z)
        for v, w in self.without_strip.options((y, z)):
            yield (x, v, w)


@dataclass(frozen=True, init=False)
class SolidBar(Ruleset):
    """The three-dimensional bar CB(f, x, y, z).

    Positions are (x, y, z) with y ≤ f(x, z). Source: solid2022, Def 1.5 to 1.7; f = ⌊(x+z)/k⌋ is the bar of triangular.

    Parameters
    ----------
    f
        Monotone height function: a formula in x and z, a function of (x, z), or an integer array [x, z].

    Examples
    --------
    >>> bar = SolidBar("(x+z)//3")
    >>> bar.grundy((1, 1, 2))  # triangular, Example 7.1
    4
    >>> (9, 3, 10) in bar.options((14, 3, 10))  # solid2022, Example 2.1
    True
    """

    f: Height
    form = "solid-bar(f={0.f.notation})"

    def __init__(self, f: Height | Formula | str | Callable[[int, int], int] | ArrayLike) -> None:
        """Check `f` near the origin; tables check it at all of their places."""
        object.__setattr__(self, "f", as_height(f))

    @cached_property
    def rules(self) -> Rules:
        """The coordinates: length x, height y and depth z, counted in cuts."""
        return replace(heaps("x", "y", "z"), limits={"y": Limit(self.f, ("x", "z"))})

    @property
    def identity(self) -> str:
        """The notation, with a height table named by its content."""
        return self.form.replace("notation", "identity").format(self)

    def options(self, position: Position) -> Iterator[Position]:
        """Yield every position one cut away: cuts of x, then of y, then of z."""
        x, y, z = position
        for u in range(x):
            yield (u, min(y, self.f(u, z)), z)
        for v in range(y):
            yield (x, v, z)
        for w in range(z):
            yield (x, min(y, self.f(x, w)), w)


@dataclass(frozen=True)
class RectangularBar(Ruleset):
    """The bars that cuts of C(m, n) leave, for every place of the poisoned cell.

    A position (a, b, c, d) has a rows above the poisoned cell and b below, c columns before it and d after it, with
    a + b < m and c + d < n. The whole bar with the cell (i, j), 1-based, is (i-1, m-i, j-1, n-j). Source: patterns, section 2.

    Parameters
    ----------
    m, n
        Rows and columns of the whole bar, at least 1.

    Examples
    --------
    >>> bar = RectangularBar(5, 7)
    >>> bar.whole(2, 3)
    (1, 3, 2, 4)
    >>> bar.grundy(bar.whole(2, 3))
    4
    """

    m: int
    n: int
    form = "rectangular-bar(m={0.m}, n={0.n})"

    def __post_init__(self) -> None:
        require_count("rectangular-bar", "m", self.m, 1)
        require_count("rectangular-bar", "n", self.n, 1)

    @cached_property
    def rules(self) -> Rules:
        """The coordinates count rows and columns around the poisoned cell."""
        numbers = {"a": self.m - 1, "b": self.m - 1, "c": self.n - 1, "d": self.n - 1}
        return replace(
            heaps(*numbers),
            limits={name: Limit(FormulaHeight(parse(str(n)), ())) for name, n in numbers.items()},
            within=parse(f"a+b < {self.m} and c+d < {self.n}"),
            face=Face(
                {"i": self.m, "j": self.n},
                (parse("i-1"), parse(f"{self.m}-i"), parse("j-1"), parse(f"{self.n}-j")),
                {"i": 0, "j": 2},
            ),
        )

    def whole(self, i: int, j: int) -> Position:
        """Return the uncut bar with the poisoned cell in row i, column j, from 1."""
        return (i - 1, self.m - i, j - 1, self.n - j)

    def options(self, position: Position) -> Iterator[Position]:
        """Yield every position that reduces one of the four heaps."""
        return heap_options(position)
