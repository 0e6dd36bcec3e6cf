"""The search for a proof of a Grundy formula by cases: options that it needs, and lemmas for each obligation.

What solvers are told of products with a parameter, so that sentences stay linear, is found by counterexample.
In a text the product of the parameter m and a name x is a name of its own, m*x, of which a solver knows nothing. True of all
integers and of every m ≥ 0 is: for a sum d of names and D, the same sum of their products, d ≥ 1 gives D ≥ m, d ≤ −1 gives
D ≤ −m, and d = 0 gives D = 0. Each such *lemma* is named by its d. As long as a solver finds numbers for which some product is
wrong, lemmas that these numbers break are added, those of the sparsest sums first; if all products are right the numbers are
a true counterexample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from itertools import product as choices

import z3

from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.proof.clock import Clock, answer_within
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.by_cases.case_obligations import (
    CaseObligations,
    NamedQuotient,
    SoughtOption,
)
from choco_pipeline.proof.uniform.by_cases.derived_options import (
    Quotients,
    chosen_options,
    derived_options,
)
from choco_pipeline.proof.uniform.families.affine import Affine, factors_of, product, product_name
from choco_pipeline.proof.uniform.families.family import Family, FamilyCase
from choco_pipeline.proof.uniform.sentences import (
    all_of,
    any_of,
    at_least_0,
    is_0,
    names_in,
    negation,
    require_unsat,
    text,
)
from choco_pipeline.proof.uniform.sentences import text as smt_text

#: Sums of at most so many names, with these multiples and these numbers added, are tried.
MOST_NAMES = 4
MULTIPLES, ADDED = (1, -1, 2, -2), (0, 1, -1)
#: Lemmas that are added for one counterexample, of which fewer make more rounds; once so many are found no longer sums are
#: looked at.
AT_ONCE, ENOUGH = 8, 3
#: Rounds of one sentence; the known ones take less than a hundred.
MOST_ROUNDS = 400


@dataclass(frozen=True)
class Products:
    """The products of a parameter with names, in a sentence."""

    factor: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, factor: str | None, texts: str) -> Products | None:
        """Return those that stand in a text; None if there are none."""
        multiplied: set[str] = set()
        for name in names_in(texts):
            factors = [*factors_of(name)]
            if len(factors) > 1:
                factors.remove(factor or "")
                multiplied.add(*factors)
        return cls(factor, tuple(sorted(multiplied))) if factor and multiplied else None

    def always(self) -> str:
        """Return what products are where the parameter is 0 or 1."""
        m = Affine.of(self.factor)
        sentences = []
        for value in (0, 1):
            differences = (product(m, Affine.of(n)) - Affine.of(n) * value for n in self.names)
            other = any_of([at_least_0(m - value - 1), at_least_0(-m + value - 1)])
            sentences.append(any_of([other, all_of(map(is_0, differences))]))
        return all_of(sentences)

    def lemma(self, total: Affine) -> str:
        """Return the lemma of a sum."""
        return all_of(any_of([negation(at_least_0(a)), *map(at_least_0, b)]) for a, b in self._implications(total))  # fmt: skip

    def _implications(self, d: Affine) -> Iterator[tuple[Affine, tuple[Affine, ...]]]:
        m = Affine.of(self.factor)
        whole = product(m, d)
        yield d - 1, (whole - m,)
        yield -d - 1, (-whole - m,)
        # Where d is at least 0 it is at least 1, or the product is 0.
        yield d, (d - 1, whole)
        yield -d, (-d - 1, -whole)

    def wrong(self, values: Mapping[str, int]) -> bool:
        """Whether some product has another value than its factors say."""
        return any(self._value(n, values) != values[self.factor] * values[n] for n in self.names)

    def broken(self, values: Mapping[str, int]) -> list[Affine]:
        """Return some sums, sparse ones first, whose lemmas are false for these values."""
        broken: list[tuple[int, int, Affine]] = []
        m = values[self.factor]
        pairs = {name: (values[name], self._value(name, values)) for name in self.names}
        for size in range(1, MOST_NAMES + 1):
            for names in combinations(self.names, size):
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
        ordered = [
            total for *_, total in sorted(broken, key=lambda entry: (*entry[:2], str(entry[2])))
        ]
        # A name minus its value, which is 0 here, tells a wrong product wherever no sparse sum does.
        alone = (Affine.of(n) - pairs[n][0] for n in self.names if pairs[n][1] != m * pairs[n][0])
        return ordered or list(alone)

    def _value(self, name: str, values: Mapping[str, int]) -> int:
        return values[product_name((self.factor, name))]


@dataclass(frozen=True)
class TrueCounterexampleError(Exception):
    """Numbers for which a sentence holds, with true products."""

    values: Mapping[str, int]


def lemmas_for(text: str, products: Products | None, clock: Clock) -> tuple[Affine, ...]:
    """Return sums whose lemmas make a text unsatisfiable.

    Raises
    ------
    TrueCounterexampleError
        If there are numbers for which it holds.
    UndecidedError
        If no lemma is broken by some numbers with wrong products, or the time is over.
    """
    question = _Question.of(text, products)
    used = [] if products is None else [Affine.of(name) for name in products.names]
    question.tell(used)
    for _ in range(MOST_ROUNDS):
        answer = question.ask(clock)
        if answer == z3.unknown:
            raise UndecidedError(f"z3 says unknown: {question.solver.reason_unknown()}")
        if answer == z3.unsat:
            return tuple(used)
        values = question.values()
        if products is None or not products.wrong(values):
            raise TrueCounterexampleError(values)
        broken = products.broken(values)[:AT_ONCE]
        if not broken:
            raise UndecidedError(
                "no lemma on products tells numbers with wrong products from others"
            )
        used += broken
        question.tell(broken)
    raise UndecidedError(f"more than {MOST_ROUNDS} rounds of lemmas on products")


def needed_lemmas(
    text: str, products: Products | None, used: Sequence[Affine], clock: Clock
) -> tuple[Affine, ...]:
    """Return those that z3 needs, of sums whose lemmas suffice; all of them if the time is over before that is known."""
    question = _Question.of(text, products)
    labels = question.tell_if(used)
    if question.ask(clock, *labels) != z3.unsat:
        return tuple(used)
    return tuple(labels[label] for label in question.solver.unsat_core())


@dataclass(frozen=True)
class _Question:
    """A text, and lemmas, that z3 is asked about.

    It has a context of its own: what z3 answers depends on all that it was told in one, and so would the lemmas that are found.
    """

    names: list[str]
    products: Products | None
    solver: z3.Solver

    @classmethod
    def of(cls, text: str, products: Products | None) -> _Question:
        solver = z3.SolverFor("QF_LIA", ctx=z3.Context())
        solver.from_string(text)
        return cls(sorted(names_in(text)), products, solver)

    def _lemma(self, total: Affine) -> z3.BoolRef:
        assert self.products is not None
        told = smt_text(self.names, [], self.products.lemma(total))
        return z3.And(*z3.parse_smt2_string(told, ctx=self.solver.ctx))

    def tell(self, totals: Iterable[Affine]) -> None:
        """Add the lemmas of sums."""
        self.solver.add([self._lemma(total) for total in totals])

    def tell_if(self, totals: Iterable[Affine]) -> dict[z3.BoolRef, Affine]:
        """Add the lemmas of sums, each under a condition of its own."""
        labels = {
            z3.Bool(f"lemma {place}", self.solver.ctx): total for place, total in enumerate(totals)
        }
        self.solver.add([z3.Implies(label, self._lemma(total)) for label, total in labels.items()])
        return labels

    def ask(self, clock: Clock, *labels: z3.BoolRef) -> z3.CheckSatResult:
        """Return what z3 answers in the time that is left."""
        clock.require()

        def ask(milliseconds: int) -> z3.CheckSatResult:
            self.solver.set("timeout", milliseconds)
            return self.solver.check(*labels)

        return answer_within(clock, ask, z3.unknown)

    def values(self) -> Mapping[str, int]:
        """Return the integers for which the last answer was that it holds."""
        model = self.solver.model()
        values = {known.name(): model[known] for known in model.decls() if known.arity() == 0}
        return {name: values[name].as_long() if name in values else 0 for name in self.names}


#: Seconds to find which lemmas z3 needs, and for a text with no others, which mostly takes one: with too few cvc5 may never end.
FEWEST_SECONDS = 5.0


@dataclass(frozen=True)
class CaseFormulaProof:
    """Why a formula by cases is right in a case."""

    #: The parameter that is multiplied with other names, if there is one.
    factor: str | None
    #: Some option of these always has the smaller value; they may be made of these quotients.
    quotients: tuple[NamedQuotient, ...]
    options: tuple[SoughtOption, ...]
    #: For each text the sums whose lemmas on products are in it.
    lemmas: Mapping[str, tuple[Affine, ...]]


def prove_by_cases(family: Family, case: FamilyCase, clock: Clock) -> CaseFormulaProof:
    """Return hints.

    Raises
    ------
    FamilyError
        If the case has no such obligations.
    UndecidedError
        If none is found.
    DisagreementError
        If the solvers contradict each other.
    """
    game = CaseObligations(family, case)
    bodies = dict(game.bodies())
    lemmas = {name: _lemmas(game, name, body, clock) for name, body in bodies.items()}
    quotients = Quotients(case.conditions)
    sought = derived_options(game, quotients, clock)
    options, named = chosen_options(game, sought, quotients, clock)
    body = game.option_body(options, named)
    lemmas["option"] = _lemmas(game, "option", body, clock)
    return CaseFormulaProof(game.factor, tuple(named), tuple(options), lemmas)


def _lemmas(game: CaseObligations, name: str, body: str, clock: Clock) -> tuple[Affine, ...]:
    """Return lemmas for an obligation, all that were found unless fewer suffice to both solvers."""
    products = Products.of(game.factor, body)
    known = [body] if products is None else [products.always(), body]
    names = sorted(names_in(body) | {*game.case.names})

    def written(lemmas: tuple[Affine, ...]) -> str:
        told = [] if products is None else [products.lemma(total) for total in lemmas]
        return text(names, game.case.conditions, all_of([*known, *told]))

    try:
        used = lemmas_for(written(()), products, clock)
        lemmas = needed_lemmas(written(()), products, used, Clock(min(FEWEST_SECONDS, clock.left)))
    except TrueCounterexampleError as error:
        values = assigned({n: v for n, v in error.values.items() if len(factors_of(n)) == 1})
        raise UndecidedError(f"{name} fails at {values}") from None
    except UndecidedError as error:
        raise UndecidedError(f"{name}: {error}") from None
    try:
        require_unsat(name, written(lemmas), Clock(min(FEWEST_SECONDS, clock.left)))
    except UndecidedError:
        return used
    return lemmas
