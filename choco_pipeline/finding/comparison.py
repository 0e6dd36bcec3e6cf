"""Comparison: which claims imply, restate or extend a statement.

Idea: the content of a claim for a game is its domain (a set of positions), with the outcomes or Grundy numbers there. Claims imply a
statement if at each position of its domain one of them has the same content. Sampled positions are compared first. If they agree,
automata decide the implication for all positions. The moves of the game do not matter: the claims need not be true.

Invariant: automata answer "proved" only if the implication holds at all positions. They answer "refuted" only if every claim can be
written as sentences and some position, or some member of a set, has the same content in no premise.

Cost: some milliseconds for a game, and some tenths of a second if every member of a set must be a value. The answer does not depend
on the speed of the machine, because the number of states is limited, not the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, combinations, product
from pathlib import Path
from typing import Literal

import numpy as np

from choco_pipeline.claims.kinds import (
    Cellular,
    Counts,
    Evaluated,
    GrundyNumbers,
    PPositions,
    Values,
)
from choco_pipeline.claims.language.catalogue import Catalogue
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.errors import ChocoError
from choco_pipeline.finding.scope import spread
from choco_pipeline.finding.statement import ComparedOn
from choco_pipeline.formula import Formula, parse
from choco_pipeline.formula.nodes import Binary, Integer, Node, render, substitute, with_operands
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.notation import (
    Notation,
    as_written,
    build,
    match,
    read,
    with_arguments,
)
from choco_pipeline.proof.arithmetic import logic
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.terms import value_is
from choco_pipeline.proof.games.obligations import legal
from choco_pipeline.proof.proof_errors import NotDefinableError
from choco_pipeline.proof.statements.sentences import (
    VALUE,
    at_most_each,
    holds,
    signed,
)
from choco_pipeline.provenance import digest
from choco_pipeline.statements import tree
from choco_pipeline.tables import cells

#: The content of a claim: outcomes, Grundy numbers, or a set of values.
Kind = Literal["p", "grundy", "values"]
#: Approximate number of positions in the small box.
LEAST = 1500
#: Most random positions, number of places drawn for them, and largest coordinate of these.
DRAWN, TRIES, LARGEST = 200, 2_000, 1 << 11
#: With more than `FEW` coordinates, at most `NONZERO` of them are nonzero in the small box.
FEW, NONZERO = 6, 3


@lru_cache(maxsize=512)
def sampled(game: str) -> cells.Points:
    """Return sampled positions of a game: an array for each coordinate.

    The sample contains a small box, random positions, and positions near powers of 2. An uncut rectangular bar has one position for
    each poisoned cell: all of them are returned, with the row and column of the cell as further coordinates.
    """
    ruleset = parse_ruleset(game)
    face = ruleset.base.rules.face
    if face is not None:
        every = np.indices((ruleset.passes + 1, *face.sizes.values())).reshape(
            1 + len(face.sizes), -1
        )
        places = dict(zip(face.sizes, every[1:] + 1, strict=True))
        heaps = [*face.positions(places), *every[: bool(ruleset.passes)]]
        return places | dict(zip(ruleset.coordinates, heaps, strict=True))
    rows = np.concatenate(
        [
            _legal_rows(ruleset, _small_box(ruleset)),
            _legal_rows(ruleset, _random_places(ruleset))[:DRAWN],
            _legal_rows(ruleset, _near_powers(ruleset)),
        ]
    )
    order = np.lexsort(rows.T)  # stable; equal rows become neighbours
    is_first = np.append(True, (np.diff(rows[order], axis=0) != 0).any(axis=1))
    columns = np.ascontiguousarray(rows[np.sort(order[is_first])].T)
    return dict(zip(ruleset.coordinates, columns, strict=True))


def _legal_rows(ruleset: Ruleset, rows: cells.Ints) -> cells.Ints:
    rows = rows.reshape(-1, len(ruleset.coordinates))
    return rows[cells.are_positions(ruleset, dict(zip(ruleset.coordinates, rows.T, strict=True)))]


def _small_box(ruleset: Ruleset) -> cells.Ints:
    """Return the places of a small box; with many coordinates, most are 0."""
    number = len(ruleset.base.coordinates)
    side = max(3, int(LEAST ** (1 / number)) - 1)
    sizes = [min(side, most) + 1 for most in ruleset.limits(side)]
    nonzero = len(sizes) if number <= FEW else NONZERO
    boxes = (
        np.indices([size if i in chosen else 1 for i, size in enumerate(sizes)])
        for chosen in combinations(range(len(sizes)), nonzero)
    )
    return np.concatenate([box.reshape(len(sizes), -1).T for box in boxes])


def _random_places(ruleset: Ruleset) -> cells.Ints:
    """Return random places, most of them small; not all are positions."""
    random = np.random.default_rng(len(ruleset.coordinates))
    most = np.array(ruleset.limits(_largest(ruleset)))
    sizes = random.random((TRIES, 1)) * random.random((TRIES, len(most)))
    drawn: cells.Ints = (sizes * (most + 1)).astype(np.int64)
    for column in range(len(most)):  # nim-sum 0, where rare P-positions are likely
        rows = slice(column, None, 1 + len(most))
        others = np.bitwise_xor.reduce(np.delete(drawn[rows], column, axis=1), axis=1)
        drawn[rows, column] = np.minimum(others, most[column])
    return drawn


def _largest(ruleset: Ruleset) -> int:
    """Return `LARGEST`, halved until the heights are known up to it."""
    bound = LARGEST
    while bound > 1:
        try:
            ruleset.limits(bound)
        except ChocoError:
            bound //= 2
        else:
            break
    return bound


def _near_powers(ruleset: Ruleset) -> cells.Ints:
    """Return places (a, b, c) with b < 4, and a and c near the same power of 2."""
    number = len(ruleset.base.coordinates)
    return _near_powers_up_to(_largest(ruleset) if number == 3 else 0, ruleset.passes, number)


@cache
def _near_powers_up_to(largest: int, passes: int, number: int) -> cells.Ints:
    rows = []
    for power, near in product(range(2, largest.bit_length()), range(-2, 2)):
        last = (1 << power) + near
        near_last = range(max(0, last - 2), min(last + 2, largest) + 1)
        left = [range(passes + 1)] if passes else []
        rows += list(product(near_last, range(4), [last], *left))
    return np.array(rows, np.int64).reshape(-1, number + bool(passes))


#: Sets of values are compared below this number.
LARGEST_VALUE = 1 << 12


@dataclass(frozen=True)
class Meaning:
    """The meaning of a claim at the sampled positions of one game."""

    #: "p" for outcomes, "grundy" for Grundy numbers, or a text. Only meanings with equal texts are comparable.
    of: str
    #: The positions in the claim's domain.
    domain: cells.Truths
    #: The values there: 1 for P and 0 for N, or the Grundy number.
    values: cells.Ints

    def about(self, of: str) -> Meaning | None:
        """Return the meaning for `of`, if implied: Grundy numbers imply outcomes."""
        if self.of == of:
            return self
        if (self.of, of) == ("grundy", "p"):
            return Meaning("p", self.domain, (self.values == 0).astype(np.int64))
        return None


def environment(claim: Claim, game: str) -> dict[str, int] | None:
    """Return integers for a claim's names; None unless exactly one case is the game."""
    parameters = None if claim.pattern is None else match(claim.pattern, read(game))
    cases = [] if parameters is None else claim.cases(parameters)
    return claim.environment(cases[0]) if len(cases) == 1 else None


