"""What holds of the counters of a location by the digits alone: equalities, and parities.

Equalities come from tracks that had the same digits so far: an option's coordinate that is still equal to the position's,
tracks with digits 0 only, and two tracks whose nim-sum with others is 0. Parities come from the last digit: a counter goes from
c to 2c + d, so it is even at a location if every d that leads there is. Both are only claimed here, and proved with the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from choco_pipeline.proof.uniform.families.affine import ZERO, Affine
from choco_pipeline.proof.uniform.invariants.control import FamilyObligation
from choco_pipeline.proof.uniform.invariants.locations import (
    CONSTANT,
    TARGET,
    ControlLocation,
    CounterName,
    TrackForm,
    option,
)


@dataclass(frozen=True)
class Facts:
    """Sums that are 0, and counters with what they leave when divided by 2."""

    equalities: tuple[Affine, ...] = ()
    parities: tuple[tuple[str, int], ...] = ()


def locations(obligation: FamilyObligation) -> list[ControlLocation]:
    """Return all that the control can be in, from the start on."""
    reached = {obligation.start: None}
    todo = [obligation.start]
    while todo:
        here = todo.pop()
        for step in obligation.steps(here):
            for _, there in step.answers:
                if there not in reached:
                    reached[there] = None
                    todo.append(there)
    return list(reached)


def facts(obligation: FamilyObligation) -> dict[ControlLocation, Facts]:
    """Return what holds at each location."""
    every = locations(obligation)
    parities = _parities(obligation, every)
    return {
        here: Facts() if here.start else Facts(_equalities(obligation, here), parities[here])
        for here in every
    }


def _parities(
    obligation: FamilyObligation, every: Iterable[ControlLocation]
) -> dict[ControlLocation, tuple[tuple[str, int], ...]]:
    seen: dict[ControlLocation, dict[str, set[int | None]]] = {}
    for here in every:
        for step in obligation.steps(here):
            for answer, there in step.answers:
                sets = seen.setdefault(there, {})
                digits = {**step.digits, **answer}
                for counter, form in obligation.counters(there).items():
                    added = ZERO
                    for track, a in form.items():
                        added += a * digits[track]
                    is_known = all(c % 2 == 0 for _, c in added.terms)
                    sets.setdefault(counter, set()).add(added.constant % 2 if is_known else None)
    parities = {}
    for there, sets in seen.items():
        parities[there] = tuple(
            (counter, r)
            for counter, values in sets.items()
            for r in values
            if len(values) == 1 and r is not None
        )
    return parities


def _equalities(obligation: FamilyObligation, here: ControlLocation) -> tuple[Affine, ...]:
    like = _alike(obligation, here)
    forms = {c: _canonical(form, like) for c, form in obligation.counters(here).items()}
    singles: dict[str, str] = {}
    for counter, form in forms.items():
        name = CounterName.read(counter)
        if len(form) == 1 and name is not None and name.kind == "count":
            singles.setdefault(next(iter(form)), counter)
    equalities: list[Affine] = []
    seen: dict[tuple[tuple[str, str], ...], str] = {}
    for counter, form in forms.items():
        same = tuple(sorted((t, str(a)) for t, a in form.items()))
        if all(t in singles and a.is_constant for t, a in form.items()):
            total = Affine.of(counter)
            for track, a in form.items():
                total -= Affine.of(singles[track]) * a.constant
        else:
            total = Affine.of(counter) - Affine.of(seen.setdefault(same, counter))
        if total != ZERO:
            equalities.append(total)
    return tuple(equalities)


def _alike(obligation: FamilyObligation, here: ControlLocation) -> dict[str, str | None]:
    """Return for tracks another one with the same digits so far, or None for digits 0 only."""
    like: dict[str, str | None] = dict.fromkeys(here.zero)
    for name, order in here.orders:
        if order == "equal" and option(name) in here.zero:
            like[name] = None
        elif order == "equal":
            like[option(name)] = like.get(name, name)
    in_nim_sum = [n for n in obligation.coordinates if n in obligation.case.shifts]
    end = [CONSTANT] if obligation.has_constant else []
    target = [TARGET] if obligation.has_target else []
    if obligation.kind == "value":
        _relate(like, [*in_nim_sum, *end, "value"])
        return like
    changed = {n for n, _ in here.orders}
    of_option = [option(n) if n in changed else n for n in in_nim_sum]
    if obligation.kind == "option":
        if not here.settled:
            _relate(like, [*in_nim_sum, *end, *target])
        else:
            _relate(like, [*of_option, *end, *target])
    elif obligation.family.kind == "p-positions":
        _relate(like, [*in_nim_sum, *end])
        _relate(like, [*of_option, *end])
    return like


def _relate(like: dict[str, str | None], tracks: list[str]) -> None:
    """Use that the digits of the tracks have the nim-sum 0, each time."""
    left: list[str] = []
    for track in tracks:
        root = like.get(track, track)
        if root is None:
            continue
        if root in left:
            left.remove(root)
        else:
            left.append(root)
    if len(left) not in (1, 2):
        return
    old, new = left[-1], left[0] if len(left) == 2 else None
    for track in [t for t, root in like.items() if root == old]:
        like[track] = new
    like[old] = new


def _canonical(form: TrackForm, like: dict[str, str | None]) -> dict[str, Affine]:
    canonical: dict[str, Affine] = {}
    for track, a in form.items():
        root = like.get(track, track)
        if root is not None:
            canonical[root] = canonical.get(root, ZERO) + a
    return {track: a for track, a in canonical.items() if a != ZERO}
