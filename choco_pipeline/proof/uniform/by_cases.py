"""Proofs of formulas by cases: obligations, options and lemmas.

The coordinates of a position and of an option, and the value of the formula, are named integers. A part of a move is the move with a
set of clipped coordinates. Inequalities determine the value of the formula (`RemainderChoice`). A formula for P-positions has no
values: each position where it is false must have an option where it is true. Quotients that are compared or multiplied become further
coordinates of each place.

Idea: find options with a given smaller value h.

1. Such an option satisfies inequalities that are linear in the changed coordinates. Take one of them as an equation.
2. If the changed coordinates occur in it as C·u, for an integer combination u, then u is a quotient by C. Unless C is 1, name it.
3. Solve for one coordinate, substitute, and continue until no unknown is left. A further coordinate of the option is guessed: it is
   that of the position, or one less. All choices of inequalities give the candidates, which are too many.
4. Choose few candidates that suffice for small members, with numbers for parameters and positions.

The choice is a guess: solvers must prove that one of the chosen options always has the smaller value.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from itertools import chain, combinations, islice
from itertools import product as product_of
from math import gcd

import numpy as np
import numpy.typing as npt

from choco_pipeline.formula import parse
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.proof.clock import Clock, answer_within
from choco_pipeline.proof.proof_errors import FamilyError, UndecidedError
from choco_pipeline.proof.trial import small_values
from choco_pipeline.proof.uniform.affine import (
    ZERO,
    Affine,
    Place,
    divided_by,
    factors_of,
    number,
    variable,
)
from choco_pipeline.proof.uniform.family import Family, FamilyCase
from choco_pipeline.proof.uniform.forms import AMOUNT, VALUE, AffineQuotient
from choco_pipeline.proof.uniform.product_lemmas import (
    Products,
    TrueCounterexampleError,
    lemmas_for,
    needed_lemmas,
)
from choco_pipeline.proof.uniform.sentences import (
    LEAST_SECONDS,
    all_of,
    any_of,
    at_least_0,
    by_cvc5,
    leaves_remainder,
    negation,
    sign_of,
    text,
)

#: The name of a smaller value that some option must have. No parameter can have this name.
TARGET = "target()"

#: The coordinates that a part of a move changes: the lowered one, then the clipped ones.
MovePart = tuple[str, ...]
#: A candidate for an option with the value `TARGET`: sums for the coordinates of a `MovePart`.
Changes = Mapping[str, Affine]


#: Quotients by name, with divisors that are at least 1 where they are used.
NamedQuotients = Mapping[str, AffineQuotient]


def option_names(part: MovePart) -> Changes:
    """Return names for the coordinates that a part of a move changes."""
    return {x: Affine.of(f"option({x})") for x in part}


@dataclass(frozen=True)
class CaseObligations:
    """The obligations of a formula by cases, in one case of a family.

    Raises `FamilyError` if a height depends on a coordinate with a height, or if products of several parameters are needed.
    """

    family: Family
    case: FamilyCase

    def __post_init__(self) -> None:
        heights = self.case.heights
        if any(height.only.split[0].keys() & heights.keys() for height in heights.values()):
            raise FamilyError("a height that depends on a limited coordinate")

    @property
    def is_value(self) -> bool:
        """Whether the formula is for Grundy numbers."""
        return self.family.kind == "grundy"

    def whole(self, place: Place, kind: str) -> Place:
        """Add names for the further coordinates to a place."""
        return {**place, **{name: Affine.of(f"{kind}({name})") for name in self.case.floors}}

    def floor_sums(self, place: Place) -> list[Affine]:
        """Return sums that are natural exactly if the further coordinates are correct."""
        sums = []
        for name, quotient in self.case.floors.items():
            rest = quotient.room(place, place[name])
            sums += [rest, quotient.divisor - 1 - rest]
        return sums

    def room(self, place: Place, y: str) -> Affine:
        """Return a sum that is natural exactly if y is at most its height."""
        return self.case.heights[y].only.room(place, place[y])

    def position_sums(self, place: Place) -> tuple[Affine, ...]:
        """Return sums that are natural if and only if the place is a position."""
        rooms = (self.room(place, y) for y in self.case.heights)
        return (*(place[x] for x in self.family.coordinates), *rooms)

    def option_sums(
        self, place: Place, option: Place, changed: Sequence[str]
    ) -> tuple[Affine, ...]:
        """Return sums that are natural exactly if a move leads to `option`.

        The move lowers the first of the `changed` coordinates and clips the others to their heights.
        """
        sums = [option[x] for x in changed]
        sums += [place[x] - option[x] - 1 for x in changed]
        others = next(falling for x, falling, _ in self.family.description.moves if x == changed[0])
        for y in others:
            room = self.room(option, y)
            sums.append(room)
            if y in changed:
                sums.append(self.case.heights[y].only.divisor - 1 - room)
        return tuple(sums)

    def allowed(self, place: Place, option: Place, lowered: str) -> list[tuple[Affine, ...]]:
        """Return alternatives for a legal amount: in one of them, all sums are natural."""
        amount = {AMOUNT: place[lowered] - option[lowered]}
        ways = self.case.amounts.get(lowered, ((),))
        return [tuple(s.at(place).substitute(amount) for s in sums) for sums in ways]

    @cached_property
    def parts(self) -> tuple[MovePart, ...]:
        """All parts of moves."""
        return tuple(
            (lowered, *fallen)
            for lowered, others, clips in self.family.description.moves
            for size in range(len(others) + 1 if clips else 1)
            for fallen in combinations(others, size)
        )

    @cached_property
    def position(self) -> Place:
        """A position whose coordinates are names."""
        return self.whole({x: Affine.of(variable(x)) for x in self.family.coordinates}, "position")

    def has_value(self, place: Place, value: Affine) -> str:
        """Sentence: the formula has this value, or for P-positions is true, at a place."""
        return any_of(
            all_of([*(leaves_remainder(*r) for r in choice.at(place)), all_of(map(at_least_0, sums))])
            for choice in self.case.choices
            for sums in choice.equal(place, value)
        )  # fmt: skip

    def has_option(self, option: Place, part: MovePart, value: Affine) -> list[str]:
        """Sentences: the part of a move leads to `option`, which has this value."""
        sums = self.option_sums(self.position, option, part)
        ways = self.allowed(self.position, option, part[0])
        amount = any_of(all_of(map(at_least_0, way)) for way in ways)
        return [*map(at_least_0, sums), amount, self.has_value(option, value)]

    def bodies(self) -> Iterator[tuple[str, str]]:
        """Yield all obligations except ``option``: names and unsatisfiable sentences."""
        value = Affine.of(VALUE)
        known = [*self._known, self.has_value(self.position, value)]
        if self.is_value:
            yield "value", all_of([*known, at_least_0(-value - 1)])
        for part in self.parts:
            option = self.whole({**self.position, **option_names(part)}, "option")
            same = self.has_option(option, part, value)
            floors = map(at_least_0, self.floor_sums(option))
            yield "-".join(["exclusion", *part]), all_of([*known, *floors, *same])

    @cached_property
    def _known(self) -> list[str]:
        """Sentences: the names are a position."""
        sums = self.position_sums(self.position)
        return [*map(at_least_0, [*sums, *self.floor_sums(self.position)])]

    def option_body(self, options: Sequence[Changes], quotients: NamedQuotients) -> str:
        """Return the obligation ``option``, which must be unsatisfiable.

        It states that none of `options` has the value `TARGET`, or is a P-position.
        """
        value, target = Affine.of(VALUE), Affine.of(TARGET)
        related = self.has_value(self.position, value)
        sentences = [*self._known, related if self.is_value else negation(related)]
        if self.is_value:
            sentences += [at_least_0(target), at_least_0(value - target - 1)]
        for name, quotient in quotients.items():
            rest = quotient.room({}, Affine.of(name))
            inside = [at_least_0(rest), at_least_0(quotient.divisor - 1 - rest)]
            sentences.append(any_of([at_least_0(-quotient.divisor), all_of(inside)]))
        for place, changes in enumerate(options, start=1):
            option = self.whole({**self.position, **changes}, f"option{place}")
            sentences += map(at_least_0, self.floor_sums(option))
            sentences.append(negation(all_of(self.has_option(option, tuple(changes), target))))
        return all_of(sentences)

    @cached_property
    def factors(self) -> tuple[str, ...]:
        """The parameters that occur in products with other names."""
        place, value = self.position, Affine.of(VALUE)
        ways = [way for choice in self.case.choices for way in choice.equal(place, value)]
        for part in self.parts:
            ways += self.allowed(place, option_names(part), part[0])
        sums = [*self.position_sums(place), *self.floor_sums(place), *chain(*ways)]
        products = {factors_of(n) for s in sums for n, _ in s.terms if len(factors_of(n)) > 1}
        parameters = [{*factors} & {*self.case.names} for factors in products]
        if any(len(p) != 1 or len(f) != 2 for p, f in zip(parameters, products, strict=True)):
            raise FamilyError("products of several parameters with a coordinate or a quotient")
        return tuple(sorted(set().union(*parameters)))


#: Limit in seconds for selecting the lemmas that z3 needs, and for testing with cvc5 that they suffice. The test usually takes one
#: second, but may never end with too few lemmas.
FEWEST_SECONDS = 5.0


@dataclass(frozen=True)
class CaseFormulaProof:
    """Hints that prove a formula by cases in one case of a family."""

    #: The parameters that occur in products with other names.
    factors: tuple[str, ...]
    #: Options, one of which always has the smaller value, and the named quotients in them.
    quotients: NamedQuotients
    options: tuple[Changes, ...]
    #: For each obligation, the sums whose lemmas on products prove it.
    lemmas: Mapping[str, tuple[Affine, ...]]


def prove_by_cases(
    family: Family, case: FamilyCase, earlier: Sequence[CaseFormulaProof], clock: Clock
) -> CaseFormulaProof:
    """Search for hints; the lemmas of `earlier` cases are tried first.

    Raises
    ------
    FamilyError
        If the obligations are not supported for this case.
    UndecidedError
        If no hints are found.
    """
    game = CaseObligations(family, case)
    bodies = dict(game.bodies())
    known = dict.fromkeys(chain(*(sums for proof in earlier for sums in proof.lemmas.values())))
    lemmas = {name: _lemmas(game, name, body, known, clock) for name, body in bodies.items()}
    quotients = _Quotients(case.conditions)
    options, named = _chosen_options(
        game, _derived_options(game, quotients, clock), quotients, clock
    )
    body = game.option_body(options, named)
    lemmas["option"] = _lemmas(game, "option", body, known, clock)
    return CaseFormulaProof(game.factors, named, tuple(options), lemmas)


def _lemmas(
    game: CaseObligations, name: str, body: str, known: dict[Affine, None], clock: Clock
) -> tuple[Affine, ...]:
    """Return lemmas that prove an obligation, and add them to `known`.

    Lemmas that z3 does not need are removed if cvc5 does not need them either.
    """
    products = Products.of(game.factors, body)

    def written(lemmas: tuple[Affine, ...]) -> str:
        sentence = all_of([products.always(), body, *map(products.lemma, lemmas)])
        return text(game.case.conditions, sentence, names=game.case.names)

    try:
        used = lemmas_for(written(()), products, known, clock)
        lemmas = needed_lemmas(written(()), products, used, Clock(min(FEWEST_SECONDS, clock.left)))
        known |= dict.fromkeys(lemmas)
    except TrueCounterexampleError as error:
        values = assigned({n: v for n, v in error.values.items() if len(factors_of(n)) == 1})
        raise UndecidedError(f"{name} fails at {values}") from None
    except UndecidedError as error:
        raise UndecidedError(f"{name}: {error}") from None
    limit = Clock(min(FEWEST_SECONDS, clock.left))
    ask = partial(by_cvc5, written(lemmas))
    is_enough = answer_within(limit, ask, "unknown", LEAST_SECONDS) == "unsat"
    return lemmas if is_enough else used


@dataclass
class _Quotients:
    """Named quotients; quotients that differ by a sum share a name."""

    #: The conditions of the case: sums that are natural.
    conditions: Sequence[Affine]
    named: dict[str, AffineQuotient] = field(default_factory=dict)

    def divided(self, dividend: Affine, divisor: Affine) -> Affine | None:
        """Return ⌊dividend/divisor⌋ as a sum; None unless the divisor is natural."""
        if divisor.is_constant and divisor.constant == 1:
            return dividend
        if not sign_of(divisor, self.conditions) or sign_of(-divisor, self.conditions):
            return None
        # ⌊a/d⌋ = -⌊(d-1-a)/d⌋. Prefer the form that has a name already, then the one with fewer minus signs.
        ways = []
        for sign, total in ((1, dividend), (-1, divisor - 1 - dividend)):
            whole = _whole(total, divisor)
            ways.append((sign, whole, AffineQuotient(total - whole * divisor, divisor)))
        known = {quotient: name for name, quotient in self.named.items()}
        sign, whole, quotient = max(
            ways, key=lambda w: (w[2] in known, sum(c for _, c in w[2].dividend.terms))
        )
        name = known.get(quotient, f"number({len(self.named) + 1})")
        self.named[name] = quotient
        return (whole + Affine.of(name)) * sign


def _whole(dividend: Affine, divisor: Affine) -> Affine:
    """Return an approximate quotient; its remainder has no products or large numbers."""
    if divisor.is_constant:
        return dividend // divisor.constant
    whole = number(0)
    (name, size), *others = divisor.terms
    for term, c in dividend.terms:
        rest = divided_by(term, name)
        if rest is not None and not others:
            whole += rest * (c // size)
    return whole


def _derived_options(game: CaseObligations, quotients: _Quotients, clock: Clock) -> list[Changes]:
    """Return all candidates for an option with the value `TARGET`."""
    options: dict[tuple[object, ...], Changes] = {}
    for part in game.parts:
        names = option_names(part)
        unknown = {f"option({x})" for x in part}
        for less in product_of((0, 1), repeat=len(game.case.floors)):
            floors = {n: game.position[n] - m for n, m in zip(game.case.floors, less, strict=True)}
            option = {**game.position, **names, **floors}
            rules = game.option_sums(game.position, option, part)
            ways = game.allowed(game.position, option, part[0])
            stated = [s for c in game.case.choices for s in c.equal(option, Affine.of(TARGET))]
            for way, sums in product_of(ways, stated):
                for values in _solutions((*sums, *way, *rules), unknown, {}, quotients):
                    clock.require()
                    changes = {x: name.substitute(values) for x, name in names.items()}
                    options.setdefault(tuple(changes.items()), changes)
    return list(options.values())


def _solutions(
    sums: Sequence[Affine],
    unknown: set[str],
    values: Mapping[str, Affine],
    quotients: _Quotients,
) -> Iterator[Mapping[str, Affine]]:
    """Yield sums for all unknowns; each solves an inequality taken as an equation."""
    if not unknown:
        yield values
        return
    for total in sums:
        solved = _bound(total, unknown, quotients)
        if solved is None:
            continue
        name, value = solved
        solution = {name: value}
        rest = [s.substitute(solution) for s in sums if s is not total]
        after = {n: v.substitute(solution) for n, v in values.items()} | solution
        yield from _solutions(rest, unknown - {name}, after, quotients)


def _bound(total: Affine, unknown: set[str], quotients: _Quotients) -> tuple[str, Affine] | None:
    """Solve for an unknown at which the sum is barely natural; None if impossible."""
    multiples = {name: total.multiple_of(name) for name in sorted(unknown & total.names)}
    if not multiples:
        return None
    rest = total.substitute(dict.fromkeys(multiples, ZERO))
    first = next(iter(multiples.values()))
    size = gcd(*(c for a in multiples.values() for c in (*dict(a.terms).values(), a.constant)))
    common = first // gcd(*(c for _, c in first.terms), first.constant) * size
    whole = ((name, _ratio(a, common)) for name, a in multiples.items())
    ratios = {name: ratio for name, ratio in whole if ratio is not None}
    if len(ratios) < len(multiples):
        return None
    # common·u + rest ≥ 0, where u is the sum of the names with these ratios.
    sign = -1 if sign_of(-common, quotients.conditions) else 1
    bound = quotients.divided(rest, common * sign)
    solved = next((n for n, ratio in ratios.items() if ratio in (1, -1)), None)
    if bound is None or solved is None:
        return None
    bound *= -sign
    for other, ratio in ratios.items():
        if other != solved:
            bound -= Affine.of(other) * ratio
    return solved, bound * ratios[solved]


def _ratio(total: Affine, by: Affine) -> int | None:
    """Return the integer n with ``total == by * n``; None if there is none."""
    place = next((name for name, _ in by.terms), None)
    whole, part = (dict(t.terms).get(place, 0) if place else t.constant for t in (total, by))
    return whole // part if whole % part == 0 and total == by * (whole // part) else None


#: For the choice of options: number of members with small parameters, bound of their positions, and samples of each member.
MEMBERS, BOUND, DRAWN = 9, 26, 1500

Integers = npt.NDArray[np.int64]


def _chosen_options(
    game: CaseObligations, options: Sequence[Changes], quotients: _Quotients, clock: Clock
) -> tuple[list[Changes], NamedQuotients]:
    """Return few options that suffice for small members, and the quotients in them.

    Raises `UndecidedError` if all options together do not suffice.
    """
    members = islice(small_values(game.case.names, game.case.holds), MEMBERS)
    columns = [_works(game, options, quotients, values, clock) for values in members]
    if not columns:
        raise UndecidedError("no small parameters are in the case")
    works = np.concatenate(columns, axis=1)
    if not works.any(axis=0).all():
        raise UndecidedError("no candidate option has some smaller value")
    names = [_names(option, quotients) for option in options]
    left = np.ones(works.shape[1], dtype=bool)
    chosen: list[int] = []
    known: set[str] = set()
    while left.any():
        gains = works[:, left].sum(axis=1)
        # New quotients count against an option, because their products need lemmas.
        worth = [g / (1 + 2 * len(n - known)) for g, n in zip(gains, names, strict=True)]
        best = int(np.argmax(worth))
        chosen.append(best)
        known |= names[best]
        left &= ~works[best]
    for option in list(chosen):
        others = [other for other in chosen if other != option]
        if works[others].any(axis=0).all():
            chosen = others
    needed = set().union(*(names[i] for i in chosen))
    kept = {name: q for name, q in quotients.named.items() if name in needed}
    new = {name: Affine.of(f"number({place})") for place, name in enumerate(kept, start=1)}
    renamed = {str(new[name]): quotient.substitute(new) for name, quotient in kept.items()}
    return [{x: s.substitute(new) for x, s in options[i].items()} for i in chosen], renamed


def _names(changes: Changes, quotients: _Quotients) -> set[str]:
    """Return the names of the quotients in an option, including nested ones."""
    names = {name for total in changes.values() for name in total.names}
    for name, quotient in reversed(quotients.named.items()):
        if name in names:
            names |= quotient.dividend.names
    return names & quotients.named.keys()


def _works(
    game: CaseObligations,
    options: Sequence[Changes],
    quotients: _Quotients,
    member: Mapping[str, int],
    clock: Clock,
) -> npt.NDArray[np.bool_]:
    """Return a mask [option, sample]: the option has the smaller value of the sample."""
    values = {name: np.asarray(value, dtype=np.int64) for name, value in member.items()}
    names = game.family.coordinates
    shape = (BOUND + 1,) * len(names)
    grid = np.indices(shape, dtype=np.int64).reshape(len(shape), -1)
    values |= {variable(x): line for x, line in zip(names, grid, strict=True)}
    rules = game.position_sums(game.position)
    grid = grid[:, np.all([s.value(values) >= 0 for s in rules], axis=0)]
    # For P-positions, 1 at other positions.
    value = _formula(game, member, dict(zip(names, grid, strict=True)))
    place = np.repeat(np.arange(grid.shape[1], dtype=np.int64), np.maximum(value, 0))
    target = np.arange(len(place), dtype=np.int64) - np.searchsorted(place, place)
    taken = np.array(sorted(random.Random(0).sample(range(len(place)), min(DRAWN, len(place)))), dtype=np.int64)  # fmt: skip
    place, target = place[taken], target[taken]
    values |= {variable(x): line[place] for x, line in zip(names, grid, strict=True)}
    values[TARGET] = target
    for name, floor in game.case.floors.items():
        values[variable(name)] = floor.dividend.value(values) // floor.divisor.value(values)
    for name, q in quotients.named.items():
        values[name] = q.dividend.value(values) // np.maximum(q.divisor.value(values), 1)
    works = np.zeros((len(options), len(place)), dtype=bool)
    for row, changes in enumerate(options):
        clock.require()
        after = {**game.position, **changes}
        at = {x: np.broadcast_to(after[x].value(values), place.shape) for x in names}
        works[row] = _formula(game, member, at) == target
        for rule in game.option_sums(game.position, after, tuple(changes)):
            works[row] &= rule.value(values) >= 0
        ways = game.allowed(game.position, after, next(iter(changes)))
        allowed = [reduce(np.logical_and, [s.value(values) >= 0 for s in w], True) for w in ways]
        works[row] &= reduce(np.logical_or, allowed)
    return works


def _formula(
    game: CaseObligations, member: Mapping[str, int], at: Mapping[str, Integers]
) -> Integers:
    """Return the formula's Grundy numbers; for P-positions, 0 if true, otherwise 1."""
    parameters = {n: total.value(member) for n, total in game.case.parameters.items()}
    formula = parse(game.family.without_passes)
    given: dict[str, npt.ArrayLike] = {**parameters, **at}
    shape = next(iter(at.values())).shape
    values = np.asarray(formula.evaluate({n: given[n] for n in formula.names}), dtype=np.int64)
    return np.broadcast_to(values if game.is_value else 1 - values, shape)
