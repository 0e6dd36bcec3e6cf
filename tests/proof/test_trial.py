"""What is plainly false of a game or a family is refuted at once, at the least position by the definition."""

from dataclasses import dataclass, replace

import pytest

from choco_pipeline import Nim, parse_ruleset
from choco_pipeline.formula import parse
from choco_pipeline.games.rules import Move
from choco_pipeline.proof.for_all import attempt_family
from choco_pipeline.proof.proof_errors import FamilyError
from choco_pipeline.proof.trial import Statement
from choco_pipeline.proof.uniform import parametric_rules

P, G = "p-positions", "grundy"
SUM = "solid-bar(f=(x+z)//k)"
MORE = "solid-bar(f=(x+z+c)//k)"
STEP = "step-bar(k=k, s=s)"
EVEN_STEPS = "k % 2 == 0 and s < k"


def least(statement, values, bound):
    """Return the least position up to a bound at which a statement is false, by the definition of the game; None without one."""
    game = parse_ruleset(statement.ruleset, values)
    relation, where = parse(statement.relation), parse(statement.where or "0 == 0")
    for position in sorted(game.positions(bound), key=lambda q: (max(q), q)):
        value = game.grundy(position)
        at = {**values, **dict(zip(game.coordinates, position, strict=True))}
        if where.value(at) and relation.value(at) != (value == 0 if statement.kind == P else value):
            return position
    return None


@pytest.mark.parametrize(
    "statement",
    [
        Statement("solid-bar(f=(x+2*z)//3)", "", "x == 5", P, ""),
        Statement("game(wythoff)", "", "a == b", P, ""),
        Statement("nim(1)", "", "a // 20", G, ""),
        Statement("with-pass(step-bar(k=2))", "", "y == z and p == 0", P, ""),
        Statement("sum(nim(1), step-bar(k=2))", "", "a == z", P, ""),
        Statement("step-bar(k=41)", "", "y ^ z", G, "y <= 1 and z >= 0"),
        Statement(SUM, "k >= 1", "x * z == y", P, ""),
        Statement(SUM, "k % 4 == 3 or k == 30", "x ^ y ^ z == 0", P, ""),
        Statement(SUM, "k % 4 == 2", "x ^ y ^ z == 0", P, "x <= k//2 + 1 and z <= k//2"),
        Statement(MORE, "k == 41 and c == 43", "(x+c//2) ^ y ^ (z+c//2) == 0", P, ""),
        Statement(STEP, f"{EVEN_STEPS} or k == 64 and s == 65", "(y ^ (z+s)) - s", G, ""),
        Statement(STEP, "k % 2 == 0", "(y ^ (z+s)) - s", G, ""),
        Statement("game(whole-cuts, k=k)", "k >= 1", "z - k*y + k//20", G, ""),
        Statement("game(restricted-nim, m=m)", "m >= 1", "a ^ b ^ c == 0", P, ""),
        Statement("nim(1)", "k >= 0", "a + k//50", G, ""),
    ],
    ids=lambda statement: f"{statement.ruleset}: {statement.relation}",
)
def test_what_is_plainly_false_is_refuted_at_the_least_position(statement):
    wrong, _ = statement.refutation()
    assert wrong.position == least(statement, wrong.parameters, max(wrong.position))
    assert not statement.condition or parse(statement.condition).value(wrong.parameters)


def test_whole_bars_are_tried_by_row_and_column_of_the_poisoned_cell():
    game = parse_ruleset("rectangular-bar(m=5, n=4)")
    wrong, _ = Statement(game.notation, "", "i == j", P, "").refutation()
    places = [(i, j) for i in range(1, 6) for j in range(1, 5)]
    false = [
        (i, j) for i, j in places if game.is_p_position((i - 1, 5 - i, j - 1, 4 - j)) != (i == j)
    ]
    assert wrong.position == min(false, key=lambda q: (max(q), q))


@pytest.mark.parametrize("condition", ["k % 4 == 3 or k == 1002", "k % 4 == 3 or k + 1 == 1003"])
def test_large_members_that_constants_single_out_are_refuted(condition):
    wrong, _ = Statement(SUM, condition, "x ^ y ^ z == 0", P, "").refutation()
    assert (wrong.parameters, wrong.position) == ({"k": 1002}, (501, 1, 502))


@pytest.mark.parametrize(
    "statement",
    [
        Statement("nim(3)", "", "a ^ b ^ c", G, ""),
        Statement(SUM, "k % 4 == 3", "x ^ y ^ z == 0", P, ""),
        Statement(STEP, EVEN_STEPS, "(y ^ (z+s)) - s", G, ""),
        Statement(SUM, "k % 4 == 2", "x ^ y ^ z == 0", P, "x <= k//2 and z <= k//2"),
        Statement(SUM, "k >= 1", "x//0 == 1", P, ""),
        Statement("nim(x)", "x >= 0", "a == 0", G, ""),
        Statement("nim(2)", "a >= 0", "a == 1", P, ""),
    ],
    ids=lambda statement: f"{statement.ruleset}: {statement.relation}",
)
def test_what_is_true_or_no_statement_is_not_refuted(statement):
    wrong, _ = statement.refutation()
    assert wrong is None


def test_a_family_without_obligations_is_refuted_or_refused():
    found = attempt_family("game(wythoff)", "k >= 0", "a == b + k", P, "", 10, 4, None)
    assert (found["status"], found["parameters"], found["position"]) == (
        "refuted",
        {"k": 0},
        [1, 1],
    )
    with pytest.raises(FamilyError, match="several coordinates"):
        attempt_family(
            "game(wythoff)",
            "k >= 0",
            "(a == 0 and b == 0) or a == 1 and b == 2 or a == 2 and b == 1",
            P,
            "a + b <= 3",
            10,
            4,
            None,
        )


@dataclass(frozen=True)
class LaterMove(Move):
    """A move of a later day, which says more of it than anyone here knows."""

    sideways: bool = False


@pytest.mark.parametrize("sideways", [False, True])
def test_a_move_with_an_unknown_field_is_refused(sideways):
    game = Nim(2)
    moves = tuple(LaterMove(move.lowers, sideways=sideways) for move in game.rules.moves)
    vars(game)["rules"] = replace(game.rules, moves=moves)
    if not sideways:
        parametric_rules._require_supported(game)
        return
    with pytest.raises(FamilyError, match="a move of a has a condition"):
        parametric_rules._require_supported(game)
