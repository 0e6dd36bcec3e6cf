"""Lemmas on products with parameters, found by counterexample.

In a text the product of a parameter m and a name x is a name of its own, m*x, and means nothing to a solver. Let d be a sum of
names, and D the same sum of their products with m ≥ 0. Then d ≥ 1 gives D ≥ m, d ≤ −1 gives D ≤ −m, and d = 0 gives D = 0.
Such a *lemma* is named by its d, and is used for every parameter that is multiplied. As long as a solver finds numbers for which
some product is wrong, lemmas that are false for these numbers are added, those of the sparsest sums first. If all products are
right, the numbers are a counterexample.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from itertools import product as choices
from math import prod

import z3

from choco_pipeline.proof.clock import Clock, answer_within
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.affine import Affine, factors_of, product, product_name
from choco_pipeline.proof.uniform.sentences import (
    all_of,
    any_of,
    at_least_0,
    is_0,
    names_in,
    negation,
)
from choco_pipeline.proof.uniform.sentences import text as smt_text

#: Sums of at most this number of names, with these multiples and these numbers added, are tried.
MOST_NAMES = 4
MULTIPLES, ADDED = (1, -1, 2, -2), (0, 1, -1)
#: Lemmas that are added for one counterexample; fewer make more rounds. With `ENOUGH` of them no longer sums are tried.
AT_ONCE, ENOUGH = 8, 3
#: Rounds of one sentence; the known ones take less than a hundred.
MOST_ROUNDS = 400


@dataclass(frozen=True)
class Products:
    """The products of parameters with names, in a sentence."""

    #: For each parameter, the names that it is multiplied with.
    names: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, factors: Collection[str], text: str) -> Products:
        """Return those that stand in a text; each has one of the factors."""
        pairs = sorted(tuple(factors_of(n)) for n in names_in(text) if len(factors_of(n)) > 1)
        ordered = [(a, b) if a in factors else (b, a) for a, b in pairs]
        return cls({m: tuple(sorted({n for a, n in ordered if a == m})) for m in factors})

    def always(self) -> str:
        """Return the sentence that products are right where a parameter is 0 or 1."""
        sentences = []
        for factor, value in choices(self.names, (0, 1)):
            m = Affine.of(factor)
            names = map(Affine.of, self.names[factor])
            differences = (product(m, n) - n * value for n in names)
            other = any_of([at_least_0(m - value - 1), at_least_0(-m + value - 1)])
            sentences.append(any_of([other, all_of(map(is_0, differences))]))
        return all_of(sentences)

    def lemma(self, d: Affine) -> str:
        """Return the lemma of a sum."""
        return all_of(self._lemma(Affine.of(factor), d) for factor in self.names)

    @staticmethod
    def _lemma(m: Affine, d: Affine) -> str:
        whole = product(m, d)
        implications = [
            (d - 1, [whole - m]),
            (-d - 1, [-whole - m]),
            # Where d is at least 0 it is at least 1, or the product is 0.
            (d, [d - 1, whole]),
            (-d, [-d - 1, -whole]),
        ]
        return all_of(
            any_of([negation(at_least_0(a)), *map(at_least_0, b)]) for a, b in implications
        )

    def are_right(self, values: Mapping[str, int]) -> bool:
        """Whether these values of products are products of the values."""
        pairs = ((m, n) for m, names in self.names.items() for n in names)
        return all(values[product_name(pair)] == prod(values[n] for n in pair) for pair in pairs)

    def broken(self, values: Mapping[str, int]) -> list[Affine]:
        """Return some sums, sparse ones first, whose lemmas are false for these values."""
        return list(dict.fromkeys(d for m in self.names for d in self._broken(m, values)))

    def _broken(self, factor: str, values: Mapping[str, int]) -> list[Affine]:
        broken: list[tuple[int, int, Affine]] = []
        m, multiplied = values[factor], self.names[factor]
        pairs = {name: (values[name], values[product_name((factor, name))]) for name in multiplied}
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
        # A difference minus its value, or else a name, excludes a wrong product where no sparse sum does.
        alone = [Affine.of(n) for n in multiplied]
        for total in (*(a - b for a, b in combinations(alone, 2)), *alone):
            value, whole = (total.value({n: pair[i] for n, pair in pairs.items()}) for i in (0, 1))
            if whole != m * value:
                return [total - value]
        return []


@dataclass(frozen=True)
class TrueCounterexampleError(Exception):
    """Numbers for which a sentence holds, with true products."""

    values: Mapping[str, int]


def lemmas_for(
    text: str, products: Products, first: Iterable[Affine], clock: Clock
) -> tuple[Affine, ...]:
    """Return sums whose lemmas make a text unsatisfiable, those of `first` at once.

    Raises
    ------
    TrueCounterexampleError
        If there are numbers for which it holds.
    UndecidedError
        If no lemma is broken by some numbers with wrong products, or the time is over.
    """
    question = _Question.of(text, products)
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
        if products.are_right(values):
            raise TrueCounterexampleError(values)
        broken = products.broken(values)[:AT_ONCE]
        if not broken:
            raise UndecidedError("no lemma on products excludes some numbers with wrong products")
        used = used + broken
    raise UndecidedError(f"more than {MOST_ROUNDS} rounds of lemmas on products")


def needed_lemmas(
    text: str, products: Products, used: Sequence[Affine], clock: Clock
) -> tuple[Affine, ...]:
    """Return the sums whose lemmas z3 needs; all if the time is over."""
    question = _Question.of(text, products)
    solver = question.solver
    labels = {z3.Bool(f"lemma {place}", solver.ctx): total for place, total in enumerate(used)}
    solver.add([z3.Implies(label, question.lemma(total)) for label, total in labels.items()])
    if question.ask(clock, *labels) != z3.unsat:
        return tuple(used)
    return tuple(labels[label] for label in solver.unsat_core())


@dataclass(frozen=True)
class _Question:
    """A text, and lemmas, for z3.

    It has a context of its own: the answers of z3 depend on everything in one, and so would the lemmas that are found.
    """

    names: list[str]
    products: Products
    solver: z3.Solver

    @classmethod
    def of(cls, text: str, products: Products) -> _Question:
        solver = z3.SolverFor("QF_LIA", ctx=z3.Context())
        solver.from_string(text)
        return cls(sorted(names_in(text)), products, solver)

    def lemma(self, total: Affine) -> z3.BoolRef:
        lemma = smt_text([], self.products.lemma(total), names=self.names)
        return z3.And(*z3.parse_smt2_string(lemma, ctx=self.solver.ctx))

    def ask(self, clock: Clock, *labels: z3.BoolRef) -> z3.CheckSatResult:
        """Return the answer of z3 in the time that is left."""
        clock.require()

        def ask(milliseconds: int) -> z3.CheckSatResult:
            self.solver.set("timeout", milliseconds)
            return self.solver.check(*labels)

        return answer_within(clock, ask, z3.unknown)
