"""The conclusions of a run: rows of claims, pairs, contradictions, comparisons.

A combined outcome claims no more than its verdicts, and a check up to a bound is never called a proof.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import (
    SIGNS,
    ClaimPair,
    ClaimRow,
    Decided,
    EngineAgreement,
    Outcome,
    PairKind,
    Right,
    tally,
)
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Counterexample,
    Finding,
    HoldsToBound,
    Refuted,
    Undecided,
    Verdict,
    VerdictKind,
    counted,
    place_text,
)
from choco_pipeline.commands import DEFAULT_CONFIG, command
from choco_pipeline.errors import ConfigError, DisagreementError
from choco_pipeline.formula import Formula, FormulaError
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.parameter_text import exact_text, parameters_text
from choco_pipeline.statements.tree import samples

#: A choice of a claim's parameters, as a dictionary key.
Given = tuple[tuple[str, int], ...]

#: The names of engines in texts.
ENGINES: Mapping[str, str] = {"own": "ours", "checker": "the checker", "z3": "z3", "cvc5": "cvc5"}
#: Statuses of statements that no paper asserts, so that a refutation contradicts no author.
NOT_ASSERTED: Mapping[str, str] = {"question": "Questions", "ours": "Remarks of this project"}
#: Strongest first. The first kind that occurs is the outcome of several verdicts with the same parameters. "vacuous" comes
#: late, because a statement that holds somewhere is not vacuous.
PRECEDENCE: tuple[VerdictKind, ...] = (
    "refuted",
    "proved",
    "exhausted",
    "holds-to-bound",
    "vacuous",
    "undecided",
)


def follows_text(evidence: Mapping[str, Any]) -> str:
    """Return the direct and indirect premises of a verdict; "" for none.

    Examples
    --------
    >>> one = {"premises": [{"claim": "a", "follows_from": None}], "lemmas": ["one pass", "a free heap"]}
    >>> follows_text({"follows_from": one})
    'follows from a by one pass and a free heap'
    >>> other = {"premises": [{"claim": "b", "follows_from": one}], "lemmas": []}
    >>> follows_text({"follows_from": other})
    'follows from b, which follows from a by one pass and a free heap'
    """
    chain = evidence.get("follows_from")
    if chain is None:
        return ""
    named = []
    for premise in chain["premises"]:
        before = follows_text(premise)
        named.append(f"{premise['claim']}, which {before}" if before else premise["claim"])
    by = f" by {enumerated(chain['lemmas'])}" if chain["lemmas"] else ""
    return f"follows from {enumerated(named)}{by}"


@dataclass(frozen=True)
class _Cases:
    """A claim and all verdicts on it.

    A case is a choice of the claim's parameters. For a statement on integers it is a choice of the integers that a proof fixes,
    or the empty choice, which stands for the whole statement.
    """

    claim: Claim
    #: Undecided proofs among them do not weaken other verdicts.
    all_verdicts: Sequence[ClaimVerdict]

    @cached_property
    def verdicts(self) -> Sequence[ClaimVerdict]:
        """The verdicts on single cases, without undecided proofs if there are others."""
        single = [v for v in self.all_verdicts if v.for_all is None]
        telling = [v for v in single if not (v.is_by_proof and v.verdict == "undecided")]
        return telling or single

    @cached_property
    def for_all(self) -> ClaimVerdict | None:
        """The verdict on all parameters that satisfy `for_all`, if there is one."""
        return next((v for v in self.all_verdicts if v.for_all is not None), None)

    @property
    def proved_for_all(self) -> ClaimVerdict | None:
        return self.for_all if self.for_all is not None and self.for_all.is_proved else None

    @property
    def is_proved_for_all(self) -> bool:
        """Whether it is proved for all its parameters at once."""
        return self.proved_for_all is not None and self.claim.is_for_all_only

    def is_among_all(self, given: Given) -> bool:
        """Whether a case belongs to the domain of the proof for all parameters."""
        return self.proved_for_all is not None and self.claim.is_for_all(dict(given))

    @cached_property
    def by_parameters(self) -> Mapping[Given, Sequence[ClaimVerdict]]:
        cases: dict[Given, list[ClaimVerdict]] = defaultdict(list)
        for verdict in self.verdicts:
            cases[tuple(verdict.parameters.items())].append(verdict)
        return cases

    @cached_property
    def kinds(self) -> Mapping[Given, VerdictKind]:
        """The strongest verdict on each case."""
        return {
            given: min((verdict.verdict for verdict in group), key=PRECEDENCE.index)
            for given, group in self.by_parameters.items()
        }

    def of(self, kind: VerdictKind, *, alone: bool = False) -> list[Given]:
        """Return the cases with a verdict; `alone` omits those proved for all at once."""
        cases = [given for given, outcome in self.kinds.items() if outcome == kind]
        return [given for given in cases if not (alone and self.is_among_all(given))]

    def verdicts_of(self, kind: VerdictKind, *, alone: bool = False) -> list[ClaimVerdict]:
        """Return the verdicts of a kind on its cases; `alone` is that of `of`."""
        groups = (self.by_parameters[given] for given in self.of(kind, alone=alone))
        return [verdict for group in groups for verdict in group if verdict.verdict == kind]

    @cached_property
    def in_all_ranges(self) -> bool:
        """Whether every choice in the ranges of a statement about integers is decided."""
        verdicts = self.all_verdicts
        return all(
            v.evidence.get("all_choices", False) for v in verdicts if v.parameters
        ) and not any(v.is_by_proof and v.verdict == "undecided" for v in verdicts)

    @cached_property
    def covers(self) -> bool:
        """Whether the verdicts cover all cases of the claim."""
        claim = self.claim
        if claim.pattern is None:
            is_of_some = claim.is_about_integers and samples(claim.proposition)
            return self.in_all_ranges and not is_of_some
        every = _all_parameters(claim)
        checked = [dict(given) for given in self.kinds]
        return every is not None and all(
            case in checked or self.is_among_all(tuple(case.items())) for case in every
        )

    @cached_property
    def outcome(self) -> Outcome:
        """The outcome: ``proved`` only if every case of the claim is."""
        kinds = set(self.kinds.values())
        if "refuted" in kinds:
            return "refuted"
        if self.is_proved_for_all:
            return "proved"
        if self.proved_for_all is not None:
            others = (kind for given, kind in self.kinds.items() if not self.is_among_all(given))
            kinds = {"proved", *others}
            parts = kinds
        elif not kinds:
            return "unchecked"
        else:
            parts = {kind for given, kind in self.kinds.items() if given or self.claim.parameters}
        whole = None if self.claim.parameters else self.kinds.get(())
        true = parts - {"vacuous"}  # a vacuous case is no exception
        if whole == "proved" or (self.covers and true == {"proved"}):
            return "proved"
        if whole == "exhausted" or (self.covers and true and true <= {"proved", "exhausted"}):
            return "exhausted"
        if not true and (
            whole == "vacuous" or (self.covers and parts and whole != "holds-to-bound")
        ):
            return "vacuous"
        if "proved" in true and true <= {"proved", "undecided"}:
            return "proved-for-listed"
        return "undecided" if kinds <= {"undecided", "vacuous"} else "holds-to-bound"

    @property
    def engines(self) -> tuple[EngineAgreement, ...]:
        """The number of proofs for each set of engines that agree."""
        counts: Counter[tuple[str, ...]] = Counter()
        silent: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
        for verdict in [*filter(None, [self.for_all]), *self.verdicts]:
            if verdict.is_by_proof and verdict.is_proved:
                counts[verdict.engines] += 1
                silent[verdict.engines] = {**verdict.no_answer, **silent[verdict.engines]}
        return tuple(
            EngineAgreement(engines=names, proofs=number, no_answer=silent[names])
            for names, number in counts.items()
        )


def few_words(row: ClaimRow) -> str:
    """Return the outcome of a row in a few words, with the bounds to which it holds."""
    match row.verdict:
        case "proved" if row.for_all:
            return f"proved for {row.for_all}"
        case "holds-to-bound" if "holds-to-bound" not in row.counts:  # not for every parameter
            return "holds where checked"
        case "holds-to-bound" if row.bound and row.bound[0] == row.bound[1]:
            return f"holds to {row.bound[1]:,}"
        case "holds-to-bound":
            return "holds to the bounds"
        case verdict:
            return SIGNS[verdict][1]


def engines_text(engines: Sequence[EngineAgreement]) -> str:
    """Name the engines that agree on proofs, and the reasons of the others.

    Return "" if there are no proofs.

    Examples
    --------
    >>> both = EngineAgreement(engines=("own", "checker"), proofs=4, no_answer={})
    >>> engines_text([both])
    'ours and the checker'
    >>> alone = EngineAgreement(engines=("own",), proofs=2, no_answer={"checker": "the time is over"})
    >>> engines_text([both, alone])
    'ours and the checker on 4 proofs; ours alone on 2 proofs (the checker: the time is over)'
    """
    parts = []
    for proved_by in engines:
        names = [ENGINES.get(name, name) for name in proved_by.engines]
        text = enumerated(names) + (" alone" if len(names) == 1 else "")
        if len(engines) > 1:
            text += f" on {counted(proved_by.proofs, 'proof')}"
        silent = [f"{ENGINES.get(name, name)}: {why}" for name, why in proved_by.no_answer.items()]
        parts.append(text + (f" ({'; '.join(silent)})" if silent else ""))
    return "; ".join(parts)


def enumerated(names: Sequence[str]) -> str:
    """Join names with commas and "and"; "" for none.

    Examples
    --------
    >>> enumerated(["z3", "cvc5", "the checker"]), enumerated(["ours"])
    ('z3, cvc5 and the checker', 'ours')
    """
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def _all_parameters(claim: Claim) -> list[dict[str, int]] | None:
    """Return all parameters of a claim if its condition names finitely many.

    None if there may be infinitely many, or if the condition is undefined for some of them.
    """
    if claim.is_over_tables:
        return None
    when = claim.statement.when
    choices: list[list[int]] = []
    names = sorted(claim.parameters)
    for name in names:
        values = None if when is None else when.solve(name)
        if values is None or any(value.names for value in values):
            return None
        choices.append(sorted({int(value.value({})) for value in values}))
    every = [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*choices)]
    try:
        return [case for known in every for case in claim.cases(known)]
    except ConfigError:
        return None


#: Verdicts on one case that cannot both be right.
CONTRADICTIONS: tuple[tuple[VerdictKind, VerdictKind], ...] = (
    ("refuted", "proved"),
    ("proved", "vacuous"),
    ("holds-to-bound", "vacuous"),
)


def _distinct_positions(verdicts: Iterable[ClaimVerdict]) -> int:
    """Count the distinct positions, or cases, that verdicts cover.

    Tables of one game contain each other: of verdicts with the same parameters, only the one on the largest table counts.
    """
    ascending = sorted(verdicts, key=lambda verdict: verdict.positions)
    return sum({tuple(sorted(v.parameters.items())): v.positions for v in ascending}.values())


def _row_text(cases: _Cases, decided: ClaimVerdict | None) -> str:
    """Return the outcome of a claim in one line; `decided` is its refutation, if any."""
    text, for_all = _text(cases, decided), cases.for_all
    every = (v.false_everywhere for v in cases.all_verdicts if v.verdict == "refuted")
    if (false_everywhere := next(filter(None, every), None)) is not None:
        places = "; at ".join(false_everywhere.positions)
        text += f"; false for {false_everywhere.text}, as it contradicts itself at {places}"
    if for_all is None or for_all.for_all is None or for_all is cases.proved_for_all:
        return text
    return f"{text}; not decided for {for_all.for_all.text} at once: {for_all.why}"


def _text(cases: _Cases, decided: ClaimVerdict | None) -> str:
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
            first = f"undecided{on}: {undecided[0].why}{_for(undecided[0])}"
            return "; ".join([first, *_vacuous_parts(cases)])
        case "refuted":
            assert decided is not None
            parts = [f"{decided.text}{_for(decided)}"]
            if len(verdicts) > 1:
                refuting = [verdict for verdict in verdicts if verdict.verdict == "refuted"]
                verb = "refutes" if len(refuting) == 1 else "refute"
                parts.append(f"{_share(refuting, verdicts)} {verb} it")
        case "proved" if cases.is_proved_for_all:
            parts = _family_parts(cases)
        case _ if cases.proved_for_all is None and [v.verdict for v in verdicts] == [
            "holds-to-bound"
        ]:
            parts = [f"{verdicts[0].text}{_for(verdicts[0])}"]
        case _:
            each = (_family_parts, _proof_parts, _check_parts, _bound_parts, _vacuous_parts)
            parts = [part for parts_of in each for part in parts_of(cases)]
    parts += _contradictions(cases)
    if cases.outcome != "refuted":
        parts += _about_the_reach(cases.by_parameters)
    if undecided and cases.outcome != "vacuous":
        silent = undecided[0]
        on = _share(undecided, verdicts)
        parts.append(f"undecided on {on}: {silent.why}{_for(silent)}")
    return "; ".join(parts)


def _named(given: Sequence[Given], words: str = ", for") -> str:
    """Return the parameters after some words; "" for the whole statement."""
    return "" if () in given else f"{words} {exact_text([dict(one) for one in given])}"


def _family_parts(cases: _Cases) -> list[str]:
    verdict = cases.proved_for_all
    if verdict is None or verdict.for_all is None:
        return []
    parts = [f"proved for {verdict.for_all.text}"]
    if chain := follows_text(verdict.evidence):
        parts.append(chain)
    if (beyond := verdict.false_everywhere) is not None:
        sharp = "the bound is sharp: with the next larger one the statement contradicts itself at"
        parts.append(f"{sharp} {'; at '.join(beyond.positions)}")
    if alone := [dict(given) for given in cases.of("proved") if cases.is_among_all(given)]:
        parts.append(f"also proved individually for {exact_text(alone)}")
    if not (cases.is_proved_for_all or cases.covers or cases.of("proved", alone=True)):
        parts.append(f"other {', '.join(verdict.for_all.parameters)} are not proved")
    return parts


def _proof_parts(cases: _Cases) -> list[str]:
    proved = cases.of("proved", alone=True)
    of_case = {
        given: next(v for v in cases.by_parameters[given] if v.verdict == "proved")
        for given in ([()] if () in proved else proved)
    }
    alike: dict[tuple[str, bool, bool], list[Given]] = defaultdict(list)
    for given, verdict in of_case.items():
        alike[verdict.unit, verdict.reach is None, verdict.printed is None].append(given)
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


def _others(cases: _Cases, given: Sequence[Given], done: str) -> list[str]:
    """Return a remark on the parameters that are not named."""
    if cases.covers:
        return ["it is about no others"] if len(given) == sum(map(bool, cases.kinds)) else []
    return [f"other {', '.join(dict(given[-1]))} are not {done}"]


def _check_parts(cases: _Cases) -> list[str]:
    given = cases.of("exhausted", alone=True)
    if not given or "proved" in (cases.kinds.get(()), cases.outcome):
        return []
    whole = _in_all(cases.verdicts_of("exhausted", alone=True))
    is_whole = cases.outcome == "exhausted" and not cases.of("proved")
    checked = f"{'true: a finite statement, ' if is_whole else ''}every case checked"
    parts = [f"{checked}{_named(given)} ({whole})"]
    return parts if () in given else parts + _others(cases, given, "checked")


def _bound_parts(cases: _Cases) -> list[str]:
    """Return the bounds up to which the statement holds without a proof."""
    held = cases.verdicts_of("holds-to-bound", alone=True)
    if not held or cases.outcome in ("proved", "exhausted"):
        return []
    if () in cases.kinds and cases.of("proved") and cases.in_all_ranges:
        return []  # the check covers only integers for which it is proved
    if len(held) == 1:
        return [f"{held[0].text}{_for(held[0])}"]
    first, *_, last = sorted(verdict.bound or 0 for verdict in held)
    bound = f"bound {first:,}" if first == last else f"bounds from {first:,} to {last:,}"
    parts = [f"holds up to {bound} on {len(held):,} tables ({_in_all(held)})"]
    if senses := {verdict.why for verdict in held if verdict.why}:
        weakest = _weakest(held)
        which = f"for the least{_for(weakest)}: " if len(senses) > 1 else ""
        parts.append(f"in this sense: {which}{weakest.why}")
    return parts


def _vacuous_parts(cases: _Cases) -> list[str]:
    given = cases.of("vacuous")
    if not given:
        return []
    parts = [f"vacuous{_named(given)}: {cases.verdicts_of('vacuous')[0].why}"]
    alone = set(cases.kinds.values()) == {"vacuous"} and not cases.covers
    return parts + _others(cases, given, "checked") if alone and () not in given else parts


def _contradictions(cases: _Cases) -> list[str]:
    """Return the contradictions between verdicts, which are always errors."""
    parts = []
    for kind, other in CONTRADICTIONS:
        groups = cases.by_parameters.items()
        if both := [of for of, group in groups if {kind, other} <= {v.verdict for v in group}]:
            parts.append(f"and yet {other}{_named(both, ' for')}: one of them is wrong")
    return parts


def _weakest(held: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return the weakest of the verdicts that hold in a restricted sense.

    For each choice of parameters only its largest table counts. The weakest verdict has the smallest frontier of values.
    """

    def frontier(verdict: ClaimVerdict) -> float:
        growth = verdict.evidence.get("growth")
        reached = growth[-1]["frontier"] if growth else None
        return math.inf if reached is None else reached

    ascending = sorted((v for v in held if v.why), key=lambda verdict: verdict.bound or 0)
    return min({tuple(v.parameters.items()): v for v in ascending}.values(), key=frontier)


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

    def source(verdict: ClaimVerdict) -> str:
        return "proof" if verdict.is_by_proof else "check" if verdict.table is None else "table"

    parts, every = [], Counter(map(source, verdicts))
    found = Counter(map(source, chosen))
    for part in ("table", "check", "proof"):
        number, of = found[part], every[part]
        all_of_them = counted(of, part)
        if not number:
            continue
        if len(chosen) == len(verdicts) == of:
            parts.append(all_of_them)
        elif number == of:
            parts.append(f"the only {part}" if of == 1 else f"all {all_of_them}")
        else:
            parts.append(f"{number:,} of {all_of_them}")
    return " and ".join(parts)


