"""The page to explore: corners of tables, rules by which the page plays, and automata, as JSON.

A game is embedded on a small box in which every function of its rules is an array, so that the page evaluates no formula.
"""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.notation import match, read
from choco_pipeline.games.rules import Amounts, Face, Move, Rules
from choco_pipeline.proof.games.certificate import read_certificate
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.report.automaton_pictures import draw_automaton, is_drawable
from choco_pipeline.report.findings import QUANTITIES
from choco_pipeline.sweep.run_ledger import Ledger
from choco_pipeline.tables.reading.finished import stored_corner
from choco_pipeline.tables.specs.schema import variable_of

#: The largest number in a packed array; amounts and heights of a box are far smaller, or all the same if they are not.
LARGEST = (1 << 15) - 1


@dataclass(frozen=True)
class PackedFunction:
    """A function of some coordinates, tabulated."""

    #: The numbers of the coordinates, the first of which changes slowest.
    of: tuple[int, ...]
    #: As `packed` writes it.
    data: str


@dataclass(frozen=True)
class PlayedLimit:
    """The largest legal value of the coordinate with number `axis`."""

    axis: int
    largest: PackedFunction


@dataclass(frozen=True)
class PlayedMove:
    """A kind of move, as `choco_pipeline.games.rules.Move`, with coordinates by their numbers."""

    lowers: tuple[int, ...]
    by: str | tuple[int, ...]
    at_most: PackedFunction | None
    clips: bool
    unless: PackedFunction | None
    needs: tuple[PlayedMove, ...]


@dataclass(frozen=True)
class PlayedRules:
    """The rules of a game on a box of positions that no move leaves."""

    #: Their names.
    coordinates: tuple[str, ...]
    #: How many values each has.
    sizes: tuple[int, ...]
    limits: tuple[PlayedLimit, ...]
    within: PackedFunction | None
    moves: tuple[PlayedMove, ...]


def packed(values: NDArray[Any]) -> str:
    """Return an array as 16-bit integers, the lowest byte first, in base 64; larger numbers become `LARGEST`.

    Examples
    --------
    >>> packed(np.array([1, 2]))
    'AQACAA=='
    """
    small = np.clip(values.astype(np.int64), -LARGEST, LARGEST).astype("<i2")
    return b64encode(small.tobytes()).decode()


def played_rules(rules: Rules, sizes: Sequence[int]) -> PlayedRules:
    """Return a game's rules on the positions below `sizes`.

    Raises `FormulaError` if a formula of the rules has no value somewhere in the box, even where no position is; `HeightError`
    if a height is not known there.
    """
    axes = {name: axis for axis, name in enumerate(rules.coordinates)}

    def function(formula: Formula | None) -> PackedFunction | None:
        return None if formula is None else tabulated(formula, axes, sizes)

    def move(rule: Move) -> PlayedMove:
        assert not isinstance(rule.by, Amounts), (
            "a game whose options are listed is not played here"
        )
        return PlayedMove(
            tuple(axes[name] for name in rule.lowers),
            rule.by,
            function(rule.at_most),
            rule.clips,
            function(rule.unless),
            tuple(move(other) for other in rule.needs),
        )

    limits = []
    for name, limit in rules.limits.items():
        of = tuple(axes[other] for other in limit.of)
        heights = limit.height.table(*(sizes[axis] for axis in of))
        limits.append(PlayedLimit(axes[name], PackedFunction(of, packed(heights))))
    return PlayedRules(
        rules.coordinates,
        tuple(sizes),
        tuple(limits),
        function(rules.within),
        tuple(move(rule) for rule in rules.moves),
    )


def tabulated(
    formula: Formula, axes: Mapping[str, int], sizes: Sequence[int], first: int = 0
) -> PackedFunction:
    """Return a formula's values for coordinates that begin with `first`."""
    of = sorted(axes[name] for name in formula.names)
    names = {axis: name for name, axis in axes.items()}
    ranges = np.ix_(*(np.arange(first, first + sizes[axis]) for axis in of))
    places = {names[axis]: numbers for axis, numbers in zip(of, ranges, strict=True)}
    return PackedFunction(tuple(of), packed(np.asarray(formula.evaluate(places))))


