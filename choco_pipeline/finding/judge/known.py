"""Comparison of a statement with claims, at sampled positions: which claims imply it, and which are equivalent to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from choco_pipeline.claims.kinds import (
    Counts,
    Values,
)
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.judge.meaning import (
    LARGEST_VALUE,
    Meaning,
    environment,
    excluding,
    meaning,
    speaks_of,
)
from choco_pipeline.finding.judge.sampled_positions import sampled
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import Binary, Integer, Node, render, with_operands
from choco_pipeline.formula.parse import parse_nodes
from choco_pipeline.games import parse_ruleset
from choco_pipeline.games.notation import Argument, Notation, build, read
from choco_pipeline.tables.reading.cells import Truths, evaluate_at, holds_at

#: Claims are compared for at most this number of games.
GAMES = 8


def sources(claim: Claim, games: Sequence[str], catalogue: Catalogue) -> tuple[str, ...]:
    """Return the ids of the claims that imply a claim for some games.

    These are the claims each of which implies it, or else the claims that imply it together; none if the catalogue has none.
    `games` are rulesets without parameters, of which at most `GAMES` are compared. Conditions that agree at every sampled position
    count as equal. A claim that contradicts it at a sampled position is left out.
    """
    if claim.counts is not None:
        return _sources_of_relations(claim, claim.counts, catalogue)
    used: dict[str, None] = {}
    wrong: set[str] = set()
    by_game: list[tuple[Meaning, list[tuple[str, Meaning]]]] = []
    for game in spread(games):
        own = meaning(claim, game)
        if own is None:
            return ()
        others = []
        for other in catalogue.speaking_of(game):
            if other.id == claim.id:
                continue
            theirs = meaning(other, game)
            about = None if theirs is None else theirs.about(own.of)
            if theirs is not None and about is None:
                if claim.value_set is not None:
                    about = _of_values(claim, claim.value_set, game, own, theirs)
                elif other.value_set is not None and own.of == "p":
                    about = excluding(other, other.value_set, game)
            if about is not None:
                both = own.speaks & about.speaks
                if (own.values != about.values)[both].any():
                    wrong.add(other.id)
                else:
                    others.append((other.id, about))
        if own.of == "p":
            for other_id, about in _beside_a_strip(game, catalogue):
                if not (own.values != about.values)[own.speaks & about.speaks].any():
                    others.append((other_id, about))
        by_game.append((own, others))
    whole = [
        {other_id for other_id, about in others if about.speaks[own.speaks].all()} - wrong
        for own, others in by_game
    ]
    alone = set.intersection(*whole) if whole else set()
    if alone:
        return tuple(other_id for other_id in catalogue.claims if other_id in alone)
    for own, others in by_game:
        left = own.speaks.copy()
        for other_id, about in others:
            if other_id not in wrong and (left & about.speaks).any():
                left &= ~about.speaks
                used[other_id] = None
        if left.any():
            return ()
    return tuple(used)


def cover_all(names: Iterable[str], games: Iterable[str], catalogue: Catalogue) -> bool:
    """Whether at least one of the claims is about each game, or about the bar beside its strip."""
    claims = [catalogue.claims[name] for name in names]
    # Relations between numbers of positions are about all tables of a family together.
    if any(claim.is_over_tables for claim in claims):
        return True
    for game in games:
        bar = parse_ruleset(game).without_strip
        both = (game,) if bar is None else (game, bar.notation)
        if not any(environment(claim, form) is not None for claim in claims for form in both):
            return False
    return True


def equivalent_claims(
    claims: Sequence[Claim], games: Sequence[str], catalogue: Catalogue, ids: Iterable[str]
) -> tuple[str, ...]:
    """Return those of the claims with `ids` that `claims` imply, if they in turn imply `claims` together; else none.

    `claims` are the cases of one statement, which all claims with `ids` imply together. `games` are rulesets without parameters.
    """
    if any(claim.is_over_tables for claim in claims):
        return tuple(ids)
    same = dict.fromkeys(ids)
    spoken: list[tuple[Truths, dict[str, Truths]]] = []
    for game in spread(games):
        own = [meant for claim in claims if (meant := meaning(claim, game)) is not None]
        if len(own) < len(claims) or len({meant.of for meant in own}) > 1:
            return ()
        speaks = np.logical_or.reduce([meant.speaks for meant in own])
        others = {name: _spoken_of(claims[0], own[0], catalogue.claims[name], game) for name in ids}
        for name, other in others.items():
            if other is None or (other & ~speaks).any():
                same.pop(name, None)
        spoken.append(
            (
                speaks,
                {name: positions for name, positions in others.items() if positions is not None},
            )
        )
    for speaks, by_id in spoken:
        if not same or not np.logical_or.reduce([by_id[name] for name in same])[speaks].all():
            return ()
    return tuple(same)


def _spoken_of(claim: Claim, own: Meaning, other: Claim, game: str) -> Truths | None:
    """Return the positions that another claim is about; None if it is of another kind than `claim`."""
    if environment(other, game) is None:
        return np.zeros_like(own.speaks)
    if (claim.value_set is None) != (other.value_set is None):
        return None
    meant = meaning(other, game)
    return None if meant is None or meant.of != own.of else meant.speaks


def follows_from_formulas(
    claim: Claim, games: Sequence[str], catalogue: Catalogue
) -> tuple[str, ...]:
    """Return the claims that settle all sampled positions of both games of a relation; none if some are not settled."""
    if claim.related is None:
        return ()
    of = "p" if claim.related.equals is None else "grundy"
    pattern = read(claim.related.game)
    both = []
    for game in spread(games):
        try:
            other = build(pattern, claim.match(game) or {}, Path()).notation
        except ChocoError:  # there is no such game, such as a bar with heights x//0
            continue
        both += [settled_by(name, of, catalogue) for name in (game, _computed(other))]
    return tuple(dict.fromkeys(chain.from_iterable(both))) if all(both) else ()


def _computed(game: str) -> str:
    """Return a game with differences of integers computed: (x+z)//5 for (x+z)//(9-4), so that claims on (x+z)//k match it."""

    def of(node: Node) -> Node:
        match with_operands(node, of):
            case Binary("-", Integer(more), Integer(less)) if more >= less:
                return Integer(more - less)
            case other:
                return other

    def computed(argument: Argument) -> Argument:
        match argument:
            case Notation():
                several = tuple((key, computed(value)) for key, value in argument.arguments)
                return Notation(argument.name, several)
            case Formula():
                return parse(render(of(parse_nodes(argument.text))))
            case _:
                return argument

    computed_game = computed(read(game))
    assert isinstance(computed_game, Notation)
    return computed_game.text


