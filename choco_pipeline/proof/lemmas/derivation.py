"""One claim read as what follows from others by lemmas: which hypotheses, and which sentences on integers, remain.

The last step, from what lemmas say of the claim's game to what the claim says, is statements on integers.
The formulas are put into one statement that any integers satisfy it, positions or not, of which only the facts are supposed that
hold at every position. So a statement that is proved is enough, and one that is false refutes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.claims.kinds import GrundyNumbers, PPositions, Values
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import (
    Compare,
    Integer,
    LogicalNot,
    Name,
    Node,
    render,
    substitute,
)
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.proof.lemmas.family_game import FamilyGame, without_passes
from choco_pipeline.proof.lemmas.lemma import LEMMAS, Known, equal, junction
from choco_pipeline.proof.proof_errors import LemmaError
from choco_pipeline.proof.uniform.families.family import Family
from choco_pipeline.proof.uniform.families.parametric_rules import describe
from choco_pipeline.statements.tree import OnOptions

#: Integers in statements run up to N, which is any bound no less than this; up to it the definition is asked, too.
INTEGER_BOUND = 3
#: How far witnesses are looked for: so many times the sum of all that is given, and 1.
REACH = 4


@dataclass(frozen=True)
class LastStep:
    """What lemmas say of a claim's own game, and the claim."""

    #: With `for_all`.
    claim: Claim
    #: Its game.
    game: FamilyGame
    #: What is known of the game, for at least as many passes left.
    known: Known

    def statements(self) -> Iterator[str]:
        """Yield statements on integers that together say: what is known makes the claim true.

        Raises `LemmaError` if what is known is of another kind than the claim speaks of.
        """
        check = self.claim.check
        match check:
            case PPositions():
                known, claimed = self._left(self.known.outcomes), nodes(check.formula)
                where = [] if check.where is None else [nodes(check.where)]
                if check.relation == "exactly":
                    yield self._everywhere(where, equivalent=[known, claimed])
                else:
                    given, then = (
                        (known, claimed) if check.relation == "within" else (claimed, known)
                    )
                    yield self._everywhere([*where, given], holds=[then])
            case GrundyNumbers():
                if self.known.kind != "grundy":
                    raise LemmaError("P-positions are known, not Grundy numbers")
                value = nodes(check.equals)
                same = self._left([equal(value, known) for known in self.known.by_passes])
                where = [] if check.where is None else [nodes(check.where)]
                yield self._everywhere(where, holds=[same])
            case Values():
                yield from self._of_values(check)
            case _ if (said := self.claim.on_options) is not None:
                yield from self._of_options(said)
            case _:
                raise LemmaError(
                    f"a statement of this form does not follow by lemmas: {self.claim.summary}"
                )

    def _of_values(self, check: Values) -> Iterator[str]:
        counted = [self._left(self.known.outcomes)]
        counted += [] if check.where is None else [nodes(check.where)]
        value = nodes(check.of)
        if check.relation != "contains-all":
            yield self._everywhere(counted, holds=[substitute(nodes(check.values), {"v": value})])
        if check.relation == "within":
            return
        # Where all limited coordinates are 0 is a position, as no largest value is negative.
        at_zero: Mapping[str, Node] = dict.fromkeys(self.game.heights, Integer(0))
        given = [*self._parameters, "v"]
        # v may be negative; the reach is not.
        far = f"0..{REACH}*({'+'.join([*self._parameters, 'abs(v)'])}+1)"
        spans = {n: far for n in self.game.coordinates if n not in self.game.heights}
        spans |= {name: f"0..{self.game.passes}" for name in self._passes}
        such = [substitute(part, at_zero) for part in (*counted, equal(value, Name("v")))]
        counted_over = ", ".join(f"{name} in {span}" for name, span in spans.items())
        yield self._statement(
            given,
            [nodes(check.values)],
            f"count({counted_over}: {render(junction('and', *such))}) >= 1",
        )

    def _of_options(self, check: OnOptions) -> Iterator[str]:
        """Yield that it speaks of P-positions, none of whose options is one, or of others, which have one that is."""
        is_p, of, to = self._left(self.known.outcomes), nodes(check.where), nodes(check.to)
        is_other = LogicalNot(is_p)
        counts_all = {*check.by} in (set(), {*self.claim.coordinates})
        if check.word == "some" and not counts_all:
            raise LemmaError("which moves lead to a P-position is not known")
        yield self._everywhere([of], holds=[is_other if check.word == "some" else is_p])
        if check.word == "every":
            yield self._everywhere([is_other], holds=[to])
        elif check.word == "no":
            yield self._everywhere([to], holds=[is_p])
        else:
            yield self._everywhere([is_p], holds=[to])

    def conclusion(self) -> Formula:
        """Return what is known of the claim's positions as one formula, a condition or an equation with ``grundy``."""
        if self.known.kind == "p-positions":
            return parse(render(self._left(self.known.by_passes)))
        values = [equal(Name("grundy"), value) for value in self.known.by_passes]
        return parse(render(self._left(values)))

    @property
    def _parameters(self) -> list[str]:
        return sorted(self.claim.parameters)

    @property
    def _passes(self) -> tuple[str, ...]:
        """The name for the passes left, if there are any."""
        return self.claim.coordinates[len(self.game.coordinates) :]

    def _left(self, by_passes: Sequence[Node]) -> Node:
        """Return one condition for all numbers of passes left."""
        if not self._passes:
            return by_passes[0]
        (name,) = self._passes
        each = (
            junction("and", equal(Name(name), Integer(left)), node)
            for left, node in enumerate(by_passes[: self.game.passes + 1])
        )
        return junction("or", *each)

    def _everywhere(
        self,
        where: Sequence[Node],
        holds: Sequence[Node] = (),
        equivalent: Sequence[Node] = (),
    ) -> str:
        """Return a statement on all coordinates at which the facts hold."""
        names = [*self._parameters, *self.game.coordinates, *self._passes]
        said = " <=> ".join(f"({render(part)})" for part in equivalent)
        said = f"({said})" if said else render(junction("and", *holds))
        return self._statement(names, [*self.known.facts, *where], said)

    def _statement(self, names: Sequence[str], where: Sequence[Node], said: str) -> str:
        condition = self.claim.statement.for_all
        assert condition is not None
        spans = {name: "0..N" for name in names}
        spans |= {name: f"0..{self.game.passes}" for name in self._passes if name in spans}
        spans |= {"v": "-N..N"} if "v" in spans else {}
        return integers(spans, render(junction("and", nodes(condition), *where)), said)