@dataclass(frozen=True)
class _Content:
    """Content of a claim for one game, as formulas in coordinates and passes left."""

    #: Conditions on the positions of its domain, and their largest coordinate.
    where: Sequence[Formula]
    reach: int | None
    #: The condition for P; None if all positions of the domain are N.
    is_p: Formula | None = None
    #: A formula for the Grundy number, which replaces `is_p`.
    number: Formula | None = None

    def domain(self, points: cells.Points) -> cells.Truths:
        """Return a mask of the points in the domain."""
        parts = [cells.holds_at(condition, points) for condition in self.where]
        if self.reach is not None:
            parts += [values <= self.reach for name, values in points.items() if name != "p"]
        everything = np.ones(next(iter(points.values())).size, np.bool_)
        domain: cells.Truths = np.logical_and.reduce([everything, *parts])
        return domain

    def meaning(self, game: str) -> Meaning:
        points = sampled(game)
        domain = self.domain(points)
        if self.number is not None:
            return Meaning("grundy", domain, cells.evaluate_at(self.number, points))
        is_p = np.zeros_like(domain) if self.is_p is None else cells.holds_at(self.is_p, points)
        return Meaning("p", domain, is_p.astype(np.int64))


def _content(claim: Claim, game: str, kind: Kind, strip: str | None = None) -> _Content | None:
    """Return the content of a claim for a game; None if it has none of this kind.

    With the coordinate `strip`, Grundy numbers of a bar become P-positions of the bar beside a strip. A set of values becomes outcomes:
    positions with other values are N.
    """
    names, check = environment(claim, game), claim.outcomes or claim.numbers or claim.value_set
    if names is None or check is None:
        return None
    where = [] if check.where is None else [check.where.substitute(names)]
    reach = None if claim.reach is None else int(claim.reach.value(names))
    match check:
        case Values() if kind == "values":
            return _Content(where, reach)
        case Values(relation="within" | "exactly") if kind == "p":
            member = substitute(check.values.root, {"v": check.of.root})
            excluded = parse(f"not ({render(member)})").substitute(names)
            return _Content([*where, excluded], reach)
        case GrundyNumbers(equals=number) if kind == "grundy":
            return _Content(where, reach, number=number.substitute(names))
        case GrundyNumbers(equals=number) if kind == "p":
            is_p = parse(f"({number.text}) == ({strip or 0})")
        case PPositions(formula=is_p, relation="exactly") if kind == "p":
            pass
        case _:
            return None
    return _Content(where, reach, is_p.substitute(names))


