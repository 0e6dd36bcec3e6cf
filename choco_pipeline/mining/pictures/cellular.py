"""Cellular automata: the rules by which one picture of a table's P-positions follows from those before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr
from pydantic import JsonValue

from choco_pipeline.games import Ruleset
from choco_pipeline.mining.pictures.linear_rules import ORDER, RADIUS, Rule, find_rule, reach
from choco_pipeline.mining.pictures.slices import SIDE, Stack, stacks
from choco_pipeline.mining.table_findings import (
    MOST_SAID,
    CellularFinding,
    ClaimContent,
    Evidence,
    Tried,
)


def mine_cellular(
    game: Ruleset, bound: int, data: xr.Dataset, side: int = SIDE
) -> list[CellularFinding]:
    """Return a rule, or that there is none, for every way to cut a table's P-positions into plane pictures.

    Rules that only cut the positions another way are left out. Pictures have at most `side` rows and columns.
    """
    findings: list[CellularFinding] = []
    seen = set()
    for cut in stacks(game, bound, data, side):
        for number, stack in enumerate(cut):
            rule, known = find_rule(stack), None
            if rule is None and number and cut[0].cells.any():
                known = cut[0]
                rule = find_rule(stack, [known])
            relation = None if rule is None else _relation(stack, rule)
            if relation is None or relation not in seen:
                findings.append(_finding(stack, rule, known))
            seen.add(relation)
    return findings


def rule_text(terms: Iterable[Sequence[int]], axes: Sequence[str]) -> str:
    """Return a rule as an equation between cells, b for cells of the stack that is known beforehand.

    Examples
    --------
    >>> rule_text([(0, 1, 1, 0), (0, 1, 0, 1), (0, 0, 1, 1)], "zxy")
    'a(z, x, y) = a(z−1, x−1, y) + a(z−1, x, y−1) + a(z, x−1, y−1) mod 2'
    """
    cells = [
        f"{'ab'[which]}({', '.join(_less(name, step) for name, step in zip(axes, steps, strict=True))})"
        for which, *steps in terms
    ]
    return f"a({', '.join(axes)}) = {' + '.join(cells) or '0'} mod 2"


def _less(name: str, step: int) -> str:
    return f"{name}−{step}" if step > 0 else f"{name}+{-step}" if step else name


def _sentence(stack: Stack, rule: Rule, known: Stack | None) -> str:
    """Return a rule, where it holds, and what it starts from, a being 1 at P-positions and 0 elsewhere."""
    parts = [rule_text(rule.terms, stack.axes)]
    if rule.where == "positions":
        parts.append("at all positions, other cells being 0")
    elif rule.where == "inside":
        parts.append("where all these cells are positions")
    if any(which for which, *_ in rule.terms) and known is not None:
        parts.append(f"b the same with {known.left}")
    if rule.exceptions:
        cells = ", ".join(str(cell) for cell in rule.exceptions[:MOST_SAID])
        more = len(rule.exceptions) > MOST_SAID
        parts.append(f"except at {cells}{' and others' if more else ''}, where 1 is to be added")
    elif rule.exceptions is None:
        parts.append(f"from {' and '.join(stack.axes[:-2])} = {rule.begins} on")
    return ", ".join(parts)


def _relation(stack: Stack, rule: Rule) -> tuple[str, int | None, frozenset[Any]]:
    """Return which cells' sum a rule says to be 0: the same for rules that only cut the positions another way."""
    here = (0,) * (1 + stack.cells.ndim)
    cells = frozenset(
        (which, tuple(sorted(zip(stack.axes, steps, strict=True))))
        for which, *steps in (here, *rule.terms)
    )
    return stack.ruleset, stack.passes, cells


def _finding(stack: Stack, rule: Rule | None, known: Stack | None = None) -> CellularFinding:
    """Return a search's outcome."""
    also = "" if known is None else f", cells of those with {known.left} being known"
    inside = "and earlier cells of the same picture"
    terms = sum(1 for _ in reach(stack, ORDER, RADIUS, True, int(known is not None)))
    finding = partial(
        CellularFinding,
        ruleset=stack.ruleset,
        axes=tuple(stack.axes),
        passes=stack.passes,
        tried=Tried(
            candidates=terms,
            what=f"coefficients modulo 2 of the cells within radius {RADIUS} in the {ORDER} pictures before {inside}{also};"
            f" {stack.text}: solved as linear equations",
        ),
    )
    half = len(stack.cells) // 2
    if rule is None and len(stack.cells) >= 2 * ORDER and not stack.cells.any():
        return finding(
            empty=True,
            text="no cell is a P-position",
            found_on=Evidence(
                positions=int(stack.legal[:half].sum()), what="the first half of the pictures"
            ),
            held_on=Evidence(positions=int(stack.legal[half:].sum()), what="the second half"),
            claim=_empty_claim(stack),
        )
    if rule is None:
        return finding(nothing=True)
    return finding(
        terms=tuple(rule.terms),
        where=rule.where,
        begins=rule.begins,
        exceptions=None if rule.exceptions is None else tuple(rule.exceptions),
        text=_sentence(stack, rule, known),
        equations=rule.equations,
        found_on=Evidence(positions=rule.found_on, what="cells of the first half of the pictures"),
        held_on=Evidence(positions=rule.held_on, what="cells of the second half"),
        claim=_claim(stack, rule),
    )


def _empty_claim(stack: Stack) -> ClaimContent | None:
    """Return that no cell is a P-position as a claim; for pictures of bars with a single number."""
    if not stack.closed or stack.numbers > 1 or stack.passes is not None:
        return None
    return {"ruleset": stack.ruleset, "statement": "i > 0 => not P"}


def _claim(stack: Stack, rule: Rule) -> ClaimContent | None:
    """Return a rule as a claim; that language speaks of bars without passes, and of rules from earlier pictures."""
    if (
        not stack.closed
        or stack.passes is not None
        or stack.numbers > 1
        or rule.where != "everywhere"
    ):
        return None
    if rule.within or any(which for which, *_ in rule.terms):
        return None
    before = rule.begins - stack.first[0]
    start: list[JsonValue] = [
        [*map(int, cell), 1] for cell in np.argwhere(stack.cells[:before]) + stack.first
    ]
    if before and not stack.cells[before - 1].any():
        start.append(
            [rule.begins - 1, *stack.first[1:], 0]
        )  # the last picture that is given is empty
    check: JsonValue = {
        "kind": "cellular",
        "terms": [[*steps] for _, *steps in rule.terms],
        "start": start,
        "modulo": 2,
        "generation": stack.axes[0],
    }
    return {"ruleset": stack.ruleset, "check": check}
