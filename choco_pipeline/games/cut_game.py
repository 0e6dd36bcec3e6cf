"""Games of one's own: described in a few lines of YAML, or in Python with the same fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from choco_pipeline.documents.yaml_file import Content, YamlFile, read_yaml_text
from choco_pipeline.games.description import LARGEST_GAME, Description
from choco_pipeline.games.rules import Amounts, Rules
from choco_pipeline.games.ruleset import Ruleset
from choco_pipeline.provenance import digest


class CutGame(Ruleset):
    """A game of one's own: coordinates, how large they may be, and which moves lower them.

    Parameters
    ----------
    coordinates
        Their names, in the order in which positions hold them.
    moves
        The kinds of moves, each with the keys of a move in a file; see docs/games.md.
    heights
        The largest legal values of coordinates: integers, or formulas in other coordinates.
    ends
        A condition: where it holds play has ended.
    legal
        A condition that every position satisfies.
    play
        ``normal`` or ``misere``.
    parameters
        Integers that formulas may use.
    name
        What the game is called; by default after a digest of its description.

    Raises
    ------
    ConfigError
        Saying which key has which mistake.

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
        self._take(Description(content, name), {})

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
            Saying which line and key has which mistake.
        RulesetError
            If the game has no such parameter.
        """
        path = Path(path)
        content = YamlFile(path, read_yaml_text(path, most=LARGEST_GAME))
        return cls.of(Description(content, path.stem), parameters)

    @classmethod
    def of(cls, description: Description, parameters: Mapping[str, int]) -> CutGame:
        """Return a game that is described, with values for some of its parameters."""
        game = cls.__new__(cls)
        game._take(description, parameters)
        return game

    def _take(self, description: Description, given: Mapping[str, int]) -> None:
        self._description = description
        self.name = description.name
        self.parameters = {**description.parameters, **given}
        _ = self.rules  # so that every mistake is found at once

    @cached_property
    def rules(self) -> Rules:
        """The game as data."""
        return self._description.rules(self.parameters)

    @cached_property
    def notation(self) -> str:
        """``game(example, k=4)``."""
        values = [f"{name}={value}" for name, value in self.parameters.items()]
        return f"game({', '.join([self.name, *values])})"

    @cached_property
    def identity(self) -> str:
        """The rules' digest: the same game under another name, or by other parameters, is the same game."""
        rules = self.rules
        limits = {name: [limit.height.notation, limit.of] for name, limit in rules.limits.items()}
        moves = [
            [
                m.lowers,
                _written(m.by),
                m.at_most and m.at_most.text,
                m.clips,
                m.unless and m.unless.text,
            ]
            + ([[m.split.coordinate, m.split.parts]] if m.split else [])
            for m in rules.moves
        ]
        content: list[Any] = [rules.coordinates, limits, moves]
        content += [rules.legal and rules.legal.text] if rules.legal or rules.misere else []
        return f"game({digest([*content, *(['misere'] if rules.misere else [])])})"

    @property
    def files(self) -> frozenset[str]:
        """The file that describes it, if it was read from one."""
        return self._description.files

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


def _written(by: str | tuple[int, ...] | Amounts) -> Any:
    """Return amounts as plain data."""
    if not isinstance(by, Amounts):
        return by
    return [by.chosen, [taken.text for taken in by.taken], by.where and by.where.text]


def _plain(value: Any) -> Any:
    """Return lists for sequences and dictionaries for mappings, as a file would hold them."""
    match value:
        case Mapping():
            return {key: _plain(part) for key, part in value.items()}
        case list() | tuple():
            return [_plain(part) for part in value]
        case _:
            return value