#: Cache of meanings, by claim and game: each claim is compared with many statements, in each round of a run.
_MEANINGS: dict[tuple[str, str], Meaning | None] = {}
MOST_MEANINGS = 4_000


def meaning(claim: Claim, game: str) -> Meaning | None:
    """Return a claim's meaning for a game; None if it has no case or no value there."""
    key = claim.statement.model_dump_json(include=Statement.model_fields.keys() - {"id"}), game
    if key not in _MEANINGS:
        if len(_MEANINGS) >= MOST_MEANINGS:
            _MEANINGS.clear()
        _MEANINGS[key] = _meaning(claim, game)
    return _MEANINGS[key]


def _meaning(claim: Claim, game: str) -> Meaning | None:
    try:
        names = environment(claim, game)
        if names is None:
            return None
        if claim.is_of_whole_bars and claim.outcomes is None:
            return _of_bars(claim, names, game)
        check = claim.value_set
        kind: Kind = "p" if claim.numbers is None else "grundy"
        if check is not None and check.relation != "within":
            kind = "values"
        content = _content(claim, game, kind)
        if content is None:
            return _as_text(claim)
        if check is None or kind != "values":
            return content.meaning(game)
        points = sampled(game)
        of = cells.evaluate_at(check.of.substitute(names), points)
        members = cells.holds_at(check.values.substitute(names), {"v": np.arange(LARGEST_VALUE)})
        domain = [content.domain(points), np.ones(LARGEST_VALUE, np.bool_)]
        values = [of, members.astype(np.int64)]
        return Meaning(f"values {check.relation}", np.concatenate(domain), np.concatenate(values))
    except ChocoError:
        return None