def _in_all(verdicts: Sequence[ClaimVerdict]) -> str:
    return counted(_distinct_positions(verdicts), verdicts[0].unit)


#: Outcomes that leave open whether a claim is right.
SILENT: set[Outcome] = {"unchecked", "undecided", "vacuous"}


def rows(
    catalogue: Catalogue, verdicts: Iterable[ClaimVerdict], config: str = DEFAULT_CONFIG
) -> tuple[ClaimRow, ...]:
    """Return a row for every claim of the files of a run, in their order.

    Verdicts on claims over several tables come from `check_across`. `config` is the configuration that commands name.
    """
    of_claim: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in verdicts:
        of_claim[verdict.claim].append(verdict)
    return tuple(_row(_Cases(claim, of_claim[claim.id]), config) for claim in catalogue)


def _row(cases: _Cases, config: str) -> ClaimRow:
    claim, for_all = cases.claim, cases.proved_for_all
    check = command("claims", "check", claim.id, config=config)
    verdicts = [*([] if for_all is None else [for_all]), *cases.verdicts]
    refuted = [verdict for verdict in verdicts if verdict.verdict == "refuted"]
    decided = min(refuted, key=lambda verdict: _least_first(claim, verdict), default=None)
    bounds = [verdict.bound for verdict in verdicts if verdict.bound is not None]
    proved = [dict(case) for case in cases.of("proved", alone=True) if case]
    all_of = "" if for_all is None or for_all.for_all is None else for_all.for_all.text
    proved_for = [all_of] if all_of else []
    proved_for += [exact_text(proved)] if proved else []
    parameters: list[Mapping[str, int]] = [verdict.parameters for verdict in verdicts]
    if claim.is_over_tables:
        (name,) = claim.parameters
        parameters = [{name: int(n)} for v in verdicts for n in v.evidence["p_positions"]]
    place = None
    if decided is not None and (refutes := decided.counterexample) is not None:
        place = Decided(
            table=decided.table,
            parameters=decided.parameters,
            coordinates=refutes.coordinates,
            position=refutes.position,
        )
    repeats = check
    if cases.is_proved_for_all and claim.statement.follows_from is None:
        repeats = claim.command_for_all
    elif not cases.is_proved_for_all and (cases.of("proved") or for_all):
        repeats = f"{check} --proofs"
    return ClaimRow(
        claim=claim.id,
        verdict=cases.outcome,
        text=_row_text(cases, decided),
        checks=len(verdicts),
        counts=tally(verdict.verdict for verdict in verdicts),
        parameters=parameters_text(parameters),
        proved_for=", and for ".join(proved_for),
        for_all=all_of,
        follows_from="" if for_all is None else follows_text(for_all.evidence),
        engines=cases.engines,
        bound=(min(bounds), max(bounds)) if bounds else None,
        positions=_distinct_positions(cases.verdicts),
        seconds=round(sum(verdict.seconds for verdict in verdicts), 4),
        decided=place,
        check=check,
        command=repeats,
    )


