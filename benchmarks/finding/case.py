"""What the benchmark asks: targets, which are known and should be found, and decoys, of which nothing false may be said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from choco_pipeline.claims.language.claim import Claim, assignments
from choco_pipeline.claims.language.claims_file import Statement
from choco_pipeline.documents.model import Model
from choco_pipeline.documents.yaml_file import YamlFile
from choco_pipeline.errors import ConfigError
from choco_pipeline.formula import parse, parse_range

KNOWN = Path(__file__).parent.parent / "known"

Text = Annotated[str, Field(min_length=1)]
Search = Literal[
    "formulas", "value-sets", "symmetric", "lines", "counts", "cellular", "blocks", "heights"
]


class Expected(Model):
    """What should be found: the formula or the equations, and for which parameters and positions exactly.

    Of a line the formula is the statement itself. Of a relation between games it is the statement, too, and `of` the game that it is about, if that is not the one
    searched. Of counts, `of` is the term that is counted; of values, ``among`` if other members are allowed.
    Rules and relations of pictures are lists of steps along the axes; copies have a size, a row and a column.
    """

    kind: Literal[
        "p-positions",
        "grundy",
        "values",
        "count",
        "cellular",
        "blocks",
        "heights",
        "related",
        "line",
    ]
    formula: str = ""
    where: str = ""
    when: str = ""
    values: str = ""
    of: str = ""
    axes: list[Text] = Field(default=[])
    terms: list[list[int]] = Field(default=[])
    relations: dict[str, list[list[int]]] = Field(default={})
    copies: list[list[Text]] = Field(default=[])

    @model_validator(mode="after")
    def _says_something(self) -> Expected:
        if not (self.formula or self.terms or self.relations or self.copies):
            raise ValueError("a formula, or data of a picture, is needed")
        return self

    @property
    def residues(self) -> dict[tuple[int, ...], list[list[int]]]:
        """The relations by remainders modulo 2."""
        return {tuple(map(int, key.split())): steps for key, steps in self.relations.items()}

    def claim(self, ruleset: str) -> Claim:
        """Return what is expected of a game or family as a claim."""
        said = self.formula
        if self.kind == "p-positions":
            said = f"P <=> {said}"
        elif self.kind == "grundy":
            said = f"G == {said}"
        elif self.kind == "values":
            said = f"{{{said}: P}} {'<=' if self.of else '=='} {{v: {self.values}}}"
        given = self.of if self.kind == "related" and self.of else ruleset
        entry = {"id": "expected", "ruleset": given, "when": self.when or None}
        entry["statement"] = f"{self.where} => ({said})" if self.where else said
        return Claim(Statement.model_validate(entry))


class Random(Model):
    """Heights that are drawn: about as large as a formula says, and monotone."""

    like: Text
    side: Annotated[int, Field(ge=8, le=255)]


class Box(Model):
    """All monotone height functions with arguments and heights up to these."""

    side: int
    height: int


class Case(Model):
    """Tables to search, and what becomes of it.

    Attributes
    ----------
    id
        Its name.
    games
        A ruleset, in which names stand for parameters; `f` for heights that are drawn.
    parameters
        What each name runs over: a number, a range, or a list of numbers.
    where
        Only parameters for which this is true are searched.
    bound, quantity, search
        The tables, and the searches in them.
    beyond
        Boxes in which statements are read back besides cubes, as the largest values of coordinates.
    short
        Whether it is in the short form.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
    games: Text = ""
    parameters: dict[str, int | Text | list[int]] = Field(default={})
    where: str = ""
    bound: Annotated[int, Field(ge=1)] = 63
    quantity: Literal["p-positions", "grundy"] = "p-positions"
    search: list[Search] = Field(default=["formulas"], min_length=1)
    beyond: list[dict[str, int]] = Field(default=[])
    random: Random | None = None
    box: Box | None = None
    short: bool = False

    @model_validator(mode="after")
    def _has_games(self) -> Case:
        if bool(self.games) == bool(self.box):
            raise ValueError("games or a box of height functions is needed, and not both")
        return self

    def points(self) -> Iterator[dict[str, int]]:
        """Yield the parameters of each game to search."""
        lists = {name: span for name, span in self.parameters.items() if isinstance(span, list)}
        spans = {
            name: parse_range("0" if name in lists else str(span))
            for name, span in self.parameters.items()
        }
        several: list[dict[str, int]] = [{}]
        for name, numbers in lists.items():
            several = [{**one, name: n} for one in several for n in numbers]
        spans = {name: span for name, span in spans.items() if name not in lists}
        for one in several:
            for point in assignments(spans, one):
                if not self.where or parse(self.where).value(point):
                    yield point


class Target(Case):
    """What is known, with its source.

    Attributes
    ----------
    source
        Who says it, and where.
    expect
        What should be found.
    outside
        Why it cannot be found: the language of statements cannot say it. It then does not count for recall.
    """

    source: Text
    expect: Expected
    outside: str = ""


class Decoy(Case):
    """Games of which something looks true that is not.

    Attributes
    ----------
    why
        What is deceptive.
    trap
        What holds on the tables that are searched, and fails; empty where nothing in particular does.
    fails
        A position, behind its parameters, at which the trap is wrong.
    nothing
        Whether there is nothing to say, so that all that is said is trivial at best.
    permuted
        Whether the numbers in the tables are permuted, so that they are no game's.
    """

    why: Text
    trap: Expected | None = None
    fails: list[int] = Field(default=[])
    nothing: bool = False
    permuted: bool = False


class File(Model):
    """One file below `benchmarks/known`."""

    targets: list[Target] = Field(default=[])
    decoys: list[Decoy] = Field(default=[])


def load(folder: Path = KNOWN) -> list[Target | Decoy]:
    """Return all targets and decoys, or raise `ConfigError` with file, line and key."""
    found: dict[str, Target | Decoy] = {}
    for path in sorted(folder.glob("*.yaml")):
        file = YamlFile(path).load(File)
        for case in (*file.targets, *file.decoys):
            if case.id in found:
                raise ConfigError(f"{path}: {case.id} is there twice")
            found[case.id] = case
    return list(found.values())
