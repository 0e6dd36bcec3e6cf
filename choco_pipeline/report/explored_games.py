"""The data of the explorer page: corners of tables, rules and automata, as JSON.

A game is restricted to a small box, where every function in its rules is tabulated, so that the page evaluates no formula. A
function is ``{"of": indices of its coordinates, "data": values}``. The first coordinate changes slowest.
"""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.notation import match, read
from choco_pipeline.games.rules import Amounts, Face, Move, Rules
from choco_pipeline.proof.games.certificate import read_certificate
from choco_pipeline.proof.games.guess import Relation
from choco_pipeline.report.pictures import draw_automaton, is_drawable
from choco_pipeline.sweep.ledger import Ledger
from choco_pipeline.tables.cells import stored_corner
from choco_pipeline.tables.spec import variable_of

#: A part of the page's data.
Json = Mapping[str, Any]
#: The values of a family's parameters.
Values = tuple[int | str, ...]
#: The name of a family and its parameters.
Family = tuple[str, tuple[str, ...]]
T = TypeVar("T")

#: Largest number in a packed array. Larger amounts and heights have the same effect in the box.
LARGEST = (1 << 15) - 1
#: Games that differ only in parameters form a family.
PATTERNS = (
    "step-bar(k=k, s=s)",
    "strip-bar(k=k, s=s)",
    "solid-bar(f=(x+z)//k)",
    "rectangular-bar(m=m, n=n)",
)
#: The page opens with the first family that has this game.
OPENS_ON = "solid-bar(f=(x+z)//3)"
#: Most tables of one family; a slider with more values is hard to use.
MOST_TABLES = 24
#: Possible sides of the box. The first one with at most `MOST_POSITIONS` positions is used. A browser evaluates these in half a
#: second.
SIDES = (64, 48, 32, 24, 16, 12, 8, 6, 4)
MOST_POSITIONS = 50_000
#: Limit for faces: rectangular bars have no smaller tables. A browser evaluates only the positions below one position of the face,
#: about a sixteenth of the box.
MOST_POSITIONS_OF_A_FACE = 16 * MOST_POSITIONS
#: Most states times symbols of an embedded automaton, about 21 KiB.
MOST_TRANSITIONS = 8192
#: Most characters of all tables and automata together. Further tables are left out.
MOST_CHARACTERS = 2_400_000


def explored_families(ledger: Ledger, results: Path) -> list[Json]:
    """Return a run's tables by family, reduced to the size of a page.

    The tables of a family are in the order of their parameters. Raises `StoreError` if a table cannot be read.
    """
    families: dict[Family, dict[Values, Json]] = defaultdict(dict)
    for table in ledger.tables:
        name, parameters = family_of(table)
        of_family = families[name, tuple(parameters)]
        values = tuple(parameters.values())
        if values not in of_family or (table["bound"] or 0) > (of_family[values]["bound"] or 0):
            of_family[values] = table
    certificates = {
        (entry.ruleset, entry.relation): entry.certificate
        for entry in ledger.proofs
        if entry.certificate
    }
    explored = {
        family: [
            kept
            for values in spread(sorted(tables), MOST_TABLES)
            if (kept := _table_data(tables[values], values, certificates, results)) is not None
        ]
        for family, tables in families.items()
    }
    # Grundy numbers come first, because they fill the picture; one of P-positions is nearly empty.
    return sorted(
        (
            {"name": name, "parameters": parameters, "tables": tables}
            for (name, parameters), tables in fitting(explored).items()
        ),
        key=lambda family: (
            not any(table["holds_grundy_numbers"] for table in family["tables"]),
            -sum(bool(table["automata"]) for table in family["tables"]),
        ),
    )


def fitting(families: Mapping[Family, Sequence[Json]]) -> dict[Family, list[Json]]:
    """Return families with evenly spaced tables up to each family's share.

    The shares of `MOST_CHARACTERS` are equal. The unused part of a share goes to other families.
    """
    sizes = {
        family: [len(as_script_json(table)) for table in tables]
        for family, tables in families.items()
    }
    left, kept = MOST_CHARACTERS, {}
    for n, family in enumerate(sorted(sizes, key=lambda family: sum(sizes[family]))):
        number, share = len(sizes[family]), left // (len(sizes) - n)
        while sum(spread(sizes[family], number)) > share:
            number -= 1
        left -= sum(spread(sizes[family], number))
        kept[family] = spread(families[family], number)
    return {family: kept[family] for family in families if kept[family]}


