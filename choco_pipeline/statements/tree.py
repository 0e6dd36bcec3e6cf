"""Syntax trees of statements, and their texts.

A statement is a proposition about the positions of a game, or about integers. Its leaves are conditions on integers: formulas of
`choco_pipeline.formula`, which know nothing of games. A Grundy number, a count or a coordinate of an option is a name in such a
formula. This name is the canonical text of the term, and the leaf maps it to the term.
The canonical text of a statement parses to the same statement. The mathematical text has the usual signs (⇔, ⊕), for
terminals, web pages and papers; a `MathNotation` writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from choco_pipeline.formula import Formula, Range, parse
from choco_pipeline.formula.written.math_text import (
    MathNotation,
    index_of,
    typeset,
    typeset_range,
    typeset_set,
)
from choco_pipeline.games.notation import POSITIONAL, Notation

#: The name of the largest coordinate of a position; passes left do not count.
SIZE = "size"

Word = Literal["every", "some", "no"]
Relation = Literal["==", "<=", ">="]


@dataclass(frozen=True)
class Place:
    """A position: the current one, one of its options, or given by coordinates."""

    #: The coordinates; None for the current position.
    at: tuple[Expression, ...] | None = None
    #: Another game, whose arguments may be formulas in parameters; None for the same game.
    game: Notation | None = None
    #: Whether it is the option that a quantifier has chosen.
    primed: bool = False


@dataclass(frozen=True)
class Grundy:
    """The Grundy number of a position."""

    place: Place


@dataclass(frozen=True)
class Count:
    """The number of choices of bound variables for which a proposition holds."""

    bindings: tuple[Binding, ...]
    body: Proposition


@dataclass(frozen=True)
class Printed:
    """An entry of the printed table of a claim, by its row and column from 0."""

    row: Expression
    column: Expression


@dataclass(frozen=True)
class Primed:
    """A coordinate of the option that a quantifier has chosen."""

    coordinate: str


Term = Grundy | Count | Printed | Primed


@dataclass(frozen=True)
class Expression:
    """An integer, or a condition on integers, which is a proposition."""

    #: Names are coordinates, parameters, bound variables, and the texts of `terms`.
    formula: Formula
    #: The game terms in it, by their canonical text.
    terms: tuple[tuple[str, Term], ...] = ()

    @property
    def is_total(self) -> bool:
        """Whether every term in it has a value wherever the statement is evaluated."""
        return all(isinstance(term, Primed) or term == Grundy(Place()) for _, term in self.terms)

    @property
    def names(self) -> frozenset[str]:
        """The coordinates, parameters and variables in it, without those inside terms."""
        return self.formula.names - {name for name, _ in self.terms}


@dataclass(frozen=True)
class PPosition:
    """The proposition that a position is a P-position."""

    place: Place = field(default_factory=Place)


@dataclass(frozen=True)
class IsOption:
    """The proposition that a cell is an option of the current position.

    If the coordinates are new names, the statement is about all cells.
    """

    at: tuple[Expression, ...]


@dataclass(frozen=True)
class IsPrinted:
    """The proposition that a tuple of integers is a row of a claim's printed list."""

    row: tuple[Expression, ...]


@dataclass(frozen=True)
class Not:
    """The negation of a proposition."""

    operand: Proposition


@dataclass(frozen=True)
class Junction:
    """``and`` or ``or`` of two or more propositions.

    Later ones are evaluated only where earlier ones do not decide.
    """

    word: Literal["and", "or"]
    operands: tuple[Proposition, ...]


@dataclass(frozen=True)
class Implies:
    """The conclusion holds wherever the premise holds; it is not evaluated elsewhere."""

    premise: Proposition
    conclusion: Proposition


@dataclass(frozen=True)
class Equivalent:
    """Two or more propositions that are all true or all false."""

    operands: tuple[Proposition, ...]


@dataclass(frozen=True)
class InRange:
    """A variable that takes the integers of a range."""

    name: str
    span: Range
    #: Whether the range is a sample of the integers of the statement, so that no verdict may say "for all".
    is_sample: bool = False


@dataclass(frozen=True)
class OfPosition:
    """The coordinates run over all positions of the game."""


