"""Statements of every shape with a judge of its own are recognised, and judged as their evaluation says."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.claims.checks.check import check_claim
from choco_pipeline.claims.checks.evaluation import Board, Evaluation
from choco_pipeline.claims.checks.judgement import judge
from choco_pipeline.claims.language.catalogue import mistakes_in
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Refuted, Undecided
from choco_pipeline.games import parse_ruleset
from choco_pipeline.statements.tree import ValueSet
from choco_pipeline.tables.computing import table
from tests.claims.claims import conditions, integer_formulas
from tests.formula.drawn import unhurried

#: With one coordinate that can fall, with two, with none, of finitely many positions, with a pass.
GAMES = {
    "nim(2)": 5,
    "nim(3)": 4,
    "step-bar(k=1, s=1)": 6,
    "solid-bar(f=(x+z)//2)": 4,
    "with-pass(step-bar(k=2, s=0), passes=1)": 5,
    "sum(step-bar(k=2, s=0), step-bar(k=1, s=0))": 3,
    "rectangular-bar(m=2, n=3)": 3,
    "game(wythoff)": 5,
}


def claim_of(ruleset, statement, **more):
    document = {"id": "drawn", "ruleset": ruleset, "statement": statement, **more}
    return Claim.from_json({key: value for key, value in document.items() if value is not None})


def by_evaluation(claim, game, bound):
    """Return the verdict on a claim as it is written, without anything that is recognised in it."""
    known, said, reach = claim.environment({}), claim.proposition, None
    if isinstance(claim.parts.rest, ValueSet):  # whether all its values are known, the reach says
        said = claim.parts.rest
        reach = None if claim.reach is None else int(claim.reach.value(known))
    board = Board(game, claim.is_of_whole_bars)
    return judge(said, Evaluation(board, bound, known, claim.statement.printed), reach).verdict


def require_same(claim, game, bound):
    quantity = claim.quantities[0]
    found = check_claim(claim, {}, game, bound, table(game, bound, quantity)).verdict
    expected = by_evaluation(claim, game, bound)
    if isinstance(expected, Undecided):
        return
    assert isinstance(found, Refuted) == isinstance(expected, Refuted), (found, expected)
    if isinstance(found, Refuted) and isinstance(expected, Refuted):
        positions = [one.counterexample.position for one in (found, expected)]
        if game.notation.startswith("rectangular") and claim.is_of_whole_bars:
            return  # one names the poisoned cell, the other the heaps
        assert positions[0] == positions[1] or None in positions


SHAPES = {
    "P <=> {c}": "p-positions",
    "{c} <=> P": "p-positions",
    "{c} => P": "p-positions",
    "P => {c}": "p-positions",
    "({d}) and P => {c}": "p-positions",
    "{d} => (P <=> {c})": "p-positions",
    "{d} => ({c} => P)": "p-positions",
    "size <= 3 => (P <=> {c})": "p-positions",
    "G == {i}": "grundy",
    "{i} == G": "grundy",
    "{d} => G == {i}": "grundy",
    "size <= 3 and ({d}) => G == {i}": "grundy",
    "{{{i}: P}} == {{v: v >= 0}}": "values",
    "{{{i}: P and ({d})}} <= {{w: w % 2 == 0}}": "values",
    "{{{i}: P and size <= 2}} == {{0..2, 4}}": "values",
    "let n = 3: {{{i}: P and size <= n}} <= {{w: 0 <= w <= n}}": "values",
    "{{{i}: P and size <= 2}} >= {{v: v == 0 or v == 5}}": "values",
    "count(position: P and size <= 3 and ({c})) == 2": "count",
    "count(position: size <= 3 and G == {i}) == 5": "count",
    "count(position, n in 0..{x}: size <= 2 and n == {y}) == 6": "count",
    "{c} => no option: {p}": "statement",
    "{c} => some option: {p}": "statement",
    "every option: {p}": "statement",
    "size <= 2 => some option: {p}": "statement",
    "{c} => no option by {y}: {p}": "statement",
    "option({n}) <=> {o}": "statement",
    "option({n}) => {o}": "statement",
    "{o} => option({n})": "statement",
}
#: What does not have the shape of a check with a judge of its own, though it looks like one.
OTHERS = [
    "G == {i} + G({z})",
    "let grundy = 1: G == grundy + 1 => P",
    "size <= {x} => (P <=> {c})",
    "size <= 3 => count(position: P and size <= 2) == 3",
    "count(position: P and size <= 2) <= 3",
    "count(position: P and size <= 2 and size > 0) == 2",
    "count(position, n in 0..2: size <= n and P) == 5",
    "{c} => no option: {x}' < {x}",
    "{{G: {c}}} == {{v: v >= 0}}",
    "{{{i}: size <= 2}} == {{v: 0 <= v <= 2}}",
    "let s = {x}: P <=> s == {y}",
    "let v = 3: {{{i}: P and size <= 2}} <= {{w: 0 <= w <= v}}",
    "let v = 3: {{{i}: P and size <= 2}} <= {{w: 0 <= w <= 3}}",
    "let g = 1: G == G[nim({m})]({s}) ^ 1",
    "let v = 3: {{{i}: P and size <= 2}} <= {{0..v, 4}}",
    "count(position, grundy in 0..3: size <= 2 and G == grundy) == 9",
    "let grundy = 1: count(position: size <= 2 and G == grundy) == 3",
    "P",
    "not P",
    "{c} <=> P <=> {d}",
]


@st.composite
def filled(draw, shape, game):
    names = list(game.coordinates)
    new = [f"q{i}" for i in range(len(names))]
    primed = re.sub(rf"\b({'|'.join(names)})\b", r"\1'", draw(conditions(names)))
    return shape.format(
        c=f"({draw(conditions(names))})",
        d=draw(conditions(names)),
        i=f"({draw(integer_formulas(names))})",
        p=f"({primed})",
        o=f"({draw(conditions([*names, *new]))})",
        n=", ".join(new),
        m=len(names),
        s=", ".join(names),
        x=names[0],
        y=names[-1],
        z=", ".join(["0"] * len(names)),
    )


@given(
    data=st.data(),
    shape=st.sampled_from([*SHAPES, *OTHERS]),
    ruleset=st.sampled_from(sorted(GAMES)),
)
@unhurried
def test_a_recognised_statement_is_judged_as_it_is_evaluated(data, shape, ruleset):
    game = parse_ruleset(ruleset)
    claim = claim_of(ruleset, data.draw(filled(shape, game)))
    if not list(mistakes_in(claim)):
        assert (claim.check.kind == SHAPES.get(shape, "statement")) or claim.is_of_whole_bars
        require_same(claim, game, GAMES[ruleset])


PRINTED = [[0, 1, 2, 3], [1, 0, 3, 2]]


@pytest.mark.parametrize(
    ("statement", "printed", "kind"),
    [
        ("a <= 1 and b <= 3 => G == printed(a, b)", PRINTED, "statement"),
        ("G(1, 2) == 3 and G(2, 3) == 1", [], "grundy-list"),
        ("G(1, 2) == 3 and G(2, 3) == 2", [], "grundy-list"),
        ("size <= 2 => (P <=> (a, b) in printed)", [[0, 0], [1, 1], [2, 2]], "statement"),
        ("size <= 2 => (P <=> (a, b) in printed)", [[0, 0], [2, 2]], "statement"),
        ("size <= 2 => (P <=> (a, b) in printed)", [[0, 0], [1, 1], [1, 2], [2, 2]], "statement"),
        ("size <= 2 => (P <=> (a, b) in printed)", [[0, 0], [1, 1], [2, 2], [3, 4]], "statement"),
        ("size <= 2 => (P <=> (b, a) in printed)", [[0, 0], [1, 1], [2, 2]], "statement"),
        ("P <=> P[nim(3)](a, b, 0)", [], "related"),
        ("P <=> P[nim(3)](a, b, 1)", [], "related"),
        ("size <= 1 => (P <=> P[nim(3)](a, b, a // 2))", [], "related"),
        ("G == G[nim(3)](a, b, 1) ^ 1", [], "related"),
        ("a > 0 => G == G[step-bar(k=1)](a, b)", [], "related"),
        ("size <= 3 => G == G[nim(3)](a, b, a // 4)", [], "related"),
    ],
)
def test_printed_numbers_and_other_games(statement, printed, kind):
    claim = claim_of("nim(2)", statement, printed=printed)
    assert claim.check.kind == kind
    require_same(claim, parse_ruleset("nim(2)"), 6)


@pytest.mark.parametrize("name", ["v", "g", "grundy"])
@pytest.mark.parametrize(
    ("statement", "is_true"),
    [
        ("let w = 3: count(position: size <= w and P) == w + 1", True),
        ("let w = 3: count(position: size <= w and P) == w", False),
        ("let w = 3: count(position: size <= w and G == w) == 4", True),
        ("let w = 1: {a + w: P and size <= 5} == {1..6}", True),
        ("let w = 1: {a + w: P and size <= 5} >= {0}", False),
        ("let w = 0: G + w == G[nim(2)](b, a)", True),
    ],
)
def test_a_definition_may_have_a_name_that_recognised_formulas_use(name, statement, is_true):
    game, verdicts = parse_ruleset("nim(2)"), []
    for text in (statement, re.sub(r"\bw\b", name, statement)):
        claim = claim_of("nim(2)", text)
        data = table(game, 6, claim.quantities[0])
        verdicts.append(check_claim(claim, {}, game, 6, data).verdict)
    assert [isinstance(one, Refuted) for one in verdicts] == [not is_true] * 2
    assert [isinstance(one, Undecided) for one in verdicts] == [False] * 2
    assert type(verdicts[0]) is type(verdicts[1])
