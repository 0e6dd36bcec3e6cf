"""Claims and games in a mathematical notation."""

from __future__ import annotations

from collections.abc import Sequence

from choco_pipeline.claims.kinds import Related, Values
from choco_pipeline.claims.language.claim import Claim, Determined
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import Compare, Integer, Junction, Name, Node, render
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.written.family_statement import Phrase
from choco_pipeline.formula.written.math_text import MathNotation, typeset
from choco_pipeline.formula.written.shifted_powers import ShiftedPowers
from choco_pipeline.games.notation import Notation
from choco_pipeline.statements.tree import conjuncts, math_of

#: Signs between two sets.
RELATIONS = {"exactly": "==", "within": "⊆", "contains-all": "⊇"}
#: Listed members of an infinite set of consecutive numbers.
SHOWN = 3


def displayed(claims: Sequence[Claim], notation: MathNotation) -> list[str]:
    """Return the claims of one statement as display formulas, without their bound."""
    claim = claims[0].without_reach
    given = [case for one in claims if (case := one.determined) is not None]
    if len(given) == len(claims):
        return [notation.row([*_head(claim, notation), _cases(given, notation)])]
    if claim.value_set is not None:
        return [_values(claim, claim.value_set, notation)]
    if claim.related is not None:
        return [_related(claim, claim.related, notation)]
    return [math_of(part, notation) for part in conjuncts(claim.proposition)]


def _head(claim: Claim, notation: MathNotation) -> list[str]:
    """Return the subject of a formula: a Grundy number, or "is a P-position"."""
    names = [notation.name(name, "") for name in claim.coordinates]
    if (claim.related and claim.related.equals) or claim.numbers:
        return [notation.function("G", names), notation.sign("==")]
    return [notation.listed(names), notation.words(" is a P-position"), notation.sign("iff")]


def _related(claim: Claim, check: Related, notation: MathNotation) -> str:
    there = notation.listed([typeset(at, notation) for at in check.at.values()])
    where: list[str] = []
    if check.where is not None:
        where = [notation.words(" where "), typeset(check.where, notation)]
    if check.equals is None:
        is_p = notation.words(f" is a P-position of {check.game}")
        return notation.row([*_head(claim, notation), there, is_p, *where])
    number = typeset(check.equals, notation)
    of = [notation.words(", where "), notation.name("g", ""), notation.words(" is that of "), there]
    parts = [*_head(claim, notation), number, *where, *of]
    return notation.row([*parts, notation.words(f" in {check.game}")])


def _values(claim: Claim, check: Values, notation: MathNotation) -> str:
    position = notation.listed([notation.name(name, "") for name in claim.coordinates])
    parts = [typeset(check.of, notation), notation.sign(":"), position]
    parts.append(notation.words(" a P-position"))
    if check.where is not None:
        parts += [notation.words(" with "), typeset(check.where, notation)]
    left = notation.bracketed(notation.row(parts), "{")
    right = set_of(check.values.text, notation)
    return notation.row([left, notation.sign(RELATIONS[check.relation]), right])


def _cases(cases: Sequence[Determined], notation: MathNotation) -> str:
    rows = [
        (typeset(case.formula, notation), typeset(case.where, notation) if case.where else "")
        for case in cases
    ]
    if len(rows) > 1:
        return notation.cases(rows)
    value, where = rows[0]
    return notation.row([value, notation.words(" where "), where]) if where else value


def introduced(pattern: Notation, notation: MathNotation) -> list[Phrase]:
    """Return the beginning of a sentence on games.

    A condition or a comma may follow.
    """
    lets, game = _game(pattern, notation)
    begins = [
        phrase for let in lets for phrase in (Phrase("Let "), Phrase(let, "formula"), Phrase(". "))
    ]
    return [*begins, Phrase("In "), *game]


def _game(pattern: Notation, notation: MathNotation) -> tuple[list[str], list[Phrase]]:
    """Return definitions of functions, and the name of a game."""
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
    r"""Return the set of integers v that satisfy a condition.

    It is written as a list, as {2^n − c : n ≥ m}, as a union of these, or as {v : condition}.

    Examples
    --------
    >>> from choco_pipeline.formula.written.latex import LaTeX
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
        powers = ShiftedPowers.of_condition(part)
        match part:
            case Compare(("==",), (Name("v"), Integer(member))):
                members.append(_number(member, notation))
            case _ if powers is not None:
                others.append(_powers(powers, notation))
            case _:
                return _all_with(node, notation)
    lists = [notation.listed(members, "{")] if members else []
    joined = [text for part in (*others, *lists) for text in (notation.sign("∪"), part)]
    return notation.row(joined[1:]) if len(joined) > 2 else joined[1]


def _all_with(condition: Node, notation: MathNotation) -> str:
    match condition:
        case Compare((">=",), (Name("v"), Integer(first))):
            first_members = [_number(v, notation) for v in range(first, first + SHOWN)]
            return notation.listed([*first_members, notation.words("…")], "{")
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
