"""Statements on families: formulas of single tables lifted to parameters, and the condition under which each holds.

Idea: formulas of several tables that differ only in their numbers are one formula with holes, and a hole is filled by an expression
in the parameters that gives all of its numbers (`lift`). Where the lifted formula holds is a set of tables, and the shortest
condition that tells it from the others is looked for (`domains`).

What is kept true: tables that are put aside take no part in either search, and say afterwards whether formula and condition are
right together; if they are not, half of them join the search, once. So what is stated was right on tables that it was not made
from, or is "refuted", or is doubtful and needs further games.

Cost: every lifted formula in every table that is searched, few cells first; and for each that holds in several, a search for its
condition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from choco_pipeline.claims.conclusions.conclusion import Conclusion
from choco_pipeline.finding.families.combinations import Point
from choco_pipeline.finding.families.domains import TRIED, Domain, domain, is_overfitted
from choco_pipeline.finding.families.frontiers import FamilyFormula, frontier_statements
from choco_pipeline.finding.families.lift import LabelledFormula, labelled_formulas_in, lifted
from choco_pipeline.finding.families.table_family import (
    Outcome,
    TableFamily,
    check_of,
    outcome,
    outcome_in_corner,
)
from choco_pipeline.finding.families.tested_condition import (
    TestedCondition,
    tested_condition,
)
from choco_pipeline.finding.families.wording import (
    claim_of,
    constant_exceptions,
    kind_of,
    listed,
    named_by_ranges,
    sentence,
    values_of,
)
from choco_pipeline.finding.statements.found_document import Searched
from choco_pipeline.finding.statements.statement import Evidence, FoundStatement, Tried
from choco_pipeline.finding.statements.statement_line import StatementLine, nodes_in
from choco_pipeline.formula import parse
from choco_pipeline.formula.nodes import Integer, Name, Node, walk, with_operands
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.mining.closed_forms.learnt_formulas import pooled_formula
from choco_pipeline.mining.closed_forms.readings import Reading

#: A formula must hold in so many of the tables that are searched.
FEWEST_TABLES = 3
#: Families of so many tables are small.
FEW_MEMBERS = 48
#: Shifts of nim-sums that are tried up to a bound, 0 first: one for each remainder modulo 8, up to which bounds are told apart.
SHIFTS = (0, -1, 1, -2, 2, -3, 3, 4)
#: Of a condition that too few tables tell from chance only a short one, of so many nodes, is worth trying on further games.
LONGEST_IN_DOUBT = 20
#: Of so many tables of which nothing like it was said a formula is to tell, if its condition names its tables.
FEWEST_NEW = 2


@dataclass(frozen=True)
class Generalised:
    """What was found on a family."""

    #: What holds on the tables that were held out, and, with the verdict "refuted", what does not.
    statements: tuple[FoundStatement, ...]
    #: What was looked for in vain, and why.
    searches: tuple[Searched, ...]
    #: What holds on too few tables to tell, and says something only if it holds for further games.
    doubtful: tuple[FoundStatement, ...] = ()


def generalise(family: TableFamily) -> Generalised:
    """Return statements with parameters that follow from what was mined in a family's tables.

    Formulas are lifted from the tables that are searched, and tried in all of these. The shortest condition that tells the
    tables where a formula holds from the others is then tested on tables that were held out. If some of these contradict
    it, half of them join the search, once, and the other half remains for the test. Where a formula fails, the largest
    coordinate up to which it is right is taken as a number that depends on the parameter.

    Of a small family a third is too much to put aside: numbers of five tables with odd k are determined, those of three are
    not. So formulas are lifted from all tables, too. What that adds is doubtful until further games bear it out. Findings of
    the kinds ``formulas`` and ``shifts`` are used.
    """
    search = _Search(family)
    candidates = search.candidates(family.searched)
    if not candidates:
        search.in_vain(
            "formulas with parameters",
            0,
            f"none of {search.lifted} lifted formulas holds in {FEWEST_TABLES} tables",
        )
    for candidate in candidates:
        search.state(candidate)
    nim_sums = list(search.nim_sums(candidates))
    tried = search.lifted + len(nim_sums)
    if len(family.members) <= FEW_MEMBERS:
        every = range(len(family.members))
        for candidate in search.candidates(every, candidates, by_value=True):
            search.doubt(candidate)
            search.untold.append(candidate)
    search.name(search.untold)
    frontiers = frontier_statements(family, [*candidates, *nim_sums], tried)
    return Generalised(
        (*search.statements, *frontiers), tuple(search.searches), tuple(search.doubtful)
    )


#: What was said, the check of a claim that says it, and the tables in which it holds.
_First = tuple[LabelledFormula, Mapping[str, Any], dict[int, Outcome]]


@dataclass
class _Search:
    family: TableFamily
    statements: list[FoundStatement] = field(default_factory=list)
    searches: list[Searched] = field(default_factory=list)
    doubtful: list[FoundStatement] = field(default_factory=list)
    #: Of which no condition tells where they hold.
    untold: list[FamilyFormula] = field(default_factory=list)
    lifted: int = 0

    def candidates(
        self,
        places: Sequence[int],
        before: Sequence[FamilyFormula] = (),
        *,
        by_value: bool = False,
    ) -> list[FamilyFormula]:
        """Return formulas lifted from some tables that hold in several, but for those that another one makes superfluous.

        Tables are given by their places; formulas `before` are there already; `by_value` is as for `lifted`.
        """
        family = self.family
        searched = {i: family.members[i] for i in places}
        instances = [
            (member.parameters, labelled)
            for member in searched.values()
            for finding in member.findings
            for labelled in labelled_formulas_in(finding, with_pass=member.corner.game.passes > 0)
        ]
        statements = lifted(instances or list(self._pooled(places)), by_value=by_value)
        self.lifted = len(statements)
        checks: dict[LabelledFormula, Mapping[str, Any]] = {
            labelled: check_of(labelled, family.coordinates, seen)
            for labelled, seen in statements.items()
        }
        known = {formula.labelled for formula in before}
        checks |= {formula.labelled: formula.check for formula in before}
        promising: list[_First] = []
        for labelled, check in checks.items():
            outcomes = {i: outcome_in_corner(check, member) for i, member in searched.items()}
            inside = {i: outcome for i, outcome in outcomes.items() if outcome.holds}
            if len(inside) >= FEWEST_TABLES:
                promising.append((labelled, check, inside))
        promising.sort(key=lambda entry: (-len(entry[2]), entry[0].size))
        superfluous = {
            i
            for i, formula in enumerate(promising)
            for j, other in enumerate(promising)
            if i != j and _covers(other, formula) and (j < i or not _covers(formula, other))
        }
        kept = [
            formula
            for i, formula in enumerate(promising)
            if i not in superfluous and formula[0] not in known
        ]
        return [
            FamilyFormula(
                labelled, check, tuple(outcome(check, member) for member in family.members)
            )
            for labelled, check, _ in kept
        ]

    def _pooled(self, places: Sequence[int]) -> Iterator[tuple[Point, LabelledFormula]]:
        """Yield for each of some tables what one formula in heaps says that is right on all of them: of uncut bars."""
        members = [self.family.members[i] for i in places]
        is_asked = any(f.kind == "formulas" for member in members for f in member.findings)
        if not is_asked or any(member.corner.variable.name != "p_cell" for member in members):
            return
        readings = [Reading(member.corner) for member in members]
        formula = pooled_formula(readings)
        if formula is not None:
            for member, reading in zip(members, readings, strict=True):
                yield member.parameters, LabelledFormula("P iff", reading.said(formula))

    def nim_sums(self, candidates: Sequence[FamilyFormula]) -> Iterator[FamilyFormula]:
        """Yield nim-sums of the coordinates that are none of the candidates: they may be right up to a bound.

        At P-positions, those coordinates on which heights depend are shifted, too, all by the same number.
        """
        family, game = self.family, self.family.members[0].corner.game
        if len(family.names) != 1:
            return
        is_grundy = family.members[0].corner.variable.name == "grundy"
        shifted = {name for limit in game.rules.limits.values() for name in limit.of}
        for shift in SHIFTS if shifted and not is_grundy else (0,):
            names = [
                f"({n}{shift:+d})" if shift and n in shifted else n for n in family.coordinates
            ]
            text = " ^ ".join(names)
            labelled = (
                LabelledFormula("G =", text)
                if is_grundy
                else LabelledFormula("P iff", parse(f"{text} == 0").text)
            )
            if all(candidate.labelled != labelled for candidate in candidates):
                check = check_of(labelled, family.coordinates, {})
                outcomes = (outcome(check, member) for member in family.members)
                yield FamilyFormula(labelled, check, tuple(outcomes))

    def state(self, formula: FamilyFormula) -> None:
        """State where a formula holds, if a condition says so, and the tables that are held out agree."""
        what = f"for which parameters {sentence(formula.labelled)}"
        tested = tested_condition(self.family, formula.holds)
        inside = sum(formula.holds)
        if tested is None:
            self.in_vain(what, 0, f"no condition tells the {inside} tables from the others")
            self.untold.append(formula)
            return
        if not tested.is_enough(self.family, inside):
            condition = tested.domain.text or "all parameters"
            self.in_vain(what, tested.domain.tried, f"{condition}: too few tables to tell")
            self.doubt(formula)
            self.untold.append(formula)
            return
        statement = self._statement(formula, tested)
        self.statements.append(statement)
        if statement.verdict == "refuted":  # another condition may tell, of all tables
            self.doubt(formula)
            self.untold.append(formula)

    def doubt(self, formula: FamilyFormula) -> None:
        """Keep a formula that too few tables tell of, with a short condition that all of them agree with: further games may."""
        condition = domain(self.family.points, formula.holds)
        if condition is None or is_overfitted(condition.text, self.family.points):
            return
        if not condition.text or nodes_in(condition.text) <= LONGEST_IN_DOUBT:
            every = tuple(range(len(self.family.members)))
            self.doubtful.append(self._statement(formula, TestedCondition(condition, every, ())))

    def name(self, formulas: Sequence[FamilyFormula]) -> None:
        """State formulas of the tables in which they hold, by the values of their parameters, and of no others.

        First what says most in few words: its length for each range of values in its condition, and that of the condition, over
        the number of tables of which nothing like it was stated before. If these are few, or it has parameters and is longer
        than their own formulas, each is better told of by itself.
        """
        told: dict[tuple[str, str], set[int]] = {}
        waiting = {formula.labelled: formula for formula in formulas}
        conditions = {
            formula.labelled: named_by_ranges([self.family.points[i] for i in formula.inside])
            for formula in formulas
        }
        while waiting:
            lengths = {}
            for labelled, formula in waiting.items():
                new = set(formula.inside) - told.get((labelled.label, labelled.where), set())
                ranges, condition = conditions[labelled]
                if condition and len(new) >= FEWEST_NEW:
                    nodes, of_one_table = self._lengths(labelled)
                    total = ranges * nodes + nodes_in(condition)
                    if nodes == of_one_table or total < len(new) * of_one_table:
                        lengths[labelled] = total / len(new), labelled.size
            if not lengths:
                return
            best = min(lengths, key=lambda labelled: lengths[labelled])
            formula = waiting.pop(best)
            told.setdefault((best.label, best.where), set()).update(formula.inside)
            every = tuple(range(len(self.family.members)))
            tested = TestedCondition(Domain(conditions[best][1], 1), every, ())
            self.statements.append(self._statement(formula, tested))

    def _lengths(self, labelled: LabelledFormula) -> tuple[int, int]:
        """Return how long a formula is, and how long with numbers for what has parameters alone."""
        trees = [parse_nodes(text) for text in (labelled.formula, labelled.where) if text]
        with_numbers = [_with_numbers(tree, self.family.names) for tree in trees]
        return sum(map(_nodes, trees)), sum(map(_nodes, with_numbers))

    def _statement(self, formula: FamilyFormula, tested: TestedCondition) -> FoundStatement:
        family, labelled, condition = self.family, formula.labelled, tested.domain
        points, holds = family.points, formula.holds
        learnt = [i for i in tested.learnt if holds[i]]
        right = [i for i in tested.held_out if holds[i]]
        refuting = [i for i in tested.held_out if condition.holds(points[i]) and not holds[i]]
        seen = [points[i] for i in (*learnt, *right)]
        statement = FoundStatement(
            kind=kind_of(labelled),
            ruleset=family.ruleset,
            said=sentence(labelled),
            found_on=formula.evidence(family, learnt, "searched"),
            held_on=self._held_on(formula, tested, right),
            tried=Tried(
                self.lifted + condition.tried,
                f"formulas that tables have in common; conditions: {TRIED}",
                len(tested.learnt),
            ),
            when=condition.text,
            parameters=values_of(seen, family.names),
            seen=tuple(tuple(point[name] for name in family.names) for point in seen),
            claim=claim_of(family.ruleset, formula.check),
            formulas=(StatementLine(labelled.label, labelled.formula, labelled.where),),
            exceptions=constant_exceptions(labelled),
        )
        if not refuting:
            return statement
        failure = formula.outcomes[refuting[0]].failure
        where = f"{listed([points[refuting[0]]])}: {failure[0] if failure else 'no value'}"
        return statement.with_conclusion(
            Conclusion("refuted", f"wrong in a table held out, {where}")
        )

    def _held_on(
        self, formula: FamilyFormula, tested: TestedCondition, right: Sequence[int]
    ) -> Evidence:
        """Return what the tables that were held out say of a formula and its condition."""
        points, condition = self.family.points, tested.domain
        outside = [i for i in tested.held_out if not condition.holds(points[i])]
        also = [points[i] for i in outside if formula.holds[i]]
        held_on = formula.evidence(self.family, right, "held-out")
        wrong = len(outside) - len(also)
        what = held_on.what
        what += f"; wrong in {wrong} for which the condition does not hold" if wrong else ""
        what += f"; right, too, for {listed(also)}, for which it does not hold" if also else ""
        return replace(held_on, what=what)

    def in_vain(self, what: str, tried: int, why: str) -> None:
        """Record a search that found nothing."""
        self.searches.append(
            Searched(
                what=what,
                game=self.family.ruleset,
                tried=Tried(self.lifted + tried, what),
                nothing=True,
                why=why,
            )
        )


def _covers(formula: _First, other: _First) -> bool:
    """Whether one formula says wherever another one is right at least as much, so that the other one is superfluous."""
    (labelled, _, inside), (less, _, fewer) = formula, other
    if labelled.label != less.label or not fewer.keys() <= inside.keys():
        return False
    if labelled.where in ("", less.where):
        return True
    return labelled.formula == less.formula and all(
        inside[i].positions >= outcome.positions for i, outcome in fewer.items()
    )


def _with_numbers(node: Node, names: Sequence[str]) -> Node:
    """Return a formula with a number for each part that has these names and no others."""
    used = {part.name for part in walk(node) if isinstance(part, Name)}
    if used and used <= set(names):
        return Integer(0)
    return with_operands(node, lambda operand: _with_numbers(operand, names))


def _nodes(node: Node) -> int:
    return sum(1 for _ in walk(node))
