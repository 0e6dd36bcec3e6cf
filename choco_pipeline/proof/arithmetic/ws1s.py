"""Sentences as MONA reads them: a natural number is the finite set of the places of its binary ones.

So a sentence becomes one of the weak monadic second-order logic of one successor (WS1S).

References
----------
N. Klarlund and A. Møller, MONA Version 1.4 User Manual, BRICS Notes Series NS-01-1, 2001.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count

from choco_pipeline.automata.dfa import Automaton, Variable
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

#: The name of the file with the sentence.
SENTENCE = "sentence.mona"
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


def ws1s_files(sentence: Sentence, relations: Mapping[str, Automaton]) -> dict[str, str]:
    """Return the files that MONA reads in one folder, by their names.

    `SENTENCE` holds the sentence; its free variables, sorted, are V0, V1, …. The others hold the automata of the relations.
    """
    names = sorted(free(sentence))
    scope: dict[Variable, str] = {name: f"V{i}" for i, name in enumerate(names)}
    translation = _Translation(relations, len(names))
    formula = translation.formula(sentence, scope)
    variables = f"var2 {', '.join(scope.values())};\n" if scope else ""
    text = f"{_ARITHMETIC}{''.join(translation.predicates.values())}{variables}{formula};\n"
    return {SENTENCE: text, **translation.automata}


class _Translation:
    """One sentence being translated: the predicates and the files of automata that it needs, and a count of variables."""

    def __init__(self, relations: Mapping[str, Automaton], variables: int) -> None:
        self.predicates: dict[str, str] = {}
        self.automata: dict[str, str] = {}
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
                return self._relation(sentence, scope)
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

    def _relation(self, member: Member, scope: Mapping[Variable, str]) -> str:
        """Say that the automaton accepts the arguments; MONA wants them in the order in which they are bound."""
        automaton = relation_of(member, self._relations)
        places = [int(scope[name].removeprefix("V")) for name in member.arguments]
        bound = sorted(set(places))
        order = [bound.index(place) for place in places]
        number = sorted(self._relations).index(member.relation)
        name = f"relation{number}_{'_'.join(map(str, order))}.dfa"
        if name not in self.automata:
            self.automata[name] = _dfa(automaton, order)
        arguments = ", ".join(f"X{i}->V{place}" for i, place in enumerate(bound))
        return f'import("{name}", {arguments})'


def _set(number: int) -> str:
    places = [str(i) for i in range(number.bit_length()) if number >> i & 1]
    return f"{{{', '.join(places)}}}" if places else "empty"


def _dfa(automaton: Automaton, order: Sequence[int]) -> str:
    """Return an automaton as MONA reads it, with variables X0, X1, …; the i-th argument is the `order[i]`-th of them.

    What follows a state is a decision diagram: lines of a variable, and of the lines that follow a 0 and a 1 of it; or of -1
    and a state. MONA's words begin with a letter more, for variables that are true or false: a state more reads it.
    """
    variables = max(order) + 1
    lines: dict[tuple[int, int, int], int] = {}

    def line(*content: int) -> int:
        a, b, c = content
        return lines.setdefault((a, b, c), len(lines))

    def decided(after: Sequence[int], variable: int) -> int:
        """Return the line that decides between states, given by the digits of this variable and the next ones."""
        if len(after) == 1:
            return line(-1, after[0], 0)
        zero, one = (decided(after[digit::2], variable + 1) for digit in (0, 1))
        return zero if zero == one else line(variable, zero, one)

    places = [order[int(str(track))] for track in automaton.tracks]
    symbols = [
        sum((digits >> place & 1) << i for i, place in enumerate(places))
        for digits in range(1 << variables)
    ]
    after = automaton.delta[:, symbols] + 1
    behaviour = [line(-1, 1, 0), *(decided(row, 0) for row in after.tolist())]
    accepting = [automaton.accepting[0], *automaton.accepting]
    return "\n".join(
        (
            "MONA DFA",
            f"number of variables: {variables}",
            f"variables: {' '.join(f'X{i}' for i in range(variables))} ",
            f"orders: {' '.join(['2'] * variables)} ",  # which are sets
            f"states: {len(behaviour)}",
            "initial: 0",
            f"bdd nodes: {len(lines)}",
            f"final: {' '.join('1' if accepts else '-1' for accepts in accepting)} ",
            f"behaviour: {' '.join(map(str, behaviour))} ",
            "bdd:",
            *(f" {a} {b} {c}" for a, b, c in lines),
            "end",
            "",
        )
    )
