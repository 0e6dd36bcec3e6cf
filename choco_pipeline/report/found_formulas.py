"""What a found statement says, in a mathematical notation: of which positions, by cases, under which condition."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.statement import Line, Statement, parsed
from choco_pipeline.games.notation import build
from choco_pipeline.report.typeset import Notation, typeset

#: What lines of a statement are of: P-positions, Grundy numbers, how far these are meant, terms of a sequence.
#: Any other label is words before a formula.
P_IFF, GRUNDY, UP_TO, RELATION = "P iff", "G =", "up to", "relation"


def displayed(statement: Statement, notation: Notation) -> list[str]:
    """Return the formulas of a statement, each to be shown by itself; lines of one label are cases."""
    shown = []
    for label in dict.fromkeys(line.label for line in statement.formulas):
        lines = [line for line in statement.formulas if line.label == label]
        if label in (P_IFF, GRUNDY):
            head = _head(statement, label, notation)
            shown.append(notation.row([*head, _cases(lines, notation)]))
        elif label != UP_TO:
            begins = [] if label in ("", RELATION) else [notation.words(f"{label} ")]
            shown += [notation.row([*begins, _cases([line], notation)]) for line in lines]
    return shown


def condition(statement: Statement, notation: Notation) -> str:
    """Return the condition on the parameters; empty for none."""
    return typeset(parsed(statement.when), notation) if statement.when else ""


def reach(statement: Statement, notation: Notation) -> str:
    """Return up to which coordinate the formulas are meant; empty for all positions."""
    return "".join(
        typeset(parsed(line.formula), notation)
        for line in statement.formulas
        if line.label == UP_TO
    )


def coordinates_of(statement: Statement) -> tuple[str, ...]:
    """Return the names of the coordinates; none if no parameters give a game."""
    names = list(statement.parameters)
    for values in product(*statement.parameters.values()):
        try:
            game = build(statement.pattern, dict(zip(names, values, strict=True)), Path())
        except ChocoError:
            continue
        return game.coordinates
    return ()


def _head(statement: Statement, label: str, notation: Notation) -> list[str]:
    names = [notation.name(name, "") for name in coordinates_of(statement)]
    if label == GRUNDY:
        subject = notation.function("G", names) if names else notation.name("G", "")
        return [subject, notation.sign("==")]
    position = [notation.listed(names)] if names else [notation.words("a position")]
    return [*position, notation.words(" is a P-position "), notation.sign("iff")]


def _cases(lines: list[Line], notation: Notation) -> str:
    rows = [
        (
            typeset(parsed(line.formula), notation),
            typeset(parsed(line.where), notation) if line.where else "",
        )
        for line in lines
    ]
    if len(rows) > 1:
        return notation.cases(rows)
    said, where = rows[0]
    return notation.row([said, notation.words(" where "), where]) if where else said
