"""Parser of statements, by recursive descent.

Integers and comparisons are parsed by the parser of formulas, for which each game term in them is a name. Therefore formulas
have a single grammar, and every error has its column in the text of the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, count, pairwise
from typing import Literal, NoReturn, TypeVar

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import Formula, FormulaError, Range, parse
from choco_pipeline.formula.nodes import COMPARISONS, FUNCTIONS
from choco_pipeline.formula.parse import SIGNS, Token, parse_tokens, quoted, suggestion
from choco_pipeline.games.notation import Notation, as_written
from choco_pipeline.statements import tree

MAX_LENGTH = 8_000
MAX_DEPTH = 40
MAX_DIGITS = 1_000

_SIGNS = SIGNS | {"⇔": "<=>", "⇒": "=>", "∈": "in", "⊆": "<=", "⊇": ">="}
_TOKEN = re.compile(
    r"(?P<number>[0-9]+(?![0-9A-Za-z_]))|(?P<word>[A-Za-z_][A-Za-z0-9_]*'?)"
    r"|(?P<sign><=>|=>|//|<<|>>|==|!=|<=|>=|\*\*|\.\.|[-+*%^&|<>(){}\[\],:;=]|[⊕≤≥≠·⇔⇒∈⊆⊇])|(?P<other>\S)"
)
#: Reserved words; no coordinate, parameter or variable may have one of these names.
KEYWORDS = frozenset(
    {"and", "or", "not", "P", "G", "option", "position", "cell", "count", "printed", tree.SIZE}
    | {"every", "some", "no", "for", "in", "let", "at", "by", "step", "sample"}
)
_WORDS: dict[str, tree.Word] = {"for": "every", "every": "every", "some": "some", "no": "no"}
_PREFIXES = (*_WORDS, "let", "at")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SET_RELATIONS: tuple[tree.Relation, ...] = ("==", "<=", ">=")
#: Tokens that end an integer or a comparison, outside of parentheses.
_ENDS = frozenset(
    {"and", "or", "=>", "<=>", ":", ";", ",", ")", "]", "}", "..", "step", "in", "let", ""}
)
#: Tokens that occur in propositions and not in integers.
_OF_PROPOSITIONS = frozenset(
    {"and", "or", "not", "=>", "<=>", "P", "P'", "option", "in", *_PREFIXES, *COMPARISONS}
)
_T = TypeVar("_T")


@dataclass(frozen=True)
class Names:
    """The names that a statement may use.

    Examples
    --------
    >>> Names(("x", "y", "z"), frozenset({"k"}))
    Names(coordinates=('x', 'y', 'z'), parameters=frozenset({'k'}))
    """

    #: The coordinates of the game, in order; empty for a statement about integers.
    coordinates: tuple[str, ...] = ()
    #: The names of given integers.
    parameters: frozenset[str] = frozenset()


@lru_cache(1 << 11)
def parse_proposition(text: str, names: Names) -> tree.Proposition:
    """Parse a statement; docs/statements.md describes the language.

    Raises
    ------
    FormulaError
        If `text` is not a statement in these names, with the column and the allowed words.

    Examples
    --------
    >>> parse_proposition("P <=> x ^ y == 0", Names(("x", "y")))
    Equivalent(operands=(PPosition(place=Place(at=None, game=None, primed=False)), Expression(formula=Formula('x ^ y == 0'), terms=())))
    """
    if len(text) > MAX_LENGTH:
        problem = f"a statement has at most {MAX_LENGTH} characters (got {len(text)})"
        raise FormulaError(problem, text, MAX_LENGTH + 1)
    return _Parser(text, names).read()


@dataclass
class _Parser:
    text: str
    names: Names
    tokens: list[Token] = field(init=False)
    at: int = 0
    depth: int = 0
    #: The variables in scope, and whether an option is in scope.
    bound: tuple[str, ...] = ()
    has_option: bool = False
    #: New names among the arguments of `option`; the statement is about all natural numbers for them.
    cells: tuple[str, ...] = field(init=False)
    #: The first token of each set of values.
    sets: list[Token] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tokens = list(_tokens(self.text))
        self.cells = self.new_names()
        for name in (*self.names.coordinates, *sorted(self.names.parameters)):
            if name in KEYWORDS:
                raise FormulaError(
                    f"{quoted(name)} is a word of the language and cannot be a name", self.text, 1
                )

    # ---- Tokens.

    @property
    def here(self) -> Token:
        return self.tokens[self.at]

    def text_at(self, index: int) -> str:
        return self.tokens[min(index, len(self.tokens) - 1)].text

    def next_is(self, *texts: str) -> bool:
        return self.here.text in texts

    def take(self, *texts: str) -> bool:
        """Skip the next token if it is one of `texts`."""
        taken = self.next_is(*texts)
        self.at += taken
        return taken

    def need(self, text: str, where: str) -> None:
        if not self.take(text):
            self.refuse(f"{quoted(text)} is needed {where}, found {self.found()}")

    def listed(self, read: Callable[[], _T]) -> list[_T]:
        """Parse one or more items, separated by commas."""
        items = [read()]
        while self.take(","):
            items.append(read())
        return items

    def found(self) -> str:
        return quoted(self.here.text) if self.here.text else "the end"

    def refuse(self, problem: str, token: Token | None = None) -> NoReturn:
        column = (token or self.here).column
        raise FormulaError(f"{problem} (at column {column})", self.text, column)

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Parse a part one level deeper; what it binds is out of scope after it."""
        kept = self.bound, self.has_option
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.refuse(f"a statement has at most {MAX_DEPTH} levels")
        yield
        self.depth -= 1
        self.bound, self.has_option = kept

    # ---- Propositions, by increasing precedence.

    def read(self) -> tree.Proposition:
        whole = self.sequence()
        if not self.next_is(""):
            self.refuse(f"the statement should end before {self.found()}")
        body = whole
        while isinstance(body, tree.Let):
            body = body.body
        if inner := self.sets[int(isinstance(body, tree.ValueSet)) :]:
            self.refuse("a comparison of sets stands alone, outside of other parts", inner[0])
        if not self.cells:
            return whole
        if len(self.cells) != len(self.names.coordinates):
            self.refuse(
                f"option(…) needs a new name for each coordinate, or none: found {', '.join(self.cells)}",
                self.tokens[0],
            )
        return tree.Quantified("every", (tree.OfCell(self.cells),), whole)

    def sequence(self) -> tree.Proposition:
        """Parse a conjunction of propositions, separated by semicolons."""
        parts = [self.proposition()]
        while self.take(";") and not self.next_is(""):
            parts.append(self.proposition())
        return tree.joined("and", parts)

    def proposition(self) -> tree.Proposition:
        with self.nested():
            first = self.junction("or")
            if self.take("=>"):
                conclusion = self.junction("or")
                if self.next_is("=>", "<=>"):
                    self.refuse(f"put parentheses around the part with {self.found()}")
                return tree.Implies(first, conclusion)
            parts = [first]
            while self.take("<=>"):
                parts.append(self.junction("or"))
            if self.next_is("=>"):
                self.refuse('put parentheses around the part with "=>"')
            return first if len(parts) == 1 else tree.Equivalent(tuple(parts))

    def junction(self, word: Literal["and", "or"]) -> tree.Proposition:
        parts: list[tree.Proposition] = []
        while not parts or self.take(word):
            parts.append(self.junction("and") if word == "or" else self.negation())
        return tree.joined(word, parts)

    def negation(self) -> tree.Proposition:
        if self.take("not"):
            with self.nested():
                return tree.negated(self.negation())
        if self.next_is(*_PREFIXES):
            return self.prefixed()
        return self.atom()

    def prefixed(self) -> tree.Proposition:
        """Parse a quantifier, a definition (``let``) or a position (``at``).

        The body extends as far as possible. After ``for`` and ``let`` it may be several propositions, separated by semicolons.
        """
        token, word = self.here, self.here.text
        self.at += 1
        with self.nested():
            if word == "let":
                definitions = self.listed(self.definition)
                self.need(":", "after the definition")
                body = self.sequence()
                for name, value in reversed(definitions):
                    body = tree.Let(name, value, body)
                return body
            if word == "at":
                position = self.tuple_of("the position")
                self.need_coordinates(position, "a position", token)
                self.need(":", "after the position")
                self.has_option = False
                return tree.At(position, self.proposition())
            bindings = self.bindings()
            self.need(":", f"after the variables of {quoted(word)}")
            body = self.sequence() if word == "for" else self.proposition()
            return tree.Quantified(_WORDS[word], bindings, body)

    def definition(self) -> tuple[str, tree.Expression]:
        name = self.new_name()
        self.need("=", f"after the name {name}")
        value = self.integer()
        self.bound = (*self.bound, name)
        return name, value

    def bindings(self) -> tuple[tree.Binding, ...]:
        bindings = list[tree.Binding]()
        while True:
            token = self.here
            if self.take("position"):
                self.need_game(token)
                self.has_option = False  # options of the new position may be bound
                bindings.append(tree.OfPosition())
            elif self.take("cell"):
                self.need_game(token)
                self.need("(", "before the names of a cell")
                names = self.listed(self.new_variable)
                self.need(")", "to close the names of a cell")
                number = len(self.names.coordinates)
                if len(names) != number:
                    self.refuse(f"a cell has {number} names, found {len(names)}", token)
                bindings.append(tree.OfCell(tuple(names)))
            elif self.take("option"):
                if self.has_option:
                    what = (
                        "options are those of the position: an option of an option cannot be named"
                    )
                    self.refuse(what, token)
                self.need_game(token)
                by = self.listed(self.coordinate) if self.take("by") else []
                self.has_option = True
                bindings.append(tree.OfOption(tuple(by)))
                break
            else:
                name = self.new_name()
                self.need("in", f"after the variable {name}")
                is_sample = self.take("sample")
                bindings.append(tree.InRange(name, self.span(), is_sample))
                self.bound = (*self.bound, name)
            if not self.take(","):
                break
        return tuple(bindings)

    def coordinate(self) -> str:
        lowered = self.here
        self.at += 1
        if lowered.text not in self.names.coordinates:
            allowed = ", ".join(self.names.coordinates)
            self.refuse(f"{quoted(lowered.text)} is not a coordinate: {allowed}", lowered)
        return lowered.text

    def span(self) -> Range:
        first = self.pure("a range")
        last = self.pure("a range") if self.take("..") else first
        step = self.pure("a step") if self.take("step") else None
        return Range(first, last, step)

    def pure(self, where: str) -> Formula:
        token, value = self.here, self.integer()
        if value.terms:
            self.refuse(f"{where} is given by integers without {value.terms[0][0]}", token)
        return value.formula

    def new_name(self) -> str:
        token = self.here
        if not _NAME.fullmatch(token.text) or token.text in KEYWORDS:
            self.refuse(f"a name is needed, found {self.found()}")
        if token.text in self.names_with_value:
            self.refuse(f"{quoted(token.text)} has a value already: choose another name")
        self.at += 1
        return token.text

    def new_variable(self) -> str:
        name = self.new_name()
        self.bound = (*self.bound, name)
        return name

    # ---- Atoms.

    def atom(self) -> tree.Proposition:
        token = self.here
        if self.take("P"):
            self.need_game(token)
            return tree.PPosition(self.place(token))
        if self.take("P'"):
            self.need_option(token)
            return tree.PPosition(tree.Place(primed=True))
        if self.next_is("{"):
            return self.value_set()
        if self.take("option"):
            self.need_game(token)
            at = self.tuple_of("an option")
            self.need_coordinates(at, "an option", token)
            return tree.IsOption(at)
        if self.next_is("(") and self.text_at(self.closing(self.at) + 1) == "in":
            row = self.tuple_of("a row")
            self.need("in", "after a row")
            self.need("printed", 'after "in"')
            return tree.IsPrinted(row)
        if self.next_is("(") and self.is_proposition():
            self.at += 1
            inside = self.proposition()
            self.need(")", "to close the parenthesis")
            if not (self.next_is(*_ENDS) or self.at == len(self.tokens) - 1):
                self.refuse(
                    f'after ")" of a proposition, "and", "or", "=>" or "<=>" is needed, found {self.found()}'
                )
            return inside
        value = self.expression()
        if self.next_is("="):
            self.refuse('"=" is no comparison (did you mean "=="?)')
        if not value.formula.is_truth:
            self.refuse(f"{value.formula} is an integer: a comparison is needed", token)
        return value

    def place(self, token: Token) -> tree.Place:
        """Parse the game and the coordinates after P or G; both are optional."""
        game = None
        if self.next_is("["):
            game = self.game()
        if not self.next_is("("):
            if game is not None:
                self.refuse(f"the coordinates in the other game are needed, found {self.found()}")
            return tree.Place()
        at = self.tuple_of("a position")
        if game is None:
            self.need_coordinates(at, "a position", token)
        return tree.Place(at, game)

    def game(self) -> Notation:
        opening = self.here
        end = self.closing(self.at)
        if self.tokens[end].text != "]":
            self.refuse('"[" is never closed', opening)
        text = self.text[opening.column : self.tokens[end].column - 1]
        self.at = end + 1
        try:
            notation = as_written(text)
        except ChocoError as error:
            self.refuse(f"no ruleset: {error}", opening)
        if unknown := sorted(notation.names - self.known_integers):
            near = suggestion(unknown[0], self.known_integers)
            self.refuse(f"{quoted(unknown[0])} is not a parameter{near}", opening)
        return notation

    @property
    def known_integers(self) -> set[str]:
        return {*self.names.parameters, *self.bound}

    @property
    def names_with_value(self) -> set[str]:
        return {*self.names.coordinates, *self.cells, *self.known_integers}

    def value_set(self) -> tree.ValueSet:
        self.need_game(self.here)
        self.sets.append(self.here)
        self.at += 1
        with self.nested():
            value = self.integer()
            self.need(":", "after the value")
            condition = self.proposition()
        self.need("}", "to close the set")
        relation = next((sign for sign in _SET_RELATIONS if self.take(sign)), None)
        if relation is None:
            self.refuse(f"a set is compared by ==, <= or >=, found {self.found()}")
        self.need("{", "before the members of a set")
        start = self.here
        if self.text_at(self.at + 1) == ":":
            with self.nested():
                variable = self.new_variable()
                self.at += 1
                start = self.here
                members = self.proposition()
            if not isinstance(members, tree.Expression) or members.terms:
                what = f"the members of a set are given by a condition on {variable} alone"
                self.refuse(what, start)
        else:
            taken = {token.text for token in self.tokens}
            variable = next(n for n in chain(["v"], map("v{}".format, count(1))) if n not in taken)
            members = self.listed_members(variable)
        if not members.names.isdisjoint({*self.names.coordinates, tree.SIZE}):
            self.refuse("the members of a set do not depend on a position", start)
        self.need("}", "to close the set")
        return tree.ValueSet(value, condition, relation, variable, members)

    def listed_members(self, variable: str) -> tree.Expression:
        """Parse ``0..15, 30, 57..59`` as a condition on a variable."""

        def members() -> Formula:
            first = self.pure("a member")
            last = self.pure("a member") if self.take("..") else None
            text = f"{variable} == ({first})"
            return parse(text if last is None else f"({first}) <= {variable} <= ({last})")

        parts = self.listed(members)
        return tree.Expression(parts[0] if len(parts) == 1 else Formula.joined("or", *parts))

    def tuple_of(self, what: str) -> tuple[tree.Expression, ...]:
        """Parse a tuple of integers in parentheses."""
        self.need("(", f"before {what}")
        with self.nested():
            items = self.listed(self.integer)
        self.need(")", f"to close {what}")
        return tuple(items)

    def new_names(self) -> tuple[str, ...]:
        """Return the arguments of `option` that are names bound nowhere in the text."""
        texts = [token.text for token in self.tokens]
        given = {*self.names.coordinates, *self.names.parameters, *KEYWORDS}
        given |= {before for before, text in pairwise(texts) if text in ("in", "=")}
        for i, text in enumerate(texts):
            given |= {*texts[i : self.closing(i + 1)]} if text == "cell" else set()
        arguments = (
            texts[j]
            for i, (word, opening) in enumerate(pairwise(texts))
            if (word, opening) == ("option", "(")
            for j in range(i + 2, self.closing(i + 1))
            if texts[j - 1] in ("(", ",") and texts[j + 1] in (",", ")")
        )
        return tuple(n for n in dict.fromkeys(arguments) if _NAME.fullmatch(n) and n not in given)

    def closing(self, start: int) -> int:
        """Return the index of the token that closes the bracket at `start`, or the end."""
        level = 0
        for i in range(start, len(self.tokens)):
            level += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(self.tokens[i].text, 0)
            if level == 0:
                return i
        return len(self.tokens) - 1

    def is_proposition(self) -> bool:
        """Check whether a parenthesis opens a proposition, not an integer.

        An integer in parentheses is part of a comparison.
        """
        end = self.closing(self.at)
        if self.text_at(end + 1) not in _ENDS:
            return False
        i = self.at + 1
        while i < end:
            text = self.tokens[i].text
            if text in ("count", "G", "printed") and self.tokens[i + 1].text == "(":
                i = self.closing(i + 1)
            elif text in _OF_PROPOSITIONS:
                return True
            i += 1
        return False

    # ---- Integers and comparisons.

    def integer(self) -> tree.Expression:
        token, value = self.here, self.expression()
        if value.formula.is_truth:
            self.refuse(f"{value.formula} is true or false: an integer is needed", token)
        return value

    def expression(self) -> tree.Expression:
        """Parse an integer or a comparison."""
        terms, read, level = dict[str, tree.Term](), list[Token](), 0
        start = self.here
        known = {*self.names_with_value, tree.SIZE, *FUNCTIONS}
        while True:
            token = self.here
            if level == 0 and token.text in _ENDS and token.text != "let":
                break
            if not token.text:
                break
            term = self.term()
            if term is not None:
                name = tree.term_text(term)
                terms[name] = term
                read.append(Token(name, token.column, True))
                continue
            if token.is_operand and not token.text.isdigit() and token.text not in known:
                near = suggestion(token.text, sorted(known))
                allowed = ", ".join(sorted(self.names_with_value)) or "none"
                self.refuse(f"{quoted(token.text)} has no value here{near}: names are {allowed}")
            level += {"(": 1, ")": -1}.get(token.text, 0)
            if token.text in ("=>", "<=>", "=", "{", "}", "[", "]", ":", ";") or level < 0:
                break
            read.append(token)
            self.at += 1
        if not read:
            self.refuse(f"an integer or a condition is needed, found {self.found()}", start)
        if sizes := [token for token in read if token.text == tree.SIZE]:
            self.need_game(sizes[0])
        end = self.here.column if self.here.text else len(self.text.rstrip()) + 1
        formula = Formula(parse_tokens(self.text, read, {*known, *terms}, end), self.text)
        return tree.Expression(formula, tuple(terms.items()))

    def term(self) -> tree.Term | None:
        """Parse a game term (``G``, ``x'``, ``printed``, ``count``), if one begins here."""
        token = self.here
        if token.text.endswith("'") and token.text != "P'":
            self.at += 1
            self.need_option(token)
            if token.text == "G'":
                return tree.Grundy(tree.Place(primed=True))
            if token.text[:-1] not in self.names.coordinates:
                allowed = ", ".join(self.names.coordinates)
                self.refuse(f"{quoted(token.text)}: only coordinates are primed: {allowed}", token)
            return tree.Primed(token.text[:-1])
        if self.take("G"):
            self.need_game(token)
            return tree.Grundy(self.place(token))
        if self.take("printed"):
            at = self.tuple_of("a row and a column")
            if len(at) != 2:
                self.refuse("printed(row, column) has two arguments", token)
            return tree.Printed(*at)
        if self.take("count"):
            self.need("(", 'after "count"')
            with self.nested():
                bindings = self.bindings()
                self.need(":", 'after the variables of "count"')
                body = self.proposition()
            self.need(")", "to close the count")
            return tree.Count(bindings, body)
        if token.text in KEYWORDS - {"and", "or", "not", tree.SIZE} and token.text not in _ENDS:
            self.refuse(f"an integer cannot contain {quoted(token.text)}")
        return None

    # ---- Checks.

    def need_game(self, token: Token) -> None:
        if not self.names.coordinates:
            self.refuse(f"{quoted(token.text)} needs a game, and none is given", token)

    def need_option(self, token: Token) -> None:
        self.need_game(token)
        if not self.has_option:
            where = 'it stands inside "some option: …" or "every option: …"'
            self.refuse(f"{quoted(token.text)} needs an option: {where}", token)

    def need_coordinates(self, at: Sequence[tree.Expression], what: str, token: Token) -> None:
        wanted = self.names.coordinates
        if len(at) != len(wanted):
            names = ", ".join(wanted)
            self.refuse(f"{what} has {len(wanted)} coordinates ({names}), found {len(at)}", token)


def _tokens(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind, written, column = match.lastgroup, match[0], match.start() + 1
        problem = None
        if kind == "other" and written.isdigit():
            problem = "numbers are decimal integers such as 12"
        elif kind == "other" and written != "=":
            problem = f"{quoted(written)} is not a sign of the language"
        elif kind == "number" and written[0] == "0" and written != "0":
            problem = f"{quoted(written)}: numbers have no leading zero"
        elif kind == "number" and len(written) > MAX_DIGITS:
            problem = f"a number has at most {MAX_DIGITS} digits"
        if problem is not None:
            raise FormulaError(f"{problem} (at column {column})", text, column)
        is_operand = kind == "number" or (kind == "word" and written not in ("and", "or", "not"))
        yield Token(_SIGNS.get(written, written), column, is_operand)
    yield Token("", len(text) + 1, False)