def implied(claim: Claim, conditions: Sequence[Node]) -> str:
    """Return the statement that a claim speaks, for all at once, only of parameters with some conditions."""
    condition = claim.statement.for_all
    assert condition is not None
    spans = {name: "0..N" for name in sorted(claim.parameters)}
    return integers(spans, condition.text, render(junction("and", *conditions)))


def integers(spans: Mapping[str, str], where: str, said: str) -> str:
    """Return a statement about integers with these ranges."""
    if "N" in spans:
        raise LemmaError("a parameter cannot be called N here")
    ranges = ", ".join(f"{name} in {span}" for name, span in spans.items())
    return f"for {ranges}: {where} => {said}"


def nodes(formula: Formula) -> Node:
    """Return the parts of a formula."""
    return parse_nodes(formula.text, None, formula.functions)


@dataclass(frozen=True)
class Derivation:
    """What remains to be decided for a claim to follow from its premises."""

    #: Games in which no position with options may have the value 0.
    only_the_end: tuple[FamilyGame, ...]
    #: The claim's games without passes, of which these are parts.
    family: Family
    #: What lemmas say of the claim's games, and the claim.
    last: LastStep
    #: For which parameters the premises speak of these games.
    of_parameters: tuple[Formula, ...]
    #: On integers: that the claim speaks of such parameters only, and the last step.
    statements: tuple[str, ...]


