"""Rules on pictures, tried in large tables, and compared with what the definition of the game says in small ones."""

from __future__ import annotations

from itertools import product

import pytest

from choco_pipeline.finding.judge.far_pictures import is_right_to
from choco_pipeline.games import parse_ruleset
from choco_pipeline.mining.task import mine_table
from choco_pipeline.tables.computing.in_memory import table


def rules(notation, bound=63):
    game = parse_ruleset(notation)
    data = table(game, bound, "p-positions")
    found = mine_table(["cellular", "blocks"], game, bound, "p-positions", data)
    return [one for one in found if not one.nothing]


def is_right_by_definition(finding, bound):
    """Whether a rule is right at every cell, with the game's own definition of its positions and outcomes."""
    game = parse_ruleset(finding.ruleset).base
    box = list(product(range(bound + 1), repeat=3))

    def position(cell):
        return tuple(cell[finding.axes.index(name)] for name in game.coordinates)

    legal = {cell for cell in box if game.is_position(position(cell))}
    p = {cell for cell in legal if game.is_p_position(position(cell))}

    def moved(cell, steps, sign):
        return tuple(n + sign * step for n, step in zip(cell, steps, strict=True))

    if finding.kind == "blocks":
        for relation in finding.relations:
            for half in product(range(bound // 2 + 1), repeat=3):
                cell = moved(relation.residue, [2 * n for n in half], 1)
                if cell in legal and cell[0] >= finding.begins:
                    said = sum(moved(half, steps, 1) in p for _, *steps in relation.terms)
                    if said % 2 != (cell in p):
                        return False
        return True
    for cell in product(range(-3, bound + 1), repeat=3):
        terms = [moved(cell, steps, -1) for _, *steps in finding.terms]
        is_meant = {
            "everywhere": True,
            "positions": cell in legal,
            "inside": all(one in legal for one in [cell, *terms]),
        }[finding.where]
        if not is_meant or any(max(one) > bound for one in terms):
            continue
        wrong = sum(one in p for one in [cell, *terms]) % 2 == 1
        if wrong and cell not in (finding.exceptions or ()):
            return False
    return True


@pytest.mark.parametrize("where", ["everywhere", "positions", "inside"])
def test_a_rule_is_right_as_far_as_the_definition_says(where):
    """The rules of Nim, tried in bars where they begin to be wrong: of k = 4 at 8, of k = 3 nowhere."""
    cellular, blocks = rules("nim(3)")
    outcomes = set()
    for k, bound in product((2, 3, 4), (5, 7, 8, 9, 11)):
        axes = ("z", "x", "y")
        own = {"ruleset": f"solid-bar(f=(x+z)//{k})", "axes": axes}
        for rule in (
            cellular.model_copy(update={**own, "where": where}),
            blocks.model_copy(update=own),
        ):
            expected = is_right_by_definition(rule, bound)
            assert is_right_to(rule, bound) == expected, (rule.text, k, bound)
            outcomes.add((rule.kind, expected))
    assert {("blocks", True), ("blocks", False), ("cellular", False)} <= outcomes


@pytest.mark.parametrize(("k", "first"), [(16, 121), (32, 497)])
def test_a_rule_that_is_wrong_far_away_is_right_up_to_there_and_no_further(k, first):
    """The nim-sum of a P-position is first not 0 at 128 and 512; its cell is looked at by (120, 121, 15) and (496, 497, 31)."""
    rule = rules(f"solid-bar(f=(x+z)//{k})")[0]
    assert rule.where == "positions"
    assert is_right_to(rule, first - 1)
    assert is_right_to(rule, first) is False


@pytest.mark.parametrize("notation", ["nim(3)", "strip-bar(k=2, s=0)", "solid-bar(f=(x+z)//5)"])
def test_neighbours_of_a_right_rule_are_wrong(notation):
    for rule in rules(notation):
        assert is_right_to(rule, 300)
        if rule.kind == "blocks":
            first, *others = rule.relations
            changed = [
                first.model_copy(update={"terms": ()}),
                first.model_copy(update={"terms": ((0, 0, 0, 1),)}),
            ]
            near = [rule.model_copy(update={"relations": (one, *others)}) for one in changed]
        else:
            near = [rule.model_copy(update={"terms": rule.terms[1:]})]
            near.append(rule.model_copy(update={"terms": (*rule.terms, (0, 2, 0, 0))}))
        assert not any(is_right_to(one, 300) for one in near)


def test_of_pictures_with_other_pictures_beside_them_nothing_is_told():
    (rule, _) = rules("nim(3)")
    beside = rule.model_copy(update={"terms": ((1, 0, 0, 0), *rule.terms)})
    assert is_right_to(beside, 40) is None
    assert is_right_to(rule.model_copy(update={"terms": ()}), 40) is None