@dataclass(frozen=True)
class OfOption:
    """The primed coordinates run over the options of the current position."""

    #: Only moves that lower no coordinates except these; all moves if empty.
    by: tuple[str, ...] = ()


@dataclass(frozen=True)
class OfCell:
    """New names for coordinates run over all natural numbers up to the bound."""

    names: tuple[str, ...]


Binding = InRange | OfPosition | OfOption | OfCell


@dataclass(frozen=True)
class Quantified:
    """A proposition for every, some or no choice of bound variables."""

    word: Word
    bindings: tuple[Binding, ...]
    body: Proposition


@dataclass(frozen=True)
class Let:
    """A proposition with a definition: a name for an integer."""

    name: str
    value: Expression
    body: Proposition


@dataclass(frozen=True)
class At:
    """A proposition at one position."""

    position: tuple[Expression, ...]
    body: Proposition


@dataclass(frozen=True)
class ValueSet:
    """The values of an expression at some positions, compared with a set.

    A condition selects the positions. ``==``: the sets are equal; ``<=``: every value is a member; ``>=``: every member is a
    value.
    """

    value: Expression
    condition: Proposition
    relation: Relation
    #: The set: the integers that satisfy `members`, a condition on `variable`.
    variable: str
    members: Expression


Proposition = (
    Expression
    | PPosition
    | IsOption
    | IsPrinted
    | Not
    | Junction
    | Implies
    | Equivalent
    | Quantified
    | Let
    | At
    | ValueSet
)
Part = Proposition | Term | Place | Binding


#: A condition that is true everywhere.
TRUE = Expression(parse("0 == 0"))


def children(part: Part) -> Iterator[Part]:
    """Yield the children of a part, left to right."""

    def parts_in(value: object) -> Iterator[Part]:
        if isinstance(value, Part):
            yield value
        elif isinstance(value, tuple):
            for one in value:
                yield from parts_in(one)

    for one in fields(part):
        yield from parts_in(getattr(part, one.name))


def walk(part: Part) -> Iterator[Part]:
    """Yield a part and all its descendants."""
    yield part
    for child in children(part):
        yield from walk(child)


def is_of_one_game(part: Part) -> bool:
    """Check whether a part is about one game's positions, options and integers."""
    others = At | IsOption | OfCell | OfPosition | Printed
    return not any(
        isinstance(one, others) or (isinstance(one, Place) and one.game is not None)
        for one in walk(part)
    )


def is_about_option(part: Part, known: Collection[str]) -> bool:
    """Check whether a part depends only on the chosen option and `known` names."""
    allowed = Expression | Place | PPosition | Grundy | Primed | IsPrinted
    allowed |= Not | Junction | Implies | Equivalent
    return all(
        isinstance(one, allowed)
        and (not isinstance(one, Expression) or one.names <= {*known})
        and (not isinstance(one, Place) or one.primed)
        for one in walk(part)
    )


@dataclass(frozen=True)
class OnOptions:
    """A condition on positions that implies a condition on their options.

    Every, some or no option satisfies the latter.
    """

    where: Formula
    word: Word
    #: Only options by moves that lower no coordinates except these; all moves if empty.
    by: tuple[str, ...]
    #: A condition on the coordinates of the option, by the names of the coordinates.
    to: Formula


def on_options(part: Proposition, coordinates: Collection[str]) -> OnOptions | None:
    """Return a statement as `OnOptions`; None if it has another form."""
    where = TRUE.formula
    if (
        isinstance(part, Implies)
        and isinstance(part.premise, Expression)
        and not part.premise.terms
    ):
        where, part = part.premise.formula, part.conclusion
    match part:
        case Quantified(word, (OfOption(by),), Expression(to, terms)) if (
            all(isinstance(term, Primed) for _, term in terms)
            and {SIZE, *coordinates}.isdisjoint(to.names)
            and SIZE not in where.names
        ):
            return OnOptions(where, word, by, to.rename_all({f"{x}'": x for x in coordinates}))
        case _:
            return None


def conjuncts(proposition: Proposition) -> tuple[Proposition, ...]:
    """Return the propositions joined by ``and`` on the outside, at least one."""
    match proposition:
        case Junction("and", operands):
            return tuple(part for operand in operands for part in conjuncts(operand))
        case Expression(formula, terms):
            parts = formula.conjuncts
            used = (tuple(term for term in terms if term[0] in part.names) for part in parts)
            return tuple(map(Expression, parts, used))
        case _:
            return (proposition,)


