"""Rulesets made of rulesets: passes and disjunctive sums."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from choco_pipeline.errors import RulesetError
from choco_pipeline.formula import Formula, parse
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Limit, Move, Position, Rules
from choco_pipeline.games.ruleset import Ruleset, require_count

#: Each number of passes left has tables, automata and sentences of its own. More than two left say nothing new: a pass
#: can be answered by a pass.
MOST_PASSES = 64
#: Coordinates of all parts of a sum together; an automaton can read 16.
MOST_COORDINATES = 64


def passes_left(number: int) -> str:
    """Return how many passes are left, in words."""
    return f"{number} pass{'' if number == 1 else 'es'} left"


@dataclass(frozen=True)
class WithPass(Ruleset):
    """A ruleset in which the players together may pass a number of times, but not from the terminal position.

    A position is one of the ruleset followed by the passes left. Source: pass2016, Def 4.2.

    Parameters
    ----------
    ruleset
        The game that is played.
    passes
        Most passes left at the start, from 1 to `MOST_PASSES`.

    Notes
    -----
    Passes are used one at a time, and with r + 2 of them left every position has the Grundy number that it has with r:
    a pass can be answered by a pass.

    Examples
    --------
    >>> from choco_pipeline import Nim
    >>> game = WithPass(Nim(2))
    >>> game.is_p_position((1, 1, 1)), game.is_p_position((1, 2, 1))
    (False, True)
    """

    ruleset: Ruleset
    passes: int = 1

    def __post_init__(self) -> None:
        """Check the number of passes, and that a move leaves one position."""
        require_count("with-pass", "passes", self.passes, 1, MOST_PASSES)
        if self.ruleset.rules.splits:
            raise RulesetError(
                f"with-pass({self.ruleset.notation}): a move that splits leaves two positions, which share no passes"
            )

    @cached_property
    def rules(self) -> Rules:
        """The ruleset's, and p, the passes left: one is taken from it where there is a move."""
        rules = self.ruleset.rules
        p = _fresh("p", rules.coordinates)
        limit = Limit(FormulaHeight(parse(str(self.passes)), ()))
        passes = [Move((p,), by=(1,), needs=rules.moves)] if rules.moves else []
        return replace(
            rules,
            coordinates=(*rules.coordinates, p),
            limits={**rules.limits, p: limit},
            moves=(*rules.moves, *passes),
            free=None,  # with a heap left, the players may pass
            face=None,
        )

    @property
    def base(self) -> Ruleset:
        """The game that is played."""
        return self.ruleset

    @property
    def files(self) -> frozenset[str]:
        """Those of the game."""
        return self.ruleset.files

    @property
    def documents(self) -> Mapping[str, Any]:
        """Those of the game."""
        return self.ruleset.documents

    @property
    def notation(self) -> str:
        """``with-pass(strip-bar(k=4, s=2), passes=1)``."""
        return f"with-pass({self.ruleset.notation}, passes={self.passes})"

    @property
    def identity(self) -> str:
        """The notation, of the ruleset's identity."""
        return f"with-pass({self.ruleset.identity}, passes={self.passes})"

    def options(self, position: Position) -> Iterator[Position]:
        """Yield the ruleset's options with the passes kept, then the pass."""
        *bar, left = position
        base = tuple(bar)
        moves = False
        for option in self.ruleset.options(base):
            moves = True
            yield (*option, left)
        if moves and left > 0:
            yield (*base, left - 1)


@dataclass(frozen=True)
class DisjunctiveSum(Ruleset):
    """Two games side by side: a move is a move in either of them.

    A position is one of the first followed by one of the second. Coordinates that both have are told apart by 1 and 2.

    Examples
    --------
    >>> from choco_pipeline import Nim, StepBar
    >>> game = DisjunctiveSum(Nim(1), StepBar(k=4, s=2))
    >>> game.coordinates
    ('a', 'y', 'z')
    >>> game.is_p_position((9, 2, 7))
    True
    """

    a: Ruleset
    b: Ruleset

    def __post_init__(self) -> None:
        """Check the number of coordinates, and that play is normal."""
        for game in (self.a, self.b):
            if game.rules.misere:
                raise RulesetError(
                    f"sum: {game.notation} is played misère, where sums have no rule"
                )
        number = len(self.a.coordinates) + len(self.b.coordinates)
        if number > MOST_COORDINATES:
            raise RulesetError(
                f"sum: at most {MOST_COORDINATES} coordinates are possible, found {number}"
            )
        for name in self.a.documents.keys() & self.b.documents.keys():
            if self.a.documents[name] != self.b.documents[name]:
                raise RulesetError(f"sum: two different games are called {name}")

    @cached_property
    def rules(self) -> Rules:
        """Those of the first game, then those of the second."""
        split = len(self.a.coordinates)
        given = [*self.a.coordinates, *self.b.coordinates]
        names: list[str] = []
        for i, name in enumerate(given):
            suffix = "" if given.count(name) == 1 else "1" if i < split else "2"
            names.append(_fresh(name + suffix, names))
        a, b = (
            game.rules.rename(dict(zip(game.coordinates, new, strict=True)))
            for game, new in ((self.a, names[:split]), (self.b, names[split:]))
        )
        return Rules(
            tuple(names),
            {**a.limits, **b.limits},
            (*a.moves, *b.moves),
            _both(a.within, b.within),
            legal=_both(a.legal, b.legal),
        )

    @property
    def parts(self) -> tuple[Ruleset, ...]:
        """The two games."""
        return (self.a, self.b)

    @property
    def files(self) -> frozenset[str]:
        """Those of both games."""
        return self.a.files | self.b.files

    @property
    def documents(self) -> Mapping[str, Any]:
        """Those of both games."""
        return {**self.a.documents, **self.b.documents}

    @property
    def notation(self) -> str:
        """``sum(A, B)``."""
        return f"sum({self.a.notation}, {self.b.notation})"

    @property
    def identity(self) -> str:
        """The notation, of the parts' identities."""
        return f"sum({self.a.identity}, {self.b.identity})"

    def split(self, position: Sequence[int]) -> tuple[Position, Position]:
        """Return the two parts of a position."""
        middle = len(self.a.coordinates)
        return tuple(position[:middle]), tuple(position[middle:])

    def _number(self, position: Sequence[int]) -> int:
        """Return the Grundy number, with splits that of the theorem of Sprague and Grundy: the results are no positions."""
        if not self.rules.splits:
            return super()._number(position)
        first, second = self.split(self.check(position))
        return self.a.grundy(first) ^ self.b.grundy(second)

    def options(self, position: Position) -> Iterator[Position]:
        """Yield the first game's options, then the second's."""
        first, second = self.split(position)
        for option in self.a.options(first):
            yield (*option, *second)
        for option in self.b.options(second):
            yield (*first, *option)


def _both(first: Formula | None, second: Formula | None) -> Formula | None:
    """Return that two conditions hold; None for none."""
    conditions = [condition.text for condition in (first, second) if condition is not None]
    return parse(" and ".join(f"({text})" for text in conditions)) if conditions else None


def _fresh(name: str, taken: Sequence[str]) -> str:
    """Return `name`, lengthened by a digit until it is not among `taken`."""
    candidate, n = name, 1
    while candidate in taken:
        n += 1
        candidate = f"{name}{n}"
    return candidate
