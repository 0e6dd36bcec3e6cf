"""What a found statement says, in a mathematical notation: of which positions, by cases, under which condition."""

from __future__ import annotations

from itertools import product
from pathlib import Path

from choco_pipeline.claims.kinds import Related
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.finding.statements.statement_line import (
    VALUES_ARE,
    VALUES_OF,
    StatementLine,
    parsed,
)
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import Compare, Integer, Junction, Name, Node, render
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.written.family_statement import Phrase
from choco_pipeline.formula.written.math_text import PlainText, math_text
from choco_pipeline.formula.written.shifted_powers import ShiftedPowers
from choco_pipeline.formula.written.typeset import MathNotation, typeset
from choco_pipeline.games.notation import Notation, build

#: What lines of a statement are of: P-positions, Grundy numbers, how far these are meant, terms of a sequence, what is valued
#: at the P-positions. Any other label is words before a formula.
P_IFF, GRUNDY, UP_TO, RELATION, VALUES = "P iff", "G =", "up to", "relation", VALUES_OF
#: Kinds of statements whose formulas say all.
SAID_IN_FORMULAS = ("p-positions", "grundy", "values", "law", "related")
#: How a set of values compares with the numbers v of which a condition is true.
RELATIONS = dict(zip(VALUES_ARE.values(), ("==", "⊆", "⊇"), strict=True))

#: How many of all numbers from one on are shown.
SHOWN = 3


def displayed(statement: FoundStatement, notation: MathNotation) -> list[str]:
    """Return the formulas of a statement, each to be shown by itself; lines of one label are cases."""
    related = statement.claims[0].related if statement.claims else None
    if related is not None:
        return [_related(statement, related, notation)]
    shown = []
    for label in dict.fromkeys(line.label for line in statement.formulas):
        lines = [line for line in statement.formulas if line.label == label]
        if label in (P_IFF, GRUNDY):
            head = _head(statement, label, notation)
            shown.append(notation.row([*head, _cases(lines, notation)]))
        elif label == VALUES:
            shown.append(_values(statement, lines[0], notation))
        elif label in RELATIONS:
            continue
        elif label != UP_TO:
            begins = [] if label in ("", RELATION) else [notation.words(f"{label} ")]
            shown += [notation.row([*begins, _cases([line], notation)]) for line in lines]
    return shown


def condition(statement: FoundStatement, notation: MathNotation) -> str:
    """Return the condition on the parameters; empty for none."""
    return typeset(parsed(statement.when), notation) if statement.when else ""


def lead(statement: FoundStatement, notation: MathNotation) -> list[Phrase]:
    """Return the beginning of a statement's sentence: of which games, for which parameters, up to where and except at what."""
    phrases = introduced(statement.pattern, notation)
    if when := condition(statement, notation):
        phrases += [Phrase(", for "), Phrase(when, "formula")]
    if limit := reach(statement, notation):
        phrases += [
            Phrase(", for coordinates up to "),
            Phrase(limit, "formula"),
            Phrase(" and no further"),
        ]
    if statement.exceptions:
        places = [f"({', '.join(map(str, position))})" for position in statement.exceptions]
        phrases.append(Phrase(f", except at {', '.join(places)}"))
    return phrases


def in_text(statement: FoundStatement) -> str:
    """Return a statement as a line of plain text, without its full stop: its formulas if they say all, or its words."""
    plain = PlainText()
    begins = "".join(phrase.text for phrase in lead(statement, plain))
    if statement.formulas and statement.kind in SAID_IN_FORMULAS:
        return f"{begins}, {'; '.join(displayed(statement, plain))}"
    game = "" if statement.names_game else f"{statement.ruleset}: "
    given = f"for {math_text(statement.when)}: " if statement.when else ""
    return game + given + statement.said


def reach(statement: FoundStatement, notation: MathNotation) -> str:
    """Return up to which coordinate the formulas are meant; empty for all positions."""
    return "".join(
        typeset(parsed(line.formula), notation)
        for line in statement.formulas
        if line.label == UP_TO
    )


