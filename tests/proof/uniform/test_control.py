"""The control and the strategies against the definition of the games, position by position."""

from itertools import product

import pytest

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.uniform.affine import EXPONENTIAL
from choco_pipeline.proof.uniform.control import (
    CONSTANT,
    TARGET,
    option,
)
from choco_pipeline.proof.uniform.family import Family
from choco_pipeline.proof.uniform.family_prover import obligations, prove_obligation

SUM = "solid-bar(f=(x+z)//k)"
MORE = "solid-bar(f=(x+z+c)//k)"
STEP = "step-bar(k=k, s=s)"
POWERS, BESIDE = "step-bar(k=k, s=u*2**t)", "strip-bar(k=k, s=u*2**t)"
SHIFT = "(c+1)//2 - 1 + k%4//2"

ODD, EVEN = "k % 2 == 1 and c <= k + 1", "k % 2 == 0 and s < k"
FEW, SHIFTED = "k % 2 == 0 and u < k", "(y ^ (z+u*2**t)) - u*2**t"
P, G = "p-positions", "grundy"
NIM = "x ^ y ^ z == 0"
MORE_P = f"(x+{SHIFT}) ^ y ^ (z+{SHIFT}) == 0"

PROVED = [
    (SUM, "k % 4 == 1", "(x-1) ^ y ^ (z-1) == 0", P, {"k": 5}),
    (SUM, "k % 4 == 3", NIM, P, {"k": 3}),
    (STEP, EVEN, "(y ^ (z+s)) - s", G, {"k": 4, "s": 3}),
    (STEP, EVEN, "(y ^ (z+s)) - s", G, {"k": 2, "s": 0}),
    ("strip-bar(k=k, s=s)", EVEN, "(x+s) ^ y ^ (z+s) == 0", P, {"k": 2, "s": 1}),
    (MORE, ODD, MORE_P, P, {"c": 4, "k": 3}),
    (MORE, ODD, MORE_P, P, {"c": 0, "k": 5}),
    ("solid-bar(f=max(x, z)//k)", "k % 2 == 0", NIM, P, {"k": 2}),
    ("solid-bar(f=min(x, z)//k)", "k % 2 == 0", NIM, P, {"k": 2}),
    *((POWERS, FEW, SHIFTED, G, {"k": 4, "t": t, "u": u}) for t, u in ((0, 3), (1, 3), (2, 1))),
]
# Whether a relation is right does not matter for what the control accepts.
WRONG = [
    (SUM, "k % 4 == 1", NIM, P, {"k": 5}),
    (SUM, "k >= 1", "(x-2) ^ y ^ (z-1) == 0", P, {"k": 2}),
    (SUM, "k >= 1", "(x+1) ^ y ^ (z-1) == 2", P, {"k": 3}),
    (SUM, "k >= 1", "x ^ z == 1", P, {"k": 2}),
    (STEP, "k >= 1", "(y ^ (z-1)) + 1", G, {"k": 3, "s": 1}),
    ("solid-bar(f=(2*x+z+1)//k)", "k >= 1", "x ^ y ^ (z+1) == 1", P, {"k": 2}),
    ("solid-bar(f=x//k + z)", "k >= 1", NIM, P, {"k": 2}),
    ("solid-bar(f=max(x, 2*z)//k)", "k >= 1", "x ^ z == 1", P, {"k": 2}),
    ("solid-bar(f=min(x+2, z)//k+1)", "k >= 1", "x ^ z == 1", P, {"k": 2}),
    (POWERS, "k >= 1", "(y ^ (z+u)) - 2**t", G, {"k": 3, "t": 2, "u": 2}),
    (BESIDE, "k >= 1", "x ^ (y-2**t) ^ z == 2**t - 3*u", P, {"k": 3, "t": 2, "u": 2}),
    (BESIDE, "k >= 1", "x ^ (y-2**t) ^ (z+1) == 0 - 2**t", P, {"k": 2, "t": 2, "u": 1}),
    (BESIDE, "k >= 1", "x ^ (y-2**t) ^ (z-2**t) == u", P, {"k": 3, "t": 1, "u": 2}),
    (BESIDE, "k >= 1", "(x+1) ^ (z-2**(t+1)) == 1 - 2**t", P, {"k": 2, "t": 1, "u": 2}),
]
SIDE = 4
DIGITS = 5