#: Games that differ in parameters only, and are one family.
PATTERNS = (
    "step-bar(k=k, s=s)",
    "strip-bar(k=k, s=s)",
    "solid-bar(f=(x+z)//k)",
    "rectangular-bar(m=m, n=n)",
)
#: The page opens on the first family with this game.
OPENS_ON = "solid-bar(f=(x+z)//3)"
#: What may follow a pattern, and what a heading says of it.
WITH_PASS = "with-pass({}, passes=1)"
#: Tables of one family; a slider through more of them is hard to hit.
MOST_TABLES = 24
#: Values of a coordinate, the first of these for which the box has at most so many positions: a browser plays all of
#: them in half a second. Cells are fewer, since a table holds one coordinate of P-positions.
SIDES = (64, 48, 32, 24, 16, 12, 8, 6, 4)
MOST_POSITIONS = 50_000
#: Rectangular bars have no smaller tables; what a browser plays is below one position of the face, a sixteenth of the box.
MOST_POSITIONS_OF_A_FACE = 16 * MOST_POSITIONS
#: States times symbols of an automaton that is embedded, about 21 KiB.
MOST_TRANSITIONS = 8192
#: Characters of all tables and automata together: what does not fit is left out.
MOST_CHARACTERS = 2_400_000


@dataclass(frozen=True)
class WalkedAutomaton:
    """An automaton as the page walks it."""

    #: The names of the numbers, one track each.
    reads: tuple[str, ...]
    #: The state after each state and symbol, packed; bit i of a symbol is a digit of the number i.
    delta: str
    #: The states that accept.
    accepting: tuple[int, ...]
    #: As SVG or as a table, if it is small enough; else None.
    picture: str | None


@dataclass(frozen=True)
class ExploredTable:
    """The corner of a table, the rules of its game, and its automata."""

    #: As it is written.
    ruleset: str
    #: For each parameter of the family, its value.
    values: tuple[int | str, ...]
    rules: PlayedRules
    #: What the cells are counted by: coordinates, or the places of a face; how many values each has, and the first.
    axes: tuple[str, ...]
    axis_sizes: tuple[int, ...]
    firsts: tuple[int, ...]
    #: For a face, the coordinates as functions of the axes; None where axes are coordinates.
    position: tuple[PackedFunction, ...] | None
    #: By the axes that the table has.
    cells: PackedFunction
    holds_grundy_numbers: bool
    #: The coordinate whose value at a P-position the cells hold; None for Grundy numbers and for 1 at P-positions.
    stored: int | None
    #: One for each number of passes left.
    automata: tuple[WalkedAutomaton, ...]
    #: What is said where there is none.
    why_no_automata: str


@dataclass(frozen=True)
class ExploredFamily:
    """Tables whose games are said alike, in the order of their parameters."""

    name: str
    parameters: tuple[str, ...]
    tables: tuple[ExploredTable, ...]


def explored_families(ledger: Ledger, results: Path) -> list[ExploredFamily]:
    """Return the families of games of a run, with as many of their tables as a page can hold.

    Raises `StoreError` if a table that is shown cannot be read.
    """
    families: dict[tuple[str, tuple[str, ...]], dict[tuple[int | str, ...], Mapping[str, Any]]] = (
        defaultdict(dict)
    )
    for table in ledger.tables:
        name, parameters = _family(table)
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
            if (kept := _explored(tables[values], values, certificates, results)) is not None
        ]
        for family, tables in families.items()
    }
    shown = [
        ExploredFamily(name, names, tuple(tables))
        for (name, names), tables in fitting(explored).items()
    ]
    # A table of Grundy numbers fills its picture; one of P-positions is nearly empty.
    return sorted(
        shown,
        key=lambda family: (
            not any(table.holds_grundy_numbers for table in family.tables),
            -sum(bool(table.automata) for table in family.tables),
        ),
    )


def fitting(
    families: Mapping[tuple[str, tuple[str, ...]], Sequence[ExploredTable]],
) -> dict[tuple[str, tuple[str, ...]], list[ExploredTable]]:
    """Return families with as many tables of each as its share of `MOST_CHARACTERS` holds, spread evenly.

    Shares are equal, and what a family does not need is shared by those that need more.
    """
    sizes = {id(table): len(_json(table)) for tables in families.values() for table in tables}
    needs = {
        family: sum(sizes[id(table)] for table in tables) for family, tables in families.items()
    }
    left, fitting = MOST_CHARACTERS, {}
    for n, family in enumerate(sorted(needs, key=needs.__getitem__)):
        number, chosen = len(families[family]), list(families[family])
        while sum(sizes[id(table)] for table in chosen) > left // (len(needs) - n):
            number -= 1
            chosen = spread(families[family], number) if number else []
        left -= sum(sizes[id(table)] for table in chosen)
        fitting[family] = chosen
    return {family: fitting[family] for family in families if fitting[family]}


def spread(tables: Sequence[Any], most: int) -> list[Any]:
    """Return at most `most` of the tables, evenly."""
    if len(tables) <= most:
        return list(tables)
    return [tables[int((i + 0.5) * len(tables) / most)] for i in range(most)]


