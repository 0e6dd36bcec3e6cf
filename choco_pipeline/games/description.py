"""A game as somebody has written it down, made into its rules: every mistake is found here, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

from choco_pipeline.documents.content import Content, Location
from choco_pipeline.documents.yaml_file import YamlFile, read_yaml_text
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.game_file import MOST_AMOUNTS, GameFile, GameMove
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Limit, Move, Rules, with_free_heap
from choco_pipeline.games.ruleset import LARGEST
from choco_pipeline.shipped import SHIPPED

#: Where games of one's own are described.
FOLDER = "config/games"
#: Other packages name theirs by entry points of this group, each the path of a file.
GROUP = "choco_pipeline.games"
#: What formulas of claims use besides coordinates and parameters, and what a ruleset's notation does.
RESERVED = frozenset({"v", "grundy", "g", "f", "p", "i", "j", "passes", "bound", "game"})
#: Bytes of a file: a hundred moves with long formulas. It takes a second to read.
LARGEST_GAME = 1 << 17
#: Conditions and largest amounts are tried on so many positions at once, nearest to the end of play.
FIRST_POSITIONS = 1000


class Description:
    """A game as written down, with the names in it checked; `content` is what is written, and where each part of it stands."""

    def __init__(self, content: Content, name: str) -> None:
        """Check that the game has this name, and everything else but the formulas, or raise `ConfigError`."""
        self.content = content
        self.file = content.load(GameFile)
        if self.name != name:
            raise content.error(
                ("game",), f"needs {name!r}, by which it is read, found {self.name!r}"
            )
        self._check_names()

    @property
    def name(self) -> str:
        """What the game is called."""
        return self.file.game

    @property
    def parameters(self) -> dict[str, int]:
        """The parameters, with the values that they have where nothing else is said."""
        return self.file.parameters

    @property
    def files(self) -> frozenset[str]:
        """The file that it was read from, if it was."""
        content = self.content
        return frozenset({content.path.as_posix()} if isinstance(content, YamlFile) else ())

    def require_parameter(self, name: str) -> None:
        """Raise `RulesetError` if the game has no such parameter."""
        if name not in self.parameters:
            known = ", ".join(self.parameters) or "none"
            raise RulesetError(
                f"game({self.name}): no parameter {name!r}, it has {known}{_near(name, self.parameters)}"
            )

    def rules(self, given: Mapping[str, int]) -> Rules:
        """Return the game as data, with values for some of the parameters.

        Raises `ConfigError`, saying which key has which mistake; `RulesetError` if there is no such parameter.
        """
        for name in given:
            self.require_parameter(name)
        return _rules(self, tuple({**self.parameters, **given}.items()))

    def _check_names(self) -> None:
        places: list[tuple[Location, str]] = [
            *((("coordinates", i), name) for i, name in enumerate(self.file.coordinates)),
            *((("parameters", name), name) for name in self.parameters),
        ]
        seen: set[str] = set()
        for place, name in places:
            if name in seen:
                raise self.content.error(place, f"{name!r} is there twice")
            if name in RESERVED:
                others = ", ".join(sorted(RESERVED))
                what = f"{name!r} cannot be used, since claims and notations do: so it is with {others}"
                raise self.content.error(place, what)
            try:
                parse(name)  # which refuses `max`, and `or`
            except FormulaError as error:
                raise self.content.error(place, str(error)) from None
            seen.add(name)
        for name in self.file.heights:
            self.require_coordinate(("heights", name), name)

    def require_coordinate(self, place: Location, name: str) -> None:
        """Raise `ConfigError` for that place if the game has no such coordinate."""
        known = self.file.coordinates
        if name not in known:
            raise self.content.error(
                place, f"{name!r} is no coordinate, they are {', '.join(known)}{_near(name, known)}"
            )


@lru_cache(maxsize=1024)
def _rules(description: Description, values: tuple[tuple[str, int], ...]) -> Rules:
    return _DescriptionReader(description, dict(values)).rules()


class _DescriptionReader:
    """Reads a description's formulas with values for its parameters."""

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
        """Return the game as data."""
        limits = {name: self._limit(name) for name in self.file.heights}
        ends = None if self.file.ends is None else self._formula(("ends",), self.file.ends)
        if ends is not None and not ends.is_truth:
            raise self._error(("ends",), f"{ends.text} is a number, a condition is needed")
        moves = tuple(self._move(i, move, limits, ends) for i, move in enumerate(self.file.moves))
        rules = Rules(tuple(self.file.coordinates), limits, moves)
        if ends is not None:
            self._try(("ends",), ends, rules)
        for i, move in enumerate(moves):
            if move.at_most is not None:
                self._try(("moves", i, "at_most"), move.at_most, rules, ends)
        return with_free_heap(rules)

    def _limit(self, name: str) -> Limit:
        place = ("heights", name)
        formula = self._formula(place, self.file.heights[name])
        of = tuple(other for other in self.file.coordinates if other in formula.names)
        for other in of:
            if other == name:
                raise self._error(place, f"the height of {name} depends on {name} itself")
            given = self.file.heights.get(other, 0)
            if self._formula(("heights", other), given).names:
                what = f"it depends on {other}, whose own height is a formula"
                raise self._error(place, what)
        try:
            height = FormulaHeight(formula, of)
            for i in range(len(of)):
                height.look_along(i, FIRST_POSITIONS)
        except ChocoError as error:
            raise self._error(place, str(error)) from None
        return Limit(height, of)

    def _move(
        self, i: int, move: GameMove, limits: Mapping[str, Limit], ends: Formula | None
    ) -> Move:
        place: Location = ("moves", i)
        for j, name in enumerate(move.lower):
            self.description.require_coordinate((*place, "lower", j), name)
            if name in move.lower[:j]:
                raise self._error((*place, "lower", j), f"{name!r} is there twice")
        several = len(move.lower) > 1
        if move.by is None and several:
            what = "`by` is needed for several coordinates: any, each, same, or a list of amounts"
            raise self._error(place, what)
        at_most = None
        if move.at_most is not None:
            here = (*place, "at_most")
            at_most = self._formula(here, move.at_most)
            if at_most.is_truth:
                raise self._error(here, f"{at_most.text} is true or false, a number is needed")
            if self._is_below_one(at_most):
                what = f"a move lowers by at least 1, found at most {at_most.text}"
                raise self._error(here, what)
        by = self._amounts((*place, "by"), move.by) if isinstance(move.by, list) else move.by
        read = {name for limit in limits.values() for name in limit.of}
        return Move(
            tuple(move.lower),
            # For one coordinate there is one way to say it, and so where nothing can stand above its height.
            "any" if by is None or (isinstance(by, str) and not several) else by,
            at_most,
            clips=move.clip or read.isdisjoint(move.lower),
            unless=ends,
        )

    def _amounts(self, place: Location, by: list[int | str]) -> tuple[int, ...]:
        if not 1 <= len(by) <= MOST_AMOUNTS:
            raise self._error(place, f"1 to {MOST_AMOUNTS} amounts are needed, found {len(by)}")
        amounts = set()
        for i, written in enumerate(by):
            formula = self._formula((*place, i), written)
            try:
                amount = 0 if formula.names or formula.is_truth else int(formula.value({}))
            except FormulaError as error:
                raise self._error((*place, i), str(error)) from None
            if not 1 <= amount <= LARGEST:
                what = f"an amount is an integer from 1 to {LARGEST:,}, found {formula.text}"
                raise self._error((*place, i), what)
            amounts.add(amount)
        return tuple(sorted(amounts))

    def _is_below_one(self, formula: Formula) -> bool:
        """Whether a formula is below 1 wherever it is looked at, near and far, so that its move lowers nothing."""
        names = sorted(formula.names)
        side = max(2, int(FIRST_POSITIONS ** (1 / max(1, len(names)))))
        near = islice(product(range(side), repeat=len(names)), FIRST_POSITIONS)
        sizes = [1 << n for n in range(LARGEST.bit_length())]
        together = [dict.fromkeys(names, size) for size in sizes]
        alone = [{**dict.fromkeys(names, 0), name: size} for name in names for size in sizes]
        values = []
        for place in chain((dict(zip(names, at, strict=True)) for at in near), together, alone):
            with suppress(FormulaError):  # which is said elsewhere of positions
                values.append(formula.value(place))
                if values[-1] >= 1:
                    return False
        return bool(values)

    def _try(
        self, place: Location, formula: Formula, rules: Rules, unless: Formula | None = None
    ) -> None:
        """Look for a small position at which play has not ended, and a formula has no value."""
        needed = formula.names | (frozenset() if unless is None else unless.names)
        limits = [(name, rules.limits[name]) for name in needed & rules.limits.keys()]
        needed = needed.union(*(limit.of for _, limit in limits))
        side = max(2, int(FIRST_POSITIONS ** (1 / max(1, len(needed)))))
        try:
            for chosen in islice(product(range(side), repeat=len(needed)), FIRST_POSITIONS):
                values = dict(zip(sorted(needed), chosen, strict=True))
                is_position = all(values[name] <= limit.at(values) for name, limit in limits)
                if is_position and (unless is None or not unless.value(values)):
                    formula.value(values)
        except FormulaError as error:
            raise self._error(place, str(error)) from None

    def _formula(self, place: Location, written: int | str) -> Formula:
        """Return a formula with the parameters' values put in."""
        try:
            formula = parse(str(written), names=[*self.file.coordinates, *self.values])
            return formula.substitute(
                {name: self.values[name] for name in formula.names & self.values.keys()}
            )
        except FormulaError as error:
            raise self._error(place, str(error)) from None

    def _error(self, place: Location, message: str) -> ConfigError:
        given = self.file.parameters
        other = assigned({name: v for name, v in self.values.items() if v != given[name]})
        return self.content.error(place, message + (f" (where {other})" if other else ""))