def joined(word: Literal["and", "or"], parts: list[Proposition]) -> Proposition:
    """Return a junction without nested junctions of the same word.

    Adjacent conditions become one formula. Without parts, it is the condition `TRUE`.
    """
    if not parts:
        return TRUE
    flat: list[Proposition] = []
    for part in parts:
        for one in part.operands if isinstance(part, Junction) and part.word == word else (part,):
            match flat[-1:], one:
                case [Expression() as before], Expression() if before.is_total and one.is_total:
                    terms = dict(before.terms) | dict(one.terms)
                    formula = Formula.joined(word, before.formula, one.formula)
                    flat[-1] = Expression(formula, tuple(terms.items()))
                case _:
                    flat.append(one)
    return flat[0] if len(flat) == 1 else Junction(word, tuple(flat))


def negated(part: Proposition) -> Proposition:
    """Return the negation of a proposition; that of a condition is a condition."""
    if isinstance(part, Expression):
        return replace(part, formula=part.formula.negated)
    return Not(part)


def rebuilt(part: Proposition, act: Callable[[Proposition], Proposition]) -> Proposition:
    """Return a proposition with `act` applied to the propositions directly in it."""
    match part:
        case Not(operand):
            return negated(act(operand))
        case Junction(word, operands):
            return joined(word, [act(operand) for operand in operands])
        case Equivalent(operands):
            return Equivalent(tuple(map(act, operands)))
        case Implies(premise, conclusion):
            return Implies(act(premise), act(conclusion))
        case Quantified() | Let() | At():
            return replace(part, body=act(part.body))
        case ValueSet():
            return replace(part, condition=act(part.condition))
        case Expression() | PPosition() | IsOption() | IsPrinted():
            return part


def samples(part: Part) -> list[InRange]:
    """Return the ranges that are samples."""
    return [one for one in walk(part) if isinstance(one, InRange) and one.is_sample]


def uses_bound(part: Part) -> bool:
    """Check whether a statement about integers depends on N."""
    return any(
        (isinstance(one, Expression) and "N" in one.formula.names)
        or (isinstance(one, InRange) and "N" in one.span.names)
        for one in walk(part)
    )


def applies(part: Proposition) -> Proposition:
    """Return the proposition that a statement is not vacuous.

    Its premise holds, and if it is about every option, there is an option.
    """
    match part:
        case Implies(premise, conclusion):
            return joined("and", [premise, applies(conclusion)])
        case Let():
            return replace(part, body=applies(part.body))
        case Quantified("every", (OfOption(),) as bindings, body):
            return Quantified("some", bindings, body.premise if isinstance(body, Implies) else TRUE)
        case _:
            return TRUE


def integers_in_front(part: Proposition) -> tuple[tuple[InRange, ...], Proposition]:
    """Return the outer variables ``for n in …, k in …:``, and the body."""
    if isinstance(part, Quantified) and part.word == "every":
        ranges = tuple(one for one in part.bindings if isinstance(one, InRange))
        if len(ranges) == len(part.bindings):
            return ranges, part.body
    return (), part


def without_samples(part: Proposition) -> Proposition:
    """Return a proposition in which no range is marked as a sample."""
    inner = rebuilt(part, without_samples)
    if not isinstance(inner, Quantified):
        return inner
    bindings = tuple(
        replace(one, is_sample=False) if isinstance(one, InRange) else one for one in inner.bindings
    )
    return replace(inner, bindings=bindings)


# The precedence of propositions, from the lowest.
_PREFIX, _ARROW, _OR, _AND, _NOT, _ATOM = range(6)


