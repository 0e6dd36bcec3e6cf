"""The checker's words with powers of 2, read digit by digit, against the definition."""

from itertools import product

import pytest

from choco_pipeline.formula import parse
from choco_pipeline.games.notation import parse_ruleset
from tests.checker.families.program import families
from tests.checker.families.test_judge import written

STEP, STRIP = "step-bar(k=k, s=u*2**t)", "strip-bar(k=k, s=u*2**t)"
SIDE, DIGITS = 4, 5
#: Right and wrong relations; members with their parameters.
RELATIONS = [
    (STEP, "grundy", "(y ^ (z+u*2**t)) - u*2**t", {"k": 4, "t": 2, "u": 3}),
    (STEP, "grundy", "(y ^ (z+u)) - 2**t", {"k": 3, "t": 2, "u": 2}),
    (STEP, "grundy", "(y ^ (z+u*2**t)) - u*2**t", {"k": 2, "t": 1, "u": 3}),
    (STEP, "grundy", "(y ^ (z-2**t)) - u*2**t", {"k": 3, "t": 0, "u": 1}),
    (STRIP, "p-positions", "x ^ (y-2**t) ^ z == 2**t - 3*u", {"k": 3, "t": 2, "u": 2}),
    (STRIP, "p-positions", "x ^ (y-2**t) ^ (z+1) == 0 - 2**t", {"k": 2, "t": 2, "u": 1}),
    (STRIP, "p-positions", "(x+1) ^ (z-2**(t+1)) == 1 - 2**t", {"k": 2, "t": 1, "u": 2}),
]


def obligations(ruleset, kind, relation, values):
    """Return the obligations on a member, as the case with numbers for its parameters."""
    case = {
        "parameters": {name: {"1": number} if number else {} for name, number in values.items()},
        "conditions": [],
        "heights": {},
    }
    document = written(ruleset, "k >= 1", "x == 0", [case], parameters=[*values])
    document["relation"] = {"kind": kind, "formula": relation}
    family = families.Family(families.formed(document, families.FAMILY, "certificate"))
    game = families.Case(family, case)
    wanted = [("exclusion", x) for x in game.clips]
    wanted += [("value", None)] if kind == "grundy" else []
    # With t as a number 2**t is one, too: here it stays a name.
    game.values["t"] = game.reader.exponent = families.named("t")
    game.heights = family.heights(game.reader, game.values)
    game.relation = family.nim_sum(game.reader, game.values)
    return game, [families.Obligation(game, *one) for one in wanted]


def is_violated(obligation, numbers, t):
    """Whether a word with t lower digits is read to its end, and ends against the goal."""
    move, power = obligation.move, {families.EXPONENTIAL: families.as_sum(1 << t)}
    changed = obligation.changed(move)
    key = families.Key(True, move, obligation.equal(move), True)
    counters = dict[str, families.Sum]()
    for left in range(DIGITS, -1, -1):
        is_sign = left == DIGITS
        digits = {track: number >> left & 1 for track, number in numbers.items()}
        if digits not in [*obligation.choices([*numbers], is_sign)]:
            return False
        own, other = obligation.nim_sum(digits), obligation.nim_sum(digits, changed)
        if move and (own != other or (not obligation.game.is_grundy and own)):
            return False
        orders = obligation.lowered(move, key.orders, digits, is_sign)
        if orders is None:
            return False
        digits["value"], there = own, key._replace(orders=orders)
        after = obligation.after(None if is_sign else key, there, digits)
        key, counters = (
            there,
            {name: value.put(counters).put(power) for name, value in after.items()},
        )
        if left == t:
            switched = obligation.switched(move)
            key = key._replace(is_upper=False)
            counters = {n: value.put(counters).put(power) for n, value in switched.items()}
    assert all(value.is_number for value in counters.values())
    known = [(families.named(name) - value).zero for name, value in counters.items()]
    return not families.unsatisfiable("", families.both(*known, obligation.violated(key)))


@pytest.mark.parametrize(("ruleset", "kind", "relation", "values"), RELATIONS)
def test_words_that_violate_an_obligation_are_counterexamples(ruleset, kind, relation, values):
    member, said = parse_ruleset(ruleset, values), parse(relation)
    names, t = member.coordinates, values["t"]
    case, every = obligations(ruleset, kind, relation, values)

    def number(total):
        return total.put({families.EXPONENTIAL: families.as_sum(1 << t)}).number

    def stated(q):
        return said.value({**values, **dict(zip(names, q, strict=True))})

    bad, found = set(), set()
    positions = [q for q in product(range(SIDE), repeat=len(names)) if member.is_position(q)]
    for q in positions:
        options = [o for o in member.options(q) if stated(o) == stated(q)]
        bad |= {(q, o) for o in options if kind == "grundy" or stated(q)}
        bad |= {(q, "value")} if kind == "grundy" and stated(q) < 0 else set()
    for obligation in every:
        changed = obligation.changed(obligation.move)
        for q in product(range(-1, SIDE), repeat=len(names)):
            at = dict(zip(names, q, strict=True))
            numbers = {x: n + number(case.shift(x)) for x, n in at.items()}
            if "constant" in obligation.tracks:
                numbers["constant"] = number(case.relation.constant)
            for new in product(range(-1, SIDE), repeat=len(changed)):
                option = dict(zip(changed, new, strict=True))
                if any(n > at[x] for x, n in option.items()):
                    continue
                primed = {f"{x}'": n + number(case.shift(x)) for x, n in option.items()}
                if is_violated(obligation, numbers | primed, t):
                    reached = tuple({**at, **option}.values())
                    found.add((q, reached if obligation.move else "value"))
    assert found == bad
