"""Statements on families: lines with parameters, and conditions on these.

Idea: lines of several tables that differ only in integers become one line with holes. Each hole is filled with an expression in the
parameters that gives all its integers. The filled line holds in a set of tables. The shortest condition for this set is learned.

Invariant: neither search uses the held-out tables. They test a line and its condition together. If the first two fifths
of them refute the condition, these join the search, once. So a statement holds on tables from which it was not learned, or it is
"refuted", or it is doubtful and needs further games.

Cost: each lifted line is compared with each searched table, few cells first. Each line that holds in several tables needs a search
for a condition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import islice, product

from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.finding.conditions import (
    TRIED,
    TestedCondition,
    domain,
    is_overfitted,
    tested_condition,
)
from choco_pipeline.finding.laws import (
    CONSTANT,
    LAWS_TRIED,
    Combination,
    Law,
    determined,
    laws,
    linear,
    shapes_of,
)
from choco_pipeline.finding.lines import grundy, nodes_in, p_iff, up_to, with_formulas
from choco_pipeline.finding.scope import Parameters
from choco_pipeline.finding.single import lines_of
from choco_pipeline.finding.statement import FoundStatement, Proposals, Searched
from choco_pipeline.finding.tables import (
    FirstPositions,
    Outcome,
    TableFamily,
    listed,
    outcome,
    outcome_in_corner,
    outcome_up_to,
)
from choco_pipeline.formula import nodes, parse
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.mining.closed_forms.learnt_formulas import Reading, pooled_formula
from choco_pipeline.mining.table_findings import Evidence, Tried
from choco_pipeline.statements.tree import Proposition, text_of

#: Most expressions for one hole, and most combinations of them for a line.
MOST_FOR_ONE, MOST_FOR_ALL = 3, 12

#: The largest numerator and the largest denominator of a coefficient.
LARGEST, LARGEST_BELOW = 8, 2
#: Moduli of residue classes whose tables are compared separately.
MODULI = (2, 4)

#: Fewest lines whose integers are the same multiples of a term.
FEWEST_ALIKE = 3

#: Parameters, and the integers in a line.
_Instance = tuple[Parameters, tuple[int, ...]]

#: The first character of a hole; no name of a formula has it.
_HOLE = "#"


def lifted(
    of_tables: Sequence[tuple[Parameters, Proposition]], *, by_value: bool = False
) -> list[str]:
    """Return lines with parameters whose instances are lines of single tables.

    Lines of one form differ only in integers. Each integer is constant, or an expression in the parameters that the lines determine,
    in all tables or in those of one residue class. The result is not compared with tables. With `by_value`, tables with the same value
    of one of several parameters are compared, too: a residue class of a small family may have no others.
    """
    forms: dict[Proposition, list[_Instance]] = {}
    for point, proposition in of_tables:
        numbers: list[int] = []
        form = with_formulas(proposition, partial(_with_holes, numbers=numbers))
        forms.setdefault(form, []).append((point, tuple(numbers)))
    lines = (
        text_of(with_formulas(with_formulas(form, partial(_fill, holes=holes)), _with_inequalities))
        for form, instances in forms.items()
        for part in _parts(instances, by_value=by_value)
        for holes in islice(_fillings(part, _spare(instances)), MOST_FOR_ALL)
    )
    return list(dict.fromkeys(lines))


def _spare(instances: Sequence[_Instance]) -> int:
    """Return the number of instances needed beyond those that determine a sum.

    Small members of a family often have shorter lines of another form, so that only two have this one. Then two are enough: the line
    must still hold in `FEWEST_TABLES` tables.
    """
    is_pair = len(instances) == 2 and len(instances[0][0]) == 1
    return 0 if is_pair and instances[0][0] != instances[1][0] else 1


def _parts(instances: Sequence[_Instance], *, by_value: bool) -> Iterator[list[_Instance]]:
    """Yield sets of lines of one form that may be instances of one line.

    - The line with the smallest integers of each table: for all tables, each residue class and, with `by_value`, each value.
    - The largest set of lines whose integers are the same multiples of a term.
    - Each set of lines with the same integers.
    """
    chosen = _least(instances)
    yield chosen
    names = sorted(instances[0][0])
    for name, modulus in product(names, MODULI):
        yield from _classes(chosen, name, modulus)
    for name in names if by_value and len(names) > 1 else ():
        yield from _classes(chosen, name)
    yield from _proportional(instances)
    same: dict[tuple[int, ...], list[_Instance]] = {}
    for instance in instances:
        same.setdefault(instance[1], []).append(instance)
    yield from same.values()


def _least(instances: Sequence[_Instance]) -> list[_Instance]:
    """Return for each table the line with the smallest integers."""
    least: dict[tuple[int, ...], _Instance] = {}
    for instance in sorted(
        instances, key=lambda instance: (sum(map(abs, instance[1])), instance[1])
    ):
        least.setdefault(tuple(instance[0].values()), instance)
    return list(least.values())


def _proportional(instances: Sequence[_Instance]) -> Iterator[list[_Instance]]:
    """Yield the largest set of lines whose integers are the same multiples of a term.

    Several lines of one form may hold in a small table, and the one with the smallest integers may fail in a larger one.
    """
    points = [point for point, _ in instances]
    most: dict[tuple[int, ...], _Instance] = {}
    for shape in shapes_of(sorted(points[0]), points):
        if len(shape) > 1 or shape == (CONSTANT,):
            continue
        alike: dict[tuple[Fraction, ...], dict[tuple[int, ...], _Instance]] = {}
        for instance in instances:
            value = shape[0].value(instance[0])
            if value:
                multiples = tuple(Fraction(number, value) for number in instance[1])
                alike.setdefault(multiples, {})[tuple(instance[0].values())] = instance
        most = max([most, *alike.values()], key=len)
    if len(most) >= FEWEST_ALIKE:
        yield list(most.values())


def _classes(chosen: Sequence[_Instance], name: str, modulus: int = 0) -> Iterator[list[_Instance]]:
    classes: dict[int, list[_Instance]] = {}
    for instance in chosen:
        value = instance[0][name]
        classes.setdefault(value % modulus if modulus else value, []).append(instance)
    yield from classes.values()


def _with_holes(node: nodes.Node, numbers: list[int]) -> nodes.Node:
    match node:
        case nodes.Integer(value):
            numbers.append(value)
            return nodes.Name(f"{_HOLE}{len(numbers) - 1}")
        case nodes.Binary("-", left, nodes.Integer(value)):
            return _with_holes(nodes.Binary("+", left, nodes.Integer(-value)), numbers)
        case _:
            return nodes.with_operands(node, lambda operand: _with_holes(operand, numbers))


def _fillings(instances: Sequence[_Instance], spare: int = 1) -> Iterator[tuple[Combination, ...]]:
    """Yield expressions for the holes: numbers, or sums with small coefficients.

    A sum needs `spare` more instances than terms. With `spare` 0 only linear sums are tried.
    """
    points = [point for point, _ in instances]
    shapes = shapes_of(sorted(points[0]), points)
    if spare == 0:
        shapes = [shape for shape in shapes if {*shape} <= {CONSTANT, *map(linear, points[0])}]

    def is_short(filling: Combination) -> bool:
        return filling.is_constant or all(
            abs(c.numerator) <= LARGEST and c.denominator <= LARGEST_BELOW
            for c in filling.coefficients
        )

    columns = zip(*(numbers for _, numbers in instances), strict=True)
    fitting = (filter(is_short, determined(points, column, shapes, spare)) for column in columns)
    yield from product(*(islice(fillings, MOST_FOR_ONE) for fillings in fitting))


def _fill(node: nodes.Node, holes: Sequence[Combination]) -> nodes.Node:
    match node:
        case nodes.Binary("+", left, nodes.Name(name)) if name.startswith(_HOLE):
            return _sum(_fill(left, holes), holes[int(name[1:])])
        case nodes.Name(name) if name.startswith(_HOLE):
            return parse_nodes(holes[int(name[1:])].text)
        case _:
            return nodes.with_operands(node, lambda operand: _fill(operand, holes))


def _sum(kept: nodes.Node, added: Combination) -> nodes.Node:
    """Return the sum of both, without zero, with a minus for a negative one."""
    text = added.text
    if added.leading == 0:
        return kept
    if added.leading < 0 and added.is_in_brackets:  # -((k+1)//2), not (-k-1)//2
        text = f"-{added.negated.text}"
    sign = "+" if added.leading > 0 else ""
    return nodes.substitute(parse_nodes(f"kept{sign}{text}"), {"kept": kept})


def _with_inequalities(node: nodes.Node) -> nodes.Node:
    """Return a condition with ``a%2 != b%2`` for ``a%2 == -(b%2)+1``."""
    match node:
        case nodes.Compare(
            ("==",),
            (
                nodes.Binary("%", _, nodes.Integer(2)) as left,
                nodes.Binary(
                    "+",
                    nodes.Negate(nodes.Binary("%", _, nodes.Integer(2)) as other),
                    nodes.Integer(1),
                ),
            ),
        ):
            return nodes.Compare(("!=",), (left, other))
        case _:
            return nodes.with_operands(node, _with_inequalities)


#: Fewest tables in which a line must hold.
FEWEST_TABLES = 3
#: Most tables of a small family.
FEW_MEMBERS = 48
#: Shifts in nim-sums that may hold up to a bound: one for each residue modulo 8, because bounds follow laws modulo 8.
SHIFTS = (0, -1, 1, -2, 2, -3, 3, 4)
#: Most nodes of the condition of a doubtful statement.
LONGEST_IN_DOUBT = 20


def generalise(family: TableFamily) -> Proposals:
    """Return statements with parameters, lifted from lines of single tables.

    Lines are lifted from the searched tables and compared with all of these. The shortest condition for the tables in which a line
    holds is tested on the held-out tables. If the first two fifths of these refute it, they join the search, once. If a line fails, it
    holds up to a bound in each table, and a law in the parameter is learned for these bounds.

    A small family cannot spare a third of its tables: five tables with odd k determine integers, three do not. So lines are lifted
    from all tables, too. Statements found only in this way are doubtful until they hold for further games.
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
        if search.state(candidate):
            continue
        for line, claim in search.covered[candidate.line]:
            if search.state(search.formula(line, claim)):
                break
    nim_sums = list(search.nim_sums(candidates))
    tried = search.lifted + len(nim_sums)
    if len(family.members) <= FEW_MEMBERS:
        every = range(len(family.members))
        for candidate in search.candidates(every, candidates, by_value=True):
            search.doubt(candidate)
    frontiers = frontier_statements(family, [*candidates, *nim_sums], tried)
    stated = (*search.statements, *frontiers)
    return Proposals(stated, tuple(search.doubtful), tuple(search.searches))


