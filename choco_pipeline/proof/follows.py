"""Verdicts on claims that follow from other claims by lemmas.

The lemmas are applied backwards, from the game of the claim to the games of the premises. The last step is the implication from the
lemmas' conclusion to the claim, a statement about all integers under the facts that hold at every position. The integers need not be
a position. So a proof of this statement suffices, but a counterexample to it does not refute the claim.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.kinds import GrundyNumbers, PPositions, Values
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import (
    ClaimVerdict,
    Finding,
    Proved,
    Refuted,
    Undecided,
    verdict_text,
)
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import (
    Compare,
    Integer,
    LogicalNot,
    Name,
    Node,
    joined,
    render,
    substitute,
)
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.games.notation import build
from choco_pipeline.proof.checker import CHECKER_SECONDS, ask_checker
from choco_pipeline.proof.for_all import verdict_for_all
from choco_pipeline.proof.games.guess import QUANTITIES
from choco_pipeline.proof.implied_condition import proved_steps, require_implied_condition
from choco_pipeline.proof.lemmas import (
    LEMMAS,
    PASSES_LEFT,
    FamilyGame,
    Lemma,
    PositionFormulas,
    equal,
)
from choco_pipeline.proof.proof_errors import LemmaError
from choco_pipeline.proof.trial import Statement
from choco_pipeline.statements.tree import OnOptions
from choco_pipeline.tables.computing import table

#: Limit for witnesses, as a multiple of 1 plus the sum of the given numbers.
REACH = 4


@dataclass(frozen=True)
class Derivation:
    """A claim, and the conclusion of lemmas from its premises about its game."""

    #: A claim with `for_all`.
    claim: Claim
    game: FamilyGame
    #: The lemmas' conclusion, for at least the passes of the game.
    known: PositionFormulas
    #: Conditions on the parameters under which the premises apply to the games.
    conditions: tuple[Node, ...]

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """Statements about integers that imply the claim.

        `for_all` implies the conditions, and the last step is right. Raises `LemmaError` if the conclusion and the claim are of
        different kinds.
        """
        last, condition = [*self._last_step()], self._condition
        # A premise with the same condition as the claim needs no statement.
        others = [node for node in self.conditions if render(node) != condition.text]
        if not others:
            return tuple(last)
        spans = {name: "0..N" for name in self._parameters}
        return (integers(spans, condition.text, render(joined("and", *others))), *last)

    def _last_step(self) -> Iterator[str]:
        """Yield statements about integers with which the lemmas imply the claim."""
        check = self.claim.check
        match check:
            case PPositions():
                known, claimed = self.known.outcome, check.formula.root
                where = _conjuncts(check.where)
                if check.relation == "exactly":
                    yield self._everywhere(where, f"(({render(known)}) <=> ({render(claimed)}))")
                elif check.relation == "within":
                    yield self._everywhere([*where, known], render(claimed))
                else:
                    yield self._everywhere([*where, claimed], render(known))
            case GrundyNumbers():
                where = _conjuncts(check.where)
                yield self._everywhere(where, render(equal(check.equals.root, self.known.value)))
            case Values():
                yield from self._of_values(check)
            case _ if (on_options := self.claim.on_options) is not None:
                yield from self._of_options(on_options)
            case _:
                raise LemmaError(
                    f"a statement of this form does not follow by lemmas: {self.claim.summary}"
                )

    def _of_values(self, check: Values) -> Iterator[str]:
        counted = [self.known.outcome, *_conjuncts(check.where)]
        value = check.of.root
        if check.relation != "contains-all":
            yield self._everywhere(counted, render(substitute(check.values.root, {"v": value})))
        if check.relation == "within":
            return
        # If all limited coordinates are 0, this is a position, because heights are not negative.
        at_zero: Mapping[str, Node] = dict.fromkeys(self.game.heights, Integer(0))
        given = [*self._parameters, "v"]
        # v may be negative; the reach is not.
        far = f"0..{REACH}*({'+'.join([*self._parameters, 'abs(v)'])}+1)"
        spans = {n: far for n in self.game.coordinates if n not in self.game.heights}
        spans |= self._passes
        conditions = [substitute(part, at_zero) for part in (*counted, equal(value, Name("v")))]
        counted_over = ", ".join(f"{name} in {span}" for name, span in spans.items())
        yield self._statement(
            given,
            [check.values.root],
            f"count({counted_over}: {render(joined('and', *conditions))}) >= 1",
        )

    def _of_options(self, check: OnOptions) -> Iterator[str]:
        """Yield statements about options of P-positions or of N-positions."""
        is_p, of, to = self.known.outcome, check.where.root, check.to.root
        is_other = LogicalNot(is_p)
        counts_all = {*check.by} in (set(), {*self.claim.coordinates})
        if check.word == "some" and not counts_all:
            raise LemmaError("the lemmas do not say which moves lead to a P-position")
        yield self._everywhere([of], render(is_other if check.word == "some" else is_p))
        given, then = {"every": (is_other, to), "no": (to, is_p)}.get(check.word, (is_p, to))
        yield self._everywhere([given], render(then))

    def conclusion(self) -> Formula:
        """Return the lemmas' conclusion: a condition, or an equation with ``grundy``."""
        if self.known.kind == "p-positions":
            return parse(render(self.known.formula))
        return parse(render(equal(Name("grundy"), self.known.formula)))

    @property
    def _parameters(self) -> list[str]:
        return sorted(self.claim.parameters)

    @property
    def _condition(self) -> Formula:
        assert self.claim.statement.for_all is not None
        return self.claim.statement.for_all

    @property
    def _passes(self) -> dict[str, str]:
        """The range of the passes left; empty for a game without passes."""
        passes = self.game.passes
        return {} if passes is None else {PASSES_LEFT: f"0..{render(passes)}"}

    def _everywhere(self, where: Sequence[Node], holds: str) -> str:
        """Return a statement about all coordinates that satisfy the facts."""
        names = [*self._parameters, *self.game.coordinates, *self._passes]
        return self._statement(names, [*self.known.facts, *where], holds)

    def _statement(self, names: Sequence[str], where: Sequence[Node], conclusion: str) -> str:
        spans = {name: "0..N" for name in names}
        spans |= {name: span for name, span in self._passes.items() if name in spans}
        spans |= {"v": "-N..N"} if "v" in spans else {}
        return integers(spans, render(joined("and", self._condition.root, *where)), conclusion)


