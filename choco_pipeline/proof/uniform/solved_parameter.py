"""Elimination of a parameter that the condition defines by a power of 2.

A statement for all k, s, t, u with ``u < k and s == u*2**t`` becomes one for all k, t, u with ``u < k``, with u·2^t substituted for s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain

from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import (
    Binary,
    Compare,
    Integer,
    Junction,
    Name,
    Node,
    names_of,
    render,
    substitute,
    walk,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games.notation import read, with_arguments
from choco_pipeline.proof.trial import ALWAYS


def exponents(formulas: Iterable[Node]) -> list[str]:
    """Return the names in exponents, sorted."""
    parts = chain.from_iterable(map(walk, formulas))
    powers = [part for part in parts if isinstance(part, Binary) and part.operator == "**"]
    return sorted({name for part in powers for name in names_of(part.right)})


def without_solved(
    ruleset: str, condition: str, relation: str, where: str
) -> tuple[str, str, str, str]:
    """Return a family's texts without the parameter defined by a power, if any.

    Examples
    --------
    >>> without_solved("step-bar(k=k, s=s)", "k > 0 and s == 2**t", "(y ^ (z+s)) - s", "")
    ('step-bar(k=k, s=2**t)', 'k > 0', '(y ^ (z+2**t))-2**t', '')
    """
    notation = read(ruleset)
    parts = [part.root for part in parse(condition).conjuncts]
    for part in parts:
        match part:
            case Compare(("==",), (Name(name), value)) if name in notation.names:
                if not exponents([value]) or name in names_of(value) or not _is_natural(value):
                    continue
                put = {name: value}
                kept = [substitute(other, put) for other in parts if other is not part]
                rest = Junction("and", tuple(kept)) if kept[1:] else (*kept, parse_nodes(ALWAYS))[0]
                premise = _with(where, put) if where else ""
                game = with_arguments(notation, partial(substitute, parts=put)).text
                return game, render(rest), _with(relation, put), premise
    return ruleset, condition, relation, where


def _is_natural(value: Node) -> bool:
    """Whether the form of a formula shows that it is natural for natural parameters."""
    return all(
        isinstance(part, Integer | Name)
        or (isinstance(part, Binary) and part.operator in ("+", "*", "**"))
        for part in walk(value)
    )


def _with(text: str, put: Mapping[str, Node]) -> str:
    return render(substitute(parse_nodes(text), put))
