"""Trials of found statements on new data.

Idea: a search proposes statements that are right on all its data, so only new data is evidence. The checks of claims judge a
statement on further games of its family, most of all at the ends of its condition; on larger tables of the games for which it
was seen; and by automata for games with a certificate. If it is wrong for some parameters, its condition is narrowed and it is
tried again. If it is right for games just outside its condition, the condition is widened.

Invariant: a trial from which a condition was learned is no evidence for the statement with that condition. A statement with a
changed condition is accepted only if it holds for further games. If narrowing fails, the verdict of the first trial stands.

Cost: tables of about thirty games, all but two of them small, and large tables of the run of which searches read a corner only. All
this is repeated for each of at most `ROUNDS` narrowings. Automata decide once for each certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Any

from choco_pipeline.claims.checks.check import pass_of_claim
from choco_pipeline.claims.checks.evidence import alone
from choco_pipeline.claims.checks.formulas import SMALL
from choco_pipeline.claims.conclusions.conclusion import Conclusion, Outcome
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import RECTANGULAR, Claim
from choco_pipeline.claims.language.verdict import (
    Exhausted,
    Finding,
    HoldsToBound,
    Proved,
    Refuted,
    Undecided,
    Vacuous,
)
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding import bounds, scope
from choco_pipeline.finding.conditions import (
    domain,
    is_chance,
    sure_domain,
    without_few,
    without_superfluous,
)
from choco_pipeline.finding.laws import Point
from choco_pipeline.finding.lines import nodes_in
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.finding.tables import listed
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import (
    Binary,
    Compare,
    Integer,
    Junction,
    Node,
    render,
    walk,
    with_operands,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.ranges import parse_range
from choco_pipeline.formula.written import parameter_text
from choco_pipeline.formula.written.parameter_text import listed as all_listed
from choco_pipeline.statements.tree import ValueSet, text_of
from choco_pipeline.tables.spec import quantity_for

#: Number of games seen that are tried on larger tables; the others are tried up to the bound of further games.
SEEN = 2
#: Most narrowings of one statement.
ROUNDS = 5
#: Most tables in the trial of a statement that compares tables.
MOST_TABLES = 128

#: Decides a claim for all positions: given the claim, its parameters and the path of a certificate.
Decide = Callable[[Claim, scope.Parameters, str], Mapping[str, Any]]


@dataclass(frozen=True)
class Trials:
    """Tries statements on tables and certificates of a run, and on new tables."""

    tables: scope.Tables
    #: The known claims.
    catalogue: Catalogue
    #: Decides for all positions of games with certificates; None for no such decisions.
    decide: Decide | None = None

    def tried(self, statement: FoundStatement) -> FoundStatement:
        """Return a statement with its verdict, and with the trial's tables in `held_on`.

        If a claim of the catalogue contradicts it or ends, the tables are large enough to decide between the two. `decide` is asked
        about games with certificates.

        Notes
        -----
        Words are "unchecked". A false statement is "refuted", with the least counterexample in the first table that has one, unless
        a narrower condition holds for further games; `tried` then names the games where it was wrong. A set of values is claimed only
        if each small member occurs; otherwise an inclusion is tried instead.
        """
        judged = self._tried(statement, (), statement.tried.what)
        if judged.verdict not in ("refuted", "undecided"):
            general = wider(judged)
            if general is None:
                return judged
            proposed, learnt_from = replace(general[0], held_on=statement.held_on), general[1:]
            again = self._tried(proposed, learnt_from, proposed.tried.what)
            return judged if again.verdict in ("refuted", "undecided") else again
        weaker = with_other_values_excluded(statement)
        if weaker is None:
            return judged
        again = self._tried(weaker, (), weaker.tried.what)
        return judged if judged.verdict == again.verdict else again

    def _tried(
        self, statement: FoundStatement, used: Sequence[Sequence[bounds.TableTrial]], searched: str
    ) -> FoundStatement:
        """Return a statement with its verdict.

        It is not tried for the parameters in `used`, from which its condition was learned. `searched` describes the search, without
        narrowings.
        """
        if statement.mistake:
            why = f"not a claim: {statement.mistake}"
            return statement.concluded("undecided", why)
        if not statement.claims:
            where = f"it was right on {statement.held_on.what}"
            return statement.concluded("unchecked", f"{where}; nothing else was compared with it")
        seen = scope.games_of(statement, self.tables)
        taken = [trial.parameters for before in used for trial in before]
        outcomes = [
            trial
            for claim in statement.claims
            for trial in self._trials(claim, statement, seen, taken)
        ]
        if not any(trial.is_against for trial in outcomes):  # tables that are large come last
            outcomes += (
                trial
                for claim in statement.claims
                for game, known in seen.items()
                for trial in self._trials_of_own(claim, game, known)
            )
        against = [trial for trial in outcomes if trial.is_against]
        if against:
            if len(used) < ROUNDS and statement.pattern.names:
                known = [trial for before in (*used, outcomes) for trial in before]
                narrower = narrowed(statement, seen.values(), known, searched)
                if narrower is not None:
                    learnt_from = (*used, narrower[1])
                    again = self._tried(narrower[0], learnt_from, searched)
                    if again.verdict not in ("refuted", "undecided"):
                        return again
            return replace(statement, conclusion=bounds.verdict_against(against))
        held = [t for t in outcomes if isinstance(t.verdict, Exhausted | HoldsToBound)]
        is_new = any(t.run is None and t.positions for t in held)
        if used:
            if not is_new:
                return statement.concluded(
                    "refuted", "narrowed until nothing was left to try it on"
                )
            right = [t.parameters for t in (*chain.from_iterable(used), *outcomes) if t.positions]
            by_many = without_rare_parts(statement, [*seen.values(), *right])
            if by_many is not statement:
                return self._tried(by_many, used, searched)
        statement = replace(statement, held_on=bounds.with_trials(statement.held_on, held))
        proved = self._proved(statement.claims, seen)
        if isinstance(proved, Conclusion):
            return replace(statement, conclusion=proved)
        if not held:
            whys = (t.verdict.why for t in outcomes if isinstance(t.verdict, Undecided | Vacuous))
            return statement.concluded("undecided", next(whys, "") or "no table could be computed")
        text = bounds.agreement(held)
        if proved:
            which = all_listed([parameters for parameters, _ in proved])
            text += f"; proved for {_domain(statement.claims)} where {which}"
        is_whole = all(isinstance(trial.verdict, Exhausted) for trial in outcomes)
        verdict: Outcome = (
            "exhausted" if is_whole and not statement.pattern.names else "holds-to-bound"
        )
        return statement.concluded(verdict, text, tuple(dict.fromkeys(path for _, path in proved)))

    def _trials(
        self,
        claim: Claim,
        statement: FoundStatement,
        seen: Mapping[str, scope.Parameters],
        taken: Sequence[scope.Parameters],
    ) -> Iterator[bounds.TableTrial]:
        """Yield outcomes on new tables: of further parameters, then with larger bounds."""
        if claim.is_over_tables:
            ((name, values),) = statement.parameters.items()
            last = min(bounds.FURTHER * max(values), MOST_TABLES)
            for trial in trials(claim, {name: parse_range(f"1..{last}")}):
                assert not isinstance(trial.finding.verdict, Proved)
                yield bounds.TableTrial({}, last, trial.finding.verdict, max(values))
            return
        for parameters in scope.new_parameters(statement, self.tables, taken):
            yield from _trial(claim, parameters, None, self.catalogue)
        if not seen and not statement.pattern.names:  # a neighbour of a game that the run has
            yield from _trial(claim, {}, None, self.catalogue)
        chosen = list(seen)
        farthest = chosen[:1] + chosen[1:][-(SEEN - 1) :]
        for game, known in seen.items():
            run = max(bound for (name, _), bound in self.tables.bounds.items() if name == game)
            yield from _trial(claim, known, run, self.catalogue, is_far=game in farthest)

    def _trials_of_own(
        self, claim: Claim, name: str, parameters: scope.Parameters
    ) -> Iterator[bounds.TableTrial]:
        """Yield the outcome on the run's whole table, if searches read only a corner."""
        # a related game takes another table, as large
        if scope.game_of(claim, parameters) is None or claim.related is not None:
            return
        for quantity in claim.quantities:
            table = self.tables.whole(name, quantity)
            if table is None:
                continue
            for case in claim.cases(parameters):
                finding = table.find(claim, case)
                assert not isinstance(finding.verdict, Proved), "a table proves nothing"
                verdict = _missing(claim, finding, table.cells.bound) or finding.verdict
                yield bounds.TableTrial(
                    parameters, table.cells.bound, verdict, table.cells.bound, is_own=True
                )

    def _proved(
        self, claims: Sequence[Claim], seen: Mapping[str, scope.Parameters]
    ) -> Conclusion | list[tuple[scope.Parameters, str]]:
        """Return proved games with certificates, or a verdict: all proved, one refuted."""
        proofs: list[tuple[scope.Parameters, str]] = []
        if self.decide is None:
            return proofs
        for game, parameters in seen.items():
            for path in self.tables.certificates.get(game, ()):
                verdicts = [
                    self.decide(c, case, path) for c in claims for case in c.cases(parameters)
                ]
                refuted = next((v for v in verdicts if v["verdict"] == "refuted"), None)
                if refuted is not None:
                    where = all_listed([parameters])
                    text = f"{where}: {refuted['text']}" if where else refuted["text"]
                    return Conclusion("refuted", text, (path,))
                if all(v["verdict"] == "proved" for v in verdicts):
                    proofs.append((parameters, path))
                    break
        if not seen or len(proofs) < len(seen):
            return proofs
        which = all_listed([parameters for parameters, _ in proofs])
        text = f"proved for {_domain(claims)}{f' where {which}' if which else ''}"
        outcome: Outcome = "proved-for-listed" if which else "proved"
        return Conclusion(outcome, text, tuple(dict.fromkeys(path for _, path in proofs)))


