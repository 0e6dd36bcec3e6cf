"""Lemmas about products with parameters, found by counterexample.

A linear solver treats the product of a parameter m and a name x as an unrelated name, m*x. Let d be a linear combination of names, and
D the same combination of their products with m ≥ 0. The *lemma* of d states: d ≥ 1 implies D ≥ m, d ≤ −1 implies D ≤ −m, and d = 0
implies D = 0. It is used for every parameter that is multiplied.

Idea: while a solver finds numbers with a wrong product, add lemmas that are false for these numbers, sparse combinations first. If all
products are right, the numbers are a counterexample.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from itertools import product as choices

import z3

from choco_pipeline.proof.clock import Clock, answer_within
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.affine import TIMES, Affine, factors_of
from choco_pipeline.proof.uniform.sentences import (
    all_of,
    any_of,
    at_least_0,
    is_0,
    names_in,
    negation,
)
from choco_pipeline.proof.uniform.sentences import text as smt_text

#: Tried combinations: largest number of names, coefficients and constants.
MOST_NAMES = 4
MULTIPLES, ADDED = (1, -1, 2, -2), (0, 1, -1)
#: Limit of lemmas added per round, and number of lemmas after which no longer combinations are tried.
AT_ONCE, ENOUGH = 8, 3
#: Limit of rounds for one sentence. Known families need fewer than a hundred.
MOST_ROUNDS = 400


@dataclass(frozen=True)
class Products:
    """The products of parameters with names, in a sentence."""

    #: The names that each parameter is multiplied with.
    names: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, factors: Collection[str], text: str) -> Products:
        """Return the products in a text; each contains one of the factors."""
        pairs = sorted(tuple(factors_of(n)) for n in names_in(text) if len(factors_of(n)) > 1)
        ordered = [(a, b) if a in factors else (b, a) for a, b in pairs]
        return cls({m: tuple(sorted({n for a, n in ordered if a == m})) for m in factors})

    def always(self) -> str:
        """Sentence: products are right if their parameter is 0 or 1."""
        sentences = []
        for factor, value in choices(self.names, (0, 1)):
            m = Affine.of(factor)
            names = map(Affine.of, self.names[factor])
            differences = (m * n - n * value for n in names)
            other = any_of([at_least_0(m - value - 1), at_least_0(-m + value - 1)])
            sentences.append(any_of([other, all_of(map(is_0, differences))]))
        return all_of(sentences)

    def lemma(self, d: Affine) -> str:
        """Sentence: the lemma of d, for all parameters."""
        lemmas = []
        for m in map(Affine.of, self.names):
            whole = m * d
            implications = [
                (d - 1, [whole - m]),
                (-d - 1, [-whole - m]),
                # d = 0 implies D = 0, as two implications: d >= 0 implies d >= 1 or D >= 0, and the same for -d.
                (d, [d - 1, whole]),
                (-d, [-d - 1, -whole]),
            ]
            clauses = ([negation(at_least_0(a)), *map(at_least_0, b)] for a, b in implications)
            lemmas.append(all_of(map(any_of, clauses)))
        return all_of(lemmas)

    def broken(self, values: Mapping[str, int]) -> list[Affine]:
        """Return sums whose lemmas are false for these values, sparse ones first.

        There is one exactly if some product is wrong.
        """
        return list(dict.fromkeys(d for m in self.names for d in self._broken(m, values)))

    def _broken(self, factor: str, values: Mapping[str, int]) -> list[Affine]:
        broken: list[tuple[int, int, Affine]] = []
        m, multiplied = values[factor], self.names[factor]
        pairs = {
            name: (values[name], values[TIMES.join(sorted((factor, name)))]) for name in multiplied
        }
        for size in range(1, MOST_NAMES + 1):
            for names in combinations(multiplied, size):
                for multiples in choices(MULTIPLES, repeat=size):
                    if multiples[0] < 0:
                        continue
                    value = sum(c * pairs[n][0] for c, n in zip(multiples, names, strict=True))
                    whole = sum(c * pairs[n][1] for c, n in zip(multiples, names, strict=True))
                    for added in ADDED:
                        d, product_ = value + added, whole + added * m
                        if (d >= 1 and product_ < m) or (d <= -1 and product_ > -m) or (not d and product_):  # fmt: skip
                            total = Affine.total(dict(zip(names, multiples, strict=True)), added)
                            weight = sum(map(abs, multiples)) + abs(added)
                            broken.append((weight, abs(d), total))
            if size > 1 and len(broken) >= ENOUGH:
                break
        broken.sort(key=lambda entry: (*entry[:2], str(entry[2])))
        if broken:
            return [total for *_, total in broken]
        # If no sparse sum excludes the wrong product, the difference of two names minus its value does, or a name minus its value.
        alone = [Affine.of(n) for n in multiplied]
        for total in (*(a - b for a, b in combinations(alone, 2)), *alone):
            value, whole = (total.value({n: pair[i] for n, pair in pairs.items()}) for i in (0, 1))
            if whole != m * value:
                return [total - value]
        return []


@dataclass(frozen=True)
class TrueCounterexampleError(Exception):
    """Numbers that satisfy a sentence, with correct products."""

    values: Mapping[str, int]


def lemmas_for(
    text: str, products: Products, first: Iterable[Affine], clock: Clock
) -> tuple[Affine, ...]:
    """Return sums whose lemmas make a text unsatisfiable, starting with `first`.

    Raises
    ------
    TrueCounterexampleError
        If numbers with correct products satisfy the text.
    UndecidedError
        If z3 finds no answer, more than `MOST_ROUNDS` rounds are needed, or the time is over.
    """
    question = _Question(text, products)
    multiplied = [{*names} for names in products.names.values()]
    used = [Affine.of(name) for name in dict.fromkeys(chain(*products.names.values()))]
    used += [d for d in first if all(d.names <= names for names in multiplied) and d not in used]
    broken = used
    for _ in range(MOST_ROUNDS):
        question.solver.add(list(map(question.lemma, broken)))
        answer = question.ask(clock)
        if answer == z3.unknown:
            raise UndecidedError(f"z3 says unknown: {question.solver.reason_unknown()}")
        if answer == z3.unsat:
            return tuple(used)
        model = question.solver.model()
        known = {name.name(): model[name] for name in model.decls() if name.arity() == 0}
        values = {n: known[n].as_long() if n in known else 0 for n in question.names}
        broken = products.broken(values)[:AT_ONCE]
        if not broken:
            raise TrueCounterexampleError(values)
        used = used + broken
    raise UndecidedError(f"more than {MOST_ROUNDS} rounds of lemmas on products")


def needed_lemmas(
    text: str, products: Products, used: Sequence[Affine], clock: Clock
) -> tuple[Affine, ...]:
    """Return the sums whose lemmas z3 uses; all sums if the time is over."""
    question = _Question(text, products)
    solver = question.solver
    labels = {z3.Bool(f"lemma {place}", solver.ctx): total for place, total in enumerate(used)}
    solver.add([z3.Implies(label, question.lemma(total)) for label, total in labels.items()])
    if question.ask(clock, *labels) != z3.unsat:
        return tuple(used)
    return tuple(labels[label] for label in solver.unsat_core())


class _Question:
    """A text for z3, to which lemmas are added.

    It has its own context, because the answers of z3, and so the lemmas, depend on everything in a context.
    """

    def __init__(self, text: str, products: Products) -> None:
        self.names, self.products = sorted(names_in(text)), products
        self.solver = z3.SolverFor("QF_LIA", ctx=z3.Context())
        self.solver.from_string(text)

    def lemma(self, total: Affine) -> z3.BoolRef:
        lemma = smt_text([], self.products.lemma(total), names=self.names)
        return z3.And(*z3.parse_smt2_string(lemma, ctx=self.solver.ctx))

    def ask(self, clock: Clock, *labels: z3.BoolRef) -> z3.CheckSatResult:
        """Return the answer of z3 within the remaining time."""
        clock.require()

        def ask(milliseconds: int) -> z3.CheckSatResult:
            self.solver.set("timeout", milliseconds)
            return self.solver.check(*labels)

        return answer_within(clock, ask, z3.unknown)
