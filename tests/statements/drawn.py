"""Statements drawn as trees, in the form in which the parser returns them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from choco_pipeline.formula import parse, parse_range
from choco_pipeline.games import Ruleset, parse_ruleset
from choco_pipeline.games.notation import as_written
from choco_pipeline.statements import tree

GAMES: dict[str, Ruleset] = {
    text: parse_ruleset(text)
    for text in (
        "nim(2)",
        "nim(3)",
        "step-bar(k=1, s=0)",
        "solid-bar(f=(x+z)//3)",
        "with-pass(nim(2), passes=1)",
        "game(wythoff)",
        "rectangular-bar(m=2, n=3)",
    )
}
PRINTED = ((0, 1, 2), (1, 0, 3), (2, 2))
#: A parameter of every drawn statement.
K = 2


@dataclass(frozen=True)
class Scope:
    """What may be named at a place of a statement."""

    game: Ruleset
    integers: tuple[str, ...]
    has_option: bool = False
    depth: int = 3
    variables: int = 0

    @property
    def deeper(self) -> Scope:
        """The same one level deeper."""
        return replace(self, depth=self.depth - 1)

    def with_name(self) -> tuple[str, Scope]:
        """Return a new name, and the scope in which it has a value."""
        name = f"n{self.variables}"
        integers = (*self.integers, name)
        return name, replace(self, integers=integers, variables=self.variables + 1)


def scope_of(game: Ruleset) -> Scope:
    return Scope(game, (*game.coordinates, "size", "k"))


@st.composite
def integers(draw: st.DrawFn, scope: Scope, *, pure: bool = False) -> tree.Expression:
    """Draw an integer, with game terms in it unless it must be `pure`."""
    return draw(_formulas(scope, ["{}", "{}+{}", "{}-{}", "{} ^ {}", "{}*2", "{}//{}"], pure))


@st.composite
def conditions(draw: st.DrawFn, scope: Scope) -> tree.Expression:
    shapes = ["{} == {}", "{} <= {}", "{} < {}+1", "{} ^ {} == {}", "({}+{}) % 2 == 0", "{} != {}"]
    return draw(_formulas(scope, shapes, False))


@st.composite
def _formulas(draw: st.DrawFn, scope: Scope, shapes: list[str], pure: bool) -> tree.Expression:
    shape = draw(st.sampled_from(shapes))
    names, filled = dict[str, tree.Term](), list[str]()
    for _ in range(shape.count("{}")):
        is_term = not pure and draw(st.integers(0, 2)) == 0
        if is_term:
            term = draw(terms(scope.deeper))
            names[tree.term_text(term)] = term
            filled.append(f"t{[*names].index(tree.term_text(term))}")
        else:
            filled.append(draw(st.sampled_from(scope.integers) | st.integers(0, 3).map(str)))
    formula = parse(shape.format(*filled))
    formula = formula.rename_all({f"t{i}": name for i, name in enumerate(names)})
    return tree.Expression(formula, tuple(names.items()))


@st.composite
def terms(draw: st.DrawFn, scope: Scope) -> tree.Term:
    kinds = ["grundy", "printed"]
    kinds += ["primed"] * 4 if scope.has_option else []
    kinds += ["count"] if scope.depth > 0 else []
    match draw(st.sampled_from(kinds)):
        case "grundy":
            return tree.Grundy(draw(places(scope)))
        case "printed":
            return tree.Printed(draw(integers(scope, pure=True)), draw(integers(scope, pure=True)))
        case "primed":
            return tree.Primed(draw(st.sampled_from(scope.game.coordinates)))
        case _:
            bindings, body = draw(bound(scope, "count"))
            return tree.Count(bindings, body)


@st.composite
def places(draw: st.DrawFn, scope: Scope) -> tree.Place:
    match draw(st.sampled_from(["here", "here", "at", "there", "option"])):
        case "option" if scope.has_option:
            return tree.Place(primed=True)
        case "at":
            return tree.Place(draw(tuples(scope)))
        case "there":
            text, size = draw(
                st.sampled_from([("nim(2)", 2), ("step-bar(k=k, s=1)", 2), ("nim(1)", 1)])
            )
            at = tuple(draw(_coordinates(scope)) for _ in range(size))
            return tree.Place(at, as_written(text))
        case _:
            return tree.Place()


def _coordinates(scope: Scope) -> st.SearchStrategy[tree.Expression]:
    """Draw integers that are coordinates of a position rather often."""
    names = st.sampled_from([*scope.game.coordinates, "0", "1"])
    return names.map(lambda text: tree.Expression(parse(text))) | integers(scope, pure=True)


def tuples(scope: Scope) -> st.SearchStrategy[tuple[tree.Expression, ...]]:
    return st.tuples(*(_coordinates(scope) for _ in scope.game.coordinates))


@st.composite
def bound(draw: st.DrawFn, scope: Scope, word: str) -> tuple[tuple, tree.Proposition]:
    """Draw what a quantifier or a count binds, and what it says then; positions with a limit."""
    bindings: list[tree.InRange | tree.OfPosition | tree.OfOption] = []
    inner, limit = scope.deeper, None
    for kind in draw(
        st.lists(st.sampled_from(["range", "position", "option"]), min_size=1, max_size=2)
    ):
        match "range" if kind == "option" and inner.has_option else kind:
            case "range":
                texts = [
                    "0..2",
                    f"0..{inner.integers[-1]}",
                    "1..k+2 step 2",
                    "0..size",
                    inner.integers[0],
                ]
                span = parse_range(draw(st.sampled_from(texts)))
                name, inner = inner.with_name()
                bindings.append(tree.InRange(name, span, draw(st.integers(0, 5)) == 0))
            case "position":
                inner, limit = replace(inner, has_option=False), tree.Expression(parse("size <= k"))
                bindings.append(tree.OfPosition())
            case _:
                by = draw(
                    st.lists(st.sampled_from(scope.game.coordinates), max_size=2, unique=True)
                )
                inner = replace(inner, has_option=True)
                bindings.append(tree.OfOption(tuple(by)))
                break
    body = draw(propositions(inner))
    if limit is not None:
        body = tree.Implies(limit, body) if word == "every" else tree.joined("and", [limit, body])
    return tuple(bindings), body


@st.composite
def propositions(draw: st.DrawFn, scope: Scope) -> tree.Proposition:
    leaves = ["condition", "condition", "P", "option", "printed"]
    inner = ["not", "and", "or", "implies", "equivalent", "quantified", "quantified", "let", "at"]
    kind = draw(st.sampled_from(leaves if scope.depth <= 0 else [*leaves, *inner, *inner]))
    part = propositions(scope.deeper)
    match kind:
        case "condition":
            return draw(conditions(scope))
        case "P":
            return tree.PPosition(draw(places(scope)))
        case "option":
            return tree.IsOption(draw(tuples(scope)))
        case "printed":
            size = draw(st.integers(1, 3))
            return tree.IsPrinted(tuple(draw(integers(scope, pure=True)) for _ in range(size)))
        case "not":
            return tree.negated(draw(part))
        case "and" | "or":
            return tree.joined(kind, draw(st.lists(part, min_size=2, max_size=3)))
        case "implies":
            return tree.Implies(draw(part), draw(part))
        case "equivalent":
            return tree.Equivalent(tuple(draw(st.lists(part, min_size=2, max_size=3))))
        case "quantified":
            word = draw(st.sampled_from(["every", "some", "no"]))
            return tree.Quantified(word, *draw(bound(scope, word)))
        case "let":
            value = draw(
                integers(scope) | st.just(tree.Expression(parse(f"6//{scope.integers[0]}")))
            )
            name, known = scope.with_name()
            return tree.Let(name, value, draw(propositions(known.deeper)))
        case _:
            inside = replace(scope.deeper, has_option=False)
            return tree.At(draw(tuples(scope)), draw(propositions(inside)))


@st.composite
def statements(draw: st.DrawFn, game: Ruleset) -> tree.Proposition:
    """Draw a whole statement about a game."""
    scope = scope_of(game)
    match draw(st.sampled_from(["plain"] * 4 + ["cells", "set"])):
        case "plain":
            return draw(propositions(scope))
        case "cells":
            names = tuple(f"q{i}" for i in range(len(game.coordinates)))
            cell = tree.IsOption(tuple(tree.Expression(parse(name)) for name in names))
            inner = replace(scope, integers=(*scope.integers, *names), depth=1)
            said = draw(propositions(inner))
            both = draw(st.sampled_from([tree.Equivalent, lambda two: tree.Implies(*two)]))(
                (cell, said)
            )
            return tree.Quantified("every", (tree.OfCell(names),), both)
        case _:
            members = st.sampled_from(["v >= 0", "v % k == 0", "v <= 3", "v == 1 or v == 2"])
            return tree.ValueSet(
                draw(integers(scope)),
                draw(propositions(scope.deeper)),
                draw(st.sampled_from(["==", "<=", ">="])),
                "v",
                tree.Expression(parse(draw(members))),
            )
