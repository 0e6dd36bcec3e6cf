"""Which claims say together what another one says, in whatever words: compared on positions, not as texts."""

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

#: Claims are compared for so many of the games that they speak of.
GAMES = 8


def sources(claim: Claim, games: Sequence[str], catalogue: Catalogue) -> tuple[str, ...]:
    """Return the ids of the claims that each say all that `claim` says of some games, or else of those that say it together.

    Of the rulesets, without parameters, that it was seen for, not all are looked at if they are many. Nothing is returned if
    the catalogue does not have it; a claim that contradicts it somewhere is not one of its sources. Two conditions on
    P-positions that agree at every sampled position are the same statement here, in other words perhaps: that is what a reader
    wants to know.
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
    for game, (own, others) in zip(spread(games), by_game, strict=True):
        left = own.speaks.copy()
        for other_id, about in others:
            if other_id not in wrong and (left & about.speaks).any():
                left &= ~about.speaks
                used[other_id] = None
        if left.any():
            by_moves = _by_moves(own, game, catalogue)
            if not by_moves:
                return ()
            used |= dict.fromkeys(by_moves)
    return tuple(used)


def speak_of_all(names: Iterable[str], games: Iterable[str], catalogue: Catalogue) -> bool:
    """Whether of each of some games at least one of these claims speaks, or speaks of the bar beside its strip."""
    claims = [catalogue.claims[name] for name in names]
    # Relations between numbers of positions are of all tables of a family together.
    if any(claim.is_over_tables for claim in claims):
        return True
    for game in games:
        bar = parse_ruleset(game).without_strip
        both = (game,) if bar is None else (game, bar.notation)
        if not any(environment(claim, form) is not None for claim in claims for form in both):
            return False
    return True


def saying_the_same(
    claims: Sequence[Claim], games: Sequence[str], catalogue: Catalogue, ids: Iterable[str]
) -> tuple[str, ...]:
    """Return those of `ids` that say no more of some games than `claims`, if they say together as much; else none.

    What is known is one statement, in cases perhaps, and was seen for the games, rulesets without parameters; the claims with
    these ids say together as much, or more.
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
    """Return of which positions another claim speaks, as `claim` does; None if it says something of another kind."""
    if environment(other, game) is None:
        return np.zeros_like(own.speaks)
    if (claim.value_set is None) != (other.value_set is None):
        return None
    meant = meaning(other, game)
    return None if meant is None or meant.of != own.of else meant.speaks


def follows_from_formulas(
    claim: Claim, games: Sequence[str], catalogue: Catalogue
) -> tuple[str, ...]:
    """Return the claims that say all of the games that a claim relates, as far as sampled positions tell; none if they do not."""
    if claim.related is None:
        return ()
    of = "p" if claim.related.equals is None else "grundy"
    pattern = read(claim.related.game)
    both = [
        settled_by(name, of, catalogue)
        for game in spread(games)
        for name in (game, _computed(build(pattern, claim.match(game) or {}, Path()).notation))
    ]
    return tuple(dict.fromkeys(chain.from_iterable(both))) if all(both) else ()


def _computed(game: str) -> str:
    """Return a game in which differences of integers are integers: claims on (x+z)//k speak of (x+z)//5, not of (x+z)//(9-4)."""

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
    """Return the claims that say of every sampled position whether it is P, or its Grundy number; none if they do not."""
    meanings = ((other.id, meaning(other, game)) for other in catalogue.speaking_of(game))
    about = [(name, meant.about(of)) for name, meant in meanings if meant is not None]
    about += _beside_a_strip(game, catalogue) if of == "p" else []
    spoken = {name: meant.speaks for name, meant in about if meant is not None}
    is_all = bool(spoken) and bool(np.logical_or.reduce(list(spoken.values())).all())
    return tuple(spoken) if is_all else ()


def _beside_a_strip(game: str, catalogue: Catalogue) -> Iterator[tuple[str, Meaning]]:
    """Yield what claims on the Grundy numbers of a bar say of the bar with a strip: it is P where the strip is as large."""
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
    """Return what a claim on all values says if it follows from the P-positions as another claim has them; None if not."""
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


def _by_moves(own: Meaning, game: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Return two claims on moves from which it follows which positions are P; none if there are no such two.

    They are that no option of a position in a set is in it, and that every other position has an option in it: by
    induction on the moves the set is that of the P-positions.
    """
    if own.of != "p" or not own.speaks.all():
        return ()
    points, inside = sampled(game), own.values == 1
    by_word: dict[str, str] = {}
    for claim in catalogue.claims.values():
        parameters, said = claim.match(game), claim.on_options
        if parameters is None or said is None or said.by or claim.reach is not None:
            continue
        known = claim.environment(parameters)
        try:
            of, to = (holds_at(f.substitute(known), points) for f in (said.where, said.to))
        except ChocoError:
            continue
        meant = {"no": inside, "some": ~inside}.get(said.word)
        if meant is not None and (of == meant).all() and (to == inside).all():
            by_word.setdefault(said.word, claim.id)
    return (by_word["no"], by_word["some"]) if len(by_word) > 1 else ()


def _sources_of_relations(claim: Claim, check: Counts, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the claims in which all relations of a claim that compares tables are written."""
    used: dict[str, None] = {}
    # what follows at the powers of 2 from relations between neighbours is no further statement
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