def spread(several: Sequence[T], most: int) -> list[T]:
    """Return at most `most` elements, evenly spaced."""
    number = min(most, len(several))
    return [several[int((i + 0.5) * len(several) / number)] for i in range(number)]


def as_script_json(document: object) -> Markup:
    """Return a document as JSON that cannot close the surrounding script element."""
    return Markup(json.dumps(document, separators=(",", ":")).replace("<", "\\u003c"))


def family_of(table: Json) -> tuple[str, Mapping[str, int | str]]:
    """Return the family of a table's game, and the game's parameters in it.

    Examples
    --------
    >>> family_of({"ruleset": "with-pass(strip-bar(k=4, s=1), passes=1)", "quantity": "p-positions"})
    ('strip-bar(k=k, s=s) with a pass: P-positions', {'k': 4, 's': 1})
    >>> family_of({"ruleset": "nim(2)", "quantity": "grundy"})[0]
    'nim, other games: Grundy numbers'
    """
    quantity = {"grundy": "Grundy numbers", "p-positions": "P-positions"}[table["quantity"]]
    notation = read(table["ruleset"])
    with_pass = {f"with-pass({one}, passes=1)": f"{one} with a pass" for one in PATTERNS}
    for pattern, name in {**dict(zip(PATTERNS, PATTERNS, strict=True)), **with_pass}.items():
        parameters = match(read(pattern), notation)
        if parameters is not None:
            return f"{name}: {quantity}", parameters
    return f"{notation.name}, other games: {quantity}", {"game": table["ruleset"]}


def _table_data(
    entry: Json,
    values: Values,
    certificates: Mapping[tuple[str, Relation], str],
    results: Path,
) -> Json | None:
    """Return the data of a table, or None if its game does not fit on a page."""
    game = parse_ruleset(entry["ruleset"])
    variable = variable_of(game, entry["quantity"])
    sizes = _sizes(game, entry["bound"], variable.face)
    if (
        game.rules.needs_listing
        or sizes is None
        or len(variable.dims) + (variable.stored is not None) < 2
    ):
        return None
    # Positions on a face satisfy the condition `within`.
    rules_there = game.rules if variable.face is None else replace(game.rules, within=None)
    try:
        rules = played_rules(rules_there, sizes)
    except ChocoError:
        return None
    relation: Relation = "grundy" if entry["quantity"] == "grundy" else "p"
    automata, why = _automata(certificates.get((game.notation, relation)), game)
    axes, axis_sizes = game.rules.coordinates, sizes
    position = None
    if variable.face is not None:
        passes = game.coordinates[len(game.base.coordinates) :]
        axes = (*variable.face.sizes, *passes)
        axis_sizes = (*variable.face.sizes.values(), *(game.passes + 1 for _ in passes))
        numbers = {name: axis for axis, name in enumerate(axes)}
        position = [
            *(_tabulated(f, numbers, axis_sizes, 1) for f in variable.face.position),
            *(
                {"of": [numbers[p]], "data": base64_text(np.arange(game.passes + 1))}
                for p in passes
            ),
        ]
    of = [axes.index(dim) for dim in variable.dims]
    corner = stored_corner(results, entry, [axis_sizes[axis] for axis in of])
    return {
        "ruleset": entry["ruleset"],
        "values": values,
        "rules": rules,
        # The axes: coordinates, or the places of a face; their numbers of values, and their first values.
        "axes": axes,
        "axis_sizes": axis_sizes,
        "firsts": [variable.first(axis) for axis in axes],
        # For a face, the coordinates as functions of the axes.
        "position": position,
        "cells": {"of": of, "data": base64_text(corner)},
        "holds_grundy_numbers": relation == "grundy",
        # The coordinate of P-positions that the cells store; none for Grundy numbers and outcomes.
        "stored": None if variable.stored is None else axes.index(variable.stored),
        # An automaton for each number of passes left.
        "automata": automata,
        "why_no_automata": why,
    }


