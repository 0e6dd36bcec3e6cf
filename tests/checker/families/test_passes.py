"""The hypothesis of the lemma on one pass, and the members of families with passes, against the definition."""

import pytest

from choco_pipeline.games.notation import parse_ruleset
from tests.checker.families.named import certificate
from tests.checker.families.program import families

PASSED = "with-pass({}, passes=r+1)"
OWN = {
    "game": "own",
    "parameters": {"k": 2, "s": 0},
    "coordinates": ["a", "b", "c"],
    "heights": {"b": "(a+s)//k"},
    "moves": [{"lower": [x]} for x in "abc"],
}


def family_of(ruleset, game, kind="grundy"):
    data = {**certificate("passed numbers"), "ruleset": PASSED.format(ruleset), "games": {"own": game}}  # fmt: skip
    formula = " ^ ".join(parse_ruleset(ruleset, {"k": 1, "s": 0}, games={"own": game}).coordinates)
    data |= {"for": "k + s + r >= 0", "without_passes": formula}
    data |= {"relation": {"kind": kind, "formula": formula}}
    if kind != "grundy":
        data |= {"relation": {"kind": kind, "formula": f"{formula} == 0"}}
        data |= {"without_passes": f"{formula} == 0"}
    return families.Family(families.formed(data, families.FAMILY, "certificate"))


GAMES = [
    ("step-bar(k=k, s=s)", OWN, "grundy"),
    ("strip-bar(k=k, s=s)", OWN, "p-positions"),
    ("strip-bar(k=k, s=s)", OWN, "grundy"),
    ("solid-bar(f=min(x, z)//k + s)", OWN, "grundy"),
    ("solid-bar(f=max(x//k, z) + s)", OWN, "grundy"),
    ("solid-bar(f=x//k + z//(k+1) + s)", OWN, "grundy"),
    ("sum(step-bar(k=k, s=s), nim(1))", OWN, "p-positions"),
    ("nim(2)", OWN, "p-positions"),
    ("nim(2)", OWN, "grundy"),
    ("game(own, k=k, s=s)", OWN, "p-positions"),
    ("game(own, k=k, s=s)", {**OWN, "moves": [{"lower": ["a"]}, {"lower": ["c"]}]}, "p-positions"),
    ("game(own, k=k, s=s)", {**OWN, "moves": [{"lower": ["a"], "clip": False}, *OWN["moves"][1:]]}, "p-positions"),
    ("game(own, k=k, s=s)", {**OWN, "heights": {"b": "s", "c": "0"}}, "p-positions"),
    ("game(own, k=k, s=s)", {**OWN, "heights": {"b": "0", "c": "a//k"}}, "grundy"),
]  # fmt: skip


@pytest.mark.parametrize(("ruleset", "game", "kind"), GAMES)
def test_the_hypothesis_says_that_zeros_can_be_reached(ruleset, game, kind):
    family = family_of(ruleset, game, kind)
    for k, s in ((1, 0), (2, 0), (2, 1), (3, 2), (2, 2), (1, 3)):
        values = {"k": k, "s": s, "r": 0}
        values = {name: values[name] for name in family.parameters}
        written = {"parameters": {n: {"1": v} for n, v in values.items()}, "conditions": []}
        case = families.Case(family, written)
        wrong = families.both(case.facts, case.stuck())
        assert not families.has_product(wrong)
        member = families.Member(family, values)
        others = [c for c in family.coordinates if c != family.heap]
        free = [at for at in member.positions(7) if at.get(family.heap, 0) == 0]
        reaches = all(
            any(max(option[c] for c in others) == 0 for option in member.options(at))
            for at in free
            if max(at[c] for c in others) > 0
        )
        assert families.unsatisfiable("", wrong) == reaches, values


@pytest.mark.parametrize("limit", [{"by": [1, 2]}, {"at_most": "k"}])
def test_games_with_passes_take_any_amount(limit):
    """The text only-the-end is about moves by any amount."""
    game = {**OWN, "moves": [{"lower": ["a"], **limit}, *OWN["moves"][1:]]}
    with pytest.raises(families.UndecidedError, match="some amounts only"):
        family_of("game(own, k=k, s=s)", game, "p-positions")


@pytest.mark.parametrize("name", ["min", "max", "abs", "v2"])
def test_no_coordinate_is_called_as_a_function(name):
    game = {**OWN, "coordinates": [name, "b", "c"], "heights": {"b": f"{name}//k"}}
    game["moves"] = [{"lower": [x]} for x in game["coordinates"]]
    with pytest.raises((families.UndecidedError, ValueError)):
        families.Family(
            {
                **certificate("passed"),
                "ruleset": "with-pass(game(own, k=k), passes=r)",
                "games": {"own": game},
            }
        )


def test_members_have_the_options_of_the_definition():
    family = family_of("strip-bar(k=k, s=s)", OWN)
    member = families.Member(family, {"k": 2, "s": 1, "r": 2})
    game = parse_ruleset("with-pass(strip-bar(k=2, s=1), passes=3)")
    places = [tuple(at[c] for c in game.coordinates) for at in member.positions(4)]
    assert {*places} == {q for q in game.positions(4) if max(q[0], q[2]) <= 4}
    assert len(places) == 4 * 5 * sum((z + 1) // 2 + 1 for z in range(5))
    for at, place in zip(member.positions(4), places, strict=True):
        options = [tuple(option[c] for c in game.coordinates) for option in member.options(at)]
        assert sorted({*options}) == sorted({*game.options(place)})
    with pytest.raises(ValueError, match="no passes"):
        families.Member(family_of("strip-bar(k=k, s=s)", OWN), {"k": 2, "s": 1, "r": -1})


def test_passes_have_a_name_of_their_own():
    """With a coordinate p the passes left are p2; a parameter has neither name."""
    game = {**OWN, "coordinates": ["a", "b", "p"], "moves": [{"lower": [x]} for x in "abp"]}
    data = {**certificate("passed"), "games": {"own": game}, "for": "s < k"}
    data |= {"ruleset": "with-pass(game(own, k=k, s=s), passes=r)"}
    data |= {"without_passes": "a ^ b ^ p == 0"}
    said = {"kind": "p-positions", "formula": "a ^ b ^ p ^ (p2 % 2) == 0"}

    def family(**change):
        return families.Family(
            families.formed({**data, "relation": said} | change, families.FAMILY, "certificate")
        )

    assert [*family().passes] == ["p2"]
    assert family().heap == "p"
    renamed = {"parameters": ["k", "p2", "s"], "ruleset": data["ruleset"].replace("=r", "=p2")}
    for change in (renamed, {"without_passes": "a ^ b ^ p == p2"}):
        with pytest.raises(families.UndecidedError, match=r"passes left|the parameters are"):
            family(**change)