def text_of(proposition: Proposition, *, ends: bool = True) -> str:
    """Return the canonical text, which the parser reads as the same proposition.

    The body of a quantifier extends as far as possible. It needs no parentheses if nothing follows the quantifier (`ends`).
    """
    match proposition:
        case Expression(formula):
            return formula.text
        case PPosition(place):
            return f"P{_place(place)}"
        case IsOption(at):
            return f"option{_tuple(at)}"
        case IsPrinted(row):
            return f"{_tuple(row)} in printed"
        case Not(operand):
            return f"not {_within(operand, _NOT, ends)}"
        case Junction(word, operands):
            return _row(operands, f" {word} ", _OR if word == "or" else _AND, ends)
        case Implies(premise, conclusion):
            return _row([premise, conclusion], " => ", _OR, ends)
        case Equivalent(operands):
            return _row(operands, " <=> ", _OR, ends)
        case Quantified(word, bindings, body):
            return f"{word} {_bindings(bindings)}: {text_of(body)}"
        case Let():
            definitions = list[str]()
            while isinstance(proposition, Let):
                definitions.append(f"{proposition.name} = {proposition.value.formula.text}")
                proposition = proposition.body
            return f"let {', '.join(definitions)}: {text_of(proposition)}"
        case At(position, body):
            return f"at {_tuple(position)}: {text_of(body)}"
        case ValueSet(value, condition, relation, variable, members):
            values = f"{{{value.formula.text}: {text_of(condition)}}}"
            return f"{values} {relation} {{{variable}: {members.formula.text}}}"


def term_text(term: Term) -> str:
    """Return the canonical text of a term."""
    match term:
        case Grundy(place):
            return f"G{_place(place)}"
        case Primed(coordinate):
            return f"{coordinate}'"
        case Printed(row, column):
            return f"printed{_tuple((row, column))}"
        case Count(bindings, body):
            return f"count({_bindings(bindings)}: {text_of(body)})"


def math_of(part: Proposition, to: MathNotation) -> str:
    """Return a proposition in a mathematical notation."""
    match part:
        case Expression():
            return _expression(part, to)
        case PPosition(place):
            return _place_math("P", place, to)
        case IsOption(at):
            return to.row([_tuple_math(at, to), to.words(" is an option")])
        case IsPrinted(row):
            return to.row([_tuple_math(row, to), to.words(" is printed")])
        case Not(operand):
            return to.row([to.words("not "), _within_math(operand, _ATOM, to)])
        case Junction(word, operands):
            return _chain(operands, to.words(f" {word} "), _OR if word == "or" else _AND, to)
        case Equivalent(operands):
            return _chain(operands, to.sign("iff"), _OR, to)
        case Implies(premise, conclusion):
            return _chain([premise, conclusion], to.sign("⇒"), _OR, to)
        case Quantified(word, bindings, body):
            first = {"every": "for all ", "some": "for some ", "no": "for no "}[word]
            bound = _bindings_math(bindings, "s" if word == "every" else "", to)
            return to.row([to.words(first), bound, to.words(": "), math_of(body, to)])
        case Let(_, _, body):
            return to.row(
                [to.words("with "), _equation(part, to), to.words(": "), math_of(body, to)]
            )
        case At(position, body):
            return to.row(
                [to.words("at "), _tuple_math(position, to), to.words(": "), math_of(body, to)]
            )
        case ValueSet(value, condition, relation, variable, members):
            left = to.row([_expression(value, to), to.sign(":"), math_of(condition, to)])
            right = typeset_set(members.formula, variable, to)
            sign = {"==": "==", "<=": "⊆", ">=": "⊇"}[relation]
            return to.row([to.bracketed(left, "{"), to.sign(sign), right])


def term_math(term: Term, to: MathNotation) -> str:
    """Return a term in a mathematical notation."""
    match term:
        case Grundy(place):
            return _place_math("G", place, to)
        case Primed(coordinate):
            return to.symbol(*index_of(coordinate), primed=True)
        case Printed(row, column):
            return to.function("printed", [_expression(row, to), _expression(column, to)])
        case Count(bindings, body):
            bound = _bindings_math(bindings, "s", to)
            begins = [to.words("the number of "), bound, to.words(" with ")]
            definitions = list[str]()
            while isinstance(body, Let):
                definitions.append(to.words(", " if definitions else ", where "))
                definitions.append(_equation(body, to))
                body = body.body
            return to.row([*begins, math_of(body, to), *definitions])


def _strength(proposition: Proposition) -> int:
    match proposition:
        case Quantified() | Let() | At():
            return _PREFIX
        case Implies() | Equivalent():
            return _ARROW
        case Junction(word):
            return _OR if word == "or" else _AND
        case Expression(formula):
            return {"or": _OR, "and": _AND, "not": _NOT}.get(formula.junction, _ATOM)
        case Not():
            return _NOT
        case PPosition() | IsOption() | IsPrinted() | ValueSet():
            return _ATOM