def _sizes(game: Ruleset, bound: int | None, face: Face | None) -> tuple[int, ...] | None:
    """Return the sides of the largest box that a browser can evaluate, if any."""
    most = MOST_POSITIONS if face is None else MOST_POSITIONS_OF_A_FACE
    for side in SIDES:
        largest = game.rules.largest(None if bound is None else min(bound, side - 1))
        if math.prod(n + 1 for n in largest) <= most:
            return tuple(n + 1 for n in largest)
    return None


def _automata(path: str | None, game: Ruleset) -> tuple[list[Json], str]:
    """Return the automata of a certificate, or the reason why there are none."""
    if path is None:
        return [], "This run has no automaton for this game."
    try:
        certificate = read_certificate(Path(path))
    except ChocoError:
        return [], "The certificate of this game cannot be read."
    states = max(automaton.states for automaton in certificate.automata)
    if any(automaton.delta.size > MOST_TRANSITIONS for automaton in certificate.automata):
        return [], f"The automaton of this game has {states:,} states, too many for this page."
    reads = game.base.coordinates
    if certificate.relation == "grundy":
        reads = (*reads, "Grundy number")
    automata: list[Json] = [
        {
            "reads": reads,
            # The next state for each state and symbol; bit i of a symbol is a digit of number i.
            "delta": base64_text(automaton.delta),
            "accepting": np.flatnonzero(automaton.accepting).tolist(),
            "picture": str(draw_automaton(automaton)) if is_drawable(automaton) else None,
        }
        for automaton in certificate.automata
    ]
    return automata, ""


def base64_text(values: NDArray[Any]) -> str:
    """Return an array of 16-bit integers in base 64, low byte first.

    Larger numbers become `LARGEST`.

    Examples
    --------
    >>> base64_text(np.array([1, 2]))
    'AQACAA=='
    """
    small = np.clip(values.astype(np.int64), -LARGEST, LARGEST).astype("<i2")
    return b64encode(small.tobytes()).decode()


def played_rules(rules: Rules, sizes: Sequence[int]) -> Json:
    """Return a game's rules on the box of positions below `sizes`.

    Raises `FormulaError` if a formula of the rules is undefined somewhere in the box, even outside the positions. Raises
    `HeightError` if a height is unknown there.
    """
    axes = {name: axis for axis, name in enumerate(rules.coordinates)}

    def function(formula: Formula | None) -> Json | None:
        return None if formula is None else _tabulated(formula, axes, sizes)

    def move(rule: Move) -> Json:
        assert not isinstance(rule.by, Amounts), "a game with listed options is not played here"
        return {
            "lowers": [axes[name] for name in rule.lowers],
            "by": rule.by,
            "at_most": function(rule.at_most),
            "clips": rule.clips,
            "unless": function(rule.unless),
            "needs": [move(other) for other in rule.needs],
        }

    limits = []
    for name, limit in rules.limits.items():
        of = [axes[other] for other in limit.of]
        heights = limit.height.table(*(sizes[axis] for axis in of))
        limits.append({"axis": axes[name], "largest": {"of": of, "data": base64_text(heights)}})
    return {
        "coordinates": rules.coordinates,
        "sizes": sizes,
        "limits": limits,
        "within": function(rules.within),
        "moves": [move(rule) for rule in rules.moves],
    }


def _tabulated(
    formula: Formula, axes: Mapping[str, int], sizes: Sequence[int], first: int = 0
) -> Json:
    of = sorted(axes[name] for name in formula.names)
    names = {axis: name for name, axis in axes.items()}
    ranges = np.ix_(*(np.arange(first, first + sizes[axis]) for axis in of))
    places = {names[axis]: numbers for axis, numbers in zip(of, ranges, strict=True)}
    return {"of": of, "data": base64_text(np.asarray(formula.evaluate(places)))}
