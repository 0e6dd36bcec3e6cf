"""Games with passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from choco_pipeline.errors import RulesetError
from choco_pipeline.formula import parse
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Limit, Move, Position, Rules
from choco_pipeline.games.ruleset import Ruleset, fresh_name, require_count

#: Each number of passes left has tables, automata and sentences of its own. More than two left say nothing new: a pass
#: can be answered by a pass.
MOST_PASSES = 64


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
        p = fresh_name("p", rules.coordinates)
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