def family_case(ruleset, condition, relation, kind, values):
    """Return the family, the case that holds the member, and the values of the case's own parameters."""
    family = Family.read(ruleset, condition, relation, kind)
    for case in family.cases():
        for own in product(range(8), repeat=len(case.names)):
            inner = dict(zip(case.names, own, strict=True))
            is_member = {n: a.value(inner) for n, a in case.parameters.items()} == values
            if is_member and all(c.value(inner) >= 0 for c in case.conditions):
                powers = {EXPONENTIAL: 2 ** values[family.exponent]} if family.exponent else {}
                return family, case, inner | powers
    raise AssertionError("no case holds the member")


def digits_of(number):
    """Return the sign digit and the digits of an integer, in two's complement."""
    return [number < 0, *(number >> i & 1 for i in reversed(range(DIGITS)))]


class Run:
    """A word being read by an obligation, with counters as integers."""

    def __init__(self, obligation, inner, memo):
        self.obligation, self.inner, self.memo = obligation, inner, memo
        self.here, self.counters = obligation.start, {}

    def steps(self):
        """Return the steps from here, by their digits."""
        if self.here not in self.memo:
            steps = enumerate(self.obligation.steps(self.here))
            self.memo[self.here] = {tuple(sorted(s.digits.items())): (n, s) for n, s in steps}
        return self.memo[self.here]

    def move(self, digits, there):
        """Go on with the digits of all tracks."""
        key = (self.here, tuple(sorted(digits.items())), there)
        if key not in self.memo:
            self.memo[key] = self.obligation.updates(self.here, digits, there)
        updates = self.memo[key]
        known = {**self.inner, **self.counters}
        self.counters = {name: total.value(known) for name, total in updates.items()}
        self.here = there

    def switch(self, left):
        """Begin with the last t digits if this number of digits is left."""
        family, case = self.obligation.family, self.obligation.case
        if family.exponent and case.parameters[family.exponent].value(self.inner) == left:
            _, step = self.steps()[()]
            ((_, there),) = step.answers
            self.move({}, there)

    def breaks_the_goal(self):
        """Whether the word, if it ended here, would break the goal."""
        goal, known = self.obligation.goal(self.here), {**self.inner, **self.counters}

        def holds(clauses):
            return all(any(p.value(known) >= 0 for p in clause) for clause in clauses)

        return holds(goal.hypotheses) and not holds(goal.conclusions)

    def is_given_up(self):
        """Whether the hypotheses are said never to hold again."""
        known = {**self.inner, **self.counters}
        conjunctions = self.obligation.never_again(self.here)
        return any(all(p.value(known) >= 0 for p in one) for one in conjunctions)


def tracks(case, inner, position):
    return {name: value + case.shift(name).value(inner) for name, value in position.items()}


@pytest.mark.parametrize(("ruleset", "condition", "relation", "kind", "values"), PROVED + WRONG)
def test_exclusion_breaks_its_goal_exactly_at_moves_between_what_must_not_be_joined(
    ruleset, condition, relation, kind, values
):
    """A word is read by the control if and only if it is a position and something that a move might lead to."""
    family, case, inner = family_case(ruleset, condition, relation, kind, values)
    game, said = family.description.member(values), parse(relation)
    names = game.coordinates
    bad = set()
    for q in product(range(SIDE), repeat=len(names)):
        if not game.is_position(q):
            continue
        here = said.value({**values, **dict(zip(names, q, strict=True))})
        for o in game.options(q):
            there = said.value({**values, **dict(zip(names, o, strict=True))})
            if here == there and (kind == "grundy" or here):
                bad.add((q, o))
    found = set()
    for obligation in obligations(family, case):
        if obligation.kind != "exclusion":
            continue
        changed, memo = [n for n, _ in obligation.start.orders], {}
        for q in product(range(-1, SIDE), repeat=len(names)):
            position = dict(zip(names, q, strict=True))
            for new in product(range(-1, SIDE), repeat=len(changed)):
                after = {**position, **dict(zip(changed, new, strict=True))}
                if pair_breaks(Run(obligation, inner, memo), case, position, after, changed):
                    found.add((q, tuple(after.values())))
    assert found == bad
    assert bool(bad) == ((ruleset, condition, relation, kind, values) in WRONG)


