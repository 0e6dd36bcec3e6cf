"""The sentence of a row, in which a bound never reads as a proof."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from choco_pipeline.claims.conclusions.outcomes import Cases, Given, follows_text
from choco_pipeline.claims.language.claim_verdict import ClaimVerdict
from choco_pipeline.claims.language.verdict import VerdictKind, counted
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import exact_text, parameters_text

#: Verdicts on one case that cannot both be right.
CONTRADICTIONS: tuple[tuple[VerdictKind, VerdictKind], ...] = (
    ("refuted", "proved"),
    ("proved", "vacuous"),
    ("holds-to-bound", "vacuous"),
)
#: What stands where parameters are named and there are no others.
ALL = "it speaks of no others"


def distinct_positions(verdicts: Iterable[ClaimVerdict]) -> int:
    """Count the distinct positions, or cases, that verdicts settled.

    Tables of one game contain each other: of verdicts with the same parameters, only the one on the largest table counts.
    """
    largest: dict[Given, int] = {}
    for verdict in verdicts:
        given = tuple(sorted(verdict.parameters.items()))
        largest[given] = max(verdict.positions, largest.get(given, 0))
    return sum(largest.values())


def row_text(cases: Cases, decided: ClaimVerdict | None) -> str:
    """Return the outcome of a claim in one line; `decided` refutes it, if not None."""
    text, for_all = _text(cases, decided), cases.for_all
    if cases.false_everywhere is not None:
        every = cases.false_everywhere
        text += (
            f"; false for {every.text}, as it contradicts itself at {'; at '.join(every.positions)}"
        )
    if for_all is None or for_all.for_all is None or for_all is cases.proved_for_all:
        return text
    return f"{text}; not decided for {for_all.for_all.text} at once: {for_all.why}"


def _text(cases: Cases, decided: ClaimVerdict | None) -> str:
    claim, verdicts = cases.claim, cases.verdicts
    proved = cases.of("proved")
    undecided = [
        verdict
        for given, group in cases.by_parameters.items()
        for verdict in group
        if verdict.verdict == "undecided" and given not in proved and not cases.is_among_all(given)
    ]
    match cases.outcome:
        case "unchecked" if claim.pattern is None:
            return "not checked in this run, though it needs no table"
        case "unchecked":
            when = claim.statement.when
            where = "" if when is None else f", where {math_text(when)}"
            return f"no table of this run fits: ruleset {claim.statement.ruleset}{where}"
        case "undecided" if undecided:
            on = f" on {_share(undecided, verdicts)}" if len(verdicts) > 1 else ""
            first = f"says nothing{on}: {undecided[0].why}{_for(undecided[0])}"
            return "; ".join([first, *_vacuous(cases)])
        case "refuted":
            assert decided is not None
            parts = [f"{decided.text}{_for(decided)}"]
            if len(verdicts) > 1:
                refuting = [verdict for verdict in verdicts if verdict.verdict == "refuted"]
                verb = "refutes" if len(refuting) == 1 else "refute"
                parts.append(f"{_share(refuting, verdicts)} {verb} it")
        case "proved" if cases.is_proved_for_all:
            parts = _proved_for_all(cases)
        case _ if cases.proved_for_all is None and [v.verdict for v in verdicts] == [
            "holds-to-bound"
        ]:
            parts = [f"{verdicts[0].text}{_for(verdicts[0])}"]
        case _:
            parts = [
                *_proved_for_all(cases),
                *_proved(cases),
                *_cases_checked(cases),
                *_held(cases),
                *_vacuous(cases),
            ]
    parts += _contradictions(cases)
    if cases.outcome != "refuted":
        parts += _about_the_reach(cases.by_parameters)
    if undecided and cases.outcome != "vacuous":
        silent = undecided[0]
        on = _share(undecided, verdicts)
        parts.append(f"says nothing on {on}: {silent.why}{_for(silent)}")
    return "; ".join(parts)


def _named(given: Sequence[Given]) -> str:
    """Return ", for" with the parameters; "" for the whole statement."""
    return "" if () in given else f", for {exact_text([dict(parameters) for parameters in given])}"


def _proved_for_all(cases: Cases) -> list[str]:
    verdict = cases.proved_for_all
    if verdict is None or verdict.for_all is None:
        return []
    parts = [f"proved for {verdict.for_all.text}"]
    if chain := follows_text(verdict.evidence):
        parts.append(chain)
    beyond = verdict.false_everywhere
    if beyond is not None:
        parts.append(
            f"the bound is sharp: with the next larger one the statement contradicts itself at {'; at '.join(beyond.positions)}"
        )
    alone = [dict(given) for given in cases.of("proved") if cases.is_among_all(given)]
    if alone:
        parts.append(f"also proved individually for {exact_text(alone)}")
    others = [given for given in cases.of("proved") if not cases.is_among_all(given)]
    if not (cases.is_proved_for_all or cases.covers or others):
        parts.append(f"other {', '.join(verdict.for_all.parameters)} are not proved")
    return parts


def _proved(cases: Cases) -> list[str]:
    alike: dict[tuple[str, bool, bool], list[Given]] = {}
    proved = [given for given in cases.of("proved") if not cases.is_among_all(given)]
    of_case = {
        given: next(v for v in cases.by_parameters[given] if v.verdict == "proved")
        for given in ([()] if () in proved else proved)
    }
    for given, verdict in of_case.items():
        alike.setdefault((verdict.unit, verdict.reach is None, verdict.printed is None), []).append(
            given
        )
    parts = [
        f"proved for {_domain([of_case[case] for case in given])}{_named(given)}"
        for given in alike.values()
    ]
    if proved and () not in proved:
        parts += _others(cases, proved, "proved")
    return parts


def _domain(verdicts: Sequence[ClaimVerdict]) -> str:
    """Return the domain of proofs of one kind, with the range of their bounds."""
    domains = {verdict.domain for verdict in verdicts}
    if len(domains) == 1:
        return domains.pop()
    if printed := [verdict.printed for verdict in verdicts if verdict.printed is not None]:
        return f"the {min(printed):,} to {max(printed):,} printed numbers"
    reach = [verdict.reach for verdict in verdicts if isinstance(verdict.reach, int)]
    return f"all positions with coordinates up to its bound ({min(reach):,} to {max(reach):,})"


def _others(cases: Cases, given: Sequence[Given], done: str) -> list[str]:
    """Return a remark on the parameters that are not named."""
    if cases.covers:
        return [ALL] if len(given) == sum(map(bool, cases.kinds)) else []
    return [f"other {', '.join(dict(given[-1]))} are not {done}"]


def _cases_checked(cases: Cases) -> list[str]:
    given = [case for case in cases.of("exhausted") if not cases.is_among_all(case)]
    if not given or "proved" in (cases.kinds.get(()), cases.outcome):
        return []
    whole = [
        verdict
        for case in given
        for verdict in cases.by_parameters[case]
        if verdict.verdict == "exhausted"
    ]
    if cases.outcome == "exhausted" and not cases.of("proved"):
        checked = "true: a finite statement, every case checked"
    else:
        checked = "every case checked"
    parts = [f"{checked}{_named(given)} ({_in_all(whole)})"]
    return parts if () in given else parts + _others(cases, given, "checked")


def _held(cases: Cases) -> list[str]:
    """Return the bounds up to which the statement holds without a proof."""
    held = [
        verdict
        for given in cases.of("holds-to-bound")
        for verdict in cases.by_parameters[given]
        if verdict.verdict == "holds-to-bound" and not cases.is_among_all(given)
    ]
    if not held or cases.outcome in ("proved", "exhausted"):
        return []
    if () in cases.kinds and cases.of("proved") and cases.in_all_ranges:
        return []  # the check was of the integers for which it is proved
    if len(held) == 1:
        return [f"{held[0].text}{_for(held[0])}"]
    bounds = sorted({verdict.bound or 0 for verdict in held})
    bound = (
        f"bound {bounds[0]:,}"
        if len(bounds) == 1
        else f"bounds from {bounds[0]:,} to {bounds[-1]:,}"
    )
    parts = [f"holds up to {bound} on {len(held):,} tables ({_in_all(held)})"]
    senses = list(dict.fromkeys(verdict.why for verdict in held if verdict.why))
    if senses:
        weakest = _weakest(held)
        which = f"for the least{_for(weakest)}: " if len(senses) > 1 else ""
        parts.append(f"in this sense: {which}{weakest.why}")
    return parts


def _vacuous(cases: Cases) -> list[str]:
    given = cases.of("vacuous")
    if not given:
        return []
    vacuous = next(v for v in cases.by_parameters[given[0]] if v.verdict == "vacuous")
    parts = [f"vacuous{_named(given)}: {vacuous.why}"]
    alone = set(cases.kinds.values()) == {"vacuous"} and not cases.covers
    return parts + _others(cases, given, "looked at") if alone and () not in given else parts


def _contradictions(cases: Cases) -> list[str]:
    """Return the contradictions between verdicts, which are always errors."""
    parts = []
    for kind, other in CONTRADICTIONS:
        both = [
            given
            for given, group in cases.by_parameters.items()
            if {kind, other} <= {verdict.verdict for verdict in group}
        ]
        if both:
            named = "" if () in both else f" for {exact_text([dict(given) for given in both])}"
            parts.append(f"and yet {other}{named}: one of them is wrong")
    return parts


def _weakest(held: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return the weakest of the verdicts that hold in a restricted sense.

    For each choice of parameters only its largest table counts. The weakest verdict has the smallest frontier of values.
    """
    largest: dict[Given, ClaimVerdict] = {}
    for verdict in sorted(held, key=lambda verdict: verdict.bound or 0):
        if verdict.why:
            largest[tuple(verdict.parameters.items())] = verdict

    def frontier(verdict: ClaimVerdict) -> float:
        growth = verdict.evidence.get("growth")
        reached = growth[-1]["frontier"] if growth else None
        return math.inf if reached is None else reached

    return min(largest.values(), key=frontier)


