"""The notation of rulesets: reader, builder and patterns.

A user-defined game, ``game(NAME, k=4)``, is described by ``config/games/NAME.yaml``. The reader fills in the default values of
missing parameters from this file, so that every ruleset has one notation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from choco_pipeline.errors import RulesetError, hint
from choco_pipeline.formula import Formula, FormulaError, parse
from choco_pipeline.formula.nodes import Node, render
from choco_pipeline.games.bars import Nim, RectangularBar, SolidBar, StepBar, StripBar
from choco_pipeline.games.description import CutGame, described, inside
from choco_pipeline.games.game_file import NAME
from choco_pipeline.games.height import FormulaHeight, Height, read_heights
from choco_pipeline.games.ruleset import DisjunctiveSum, Ruleset, WithPass

#: The class of each ruleset, its arguments in order, and the defaults of those that may be left out. ``f`` is a height,
#: ``game``, ``a`` and ``b`` are rulesets, all others are integers. A user-defined game, `OWN`, has its name and the parameters
#: of its description.
RULESETS: dict[str, tuple[Callable[..., Ruleset], tuple[str, ...], dict[str, str]]] = {
    "step-bar": (StepBar, ("k", "s"), {"s": "0"}),
    "strip-bar": (StripBar, ("k", "s"), {"s": "0"}),
    "solid-bar": (SolidBar, ("f",), {}),
    "rectangular-bar": (RectangularBar, ("m", "n"), {}),
    "nim": (Nim, ("heaps",), {}),
    "with-pass": (WithPass, ("game", "passes"), {"passes": "1"}),
    "sum": (DisjunctiveSum, ("a", "b"), {}),
}
OWN = "game"
#: Arguments that are written without their names.
POSITIONAL = ("game", "heaps", "a", "b")
HEIGHT_NAMES = frozenset({"x", "z"})
LONGEST = 4000
DEEPEST = 20

_NAME = re.compile(r"[A-Za-z][A-Za-z-]*")
_KEY = re.compile(r"\s*([A-Za-z_][A-Za-z_0-9]*)\s*=(?!=)")
_CSV = re.compile(r"\s*csv\(\s*([^()]+?)\s*\)\s*")


@dataclass(frozen=True)
class CsvFile:
    """A height table in a file, by the path that the notation gives."""

    path: str

    @property
    def text(self) -> str:
        """The file in the notation."""
        return f"csv({self.path})"


@dataclass(frozen=True)
class GameName:
    """The name of a user-defined game."""

    text: str


@dataclass(frozen=True)
class Notation:
    """A ruleset as written: a name, and a value for each argument."""

    name: str
    arguments: tuple[tuple[str, Argument], ...]

    @property
    def names(self) -> frozenset[str]:
        """The parameters in it; x and z in a height function are coordinates."""
        return frozenset().union(
            *(
                value.names - (HEIGHT_NAMES if key == "f" else frozenset())
                for key, value in self.arguments
                if isinstance(value, Notation | Formula)
            )
        )

    @property
    def integers(self) -> frozenset[int]:
        """The integer literals in its formulas, with their signs."""
        parts = (value for _, value in self.arguments if isinstance(value, Notation | Formula))
        return frozenset(number for part in parts for number in part.integers)

    @property
    def text(self) -> str:
        """The canonical notation, which `read` accepts."""
        texts = (
            value.text if key in POSITIONAL else f"{key}={value.text}"
            for key, value in self.arguments
        )
        return f"{self.name}({', '.join(texts)})"


Argument = Formula | CsvFile | GameName | Notation


def parse_ruleset(
    text: str,
    parameters: Mapping[str, int | Formula | CsvFile] | None = None,
    base: Path | None = None,
    games: Mapping[str, Any] | None = None,
) -> Ruleset:
    """Parse the notation of a ruleset.

    Parameters
    ----------
    text
        For example ``with-pass(strip-bar(k=4, s=2), passes=1)``; arguments may be named or in order.
    parameters
        Values of names in `text`; the value of f in ``solid-bar(f=f)`` is a height function.
    base
        Folder that must contain all height tables, such as ``solid-bar(f=csv(heights.csv))``, and the files of
        user-defined games in ``config/games``; the working directory by default.
    games
        Descriptions of user-defined games by name, used instead of all files.

    Raises
    ------
    RulesetError, HeightError, FormulaError, ConfigError
        If `text` or a value is invalid; the message says what is needed.

    Examples
    --------
    >>> parse_ruleset("with-pass(strip-bar(4, 2))")
    WithPass(ruleset=StripBar(k=4, s=2), passes=1)
    >>> str(parse_ruleset("solid-bar(f=(x+z)//k)", {"k": 3}))
    'solid-bar(f=(x+z)//3)'
    """
    base = base or Path.cwd()
    return build(read(text, base, games), parameters or {}, base, games)


def as_game(game: Ruleset | str) -> Ruleset:
    """Return a game, which may be given by its notation."""
    return parse_ruleset(game) if isinstance(game, str) else game


def read(text: str, base: Path | None = None, games: Mapping[str, Any] | None = None) -> Notation:
    """Return `text` as a `Notation`, with named arguments and all defaults.

    `base` and `games` are as for `parse_ruleset`: the description of a user-defined game has its defaults.
    """
    return _with_defaults(as_written(text), base, games)


@lru_cache(maxsize=4096)
def as_written(text: str) -> Notation:
    """Return `text` as a `Notation`, without the defaults of user-defined games."""
    if len(text) > LONGEST:
        raise RulesetError(f"ruleset: {len(text)} characters, at most {LONGEST} are read")
    try:
        return _notation(text)
    except RulesetError as error:
        raise RulesetError(f"ruleset {text!r}: {error}") from error


def _with_defaults(
    notation: Notation, base: Path | None, games: Mapping[str, Any] | None
) -> Notation:
    """Return a notation in which each ``game(…)`` has all its parameters, in order."""
    given = {
        key: _with_defaults(value, base, games) if isinstance(value, Notation) else value
        for key, value in notation.arguments
    }
    name = given.get(OWN)
    if isinstance(name, GameName):
        description = described(name.text, base or Path.cwd(), games)
        for key in given.keys() - {OWN}:
            description.require_parameter(key)
        parameters = {key: parse(str(value)) for key, value in description.file.parameters.items()}
        given = {OWN: name, **parameters, **given}
    return Notation(notation.name, tuple(given.items()))


def build(
    notation: Notation,
    parameters: Mapping[str, int | Formula | CsvFile],
    base: Path,
    games: Mapping[str, Any] | None = None,
) -> Ruleset:
    """Return the ruleset of a notation, with values for the names in it."""
    arguments = dict(notation.arguments)
    integers = {name: value for name, value in parameters.items() if isinstance(value, int)}

    def require_names(formula: Formula, known: Iterable[str]) -> None:
        if unknown := sorted(formula.names - {*known}):
            allowed = ", ".join(sorted(known)) or "none"
            raise RulesetError(
                f"{notation.name}: unknown name {unknown[0]!r} in {formula.text}; known here: {allowed}"
            )

    def integer(key: str) -> int:
        value = arguments[key]
        if not isinstance(value, Formula) or value.is_truth:
            raise RulesetError(f"{notation.name}: {key} must be an integer")
        require_names(value, parameters)
        try:
            return int(value.value({name: integers[name] for name in value.names & {*integers}}))
        except FormulaError as error:
            raise RulesetError(f"{notation.name}: {key} = {value.text}: {error}") from None

    def game(key: str) -> Ruleset:
        value = arguments[key]
        if not isinstance(value, Notation):
            raise RulesetError(f"{notation.name}: {key} must be a ruleset")
        return build(value, parameters, base, games)

    def height(key: str) -> Height:
        value = arguments[key]
        if value.text in parameters and value.text not in HEIGHT_NAMES:
            whole = parameters[value.text]
            value = parse(str(whole)) if isinstance(whole, int) else whole
        match value:
            case CsvFile(path):
                return read_heights(inside(base, path), path)
            case Formula():
                known = {name: n for name, n in integers.items() if name not in HEIGHT_NAMES}
                require_names(value, HEIGHT_NAMES | known.keys())
                used = value.names & known.keys()
                return FormulaHeight(value.substitute({name: known[name] for name in used}))
            case _:
                raise RulesetError("solid-bar: f must be a height function, found a ruleset")

    if notation.name == OWN:
        values = {key: integer(key) for key in arguments if key != OWN}
        return CutGame.of(described(arguments[OWN].text, base, games), values)
    kind, keys, _ = RULESETS[notation.name]
    readers = {"f": height, "game": game, "a": game, "b": game}
    return kind(*(readers.get(key, integer)(key) for key in keys))


def match(pattern: Notation, concrete: Notation) -> dict[str, int] | None:
    """Return the parameters for which `pattern` is `concrete`, or None.

    Examples
    --------
    >>> match(read("solid-bar(f=(x+z)//k)"), read("solid-bar(f=(x+z)//3)"))
    {'k': 3}
    """
    if pattern.name != concrete.name:
        return None
    values: dict[str, int] = {}
    for (key, wanted), (_, given) in zip(pattern.arguments, concrete.arguments, strict=True):
        more: dict[str, int] | None
        match wanted, given:
            case Notation(), Notation():
                more = match(wanted, given)
            case Formula(), Formula():
                more = given.match(wanted, HEIGHT_NAMES if key == "f" else frozenset())
            case _:
                more = {} if wanted == given else None
        if more is None or any(
            values.setdefault(name, value) != value for name, value in more.items()
        ):
            return None
    return values


def _notation(text: str, depth: int = 0) -> Notation:
    stripped = text.strip()
    name_found = _NAME.match(stripped)
    name = name_found.group() if name_found else ""
    rest = stripped[len(name) :].strip()
    known = [*RULESETS, OWN]
    if name not in known:
        near = get_close_matches(name, known, 1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        raise RulesetError(
            f"unknown ruleset {name or stripped[:20]!r}; {meant}rulesets are {', '.join(known)}"
        )
    if not rest.startswith("("):
        raise RulesetError(f"arguments in parentheses are needed after {name}")
    if not rest.endswith(")"):
        raise RulesetError(f"the parenthesis is not closed after {name}")
    if depth > DEEPEST:
        raise RulesetError(f"nested more than {DEEPEST} deep")
    parts = _split(rest[1:-1])
    if name == OWN:
        return _user_game(parts)
    _, keys, defaults = RULESETS[name]
    given: dict[str, Argument] = {}
    for position, part in enumerate(parts):
        key, value = _argument(part)
        if not key and position >= len(keys):
            what = f"{name} takes {len(keys)} arguments ({', '.join(keys)}), found more"
            raise RulesetError(what)
        key = key or keys[position]
        if key in given:
            raise RulesetError(f"{name} is given {key!r} twice")
        if key not in keys:
            allowed = ", ".join(keys) + hint(key, keys)
            raise RulesetError(f"{name} has no argument {key!r}, it takes {allowed}")
        if key in ("game", "a", "b"):
            given[key] = _notation(value, depth + 1)
        else:
            given[key] = (csv_file(value) if key == "f" else None) or _formula(key, value)
    given = {key: parse(default) for key, default in defaults.items()} | given
    if missing := [key for key in keys if key not in given]:
        raise RulesetError(f"{name} needs {missing[0]}")
    return Notation(name, tuple((key, given[key]) for key in keys))


def _user_game(parts: list[str]) -> Notation:
    name, *others = [part.strip() for part in parts] or [""]
    if not re.fullmatch(NAME, name):
        what = f"{OWN} needs a name of letters, digits and hyphens first, found {name[:60]!r}"
        raise RulesetError(what)
    given: dict[str, Argument] = {OWN: GameName(name)}
    for part in others:
        key, value = _argument(part)
        if key in given:
            raise RulesetError(f"{OWN}({name}) is given {key!r} twice")
        if not key:
            what = f"parameters of {OWN}({name}) are named, such as k=4, found {part[:60]!r}"
            raise RulesetError(what)
        given[key] = _formula(key, value)
    return Notation(OWN, tuple(given.items()))


def _argument(part: str) -> tuple[str, str]:
    """Return the name of an argument ("" if there is none), and its text."""
    found = _KEY.match(part)
    return ("", part) if found is None else (found[1], part[found.end() :])


def _formula(key: str, text: str) -> Formula:
    try:
        return parse(text.strip())
    except FormulaError as error:
        raise RulesetError(f"{key}: {error}") from error


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth < 0:
            raise RulesetError("there is one closing parenthesis too many")
        if char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    if depth:
        raise RulesetError("a closing parenthesis is missing")
    parts.append(text[start:])
    return parts if parts != [""] else []


def csv_file(text: str) -> CsvFile | None:
    """Return the file in ``csv(path)``; None for another text."""
    written = _CSV.fullmatch(text)
    return None if written is None else CsvFile(written[1].strip("\"'"))


def coordinates_of(pattern: Notation, games: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """Return the coordinates of all rulesets that a pattern matches."""
    return sample_of(pattern, games).coordinates


def with_arguments(notation: Notation, change: Callable[[Node], Node]) -> Notation:
    """Return a notation with each formula in its arguments changed, at any depth."""

    def changed(argument: Argument) -> Argument:
        match argument:
            case Notation():
                return with_arguments(argument, change)
            case Formula():
                return parse(render(change(argument.root)))
            case _:
                return argument

    return Notation(notation.name, tuple((key, changed(one)) for key, one in notation.arguments))


def sample_of(pattern: Notation, games: Mapping[str, Any] | None = None) -> Ruleset:
    """Return a sample ruleset of a pattern; all of them have the same coordinates."""
    return build(_with_numbers(pattern), {}, Path(), games)


def _with_numbers(pattern: Notation) -> Notation:
    given = dict(pattern.arguments)
    if isinstance(name := given.get(OWN), GameName):  # the parameters do not change the coordinates
        return Notation(pattern.name, ((OWN, name),))
    for key, value in given.items():
        if isinstance(value, Notation):
            given[key] = _with_numbers(value)
        elif key == "f" or not isinstance(value, Formula):
            given[key] = parse("0")
        elif value.names:
            given[key] = parse("1")
    return Notation(pattern.name, tuple(given.items()))
