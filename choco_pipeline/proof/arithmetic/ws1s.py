"""Sentences as MONA reads them: a natural number is the finite set of the places of its binary ones.

So a sentence becomes one of the weak monadic second-order logic of one successor (WS1S).

References
----------
N. Klarlund and A. Møller, MONA Version 1.4 User Manual, BRICS Notes Series NS-01-1, 2001.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import count

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.automata.tracks import Variable
from choco_pipeline.proof.arithmetic.engine import relation_of
from choco_pipeline.proof.arithmetic.logic import (
    And,
    Bitwise,
    Exists,
    Linear,
    Member,
    NimSumZero,
    Not,
    Or,
    Sentence,
    free,
)

_ARITHMETIC = """ws1s;
pred less(var2 X, Y) = ex1 p: p notin X & p in Y & (all1 q: q > p => (q in X <=> q in Y));
pred add(var2 X, Y, Z) = ex2 C: 0 notin C & (all1 p:
    (p+1 in C <=> ((p in X & p in Y) | (p in X & p in C) | (p in Y & p in C)))
  & (p in Z <=> ((p in X <=> p in Y) <=> p in C)));
pred double(var2 X, Z) = 0 notin Z & (all1 p: p+1 in Z <=> p in X);
pred times0(var2 X, Z) = Z = empty;
pred times1(var2 X, Z) = Z = X;
"""

_COMPARED = {
    "==": "{0} = {1}",
    "!=": "{0} ~= {1}",
    "<": "less({0}, {1})",
    "<=": "~less({1}, {0})",
    ">": "less({1}, {0})",
    ">=": "~less({0}, {1})",
}
_DIGITS = {
    "^": "(p in {2} <=> ~(p in {0} <=> p in {1}))",
    "&": "(p in {2} <=> (p in {0} & p in {1}))",
    "|": "(p in {2} <=> (p in {0} | p in {1}))",
}


def ws1s_text(sentence: Sentence, relations: Mapping[str, Automaton]) -> str:
    """Return the sentence as MONA reads it; the free variables, sorted, are V0, V1, …."""
    names = sorted(free(sentence))
    scope: dict[Variable, str] = {name: f"V{i}" for i, name in enumerate(names)}
    translation = _Translation(relations, len(names))
    formula = translation.formula(sentence, scope)
    variables = f"var2 {', '.join(scope.values())};\n" if scope else ""
    return f"{_ARITHMETIC}{''.join(translation.predicates.values())}{variables}{formula};\n"


class _Translation:
    """One sentence being translated: the predicates that it needs, and a count of variables."""

    def __init__(self, relations: Mapping[str, Automaton], variables: int) -> None:
        self.predicates: dict[str, str] = {}
        self._relations = relations
        self._numbers = count(variables)

    def formula(self, sentence: Sentence, scope: Mapping[Variable, str]) -> str:
        match sentence:
            case Linear():
                return self._linear(sentence, scope)
            case Bitwise():
                sets = (scope[name] for name in (sentence.a, sentence.b, sentence.c))
                return f"(all1 p: {_DIGITS[sentence.op].format(*sets)})"
            case NimSumZero():
                odd = "false"
                for name, times in sorted(Counter(sentence.names).items()):
                    if times % 2:
                        odd = f"~({odd} <=> p in {scope[name]})"
                return f"(all1 p: ~{odd})"
            case Member():
                arguments = ", ".join(scope[name] for name in sentence.arguments)
                return f"{self._relation(sentence)}({arguments})"
            case And(parts):
                return f"({' & '.join(self.formula(part, scope) for part in parts) or 'true'})"
            case Or(parts):
                return f"({' | '.join(self.formula(part, scope) for part in parts) or 'false'})"
            case Not(part):
                return f"~{self.formula(part, scope)}"
            case Exists(names, body):
                bound = {name: self._variable() for name in names}
                return (
                    f"(ex2 {', '.join(bound.values())}: {self.formula(body, {**scope, **bound})})"
                )

    def _variable(self) -> str:
        return f"V{next(self._numbers)}"

    def _linear(self, sentence: Linear, scope: Mapping[Variable, str]) -> str:
        """Compare the terms above 0 with those below, moved to the other side."""
        left, right = self._variable(), self._variable()
        terms = [(scope[name], factor) for name, factor in sentence.coefficients]
        above = self._sum([(x, c) for x, c in terms if c > 0], max(0, sentence.constant), left)
        below = self._sum([(x, -c) for x, c in terms if c < 0], max(0, -sentence.constant), right)
        compared = _COMPARED[sentence.relation].format(left, right)
        return f"(ex2 {left}, {right}: {above} & {below} & {compared})"

    def _sum(self, terms: list[tuple[str, int]], constant: int, total: str) -> str:
        """Say that `total` is the sum of the multiples and the constant; a variable is bound where it is last used."""
        if not terms:
            return f"{total} = {_set(constant)}"
        (name, factor), *others = terms
        if not others and constant == 0:
            return f"{self._times(factor)}({name}, {total})"
        term, rest = self._variable(), self._variable()
        return (
            f"(ex2 {rest}: {self._sum(others, constant, rest)}"
            f" & (ex2 {term}: {self._times(factor)}({name}, {term}) & add({term}, {rest}, {total})))"
        )

    def _times(self, factor: int) -> str:
        name = f"times{factor}"
        if factor > 1 and name not in self.predicates:
            half = self._times(factor - factor % 2 if factor % 2 else factor // 2)
            last = "add(T, X, Z)" if factor % 2 else "double(T, Z)"
            self.predicates[name] = f"pred {name}(var2 X, Z) = ex2 T: {half}(X, T) & {last};\n"
        return name

    def _relation(self, member: Member) -> str:
        automaton = relation_of(member, self._relations)
        name = f"relation{sorted(self._relations).index(member.relation)}"
        if name not in self.predicates:
            self.predicates[name] = _run(name, automaton, len(member.arguments))
        return name


def _set(number: int) -> str:
    places = [str(i) for i in range(number.bit_length()) if number >> i & 1]
    return f"{{{', '.join(places)}}}" if places else "empty"


def _run(name: str, automaton: Automaton, arguments: int) -> str:
    """Return the predicate that the automaton accepts: there is a run that ends when all digits are read.

    Bit i of the state before digit p is whether p is in Qi.
    """
    tracks = [f"X{track}" for track in automaton.tracks]
    bits = [f"Q{i}" for i in range(max(1, (automaton.states - 1).bit_length()))]

    def in_state(place: str, state: int) -> str:
        return _digits_are(place, bits, state)

    rows = automaton.delta.tolist()
    # A run that comes to a state which it cannot leave is over: half of the text would say how it goes on.
    ends = {i for i, row in enumerate(rows) if not automaton.accepting[i] and set(row) == {i}}
    steps = []
    for state, row in enumerate(rows):
        reading: dict[int, list[str]] = {}
        for symbol, after in enumerate(row):
            if after not in ends:
                reading.setdefault(after, []).append(_digits_are("p", tracks, symbol))
        cases = (
            f"(({' | '.join(symbols)}) & {in_state('p+1', after)})"
            for after, symbols in reading.items()
        )
        steps.append(f"({in_state('p', state)} => ({' | '.join(cases) or 'false'}))")
    over = "".join(f" & (all1 q: q >= e => q notin {track})" for track in tracks)
    accepted = [
        in_state("e", state) for state in range(automaton.states) if automaton.accepting[state]
    ]
    moves = "\n & ".join(steps)
    declared = ", ".join(f"X{i}" for i in range(arguments))
    return (
        f"pred {name}(var2 {declared}) = ex2 {', '.join(bits)}: ex1 e: {in_state('0', 0)}{over}\n"
        f" & (all1 p: p < e => ({moves}))\n & ({' | '.join(accepted) or 'false'});\n"
    )


def _digits_are(place: str, sets: list[str], number: int) -> str:
    digits = (
        f"{place} {'in' if number >> i & 1 else 'notin'} {name}" for i, name in enumerate(sets)
    )
    return f"({' & '.join(digits) or 'true'})"
