"""Games with options and Grundy numbers by definition; sums and passes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product
from operator import xor
from typing import Any, ClassVar, cast

from markupsafe import Markup

from choco_pipeline.errors import ChocoError, LimitError, RulesetError
from choco_pipeline.formula import FormulaError, parse
from choco_pipeline.games.height import FormulaHeight, TableHeight
from choco_pipeline.games.pictures import draw_svg
from choco_pipeline.games.rules import Limit, Move, Position, Rules, conjunction

#: Largest number of positions that the definition visits for one answer: about a minute and 1 GB.
MOST_POSITIONS = 2_000_000
#: Largest number of coordinates of all parts of a sum together; an automaton can read 16.
MOST_COORDINATES = 64
#: Largest number of passes; each number left has its own tables, automata and formulas. More than two add nothing new, because
#: a pass can be answered by a pass.
MOST_PASSES = 64
#: Largest coordinate of the position that a notebook shows for a game without limits.
DRAWN_BOUND = 5
#: The largest parameter of a shape, such as the columns of a step. No bar is taller.
LARGEST = 1 << 28


def mex(values: Iterable[int]) -> int:
    """Return the least non-negative integer that is not among `values`.

    Examples
    --------
    >>> mex([0, 1, 3])
    2
    """
    seen = set(values)
    least = 0
    while least in seen:
        least += 1
    return least


class Ruleset(ABC):
    """An impartial game whose positions are tuples of non-negative integers.

    No option exceeds its position in any coordinate. Therefore play ends, and in lexicographic order each position
    comes after all of its options.
    """

    #: Format string of the notation, for the game; "" in a class that overrides `notation`.
    form: ClassVar[str] = ""

    @cached_property
    @abstractmethod
    def rules(self) -> Rules:
        """The rules as data: coordinates, their largest values, and moves."""

    @property
    def notation(self) -> str:
        """The ruleset as `parse_ruleset` reads it and as it is stored and printed."""
        return self.form.format(self)

    def _repr_html_(self) -> str:
        """Return the notation and a drawing of a small position, for notebooks."""
        coordinates = ", ".join(self.coordinates)
        caption = Markup("<p><code>{}</code>, positions ({})</p>").format(
            self.notation, coordinates
        )
        try:
            largest = max(self.positions(DRAWN_BOUND), key=sum)
            return caption + Markup(draw_svg(self, largest))
        except ChocoError:
            return caption

    @property
    def identity(self) -> str:
        """Text that is equal only for equal games; mostly the notation."""
        return self.notation

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the coordinates, in the order of positions."""
        return self.rules.coordinates

    @property
    def base(self) -> Ruleset:
        """The game without its passes."""
        return self

    @property
    def passes(self) -> int:
        """The largest number of passes left, which both players share."""
        return 0

    @property
    def parts(self) -> tuple[Ruleset, ...]:
        """The summands of a disjunctive sum; otherwise this game alone."""
        return (self,)

    @property
    def with_strip(self) -> Ruleset | None:
        """The papers' ruleset for this game beside a strip, if they have one."""
        return None

    @property
    def without_strip(self) -> Ruleset | None:
        """The ruleset whose `with_strip` is this one; None if there is none."""
        return None

    @property
    def _inner(self) -> list[Ruleset]:
        """The games of which this one is composed."""
        return [game for game in (self.base, *self.parts) if game is not self]

    @property
    def files(self) -> frozenset[str]:
        """The files that the notation names, by their paths in it."""
        heights = (limit.height for limit in self.rules.limits.values())
        names = frozenset(h.name for h in heights if isinstance(h, TableHeight) and h.name)
        return names.union(*(game.files for game in self._inner))

    @property
    def documents(self) -> Mapping[str, Any]:
        """Descriptions of the games ``game(NAME)`` in the notation, as plain data."""
        return {name: text for game in self._inner for name, text in game.documents.items()}

    def limits(self, bound: int | None = None) -> tuple[int, ...]:
        """Return the largest value of each coordinate.

        Parameters
        ----------
        bound
            Largest value of the coordinates that the shape does not limit; None if it limits all.
        """
        if self.rules.unbounded:
            if bound is None:
                raise RulesetError(
                    f"{self.notation}: a bound is needed, because the shape does not limit every coordinate"
                )
            bound = require_count(self.notation, "bound", bound, 0, None)
        return self.rules.largest(bound)

    def is_position(self, position: Sequence[int]) -> bool:
        """Whether natural numbers, of the right length, are a position of this game."""
        return self.why_not(position) is None

    def why_not(self, position: Sequence[int]) -> str | None:
        """Return the condition that natural numbers violate; None for a position."""
        return self.rules.why_not(position)

    def options(self, position: Position) -> Iterator[Position]:
        """Yield each option; raise `RulesetError` if a move may split."""
        return self.rules.options(position)

    def results(self, position: Position) -> Iterator[tuple[Position, ...]]:
        """Yield the result of each move: a position, or two whose sum is played."""
        if self.rules.splits:
            return self.rules.results(position)
        return ((option,) for option in self.options(position))

    @property
    def has_own_options(self) -> bool:
        """Whether a class overrides `options` but not its rules."""
        defined = (vars(kind).keys() & {"rules", "options"} for kind in type(self).__mro__)
        if "rules" not in next(filter(None, defined)):
            return True
        return any(game.has_own_options for game in self._inner)

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Add the game and the formula to the error of a formula without a value."""
        try:
            yield
        except FormulaError as error:
            message = f"{self.notation}: {error.text}: {error}"
            raise FormulaError(message, error.text, error.column) from None

    def is_terminal(self, position: Position) -> bool:
        """Whether no move is left."""
        return next(iter(self.results(position)), None) is None

    def positions(self, bound: int | None = None) -> Iterator[Position]:
        """Yield the positions within `bound`, each after all of its options."""
        every = product(*(range(most + 1) for most in self.limits(bound)))
        return filter(self.is_position, every)

    def grundy(self, *position: int | Sequence[int]) -> int:
        """Return the Grundy number by definition: the mex of the options' numbers.

        Parameters
        ----------
        *position
            The coordinates of a legal position, or the position as one tuple. Passes left come last.

        Raises
        ------
        RulesetError
            If `position` is not a position of this game.
        LimitError
            If more than two million positions would have to be visited.

        Examples
        --------
        >>> from choco_pipeline import StepBar
        >>> StepBar(k=1).grundy(5, 9)  # step2015, Fig 4.2
        12
        >>> StepBar(k=1).grundy((5, 9))
        12
        """
        if self.rules.misere:
            raise RulesetError(f"{self.notation}: misère play has outcomes, and no Grundy numbers")
        return self._number(position)

    def _number(self, given: Sequence[int | Sequence[int]]) -> int:
        """Return the Grundy number; in misère play 0 for a P-position, 1 for others.

        The position is given by its coordinates, or as one sequence of them.
        """
        position = given[0] if len(given) == 1 and isinstance(given[0], Iterable) else given
        return self._number_at(self.check(cast("Sequence[int]", position)))

    def _number_at(self, start: Position) -> int:
        # The cache of Grundy numbers is no field, so that equality of games ignores it.
        memo: dict[Position, int] = self.__dict__.setdefault("_grundy_numbers", {})
        stack = [start]
        while stack:
            here = stack[-1]
            if here in memo:
                stack.pop()
                continue
            results = list(self.results(here))
            missing = [part for result in results for part in result if part not in memo]
            if missing:
                stack.extend(missing)
                continue
            if len(memo) >= MOST_POSITIONS:
                raise LimitError(
                    f"{self.notation}: the value of {start} by definition visits more than"
                    f" {MOST_POSITIONS:,} positions; use grundy_table or p_table with a bound"
                )
            numbers = {reduce(xor, (memo[part] for part in result)) for result in results}
            is_won = not numbers or 0 in numbers
            memo[here] = int(is_won) if self.rules.misere else mex(numbers)
            stack.pop()
        return memo[start]

    def is_p_position(self, *position: int | Sequence[int]) -> bool:
        """Whether the previous player wins; in normal play, the Grundy number is 0.

        Parameters
        ----------
        *position
            As for `grundy`.

        Examples
        --------
        >>> from choco_pipeline import Nim
        >>> Nim(3).is_p_position(1, 2, 3)
        True
        """
        return self._number(position) == 0

    def check(self, position: Sequence[int]) -> Position:
        """Return `position` as a tuple of int, or raise `RulesetError` with the reason."""
        names = ", ".join(self.coordinates)
        if len(position) != len(self.coordinates):
            raise RulesetError(
                f"{self.notation}: a position has {len(self.coordinates)} coordinates ({names}), found {tuple(position)}"
            )
        numbers = tuple(int(c) for c in position)
        if numbers != tuple(position) or min(numbers, default=0) < 0:
            raise RulesetError(
                f"{self.notation}: coordinates ({names}) are integers from 0, found {tuple(position)}"
            )
        why = self.why_not(numbers)
        if why is not None:
            raise RulesetError(f"{self.notation}: {numbers} is not a position ({why})")
        return numbers

    def __add__(self, other: object) -> DisjunctiveSum:
        """Return the disjunctive sum of two games.

        Examples
        --------
        >>> from choco_pipeline import Nim, StepBar
        >>> game = Nim(1) + StepBar(k=4, s=2)
        >>> game
        DisjunctiveSum(a=Nim(heaps=1), b=StepBar(k=4, s=2))
        >>> game.grundy(9, 2, 7)
        0
        """
        return DisjunctiveSum(self, other) if isinstance(other, Ruleset) else NotImplemented

    def __str__(self) -> str:
        return self.notation


@dataclass(frozen=True)
class DisjunctiveSum(Ruleset):
    """Two games side by side, also written ``A + B``: move in either of them.

    A position is one of the first game followed by one of the second. Common names of coordinates get the suffixes 1 and 2.

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
    form = "sum({0.a.notation}, {0.b.notation})"

    def __post_init__(self) -> None:
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
        """The rules of both games together, with the coordinates of the first one first."""
        split = len(self.a.coordinates)
        given = [*self.a.coordinates, *self.b.coordinates]
        names: list[str] = []
        for i, name in enumerate(given):
            suffix = "" if given.count(name) == 1 else "1" if i < split else "2"
            names.append(fresh_name(name + suffix, names))
        a, b = (
            game.rules.rename(dict(zip(game.coordinates, new, strict=True)))
            for game, new in ((self.a, names[:split]), (self.b, names[split:]))
        )
        return Rules(
            tuple(names),
            {**a.limits, **b.limits},
            (*a.moves, *b.moves),
            conjunction([a.within, b.within]),
            legal=conjunction([a.legal, b.legal]),
        )

    @property
    def parts(self) -> tuple[Ruleset, ...]:
        """The two games."""
        return (self.a, self.b)

    @property
    def identity(self) -> str:
        """The notation with the identities of the parts."""
        return self.form.replace("notation", "identity").format(self)

    def split(self, position: Sequence[int]) -> tuple[Position, Position]:
        """Return the two parts of a position."""
        middle = len(self.a.coordinates)
        return tuple(position[:middle]), tuple(position[middle:])

    def _number_at(self, start: Position) -> int:
        if not self.rules.splits:
            return super()._number_at(start)
        first, second = self.split(start)  # results of splits are no positions of the sum
        return self.a.grundy(first) ^ self.b.grundy(second)

    def options(self, position: Position) -> Iterator[Position]:
        """Yield the first game's options, then the second's."""
        first, second = self.split(position)
        for option in self.a.options(first):
            yield (*option, *second)
        for option in self.b.options(second):
            yield (*first, *option)