def _conjuncts(where: Formula | None) -> list[Node]:
    return [] if where is None else [where.root]


def integers(spans: Mapping[str, str], where: str, conclusion: str) -> str:
    """Return the text of an implication about integers with these ranges."""
    if "N" in spans:
        raise LemmaError("a parameter cannot be named N, the bound of integers")
    ranges = ", ".join(f"{name} in {span}" for name, span in spans.items())
    return f"for {ranges}: {where} => {conclusion}"


def derived(claim: Claim, premises: Sequence[Claim]) -> Derivation:
    """Return the derivation of a claim from premises by the lemmas it names.

    Raises `LemmaError` or `FamilyError` if the lemmas or premises are about other games or quantities.
    """
    statement = claim.statement
    assert statement.follows_from is not None
    assert claim.pattern is not None
    game = FamilyGame.read(claim.pattern)
    needed: tuple[FamilyGame, ...] = (game,)
    conclusions = []
    # From the claim's game back to the games of the premises.
    for lemma in [LEMMAS[name] for name in reversed(statement.follows_from.lemmas)]:
        if len(needed) != 1:
            raise LemmaError(f"{lemma.title}: the next lemma needs {len(needed)} games, not one")
        with _named(lemma):
            needed, conclude = lemma.needs(needed[0])
        conclusions.append((lemma, conclude))
    conditions: list[Node] = []
    known = _of_premises(needed, premises, conditions)
    for lemma, conclude in reversed(conclusions):
        with _named(lemma):
            known = [conclude(known)]
    derivation = Derivation(claim, game, known[0], tuple(conditions))
    _ = derivation.statements  # raises an error if the claim does not follow by lemmas
    return derivation


