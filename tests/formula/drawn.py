"""Formulas drawn as text together with what they mean, as plain Python functions that never saw our parser."""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product

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


def made(form: str, act: Callable[..., int | bool], *parts: Drawn) -> Drawn:
    """Return a function of parts; the form has a place for the text of each."""
    text = form.format(*(part.text for part in parts))
    return Drawn(text, lambda env: act(*(part.meaning(env) for part in parts)))


def binary(sign: str, left: Drawn, right: Drawn) -> Drawn:
    return made(f"({{}}){sign}({{}})", INTEGER_SIGNS[sign], left, right)


def shifted(sign: str, left: Drawn, count: Drawn) -> Drawn:
    return made(f"({{}}) {sign} {{}}", partial(shift, sign), left, count)


powered = partial(made, "({})**{}", power)
negated = partial(made, "-({})", operator.neg)
absolute = partial(made, "abs({})", abs)
two_adic = partial(made, "v2({})", exponent_of_2)
logarithm = partial(made, "log2({})", digits_below)
inverted = partial(made, "not ({})", operator.not_)
extremes = [partial(made, f"{name}({{}}, {{}})", act) for name, act in (("min", min), ("max", max))]


def chain(first: Drawn, rest: list[tuple[str, Drawn]]) -> Drawn:
    def meaning(env: Mapping[str, int]) -> bool:
        left = first.meaning(env)
        for sign, operand in rest:
            right = operand.meaning(env)
            if not COMPARISONS[sign](left, right):
                return False
            left = right
        return True

    others = "".join(f" {sign} ({operand.text})" for sign, operand in rest)
    return Drawn(f"({first.text}){others}", meaning)


def junction(word: str, parts: list[Drawn]) -> Drawn:
    act = {"and": all, "or": any}[word]
    text = f" {word} ".join(f"({part.text})" for part in parts)
    return Drawn(text, lambda env: act(p.meaning(env) for p in parts))


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
    by = st.just(literal(3)) if large else counts
    if not large:
        leaves |= st.builds(powered, leaves, counts | st.just(literal(-1)))
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(binary, st.sampled_from(sorted(INTEGER_SIGNS)), inner, inner),
            st.builds(shifted, st.sampled_from(["<<", ">>"]), inner, by),
            st.builds(powered, inner, st.integers(0, 2).map(literal)),
            st.builds(negated, inner),
            *(st.builds(extreme, inner, inner) for extreme in extremes),
            st.builds(absolute, inner),
            st.builds(two_adic, inner),
            st.builds(logarithm, inner),
        ),
        max_leaves=6,
    )


def truths_of(letters: tuple[str, ...], large: bool = False) -> st.SearchStrategy[Drawn]:
    """Draw conditions in these names."""
    integers = integers_of(letters, large)
    link = st.tuples(st.sampled_from(sorted(COMPARISONS)), integers)
    comparisons = st.builds(chain, integers, st.lists(link, min_size=1, max_size=3))
    words = st.sampled_from(["and", "or"])

    def larger(inner: st.SearchStrategy[Drawn]) -> st.SearchStrategy[Drawn]:
        several = st.lists(inner, min_size=2, max_size=3)
        return st.builds(junction, words, several) | inner.map(inverted)

    return st.recursive(comparisons, larger, max_leaves=4)


def formulas_of(letters: tuple[str, ...] = NAMES, large: bool = False) -> st.SearchStrategy[Drawn]:
    """Draw integer formulas and conditions."""
    return integers_of(letters, large) | truths_of(letters, large)


#: All places with small coordinates.
LOW, HIGH = -3, 5
PLACES = [dict(zip(NAMES, place, strict=True)) for place in product(range(LOW, HIGH + 1), repeat=3)]