def coordinates_of(statement: FoundStatement) -> tuple[str, ...]:
    """Return the names of the coordinates; none if no parameters give a game."""
    if statement.kind == "heights":
        return ("x", "y", "z")
    names = list(statement.parameters)
    for values in product(*statement.parameters.values()):
        try:
            game = build(statement.pattern, dict(zip(names, values, strict=True)), Path())
        except ChocoError:
            continue
        return game.coordinates
    return ()


def _head(statement: FoundStatement, label: str, notation: MathNotation) -> list[str]:
    names = [notation.name(name, "") for name in coordinates_of(statement)]
    if label == GRUNDY:
        subject = notation.function("G", names) if names else notation.name("G", "")
        return [subject, notation.sign("==")]
    position = [notation.listed(names)] if names else [notation.words("a position")]
    return [*position, notation.words(" is a P-position"), notation.sign("iff")]


def _related(statement: FoundStatement, check: Related, notation: MathNotation) -> str:
    """Return what a position's being P, or its Grundy number, has to do with a position of another game."""
    there = notation.listed([typeset(at, notation) for at in check.at.values()])
    where: list[str] = []
    if check.where is not None:
        where = [notation.words(" where "), typeset(check.where, notation)]
    if check.equals is None:
        head = _head(statement, P_IFF, notation)
        return notation.row([*head, there, notation.words(f" is one of {check.game}"), *where])
    number = typeset(check.equals, notation)
    of = [notation.words(", where "), notation.name("g", ""), notation.words(" is that of "), there]
    parts = [*_head(statement, GRUNDY, notation), number, *where, *of]
    return notation.row([*parts, notation.words(f" in {check.game}")])


def _values(statement: FoundStatement, of: StatementLine, notation: MathNotation) -> str:
    """Return that the set of a formula's values at the P-positions is a set, or a part of one, or has one as a part."""
    names = [notation.name(name, "") for name in coordinates_of(statement)]
    position = [notation.listed(names)] if names else []
    parts = [typeset(parsed(of.formula), notation), notation.sign(":"), *position]
    left = notation.bracketed(notation.row([*parts, notation.words(" a P-position")]), "{")
    are = next(line for line in statement.formulas if line.label in RELATIONS)
    right = set_of(are.formula, notation)
    return notation.row([left, notation.sign(RELATIONS[are.label]), right])


def _cases(lines: list[StatementLine], notation: MathNotation) -> str:
    rows = [
        (
            typeset(parsed(line.formula), notation),
            typeset(parsed(line.where), notation) if line.where else "",
        )
        for line in lines
    ]
    if len(rows) > 1:
        return notation.cases(rows)
    value, where = rows[0]
    return notation.row([value, notation.words(" where "), where]) if where else value


def introduced(pattern: Notation, notation: MathNotation) -> list[Phrase]:
    """Return the beginning of a sentence on games, up to where a condition or a comma may follow."""
    lets, game = _game(pattern, notation)
    begins = [
        phrase for let in lets for phrase in (Phrase("Let "), Phrase(let, "formula"), Phrase(". "))
    ]
    return [*begins, Phrase("In "), *game]


