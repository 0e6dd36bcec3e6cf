"""Translation of statements about positions or integers into sentences.

Idea: each part of a statement becomes a sentence about the coordinates. Each Grundy number becomes a variable, which the automata
relate to the coordinates. Each coordinate of an option, and each integer of a range or definition, also becomes a variable. Negations
are pushed inwards to conditions. This is valid for conditions on Grundy numbers because each position has exactly one.

Invariant: at each position, the sentence of a part is true if and only if the part is (`choco_pipeline.statements.meaning`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from choco_pipeline.automata.dfa import Auxiliary, Variable
from choco_pipeline.formula import Formula, FormulaError, Range, parse
from choco_pipeline.games.ruleset import Ruleset
from choco_pipeline.proof.arithmetic.logic import (
    FALSE,
    TRUE,
    Member,
    Sentence,
    conjunction,
    disjunction,
    equal,
    exists,
    less,
    linear,
    negation,
    within,
)
from choco_pipeline.proof.arithmetic.terms import Meaning, Sum, Terms, at_most, condition, value_is
from choco_pipeline.proof.games.obligations import Variables, legal, relation_name, steps_and_passes
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from choco_pipeline.statements import tree

Point = tuple[Variables, int]

#: Limit of numbers compared with ``count(…)``. The number n needs n copies of the variables.
MOST_COUNTED = 4
#: The variable for a value of an expression.
VALUE = Auxiliary("'v")


# ---- Conditions and integers.


def holds(
    formula: Formula | None, values: Mapping[str, int], names: Mapping[str, Meaning] | None = None
) -> Sentence:
    """Sentence: a condition on natural numbers is true; `None` is always true.

    Intermediate values may be negative: ``(x-1) ^ y == 0`` is false at x = 0, because it requires y = -1. `values` has the parameters
    and the passes left. `names` has the meanings of other names, by default variables. Raises `NotDefinableError` if the condition is
    not expressible; `FormulaError` if a part is always undefined.

    Examples
    --------
    >>> holds(parse("x+p < k*y"), {"k": 3, "p": 1}) == negation(linear({"y": 3, "x": -1}, -1, "<="))
    True
    """
    return TRUE if formula is None else condition(formula.substitute(values), names)


def signed(variable: Variable, negative: bool) -> Sum:
    """Return the integer that a variable represents: -`variable`-1 if `negative`."""
    return Sum({variable: -1}, -1) if negative else Sum.of(variable)


def at_most_each(names: Collection[Variable], most: int | None) -> Sentence:
    """Sentence: each variable is at most `most`; true if `most` is None."""
    if most is None:
        return TRUE
    return conjunction(*(linear({name: 1}, -most, "<=") for name in names))


@dataclass
class Integers:
    """Named integers as linear combinations; constants may divide and multiply."""

    values: dict[str, Sum]
    #: The auxiliary variables of added integers.
    made: list[Variable] = field(default_factory=list)
    #: The distance of an integer from the start of its range, as a variable.
    counted_by: dict[str, Variable] = field(default_factory=dict)

    def copy(self) -> Integers:
        """Return a copy without a record of auxiliary variables."""
        return Integers(dict(self.values))

    def is_value(self, value: Sum, formula: Formula) -> Sentence:
        """Sentence: the formula has this value."""
        return value_is(value, self.filled(formula), self.values)

    def within(self, name: str, span: Range) -> list[Sentence]:
        """Add an integer with a range; return the sentences that define it."""
        step = 1 if span.step is None else int(self.filled(span.step).value({}))
        if step < 1:
            raise FormulaError(f"the step of a range is at least 1, found {step}", span.text, 1)
        if span.first == span.last:
            return self.follows(name, span.first)
        first, sentences = self._value_of(span.first, name)
        steps = self.counted_by[name] = self._made(name)
        self.values[name] = first + Sum.of(steps)
        sentences.append(at_most(self.values[name], self.filled(span.last), self.values))
        if step > 1:
            sentences.append(condition(parse(f"v % {step} == 0"), {"v": steps}))
        return sentences

    def holding(self, number: int, span: Range) -> list[Sentence]:
        """Sentences: the range contains the number."""
        parts = [f"{span.first} <= {number}", f"{number} <= {span.last}"]
        if span.step is not None:
            parts.append(f"({number}-({span.first})) % ({span.step}) == 0")
        return [self.say(parse(part)) for part in parts]

    def follows(self, name: str, formula: Formula) -> list[Sentence]:
        """Add an integer defined by a formula; return the sentences that define it."""
        value, sentences = self._value_of(formula, name)
        self.values[name] = value
        return sentences

    def say(self, part: Formula) -> Sentence:
        """Sentence: a condition on the integers is true."""
        return condition(self.filled(part), self.values)

    def filled(self, formula: Formula) -> Formula:
        """Substitute the integers with constant values."""
        known = ((name, self.values[name]) for name in formula.names & self.values.keys())
        constants = {name: value.constant for name, value in known if not value.coefficients}
        return formula.substitute(constants) if constants else formula

    def _value_of(self, formula: Formula, label: str) -> tuple[Sum, list[Sentence]]:
        """Return the value of a formula, and the sentences that define its variables."""
        filled = self.filled(formula)
        terms = Terms(filled, self.values)
        value = terms.linear(terms.root)
        if value is not None:
            return value, []
        above = self._made(label)
        is_above = value_is(above, filled, self.values)
        if terms.never_negative(terms.root):
            return Sum.of(above), [is_above]
        below = self._made(f"-{label}")
        is_below = value_is(Sum({below: -1}), filled, self.values)
        zero = [linear({side: 1}, 0, "==") for side in (above, below)]
        either = disjunction(conjunction(zero[1], is_above), conjunction(zero[0], is_below))
        return Sum({above: 1, below: -1}), [either]

    def _made(self, label: str) -> Auxiliary:
        variable = Auxiliary(label)
        self.made.append(variable)
        return variable


def before(some: Sequence[Variable], others: Sequence[Variable]) -> Sentence:
    """Sentence: the tuple `some` is lexicographically less than the tuple `others`."""
    if not some:
        return FALSE
    rest = conjunction(equal(some[0], others[0]), before(some[1:], others[1:]))
    return disjunction(less(some[0], others[0]), rest)


# ---- Statements.


@dataclass(frozen=True)
class Translator:
    """Translates parts of a statement about a position of a game, or about integers."""

    #: Parameters, coordinates and bound variables.
    integers: Integers
    #: Rows of the statement's printed table or list.
    printed: Sequence[Sequence[int]] = ()
    #: None for a statement about integers.
    game: Ruleset | None = None
    #: The proved relation: ``p`` or ``grundy``.
    relation: str = ""
    #: Variables of the coordinates and number of passes left, for the position and for the bound option.
    here: Point | None = None
    option: Point | None = None

    @classmethod
    def at(
        cls,
        game: Ruleset,
        relation: str,
        printed: Sequence[Sequence[int]],
        parameters: dict[str, int],
        passes: int,
    ) -> Translator:
        """Return a translator for positions with a number of passes left."""
        integers, heaps = Integers({}), game.base.coordinates
        left = game.coordinates[len(heaps) :]
        for name, value in {**parameters, **dict.fromkeys(left, passes)}.items():
            integers.values[name] = Sum({}, value)
        for name in heaps:
            integers.values[name] = Sum.of(name)
        return cls(integers, printed, game, relation, (heaps, passes))

    def sentence(self, part: tree.Proposition, is_true: bool) -> Sentence:
        """Sentence: a part is true or false. Raises `NotDefinableError`."""
        match part:
            case tree.Expression():
                return self._condition(part, is_true=is_true)
            case tree.Not(operand):
                return self.sentence(operand, not is_true)
            case tree.Junction(operator, operands):
                join = conjunction if (operator == "and") == is_true else disjunction
                return join(*(self.sentence(operand, is_true) for operand in operands))
            case tree.Implies(premise, conclusion) if is_true:
                return disjunction(self.false(premise), self.true(conclusion))
            case tree.Implies():
                return self.false_where(TRUE, part)
            case tree.Let(_, _, body):
                return self._defined(part, lambda inner: inner.sentence(body, is_true))
            case tree.PPosition(place) if is_true:
                return self._is_p(place)
            case tree.IsPrinted(row) if is_true:
                texts = [self._plain(one) for one in row]
                for text in texts:  # an undefined text is an error even without an entry
                    self._is(text, 0)
                entries = [entry for entry in self.printed if len(entry) == len(row)]
                same = (map(self._is, texts, entry) for entry in entries)
                return disjunction(*(conjunction(*parts) for parts in same))
            case tree.Quantified(word, bindings, body) if is_true == (word == "some"):
                return self._some(bindings, lambda inner: inner.sentence(body, word != "every"))
            case tree.Equivalent(operands) if not is_true:
                pairs = list(itertools.pairwise(operands))
                differ = [conjunction(self.true(a), self.false(b)) for a, b in pairs]
                differ += [conjunction(self.false(a), self.true(b)) for a, b in pairs]
                return disjunction(*differ)
            case tree.Equivalent() | tree.Quantified() | tree.PPosition() | tree.IsPrinted():
                return negation(self.sentence(part, not is_true))
            case _:
                raise _not_written(part)

    def true(self, part: tree.Proposition) -> Sentence:
        """Sentence: a part is true."""
        return self.sentence(part, True)

    def false(self, part: tree.Proposition) -> Sentence:
        """Sentence: a part is false."""
        return self.sentence(part, False)

    def false_where(self, condition: Sentence, part: tree.Proposition) -> Sentence:
        """Sentence: a condition holds and a part is false.

        The condition is moved inside quantifiers over options, so that the engine ignores other positions.
        """
        match part:
            case tree.Implies(premise, conclusion):
                return self.false_where(conjunction(condition, self.true(premise)), conclusion)
            case tree.Let(_, _, body):
                return self._defined(part, lambda inner: inner.false_where(condition, body))
            case tree.Quantified("some"):
                return conjunction(condition, negation(within(condition, self.true(part))))
            case _:
                return within(condition, self.false(part))

    def value_is(self, value: tree.Expression, variable: Variable, *, negative: bool) -> Sentence:
        """Sentence: the value of an expression is ``signed(variable, negative)``."""
        return self._condition(value, is_true=True, equal_to=signed(variable, negative))

    # ---- Terms.

    def _condition(
        self, part: tree.Expression, *, is_true: bool, equal_to: Sum | None = None
    ) -> Sentence:
        """Sentence: a condition is true or false, or an integer equals `equal_to`."""
        if tree.SIZE in part.formula.names:
            raise NotDefinableError(
                f"{part.formula}: the size of a position may only occur as a bound in front"
            )
        if equal_to is None and [type(term) for _, term in part.terms] == [tree.Count]:
            return self._counted(part, is_true=is_true)
        known, bound, sentences = self.integers.copy(), list[Variable](), list[Sentence]()
        plain = dict[str, str]()  # replaces terms such as G(x, y) by names that formulas allow
        for name, term in part.terms:
            plain[name] = next(
                f"term{i}" for i in itertools.count() if f"term{i}" not in known.values
            )
            variable = Auxiliary(tree.term_text(term))
            match term:
                case tree.Primed(coordinate):
                    known.values[plain[name]] = self._of_option(coordinate)
                    continue
                case tree.Grundy(place):
                    sentences.append(self._is_member(place, variable))
                case _:  # a printed table is finite, so its entries are not expressible
                    raise _not_written(term)
            bound.append(variable)
            known.values[plain[name]] = Sum.of(variable)
        formula = part.formula.rename_all(plain)
        own = known.say(formula) if equal_to is None else known.is_value(equal_to, formula)
        return exists(bound, conjunction(*sentences, own if is_true else negation(own)))

    def _counted(self, part: tree.Expression, *, is_true: bool) -> Sentence:
        """Sentence: a comparison of ``count(…)`` with a constant is true or false."""
        ((name, count),) = part.terms
        assert isinstance(count, tree.Count)
        compared = part.formula.compared_with(name)
        if compared is None:
            raise _not_written(part)
        sign, given = compared
        claimed = self.integers.filled(given)
        if claimed.names:
            raise NotDefinableError(f"{claimed}: count(…) can only be compared with a constant")
        number = int(claimed.value({}))
        if number > MOST_COUNTED:
            raise NotDefinableError(f"{claimed}: count(…) is supported up to {MOST_COUNTED} only")
        if sign in ("==", "!="):
            sides = [self._at_least(count, number), negation(self._at_least(count, number + 1))]
        else:
            sides = [self._at_least(count, number + (sign in (">", "<=")))]
        if sign in ("!=", "<", "<="):
            is_true = not is_true
        return conjunction(*sides) if is_true else disjunction(*map(negation, sides))

    def _at_least(self, count: tree.Count, number: int) -> Sentence:
        """Sentence: at least `number` choices of the counted integers satisfy the body.

        The choices are distinct because they are in strictly increasing order.
        """
        sentences, choices = list[Sentence](), [self.integers.copy() for _ in range(number)]
        for choice in choices:
            for binding in count.bindings:
                if (
                    not isinstance(binding, tree.InRange)
                    or binding.is_sample
                    or tree.SIZE in binding.span.names
                ):
                    raise _not_written(count)
                sentences += choice.within(binding.name, binding.span)
            sentences.append(replace(self, integers=choice).true(count.body))
        for one, next_one in itertools.pairwise(choices):
            sentences.append(before([*one.counted_by.values()], [*next_one.counted_by.values()]))
        return exists([made for choice in choices for made in choice.made], conjunction(*sentences))

    def _of_option(self, coordinate: str) -> Sum:
        assert self.game is not None
        assert self.option is not None
        variables, passes = self.option
        heaps = self.game.base.coordinates
        if coordinate not in heaps:
            return Sum({}, passes)
        return Sum.of(variables[heaps.index(coordinate)])

    def _point(self, place: tree.Place, body: Callable[[Variables, int], Sentence]) -> Sentence:
        """Sentence: `body` applied to the position, the option, or another place.

        It is false if a coordinate of another place is negative.
        """
        if place.at is None:
            point = self.option if place.primed else self.here
            assert point is not None
            return body(*point)
        assert self.game is not None
        heaps, coordinates = self.game.base.coordinates, self.game.coordinates
        if len(place.at) != len(coordinates):
            raise _not_written(tree.PPosition(place))
        passes = 0
        for one in place.at[len(heaps) :]:
            left = self.integers.filled(parse(self._plain(one)))
            passes = -1 if left.names else int(left.value({}))
        if passes not in range(self.game.passes + 1):
            raise _not_written(tree.PPosition(place))
        variables = tuple(Auxiliary(f"{name} there") for name in heaps)
        values = [
            self.integers.is_value(Sum.of(variable), parse(self._plain(one)))
            for variable, one in zip(variables, place.at, strict=False)
        ]
        return exists(variables, conjunction(*values, body(variables, passes)))

    def off_board(self, where: Sentence, part: tree.Proposition) -> Iterator[Sentence]:
        """Yield sentences: `where` holds, and a place in the part is no position."""
        game = self.game
        for place in tree.walk(part):
            if isinstance(place, tree.Place) and place.at is not None:
                assert game is not None
                unknown = {name for one in place.at for name in one.formula.names}
                if unknown - self.integers.values.keys():
                    raise _not_written(tree.PPosition(place))
                there = self._point(place, lambda variables, _: legal(game.base, variables))
                yield conjunction(where, negation(there))

    def _is_p(self, place: tree.Place) -> Sentence:
        if self.relation == "p":
            return self._is_member(place)
        number = Auxiliary("G")
        zero = linear({number: 1}, 0, "==")
        return exists((number,), conjunction(self._is_member(place, number), zero))

    def _is_member(self, place: tree.Place, *number: Variable) -> Sentence:
        if number and self.relation != "grundy":
            raise UndecidedError("the Grundy numbers are not proved, the P-positions are")
        return self._point(
            place, lambda variables, passes: Member(relation_name(passes), (*variables, *number))
        )

    def _plain(self, part: tree.Expression) -> str:
        if part.terms or tree.SIZE in part.formula.names:
            raise _not_written(part)
        return part.formula.text

    def _is(self, text: str, value: int) -> Sentence:
        return self.integers.say(parse(f"({text}) == {value}"))

    # ---- Bound variables.

    def _defined(self, part: tree.Let, body: Callable[[Translator], Sentence]) -> Sentence:
        self._plain(part.value)
        known = self.integers.copy()
        sentences = known.follows(part.name, part.value.formula)
        return exists(known.made, conjunction(*sentences, body(replace(self, integers=known))))

    def _some(
        self, bindings: Sequence[tree.Binding], body: Callable[[Translator], Sentence]
    ) -> Sentence:
        """Sentence: `body` is true for some choice of the bound variables."""
        if not bindings:
            return body(self)
        first, *rest = bindings
        match first:
            case tree.OfOption(by):
                return self._some_option(by, lambda inner: inner._some(rest, body))
            case tree.InRange(name, span, is_sample):
                if is_sample or tree.SIZE in span.names:
                    raise NotDefinableError(f"{name} in {span} is not supported in proofs")
                known = self.integers.copy()
                sentences = known.within(name, span)
                inner = replace(self, integers=known)
                return exists(known.made, conjunction(*sentences, inner._some(rest, body)))
            case _:
                raise NotDefinableError(
                    "quantifiers over positions or cells are not supported in proofs"
                )

    def _some_option(self, by: Sequence[str], body: Callable[[Translator], Sentence]) -> Sentence:
        """Sentence: some option satisfies `body`, by moves that only lower `by`."""
        assert self.game is not None
        assert self.here is not None
        return disjunction(
            *(
                step.to(body(replace(self, option=(step.option, left))))
                for step, left in steps_and_passes(self.game, *self.here)
                if {*step.move.lowers} <= {*(by or step.move.lowers)}
            )
        )


def _not_written(part: tree.Proposition | tree.Term) -> NotDefinableError:
    text = tree.term_text(part) if isinstance(part, tree.Term) else tree.text_of(part)
    return NotDefinableError(f"{text} is not supported in proofs")
