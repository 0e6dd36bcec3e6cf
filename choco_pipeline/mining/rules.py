"""Rules over a parameter: the shift that a whole residue class of parameters shares, found by comparing tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from choco_pipeline.mining.shifts import Shift, shift_text

LARGEST_MODULUS = 8
#: A rule must hold for at least this many parameters.
FEWEST_MEMBERS = 3

Member = tuple[int, frozenset[Shift]]
Parameters = Mapping[str, Any]


def shift_rules(
    tables: Iterable[Mapping[str, Any]], findings: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the rules "for parameter ≡ r (mod q) the P-positions are those of one shift", coarsest first.

    Parameters
    ----------
    tables
        The plan's tables: id, sweeps, parameters, bound.
    findings
        What was mined; those of kind ``shifts`` are used, and of them only shifts without a mismatch.
    """
    exact = {
        str(finding["table"]): frozenset(
            (int(a), int(b), int(c))
            for (a, b, c) in (best["shift"] for best in finding["best"] if best["mismatches"] == 0)
        )
        for finding in findings
        if finding["kind"] == "shifts"
    }
    by_sweep: dict[str, list[tuple[Parameters, frozenset[Shift]]]] = defaultdict(list)
    for table in tables:
        if str(table["id"]) in exact:
            for sweep in table["sweeps"]:
                by_sweep[sweep].append((table["parameters"], exact[str(table["id"])]))
    return [rule for sweep, members in by_sweep.items() for rule in _sweep_rules(sweep, members)]


def _sweep_rules(
    sweep: str, members: list[tuple[Parameters, frozenset[Shift]]]
) -> Iterator[dict[str, Any]]:
    """Yield the rules of one sweep: its parameters' own, or those of residue classes where a parameter's own do not hold."""
    names = [name for name, value in members[0][0].items() if isinstance(value, int)]
    for name in names:
        values = [(parameters[name], shifts) for parameters, shifts in members]
        distinct = {value for value, _ in values}
        if len(distinct) >= FEWEST_MEMBERS and all((v, 0, v) in shifts for v, shifts in values):
            with_pass = "passes" in members[0][0]
            text = "⊕".join([f"(x+{name})", "y", f"(z+{name})", *(["p"] if with_pass else [])])
            yield {
                "kind": "shift-rule",
                "family": sweep,
                "parameter": name,
                "modulus": 1,
                "residue": 0,
                "rest": "",
                "shift": [name, 0, name],
                "members": sorted(distinct),
                "text": f"every {name} of the sweep: {text}=0, without a mismatch in {len(values)} tables",
            }
            return
    groups: dict[tuple[str, str], list[Member]] = defaultdict(list)
    for parameters, shifts in members:
        for name in names:
            rest = ", ".join(f"{k} = {v}" for k, v in parameters.items() if k != name)
            groups[name, rest].append((int(parameters[name]), shifts))
    for (name, rest), group in groups.items():
        yield from _rules(sweep, name, rest, group)


def _rules(sweep: str, name: str, rest: str, members: list[Member]) -> Iterator[dict[str, Any]]:
    said: list[tuple[set[int], Shift]] = []
    for modulus in range(1, LARGEST_MODULUS + 1):
        for residue in range(modulus):
            chosen = sorted(
                (value, shifts) for value, shifts in members if value % modulus == residue
            )
            if len(chosen) < FEWEST_MEMBERS:
                continue
            shared = frozenset.intersection(*(shifts for _, shifts in chosen))
            values = {value for value, _ in chosen}
            for shift in sorted(shared, key=lambda s: (sum(map(abs, s)), s))[:1]:
                if any(values <= known and shift == other for known, other in said):
                    continue
                said.append((values, shift))
                where = (
                    f"{name} ≡ {residue} (mod {modulus})"
                    if modulus > 1
                    else f"every {name} of the sweep"
                )
                also = f" with {rest}" if rest else ""
                listed = ", ".join(map(str, sorted(values)))
                yield {
                    "kind": "shift-rule",
                    "family": sweep,
                    "parameter": name,
                    "modulus": modulus,
                    "residue": residue,
                    "rest": rest,
                    "shift": list(shift),
                    "members": sorted(values),
                    "text": f"{where}{also}: {shift_text(shift, with_pass='passes' in rest)}, without a mismatch for {name} = {listed}",
                }
