"""Values of parameters as text: one choice, several choices, and ranges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

#: Largest number of choices that are listed in full, if they are no product of sets.
MOST_NAMED = 8


def assigned(values: Mapping[str, object]) -> str:
    """Return names with their values.

    Examples
    --------
    >>> assigned({"k": 4, "s": 2})
    'k = 4, s = 2'
    """
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def listed(given: Sequence[Mapping[str, object]], most: int | None = None) -> str:
    """Return choices of the same parameters, all of them or the first `most`.

    Examples
    --------
    >>> listed([{"k": 2}, {"k": 4}]), listed([{"k": 2, "s": 1}, {"k": 4, "s": 1}], 1)
    ('k = 2, 4', '(k, s) = (2, 1), … 1 more')
    """
    if not given or not given[0]:
        return ""
    names = list(given[0])
    texts = [", ".join(str(choice[name]) for name in names) for choice in given]
    name = ", ".join(names)
    if len(names) > 1:
        name, texts = f"({name})", [f"({text})" for text in texts]
    more = [] if most is None or len(texts) <= most else [f"… {len(texts) - most} more"]
    return f"{name} = {', '.join([*texts[:most], *more])}"


def parameters_text(given: Sequence[Mapping[str, int]]) -> str:
    """Return the values of parameters in short, name by name.

    Examples
    --------
    >>> parameters_text([{"k": k, "s": s} for k in (2, 4, 6, 8) for s in range(k)])
    'k = 2, 4, …, 8; s = 0, …, 7'
    >>> parameters_text([{"m": m} for m in (14, 18, 21, 22)])
    'm = 14, 18, 21, 22'
    """
    names = dict.fromkeys(name for parameters in given for name in parameters)
    return "; ".join(
        f"{name} = {_in_short(sorted({choice[name] for choice in given if name in choice}))}"
        for name in names
    )


def exact_text(given: Sequence[Mapping[str, int]]) -> str:
    """Return choices of parameters, in the short form if it is exact.

    Examples
    --------
    >>> exact_text([{"k": k, "s": s} for k in (4, 6) for s in (1, 2)])
    'k = 4, 6; s = 1, 2'
    >>> exact_text([{"k": 4, "s": 2}, {"k": 6, "s": 2}, {"k": 6, "s": 4}])
    '(k, s) = (4, 2), (6, 2), (6, 4)'
    """
    names = list(dict.fromkeys(name for parameters in given for name in parameters))
    chosen = sorted({tuple(choice[name] for name in names) for choice in given})
    if len(chosen) == math.prod(len(set(values)) for values in zip(*chosen, strict=True)):
        return parameters_text(given)
    shown = [f"({', '.join(map(str, choice))})" for choice in chosen]
    if len(shown) > MOST_NAMED:
        shown = [*shown[: MOST_NAMED - 2], "…", f"{shown[-1]} ({len(shown)} of them)"]
    return f"({', '.join(names)}) = {', '.join(shown)}"


def _in_short(values: list[int]) -> str:
    steps = {b - a for a, b in itertools.pairwise(values)}
    if len(values) > 3 and steps == {1}:
        return f"{values[0]}, …, {values[-1]}"
    if len(values) > 3 and len(steps) == 1:
        return f"{values[0]}, {values[1]}, …, {values[-1]}"
    if len(values) <= 5:
        return ", ".join(map(str, values))
    return f"{', '.join(map(str, values[:3]))}, …, {values[-1]} ({len(values)} values)"