def _of_bars(claim: Claim, names: Mapping[str, int], game: str) -> Meaning:
    """Return the meaning on an uncut bar: -1 for P, -2 for N, or a cell's code."""
    match claim.check:
        case Evaluated() as check:
            face = parse_ruleset(game).base.rules.face
            assert face is not None  # such statements are about rectangular bars
            side = face.sizes["i"]
            i, j = np.indices((side, side)).reshape(2, -1) + 1
            points = {"i": i, "j": j}
            domain, values = np.zeros(i.size, np.bool_), np.zeros(i.size, np.int64)
            for part in tree.conjuncts(check.proposition):
                here, body = ~domain, part
                if isinstance(part, tree.Implies) and isinstance(part.premise, tree.Expression):
                    here &= cells.holds_at(part.premise.formula.substitute(names), points)
                    body = part.conclusion
                match body:
                    case tree.PPosition():
                        cell = np.full(i.size, -1)
                    case tree.Not(tree.PPosition()):
                        cell = np.full(i.size, -2)
                    case tree.Equivalent(
                        (
                            tree.PPosition(),
                            tree.PPosition(tree.Place(at=tuple(at), game=Notation() as bar)),
                        )
                    ):
                        size = dict(bar.arguments)["m"]
                        assert isinstance(size, Formula)
                        cell = np.zeros(i.size, np.int64)
                        for one in (size, *(place.formula for place in at)):
                            cell = (cell << 16) + cells.evaluate_at(one.substitute(names), points)
                    case _:
                        continue
                values[here] = cell[here]
                domain |= here
            # A cell always has the same outcome as itself.
            itself = (((side << 16) + i) << 16) + j
            return Meaning("pattern", domain & (values != itself), values)
        case Cellular(terms=terms, modulo=modulo):
            return _as_text(claim, f"cellular {sorted(terms)} {modulo}")
        case _:
            return _as_text(claim)


def _as_text(claim: Claim, written: str | None = None) -> Meaning:
    """Return a meaning that is comparable only with the same text."""
    text = written or claim.statement.statement or str(claim.statement.check)
    return Meaning(f"{claim.statement.ruleset} {text}", np.ones(1, np.bool_), np.zeros(1, np.int64))


def sources(claim: Claim, games: Sequence[str], catalogue: Catalogue) -> tuple[str, ...]:
    """Return the ids of claims in the catalogue that imply a claim for some games.

    If single claims imply it, these are returned. Otherwise claims are returned that imply it together, if there are any. `games` are
    rulesets without parameters; at most `GAMES` of them are compared, at sampled positions only. A claim that contradicts it at one of
    these is left out.
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
            other_meaning = meaning(other, game)
            about = None if other_meaning is None else other_meaning.about(own.of)
            if other_meaning is not None and about is None:
                if claim.value_set is not None:
                    about = _of_values(claim, claim.value_set, game, own, other_meaning)
                elif other.value_set is not None and own.of == "p":
                    excluded = _content(other, game, "p")
                    about = None if excluded is None else excluded.meaning(game)
            if about is not None:
                both = own.domain & about.domain
                if (own.values != about.values)[both].any():
                    wrong.add(other.id)
                else:
                    others.append((other.id, about))
        if own.of == "p":
            for other_id, about in _beside_a_strip(game, catalogue):
                if not (own.values != about.values)[own.domain & about.domain].any():
                    others.append((other_id, about))
        by_game.append((own, others))
    whole = [
        {other_id for other_id, about in others if about.domain[own.domain].all()} - wrong
        for own, others in by_game
    ]
    alone = set.intersection(*whole) if whole else set()
    if alone:
        return tuple(other_id for other_id in catalogue.claims if other_id in alone)
    for own, others in by_game:
        left = own.domain.copy()
        for other_id, about in others:
            if other_id not in wrong and (left & about.domain).any():
                left &= ~about.domain
                used[other_id] = None
        if left.any():
            return ()
    return tuple(used)


def cover_all(names: Iterable[str], games: Iterable[str], catalogue: Catalogue) -> bool:
    """Whether a named claim is about each game, or about its bar without the strip."""
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
    """Return the claims with `ids` that are equivalent to `claims` together.

    `claims` are the cases of one statement. All claims with `ids` together imply it. `games` are rulesets without parameters.
    """
    if any(claim.is_over_tables for claim in claims):
        return tuple(ids)
    own = Catalogue({claim.id: claim for claim in claims})
    same = {}
    for name in ids:
        other = catalogue.claims[name]
        meant = [game for game in spread(games) if environment(other, game) is not None]
        if not meant or sources(other, meant, own):
            same[name] = other
    is_whole = bool(same) and all(sources(claim, games, Catalogue(same)) for claim in claims)
    return tuple(same) if is_whole else ()


def follows_from_formulas(
    claim: Claim, games: Sequence[str], catalogue: Catalogue
) -> tuple[str, ...]:
    """Return claims that determine the sampled positions of both games of a relation."""
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
        both += [settled_by(name, of, catalogue) for name in (game, _with_differences(other))]
    return tuple(dict.fromkeys(chain.from_iterable(both))) if all(both) else ()


def _with_differences(game: str) -> str:
    """Return a game with differences evaluated: (x+z)//5 for (x+z)//(9-4)."""

    def of(node: Node) -> Node:
        match with_operands(node, of):
            case Binary("-", Integer(more), Integer(less)) if more >= less:
                return Integer(more - less)
            case other:
                return other

    return with_arguments(read(game), of).text