def derived(claim: Claim, premises: Sequence[Claim]) -> Derivation:
    """Return how a claim follows from premises by the lemmas that it names.

    Raises `LemmaError` or `FamilyError` if it does not: a lemma speaks of other games, or the premises do, or of other
    kinds of numbers.
    """
    statement = claim.statement
    assert statement.follows_from is not None
    assert statement.for_all is not None
    assert claim.pattern is not None
    lemmas = [LEMMAS[name] for name in statement.follows_from.lemmas]
    game = FamilyGame.read(claim.pattern)
    # From the claim's game back to those of which something must be known.
    levels: list[tuple[FamilyGame, ...]] = [(game,)]
    only_the_end: list[FamilyGame] = []
    for lemma in reversed(lemmas):
        if len(levels[-1]) != 1:
            raise LemmaError(f"{lemma.title}: what stands before it is of {len(levels[-1])} games")
        needed = lemma.needs(levels[-1][0])
        only_the_end += needed if lemma.only_the_end else ()
        levels.append(needed)
    conditions: list[Node] = []
    known = _of_premises(levels.pop(), premises, conditions)
    for lemma in lemmas:
        (games,) = levels.pop()
        known = [lemma.conclude(games, known)]
    last = LastStep(claim, game, known[0])
    # A premise with the same condition speaks of these parameters.
    others = [condition for condition in conditions if render(condition) != statement.for_all.text]
    statements = (*([implied(claim, others)] if others else []), *last.statements())
    base, _ = without_passes(claim.pattern)
    stated = (base.text, statement.for_all.text, f"{game.coordinates[0]} == 0")
    family = Family(*stated, "p-positions", "", describe(base.text))
    of_parameters = tuple(parse(render(condition)) for condition in conditions)
    return Derivation(tuple(only_the_end), family, last, of_parameters, statements)


def _of_premises(
    games: Sequence[FamilyGame], premises: Sequence[Claim], conditions: list[Node]
) -> list[Known]:
    """Return what premises say of games; append for which parameters they say it."""
    knowns, used = [], set()
    for game in games:
        for premise in premises:
            assert premise.pattern is not None
            about = FamilyGame.read(premise.pattern)
            more = about.with_passes(game.passes) if about.passes > game.passes else about
            values = game.parameters_of(more)
            if values is not None:
                break
        else:
            named = ", ".join(given.id for given in premises)
            of = f"({', '.join(game.coordinates)})" + (
                f", {game.passes} passes" if game.passes else ""
            )
            raise LemmaError(f"no premise ({named}) speaks of the game {of} that is needed")
        if unknown := sorted(premise.parameters - values.keys()):
            raise LemmaError(f"{premise.id}: nothing says what {unknown[0]} stands for")
        used.add(premise.id)
        if premise.statement.for_all is None:
            raise LemmaError(f"{premise.id} is decided for single parameters only")
        conditions.append(substitute(nodes(premise.statement.for_all), values))
        knowns.append(_known(premise, about, game, values))
    if unused := [given.id for given in premises if given.id not in used]:
        raise LemmaError(f"{unused[0]} is not needed")
    return knowns


def _known(
    premise: Claim, about: FamilyGame, game: FamilyGame, values: Mapping[str, Node]
) -> Known:
    """Return what a premise says, in the coordinates and parameters of a game."""
    given = premise.determined
    is_of_some = premise.reach is not None or premise.is_of_whole_bars
    if given is None or given.where is not None or is_of_some:
        raise LemmaError(f"{premise.id} does not say of every position what it is")
    formula = nodes(given.formula)
    left_of = premise.coordinates[len(about.coordinates) :]  # the passes left, if there are any
    named = dict(zip(about.coordinates, map(Name, game.coordinates), strict=True))
    by_passes = tuple(
        substitute(formula, {**values, **named, **{name: Integer(left) for name in left_of}})
        for left in range(game.passes + 1)
    )
    if given.quantity == "p-positions":
        return Known("p-positions", by_passes)
    natural = tuple(Compare((">=",), (value, Integer(0))) for value in by_passes)
    return Known("grundy", by_passes, natural)
