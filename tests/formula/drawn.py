"""Formulas drawn as text together with what they mean, as plain Python functions that never saw our parser."""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st

#: No test has a time limit: the machine may be busy.
unhurried = settings(deadline=None)

NAMES = ("x", "y", "z")


class NoValueError(Exception):
    """The formula is not defined at this place."""


@dataclass(frozen=True)
class Drawn:
    """A formula's text and its meaning; the text has every parenthesis, so that precedence plays no part."""

    text: str
    meaning: Callable[[Mapping[str, int]], int | bool]

    def at(self, env: Mapping[str, int]) -> int | bool | None:
        """Return the value, or None where there is none."""
        try:
            return self.meaning(env)
        except (NoValueError, ZeroDivisionError):
            return None


def shift(sign: str, left: int, count: int) -> int:
    if count < 0:
        raise NoValueError
    return left * 2**count if sign == "<<" else left // 2**count


def power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise NoValueError
    return math.prod([base] * exponent)


def exponent_of_2(n: int) -> int:
    if n == 0:
        raise NoValueError
    return next(e for e in range(5000) if n % 2 ** (e + 1))


def digits_below(n: int) -> int:
    if n < 1:
        raise NoValueError
    return len(f"{n:b}") - 1


INTEGER_SIGNS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "^": operator.xor,
    "&": operator.and_,
    "|": operator.or_,
}
COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def binary(sign: str, left: Drawn, right: Drawn) -> Drawn:
    act = INTEGER_SIGNS[sign]
    return Drawn(
        f"({left.text}){sign}({right.text})", lambda env: act(left.meaning(env), right.meaning(env))
    )


def shifted(sign: str, left: Drawn, count: Drawn) -> Drawn:
    return Drawn(
        f"({left.text}) {sign} {count.text}",
        lambda env: shift(sign, left.meaning(env), count.meaning(env)),
    )


def powered(base: Drawn, exponent: Drawn) -> Drawn:
    return Drawn(
        f"({base.text})**{exponent.text}",
        lambda env: power(base.meaning(env), exponent.meaning(env)),
    )


def negated(inner: Drawn) -> Drawn:
    return Drawn(f"-({inner.text})", lambda env: -inner.meaning(env))


def extreme(function: str, first: Drawn, second: Drawn) -> Drawn:
    act = {"min": min, "max": max}[function]
    return Drawn(
        f"{function}({first.text}, {second.text})",
        lambda env: act(first.meaning(env), second.meaning(env)),
    )


def absolute(inner: Drawn) -> Drawn:
    return Drawn(f"abs({inner.text})", lambda env: abs(inner.meaning(env)))


def two_adic(inner: Drawn) -> Drawn:
    return Drawn(f"v2({inner.text})", lambda env: exponent_of_2(inner.meaning(env)))


def logarithm(inner: Drawn) -> Drawn:
    return Drawn(f"log2({inner.text})", lambda env: digits_below(inner.meaning(env)))


def chain(first: Drawn, rest: list[tuple[str, Drawn]]) -> Drawn:
    def meaning(env: Mapping[str, int]) -> bool:
        left = first.meaning(env)
        for sign, operand in rest:
            right = operand.meaning(env)
            if not COMPARISONS[sign](left, right):
                return False
            left = right
        return True

    return Drawn(
        f"({first.text})" + "".join(f" {sign} ({operand.text})" for sign, operand in rest), meaning
    )


def junction(word: str, parts: list[Drawn]) -> Drawn:
    act = {"and": all, "or": any}[word]
    return Drawn(
        f" {word} ".join(f"({part.text})" for part in parts),
        lambda env: act(p.meaning(env) for p in parts),
    )


def inverted(inner: Drawn) -> Drawn:
    return Drawn(f"not ({inner.text})", lambda env: not inner.meaning(env))


def name(letter: str) -> Drawn:
    return Drawn(letter, lambda env: env[letter])


def literal(value: int) -> Drawn:
    return Drawn(str(value), lambda _: value)


def integers_of(letters: tuple[str, ...], large: bool = False) -> st.SearchStrategy[Drawn]:
    """Draw integer formulas in these names."""
    constants = st.integers(-5, 9)
    if large:
        constants |= st.sampled_from([2**31, 2**62, 2**63 - 1, -(2**63)])
    leaves = constants.map(literal)
    if letters:
        leaves |= st.sampled_from(letters).map(name)
    counts = st.integers(0, 5).map(literal)
    if letters:
        counts |= st.sampled_from(letters).map(name)
    if not large:
        leaves |= st.builds(powered, leaves, counts | st.just(literal(-1)))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(binary, st.sampled_from(sorted(INTEGER_SIGNS)), inner, inner),
            st.builds(
                shifted,
                st.sampled_from(["<<", ">>"]),
                inner,
                counts if not large else st.just(literal(3)),
            ),
            st.builds(powered, inner, st.integers(0, 2).map(literal)),
            st.builds(negated, inner),
            st.builds(extreme, st.sampled_from(["min", "max"]), inner, inner),
            st.builds(absolute, inner),
            st.builds(two_adic, inner),
            st.builds(logarithm, inner),
        ),
        max_leaves=6,
    )


def truths_of(letters: tuple[str, ...], large: bool = False) -> st.SearchStrategy[Drawn]:
    """Draw conditions in these names."""
    integers = integers_of(letters, large)
    links = st.lists(
        st.tuples(st.sampled_from(sorted(COMPARISONS)), integers), min_size=1, max_size=3
    )
    return st.recursive(
        st.builds(chain, integers, links),
        lambda inner: st.one_of(
            st.builds(
                junction, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3)
            ),
            inner.map(inverted),
        ),
        max_leaves=4,
    )


def formulas_of(letters: tuple[str, ...] = NAMES, large: bool = False) -> st.SearchStrategy[Drawn]:
    """Draw integer formulas and conditions."""
    return integers_of(letters, large) | truths_of(letters, large)