def with_other_values_excluded(statement: FoundStatement) -> FoundStatement | None:
    """Return the inclusion that an equality of a value set implies; None for others.

    ``{x ^ y: P} == {v: v < 2}`` becomes ``{x ^ y: P} <= {v: v < 2}``.
    """
    claim = statement.whole
    if claim is None or claim.value_set is None or claim.value_set.relation != "exactly":
        return None
    values = claim.proposition
    if not isinstance(values, ValueSet):
        return None
    return replace(statement, statement=text_of(replace(values, relation="<=")))


def _trial(
    claim: Claim,
    parameters: scope.Parameters,
    run: int | None,
    catalogue: Catalogue,
    *,
    is_far: bool = True,
    most: int | None = None,
) -> Iterator[bounds.TableTrial]:
    """Yield the outcome on a table of a game; `run` is the bound of the run's own.

    Without `is_far`, the table is as large as that of a game without a table in the run. Nothing is tried if it is no larger than
    the run's own. `most` limits the bound.
    """
    game = scope.game_of(claim, parameters)
    if game is None:
        return
    quantity = quantity_for(game, claim.quantities)
    bound, dispute = bounds.bound_and_dispute(
        claim, game, quantity, run if is_far else None, catalogue
    )
    if not is_far and run is not None and bound <= run:
        return
    bound = bound if most is None else min(bound, most)
    for case in claim.cases(parameters):
        explained = None
        try:
            cells = bounds.table_of_trial(game, bound, quantity)
            check = partial(pass_of_claim, claim, case, cells)
            finding = alone(check(explains=False))
            explained = check if isinstance(finding.verdict, Refuted) else None
            open_dispute = dispute if isinstance(finding.verdict, HoldsToBound) else None
            verdict = open_dispute or _missing(claim, finding, bound) or finding.verdict
        except ChocoError as error:
            verdict = Undecided(str(error))
        is_valueless = isinstance(verdict, Undecided) and bounds.lacks_values(claim, case)
        number = bounds.largest_number(game)
        if isinstance(verdict, HoldsToBound) and number > bound:
            verdict = Undecided(
                f"the game may change at {number:,}, a number in its rules, and its table ends at {bound:,}"
            )
        assert not isinstance(verdict, Proved), "a table proves nothing"
        outcome = bounds.NoValue() if is_valueless else verdict
        trial = bounds.TableTrial(parameters, bound, outcome, run, explained=explained)
        # Below its largest number a game may be another one: (x >> 2)+(z >> 8) is x//4 up to 255.
        is_whole = run is not None or not parameters or claim.shape in RECTANGULAR
        if is_whole or trial.is_against or bounds.largest_number(game) < bound:
            yield trial