def _game(pattern: Notation, notation: MathNotation) -> tuple[list[str], list[Phrase]]:
    """Return functions that are to be named before a game, and what it is called."""
    arguments = dict(pattern.arguments)
    inner = [part for part in arguments.values() if isinstance(part, Notation)]
    numbers = {key: number for key, number in arguments.items() if isinstance(number, Formula)}

    def formula(key: str) -> str:
        return typeset(numbers[key], notation)

    x, y, z, f = (notation.name(letter, "") for letter in "xyzf")
    match pattern.name:
        case "solid-bar" if "f" in numbers:
            named = [notation.function("f", [x, z]), notation.sign("=="), formula("f")]
            is_any = numbers["f"].text == "f"
            lets = [] if is_any else [notation.row(named)]
            return lets, [Phrase(notation.function("CB", [f, x, y, z]), "formula")]
        case "step-bar" | "strip-bar":
            bar = notation.function("CB", [formula("s"), formula("k"), y, z])
            strip = (
                [Phrase(" with a strip "), Phrase(x, "formula")]
                if pattern.name == "strip-bar"
                else []
            )
            return [], [Phrase(bar, "formula"), *strip]
        case "rectangular-bar":
            return [], [Phrase(notation.function("C", [formula("m"), formula("n")]), "formula")]
        case "nim":
            words = {"1": " heap"}.get(numbers["heaps"].text, " heaps")
            return [], [Phrase("Nim with "), Phrase(formula("heaps"), "formula"), Phrase(words)]
        case "with-pass":
            lets, game = _game(inner[0], notation)
            joined = " and " if inner[0].name == "strip-bar" else " with "
            if numbers["passes"].text == "1":
                return lets, [*game, Phrase(f"{joined}a pass")]
            return lets, [
                *game,
                Phrase(joined),
                Phrase(formula("passes"), "formula"),
                Phrase(" passes"),
            ]
        case "sum":
            (more, first), (others, second) = (_game(part, notation) for part in inner)
            lets = list(dict.fromkeys([*more, *others]))
            return lets, [Phrase("the sum of "), *first, Phrase(" and "), *second]
        case _:
            return [], [Phrase(pattern.text)]


def set_of(condition: str, notation: MathNotation) -> str:
    r"""Return the set of integers v with a condition: a list, {2^n − c : n ≥ m}, both, or {v : the condition}.

    Examples
    --------
    >>> from choco_pipeline.report.math.latex import LaTeX
    >>> set_of("v == 1 or v >= 0 and (v+2) & (v+1) == 0", LaTeX())
    '\\{2^{n} - 2 : n \\geq 1\\} \\cup \\{1\\}'
    >>> set_of("v%4 == 0", LaTeX()), set_of("v >= 0", LaTeX())
    ('\\{v : v \\equiv 0 \\pmod{4}\\}', '\\{0, 1, 2, \\text{…}\\}')
    """
    node = parse_nodes(condition)
    parts = node.operands if isinstance(node, Junction) and node.operator == "or" else (node,)
    members: list[str] = []
    others: list[str] = []
    for part in parts:
        powers = ShiftedPowers.told_by(part)
        match part:
            case Compare(("==",), (Name("v"), Integer(member))):
                members.append(_number(member, notation))
            case _ if powers is not None:
                others.append(_powers(powers, notation))
            case _:
                return _all_with(node, notation)
    lists = [notation.listed(members, "{")] if members else []
    joined = [text for shown in (*others, *lists) for text in (notation.sign("∪"), shown)]
    return notation.row(joined[1:]) if len(joined) > 2 else joined[1]


def _all_with(condition: Node, notation: MathNotation) -> str:
    match condition:
        case Compare((">=",), (Name("v"), Integer(first))):
            shown = [_number(v, notation) for v in range(first, first + SHOWN)]
            return notation.listed([*shown, notation.words("…")], "{")
        case _:
            pass
    inner = [
        notation.name("v", ""),
        notation.sign(":"),
        typeset(parse(render(condition)), notation),
    ]
    return notation.bracketed(notation.row(inner), "{")


def _powers(powers: ShiftedPowers, notation: MathNotation) -> str:
    number, n, c = notation.number, notation.name("n", ""), powers.shift
    power = notation.power(number("2"), n)
    shifted = [notation.sign("-" if c > 0 else "+"), number(str(abs(c)))] if c else []
    where = [notation.sign(":"), n, notation.sign(">="), number(str(powers.least))]
    return notation.bracketed(notation.row([power, *shifted, *where]), "{")


def _number(value: int, notation: MathNotation) -> str:
    digits = notation.number(str(abs(value)))
    return digits if value >= 0 else notation.row([notation.minus(), digits])