def _least_first(claim: Claim, verdict: ClaimVerdict) -> tuple[Any, ...]:
    """Return the sort key of a counterexample: size, position, parameters."""
    refutes, given = verdict.counterexample, list(verdict.parameters.values())
    assert refutes is not None
    if refutes.position is None:
        return (math.inf, (), given)
    named = zip(refutes.coordinates, refutes.position, strict=True)
    # Of a position, passes left do not count.
    sizes = [value for name, value in named if claim.pattern is None or name != "p"]
    return (max(sizes), refutes.position, given)


def pairs(catalogue: Catalogue, rows: Iterable[ClaimRow]) -> tuple[ClaimPair, ...]:
    """Decide between claims that correct or contradict each other."""
    row_of = {row.claim: row for row in rows}
    result: dict[frozenset[str], ClaimPair] = {}
    for claim in catalogue:
        entry = claim.statement
        if not isinstance(entry, Entry):
            continue
        others: list[tuple[PairKind, str | None]] = [("misprint", entry.corrects)]
        others += [("disagreement", other) for other in entry.contradicts]
        for kind, other in others:
            # The other file may not be part of the run, and both claims may name each other.
            if other in row_of and (both := frozenset((claim.id, other))) not in result:
                result[both] = _pair(kind, catalogue, row_of[other], row_of[claim.id])
    return tuple(result.values())


