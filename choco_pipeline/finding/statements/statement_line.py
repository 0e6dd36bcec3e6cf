"""One formula of a found statement: what it is a formula of, and where it is meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import FUNCTIONS, walk
from choco_pipeline.formula.parse import parse_nodes

Kind = Literal[
    "p-positions",
    "grundy",
    "values",
    "count",
    "cellular",
    "blocks",
    "heights",
    "law",
    "related",
]
#: The labels of a formula whose values at the P-positions are meant, and of the condition on these: by the relation in a claim.
VALUES_OF = "values of"
VALUES_ARE: Mapping[str, str] = {
    "exactly": "are exactly the v with",
    "within": "are among the v with",
    "contains-all": "are at least all v with",
}


class StatementError(ChocoError):
    """A document of a found statement that says what it must not, or does not say what it must."""


@dataclass(frozen=True)
class StatementLine:
    """One formula of a statement."""

    #: What it is a formula of: ``P iff``, ``G =``.
    label: str
    #: In the formula language; look-ups in a sequence, ``g(2*m) == 4*g(m)``, are allowed.
    formula: str
    #: The condition under which it is meant; empty for everywhere.
    where: str = ""

    def __post_init__(self) -> None:
        for name in ("formula", "where"):
            text = getattr(self, name)
            if text:
                object.__setattr__(self, name, parsed(text).text)


def parsed(text: str) -> Formula:
    """Return a formula, in which sequences may be looked up.

    Examples
    --------
    >>> parsed("g(2*m)==4*g(m)").text
    'g(2*m) == 4*g(m)'
    """
    return parse(text, functions=_sequences(text))


def nodes_in(text: str) -> int:
    """Return the number of names, numbers, operators and functions in a formula.

    Examples
    --------
    >>> nodes_in("x ^ y ^ (z+s) == 0")
    9
    """
    return sum(1 for _ in walk(parse_nodes(text, None, _sequences(text))))


def _sequences(text: str) -> frozenset[str]:
    """Return the names that are called in a text and are none of the language's functions."""
    called = re.findall(r"([A-Za-z]\w*)\s*\(", text)
    return frozenset(called) - FUNCTIONS.keys() - {"and", "or", "not"}