def passes_left(number: int) -> str:
    """Return the number of passes left, in words."""
    return f"{number} pass{'' if number == 1 else 'es'} left"


@dataclass(frozen=True)
class WithPass(Ruleset):
    """A ruleset with passes, which are not allowed in terminal positions.

    A position is one of the ruleset followed by the passes left. Source: pass2016, Def 4.2.

    Parameters
    ----------
    ruleset
        The game that is played.
    passes
        Largest number of passes left, from 1 to `MOST_PASSES`.

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
    form = "with-pass({0.ruleset.notation}, passes={0.passes})"

    def __post_init__(self) -> None:
        require_count("with-pass", "passes", self.passes, 1, MOST_PASSES)
        if self.ruleset.rules.splits:
            raise RulesetError(
                f"with-pass({self.ruleset.notation}): a move that splits leaves two positions, which share no passes"
            )

    @cached_property
    def rules(self) -> Rules:
        """The rules of the ruleset, with a further coordinate p, the passes left."""
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
    def identity(self) -> str:
        """The notation with the identity of the ruleset."""
        return self.form.replace("notation", "identity").format(self)

    @property
    def base(self) -> Ruleset:
        """The game that is played."""
        return self.ruleset

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


def fresh_name(name: str, taken: Sequence[str]) -> str:
    """Return `name`, with a number appended if it is taken."""
    candidate, n = name, 1
    while candidate in taken:
        n += 1
        candidate = f"{name}{n}"
    return candidate


def require_count(owner: str, name: str, value: Any, least: int, most: int | None = LARGEST) -> int:
    """Return `value` as an int from `least` to `most`."""
    is_long = isinstance(value, int) and abs(value) >= 10**30  # Python writes at most 4,300 digits
    given = f"an integer of {value.bit_length():,} binary digits" if is_long else repr(value)
    if isinstance(value, bool) or not hasattr(value, "__index__") or int(value) < least:
        raise RulesetError(f"{owner}: {name} must be an integer of at least {least}, found {given}")
    if most is not None and int(value) > most:
        raise RulesetError(f"{owner}: {name} must be at most {most:,}, found {given}")
    return int(value)