def _pair(kind: PairKind, catalogue: Catalogue, printed: ClaimRow, intended: ClaimRow) -> ClaimPair:
    one, other = catalogue.claims[printed.claim], catalogue.claims[intended.claim]
    names = [_name(one, other), _name(other, one)]
    if kind == "misprint":
        names = [f"{names[0]} as printed", f"{names[1]} as intended"]
    first, second = f"{names[0]} {_predicate(printed)}", f"{names[1]} {_predicate(intended)}"
    right: Right
    match printed.verdict == "refuted", intended.verdict == "refuted":
        case _ if {printed.verdict, intended.verdict} & SILENT:
            right, text = "open", f"Open: {first}, {second}."
        case True, False:
            right, text = "intended", f"{second}, {first}."
        case False, True:
            right, text = "printed", f"{first}, {second}."
        case True, True:
            right, text = "neither", f"Neither is right: {first}, {second}."
        case _:
            right, text = "both", f"Not distinguished so far: {first}, {second}."
    return ClaimPair(
        kind=kind,
        printed=printed.claim,
        intended=intended.claim,
        right=right,
        text=text,
        decided=printed.decided or intended.decided,
    )


def _name(claim: Claim, other: Claim) -> str:
    assert isinstance(claim.statement, Entry)
    assert claim.paper is not None
    number = claim.statement.number
    return number if claim.paper == other.paper else f"{number} of {claim.paper.key}"


