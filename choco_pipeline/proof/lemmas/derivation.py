"""One claim read as what follows from others by lemmas: which hypotheses, and which sentences on integers, remain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from choco_pipeline.claims.kinds import GrundyNumbers, IntegerStatement, PPositions
from choco_pipeline.claims.kinds.kind import Kind
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import Compare, Integer, Name, Node, render
from choco_pipeline.proof.lemmas.known_lemmas import Known, put
from choco_pipeline.proof.lemmas.last_step import LastStep, implied, nodes
from choco_pipeline.proof.lemmas.lemma import LEMMAS
from choco_pipeline.proof.lemmas.played import Played, without_passes
from choco_pipeline.proof.proof_errors import LemmaError
from choco_pipeline.proof.uniform.families.family import Family
from choco_pipeline.proof.uniform.families.parametric_rules import describe


@dataclass(frozen=True)
class Derivation:
    """What remains to be decided for a claim to follow from its premises."""

    #: Games in which no position with options may have the value 0.
    only_the_end: tuple[Played, ...]
    #: The claim's games without passes, of which these are parts.
    family: Family
    #: What lemmas say of the claim's games, and the claim.
    last: LastStep
    #: For which parameters the premises speak of these games.
    of_parameters: tuple[Formula, ...]
    #: On integers: that the claim speaks of such parameters only, and the last step.
    statements: tuple[IntegerStatement, ...]


def derived(claim: Claim, premises: Sequence[Claim]) -> Derivation:
    """Return how a claim follows from premises by the lemmas that it names.

    Raises
    ------
    LemmaError, FamilyError
        If it does not: a lemma speaks of other games, or the premises do, or of other kinds of numbers.
    """
    statement = claim.statement
    assert statement.follows_from is not None
    assert statement.for_all is not None
    assert claim.pattern is not None
    lemmas = [LEMMAS[name] for name in statement.follows_from.lemmas]
    game = Played.read(claim.pattern)
    # From the claim's game back to those of which something must be known.
    levels: list[tuple[Played, ...]] = [(game,)]
    only_the_end: list[Played] = []
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
    relation = f"{game.coordinates[0]} == 0"
    family = Family(base.text, statement.for_all.text, relation, "p-positions", describe(base.text))
    of_parameters = tuple(parse(render(condition)) for condition in conditions)
    return Derivation(tuple(only_the_end), family, last, of_parameters, statements)


def _of_premises(
    games: Sequence[Played], premises: Sequence[Claim], conditions: list[Node]
) -> list[Known]:
    """Return what premises say of games; append for which parameters they say it."""
    knowns, used = [], set()
    for game in games:
        for premise in premises:
            assert premise.pattern is not None
            about = Played.read(premise.pattern)
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
        conditions.append(put(nodes(premise.statement.for_all), values))
        knowns.append(_known(premise, about, game, values))
    if unused := [given.id for given in premises if given.id not in used]:
        raise LemmaError(f"{unused[0]} is not needed")
    return knowns


def _known(premise: Claim, about: Played, game: Played, values: Mapping[str, Node]) -> Known:
    """Return what a premise says, in the coordinates and parameters of a game."""
    kind = premise.check
    assert isinstance(kind, Kind)
    if (
        not kind.of_all_positions
        or premise.statement.reach is not None
        or premise.is_of_whole_bars
        or not isinstance(kind, GrundyNumbers | PPositions)
    ):
        raise LemmaError(f"{premise.id} does not say of every position what it is")
    formula = nodes(kind.equals if isinstance(kind, GrundyNumbers) else kind.formula)
    grundy = isinstance(kind, GrundyNumbers)
    left_of = premise.coordinates[len(about.coordinates) :]  # the passes left, if there are any
    named = dict(zip(about.coordinates, map(Name, game.coordinates), strict=True))
    by_passes = tuple(
        put(formula, {**values, **named, **{name: Integer(left) for name in left_of}})
        for left in range(game.passes + 1)
    )
    if not grundy:
        return Known("p-positions", by_passes)
    natural = tuple(Compare((">=",), (value, Integer(0))) for value in by_passes)
    return Known("grundy", by_passes, natural)