def _about_the_reach(by_parameters: Mapping[Given, Sequence[ClaimVerdict]]) -> list[str]:
    """Return a remark on the positions beyond the bound that a statement names."""
    if by_parameters and all(
        any("without_reach" in verdict.evidence for verdict in g) for g in by_parameters.values()
    ):
        return ["remark: proved without its bound, too"]
    beyond: dict[Given, Mapping[str, Any]] = {}
    for given, group in by_parameters.items():
        larger = [verdict for verdict in group if "best_possible" in verdict.evidence]
        if larger:
            beyond[given] = max(larger, key=lambda verdict: verdict.bound or 0).evidence
    if not beyond:
        return []
    number, best = len(beyond), sum(evidence["best_possible"] for evidence in beyond.values())
    which = f"of the {number:,} parameters with a table beyond it"
    if best == number:
        each = "" if number == 1 else f" for each {which}"
        return [f"remark: false just beyond its bound{each}"]
    given, evidence = next(item for item in beyond.items() if not item[1]["best_possible"])
    further = f"true up to {evidence['true_up_to']:,}"
    if "false_at" not in evidence:
        further = f"true for all positions of our table, up to {evidence['true_up_to']:,}"
    named = f", for example for {exact_text([dict(given)])}" if number > 1 else ""
    some = f" for {best:,} {which}" if best else ""
    just = f"false just beyond its bound{some}; " if best else ""
    return [f"remark: {just}its bound is {evidence['reach']:,}, and it is also {further}{named}"]


def _for(verdict: ClaimVerdict) -> str:
    given = parameters_text([verdict.parameters])
    return f" ({given})" if given else ""


def _share(chosen: Sequence[ClaimVerdict], verdicts: Sequence[ClaimVerdict]) -> str:
    """Return the number of tables, checks and proofs with the chosen verdicts."""
    parts = []
    for part in ("table", "check", "proof"):
        number, of = (
            sum(_source(verdict) == part for verdict in some) for some in (chosen, verdicts)
        )
        if not number:
            continue
        all_of_them = f"{of:,} {part}{'' if of == 1 else 's'}"
        if len(chosen) == len(verdicts) == of:
            parts.append(all_of_them)
        elif number == of:
            parts.append(f"the only {part}" if of == 1 else f"all {all_of_them}")
        else:
            parts.append(f"{number:,} of {all_of_them}")
    return " and ".join(parts)


def _source(verdict: ClaimVerdict) -> str:
    if verdict.is_by_proof:
        return "proof"
    return "check" if verdict.table is None else "table"


def _in_all(verdicts: Sequence[ClaimVerdict]) -> str:
    return counted(distinct_positions(verdicts), verdicts[0].unit)