def _predicate(row: ClaimRow) -> str:
    """Return the outcome of a row as the predicate of a sentence."""
    match row.verdict:
        case "refuted":
            decided = row.decided
            assert decided is not None
            given = parameters_text([decided.parameters])
            named = f" for {given}" if given else ""
            if decided.position is None:
                return f"is refuted{named}"
            return f"is refuted at {place_text(decided.coordinates, decided.position)}{named}"
        case "proved" | "proved-for-listed":
            return f"is proved for {row.proved_for}" if row.proved_for else "is proved"
        case "exhausted":
            return "is true in every case"
        case "holds-to-bound":
            return "holds as far as it was checked"
        case verdict:
            return f"is {verdict}"


def require_agreement(catalogue: Catalogue, verdicts: Iterable[ClaimVerdict]) -> None:
    """Raise `DisagreementError` if verdicts on a claim contradict each other.

    Only claims with `for_all` are compared. They must not be proved for all parameters and refuted for some of them. If one is
    refuted, no proof for the same parameters may exist, and no table with the counterexample may confirm it.
    """
    of_claim: dict[str, list[ClaimVerdict]] = defaultdict(list)
    for verdict in verdicts:
        if catalogue.claims[verdict.claim].statement.for_all is not None:
            of_claim[verdict.claim].append(verdict)
    for claim_id, several in of_claim.items():
        claim = catalogue.claims[claim_id]
        cases = _Cases(claim, several)
        for given, group in cases.by_parameters.items():
            refuted = [verdict for verdict in group if verdict.verdict == "refuted"]
            if not refuted:
                continue
            found = f"{claim_id}: {refuted[0].text}, for {dict(given)} ({_origin(refuted[0])})"
            if cases.is_among_all(given):
                condition = math_text(claim.statement.for_all or "")
                raise DisagreementError(f"{found}; proved for all {condition}")
            for verdict in group:
                if any(_contradicts(verdict, other) for other in refuted):
                    raise DisagreementError(f"{found}; {verdict.text} ({_origin(verdict)})")