def _within(part: Proposition, least: int, ends: bool) -> str:
    """Return a part, in parentheses if its precedence is below `least`.

    A quantifier, ``let`` or ``at`` at the end of the text needs none.
    """
    strength = _strength(part)
    if strength >= least or (strength == _PREFIX and ends):
        return text_of(part, ends=ends)
    return f"({text_of(part)})"


def _row(parts: Sequence[Proposition], sign: str, least: int, ends: bool) -> str:
    before = [_within(part, least, False) for part in parts[:-1]]
    return sign.join([*before, _within(parts[-1], least, ends)])


def _tuple(at: Sequence[Expression]) -> str:
    return f"({', '.join(one.formula.text for one in at)})"


def _place(place: Place) -> str:
    if place.primed:
        return "'"
    game = "" if place.game is None else f"[{place.game.text}]"
    return game + ("" if place.at is None else _tuple(place.at))


def _bindings(bindings: Sequence[Binding]) -> str:
    texts = list[str]()
    for binding in bindings:
        match binding:
            case InRange(name, span, is_sample):
                texts.append(f"{name} in {'sample ' if is_sample else ''}{span.text}")
            case OfPosition():
                texts.append("position")
            case OfCell(names):
                texts.append(f"cell ({', '.join(names)})")
            case OfOption(by):
                texts.append(f"option by {', '.join(by)}" if by else "option")
    return ", ".join(texts)


def _within_math(part: Proposition, least: int, to: MathNotation) -> str:
    text = math_of(part, to)
    return text if _strength(part) >= least else to.bracketed(text, "(")


def _chain(parts: Sequence[Proposition], sign: str, least: int, to: MathNotation) -> str:
    row = [_within_math(parts[0], least, to)]
    for part in parts[1:]:
        row += [sign, _within_math(part, least, to)]
    return to.row(row)


def _expression(part: Expression, to: MathNotation) -> str:
    terms = {name: term_math(term, to) for name, term in part.terms}
    for name, term in part.terms:
        has_words = isinstance(term, Count) or (
            isinstance(term, Grundy) and term.place.game is not None
        )
        if has_words and part.formula.text != name:
            terms[name] = to.bracketed(terms[name], "(")
    return typeset(part.formula, to, terms)


def _equation(part: Let, to: MathNotation) -> str:
    name = to.name(*index_of(part.name))
    return to.row([name, to.sign("=="), _expression(part.value, to)])


def _place_math(letter: str, place: Place, to: MathNotation) -> str:
    if place.primed:
        return to.symbol(letter, primed=True)
    parts = [to.symbol(letter)]
    if place.at is not None:
        parts.append(_tuple_math(place.at, to))
    if place.game is not None:
        parts += [to.words(" in "), _game_math(place.game, to)]
    return to.row(parts)


def _game_math(game: Notation, to: MathNotation) -> str:
    """Return the notation of a game with typeset formulas."""
    arguments = list[str]()
    for key, value in game.arguments:
        match value:
            case Formula():
                text = typeset(value, to)
            case Notation():
                text = _game_math(value, to)
            case _:
                text = to.words(value.text)
        is_named = key not in POSITIONAL
        arguments.append(to.row([to.name(key, ""), to.sign("=="), text] if is_named else [text]))
    return to.row([to.words(game.name), to.listed(arguments)])


def _tuple_math(at: Sequence[Expression], to: MathNotation) -> str:
    return to.listed([_expression(one, to) for one in at])


def _bindings_math(bindings: Sequence[Binding], plural: str, to: MathNotation) -> str:
    row = list[str]()
    for binding in bindings:
        row += [to.words(", ")] if row else []
        match binding:
            case InRange(name, span):
                row += [to.name(*index_of(name)), typeset_range(span, to)]
            case OfPosition():
                row.append(to.words(f"position{plural}"))
            case OfCell(names):
                row.append(to.listed([to.name(*index_of(name)) for name in names]))
            case OfOption(by):
                moves = f" by {', '.join(by)}" if by else ""
                row.append(to.words(f"option{plural}{moves}"))
    return to.row(row)
