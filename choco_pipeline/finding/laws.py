"""Rational combinations of terms in parameters, and laws of numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations, product
from math import gcd, lcm
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.finding.scope import Parameters
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.games.notation import match, read
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.mining.recurrences import combination, sum_text
from choco_pipeline.mining.table_findings import Evidence, Tried


@dataclass(frozen=True)
class Term:
    """An integer that depends on the parameters."""

    #: In mathematical notation; empty for 1.
    shown: str
    #: In the formula language; empty for 1.
    text: str

    def value(self, point: Parameters) -> int | None:
        """Return the value for some parameters; None if it has none, such as v2(0)."""
        try:
            return int(parse(self.text or "1").value(point))
        except FormulaError:
            return None


CONSTANT = Term("", "")


def linear(name: str) -> Term:
    """Return the term of a parameter itself."""
    return Term(name, name)


def two_part(name: str) -> Term:
    """Return the term of the largest power of 2 that divides a parameter."""
    return Term(f"2^v₂({name})", f"2**v2({name})")


def product_of(left: Term, right: Term) -> Term:
    """Return the product of two terms."""
    return Term(f"{left.shown}·{right.shown}", f"{left.text}*{right.text}")


@dataclass(frozen=True)
class Combination:
    """A sum of terms, each multiplied by a rational number."""

    #: Terms and coefficients, equal in number.
    terms: tuple[Term, ...]
    coefficients: tuple[Fraction, ...]

    def value(self, point: Parameters) -> Fraction | None:
        """Return the value for some parameters; None if it is undefined."""
        total = Fraction(0)
        for term, coefficient in zip(self.terms, self.coefficients, strict=True):
            if coefficient:
                value = term.value(point)
                if value is None:
                    return None
                total += coefficient * value
        return total

    @property
    def negated(self) -> Combination:
        """The combination times -1."""
        return Combination(self.terms, tuple(-c for c in self.coefficients))

    @property
    def leading(self) -> Fraction:
        """The first nonzero coefficient, or 0."""
        return next((c for c in self.coefficients if c), Fraction(0))

    @property
    def is_constant(self) -> bool:
        """Whether it is the same number for all parameters."""
        return all(
            term == CONSTANT or not c for term, c in zip(self.terms, self.coefficients, strict=True)
        )

    @property
    def shown(self) -> str:
        """The sum in mathematical notation, such as ``(3k+7)/2``."""
        text = ""
        for term, factor in self._factors():
            size = "" if abs(factor) == 1 and term.shown else str(abs(factor))
            dot = "·" if size and term.shown and not term.shown.isalpha() else ""
            text += f"{'−' if factor < 0 else '+' if text else ''}{size}{dot}{term.shown}"
        return self._quotient(text or "0", "/")

    @property
    def text(self) -> str:
        """The sum in the formula language; its divisions are exact."""
        terms = []
        for term, factor in self._factors():
            is_bare = factor == 1 or not ("/" in term.text or "%" in term.text)
            # -s%2 would be (-s)%2
            terms.append((factor, term.text if is_bare else f"({term.text})"))
        return parse(self._quotient(sum_text(terms), "//")).text

    def _factors(self) -> list[tuple[Term, int]]:
        pairs = zip(self.terms, self.coefficients, strict=True)
        return [(term, int(c * self._below)) for term, c in pairs if c]

    @property
    def _below(self) -> int:
        return lcm(*(c.denominator for c in self.coefficients))

    @property
    def is_in_brackets(self) -> bool:
        """Whether it is a quotient of a sum, so that its text begins with a bracket."""
        return self._below != 1 and len(self._factors()) > 1

    def _quotient(self, text: str, sign: str) -> str:
        if self._below == 1:
            return text
        inner = f"({text})" if self.is_in_brackets else text
        return f"{inner}{sign}{self._below}"


def shapes_of(names: Sequence[str], points: Sequence[Parameters]) -> list[tuple[Term, ...]]:
    """Return tuples of terms in the parameters, those with the fewest terms first.

    Terms without a value at one of the points are left out, and terms that are constant or equal to an earlier one there.
    """
    terms = [linear(name) for name in names]
    terms += [Term(f"⌊{name}/2⌋", f"{name}//2") for name in names]
    terms += [Term(f"({name} mod 2)", f"{name}%2") for name in names]
    terms += [two_part(name) for name in names]
    # Before the products with a power of 2, which are the same where all parameters shown are powers of 2.
    terms += [product_of(linear(a), linear(b)) for a, b in combinations(names, 2)]
    terms += [product_of(linear(a), two_part(b)) for a in names for b in names]
    kept: list[Term] = []
    seen: set[tuple[int | None, ...]] = set()
    for term in terms:
        values = tuple(term.value(point) for point in points)
        if None not in values and len(set(values)) > 1 and values not in seen:
            seen.add(values)
            kept.append(term)
    shapes: list[tuple[Term, ...]] = [(CONSTANT,)]
    for number in (1, 2):
        chosen = list(combinations(kept, number))
        shapes += [*chosen, *((*terms, CONSTANT) for terms in chosen)]
    return shapes


def determined(
    points: Sequence[Parameters],
    numbers: Sequence[int],
    shapes: Sequence[tuple[Term, ...]],
    spare: int = 1,
) -> Iterator[Combination]:
    """Yield the combinations that the numbers at all points determine.

    A point is a choice of parameters. A shape is a tuple of terms. It needs `spare` more points than terms, unless it is the constant
    alone.
    """
    known: dict[Term, list[int | None]] = {}
    for shape in shapes:
        if len(points) < len(shape) + spare and shape != (CONSTANT,):
            continue
        for term in shape:
            if term not in known:
                known[term] = [term.value(point) for point in points]
        if any(None in known[term] for term in shape):
            continue
        columns = [[number or 0 for number in known[term]] for term in shape]
        few = len(shape) + 1  # these points refute most shapes
        if combination([column[:few] for column in columns], numbers[:few]) is None:
            continue
        coefficients = combination(columns, numbers, alone=True)
        if coefficients is not None:
            yield Combination(shape, tuple(coefficients))


LAWS_TRIED = (
    "combinations of the parameter, its logarithm, the power of 2 in it, and products of the two"
)
RELATIONS = {"p": "the P-positions", "grundy": "the Grundy numbers"}
MODULI = (1, 2, 4, 8)
#: Fewest parameters, not used to fit it, for which a law must hold.
FEWEST_HELD_OUT = 3
#: Fewest parameters for a law.
FEWEST = 3 + FEWEST_HELD_OUT
#: Most exceptions among the least parameters.
MOST_EXCEPTIONS = 2


def shapes(name: str) -> list[tuple[Term, ...]]:
    """Return the terms of laws in a parameter, in the order of the trials."""
    k, q = linear(name), two_part(name)
    log_down = Term(f"⌊log₂ {name}⌋", f"log2({name})")
    log_up = Term(f"⌈log₂ {name}⌉", f"log2(2*{name}-1)")
    return [
        (k, CONSTANT),
        (k, log_down, CONSTANT),
        (k, log_up, CONSTANT),
        (k, q, CONSTANT),
        (product_of(k, q), k, q, CONSTANT),
        (product_of(k, q), product_of(q, q), k, q, CONSTANT),
    ]


@dataclass(frozen=True)
class Law:
    """A formula for one residue class of a parameter, confirmed on larger parameters."""

    #: The parameter.
    name: str
    #: The class: parameters k with k ≡ `residue` (mod `modulus`).
    modulus: int
    residue: int
    #: The formula.
    combination: Combination
    #: The parameters that determine the coefficients; there are more of them than coefficients.
    fitted: tuple[int, ...]
    #: All larger parameters that are known in this class; the law holds for each.
    held_out: tuple[int, ...]
    #: Smaller parameters of the class for which the law fails.
    exceptions: tuple[int, ...] = ()

    def value(self, k: int) -> Fraction | None:
        """Return the value at `k`, at least 1."""
        return self.combination.value({self.name: k})

    def is_about(self, k: int) -> bool:
        """Whether `k` is in the class and no exception."""
        return k % self.modulus == self.residue and (not self.exceptions or k >= self.fitted[0])

    @property
    def formula(self) -> str:
        """The right-hand side in mathematical notation.

        Examples
        --------
        >>> (law,) = laws({k: (3 * k + 7) // 2 for k in range(5, 40, 4)}, "k")
        >>> law.formula, law.where, law.combination.text, law.when
        ('(3k+7)/2', 'k ≡ 1 mod 4', '(3*k+7)//2', 'k%4 == 1')
        """
        return self.combination.shown

    @property
    def where(self) -> str:
        """The condition on the parameters in mathematical notation."""
        parts = [f"{self.name} ≡ {self.residue} mod {self.modulus}"] * (self.modulus > 1)
        parts += [f"{self.name} ≥ {self.fitted[0]}"] * bool(self.exceptions)
        return ", ".join(parts) or f"every {self.name}"

    @property
    def when(self) -> str:
        """The condition on the parameters as a formula; empty for all."""
        parts = [f"{self.name}%{self.modulus} == {self.residue}"] * (self.modulus > 1)
        parts += [f"{self.name} >= {self.fitted[0]}"] * bool(self.exceptions)
        return " and ".join(parts)


def laws(values: Mapping[int, int], name: str) -> list[Law]:
    """Return the laws of `values`, at most one per residue class, coarse ones first.

    The smaller half of the parameters of a class determines a law; there is at least one more of them than coefficients. All others,
    at least `FEWEST_HELD_OUT`, must follow the law. Classes without a law are split, up to the last of `MODULI`. `values` has an
    integer for each known value of the parameter; these are at least 1.

    Examples
    --------
    >>> [law.formula for law in laws({k: 3**k for k in range(1, 50)}, "k")]
    []
    """
    observed_laws: list[Law] = []
    for modulus in MODULI:
        for residue in range(modulus):
            members = sorted(k for k in values if k % modulus == residue)
            if not members or any(
                members[-1] % law.modulus == law.residue for law in observed_laws
            ):
                continue
            law = _law(members, values, name)
            if law is not None:
                observed_laws.append(law)
    return observed_laws


def _law(members: Sequence[int], values: Mapping[int, int], name: str) -> Law | None:
    """Return the first law that all members follow, except a few of the smallest."""
    for left_out, shape in product(range(MOST_EXCEPTIONS + 1), shapes(name)):
        chosen = members[left_out:]
        fitting = max(len(chosen) // 2, len(shape) + 1)
        fitted, held_out = chosen[:fitting], chosen[fitting:]
        if len(held_out) < FEWEST_HELD_OUT:
            continue
        points, numbers = [{name: k} for k in fitted], [values[k] for k in fitted]
        combination = next(determined(points, numbers, [shape]), None)
        if combination is None:
            continue
        if all(combination.value({name: k}) == values[k] for k in held_out):
            apart = reduce(gcd, (k - chosen[0] for k in chosen))
            modulus = max(m for m in MODULI if apart % m == 0)
            exceptions = tuple(k for k in members[:left_out] if (k - chosen[0]) % modulus == 0)
            return Law(
                name,
                modulus,
                chosen[0] % modulus,
                combination,
                tuple(fitted),
                tuple(held_out),
                exceptions,
            )
    return None


def laws_of_states(
    proofs: Iterable[Mapping[str, Any]], families: Mapping[str, str]
) -> list[FoundStatement]:
    """Return laws of the numbers of states of proved automata, for one parameter.

    `proofs` come from the ``proved`` documents of a run; only those with the status "proved" count. `families` has the family of
    each ruleset.
    """
    states: dict[tuple[str, str, str], dict[int, int]] = defaultdict(dict)
    for proof in proofs:
        family = families.get(proof["ruleset"], proof["ruleset"])
        parameters = match(read(family), read(proof["ruleset"])) or {}
        if proof["status"] != "proved" or len(parameters) != 1:
            continue
        ((name, value),) = parameters.items()
        for passes, number in enumerate(proof["states"]):
            left = f" with {passes_left(passes)}" if len(proof["states"]) > 1 else ""
            what = f"states of the automaton of {RELATIONS[proof['relation']]}{left}"
            if value >= 1:
                states[family, what, name][value] = number
    statements = []
    for (family, what, name), values in states.items():
        for law in laws(values, name) if len(values) >= FEWEST else []:
            fitted = f"{name} = {law.fitted[0]} to {law.fitted[-1]}"
            held_out = f"larger {name} = {law.held_out[0]} to {law.held_out[-1]}"
            statement = FoundStatement(
                search="states",
                ruleset=family,
                words=f"{what} = {law.formula}",
                found_on=Evidence(len(law.fitted), fitted, len(law.fitted)),
                held_on=Evidence(len(law.held_out), held_out, len(law.held_out)),
                tried=Tried(len(shapes(name)), LAWS_TRIED, len(values)),
                when=law.when,
                parameters={name: tuple(sorted((*law.fitted, *law.held_out)))},
                conclusion=Conclusion(
                    "unchecked", "right for all observed parameters; no table decides it"
                ),
            )
            statements.append(statement)
    return statements