def _contradicts(verdict: ClaimVerdict, refuted: ClaimVerdict) -> bool:
    """Whether a verdict says that a claim is true at its counterexample."""
    if verdict.verdict in ("proved", "exhausted"):
        return True
    position = None if refuted.counterexample is None else refuted.counterexample.position
    within = position is not None and max(position) <= (verdict.bound or -1)
    return verdict.verdict == "holds-to-bound" and within


def _origin(verdict: ClaimVerdict) -> str:
    if verdict.table is not None:
        return f"table {verdict.table}"
    return "by proof" if verdict.is_by_proof else "by a check"


# ---- Claims that compare tables.


def check_across(catalogue: Catalogue, verdicts: Iterable[ClaimVerdict]) -> list[ClaimVerdict]:
    """Return a verdict on each claim that compares tables.

    `verdicts` are those on single tables; for such claims their evidence is a number, ``p_positions``.
    """
    numbers: dict[str, dict[int, int]] = defaultdict(dict)
    for verdict in verdicts:
        if catalogue.claims[verdict.claim].is_over_tables:
            (parameter,) = verdict.parameters.values()
            numbers[verdict.claim][parameter] = verdict.evidence["p_positions"]
    compared = []
    for claim_id, counts in numbers.items():
        start = time.perf_counter()
        outcome = check_counts(catalogue.claims[claim_id], counts)
        finding = Finding(outcome, {"p_positions": {str(n): counts[n] for n in sorted(counts)}})
        compared.append(ClaimVerdict.of(claim_id, {}, finding, time.perf_counter() - start))
    return compared