def _missing(claim: Claim, finding: Finding, bound: int) -> bounds.MissingMember | None:
    """Return a small member of a value set that does not occur; None if all occur."""
    is_of_a_set = claim.value_set is not None and claim.value_set.relation == "exactly"
    if not is_of_a_set or not isinstance(finding.verdict, HoldsToBound | Undecided):
        return None
    small = (v for v in finding.evidence.get("missing", ()) if abs(v) <= bound // SMALL)
    return next(map(bounds.MissingMember, small), None)


def _domain(claims: Sequence[Claim]) -> str:
    is_bounded = any(claim.reach is not None for claim in claims)
    return "all positions up to the bound that is named" if is_bounded else "all positions"


NARROWED = "; the condition was narrowed where it was wrong"
MISSED = " or not all small values of a set occur"
VALUELESS = " or has no value"


#: A statement with a narrower or wider condition, and the trials from which the condition was learned.
Changed = tuple[FoundStatement, Sequence[bounds.TableTrial]]


def narrowed(
    statement: FoundStatement,
    seen: Iterable[scope.Parameters],
    outcomes: Sequence[bounds.TableTrial],
    searched: str,
) -> Changed | None:
    """Return a statement with a condition that excludes the games where it failed.

    The games on which trials were right are not used, so that they remain evidence, unless the condition is shorter with them or
    would exclude some of them. A conjunction or disjunction must be shorter, in bits, than the list of games where it was right.
    """
    points = [dict(known) for known in seen]
    wrong = [dict(t.parameters) for t in outcomes if t.is_against]
    right = [dict(t.parameters) for t in outcomes if t.positions]
    right = [point for point in right if point not in wrong and point not in points]
    kept = [point for point in points if point not in wrong]
    domains = [
        domain([*kept, *wrong], [True] * len(kept) + [False] * len(wrong), right),
        domain([*kept, *right, *wrong], [True] * len(kept + right) + [False] * len(wrong)),
    ]
    several = list(_different(wrong))
    inside = sum(1 for _ in _different([*kept, *right]))
    blind, seeing = (fitted if fitted and fitted.text else None for fitted in domains)
    if blind is not None and seeing is not None and not all(map(blind.holds, right)):
        blind = None
    conditions = [
        fitted
        for fitted in (blind, seeing)
        if fitted is not None
        and not (
            isinstance(parse_nodes(fitted.text), Junction)
            and is_chance(fitted, inside + len(several), inside, largest=1)
        )
    ]
    if not conditions:
        return None
    best = min(conditions, key=lambda fitted: nodes_in(parse(fitted.text)))
    when = f"({statement.when}) and ({best.text})" if statement.when else best.text
    when = without_superfluous(when, [*scope.between(statement), *right, *wrong])
    missed = MISSED if any(isinstance(t.verdict, bounds.MissingMember) for t in outcomes) else ""
    missed += VALUELESS if any(isinstance(t.verdict, bounds.NoValue) for t in outcomes) else ""
    search = replace(
        statement.tried,
        candidates=statement.tried.candidates + best.tried,
        what=f"{searched}{NARROWED}{missed}, {listed(several)}",
    )
    narrower = replace(statement, when=when, tried=search)
    return narrower, [t for t in outcomes if best is not blind or t.is_against]


def without_rare_parts(
    statement: FoundStatement, right: Iterable[scope.Parameters]
) -> FoundStatement:
    """Return a statement without parts of its condition that cover very few games.

    Such a part may appear in one narrowing and disappear in the next, because the condition determines which games are tried.
    """
    when = without_few(statement.when, list(_different([dict(point) for point in right])))
    return statement if when == statement.when else replace(statement, when=when)


def _different(points: Sequence[scope.Parameters]) -> Iterator[scope.Parameters]:
    return (point for i, point in enumerate(points) if point not in points[:i])


#: The largest bound of the tables on which it is tried, and the number of games.
BOUND_OUTSIDE, GAMES_OUTSIDE = 64, 24
#: The fewest games outside of the condition on which it is right.
FEWEST_OUTSIDE = 2
WIDENED = "; the condition was widened to games where it is right, too"
#: The comparisons that are relaxed by 1.
RELAXED = (("<",), ("<=",), (">",), (">=",))
#: The distance of these games from the smallest and largest parameters that were seen.
NEAR = 3


def wider(statement: FoundStatement) -> Changed | None:
    """Return a statement with a wider condition that is right on near games, or None."""
    if not statement.when or statement.every or not statement.pattern.names:
        return None
    if statement.search == "bounds":
        return None  # outside the condition the formula is right beyond the bound
    unlimited = replace(statement, when="")
    old = parse(statement.when)
    right: list[bounds.TableTrial] = []
    wrong: list[Point] = []
    for point in islice(_outside(statement), GAMES_OUTSIDE):
        trials: list[bounds.TableTrial] = []
        with suppress(ChocoError):  # such as a height that divides by 0
            for claim in unlimited.claims:
                trials += _trial(claim, point, None, Catalogue({}), most=BOUND_OUTSIDE)
        if trials and all(trial.positions for trial in trials):
            right.append(trials[0])
        else:
            wrong.append(point)
    if len(right) < FEWEST_OUTSIDE:
        return None
    inside: list[Point] = [*statement.points, *(trial.parameters for trial in right)]
    for condition in _conditions(statement, inside, wrong):
        formula = parse(condition or "0 == 0")
        meant = (point for point in scope.between(statement) if _has(old, point))
        if all(_has(formula, point) for point in (*inside, *meant)) and not any(
            _has(formula, point) for point in wrong
        ):
            games = parameter_text.listed([dict(trial.parameters) for trial in right])
            search = replace(statement.tried, what=f"{statement.tried.what}{WIDENED}, {games}")
            return replace(statement, when=condition, tried=search), right
    return None


def _conditions(
    statement: FoundStatement, inside: Sequence[Point], wrong: Sequence[Point]
) -> Iterator[str]:
    """Yield the condition with a comparison relaxed by 1, and one learned anew."""
    root = parse(statement.when).root
    for part in walk(root):
        if isinstance(part, Compare) and part.operators in RELAXED:
            left, right = part.operands
            sign = part.operators[0]
            if sign in "<>":
                operands = part.operands
            elif sign == "<=":
                operands = (left, Binary("+", right, Integer(1)))
            else:
                operands = (Binary("+", left, Integer(1)), right)
            relaxed = Compare((f"{sign[0]}=",), operands)
            yield parse(render(_replaced(root, part, relaxed))).text
    holds = [True] * len(inside) + [False] * len(wrong)
    fitted = sure_domain([*inside, *wrong], holds, scope.between(statement), largest=1)
    if fitted is not None:
        yield fitted.text


def _replaced(node: Node, part: Node, other: Node) -> Node:
    return other if node is part else with_operands(node, lambda one: _replaced(one, part, other))


def _outside(statement: FoundStatement) -> Sequence[Point]:
    old, seen = parse(statement.when), statement.points
    spans = {
        name: range(max(0, min(values) - NEAR), max(values) + NEAR + 1)
        for name, values in statement.parameters.items()
    }
    outside = [
        point for point in scope.choices(spans) if point not in seen and not _has(old, point)
    ]

    def distance(point: Point) -> tuple[int, ...]:
        to_seen = (sum(abs(n - other[name]) for name, n in point.items()) for other in seen)
        return min(to_seen, default=0), *point.values()

    return sorted(outside, key=distance)


def _has(condition: Formula, point: Point) -> bool:
    try:
        return bool(condition.value(point))
    except FormulaError:  # such as v2(0)
        return False
