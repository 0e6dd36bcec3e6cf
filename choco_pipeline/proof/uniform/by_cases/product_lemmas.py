"""What solvers are told of products with a parameter, so that sentences stay linear, found by counterexample.

In a text the product of the parameter m and a name x is a name of its own, m*x, of which a solver knows nothing. True of all
integers and of every m ≥ 0 is: for a sum d of names and D, the same sum of their products, d ≥ 1 gives D ≥ m, d ≤ −1 gives
D ≤ −m, and d = 0 gives D = 0. Each such *lemma* is named by its d. As long as a solver finds numbers for which some product is
wrong, lemmas that these numbers break are added, those of the sparsest sums first; if all products are right the numbers are
a true counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from itertools import product as choices

import z3

from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.uniform.families.affine import TIMES, Affine, product
from choco_pipeline.proof.uniform.families.linear import at_least_0 as z3_at_least_0
from choco_pipeline.proof.uniform.families.linear import values_of
from choco_pipeline.proof.uniform.sentences import all_of, any_of, at_least_0, is_0, negation

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
        found: set[str] = set()
        for part in texts.split("|")[1::2]:
            factors = part.split(TIMES)
            if len(factors) > 1:
                factors.remove(factor or "")
                found.add(*factors)
        return cls(factor, tuple(sorted(found))) if factor and found else None

    def always(self) -> str:
        """Return what products are where the parameter is 0 or 1."""
        m = Affine.of(self.factor)
        found = []
        for value in (0, 1):
            differences = (product(m, Affine.of(n)) - Affine.of(n) * value for n in self.names)
            other = any_of([at_least_0(m - value - 1), at_least_0(-m + value - 1)])
            found.append(any_of([other, all_of(map(is_0, differences))]))
        return all_of(found)

    def lemma(self, total: Affine) -> str:
        """Return the lemma of a sum."""
        return all_of(any_of([negation(at_least_0(a)), *map(at_least_0, b)]) for a, b in self._implications(total))  # fmt: skip

    def z3_lemma(self, total: Affine) -> z3.BoolRef:
        """Return the same for z3."""
        return z3.And(
            [
                z3.Or(z3.Not(z3_at_least_0(a)), *map(z3_at_least_0, b))
                for a, b in self._implications(total)
            ]
        )

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
        found: list[tuple[int, int, Affine]] = []
        m = values[self.factor]
        pairs = {name: (values[name], self._value(name, values)) for name in self.names}
        for size in range(1, MOST_NAMES + 1):
            for names in combinations(self.names, size):
                for multiples in choices(MULTIPLES, repeat=size):
                    if multiples[0] < 0:
                        continue
                    one = sum(c * pairs[n][0] for c, n in zip(multiples, names, strict=True))
                    whole = sum(c * pairs[n][1] for c, n in zip(multiples, names, strict=True))
                    for added in ADDED:
                        d, product_ = one + added, whole + added * m
                        if (d >= 1 and product_ < m) or (d <= -1 and product_ > -m) or (not d and product_):  # fmt: skip
                            total = Affine.total(dict(zip(names, multiples, strict=True)), added)
                            weight = sum(map(abs, multiples)) + abs(added)
                            found.append((weight, abs(d), total))
            if size > 1 and len(found) >= ENOUGH:
                break
        ordered = [total for *_, total in sorted(found, key=lambda one: (*one[:2], str(one[2])))]
        # A name minus its value, which is 0 here, tells a wrong product wherever no sparse sum does.
        alone = (Affine.of(n) - pairs[n][0] for n in self.names if pairs[n][1] != m * pairs[n][0])
        return ordered or list(alone)

    def _value(self, name: str, values: Mapping[str, int]) -> int:
        return values[TIMES.join(sorted((self.factor, name)))]


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
    solver = z3.SolverFor("QF_LIA")
    solver.from_string(text)
    names = sorted({*text.split("|")[1::2]})
    used = [] if products is None else [Affine.of(name) for name in products.names]
    for total in used:
        assert products is not None
        solver.add(products.z3_lemma(total))
    for _ in range(MOST_ROUNDS):
        clock.require()
        solver.set("timeout", max(1, int(min(clock.left, 1e6) * 1000)))
        answer = solver.check()
        if answer == z3.unknown:
            raise UndecidedError(f"z3 says unknown: {solver.reason_unknown()}")
        if answer == z3.unsat:
            return tuple(used)
        values = values_of(solver.model(), names)
        if products is None or not products.wrong(values):
            raise TrueCounterexampleError(values)
        broken = products.broken(values)[:AT_ONCE]
        if not broken:
            raise UndecidedError(
                "no lemma on products tells numbers with wrong products from others"
            )
        used += broken
        for total in broken:
            solver.add(products.z3_lemma(total))
    raise UndecidedError(f"more than {MOST_ROUNDS} rounds of lemmas on products")


def needed_lemmas(
    text: str, products: Products | None, used: Sequence[Affine], clock: Clock
) -> tuple[Affine, ...]:
    """Return those that z3 needs, of sums whose lemmas suffice."""
    if products is None:
        return ()
    solver = z3.SolverFor("QF_LIA")
    solver.from_string(text)
    labels = {}
    for place, total in enumerate(used):
        label = z3.Bool(f"lemma {place}")
        labels[label] = total
        solver.add(z3.Implies(label, products.z3_lemma(total)))
    solver.set("timeout", max(1, int(min(clock.left, 1e6) * 1000)))
    if solver.check(*labels) != z3.unsat:
        return tuple(used)
    return tuple(labels[label] for label in solver.unsat_core())
