"""Claims for tests: made from plain data, and what they say by definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.claims_file import Entry
from choco_pipeline.formula import Formula
from choco_pipeline.games import Position, RectangularBar, Ruleset
from choco_pipeline.statements.tree import OfCell, text_of, walk
from choco_pipeline.tables.spec import Quantity

Key = tuple[int, Position]


def claim_on(game: Ruleset, statement: str, *, reach: int | None = None) -> Claim:
    """Return a claim on one ruleset, which must be free of mistakes."""
    text = statement if reach is None else f"size <= {reach} => ({statement})"
    claim = Claim.from_json({"id": "drawn", "ruleset": game.notation, "statement": text})
    assert list(mistakes_in(claim)) == []
    return claim


def claim_for_all(ruleset: str, condition: str, statement: str, **more: Any) -> Claim:
    """Return a claim that is decided for all parameters with a condition; `when` can widen it."""
    game = {"id": "drawn", "ruleset": ruleset, "when": condition, "for_all": condition}
    return Claim.from_json({**game, "statement": statement, **more})


def of_p_positions(formula: str) -> str:
    return f"P <=> {formula}"


def entry_from(document: Mapping[str, Any]) -> Claim:
    """Return the claim of a catalogue."""
    entry = {"number": "1", "status": "theorem", "words": "Words.", **document}
    return Claim(Entry.model_validate(entry), None)


def reworded(claim: Claim, old: str, new: str) -> Claim:
    """Return a claim with a change in the canonical text of its statement."""
    text = text_of(claim.proposition)
    assert old in text, text
    changed = claim.statement.model_copy(update={"statement": text.replace(old, new)})
    return Claim(changed, claim.paper)


def is_about_cells(claim: Claim) -> bool:
    """Whether each position is compared with each cell of a box."""
    return claim.statement.check is None and any(
        isinstance(part, OfCell) for part in walk(claim.proposition)
    )


def on_integers(bound: int = 6, **parts: Any) -> Claim:
    """Return the claim of a statement on integers that is given by its parts; it must be free of mistakes."""
    claim = Claim.from_json({"id": "drawn", "statement": of_integers(parts), "bound": bound})
    assert list(mistakes_in(claim)) == []
    return claim


def of_integers(parts: Mapping[str, Any]) -> str:
    """Return the text of a statement on integers: ranges, definitions, premises, and what it says of them."""
    listed = parts.get("listed", [])
    ranges = (f"{n} in {'sample ' * (n in listed)}{span}" for n, span in parts["all"].items())
    conclusions = [f"({one})" for one in _listed(parts.get("holds", []))]
    if parts.get("any"):
        conclusions.append(f"({' or '.join(parts['any'])})")
    if parts.get("equivalent"):
        conclusions.append(f"({' <=> '.join(parts['equivalent'])})")
    if number := parts.get("number"):
        counted = ", ".join(f"{n} in {span}" for n, span in number["of"].items())
        condition = _defined(number.get("let", {})) + number["such"]
        sign, value = ("==", number["exactly"]) if "exactly" in number else (">=", number["least"])
        conclusions.append(f"count({counted}: {condition}) {sign} {value}")
    where = [f"({one})" for one in _listed(parts.get("where", []))]
    before = f"for {', '.join(ranges)}: {_defined(parts.get('let', {}))}"
    return before + (f"{' and '.join(where)} => " if where else "") + " and ".join(conclusions)


def _defined(let: Mapping[str, Any]) -> str:
    return f"let {', '.join(f'{name} = {value}' for name, value in let.items())}: " if let else ""


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def formula_names(game: Ruleset, *, whole_bars: bool) -> list[str]:
    """Return the coordinates as formulas name them."""
    if whole_bars and isinstance(game.base, RectangularBar):
        return ["i", "j", *game.coordinates[4:]]
    return list(game.coordinates)


def domain(
    game: Ruleset, bound: int, quantity: Quantity
) -> Iterator[tuple[Position, dict[str, int]]]:
    """Yield the positions that a table of this quantity speaks of, and their coordinates by name."""
    base, passes = game.base, game.passes
    if isinstance(base, RectangularBar) and quantity == "p-positions":
        for i in range(1, base.m + 1):
            for j in range(1, base.n + 1):
                for p in range(passes + 1):
                    more = {"p": p} if passes else {}
                    yield (*base.whole(i, j), *more.values()), {"i": i, "j": j, **more}
    else:
        for position in game.positions(bound):
            yield position, dict(zip(game.coordinates, position, strict=True))


def key_of(game: Ruleset, position: Position) -> Key:
    """Return what counterexamples are ordered by."""
    return max(position[: len(game.base.coordinates)]), position


def holds(formula: Formula | None, named: dict[str, int]) -> bool:
    """Return whether a condition holds at one place; no condition always does."""
    return formula is None or bool(formula.value(named))


@st.composite
def integer_formulas(draw: st.DrawFn, names: list[str]) -> str:
    """Draw an integer formula like those of the papers."""
    shifts = [draw(st.integers(-2, 3)) for _ in names]
    terms = [
        f"({name}{shift:+d})" if shift else name for name, shift in zip(names, shifts, strict=True)
    ]
    nim_sum = " ^ ".join(terms)
    first, last = names[0], names[-1]
    return draw(
        st.sampled_from(
            [
                nim_sum,
                f"({nim_sum}) - 1",
                f"({nim_sum}) % 3",
                f"max({first}, {last})",
                f"{first}*{last}",
                f"{last}//2",
            ]
        )
    )


@st.composite
def value_sets(draw: st.DrawFn, names: list[str]) -> str:
    """Draw a statement on the values of a formula at P-positions."""
    members = draw(st.sampled_from(["v >= 0", "v % 3 != 1", "v < 4"]))
    sign = draw(st.sampled_from(["==", "<=", ">="]))
    return f"{{{draw(integer_formulas(names))}: P}} {sign} {{v: {members}}}"


@st.composite
def conditions(draw: st.DrawFn, names: list[str]) -> str:
    """Draw a condition: an equation that can be solved for a coordinate, one that cannot, or several."""
    left, right = draw(integer_formulas(names)), draw(integer_formulas(names))
    number = draw(st.integers(-1, 4))
    first, last = names[0], names[-1]
    return draw(
        st.sampled_from(
            [
                f"{left} == {number}",
                f"({left}) ^ ({right}) == 0",
                f"{first} == {number} or ({left}) == {last}",
                f"{left} == 0 or {right} == 0 or {first} == {last}",
                f"not ({left}) < {number}",
                f"({left}) % 2 == 0 and {last} > {number}",
            ]
        )
    )