def check_counts(claim: Claim, counts: Mapping[int, int]) -> Verdict:
    """Return the verdict on the relations of a claim of kind ``counts``.

    The claim's parameter runs from 1, and `counts` maps its values to numbers of P-positions; sums end at the largest value. A
    relation is skipped where it has no value, or needs a missing table, directly or for a sum. The verdict counts the remaining
    equations, and names relations without any.
    """
    compared = claim.counts
    assert compared is not None
    (parameter,) = claim.parameters
    largest = max(counts, default=0)
    tables = {"g": _Numbers(counts)}
    for name, summand in compared.sums.items():
        tables[name] = _Numbers(_sums(summand, parameter, counts, largest))
    equations = dict.fromkeys(compared.conditions, 0)
    for value in range(1, largest + 1):
        for relation in equations:
            if parameter not in relation.names and value > 1:
                continue
            for table in tables.values():
                table.used.clear()
            try:
                holds = relation.value({parameter: value}, tables)
            except (KeyError, FormulaError):  # a table is missing, or an integer exceeds 64 bits
                continue
            equations[relation] += 1
            if not holds:
                numbers = ", ".join(
                    f"{name}({n}) = {table[n]:,}"
                    for name, table in tables.items()
                    for n in sorted(table.used)
                )
                claimed = f"{math_text(relation)}, here with {parameter} = {value}"
                return Refuted(Counterexample(numbers, claimed), sum(equations.values()))
    checked = sum(equations.values())
    if not checked:
        return Undecided("no relation has all the tables that it needs")
    number = "the one equation" if checked == 1 else f"all {checked:,} equations"
    sense = f"{number} between the tables with {parameter} up to {largest:,}"
    unchecked = [math_text(relation) for relation, n in equations.items() if not n]
    if unchecked:
        sense += f"; none of {', '.join(unchecked)}"
    return HoldsToBound(sum(counts.values()), largest, sense)


def _sums(
    summand: Formula, parameter: str, counts: Mapping[int, int], largest: int
) -> Mapping[int, int]:
    """Return the sums of `summand` over `parameter` = 1, …, n, as far as known."""
    sums, g = {0: 0}, _Numbers(counts)
    for n in range(1, largest + 1):
        try:
            sums[n] = sums[n - 1] + int(summand.value({parameter: n}, {"g": g}))
        except (KeyError, FormulaError):
            break
    return sums


@dataclass
class _Numbers(Sequence[int]):
    """Numbers of P-positions by parameter, with a record of those used."""

    known: Mapping[int, int]
    used: set[int] = field(default_factory=set)

    def __len__(self) -> int:
        return sys.maxsize

    def __getitem__(self, index: Any) -> Any:
        number = self.known[index]
        self.used.add(index)
        return number
