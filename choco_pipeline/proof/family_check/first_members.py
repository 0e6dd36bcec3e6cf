"""The members of a family with small parameters, which its certificate is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.games.notation import parse_ruleset
from choco_pipeline.games.ruleset import Ruleset
from choco_pipeline.proof.family_check.document import FamilyText

#: So many choices of parameters are looked at for members: a condition may hold for few.
PARAMETERS = 20_000


def first_members(written: FamilyText) -> Iterator[tuple[Mapping[str, int], Ruleset]]:
    """Yield members of the family with their parameters, those with small ones first."""
    condition = parse(written.condition)
    names = written.parameters
    tried = ((n, *rest) for n in range(PARAMETERS) for rest in _with_sum(n, len(names)))
    for _, *numbers in islice(tried, PARAMETERS):
        values = dict(zip(names, numbers, strict=True))
        try:
            if condition.value(values):
                yield values, parse_ruleset(written.ruleset, values, games=written.games)
        except ChocoError:
            continue


def _with_sum(total: int, length: int) -> Iterator[tuple[int, ...]]:
    if length == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in _with_sum(total - first, length - 1))
