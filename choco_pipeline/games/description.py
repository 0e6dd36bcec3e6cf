"""Game files made into rules: every mistake is found here, before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from itertools import chain, islice, product
from pathlib import Path
from typing import Any

from choco_pipeline.documents.yaml_file import Content, Location, YamlFile, read_yaml_text
from choco_pipeline.errors import ChocoError, ConfigError, RulesetError
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games.game_file import MOST_AMOUNTS, MOST_CHOSEN, GameFile, GameMove
from choco_pipeline.games.height import FormulaHeight
from choco_pipeline.games.rules import Amounts, Limit, Move, Rules, Split, with_free_heap
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
#: A set of amounts as the bits of a number.
BITS = re.compile(r"bits\((.+)\)")
#: Pointer at the end of a refusal.
PAGE = "docs/games.md says what a game file can describe, and what it cannot."


class Description:
    """A game file with its names checked; `content` is its text with the place of each part."""

    def __init__(self, content: Content, name: str) -> None:
        """Check the name and everything else except the formulas; raise `ConfigError` for a mistake."""
        self.content = content
        try:
            self.file = content.load(GameFile)
        except ConfigError as error:
            unknown = "unknown key" in str(error)
            raise ConfigError(f"{error}\n{PAGE}" if unknown else str(error)) from None
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
        """The parameters with their default values."""
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
        ends = self._condition(("ends",), self.file.ends)
        legal = self._condition(("legal",), self.file.legal)
        moves = tuple(
            (("moves", i), move)
            for i, written in enumerate(self.file.moves)
            for move in self._moves(("moves", i), written, limits, ends)
        )
        names = tuple(self.file.coordinates)
        is_misere = self.file.play == "misere"
        rules = Rules(
            names, limits, tuple(move for _, move in moves), legal=legal, misere=is_misere
        )
        for key, condition in (("ends", ends), ("legal", legal)):
            if condition is not None:
                self._try((key,), condition, rules)
        for place, move in moves:
            if move.at_most is not None:
                self._try((*place, "at_most"), move.at_most, rules, ends)
            if isinstance(move.by, Amounts):
                self._try_amounts(place, move, move.by, rules)
        return with_free_heap(rules)

    def _condition(self, place: Location, written: str | None) -> Formula | None:
        """Return a condition on positions."""
        if written is None:
            return None
        return self._truth(place, self._formula(place, written))

    def _truth(self, place: Location, formula: Formula) -> Formula:
        if not formula.is_truth:
            raise self._error(place, f"{formula.text} is a number, a condition is needed")
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
        """Yield the kinds of moves that one entry describes: one, or one for each list of amounts."""
        for j, name in enumerate(move.lower):
            at = (*place, "lower", j if isinstance(move.lower, list) else name)
            self.description.require_coordinate(at, name)
            if name in [*move.lower][:j]:
                raise self._error(at, f"{name!r} is there twice")
        if not move.lower and move.split is None:
            raise self._error(place, "a move lowers a coordinate, or splits one")
        at_most = None
        if move.at_most is not None:
            here = (*place, "at_most")
            at_most = self._formula(here, move.at_most)
            if at_most.is_truth:
                raise self._error(here, f"{at_most.text} is true or false, a number is needed")
            if self._is_below_one(at_most):
                what = f"a move lowers by at least 1, found at most {at_most.text}"
                raise self._error(here, what)
        read = {name for limit in limits.values() for name in limit.of}
        divided = self._divided(place, move)
        one = Move(
            tuple(move.lower),
            at_most=at_most,
            clips=move.clip or read.isdisjoint([*move.lower, *divided]),
            unless=self._unless(place, move, ends),
        )
        if isinstance(move.lower, dict) or move.split is not None:
            yield from self._by_formulas(place, move, one)
            return
        if move.where is not None:
            what = "it needs `lower: {COORDINATE: AMOUNT}`, which names the amounts"
            raise self._error((*place, "where"), what)
        several = len(move.lower) > 1
        if move.by is None and several:
            what = "`by` is needed for several coordinates: any, each, same, or a list of amounts"
            raise self._error(place, what)
        if not isinstance(move.by, list):
            # For one coordinate there is one way to say it, and so where nothing can stand above its height.
            yield replace(one, by=move.by if move.by is not None and several else "any")
            return
        amounts = self._amounts((*place, "by"), move)
        same = tuple(sorted({amount[0] for amount in amounts if len({*amount}) == 1}))
        if same:
            yield replace(one, by=same)
        for amount in sorted({amount for amount in amounts if len({*amount}) > 1}):
            if at_most is not None:
                what = "it is for amounts that are the same for each coordinate"
                raise self._error((*place, "at_most"), what)
            yield replace(one, by=Amounts((), tuple(parse(str(n)) for n in amount)))

    def _unless(self, place: Location, move: GameMove, ends: Formula | None) -> Formula | None:
        """Return the condition under which a move is not allowed: play has ended, or `when` does not hold."""
        if move.when is None:
            return ends
        when = self._truth((*place, "when"), self._formula((*place, "when"), move.when))
        not_allowed = f"not ({when.text})"
        return parse(not_allowed if ends is None else f"({ends.text}) or {not_allowed}")

    def _divided(self, place: Location, move: GameMove) -> tuple[str, ...]:
        """Return the coordinate that a move splits, if it does."""
        if move.split is None:
            return ()
        at = (*place, "split")
        names = [move.split] if isinstance(move.split, str) else [*move.split]
        if len(names) != 1:
            raise self._error(at, f"a move splits one coordinate, found {len(names)}")
        self.description.require_coordinate(at, names[0])
        return (names[0],)

    def _by_formulas(self, place: Location, move: GameMove, one: Move) -> Iterator[Move]:
        """Yield moves whose amounts are formulas in chosen numbers: one, or of a split one for each of its listed amounts.

        Inside, chosen numbers have capital letters, so that no coordinate can be called so, also in a sum of games.
        """
        for key in ("by", "at_most") if isinstance(move.lower, dict) else ("at_most",):
            if getattr(move, key) is not None:
                what = "it is not read beside amounts that are formulas, or a split; `where` can say it"
                raise self._error((*place, key), what)
        if isinstance(move.lower, dict):
            named = {name: str(amount) for name, amount in move.lower.items()}
            yield self._by_one(place, move, one, named, [])
        elif isinstance(move.by, list):
            for amounts in sorted({*self._amounts((*place, "by"), move)}):
                constant = dict(zip(move.lower, map(str, amounts), strict=True))
                yield self._by_one(place, move, one, constant, [])
        else:
            yield self._by_one(place, move, one, *self._written_amounts(place, move))

    def _by_one(
        self,
        place: Location,
        move: GameMove,
        one: Move,
        written: Mapping[str, str],
        wanted: list[str],
    ) -> Move:
        """Return the move with these amounts, for numbers that satisfy the wanted conditions and its own."""
        coordinates = self.file.coordinates
        parts = self._parts(place, move)
        chosen: dict[str, None] = {}
        taken = []
        for name, amount in written.items():
            at = (*place, "lower", name)
            formula = self._formula(at, amount, any_name=True)
            if formula.is_truth:
                raise self._error(at, f"{formula.text} is true or false, a number is needed")
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
        wanted = [*wanted, *([] if move.where is None else [move.where])]
        where = None
        for condition in wanted:
            at = (*place, "where")
            formula = self._formula(at, condition, [*coordinates, *chosen, *parts])
            self._truth(at, formula)
            text = formula.text if where is None else f"({where.text}) and ({formula.text})"
            where = parse(text)
        split = None
        if move.split is not None:
            (coordinate,) = self._divided(place, move)
            first, second = (inside[name] for name in parts)
            split = Split(coordinate, (first, second), tuple(coordinates))
        amounts = Amounts(
            tuple(inside[name] for name in numbers),
            tuple(formula.rename(inside) for formula in taken),
            where and where.rename(inside),
        )
        return replace(one, by=amounts, split=split)

    def _written_amounts(self, place: Location, move: GameMove) -> tuple[dict[str, str], list[str]]:
        """Return the amounts of a split, any, each or the same, as formulas in chosen numbers, and the conditions on these."""
        names, several = list(move.lower), len(move.lower) > 1
        if not names:
            return {}, []
        if not several or move.by == "same":
            return dict.fromkeys(names, "taken"), ["taken >= 1"]
        if move.by is None:
            what = "`by` is needed for several coordinates: any, each, same, or a list of amounts"
            raise self._error(place, what)
        written = {name: f"taken_{i}" for i, name in enumerate(names)}
        total = "+".join(written.values())
        each = [f"{number} >= 1" for number in written.values()]
        return written, each if move.by == "each" else [f"{total} >= 1"]

    def _parts(self, place: Location, move: GameMove) -> list[str]:
        """Return the names of the parts of a split; none without one."""
        if move.split is None:
            return []
        if isinstance(move.split, str):
            return ["part_1", "part_2"]
        (names,) = move.split.values()
        if names[0] == names[1]:
            raise self._error((*place, "split"), "the two parts need two names")
        return list(names)

    def _amounts(self, place: Location, move: GameMove) -> list[tuple[int, ...]]:
        """Return the amounts in a list, for each coordinate that is lowered."""
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
                amounts += [(amount,) * number for amount in self._bits(at, bits[1])]
                continue
            if not isinstance(written, list):
                amounts.append((self._amount(at, written, 1),) * number)
                continue
            if len(written) != number:
                what = f"an amount for each of {number} coordinates is needed, found {len(written)}"
                raise self._error(at, what)
            each = tuple(self._amount((*at, j), one, 0) for j, one in enumerate(written))
            if not any(each):
                raise self._error(at, "a move takes something")
            amounts.append(each)
        return amounts

    def _bits(self, place: Location, written: str) -> list[int]:
        """Return the exponents n for which 2^n is a binary digit of a number: its set of amounts."""
        number = self._amount(place, written, 0)
        if number % 2 or number == 0:
            what = f"the number of a set of amounts is even and not 0, as 2^n stands for n, found {number}"
            raise self._error(place, what)
        return [n for n in range(number.bit_length()) if number >> n & 1]

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

    def _try_amounts(self, place: Location, move: Move, by: Amounts, rules: Rules) -> None:
        """Search small positions for a formula without a value, and for an amount that the move takes."""
        side = max(2, int(FIRST_POSITIONS ** (1 / len(rules.coordinates))))
        tried, found = 0, False
        for at in product(range(side), repeat=len(rules.coordinates)):
            values = rules.named(at)
            if rules.why_not(at) is not None or (move.unless and move.unless.value(values)):
                continue
            try:
                found = found or any(True for _ in move.chosen(values, by))
            except FormulaError as error:
                # Chosen numbers have their own names again.
                own = re.sub(r"[A-Z][A-Z0-9_]*(?==)", lambda name: name[0].lower(), str(error))
                raise self._error(place, own) from None
            tried += 1
            if tried > FIRST_POSITIONS // 10 and found:
                return

    def _is_below_one(self, formula: Formula) -> bool:
        """Whether a formula is below 1 at all places tried, near and far, so that its move lowers nothing."""
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

    def _formula(
        self,
        place: Location,
        written: int | str,
        names: Sequence[str] | None = None,
        *,
        any_name: bool = False,
    ) -> Formula:
        """Return a formula with the parameters' values put in; in the coordinates, in other names, or in any."""
        known = [*(self.file.coordinates if names is None else names), *self.values]
        try:
            formula = parse(str(written)) if any_name else parse(str(written), names=known)
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
    """Return the description of a game of one's own.

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
    """Return the games below `base` with another description here; parameters as for `described`.

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
