"""Trials of found statements on new data.

Idea: a search proposes statements that are right on all its data, so only new data is evidence. A trial checks a statement on further
games of its family, especially at the ends of its condition; on larger tables of the games for which it was seen; and by automata, for
games with a certificate. If it fails for some parameters, its condition is narrowed and it is tried again. If it holds for games just
outside its condition, the condition is widened. A claim of the catalogue may end at a bound, or contradict the statement far away.
Then only a table of the game up to that place decides, and without such a table the statement is not accepted.

Invariant: a trial from which a condition was learned is no evidence for the statement with that condition. A statement with a
changed condition is accepted only if it holds for further games. If narrowing fails, the verdict of the first trial stands.

Cost: tables of about thirty games, all except two of them small, and the large tables of the run if searches read only a corner. This
is repeated for each of at most `ROUNDS` narrowings. Automata decide once for each certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain, islice
from typing import Any

import numpy as np

from choco_pipeline.claims.checks.check import pass_of_claim
from choco_pipeline.claims.checks.evidence import Pass, alone
from choco_pipeline.claims.checks.formulas import SMALL
from choco_pipeline.claims.conclusions.conclusion import Conclusion, Outcome
from choco_pipeline.claims.kinds import Evaluated
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
    verdict_text,
)
from choco_pipeline.claims.quick_trial import trials
from choco_pipeline.errors import ChocoError, HeightError
from choco_pipeline.finding.comparison import Meaning, environment, meaning, sampled
from choco_pipeline.finding.conditions import (
    domain,
    is_chance,
    sure_domain,
    truth,
    without_few,
    without_superfluous,
)
from choco_pipeline.finding.lines import nodes_in
from choco_pipeline.finding.scope import (
    Parameters,
    Tables,
    between,
    choices,
    game_of,
    games_of,
    new_parameters,
)
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.finding.tables import listed
from choco_pipeline.formula import Formula, FormulaError, parse, parse_range
from choco_pipeline.formula.nodes import (
    Binary,
    Call,
    Compare,
    Integer,
    Junction,
    Node,
    render,
    walk,
    with_operands,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.formula.written import parameter_text
from choco_pipeline.formula.written.parameter_text import listed as all_listed
from choco_pipeline.games import Ruleset
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Amounts
from choco_pipeline.mining.table_findings import Evidence
from choco_pipeline.statements.tree import ValueSet, text_of
from choco_pipeline.tables.bounded_game import count_positions
from choco_pipeline.tables.cells import Cells, Truths
from choco_pipeline.tables.computing import computation_of
from choco_pipeline.tables.spec import Quantity, quantity_for, variable_of

#: Bound of the table of a game seen: this multiple of the run's bound or this number, whichever is larger. Formulas with nim-sums
#: may fail only at the third or fourth power of 2 that is larger than a slope.
FURTHER, BOUND_OF_SEEN = 4, 1024
#: Bound of the table of another game, halved until it takes about `SECONDS` to compute.
BOUND, SECONDS = 256, 0.05
SMALLEST = 12
#: Most seconds for a table that decides between a statement and a claim.
DECIDING_SECONDS = 0.5
#: Heights and moves may change at a number in their formulas: the bound is this multiple of the largest number, or more.
PAST = 2
#: A shift by more places makes every coordinate 0.
MOST_PLACES = 64
#: Most positions at which a formula is evaluated if it cannot be solved for the stored coordinate. Most positions that are compared
#: with those of another game, which takes three times as long.
MOST_POSITIONS, MOST_RELATED = 1 << 20, 1 << 18


def bound_of_trial(claim: Claim, game: Ruleset, quantity: Quantity, run: int | None) -> int:
    """Return the bound of a claim's trial table; `run` is that of the run."""
    wanted = [BOUND] if run is None else [FURTHER * run, BOUND_OF_SEEN]
    wanted.append(PAST * largest_number(game))
    least = SMALLEST
    if run is not None and claim.check.kind == Evaluated.kind:
        least = run  # a statement may count the positions of a whole table
    for i, bound in enumerate(wanted):
        while bound > least and not is_quick(claim, game, bound, quantity):
            bound = max(bound // 2, least)
        wanted[i] = bound
    return max(wanted)


@lru_cache(maxsize=1024)
def largest_number(game: Ruleset) -> int:
    """Return the largest number in a game's rules, or 0; the game may change there."""
    rules = game.base.rules
    heights = (limit.height for limit in rules.limits.values())
    formulas = [height.formula for height in heights if isinstance(height, FormulaHeight)]
    for move in rules.moves:
        parts = [move.at_most, move.unless]
        parts += [*move.by.taken, move.by.where] if isinstance(move.by, Amounts) else []
        formulas += [formula for formula in parts if formula is not None]
    formulas += [] if rules.legal is None else [rules.legal]
    taken = (n for move in rules.moves if isinstance(move.by, tuple) for n in move.by)
    return max((*chain(*map(_numbers, formulas)), *taken), default=0)


def _numbers(formula: Formula) -> Iterator[int]:
    """Yield values of the constant parts of a formula, and powers of 2 of its shifts."""
    for part in walk(parse_nodes(formula.text, None, formula.functions)):
        match part:
            case Binary("<<" | ">>", _, Integer(places)) if places < MOST_PLACES:
                yield 1 << places
            case Integer() | Binary() | Call():
                constant = parse(render(part), functions=formula.functions)
                if not constant.names:
                    with suppress(FormulaError):
                        yield int(constant.value({}))
            case _:
                pass


def is_quick(
    claim: Claim, game: Ruleset, bound: int, quantity: Quantity, seconds: float = SECONDS
) -> bool:
    """Whether a table is computed and compared in about `seconds`."""
    try:
        if _seconds(game, bound, quantity) > seconds:
            return False
        stored = variable_of(game, quantity).stored
        if stored is not None and claim.related is not None:
            heap = claim.related.moved.get(stored)
            if heap is None or (stored == game.base.rules.free and heap.names <= {stored}):
                return True
            return count_positions(game, bound) <= MOST_RELATED
        if stored is None or claim.outcomes is None:
            return True
        formula, where = claim.outcomes.formula, claim.outcomes.where
        if formula.solve(stored) is not None and (where is None or stored not in where.names):
            return True
        return count_positions(game, bound) <= MOST_POSITIONS
    except HeightError:  # a table of heights that ends earlier
        return False


@lru_cache(maxsize=1 << 12)
def _seconds(game: Ruleset, bound: int, quantity: Quantity) -> float:
    """Return the estimated time of a table; cached, because claims share games."""
    return computation_of(game, bound, quantity).seconds


def _check(
    claim: Claim,
    case: Parameters,
    game: Ruleset,
    bound: int,
    quantity: Quantity,
    *,
    explains: bool = True,
) -> Pass[Finding]:
    """Return the check of a claim on a table; small tables are kept in memory."""
    is_small = bound <= BOUND and variable_of(game, quantity).stored is not None
    cells = (_kept_table if is_small else Cells.computed)(game, bound, quantity)
    return pass_of_claim(claim, case, cells, explains=explains)


_kept_table = lru_cache(maxsize=256)(Cells.computed)


#: A claim of the catalogue that ends before a statement, or contradicts it: the bound of a deciding table, and a text.
Dispute = tuple[int, str]


def bound_and_dispute(
    claim: Claim, game: Ruleset, quantity: Quantity, run: int | None, catalogue: Catalogue
) -> tuple[int, str]:
    """Return the bound of a claim's trial table, and an open dispute in words or ""."""
    if claim.shape in RECTANGULAR:  # its table holds all positions
        return max(game.limits(None)), ""
    bound = bound_of_trial(claim, game, quantity, run)
    disputes = list(_bounded_claims(claim, game.notation, catalogue.bounded, bound))
    if run is not None:  # positions are sampled for few games: that takes as long as a trial
        disputes += _contradictions(claim, game.notation, catalogue)
    for deciding, why in sorted(disputes, key=lambda dispute: dispute[0]):
        if deciding <= bound:
            continue
        if not is_quick(claim, game, deciding, quantity, DECIDING_SECONDS):
            return bound, why
        bound = deciding
    return bound, ""


def _bounded_claims(claim: Claim, game: str, catalogue: Catalogue, bound: int) -> Iterator[Dispute]:
    """Yield claims that agree, but end at `bound` or later, and before `claim`."""
    own = environment(claim, game)
    if own is None:
        return
    own_end = None if claim.reach is None else int(claim.reach.value(own))
    for other in catalogue.speaking_of(game):
        known = environment(other, game)
        if other.reach is None or known is None:
            continue
        end = int(other.reach.value(known))
        if end < bound or (own_end is not None and own_end <= end):
            continue
        differ = _differences(meaning(claim, game), meaning(other, game))
        if differ is not None and not differ.any():
            yield end + 1, f"{other.id} says so only for coordinates up to {end:,}"


def _contradictions(claim: Claim, game: str, catalogue: Catalogue) -> Iterator[Dispute]:
    """Yield claims that contradict `claim`, at their least sampled position."""
    own, points = meaning(claim, game), sampled(game)
    largest = np.max([values for name, values in points.items() if name != "p"], axis=0)
    for other in catalogue.speaking_of(game):
        differ = _differences(own, meaning(other, game))
        if differ is not None and differ.any():
            place = min(np.flatnonzero(differ).tolist(), key=largest.__getitem__)
            at = ", ".join(str(values[place]) for values in points.values())
            yield int(largest[place]), f"{other.id} contradicts it at ({at})"


def _differences(own: Meaning | None, other: Meaning | None) -> Truths | None:
    """Return positions where two claims contradict each other, None if incomparable."""
    if own is None or other is None:
        return None
    of = "p" if own.of == "p" else other.of
    left, right = own.about(of), other.about(of)
    if of not in ("p", "grundy") or left is None or right is None:
        return None
    differ: Truths = left.domain & right.domain & (left.values != right.values)
    return differ


@dataclass(frozen=True)
class Doubt:
    """Reason not to report a statement that no table refutes."""

    text: str
    #: Words for what a narrower condition excludes: sets with missing members, or formulas without a value. Empty for a dispute.
    excluded: str = ""


def lacks_values(claim: Claim, case: Parameters) -> bool:
    """Whether a claim's formula has no value at (0, 0, …) and (1, 1, …)."""
    formulas = [] if claim.outcomes is None else [claim.outcomes.formula]
    formulas += [] if claim.numbers is None else [claim.numbers.equals]
    formulas += [] if claim.value_set is None else [claim.value_set.values]
    known = claim.environment(case)

    def has_value(formula: Formula, at: int) -> bool:
        with suppress(FormulaError):
            formula.value(dict.fromkeys(formula.names, at) | known)
            return True
        return False

    return any(not any(has_value(one, at) for at in (0, 1)) for one in formulas)


@dataclass(frozen=True)
class TableTrial:
    """The outcome of a trial on one table."""

    parameters: Parameters
    bound: int
    verdict: Exhausted | HoldsToBound | Refuted | Undecided | Vacuous | Doubt
    #: The bound of the run's own table of the game; None if the statement was not seen for it.
    run: int | None
    #: Whether it is the whole table of the run, if searches read only a corner of it.
    is_own: bool = False
    #: Repeats a check that refuted the statement, with an explanation of the counterexample.
    explained: Callable[[], Pass[Finding]] | None = field(default=None, compare=False)

    @property
    def is_against(self) -> bool:
        """Whether it contradicts a statement for these parameters."""
        return isinstance(self.verdict, Refuted | Doubt)

    @property
    def positions(self) -> int:
        """The number of positions if the statement was right on all of them, else 0."""
        match self.verdict:
            case Exhausted(positions) | HoldsToBound(positions):
                return positions
            case _:
                return 0


def with_trials(before: Evidence, held: Sequence[TableTrial]) -> Evidence:
    """Return the evidence with the trials on further games added.

    A larger table of a game of the run adds nothing.
    """
    new = [trial for trial in held if trial.run is None]
    if not new:
        return before
    positions = sum(trial.positions for trial in new)
    what = f"{before.what}; then {_where(new)}"
    return Evidence(before.positions + positions, what, before.tables + len(new))


def agreement(held: Sequence[TableTrial]) -> str:
    """Return the text for the tables on which a statement was right."""

    def counted(some: Sequence[TableTrial]) -> str:
        tables = f"{len(some)} tables" if len(some) > 1 else "a table"
        return f"all {sum(trial.positions for trial in some):,} positions of {tables}"

    computed = [trial for trial in held if not trial.is_own]
    own = [trial for trial in held if trial.is_own]
    parts = []
    if computed:
        parts.append(f"{counted(computed)} computed to test it: {_where(computed)}")
    if own:
        parts.append(f"{counted(own)} of the run, as a whole, {_bounds(own)}")
    return f"holds for {'; and for '.join(parts)}"


def _where(held: Sequence[TableTrial]) -> str:
    new = [trial for trial in held if trial.run is None]
    further = [trial for trial in held if trial.run is not None and trial.bound > trial.run]
    again = [trial for trial in held if trial.run is not None and trial.bound <= trial.run]
    parts = []
    if new:
        named = all_listed([trial.parameters for trial in new])
        which = f"{named}, not seen before" if named else "a table of the game"
        parts.append(f"{which}, {_bounds(new)}")
    if further:
        larger = "larger tables" if len(further) > 1 else "a larger table"
        parts.append(f"{larger}, {_bounds(further)}")
    if again:
        parts.append(f"a part of the searched tables again, {_bounds(again)}")
    return " and ".join(parts)


def _bounds(held: Sequence[TableTrial]) -> str:
    least, most = (choose(trial.bound for trial in held) for choose in (min, max))
    return f"to bound {most:,}" if least == most else f"to bounds from {least:,} to {most:,}"


def verdict_against(against: Sequence[TableTrial]) -> Conclusion:
    """Return the verdict of trials that contradict a statement."""
    refuting = [trial for trial in against if isinstance(trial.verdict, Refuted)]
    deciding = (refuting or against)[0]
    match deciding.verdict:
        case Doubt(text):
            pass
        case verdict:
            text = verdict_text(
                alone(deciding.explained()).verdict if deciding.explained else verdict
            )
    where = all_listed([deciding.parameters])
    return Conclusion("refuted" if refuting else "undecided", f"{where}: {text}" if where else text)


#: Number of games seen that are tried on larger tables; the others are tried up to the bound of further games.
SEEN = 2
#: Most narrowings of one statement.
ROUNDS = 5
#: Most tables in the trial of a statement that compares tables.
MOST_TABLES = 128

#: Decides a claim for all positions: given the claim, its parameters and the path of a certificate.
Decide = Callable[[Claim, Parameters, str], Mapping[str, Any]]


@dataclass(frozen=True)
class Trials:
    """Tries statements on tables and certificates of a run, and on new tables."""

    tables: Tables
    #: The known claims.
    catalogue: Catalogue
    #: Decides for all positions of games with certificates; None for no such decisions.
    decide: Decide | None = None
    #: Cache by statement, game and bound; a narrowed statement has the same findings.
    _findings: dict[tuple[object, ...], Finding] = field(default_factory=dict, compare=False)

    def tried(self, statement: FoundStatement) -> FoundStatement:
        """Return a statement with its verdict, and with the trial's tables in `held_on`.

        If a claim of the catalogue contradicts it or ends before it, the tables are large enough to decide between the two, if this is
        quick. `decide` is called for games with certificates.

        Notes
        -----
        Statements in words are "unchecked". A false statement is "refuted", with the least counterexample in the first table that has one, unless
        a narrower condition holds for further games; `tried` then names the games where it was wrong. A set of values is claimed only
        if each small member occurs; otherwise an inclusion is tried instead.
        """
        judged = self._judged(statement, (), statement.tried.what)
        if judged.verdict not in ("refuted", "undecided"):
            general = wider(judged)
            if general is None:
                return judged
            proposed, learnt_from = replace(general[0], held_on=statement.held_on), general[1:]
            again = self._judged(proposed, learnt_from, proposed.tried.what)
            return judged if again.verdict in ("refuted", "undecided") else again
        weaker = with_other_values_excluded(statement)
        if weaker is None:
            return judged
        again = self._judged(weaker, (), weaker.tried.what)
        return judged if judged.verdict == again.verdict else again

    def _judged(
        self, statement: FoundStatement, used: Sequence[Sequence[TableTrial]], searched: str
    ) -> FoundStatement:
        """Return a statement with its verdict.

        It is not tried for the parameters of the trials in `used`, from which its condition was learned. `searched` describes the
        search, without narrowings.
        """
        if statement.mistake:
            why = f"not a claim: {statement.mistake}"
            return statement.concluded("undecided", why)
        if not statement.claims:
            where = f"it was right on {statement.held_on.what}"
            return statement.concluded("unchecked", f"{where}; it was compared with nothing else")
        seen = games_of(statement, self.tables)
        taken = [trial.parameters for before in used for trial in before]
        outcomes = [
            trial
            for claim in statement.claims
            for trial in self._trials(claim, statement, seen, taken)
        ]
        if not any(trial.is_against for trial in outcomes):  # large tables come last
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
                    again = self._judged(narrower[0], learnt_from, searched)
                    if again.verdict not in ("refuted", "undecided"):
                        return again
            return replace(statement, conclusion=verdict_against(against))
        held = [t for t in outcomes if isinstance(t.verdict, Exhausted | HoldsToBound)]
        is_new = any(t.run is None and t.positions for t in held)
        if used:
            if not is_new:
                return statement.concluded(
                    "refuted", "narrowed until no further game was left for a trial"
                )
            right = [t.parameters for t in (*chain.from_iterable(used), *outcomes) if t.positions]
            by_many = without_rare_parts(statement, [*seen.values(), *right])
            if by_many is not statement:
                return self._judged(by_many, used, searched)
        statement = replace(statement, held_on=with_trials(statement.held_on, held))
        proved = self._proved(statement.claims, seen)
        if isinstance(proved, Conclusion):
            return replace(statement, conclusion=proved)
        if not held:
            whys = (t.verdict.why for t in outcomes if isinstance(t.verdict, Undecided | Vacuous))
            return statement.concluded("undecided", next(whys, "") or "no table could be computed")
        text = agreement(held)
        if proved:
            which = all_listed([parameters for parameters, _ in proved])
            text += f"; proved for {_domain(statement.claims)} where {which}"
        is_whole = all(isinstance(trial.verdict, Exhausted) for trial in outcomes)
        verdict: Outcome = (
            "exhausted" if is_whole and not statement.pattern.names else "holds-to-bound"
        )
        return statement.concluded(verdict, text, tuple(dict.fromkeys(path for _, path in proved)))

    def trial(
        self,
        claim: Claim,
        parameters: Parameters,
        run: int | None,
        *,
        is_far: bool = True,
        most: int | None = None,
    ) -> Iterator[TableTrial]:
        """Yield the outcome on a table of a game; `run` is the bound in the run.

        Without `is_far`, the table is as large as for a game without a table in the run. There is no trial if it is not larger than
        the run's own. `most` limits the bound.
        """
        game = game_of(claim, parameters)
        if game is None:
            return
        quantity = quantity_for(game, claim.quantities)
        end = run if is_far else None
        bound, dispute = bound_and_dispute(claim, game, quantity, end, self.catalogue)
        if not is_far and run is not None and bound <= run:
            return
        bound = bound if most is None else min(bound, most)
        for case in claim.cases(parameters):
            explained = None
            try:
                check = partial(_check, claim, case, game, bound, quantity)
                line = claim.statement.statement or str(claim.statement.check)
                key = line, game.notation, quantity, bound, tuple(case.items())
                if key not in self._findings:
                    self._findings[key] = alone(check(explains=False))
                finding = self._findings[key]
                explained = check if isinstance(finding.verdict, Refuted) else None
                verdict = _missing_value(claim, finding, bound) or finding.verdict
                if dispute and isinstance(finding.verdict, HoldsToBound):
                    verdict = Doubt(f"right to bound {bound:,}, but {dispute}")
            except ChocoError as error:
                verdict = Undecided(str(error))
            if isinstance(verdict, Undecided) and lacks_values(claim, case):
                verdict = Doubt("it has no value", VALUELESS)
            number = largest_number(game)
            if isinstance(verdict, HoldsToBound) and number > bound:
                verdict = Undecided(
                    f"the game may change at {number:,}, a number in its rules, but its table ends at {bound:,}"
                )
            assert not isinstance(verdict, Proved), "a table proves nothing"
            trial = TableTrial(parameters, bound, verdict, run, explained=explained)
            # Below its largest number a game may equal another one: (x >> 2)+(z >> 8) is x//4 up to 255.
            is_whole = run is not None or not parameters or claim.shape in RECTANGULAR
            if is_whole or trial.is_against or largest_number(game) < bound:
                yield trial

    def _trials(
        self,
        claim: Claim,
        statement: FoundStatement,
        seen: Mapping[str, Parameters],
        taken: Sequence[Parameters],
    ) -> Iterator[TableTrial]:
        """Yield outcomes on new tables: of further parameters, then with larger bounds."""
        if claim.is_over_tables:
            ((name, values),) = statement.parameters.items()
            last = min(FURTHER * max(values), MOST_TABLES)
            for trial in trials(claim, {name: parse_range(f"1..{last}")}):
                assert not isinstance(trial.finding.verdict, Proved)
                yield TableTrial({}, last, trial.finding.verdict, max(values))
            return
        for parameters in new_parameters(statement, self.tables, taken):
            yield from self.trial(claim, parameters, None)
        if not seen and not statement.pattern.names:  # a neighbour of a game of the run
            yield from self.trial(claim, {}, None)
        chosen = list(seen)
        farthest = chosen[:1] + chosen[1:][-(SEEN - 1) :]
        for game, known in seen.items():
            run = max(bound for (name, _), bound in self.tables.bounds.items() if name == game)
            yield from self.trial(claim, known, run, is_far=game in farthest)

    def _trials_of_own(
        self, claim: Claim, name: str, parameters: Parameters
    ) -> Iterator[TableTrial]:
        """Yield the outcome on the run's whole table, if searches read only a corner."""
        # a relation needs an equally large table of the other game
        if game_of(claim, parameters) is None or claim.related is not None:
            return
        for quantity in claim.quantities:
            table = self.tables.whole(name, quantity)
            if table is None:
                continue
            for case in claim.cases(parameters):
                finding = table.find(claim, case)
                assert not isinstance(finding.verdict, Proved), "a table proves nothing"
                verdict = _missing_value(claim, finding, table.cells.bound) or finding.verdict
                yield TableTrial(
                    parameters, table.cells.bound, verdict, table.cells.bound, is_own=True
                )

    def _proved(
        self, claims: Sequence[Claim], seen: Mapping[str, Parameters]
    ) -> Conclusion | list[tuple[Parameters, str]]:
        """Return proved games; or a verdict, if all are proved or one is refuted."""
        proofs: list[tuple[Parameters, str]] = []
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
    """Return the inclusion that an equality of value sets implies, if it is one.

    ``{x ^ y: P} == {v: v < 2}`` becomes ``{x ^ y: P} <= {v: v < 2}``.
    """
    claim = statement.whole
    if claim is None or claim.value_set is None or claim.value_set.relation != "exactly":
        return None
    values = claim.proposition
    if not isinstance(values, ValueSet):
        return None
    return replace(statement, statement=text_of(replace(values, relation="<=")))


def _missing_value(claim: Claim, finding: Finding, bound: int) -> Doubt | None:
    """Return a doubt if a small member of a value set does not occur."""
    is_of_a_set = claim.value_set is not None and claim.value_set.relation == "exactly"
    if not is_of_a_set or not isinstance(finding.verdict, HoldsToBound | Undecided):
        return None
    small = [v for v in finding.evidence.get("missing", ()) if abs(v) <= bound // SMALL]
    text = "no P-position up to bound {:,} has the value {:,}"
    return Doubt(text.format(bound, small[0]), MISSED) if small else None


def _domain(claims: Sequence[Claim]) -> str:
    is_bounded = any(claim.reach is not None for claim in claims)
    return "all positions up to the bound that is named" if is_bounded else "all positions"


NARROWED = "; the condition was narrowed where it was wrong"
MISSED = " or not all small values of a set occur"
VALUELESS = " or has no value"


#: A statement with a narrower or wider condition, and the trials from which the condition was learned.
ChangedStatement = tuple[FoundStatement, Sequence[TableTrial]]


def narrowed(
    statement: FoundStatement,
    seen: Iterable[Parameters],
    outcomes: Sequence[TableTrial],
    searched: str,
) -> ChangedStatement | None:
    """Return a statement with a condition that excludes the games where it failed.

    Games on which trials were right are not used, so that they remain evidence. Exceptions: the condition is shorter with them, or
    without them it excludes some of them. A conjunction or disjunction must be shorter, in bits, than the list of games where it was
    right.
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
    several = list(_distinct(wrong))
    inside = sum(1 for _ in _distinct([*kept, *right]))
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
    when = without_superfluous(when, [*between(statement), *right, *wrong])
    doubts = (t.verdict for t in outcomes if isinstance(t.verdict, Doubt))
    missed = "".join(dict.fromkeys(doubt.excluded for doubt in doubts))
    search = replace(
        statement.tried,
        candidates=statement.tried.candidates + best.tried,
        what=f"{searched}{NARROWED}{missed}, {listed(several)}",
    )
    narrower = replace(statement, when=when, tried=search)
    return narrower, [t for t in outcomes if best is not blind or t.is_against]


def without_rare_parts(statement: FoundStatement, right: Iterable[Parameters]) -> FoundStatement:
    """Return a statement without parts of its condition that cover very few games.

    Such a part may appear in one narrowing and disappear in the next, because the condition determines the games of the trial.
    """
    when = without_few(statement.when, list(_distinct([dict(point) for point in right])))
    return statement if when == statement.when else replace(statement, when=when)


def _distinct(points: Sequence[Parameters]) -> Iterator[Parameters]:
    return (point for i, point in enumerate(points) if point not in points[:i])


#: Largest bound of tables of games outside a condition, and the number of these games.
BOUND_OUTSIDE, GAMES_OUTSIDE = 64, 24
#: Fewest games outside the condition on which a statement must be right.
FEWEST_OUTSIDE = 2
WIDENED = "; the condition was widened to games where it is right, too"
#: The comparisons that are relaxed by 1.
RELAXED = (("<",), ("<=",), (">",), (">=",))
#: Largest distance of their parameters from the values seen.
NEAR = 3


def wider(statement: FoundStatement) -> ChangedStatement | None:
    """Return a statement with a wider condition, if it is right on further games."""
    if not statement.when or statement.every or not statement.pattern.names:
        return None
    if statement.search == "bounds":
        return None  # outside its condition the formula is right beyond the bound
    unlimited = replace(statement, when="")
    old = parse(statement.when)
    right: list[TableTrial] = []
    wrong: list[Parameters] = []
    outside = Trials(Tables({}), Catalogue({}))
    for point in islice(_points_outside(statement), GAMES_OUTSIDE):
        trials: list[TableTrial] = []
        with suppress(ChocoError):  # such as a height that divides by 0
            for claim in unlimited.claims:
                trials += outside.trial(claim, point, None, most=BOUND_OUTSIDE)
        if trials and all(trial.positions for trial in trials):
            right.append(trials[0])
        else:
            wrong.append(point)
    if len(right) < FEWEST_OUTSIDE:
        return None
    inside: list[Parameters] = [*statement.points, *(trial.parameters for trial in right)]
    for condition in _conditions(statement, inside, wrong):
        formula = parse(condition or "0 == 0")
        meant = (point for point in between(statement) if truth(old, point))
        if all(truth(formula, point) for point in (*inside, *meant)) and not any(
            truth(formula, point) for point in wrong
        ):
            games = parameter_text.listed([dict(trial.parameters) for trial in right])
            search = replace(statement.tried, what=f"{statement.tried.what}{WIDENED}, {games}")
            return replace(statement, when=condition, tried=search), right
    return None


def _conditions(
    statement: FoundStatement, inside: Sequence[Parameters], wrong: Sequence[Parameters]
) -> Iterator[str]:
    """Yield the condition with a comparison relaxed by 1, then a learned one."""
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
            yield parse(render(_with_part(root, part, relaxed))).text
    holds = [True] * len(inside) + [False] * len(wrong)
    fitted = sure_domain([*inside, *wrong], holds, between(statement), largest=1)
    if fitted is not None:
        yield fitted.text


def _with_part(node: Node, part: Node, other: Node) -> Node:
    return other if node is part else with_operands(node, lambda one: _with_part(one, part, other))


def _points_outside(statement: FoundStatement) -> Sequence[Parameters]:
    old, seen = parse(statement.when), statement.points
    spans = {
        name: range(max(0, min(values) - NEAR), max(values) + NEAR + 1)
        for name, values in statement.parameters.items()
    }
    outside = [point for point in choices(spans) if point not in seen and not truth(old, point)]

    def distance(point: Parameters) -> tuple[int, ...]:
        to_seen = (sum(abs(n - other[name]) for name, n in point.items()) for other in seen)
        return min(to_seen, default=0), *point.values()

    return sorted(outside, key=distance)