@contextmanager
def _named(lemma: Lemma) -> Iterator[None]:
    """Prefix error messages with the title of the lemma."""
    try:
        yield
    except LemmaError as error:
        raise LemmaError(f"{lemma.title}: {error}") from None


def _of_premises(
    games: Sequence[FamilyGame], premises: Sequence[Claim], conditions: list[Node]
) -> list[PositionFormulas]:
    """Return the premises' formulas for the games; append to `conditions`."""
    formulas, used = [], set()
    for game in games:
        for premise in premises:
            assert premise.pattern is not None
            about = FamilyGame.read(premise.pattern)
            values = game.parameters_of(about.with_fewer(game.passes))
            if values is not None:
                break
        else:
            named = ", ".join(given.id for given in premises)
            of = f"({', '.join(game.coordinates)})"
            of += "" if game.passes is None else f", passes {render(game.passes)}"
            raise LemmaError(f"no premise ({named}) is about the required game {of}")
        if unknown := sorted(premise.parameters - values.keys()):
            raise LemmaError(f"{premise.id}: the game does not determine {unknown[0]}")
        used.add(premise.id)
        if premise.statement.for_all is None:
            raise LemmaError(f"{premise.id} is decided for individual parameters only")
        conditions.append(substitute(premise.statement.for_all.root, values))
        formulas.append(_known(premise, about, game, values))
    if unused := [given.id for given in premises if given.id not in used]:
        raise LemmaError(f"{unused[0]} is not needed")
    return formulas


def _known(
    premise: Claim, about: FamilyGame, game: FamilyGame, values: Mapping[str, Node]
) -> PositionFormulas:
    """Return a premise's formulas in the coordinates and parameters of a game."""
    given = premise.determined
    is_of_some = premise.reach is not None or premise.is_of_whole_bars
    if given is None or given.where is not None or is_of_some:
        raise LemmaError(f"{premise.id} does not determine every position")
    formula = given.formula.root
    named: dict[str, Node] = dict(zip(about.coordinates, map(Name, game.coordinates), strict=True))
    if about.passes is not None and game.passes is None:
        named[PASSES_LEFT] = Integer(0)
    value = substitute(formula, {**values, **named})
    if given.quantity == "p-positions":
        return PositionFormulas("p-positions", value)
    return PositionFormulas("grundy", value, (Compare((">=",), (value, Integer(0))),))


#: Number of members, and bound of their tables, for the comparison with the lemmas and the claim.
MEMBERS, BOUND = 6, 14


def settle_following(
    document: Mapping[str, Any],
    premises: Sequence[Mapping[str, Any]],
    decided: Sequence[Mapping[str, Any] | None],
    seconds: float,
    certificates: str | None,
) -> ClaimVerdict:
    """Return the verdict on a claim that follows from others.

    The claim and its premises, in the order of its names for them, are JSON data from `Claim.as_json`. `decided` has each premise's
    verdict for all parameters, or None. `seconds` is the limit for each sentence. The verdict has the form of
    `choco_pipeline.proof.for_all.settle_for_all`, with ``follows_from`` in its evidence, and is never refuted. Raises
    `DisagreementError` if engines contradict each other, or if a table contradicts the claim although it follows.
    """
    start = time.perf_counter()
    claim = Claim.from_json(document)
    folder = None if certificates is None else Path(certificates)
    known = [None if answer is None else ClaimVerdict.model_validate(answer) for answer in decided]
    try:
        require_implied_condition(claim, seconds)
        finding = _decided(
            claim, [Claim.from_json(premise) for premise in premises], known, seconds, folder
        )
    except ChocoError as error:
        return verdict_for_all(claim, Finding(Undecided(str(error))), None, start)
    certificate = finding.evidence["follows_from"]["steps"][-1]["certificate"]
    return verdict_for_all(claim, finding, certificate, start)


