"""User-defined games: their class, and the reader of their files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from importlib.metadata import entry_points
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

from choco_pipeline.documents.yaml_file import Content, Location, YamlFile, read_yaml_text
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError, hint
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.game_file import MOST_AMOUNTS, MOST_CHOSEN, GameFile, GameMove, Way
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Amounts, Limit, Move, Rules, Split, with_free_heap
from choco_pipeline.games.ruleset import LARGEST, Ruleset
from choco_pipeline.provenance import digest
from choco_pipeline.shipped import SHIPPED

#: The folder of game files.
FOLDER = "config/games"
#: The group of entry points with which other packages provide game files.
GROUP = "choco_pipeline.games"
#: Names with a meaning in the formulas of claims, or in the notation of rulesets.
RESERVED = frozenset({"v", "grundy", "g", "f", "p", "i", "j", "passes", "bound", "game"})
#: Largest file in bytes, enough for a hundred moves with long formulas. It is read in a second.
LARGEST_GAME = 1 << 17
#: Number of small positions on which formulas are tried.
FIRST_POSITIONS = 1000
#: Number of choices after which the search for a possible amount ends. Some games have none.
MOST_CHOICES = 10_000
#: A set of amounts as the bits of a number.
BITS = re.compile(r"bits\((.+)\)")
#: Hint at the end of error messages.
PAGE = "docs/games.md says what a game file can describe, and what it cannot."


class Description:
    """A game file with checked names; the rules of a `CutGame` check its formulas."""

    def __init__(self, content: Content, name: str) -> None:
        """Check all except the formulas; raise `ConfigError` for a mistake."""
        self.content = content
        try:
            self.file = content.load(GameFile)
        except ConfigError as error:
            unknown = "unknown key" in str(error)
            raise ConfigError(f"{error}\n{PAGE}" if unknown else str(error)) from None
        if self.file.game != name:
            what = f"must be {name!r}, the name by which it is read, found {self.file.game!r}"
            raise content.error(("game",), what)
        places: list[tuple[Location, str]] = [
            *((("coordinates", i), name) for i, name in enumerate(self.file.coordinates)),
            *((("parameters", name), name) for name in self.file.parameters),
        ]
        seen: set[str] = set()
        for place, name in places:
            if name in seen:
                raise content.error(place, f"{name!r} occurs twice")
            if name in RESERVED:
                others = ", ".join(sorted(RESERVED))
                what = f"{name!r} is a name of claims or notations; these are reserved: {others}"
                raise content.error(place, what)
            try:
                parse(name)  # raises an error for `max` and `or`
            except FormulaError as error:
                raise content.error(place, str(error)) from None
            seen.add(name)
        for name in self.file.heights:
            self.require_coordinate(("heights", name), name)

    def require_parameter(self, name: str) -> None:
        """Raise `RulesetError` if the game has no such parameter."""
        parameters = self.file.parameters
        if name not in parameters:
            known = f"{', '.join(parameters) or 'none'}{hint(name, parameters)}"
            raise RulesetError(f"game({self.file.game}): no parameter {name!r}, it has {known}")

    def require_coordinate(self, place: Location, name: str) -> None:
        """Raise `ConfigError` at `place` if the game has no such coordinate."""
        known = self.file.coordinates
        if name not in known:
            raise self.content.error(
                place, f"{name!r} is no coordinate, they are {', '.join(known)}{hint(name, known)}"
            )


@lru_cache(maxsize=1024)
def _rules(description: Description, values: tuple[tuple[str, int], ...]) -> Rules:
    return _DescriptionReader(description, dict(values)).rules()


class _DescriptionReader:
    def __init__(self, description: Description, values: Mapping[str, int]) -> None:
        self.description = description
        self.content = description.content
        self.file = description.file
        self.values = values
        for name, value in values.items():
            if abs(value) > LARGEST:
                what = f"{value:,} is too large, at most {LARGEST:,} can be used"
                raise self._error(("parameters", name), what)

    def rules(self) -> Rules:
        """Return the rules of the game."""
        limits = {name: self._limit(name) for name in self.file.heights}
        ends, legal = (
            None if written is None else self._condition((key,), written)
            for key, written in (("ends", self.file.ends), ("legal", self.file.legal))
        )
        moves = tuple(
            (("moves", i), move)
            for i, written in enumerate(self.file.moves)
            for move in self._moves(("moves", i), written, limits, ends)
        )
        rules = Rules(
            tuple(self.file.coordinates),
            limits,
            tuple(move for _, move in moves),
            legal=legal,
            misere=self.file.play == "misere",
        )
        for key, condition in (("ends", ends), ("legal", legal)):
            if condition is not None:
                self._check((key,), condition, rules)
        for place, move in moves:
            if move.at_most is not None:
                self._check((*place, "at_most"), move.at_most, rules, ends)
            if isinstance(move.by, Amounts):
                self._check_amounts(place, move, move.by, rules)
        return with_free_heap(rules)

    def _condition(self, place: Location, written: str, further: Sequence[str] = ()) -> Formula:
        formula = self._formula(place, written, further)
        if not formula.is_truth:
            raise self._error(place, f"{formula.text} is a number, a condition is needed")
        return formula

    def _number(
        self, place: Location, written: int | str, further: Sequence[str] | None = ()
    ) -> Formula:
        formula = self._formula(place, written, further)
        if formula.is_truth:
            raise self._error(place, f"{formula.text} is true or false, a number is needed")
        return formula

    def _limit(self, name: str) -> Limit:
        place = ("heights", name)
        formula = self._formula(place, self.file.heights[name])
        of = tuple(other for other in self.file.coordinates if other in formula.names)
        if name in of:
            raise self._error(place, f"the height of {name} depends on {name} itself")
        try:
            height = FormulaHeight(formula, of)
            for i in range(len(of)):
                height.look_along(i, FIRST_POSITIONS)
        except ChocoError as error:
            raise self._error(place, str(error)) from None
        return Limit(height, of)

    def _moves(
        self, place: Location, move: GameMove, limits: Mapping[str, Limit], ends: Formula | None
    ) -> Iterator[Move]:
        """Yield the kinds of moves of one entry, one for each list of amounts."""
        for j, name in enumerate(move.lower):
            at = (*place, "lower", j if isinstance(move.lower, list) else name)
            self.description.require_coordinate(at, name)
            if name in [*move.lower][:j]:
                raise self._error(at, f"{name!r} occurs twice")
        if not move.lower and move.split is None:
            raise self._error(place, "a move lowers a coordinate, or splits one")
        at_most = None
        if move.at_most is not None:
            here = (*place, "at_most")
            at_most = self._number(here, move.at_most)
            if self._is_below_one(at_most):
                what = f"a move lowers by at least 1, found at most {at_most.text}"
                raise self._error(here, what)
        unless = ends
        if move.when is not None:
            not_allowed = f"not ({self._condition((*place, 'when'), move.when).text})"
            unless = parse(not_allowed if ends is None else f"({ends.text}) or {not_allowed}")
        split = None if move.split is None else self._split(place, move.split)
        one = Move(tuple(move.lower), at_most=at_most, unless=unless, split=split)
        read = {name for limit in limits.values() for name in limit.of}
        one = replace(one, clips=move.clip or read.isdisjoint(one.changes))
        if isinstance(move.lower, dict) or split is not None:
            parts = [] if split is None else [part.lower() for part in split.parts]
            for written, conditions in self._written_amounts(place, move):
                yield replace(one, by=self._read_amounts(place, move, written, conditions, parts))
            return
        if move.where is not None:
            what = "it needs `lower: {COORDINATE: AMOUNT}`, which names the amounts"
            raise self._error((*place, "where"), what)
        if not isinstance(move.by, list):
            # For one heap all ways are the same: one spelling, so that the digest is unique.
            yield replace(one, by=self._way(place, move) if len(move.lower) > 1 else "any")
            return
        amounts = self._amounts((*place, "by"), move)
        same = tuple(sorted({amount[0] for amount in amounts if len({*amount}) == 1}))
        if same:
            yield replace(one, by=same)
        different = sorted({amount for amount in amounts if len({*amount}) > 1})
        if different and at_most is not None:
            what = "it is for amounts that are the same for each coordinate"
            raise self._error((*place, "at_most"), what)
        for amount in different:
            yield replace(one, by=Amounts((), tuple(parse(str(n)) for n in amount)))

    def _way(self, place: Location, move: GameMove) -> Way:
        if move.by is None or isinstance(move.by, list):
            what = "`by` is needed for several coordinates: any, each, same, or a list of amounts"
            raise self._error(place, what)
        return move.by

    def _split(self, place: Location, written: str | dict[str, list[str]]) -> Split:
        at = (*place, "split")
        names = [written] if isinstance(written, str) else [*written]
        if len(names) != 1:
            raise self._error(at, f"a move splits one coordinate, found {len(names)}")
        self.description.require_coordinate(at, names[0])
        first, second = ("part_1", "part_2") if isinstance(written, str) else written[names[0]]
        if first == second:
            raise self._error(at, "the two parts need two names")
        return Split(names[0], (first.upper(), second.upper()), tuple(self.file.coordinates))

    def _written_amounts(
        self, place: Location, move: GameMove
    ) -> Iterator[tuple[dict[str, str], list[str]]]:
        """Yield amounts as formulas in chosen numbers, and conditions on these numbers."""
        for key in ("by", "at_most") if isinstance(move.lower, dict) else ("at_most",):
            if getattr(move, key) is not None:
                what = (
                    "it is not allowed with amounts that are formulas, or with a split; use `where`"
                )
                raise self._error((*place, key), what)
        names = list(move.lower)
        if isinstance(move.lower, dict):
            yield {name: str(amount) for name, amount in move.lower.items()}, []
        elif isinstance(move.by, list):
            for amounts in sorted({*self._amounts((*place, "by"), move)}):
                yield dict(zip(names, map(str, amounts), strict=True)), []
        elif not names:
            yield {}, []
        elif len(names) == 1 or move.by == "same":
            yield dict.fromkeys(names, "taken"), ["taken >= 1"]
        else:
            written = {name: f"taken_{i}" for i, name in enumerate(names)}
            is_each = self._way(place, move) == "each"
            total = [*written.values()] if is_each else ["+".join(written.values())]
            yield written, [f"{number} >= 1" for number in total]

    def _read_amounts(
        self,
        place: Location,
        move: GameMove,
        written: Mapping[str, str],
        wanted: list[str],
        parts: list[str],
    ) -> Amounts:
        """Return the amounts, for chosen numbers that satisfy the conditions.

        Internally, chosen numbers have capital letters, which no coordinate has, not even in a sum of games.
        """
        coordinates = self.file.coordinates
        chosen: dict[str, None] = {}
        taken = []
        for name, amount in written.items():
            at = (*place, "lower", name)
            formula = self._number(at, amount, None)
            if not formula.names and not 0 <= int(formula.value({})) <= LARGEST:
                what = f"an amount is an integer from 0 to {LARGEST:,}, found {formula.text}"
                raise self._error(at, f"{what}; no move raises a coordinate. {PAGE}")
            chosen |= dict.fromkeys(sorted(formula.names - {*coordinates}))
            taken.append(formula)
        for name in [*chosen, *parts]:
            if name in self.values or name in coordinates:
                raise self._error(place, f"{name!r} cannot be a chosen number")
        if len({*chosen, *parts}) < len(chosen) + len(parts):
            raise self._error((*place, "split"), "a part has the name of a chosen number")
        numbers = [*chosen, *parts[:1]]
        if len(numbers) > MOST_CHOSEN:
            what = f"at most {MOST_CHOSEN} numbers are chosen in one move, found {len(numbers)}"
            raise self._error(place, f"{what}. {PAGE}")
        inside = {name: name.upper() for name in (*chosen, *parts)}
        where = None
        for condition in [*wanted, *([] if move.where is None else [move.where])]:
            formula = self._condition((*place, "where"), condition, [*chosen, *parts])
            where = formula if where is None else parse(f"({where.text}) and ({formula.text})")
        return Amounts(
            tuple(inside[name] for name in numbers),
            tuple(formula.rename(inside) for formula in taken),
            where and where.rename(inside),
        )

    def _amounts(self, place: Location, move: GameMove) -> list[tuple[int, ...]]:
        by = move.by
        assert isinstance(by, list)
        if not 1 <= len(by) <= MOST_AMOUNTS:
            raise self._error(place, f"1 to {MOST_AMOUNTS:,} amounts are needed, found {len(by)}")
        number = len(move.lower)
        amounts = []
        for i, written in enumerate(by):
            at: Location = (*place, i)
            bits = BITS.fullmatch(written) if isinstance(written, str) else None
            if bits is not None:
                digits = self._amount(at, bits[1], 0)
                if digits % 2 or digits == 0:
                    what = f"the number of a set of amounts is even and not 0, as 2^n stands for n, found {digits}"
                    raise self._error(at, what)
                amounts += [(n,) * number for n in range(digits.bit_length()) if digits >> n & 1]
                continue
            if not isinstance(written, list):
                amounts.append((self._amount(at, written, 1),) * number)
                continue
            if len(written) != number:
                what = f"an amount for each of {number} coordinates is needed, found {len(written)}"
                raise self._error(at, what)
            each = tuple(self._amount((*at, j), one, 0) for j, one in enumerate(written))
            if not any(each):
                raise self._error(at, "a move takes at least 1 in total")
            amounts.append(each)
        return amounts

    def _amount(self, place: Location, written: int | str, least: int) -> int:
        formula = self._formula(place, written)
        try:
            amount = -1 if formula.names or formula.is_truth else int(formula.value({}))
        except FormulaError as error:
            raise self._error(place, str(error)) from None
        if not least <= amount <= LARGEST:
            what = f"an amount is an integer from {least} to {LARGEST:,}, found {formula.text}"
            raise self._error(place, what)
        return amount

    def _check_amounts(self, place: Location, move: Move, by: Amounts, rules: Rules) -> None:
        """Raise an error if an amount or a condition is undefined at a small position."""
        tried, choices, found = 0, 0, False
        for values in _small(rules.coordinates):
            is_position = rules.why_not([*values.values()]) is None
            if not is_position or (move.unless and move.unless.value(values)):
                continue
            try:
                found = found or any(True for _ in move.chosen(values, by))
            except FormulaError as error:
                # Restore the names of the chosen numbers.
                own = re.sub(r"[A-Z][A-Z0-9_]*(?==)", lambda name: name[0].lower(), str(error))
                raise self._error(place, own) from None
            tried += 1
            choices += move.number_of_amounts(values)
            if tried > FIRST_POSITIONS // 10 and (found or choices > MOST_CHOICES):
                return

    def _is_below_one(self, formula: Formula) -> bool:
        """Whether a formula is below 1 at all tested places, small and large."""
        names = sorted(formula.names)
        sizes = [1 << n for n in range(LARGEST.bit_length())]
        together = [dict.fromkeys(names, size) for size in sizes]
        alone = [{**dict.fromkeys(names, 0), name: size} for name in names for size in sizes]
        values = []
        for place in chain(_small(names), together, alone):
            with suppress(FormulaError):  # reported elsewhere, if it is a position
                values.append(formula.value(place))
                if values[-1] >= 1:
                    return False
        return bool(values)

    def _check(
        self, place: Location, formula: Formula, rules: Rules, unless: Formula | None = None
    ) -> None:
        """Raise an error if a formula is undefined at a small position with moves."""
        needed = formula.names | (frozenset() if unless is None else unless.names)
        limits = [(name, rules.limits[name]) for name in needed & rules.limits.keys()]
        needed = needed.union(*(limit.of for _, limit in limits))
        try:
            for values in _small(sorted(needed)):
                is_position = all(values[name] <= limit.at(values) for name, limit in limits)
                if is_position and (unless is None or not unless.value(values)):
                    formula.value(values)
        except FormulaError as error:
            raise self._error(place, str(error)) from None

    def _formula(
        self, place: Location, written: int | str, further: Sequence[str] | None = ()
    ) -> Formula:
        """Parse a formula, and substitute the values of the parameters.

        It may have names that are neither coordinates nor parameters: those of `further`, or any if it is None.
        """
        names = None if further is None else [*self.file.coordinates, *self.values, *further]
        try:
            formula = parse(str(written), names)
            return formula.substitute(
                {name: self.values[name] for name in formula.names & self.values.keys()}
            )
        except FormulaError as error:
            raise self._error(place, str(error)) from None

    def _error(self, place: Location, message: str) -> ConfigError:
        given = self.file.parameters
        other = assigned({name: v for name, v in self.values.items() if v != given[name]})
        return self.content.error(place, message + (f" (where {other})" if other else ""))


def _small(names: Sequence[str]) -> Iterator[dict[str, int]]:
    side = max(2, int(FIRST_POSITIONS ** (1 / max(1, len(names)))))
    for at in islice(product(range(side), repeat=len(names)), FIRST_POSITIONS):
        yield dict(zip(names, at, strict=True))


def described(name: str, base: Path, games: Mapping[str, Any] | None) -> Description:
    """Return the description of a user-defined game.

    It is one of `games`, if these are given. Otherwise it is a file in ``config/games`` below `base`, a bundled file, or a file
    of another package; files are data, not code. Raises `RulesetError` if there is no such game; `ConfigError` with the key of a
    mistake in its description.
    """
    if games is not None:
        if name not in games:
            raise RulesetError(
                f"game({name}): no game of that name is described{hint(name, games)}"
            )
        return Description(Content(f"game {name}", games[name]), name)
    shown = Path(FOLDER, f"{name}.yaml")
    path = inside(base, shown.as_posix())
    if not path.is_file():
        path = SHIPPED / shown
    if not path.is_file():
        others = entry_points(group=GROUP)
        if name in others.names:
            path = shown = others[name].load()
            if not (isinstance(path, Path) and path.is_file()):
                raise RulesetError(
                    f"game({name}): {others[name].value} must be the path of a description, found {path!r}"
                )
        else:
            folders = (inside(base, FOLDER), SHIPPED / FOLDER)
            files = (file for folder in folders for file in folder.glob("*.yaml"))
            known = [file.stem for file in files if file.is_file()]
            near = hint(name, [*known, *others.names])
            raise RulesetError(f"game({name}): there is no file {shown}{near}")
    return _in_file(shown, read_yaml_text(path, shown, LARGEST_GAME))


def differing_games(games: Mapping[str, Any], base: Path) -> list[str]:
    """Return the names in `games` that have another description below `base`.

    Raises `ConfigError` if the description of such a game below `base` has a mistake.
    """

    def is_other(name: str) -> bool:
        try:
            known = described(name, base, None)
        except RulesetError:  # no game of the project
            return False
        with suppress(ChocoError):
            return described(name, base, games).file != known.file
        return True

    return sorted(filter(is_other, games))


@lru_cache(maxsize=256)
def _in_file(path: Path, text: str) -> Description:
    """Return the description in a file."""
    return Description(YamlFile(path, text), path.stem)


def inside(base: Path, path: str) -> Path:
    """Return a path below `base`, or raise `RulesetError` if it leads out of it."""
    root = base.resolve()
    try:
        whole = (root / path).resolve()
    except (OSError, RuntimeError, ValueError):  # circular links, or an impossible file name
        raise RulesetError(f"path {path!r} leads nowhere") from None
    if not whole.is_relative_to(root):
        raise RulesetError(f"path {path!r} leads out of the project, {root}")
    return whole


class CutGame(Ruleset):
    """A user-defined game: coordinates, their largest values, and moves.

    Parameters
    ----------
    coordinates
        The names of the coordinates, in the order of positions.
    moves
        The kinds of moves, each with the keys of a move in a file; see docs/games.md.
    heights
        The largest legal values of coordinates: integers, or formulas in other coordinates.
    ends
        A condition on positions: where it holds, play has ended.
    legal
        A condition that every position satisfies.
    play
        ``normal`` or ``misere``.
    parameters
        Integers that formulas may use.
    name
        The name of the game; by default one from a digest of its description.

    Raises
    ------
    ConfigError
        If there is a mistake; the message names the key.

    Examples
    --------
    >>> game = CutGame(["a", "b"], [{"lower": ["a"]}, {"lower": ["b"]}, {"lower": ["a", "b"], "by": "same"}])
    >>> [b for b in range(9) if game.is_p_position((3, b))]  # Wythoff (1907)
    [5]
    """

    def __init__(
        self,
        coordinates: Sequence[str],
        moves: Sequence[Mapping[str, Any]],
        heights: Mapping[str, int | str] | None = None,
        ends: str | None = None,
        legal: str | None = None,
        play: str | None = None,
        parameters: Mapping[str, int] | None = None,
        name: str | None = None,
    ) -> None:
        """Check the description."""
        fields = {
            "parameters": parameters,
            "coordinates": coordinates,
            "heights": heights,
            "moves": moves,
            "ends": ends,
            "legal": legal,
            "play": play,
        }
        written = {key: _plain(value) for key, value in fields.items() if value is not None}
        name = name or f"unnamed-{digest(written)[:8]}"
        content = Content(f"game {name}", {"game": name, **written})
        self._set(Description(content, name), {})

    @classmethod
    def from_file(cls, path: str | Path, **parameters: int) -> CutGame:
        """Read a game from a YAML file.

        Parameters
        ----------
        path
            The file; its name is the game's.
        **parameters
            Values other than the file's.

        Raises
        ------
        ConfigError
            If there is a mistake; the message names the line and the key.
        RulesetError
            If the game has no such parameter.
        """
        path = Path(path)
        return cls.of(_in_file(path, read_yaml_text(path, most=LARGEST_GAME)), parameters)

    @classmethod
    def of(cls, description: Description, parameters: Mapping[str, int]) -> CutGame:
        """Return the game of a description, with values for some of its parameters."""
        game = cls.__new__(cls)
        game._set(description, parameters)
        return game

    def _set(self, description: Description, given: Mapping[str, int]) -> None:
        for name in given:
            description.require_parameter(name)
        self._description = description
        self.name = description.file.game
        self.parameters = {**description.file.parameters, **given}
        _ = self.rules  # finds every mistake now

    @cached_property
    def rules(self) -> Rules:
        """The rules of the game."""
        return _rules(self._description, tuple(self.parameters.items()))

    @cached_property
    def notation(self) -> str:
        """``game(example, k=4)``."""
        values = [f"{name}={value}" for name, value in self.parameters.items()]
        return f"game({', '.join([self.name, *values])})"

    @cached_property
    def identity(self) -> str:
        """The digest of the rules, which does not depend on the name or the parameters."""
        rules = self.rules
        limits = {name: [limit.height.notation, limit.of] for name, limit in rules.limits.items()}
        moves = [
            [
                move.lowers,
                _plain_amounts(move.by),
                move.at_most and move.at_most.text,
                move.clips,
                move.unless and move.unless.text,
                *([[move.split.coordinate, move.split.parts]] if move.split else []),
            ]
            for move in rules.moves
        ]
        content: list[Any] = [rules.coordinates, limits, moves]
        content += [rules.legal and rules.legal.text] if rules.legal or rules.misere else []
        return f"game({digest([*content, *(['misere'] if rules.misere else [])])})"

    @property
    def files(self) -> frozenset[str]:
        """The file that describes it, if it was read from one."""
        content = self._description.content
        return frozenset({content.path.as_posix()} if isinstance(content, YamlFile) else ())

    @property
    def documents(self) -> Mapping[str, Any]:
        """The description, by the game's name."""
        return {self.name: self._description.content.content}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CutGame) and (self.notation, self.identity) == (
            other.notation,
            other.identity,
        )

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"CutGame({self.notation!r})"


def _plain_amounts(by: str | tuple[int, ...] | Amounts) -> Any:
    if not isinstance(by, Amounts):
        return by
    return [by.chosen, [taken.text for taken in by.taken], by.where and by.where.text]


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    return list(map(_plain, value)) if isinstance(value, list | tuple) else value
