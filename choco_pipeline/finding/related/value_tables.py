"""Tables of Grundy numbers or free heaps that are compared, and the functions that relate them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from choco_pipeline.formula import parse
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.tables.computing.in_memory import table
from choco_pipeline.tables.specs.schema import Quantity, variable_of

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]

#: Functions of a Grundy number g, the shortest first; the last one exchanges 2i−1 and 2i for i ≥ 1, and leaves 0.
FUNCTIONS = (
    "g",
    *(f"g{sign}{n}" for n in (1, 2, 3, 4) for sign in "+-"),
    *(f"g ^ {n}" for n in (1, 2, 3)),
    "max(((g+1) ^ 1)-1, 0)",
)
#: Fewest values, or P-positions, for a relation.
FEWEST_VALUES = 6


@dataclass(frozen=True)
class ValueTable:
    """The Grundy numbers of a game, or the free heaps of its P-positions."""

    #: The coordinates, passes first.
    dims: tuple[str, ...]
    #: A number for each position.
    values: Ints
    #: The cells that are positions.
    legal: Truths
    #: The coordinates that the others limit.
    limited: frozenset[str]

    @classmethod
    def of(cls, game: Ruleset, bound: int, quantity: Quantity) -> ValueTable:
        """Compute a table: Grundy numbers, if there is no free heap."""
        variable = variable_of(game, quantity)
        if variable.stored is None or variable.stored != game.base.rules.free or not variable.dims:
            variable = variable_of(game, "grundy")
        data = table(game, bound, "grundy" if variable.name == "grundy" else "p-positions")
        values = data[variable.name].values.astype(np.int64)
        return cls(variable.dims, values, values >= 0, frozenset(game.base.rules.limits))

    def corner(self, bound: int) -> ValueTable:
        """Return the part up to a bound."""
        whole = ("p", *self.limited)
        part = tuple(slice(None if name in whole else bound + 1) for name in self.dims)
        return replace(self, values=self.values[part], legal=self.legal[part])

    @cached_property
    def swapped(self) -> ValueTable:
        """The same with x and z exchanged."""
        axes = [{"x": "z", "z": "x"}.get(name, name) for name in self.dims]
        order = [self.dims.index(name) for name in axes]
        values, legal = self.values.transpose(order), self.legal.transpose(order)
        return replace(self, values=values, legal=legal)


@lru_cache(maxsize=256)
def value_table(game: str, bound: int, quantity: Quantity) -> ValueTable:
    """Return the table of a game up to a bound."""
    return ValueTable.of(parse_ruleset(game), bound, quantity)


def named_function(numbers: Ints, images: Ints) -> str | None:
    """Return the first of `FUNCTIONS` that has some values at some numbers; None if none has, or the numbers are few.

    Examples
    --------
    >>> g = np.arange(8)
    >>> named_function(g, np.array([0, 2, 1, 4, 3, 6, 5, 8])), named_function(g, g ^ 1), named_function(g // 2, g)
    ('max(((g+1) ^ 1)-1, 0)', 'g ^ 1', None)
    """
    pairs = np.unique(np.stack([numbers, images]), axis=1)
    known = np.unique(pairs[0])
    if known.size < max(FEWEST_VALUES, pairs.shape[1]):
        return None
    for text in FUNCTIONS:
        if np.array_equal(parse(text).evaluate({"g": pairs[0]}), pairs[1]):
            return text
    return None
