"""The members of a family with small parameters, which its certificate is compared with, and its positions for every member."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.games.notation import parse_ruleset
from choco_pipeline.games.ruleset import Ruleset
from choco_pipeline.proof.family_check.document import FamilyText
from choco_pipeline.proof.family_check.sums import POWER, IntegerSum
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.trial import is_true, small_values


def first_members(written: FamilyText) -> Iterator[tuple[Mapping[str, int], Ruleset]]:
    """Yield members of the family with their parameters, those with small ones first."""
    condition = parse(written.condition)
    for values in small_values(written.parameters, partial(is_true, condition)):
        with suppress(ChocoError):
            yield values, parse_ruleset(written.ruleset, values, games=written.games)


def require_inconsistent(written: FamilyText, values: Mapping[str, int], member: Ruleset) -> None:
    """Raise `UndecidedError` if at no position of the certificate the relation contradicts itself by the definition's options."""
    relation, where = parse(written.relation.formula), parse(written.where or "0 == 0")
    rules = member.rules

    def is_related(position: tuple[int, ...]) -> bool:
        return bool(relation.value({**values, **rules.named(position)}))

    for case in written.cases:
        own: dict[str, IntegerSum] = {}
        for name, text in case.parameters.items():
            value = IntegerSum.read(text)
            if POWER in value.names:
                power = values[name] & -values[name]
                own |= {n: IntegerSum((values[name] // (power or 1) - 1) // 2) for n in value.names}
                own[POWER] = IntegerSum(power // 2)
                continue
            for m, q in value.multiples.items():
                own[m] = IntegerSum((values[name] - value.number) // q)
        is_case = all(
            IntegerSum.read(s).put(own) == IntegerSum(values[n]) for n, s in case.parameters.items()
        )
        if not is_case or any(IntegerSum.read(c).put(own).number < 0 for c in case.conditions):
            continue
        named = {x: IntegerSum.read(s).put(own).number for x, s in (case.position or {}).items()}
        if named.keys() != set(rules.coordinates):
            continue
        position = tuple(named[x] for x in rules.coordinates)
        is_here = rules.why_not(position) is None and where.value({**values, **named})
        if is_here and is_related(position) == any(map(is_related, rules.options(position))):
            return
    raise UndecidedError("a member has no position at which the relation contradicts itself")