#: A line, its claim, and the tables in which it holds.
_PromisingLine = tuple[str, Claim, dict[int, Outcome]]


@dataclass
class _Search:
    family: TableFamily
    statements: list[FoundStatement] = field(default_factory=list)
    searches: list[Searched] = field(default_factory=list)
    doubtful: list[FoundStatement] = field(default_factory=list)
    lifted: int = 0
    #: Lines that a candidate implies, by the candidate's line. They are stated if the candidate cannot be.
    covered: defaultdict[str, list[tuple[str, Claim]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    #: Outcomes in the corners of tables, by line and index of the table.
    corners: dict[tuple[str, int], Outcome] = field(default_factory=dict)

    def in_corner(self, line: str, claim: Claim, place: int) -> Outcome:
        """Return the outcome of a line in the corner of a table."""
        if (line, place) not in self.corners:
            member = self.family.members[place]
            self.corners[line, place] = outcome_in_corner(claim, member)
        return self.corners[line, place]

    def formula(self, line: str, claim: Claim) -> FamilyFormula:
        """Return a line with its outcome on each table."""
        outcomes = (
            outcome(claim, member, self.in_corner(line, claim, i))
            for i, member in enumerate(self.family.members)
        )
        return FamilyFormula(line, claim, tuple(outcomes))

    def candidates(
        self,
        places: Sequence[int],
        before: Sequence[FamilyFormula] = (),
        *,
        by_value: bool = False,
    ) -> list[FamilyFormula]:
        """Return lifted lines that hold in several tables and that no other line implies.

        `places` are indices of tables, and `before` are earlier candidates; `by_value` is passed to `lifted`.
        """
        family = self.family
        searched = {i: family.members[i] for i in places}
        instances = [
            (member.parameters, line)
            for member in searched.values()
            for finding in member.findings
            for line in lines_of(finding, member.corner.game)
        ] or list(self._pooled(places))
        propositions = [(point, family.claim(line).proposition) for point, line in instances]
        lines = lifted(propositions, by_value=by_value)
        self.lifted = len(lines)
        known = {formula.line for formula in before}
        claims = {formula.line: formula.claim for formula in before}
        claims |= {line: family.claim(line) for line in lines if line not in known}
        promising: list[_PromisingLine] = []
        first = FirstPositions.of(searched)
        for line, claim in claims.items():
            rest = searched.keys() - first.refuted(claim)
            if len(rest) < FEWEST_TABLES:
                continue
            outcomes = {i: self.in_corner(line, claim, i) for i in sorted(rest)}
            inside = {i: outcome for i, outcome in outcomes.items() if outcome.holds}
            if len(inside) >= FEWEST_TABLES:
                promising.append((line, claim, inside))
        promising.sort(key=lambda entry: (-len(entry[2]), *_order(entry[0])))
        covering = {
            i: [
                j
                for j, other in enumerate(promising)
                if i != j and _covers(other, formula) and (j < i or not _covers(formula, other))
            ]
            for i, formula in enumerate(promising)
        }
        for i, others in covering.items():
            for j in others:
                if not covering[j]:
                    line, claim, _ = promising[i]
                    self.covered[promising[j][0]].append((line, claim))
        return [
            self.formula(line, claim)
            for i, (line, claim, _) in enumerate(promising)
            if not covering[i] and line not in known
        ]

    def _pooled(self, places: Sequence[int]) -> Iterator[tuple[Parameters, str]]:
        """Yield one line that holds in all tables of an uncut bar, once for each table."""
        members = [self.family.members[i] for i in places]
        is_asked = any(f.kind == "formulas" for member in members for f in member.findings)
        if not is_asked or any(member.corner.variable.name != "p_cell" for member in members):
            return
        readings = [Reading(member.corner) for member in members]
        formula = pooled_formula(readings)
        if formula is not None:
            for member, reading in zip(members, readings, strict=True):
                yield member.parameters, p_iff(reading.as_statement(formula))

    def nim_sums(self, candidates: Sequence[FamilyFormula]) -> Iterator[FamilyFormula]:
        """Yield nim-sums that are no candidates; they may hold up to a bound.

        For P-positions, the coordinates on which heights depend are shifted, too, all by the same number.
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
            claim = family.claim(grundy(text) if is_grundy else p_iff(f"{text} == 0"))
            line = text_of(claim.proposition)
            if all(candidate.line != line for candidate in candidates):
                yield self.formula(line, claim)

    def state(self, formula: FamilyFormula) -> bool:
        """State a line with its condition; return False if tables are too few to do so."""
        what = of_line(formula.line)
        tested = tested_condition(self.family, formula.holds)
        inside = sum(formula.holds)
        if tested is None:
            self.in_vain(what, 0, f"no condition distinguishes the {inside} tables")
            return False
        if not tested.is_enough(self.family, inside):
            condition = tested.domain.text or "all parameters"
            self.in_vain(what, tested.domain.tried, f"{condition}: too few tables to tell")
            self.doubt(formula)
            return False
        statement = self._statement(formula, tested)
        self.statements.append(statement)
        if statement.verdict == "refuted":  # a condition learned from all tables may be right
            self.doubt(formula)
        return True

    def doubt(self, formula: FamilyFormula) -> None:
        """Keep a line as doubtful, if a short condition of all tables fits."""
        condition = domain(self.family.points, formula.holds)
        if condition is None or is_overfitted(condition.text, self.family.points):
            return
        if not condition.text or nodes_in(parse(condition.text)) <= LONGEST_IN_DOUBT:
            every = tuple(range(len(self.family.members)))
            self.doubtful.append(self._statement(formula, TestedCondition(condition, every, ())))

    def _statement(self, formula: FamilyFormula, tested: TestedCondition) -> FoundStatement:
        family, condition = self.family, tested.domain
        points, holds = family.points, formula.holds
        tried = Tried(
            self.lifted + condition.tried,
            f"formulas that tables have in common; conditions: {TRIED}",
            len(tested.learnt),
        )
        positions = {
            i: formula.outcomes[i].positions for i in (*tested.learnt, *tested.held_out) if holds[i]
        }
        statement = tested.statement(family, "formulas", formula.line, positions, tried)
        outside = [i for i in tested.held_out if not condition.holds(points[i])]
        also = [points[i] for i in outside if holds[i]]
        wrong = len(outside) - len(also)
        what = statement.held_on.what
        what += f"; wrong in {wrong} for which the condition does not hold" if wrong else ""
        what += f"; also right for {listed(also)}, for which it does not hold" if also else ""
        statement = replace(statement, held_on=replace(statement.held_on, what=what))
        refuting = [i for i in tested.held_out if i not in outside and not holds[i]]
        if not refuting:
            return statement
        failure = formula.outcomes[refuting[0]].failure
        where = f"{listed([points[refuting[0]]])}: {failure[0] if failure else 'no value'}"
        return statement.concluded("refuted", f"wrong in a held-out table, {where}")

    def in_vain(self, what: str, tried: int, why: str) -> None:
        """Record a search that found nothing."""
        number = Tried(self.lifted + tried, what)
        searched = Searched(
            what=what, game=self.family.ruleset, tried=number, nothing=True, why=why
        )
        self.searches.append(searched)


def of_line(line: str) -> str:
    """Return the subject of a search for the condition of a line."""
    return f"for which parameters {line}"


def _order(line: str) -> tuple[int, int, str]:
    """Return the sort key of lines: without minima and maxima first, for provers."""
    return line.count("min(") + line.count("max("), len(line), line


def _covers(formula: _PromisingLine, other: _PromisingLine) -> bool:
    """Whether a line implies another one in all tables where that one holds."""
    (_, claim, inside), (_, less, fewer) = formula, other
    own, others = claim.determined, less.determined
    if own is None or others is None or own.quantity != others.quantity:
        return False
    if not fewer.keys() <= inside.keys():
        return False
    if own.where is None or own.where == others.where:
        return True
    return own.formula == others.formula and all(
        inside[i].positions >= outcome.positions for i, outcome in fewer.items()
    )


@dataclass(frozen=True)
class FamilyFormula:
    """A line with parameters, and its outcome on each table of a family."""

    line: str
    claim: Claim
    outcomes: tuple[Outcome, ...]

    @property
    def holds(self) -> tuple[bool, ...]:
        """Whether it is right, for each table."""
        return tuple(outcome.holds for outcome in self.outcomes)

    @property
    def reaches(self) -> tuple[int | None, ...]:
        """For each table the largest coordinate up to which it is right; None for all."""
        return tuple(None if o.failure is None else o.failure[1] - 1 for o in self.outcomes)


def frontier_statements(
    family: TableFamily, formulas: Sequence[FamilyFormula], tried: int
) -> Iterator[FoundStatement]:
    """Yield lines that hold up to a bound given by a law in the parameter.

    Constant bounds are left out. So is a line if another one has bounds at least as large for all parameters of the law: larger ones
    for some, or the same ones and it comes first. `tried` is the number of candidates.
    """
    if len(family.names) != 1:
        return
    (name,) = family.names
    members = {one.parameters[name]: i for i, one in enumerate(family.members)}
    places = {k: i for k, i in members.items() if k > 0}
    # for each line: its bounds, their laws, and the parameters for which a law gives the bound or there is none
    bounds: list[tuple[dict[int, int | None], list[Law], set[int]]] = []
    for formula in formulas:
        reaches = {k: formula.reaches[i] for k, i in places.items()}
        own = laws({k: reach for k, reach in reaches.items() if reach is not None}, name)
        by_law = {k for law in own for k in (*law.fitted, *law.held_out)}
        bounds.append((reaches, own, {k for k in places if k in by_law or reaches[k] is None}))

    def has_all_coordinates(k: int, reach: int | None) -> bool:
        """Whether a position up to the bound has no coordinate 0: else it is smaller Nim."""
        game = family.members[places[k]].corner.game.base
        corners = product({1, reach or 0}, repeat=len(game.coordinates))
        return bool(reach) and any(game.is_position(corner) for corner in corners)

    def is_beaten(place: int, chosen: Sequence[int]) -> bool:
        """Whether another line has bounds as large, and a larger one or comes first."""
        for i, (reaches, _, known) in enumerate(bounds):
            pairs = [(reaches[k], bounds[place][0][k]) for k in chosen]
            as_far = all(a is None or (b is not None and a >= b) for a, b in pairs)
            if known.issuperset(chosen) and as_far and (i < place or any(a != b for a, b in pairs)):
                return True
        return False

    for place, formula in enumerate(formulas):
        reaches, own, _ = bounds[place]
        for law in own:
            chosen = [*law.fitted, *law.held_out]
            is_short = any(
                (law.value(k) or 0) < family.members[places[k]].bound
                for k, reach in reaches.items()
                if law.is_about(k) and reach is None
            )
            if law.combination.is_constant or is_short or is_beaten(place, chosen):
                continue
            if any(has_all_coordinates(k, reaches[k]) for k in chosen):
                yield _bound(family, formula, law, places, tried)


def _bound(
    family: TableFamily, formula: FamilyFormula, law: Law, places: Mapping[int, int], tried: int
) -> FoundStatement:

    def seen(parameters: Sequence[int], kind: str) -> Evidence:
        indices = [places[k] for k in parameters]
        outcomes = {
            i: outcome_up_to(formula.reaches[i], formula.claim, family.members[i]) for i in indices
        }
        return family.evidence({i: one.positions for i, one in outcomes.items()}, kind)

    searched = "formulas that tables have in common, and nim-sums with shifts"
    return FoundStatement(
        search="bounds",
        ruleset=family.ruleset,
        statement=up_to(law.combination.text, formula.line),
        found_on=seen(law.fitted, "smaller"),
        held_on=seen(law.held_out, "larger"),
        tried=Tried(tried, f"{searched}; bounds: {LAWS_TRIED}", len(places)),
        when=law.when,
        parameters={law.name: tuple(sorted((*law.fitted, *law.held_out)))},
    )