def settled_by(game: str, of: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Return claims that together determine all sampled positions, if there are any."""
    meanings = ((other.id, meaning(other, game)) for other in catalogue.speaking_of(game))
    about = [(name, meant.about(of)) for name, meant in meanings if meant is not None]
    about += _beside_a_strip(game, catalogue) if of == "p" else []
    domains = {name: meant.domain for name, meant in about if meant is not None}
    is_all = bool(domains) and bool(np.logical_or.reduce(list(domains.values())).all())
    return tuple(domains) if is_all else ()


def _beside_a_strip(game: str, catalogue: Catalogue) -> Iterator[tuple[str, Meaning]]:
    """Yield claims on Grundy numbers as claims on P-positions beside a strip.

    A position is P if and only if the strip equals the Grundy number of the bar.
    """
    ruleset = parse_ruleset(game)
    bar, strip = ruleset.without_strip, ruleset.rules.free
    if bar is None or strip is None:
        return
    for claim in catalogue.speaking_of(bar.notation):
        with suppress(ChocoError):
            content = None if claim.numbers is None else _content(claim, bar.notation, "p", strip)
            if content is not None:
                yield claim.id, content.meaning(game)


def _of_values(
    claim: Claim, check: Values, game: str, own: Meaning, other: Meaning
) -> Meaning | None:
    """Return the meaning of a claim on values if the P-positions of `other` imply it."""
    p, content = other.about("p"), _content(claim, game, "values")
    if p is None or content is None:
        return None
    points, known = sampled(game), environment(claim, game) or {}
    domain, claimed = content.domain(points), check.values.substitute(known)
    values = cells.evaluate_at(check.of.substitute(known), points)
    members = np.arange(LARGEST_VALUE)
    members = members[cells.holds_at(claimed, {"v": members})]
    follows = bool(np.isin(members, values[domain & p.domain & (p.values == 1)]).all())
    if check.relation == "exactly":
        others = domain & ~cells.holds_at(claimed, {"v": values})
        follows &= bool((p.domain & (p.values == 0))[others].all())
    return own if follows else None


def _sources_of_relations(claim: Claim, check: Counts, catalogue: Catalogue) -> tuple[str, ...]:
    """Return claims that together contain all relations of a claim on counts."""
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


#: The effect of one pass on the Grundy numbers g of a game in which only the end has 0: it exchanges 2i−1 and 2i for i ≥ 1.
EXCHANGED = parse("max(((g+1) ^ 1)-1, 0)")


def lemmas(claim: Claim) -> tuple[str, ...]:
    """Return the name in docs/lemmas.md of the lemma that implies a claim, if any."""
    check, own = claim.related, as_written(str(claim.statement.ruleset))
    if check is None or as_written(check.game) != own:
        return ()
    at = {name: formula.text for name, formula in check.moved.items()}
    if at == {"p": "p-2"} and check.equals in (None, parse("g")):
        return ("two-more-passes",)
    functions = [check.equals] if check.equals else [check.at[name] for name in at if name != "p"]
    one_less = at.get("p") == "p-1" and len(at) == (1 if check.equals else 2)
    is_exchange = [f.rename(dict.fromkeys(f.names, "g")) for f in functions] == [EXCHANGED]
    return ("one-pass",) if one_less and is_exchange else ()


#: Most states of an automaton before it is minimised. Two statements on a bar with k below 100 need some thousands.
MOST_STATES = 20_000
#: Statements on more games are compared at sampled positions only.
MOST_GAMES = 64

#: Kinds of claims that are compared at positions; others are compared as texts.
ON_POSITIONS = (PPositions.kind, GrundyNumbers.kind, Values.kind, Evaluated.kind)

Decided = Literal["proved", "refuted", "undecided"]


@dataclass(frozen=True)
class Consequence:
    """The question whether claims imply another one at all positions of a game.

    Without a conclusion, the question is whether the premises are about all positions.
    """

    #: The conclusion.
    claim: Claim | None
    premises: tuple[Claim, ...]
    #: The notation of the game, without parameters.
    game: str
    #: The content that is compared.
    content_kind: Kind

    @cached_property
    def id(self) -> str:
        """A hash that is equal for equal questions."""
        contents = [claim and claim.as_json() for claim in (self.claim, *self.premises)]
        return digest([contents, self.game, self.content_kind])

    def decided(self) -> Decided:
        """Answer the question by automata."""
        try:
            return _Question(self).decided()
        except ChocoError:  # not expressible as a sentence, or too large to decide
            return "undecided"


#: Answers a question: by automata, or from a cache.
Decide = Callable[[Consequence], Decided]


def compared(
    claims: Sequence[Claim],
    premises: Sequence[Claim],
    games: Sequence[str],
    decide: Decide = Consequence.decided,
) -> ComparedOn | None:
    """Return the domain of a sampled implication; None if automata refute it."""
    if not any(claim.check.kind in ON_POSITIONS for claim in claims):
        return "what is written"
    if len(games) > MOST_GAMES or any(claim.check.kind == Evaluated.kind for claim in claims):
        return "sampled positions"
    return _where(
        decide(
            Consequence(claim, tuple(premises), game, "p" if claim.numbers is None else "grundy")
        )
        for claim in claims
        for game in games
    )


def compared_settled(
    premises: Sequence[Claim], game: str, decide: Decide = Consequence.decided
) -> ComparedOn | None:
    """Return the domain in which claims determine P; None if automata refute it."""
    return _where([decide(Consequence(None, tuple(premises), game, "p"))])


def _where(answers: Iterable[Decided]) -> ComparedOn | None:
    different = set(answers)
    if "refuted" in different:
        return None
    return "all positions" if different == {"proved"} else "sampled positions"


@dataclass(frozen=True)
class _Formal:
    """The sentences of a claim for a number of passes left."""

    #: Its domain, and the P-positions in it.
    domain: logic.Sentence
    is_p: logic.Sentence = logic.FALSE
    #: A formula for the Grundy number, which replaces `is_p`.
    number: Formula | None = None

    def agreement(self, other: _Formal) -> logic.Sentence:
        """Return the sentence for the positions of its domain where another claim agrees."""
        if (self.is_p, self.number) == (other.is_p, other.number):
            return self.domain
        if self.number is not None and other.number is not None:
            same = parse(f"({self.number.text}) == ({other.number.text})")
            return logic.conjunction(self.domain, holds(same, {}))
        both = logic.conjunction(self.is_p, other.is_p)
        neither = logic.conjunction(logic.negation(self.is_p), logic.negation(other.is_p))
        return logic.conjunction(self.domain, logic.disjunction(both, neither))


class _Question:
    def __init__(self, consequence: Consequence) -> None:
        self.consequence = consequence
        self.game = parse_ruleset(consequence.game)
        self.engine = Engine({}, most_states=MOST_STATES)
        self.position = legal(self.game.base, self.game.base.coordinates)
        names = self.game.coordinates[len(self.game.base.coordinates) :]
        #: A substitution for each number of passes left; empty in games without passes.
        self.passes = [dict.fromkeys(names, left) for left in range(self.game.passes + 1)]

    def decided(self) -> Decided:
        """Decide the implication, for each number of passes left."""
        claim = self.consequence.claim
        every = [list(self._premises(left)) for left in self.passes]
        known = [[premise for premise in premises if premise is not None] for premises in every]
        otherwise: Decided = (
            "undecided" if any(None in premises for premises in every) else "refuted"
        )
        for left, premises in zip(self.passes, known, strict=True):
            covered: logic.Sentence = logic.TRUE
            same = [premise.domain for premise in premises]
            if claim is not None:
                own = self._formal(claim, self.game, left)
                if own is None:
                    return "undecided"
                covered, same = own.domain, [premise.agreement(own) for premise in premises]
            if covered not in same and not self._holds(
                logic.implies(self.position, covered, logic.disjunction(*same))
            ):
                return otherwise
        claimed = None if claim is None else claim.value_set
        if claim is None or claimed is None or claimed.relation == "within":
            return "proved"
        # Claims on values imply that positions are N, but never that one is P.
        on_values = {premise.value_set is not None for premise in self.consequence.premises}
        if False not in on_values:
            return "undecided"
        if all(self._occur(claim, claimed, known, negative) for negative in (False, True)):
            return "proved"
        return "undecided" if True in on_values else otherwise

    def _holds(self, sentence: logic.Sentence) -> bool:
        return self.engine.is_valid(sentence)

    def _premises(self, left: Mapping[str, int]) -> Iterator[_Formal | None]:
        """Yield the sentences of each premise about the game; None if it has none."""
        bar, strip = self.game.without_strip, self.game.rules.free
        for claim in self.consequence.premises:
            try:
                if environment(claim, self.game.notation) is not None:
                    yield self._formal(claim, self.game, left)
                elif bar is not None and environment(claim, bar.notation) is not None:
                    yield self._formal(claim, bar, left, strip)
            except NotDefinableError:
                yield None

    def _formal(
        self, claim: Claim, game: Ruleset, left: Mapping[str, int], strip: str | None = None
    ) -> _Formal | None:
        """Return the sentences of a claim on the game, or on the bar beside its strip."""
        if environment(claim, game.notation) is None:
            return None
        if claim.value_set is not None and claim.value_set.relation == "contains-all":
            return _Formal(logic.FALSE)  # its domain is empty
        content = _content(claim, game.notation, self.consequence.content_kind, strip)
        if content is None:
            return None
        domain = [at_most_each(game.base.coordinates, content.reach)]
        domain += [holds(condition, left) for condition in content.where]
        number = None if content.number is None else content.number.substitute(left)
        is_p = logic.FALSE if content.is_p is None else holds(content.is_p, left)
        return _Formal(logic.conjunction(*domain), is_p, number)

    def _occur(
        self, claim: Claim, check: Values, known: Sequence[Sequence[_Formal]], negative: bool
    ) -> bool:
        """Whether each member with this sign is a value at a P-position of the premises."""
        names = environment(claim, self.consequence.game) or {}
        member = holds(check.values, names, {"v": signed(VALUE, negative)})
        if self._holds(logic.negation(member)):
            return True
        reached = []
        for left, premises in zip(self.passes, known, strict=True):
            is_p = logic.disjunction(
                *(logic.conjunction(premise.domain, premise.is_p) for premise in premises)
            )
            counted = logic.conjunction(self.position, holds(check.where, names | left), is_p)
            value = value_is(signed(VALUE, negative), check.of.substitute(names | left))
            reached.append(
                logic.exists(self.game.base.coordinates, logic.conjunction(counted, value))
            )
        return self._holds(logic.implies(member, logic.disjunction(*reached)))