def described(name: str, base: Path, games: Mapping[str, Any] | None) -> Description:
    """Return what describes a game of one's own.

    It is a file in ``config/games`` below `base`, or of that name among the bundled games; or one of `games`, if these are given.
    Raises `RulesetError` if there is no such game; `ConfigError`, saying which key of its description has which mistake.
    """
    if games is not None:
        if name not in games:
            raise RulesetError(
                f"game({name}): no game of that name is described{_near(name, games)}"
            )
        return Description(Content(f"game {name}", games[name]), name)
    shown = Path(FOLDER, f"{name}.yaml")
    path = inside(base, shown.as_posix())
    if not path.is_file():
        path = SHIPPED / shown
    if not path.is_file():
        others = entry_points(group=GROUP)
        if name in others.names:
            return _of_another_package(others[name])
        folders = (inside(base, FOLDER), SHIPPED / FOLDER)
        known = [
            other.stem for folder in folders for other in folder.glob("*.yaml") if other.is_file()
        ]
        known += others.names
        raise RulesetError(f"game({name}): there is no file {shown}{_near(name, known)}")
    return _in_file(shown, read_yaml_text(path, shown, LARGEST_GAME))


def described_otherwise(games: Mapping[str, Any], base: Path) -> list[str]:
    """Return the names of games below `base` that are described otherwise here; the parameters are as for `described`.

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


def _of_another_package(entry: EntryPoint) -> Description:
    """Return the description that another package names: a file as in ``config/games``, which holds no code.

    Raises `RulesetError` if it names anything but the path of a file.
    """
    path = entry.load()
    if not (isinstance(path, Path) and path.is_file()):
        raise RulesetError(
            f"game({entry.name}): {entry.value} must be the path of a description, found {path!r}"
        )
    return _in_file(path, read_yaml_text(path, path, LARGEST_GAME))


@lru_cache(maxsize=256)
def _in_file(path: Path, text: str) -> Description:
    """Return the description that a file holds; it is read again as soon as the file has changed."""
    return Description(YamlFile(path, text), path.stem)


def inside(base: Path, path: str) -> Path:
    """Return `path` below `base`, or raise `RulesetError` if it leads out of it."""
    root = base.resolve()
    try:
        whole = (root / path).resolve()
    except (OSError, RuntimeError, ValueError):  # links in a circle, and what no file can be called
        raise RulesetError(f"path {path!r} leads nowhere") from None
    if not whole.is_relative_to(root):
        raise RulesetError(f"path {path!r} leads out of the project, {root}")
    return whole


def _near(name: str, known: Mapping[str, Any] | list[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""