def pair_breaks(run, case, position, after, changed):
    obligation, inner = run.obligation, run.inner
    old, new = tracks(case, inner, position), tracks(case, inner, after)
    numbers = {**old, **{option(n): new[n] for n in changed}}
    if CONSTANT in obligation.position:
        numbers[CONSTANT] = case.constant.value(inner)
    words = {track: digits_of(number) for track, number in numbers.items()}
    for i in range(DIGITS + 1):
        digits = {track: int(word[i]) for track, word in words.items()}
        _, step = run.steps().get(tuple(sorted(digits.items())), (0, None))
        if step is None:
            return False
        run.move(digits, step.answers[0][1])
        run.switch(DIGITS - i)
    return run.breaks_the_goal()


@pytest.mark.full
@pytest.mark.parametrize(("ruleset", "condition", "relation", "kind", "values"), PROVED)
def test_the_strategy_moves_to_an_option_of_the_game(ruleset, condition, relation, kind, values):
    family, case, inner = family_case(ruleset, condition, relation, kind, values)
    game, said = family.description.member(values), parse(relation)
    names = game.coordinates
    (obligation,) = (o for o in obligations(family, case) if o.kind == "option")
    proof, memo = prove_obligation(obligation, Clock(60)), {}
    for q in product(range(3 * SIDE), repeat=len(names)):
        if not game.is_position(q):
            continue
        value = said.value({**values, **dict(zip(names, q, strict=True))})
        for wanted in range(value) if kind == "grundy" else [0] * (not value):
            o = answered(
                Run(proof.obligation, inner, memo), proof, dict(zip(names, q, strict=True)), wanted
            )
            assert o in set(game.options(q))
            there = said.value({**values, **dict(zip(names, o, strict=True))})
            assert there == (wanted if kind == "grundy" else True)


def answered(run, proof, position, wanted):
    """Return the option that the strategy writes, digit by digit, for a position and a value that is wanted."""
    obligation, case, inner = proof.obligation, proof.obligation.case, run.inner
    numbers = tracks(case, inner, position)
    if TARGET in obligation.position:
        numbers[TARGET] = wanted + case.offset.value(inner)
    words = {track: digits_of(number) for track, number in numbers.items()}
    written = dict.fromkeys(position, 0)
    for i in range(DIGITS + 1):
        digits = {track: int(word[i]) for track, word in words.items()}
        number, step = run.steps()[tuple(sorted(digits.items()))]
        known = {**inner, **run.counters}
        bits = tuple(p.value(known) >= 0 for p in proof.predicates[run.here])
        answer, there = step.answers[proof.strategy[run.here, bits][number]]
        run.move({**digits, **answer}, there)
        run.switch(DIGITS - i)
        assert not run.is_given_up()
        for name in position:
            digit = answer.get(option(name), digits[name])
            written[name] = -digit if i == 0 else 2 * written[name] + digit
    return tuple(written[name] - case.shift(name).value(inner) for name in position)


@pytest.mark.parametrize(
    ("condition", "ruleset"),
    [
        ("k % 4 == 1", SUM),
        ("k % 2 == 1 and c <= k + 1", MORE),
        ("k % 2 == 0 and s < k", STEP),
        ("not (k % 3 == 0 or s >= k//2)", STEP),
        ("k != s and 2 <= s + k <= 9", STEP),
        ("s <= min(k, 5) or k % 4 < 2", STEP),
        ("max(k - s, 2) == 2", STEP),
        ("k // 2 // 3 == s", STEP),
        ("k < 9", "solid-bar(f=(x+z)//(k-3))"),
        ("k < 9", "solid-bar(f=(x+z+k-3)//2)"),
    ],
)
def test_cases_are_the_members(condition, ruleset):
    """Each member is in a case, and nothing else is."""
    family = Family.read(ruleset, condition, "y == 0", "p-positions")
    where, side = parse(condition), 14
    wanted = set()
    for values in product(range(side), repeat=len(family.parameters)):
        given = dict(zip(family.parameters, values, strict=True))
        if where.value(given) and is_game(family, given):
            wanted.add(values)
    found = set()
    for case in family.cases():
        for own in product(range(side), repeat=len(case.names)):
            inner = dict(zip(case.names, own, strict=True))
            if all(c.value(inner) >= 0 for c in case.conditions):
                found.add(tuple(case.parameters[n].value(inner) for n in family.parameters))
    assert {values for values in found if max(values) < side} == wanted


def is_game(family, values):
    try:
        return bool(family.description.member(values).rules)
    except ChocoError:  # a divisor 0, or a height below 0
        return False