def embedded(families: Sequence[ExploredFamily]) -> Markup:
    """Return families as JSON that cannot end the script that holds it."""
    return Markup(f"[{','.join(map(_json, families))}]")


def _json(value: ExploredFamily | ExploredTable) -> str:
    return json.dumps(asdict(value), separators=(",", ":")).replace("<", "\\u003c")


def _family(table: Mapping[str, Any]) -> tuple[str, dict[str, int | str]]:
    """Return what a table's family is called, and its parameters."""
    notation, quantity = read(table["ruleset"]), QUANTITIES[table["quantity"]]
    for pattern in PATTERNS:
        for written, name in (
            (pattern, pattern),
            (WITH_PASS.format(pattern), f"{pattern} with a pass"),
        ):
            parameters = match(read(written), notation)
            if parameters is not None:
                return f"{name}: {quantity}", dict(parameters)
    return f"{notation.name}, other games: {quantity}", {"game": table["ruleset"]}


def _explored(
    entry: Mapping[str, Any],
    values: tuple[int | str, ...],
    certificates: Mapping[tuple[str, Relation], str],
    results: Path,
) -> ExploredTable | None:
    """Return a table, or None if its game does not fit on a page."""
    game = parse_ruleset(entry["ruleset"])
    variable = variable_of(game, entry["quantity"])
    sizes = _sizes(game, entry, variable.face)
    if (
        game.rules.needs_listing
        or sizes is None
        or len(variable.dims) + (variable.stored is not None) < 2
    ):
        return None
    # Positions on a face are known to satisfy the condition on all positions.
    rules_there = game.rules if variable.face is None else replace(game.rules, within=None)
    try:
        rules = played_rules(rules_there, sizes)
    except ChocoError:
        return None
    relation: Relation = "grundy" if entry["quantity"] == "grundy" else "p"
    automata, why = _automata(certificates.get((game.notation, relation)), game)
    axes, axis_sizes = rules.coordinates, rules.sizes
    position = None
    if variable.face is not None:
        passes = game.coordinates[len(game.base.coordinates) :]
        axes = (*variable.face.sizes, *passes)
        axis_sizes = (*variable.face.sizes.values(), *(game.passes + 1 for _ in passes))
        numbers = {name: axis for axis, name in enumerate(axes)}
        position = (
            *(tabulated(f, numbers, axis_sizes, 1) for f in variable.face.position),
            *(PackedFunction((numbers[p],), packed(np.arange(game.passes + 1))) for p in passes),
        )
    of = tuple(axes.index(dim) for dim in variable.dims)
    corner = stored_corner(results, entry, [axis_sizes[axis] for axis in of])
    return ExploredTable(
        entry["ruleset"],
        values,
        rules,
        axes,
        axis_sizes,
        tuple(variable.first(axis) for axis in axes),
        position,
        PackedFunction(of, packed(corner)),
        relation == "grundy",
        None if variable.stored is None else axes.index(variable.stored),
        automata,
        why,
    )


def _sizes(game: Ruleset, entry: Mapping[str, Any], face: Face | None) -> tuple[int, ...] | None:
    """Return how many values of each coordinate are played with; None if even a small box is too large."""
    most = MOST_POSITIONS if face is None else MOST_POSITIONS_OF_A_FACE
    bound = entry["bound"]
    for side in SIDES:
        largest = game.rules.largest(None if bound is None else min(bound, side - 1))
        if math.prod(n + 1 for n in largest) <= most:
            return tuple(n + 1 for n in largest)
    return None


def _automata(path: str | None, game: Ruleset) -> tuple[tuple[WalkedAutomaton, ...], str]:
    """Return the automata of a certificate, or why there are none here."""
    if path is None:
        return (), "No automaton of this game is known to this run."
    try:
        certificate = read_certificate(Path(path))
    except ChocoError:
        return (), "The certificate of this game cannot be read."
    states = max(automaton.states for automaton in certificate.automata)
    if any(automaton.delta.size > MOST_TRANSITIONS for automaton in certificate.automata):
        return (), f"The automaton of this game has {states:,} states, too many for this page."
    reads = game.base.coordinates
    if certificate.relation == "grundy":
        reads = (*reads, "Grundy number")
    return tuple(_walked(automaton, reads) for automaton in certificate.automata), ""


def _walked(automaton: Automaton, reads: tuple[str, ...]) -> WalkedAutomaton:
    picture = str(draw_automaton(automaton)) if is_drawable(automaton) else None
    accepting = tuple(int(state) for state in np.flatnonzero(automaton.accepting))
    return WalkedAutomaton(reads, packed(automaton.delta), accepting, picture)
