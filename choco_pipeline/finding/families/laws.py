"""Laws of numbers that depend on a parameter, by residue class: fitted on small parameters, tested on larger ones.

Of observed numbers they are statements: states of automata, preperiods, and other integers seen for each parameter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import gcd
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.finding.families.combinations import (
    CONSTANT,
    Combination,
    Term,
    determined,
    linear,
    log_down,
    log_up,
    product_of,
    two_part,
)
from choco_pipeline.finding.statements.statement import FoundStatement
from choco_pipeline.games.notation import match, read
from choco_pipeline.games.ruleset import passes_left
from choco_pipeline.mining.table_findings import Evidence, Tried

LAWS_TRIED = (
    "combinations of the parameter, its logarithm, the power of 2 in it, and products of the two"
)
RELATIONS = {"p": "the P-positions", "grundy": "the Grundy numbers"}
MODULI = (1, 2, 4, 8)
#: A law must hold for at least this many parameters that it was not fitted on.
FEWEST_HELD_OUT = 3
#: Fewest parameters for a law.
FEWEST = 3 + FEWEST_HELD_OUT
#: Most exceptions among the least parameters.
MOST_EXCEPTIONS = 2


def shapes(name: str) -> list[tuple[Term, ...]]:
    """Return the terms of laws in a parameter, in the order of the trials."""
    k, q = linear(name), two_part(name)
    return [
        (k, CONSTANT),
        (k, log_down(name), CONSTANT),
        (k, log_up(name), CONSTANT),
        (k, q, CONSTANT),
        (product_of(k, q), k, q, CONSTANT),
        (product_of(k, q), product_of(q, q), k, q, CONSTANT),
    ]


@dataclass(frozen=True)
class Law:
    """One formula for the parameters of one residue class; no proof, but it was right where it had not been fitted."""

    #: The parameter.
    name: str
    #: The class: parameters k with k ≡ `residue` (mod `modulus`).
    modulus: int
    residue: int
    #: The formula.
    combination: Combination
    #: The parameters that the coefficients follow from, more of them than coefficients.
    fitted: tuple[int, ...]
    #: Larger ones at which the law was then right: all that are known in this class.
    held_out: tuple[int, ...]
    #: Smaller ones in the class, for which the law does not hold.
    exceptions: tuple[int, ...] = ()

    def value(self, k: int) -> Fraction | None:
        """Return the value at `k`, at least 1."""
        return self.combination.value({self.name: k})

    def speaks_of(self, k: int) -> bool:
        """Whether `k` is in the class and no exception, nor smaller than one."""
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
    """Return the laws that `values` follow, at most one for each residue class, coarsest classes first.

    The least parameters of a class, half of them or as many as the coefficients need and one more, determine a law; all
    others must follow it, and at least `FEWEST_HELD_OUT` of them. Classes in which none does are split, up to the last
    of `MODULI`. There is a whole number in `values` for each value of the parameter, which is at least 1.

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
    """Return the first law that all members follow, but for few of the least; its class is the least that was seen."""
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
    """Return the laws of the numbers of states of proved automata, for families with one parameter.

    Proofs are those of a run's ``proved`` documents; only those with the status "proved" count. `families` has the family of each
    ruleset.
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
    return [
        law
        for (family, what, name), values in states.items()
        for law in law_statements(family, what, name, values)
    ]


def law_statements(
    ruleset: str, what: str, name: str, values: Mapping[int, int]
) -> list[FoundStatement]:
    """Return the laws of a number that was observed for each of a family's games; none where it follows none.

    In the family's notation `name` stands for an integer. The number is called `what`, such as ``states``, and `values` has it
    for each value of the name that is at least 1.

    Examples
    --------
    >>> family, states = "solid-bar(f=(x+z)//k)", {k: (k + 3) // 2 for k in range(3, 40, 4)}
    >>> [law.text for law in law_statements(family, "states", "k", states)]
    ['solid-bar(f=(x+z)//k), for k%4 == 3: states = (k+3)/2']
    """
    statements = []
    for law in laws(values, name) if len(values) >= FEWEST else []:
        fitted = f"{name} = {law.fitted[0]} to {law.fitted[-1]}"
        held_out = f"larger {name} = {law.held_out[0]} to {law.held_out[-1]}"
        statement = FoundStatement(
            search="states",
            ruleset=ruleset,
            words=f"{what} = {law.formula}",
            found_on=Evidence(len(law.fitted), fitted, len(law.fitted)),
            held_on=Evidence(len(law.held_out), held_out, len(law.held_out)),
            tried=Tried(len(shapes(name)), LAWS_TRIED, len(values)),
            when=law.when,
            parameters={name: tuple(sorted((*law.fitted, *law.held_out)))},
            conclusion=Conclusion(
                "unchecked", "right for all that were observed; no table decides it"
            ),
        )
        statements.append(statement)
    return statements
