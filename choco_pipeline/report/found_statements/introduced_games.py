"""How a sentence introduces the games that it speaks of, as a paper does: "Let f(x, z) = ⌊x/2⌋. In CB(f, x, y, z)"."""

from __future__ import annotations

from dataclasses import dataclass

from choco_pipeline.formula import Formula
from choco_pipeline.formula.written.typeset import MathNotation, typeset
from choco_pipeline.games.notation import Notation


@dataclass(frozen=True)
class Phrase:
    """A piece of a sentence: words, or a formula in some notation."""

    text: str
    is_formula: bool = False


def introduced(pattern: Notation, notation: MathNotation) -> list[Phrase]:
    """Return the beginning of a sentence on games, up to where a condition or a comma may follow.

    Parameters
    ----------
    pattern
        The games, in which names may stand for integers.
    notation
        Of the formulas.
    """
    lets, game = _game(pattern, notation)
    begins = [
        phrase for let in lets for phrase in (Phrase("Let "), Phrase(let, True), Phrase(". "))
    ]
    return [*begins, Phrase("In "), *game]


def _game(pattern: Notation, notation: MathNotation) -> tuple[list[str], list[Phrase]]:
    """Return functions that are to be named before a game, and what it is called."""
    arguments = dict(pattern.arguments)
    inner = [part for part in arguments.values() if isinstance(part, Notation)]
    numbers = {key: number for key, number in arguments.items() if isinstance(number, Formula)}

    def formula(key: str) -> str:
        return typeset(numbers[key], notation)

    x, y, z, f = (notation.name(letter, "") for letter in "xyzf")
    match pattern.name:
        case "solid-bar" if "f" in numbers:
            named = [notation.function("f", [x, z]), notation.sign("=="), formula("f")]
            is_any = numbers["f"].text == "f"
            lets = [] if is_any else [notation.row(named)]
            return lets, [Phrase(notation.function("CB", [f, x, y, z]), True)]
        case "step-bar" | "strip-bar":
            bar = notation.function("CB", [formula("s"), formula("k"), y, z])
            strip = (
                [Phrase(" with a strip "), Phrase(x, True)] if pattern.name == "strip-bar" else []
            )
            return [], [Phrase(bar, True), *strip]
        case "rectangular-bar":
            return [], [Phrase(notation.function("C", [formula("m"), formula("n")]), True)]
        case "nim":
            words = {"1": " heap"}.get(numbers["heaps"].text, " heaps")
            return [], [Phrase("Nim with "), Phrase(formula("heaps"), True), Phrase(words)]
        case "with-pass":
            lets, game = _game(inner[0], notation)
            joined = " and " if inner[0].name == "strip-bar" else " with "
            if numbers["passes"].text == "1":
                return lets, [*game, Phrase(f"{joined}a pass")]
            return lets, [*game, Phrase(joined), Phrase(formula("passes"), True), Phrase(" passes")]
        case "sum":
            (more, first), (others, second) = (_game(part, notation) for part in inner)
            lets = list(dict.fromkeys([*more, *others]))
            return lets, [Phrase("the sum of "), *first, Phrase(" and "), *second]
        case _:
            return [], [Phrase(pattern.text)]
