"""The one printer of statements: as the language writes them, and in any mathematical notation.

The canonical text parses to the same statement. The mathematical form is made of the signs of the field (⇔, ⊕, ∀) for
terminals, web pages and papers; which, a `MathNotation` decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from choco_pipeline.formula.ranges import Range
from choco_pipeline.formula.written.math_text import MathNotation, index_of, typeset
from choco_pipeline.statements.tree import (
    At,
    Binding,
    Count,
    Equivalent,
    Expression,
    Grundy,
    Implies,
    InRange,
    IsOption,
    IsPrinted,
    Junction,
    Let,
    Not,
    OfCell,
    OfOption,
    OfPosition,
    Place,
    PPosition,
    Primed,
    Printed,
    Proposition,
    Quantified,
    Term,
    ValueSet,
)

# How tightly propositions bind, from what binds least.
_PREFIX, _ARROW, _OR, _AND, _NOT, _ATOM = range(6)


def text_of(proposition: Proposition, *, ends: bool = True) -> str:
    """Return the canonical text, which the parser reads as the same proposition.

    The body of a quantifier reaches as far as possible, so only where nothing follows (`ends`) it needs no parentheses.
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


def math_of(proposition: Proposition, notation: MathNotation) -> str:
    """Return a proposition in mathematical notation."""
    return _Setter(notation).of(proposition)


def term_math(term: Term, notation: MathNotation) -> str:
    """Return a term in a mathematical notation."""
    return _Setter(notation).term(term)


def _strength(proposition: Proposition) -> int:
    match proposition:
        case Quantified() | Let() | At():
            return _PREFIX
        case Implies() | Equivalent():
            return _ARROW
        case Junction(word):
            return _OR if word == "or" else _AND
        case Expression(formula):
            return {"or": _OR, "and": _AND}.get(
                formula.junction, _NOT if formula.is_negation else _ATOM
            )
        case Not():
            return _NOT
        case PPosition() | IsOption() | IsPrinted() | ValueSet():
            return _ATOM


def _within(part: Proposition, least: int, ends: bool) -> str:
    """Return a part, in parentheses if it binds less tightly and is no prefix at the end of the whole."""
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
    return ", ".join(map(_binding, bindings))


def _binding(binding: Binding) -> str:
    match binding:
        case InRange(name, span, is_sample):
            return f"{name} in {'sample ' if is_sample else ''}{span.text}"
        case OfPosition():
            return "position"
        case OfCell(names):
            return f"cell ({', '.join(names)})"
        case OfOption(by):
            return f"option by {', '.join(by)}" if by else "option"


class _Setter:
    """Sets a proposition in one notation."""

    def __init__(self, notation: MathNotation) -> None:
        self._to = notation

    def of(self, part: Proposition) -> str:
        to = self._to
        match part:
            case Expression():
                return self._expression(part)
            case PPosition(place):
                return self._place("P", place)
            case IsOption(at):
                return to.row([self._tuple(at), to.words(" is an option")])
            case IsPrinted(row):
                return to.row([self._tuple(row), to.words(" is printed")])
            case Not(operand):
                return to.row([to.words("not "), self._in(operand, _ATOM)])
            case Junction(word, operands):
                return self._chain(operands, to.words(f" {word} "), _OR if word == "or" else _AND)
            case Equivalent(operands):
                return self._chain(operands, to.sign("iff"), _OR)
            case Implies(premise, conclusion):
                return to.row([self._in(premise, _OR), to.sign("⇒"), self._in(conclusion, _OR)])
            case Quantified(word, bindings, body):
                first = {"every": "for all ", "some": "for some ", "no": "for no "}[word]
                bound = self._bindings(bindings, "s" if word == "every" else "")
                return to.row([to.words(first), bound, to.words(": "), self.of(body)])
            case Let(_, _, body):
                return to.row(
                    [to.words("with "), self._equation(part), to.words(": "), self.of(body)]
                )
            case At(position, body):
                return to.row(
                    [to.words("at "), self._tuple(position), to.words(": "), self.of(body)]
                )
            case ValueSet(value, condition, relation, variable, members):
                left = to.row([self._expression(value), to.sign(":"), self.of(condition)])
                right = to.row([self._name(variable), to.sign(":"), self._expression(members)])
                sign = {"==": "==", "<=": "⊆", ">=": "⊇"}[relation]
                return to.row([to.bracketed(left, "{"), to.sign(sign), to.bracketed(right, "{")])

    def _in(self, part: Proposition, least: int) -> str:
        return self.of(part) if _strength(part) >= least else self._to.bracketed(self.of(part), "(")

    def _chain(self, parts: Sequence[Proposition], sign: str, least: int) -> str:
        row = [self._in(parts[0], least)]
        for part in parts[1:]:
            row += [sign, self._in(part, least)]
        return self._to.row(row)

    def _expression(self, part: Expression) -> str:
        terms = {name: self.term(term) for name, term in part.terms}
        for name, term in part.terms:
            has_words = isinstance(term, Count) or (
                isinstance(term, Grundy) and term.place.game is not None
            )
            if has_words and part.formula.text != name:
                terms[name] = self._to.bracketed(terms[name], "(")
        return typeset(part.formula, self._to, terms)

    def _equation(self, part: Let) -> str:
        return self._to.row(
            [self._name(part.name), self._to.sign("=="), self._expression(part.value)]
        )

    def term(self, term: Term) -> str:
        to = self._to
        match term:
            case Grundy(place):
                return self._place("G", place)
            case Primed(coordinate):
                return to.symbol(*index_of(coordinate), primed=True)
            case Printed(row, column):
                return to.function("printed", [self._expression(row), self._expression(column)])
            case Count(bindings, body):
                begins = [
                    to.words("the number of "),
                    self._bindings(bindings, "s"),
                    to.words(" with "),
                ]
                definitions = list[str]()
                while isinstance(body, Let):
                    definitions.append(to.words(", " if definitions else ", where "))
                    definitions.append(self._equation(body))
                    body = body.body
                return to.row([*begins, self.of(body), *definitions])

    def _name(self, name: str) -> str:
        return self._to.name(*index_of(name))

    def _place(self, letter: str, place: Place) -> str:
        to = self._to
        if place.primed:
            return to.symbol(letter, primed=True)
        parts = [to.symbol(letter)]
        if place.at is not None:
            parts.append(self._tuple(place.at))
        if place.game is not None:
            parts.append(to.words(f" in {place.game.text}"))
        return to.row(parts)

    def _tuple(self, at: Sequence[Expression]) -> str:
        return self._to.listed([self._expression(one) for one in at])

    def _bindings(self, bindings: Sequence[Binding], plural: str) -> str:
        row = list[str]()
        for binding in bindings:
            row += [self._to.words(", ")] if row else []
            match binding:
                case InRange(name, span):
                    row += [self._name(name), self._range(span)]
                case OfPosition():
                    row.append(self._to.words(f"position{plural}"))
                case OfCell(names):
                    row.append(self._to.listed([self._name(name) for name in names]))
                case OfOption(by):
                    moves = f" by {', '.join(by)}" if by else ""
                    row.append(self._to.words(f"option{plural}{moves}"))
        return self._to.row(row)

    def _range(self, span: Range) -> str:
        to = self._to
        first = typeset(span.first, to)
        if span.first == span.last:
            return to.row([to.sign("=="), first])
        row = [to.words(" from "), first, to.words(" to "), typeset(span.last, to)]
        if span.step is not None:
            row += [to.words(" in steps of "), typeset(span.step, to)]
        return to.row(row)