def _decided(
    claim: Claim,
    premises: Sequence[Claim],
    decided: Sequence[ClaimVerdict | None],
    seconds: float,
    folder: Path | None,
) -> Finding:
    """Return the proof of a claim; raise `ChocoError` if it fails."""
    follows = claim.statement.follows_from
    assert follows is not None
    chain = [_premise(premise, finding) for premise, finding in zip(premises, decided, strict=True)]
    derivation = derived(claim, premises)
    steps = [
        step
        for statement in derivation.statements
        # With the claim's own id, the certificate would look like one of the claim.
        for step in proved_steps(f"{claim.id[:59]}.step", statement, seconds, folder)
    ]
    assert claim.statement.for_all is not None
    family = Statement(str(claim.statement.ruleset), claim.statement.for_all.text, "", "grundy", "")
    agreeing = (values for values in family.members() if _agrees(derivation, values))
    compared = len(list(islice(agreeing, MEMBERS)))
    if not compared:
        raise LemmaError("no small member of the family has a table")
    evidence = {
        **_agreed(steps),
        "members": compared,
        "follows_from": {
            "premises": chain,
            "lemmas": [LEMMAS[name].title for name in follows.lemmas],
            "known": math_text(derivation.conclusion()),
            "steps": steps,
        },
    }
    return Finding(Proved(steps[-1]["certificate"] or claim.command_for_all), evidence)


def _premise(premise: Claim, verdict: ClaimVerdict | None) -> Mapping[str, Any]:
    """Return the evidence of a premise; raise `LemmaError` if it is not proved."""
    if verdict is None or verdict.for_all is None or not verdict.is_proved:
        what = "is not decided for all parameters at once"
        if verdict is not None:
            what = f"is not proved for all parameters at once: {verdict.text}"
        raise LemmaError(f"it follows from {premise.id}, which {what}")
    condition = premise.statement.for_all
    of_verdict = verdict.for_all.condition
    if verdict.claim != premise.id or condition is None or condition.text != of_verdict:
        raise LemmaError(f"it follows from {premise.id}, but the verdict is on another statement")
    by = verdict.evidence.get("follows_from")
    return {"claim": premise.id, "for_all": verdict.for_all.text, "follows_from": by}


def ask_checker_of_steps(verdict: ClaimVerdict) -> ClaimVerdict:
    """Add the checker's answers to a verdict of `settle_following`.

    Raises `DisagreementError` if the checker refutes a step.
    """
    if not verdict.is_proved:
        return verdict
    chain = verdict.evidence["follows_from"]
    after = ask_checker([step["certificate"] for step in chain["steps"]], CHECKER_SECONDS)
    steps = [{**step, **vars(by)} for step, by in zip(chain["steps"], after, strict=True)]
    return verdict.with_evidence({**_agreed(steps), "follows_from": {**chain, "steps": steps}})


def _agreed(steps: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the engines that confirm all steps, and the reasons of the others."""
    agreeing = [n for n in steps[0]["engines"] if all(n in step["engines"] for step in steps)]
    silent = {name: why for step in steps for name, why in step["no_answer"].items()}
    return {
        "engines": agreeing,
        "no_answer": {n: why for n, why in silent.items() if n not in agreeing},
    }


def _agrees(derivation: Derivation, values: Mapping[str, int]) -> bool:
    """Compare a member's table with the lemmas and the claim; False without a table."""
    claim, known = derivation.claim, derivation.conclusion()
    assert claim.pattern is not None
    text = known.rename({"grundy": "G"}).text if "grundy" in known.names else f"P <=> ({known})"
    stated = {
        "id": f"{claim.id[:59]}.step",
        "ruleset": claim.statement.ruleset,
        "statement": text,
    }
    try:
        game = build(claim.pattern, values, Path())
        data = {quantity: table(game, BOUND, quantity) for quantity in QUANTITIES.values()}
    except ChocoError:
        return False
    for one in (Claim.from_json(stated), claim):
        for case in one.cases({name: values[name] for name in one.parameters}):
            finding = check_claim(one, case, game, BOUND, data[one.quantities[0]])
            if isinstance(finding.verdict, Refuted):
                raise DisagreementError(
                    f"{one.summary} follows by lemmas, and {game.notation} says:"
                    f" {verdict_text(finding.verdict)}"
                )
    return True