def settled_by(game: str, of: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the claims that together give the outcome, or Grundy number, of every sampled position; none if some have none."""
    meanings = ((other.id, meaning(other, game)) for other in catalogue.speaking_of(game))
    about = [(name, meant.about(of)) for name, meant in meanings if meant is not None]
    about += _beside_a_strip(game, catalogue) if of == "p" else []
    spoken = {name: meant.speaks for name, meant in about if meant is not None}
    is_all = bool(spoken) and bool(np.logical_or.reduce(list(spoken.values())).all())
    return tuple(spoken) if is_all else ()


def _beside_a_strip(game: str, catalogue: Catalogue) -> Iterator[tuple[str, Meaning]]:
    """Yield the meanings of claims on the Grundy numbers of a bar for the bar with a strip: P if the strip equals the number."""
    ruleset = parse_ruleset(game)
    bar, strip = ruleset.without_strip, ruleset.rules.free
    if bar is None or strip is None:
        return
    points = sampled(game)
    for claim in catalogue.speaking_of(bar.notation):
        known = environment(claim, bar.notation)
        if known is None or claim.numbers is None:
            continue
        try:
            numbers = evaluate_at(claim.numbers.equals.substitute(known), points)
            speaks = speaks_of(claim, known, points)
        except ChocoError:
            continue
        yield claim.id, Meaning("p", speaks, (points[strip] == numbers).astype(np.int64))


def _of_values(
    claim: Claim, check: Values, game: str, own: Meaning, other: Meaning
) -> Meaning | None:
    """Return the meaning of a claim on a set of values if it follows from the P-positions of another claim; None if not."""
    p = other.about("p")
    if p is None:
        return None
    points = sampled(game)
    known = environment(claim, game) or {}
    speaks, claimed = speaks_of(claim, known, points), check.values.substitute(known)
    values = evaluate_at(check.of.substitute(known), points)
    members = np.arange(LARGEST_VALUE)
    members = members[holds_at(claimed, {"v": members})]
    follows = bool(np.isin(members, values[speaks & p.speaks & (p.values == 1)]).all())
    if check.relation == "exactly":
        others = speaks & ~holds_at(claimed, {"v": values})
        follows &= bool((p.speaks & (p.values == 0))[others].all())
    return own if follows else None


def _sources_of_relations(claim: Claim, check: Counts, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the claims that contain all relations of a claim on numbers of several tables."""
    used: dict[str, None] = {}
    # relations at powers of 2 follow from relations between neighbours
    texts = {relation.text for relation in check.conditions}
    left = {text for text in texts if "**" not in text}
    for other in catalogue.claims.values():
        if other.counts is not None and other.statement.ruleset == claim.statement.ruleset:
            relations = {relation.text for relation in other.counts.conditions}
            if left & relations and other.id != claim.id:
                left -= relations
                used[other.id] = None
    return () if left else tuple(used)


def spread(games: Sequence[str]) -> list[str]:
    """Return the first, the last and others of the games, evenly spread."""
    if len(games) <= GAMES:
        return list(games)
    return [games[round(i * (len(games) - 1) / (GAMES - 1))] for i in range(GAMES)]
