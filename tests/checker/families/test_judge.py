"""What the checker of families reads, refuses and decides, beside changes of certificates (`test_forged`)."""

import json
import random
import signal
import time
from collections import deque
from copy import deepcopy
from itertools import product
from unittest.mock import Mock

import pytest

from choco_pipeline.cli.main import main
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.formula import parse
from choco_pipeline.games.notation import parse_ruleset
from choco_pipeline.proof.checker import check_family as check_in_its_own_process
from choco_pipeline.proof.uniform.family_certificate import write
from tests.checker.families.named import NIM, STEP, certificate, with_formula
from tests.checker.families.program import families
from tests.proof.uniform.judged import prove_family

FULL = pytest.mark.full


def with_false_heap(document):
    """Return the certificate with another relation, which is false for k >= 40, and cases in which that is linear."""
    small, large = deepcopy(document["cases"][0]), deepcopy(document["cases"][0])
    small["conditions"] = [{"k": -1, "1": 39}]
    large["conditions"] = [{"k": 1, "1": -40}]
    large["shifts"]["c"] = {"k": 1, "1": -39}
    forged = with_formula(document, "a ^ b ^ (c + max(k-39, 0)) == 0")
    return {**forged, "cases": [small, large]}


def refused(found, why):
    assert (found["status"], found["engines"], found["every_member"]) == ("undecided", [], False)
    assert why in found["why"], found["why"]


def test_the_start_supposes_nothing(verdict):
    """Of a word of which nothing was read, a certificate could say that 1 = 0, and have every condition."""
    document = with_false_heap(certificate("heaps"))
    for case in document["cases"]:
        for obligation in case["obligations"]:
            start = obligation["locations"][0]
            obligation["locations"] = [{**start, "equalities": [{"1": 1}], "strategy": []}]
    refused(verdict(document), "start")


def test_no_option_is_smaller_at_the_start(verdict):
    """A certificate could begin where a is less already, and write b^(c+s) for it, whether that is less or not."""
    document = with_false_heap(certificate("heaps"))
    digits = [dict(zip("abc", bits, strict=True)) for bits in product((0, 1), repeat=3)]
    answers = [
        {
            "digits": read,
            "answers": [
                {"states": [0], "digits": {"a'": read["b"] ^ read["c"]}, "to": 1, "move": None}
            ],
        }
        for read in digits
    ]
    less = {"settled": True, "move": "a", "orders": {"a": "less"}, "zero": [], "states": [""]}
    for case in document["cases"]:
        for obligation in case["obligations"]:
            for location in obligation["locations"]:
                for key in ("counters", "parities", "equalities", "never", "predicates"):
                    location.pop(key, None)
                location["states"] = [""]
            if obligation["kind"] == "option":
                obligation["locations"] = [
                    {**less, "start": True, "strategy": answers[:1]},
                    {**less, "start": False, "strategy": answers},
                ]
    refused(verdict(document), "start")


@pytest.fixture
def still(tmp_path, monkeypatch):
    """The certificate of a family of a game of one's own, in which a third coordinate cannot be moved."""
    (tmp_path / "config" / "games").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config" / "games" / "still.yaml").write_text(
        "game: still\nparameters: {h: 0}\ncoordinates: [a, b, rest]\nheights: {rest: h}\n"
        "moves:\n  - {lower: [a]}\n  - {lower: [b]}\n"
    )

    def made(height):
        proof = prove_family(f"game(still, h={height})", "k >= 0", p_positions="a ^ b == 0")
        return json.loads(write(proof, tmp_path).read_text(encoding="utf-8"))

    return made


@pytest.mark.parametrize("name", ["constant", *(pytest.param(n, marks=FULL) for n in ("target", "value"))])  # fmt: skip
def test_no_coordinate_is_called_as_another_track(name, verdict, still):
    """What cannot be moved, and is 0 in members with k < 40, does not count in who wins."""
    text = json.dumps(still("max(k-39, 0)"))
    document = with_formula(json.loads(text.replace('"rest"', f'"{name}"')), f"a ^ b ^ {name} == 0")
    for case in document["cases"]:
        case["shifts"][name] = {}
    refused(verdict(document), "name of a parameter or of a track")


def test_rules_that_are_not_read_are_refused(verdict, still):
    document = still("k+1")
    assert verdict(document)["status"] == "proved"
    game = document["games"]["still"]
    move, other = game["moves"]
    for rules in (
        {"legal": "a <= 2 * b"},
        {"ends": "c == 0"},
        {"moves": [move, {"lower": {"b": "n"}}]},
        {"moves": [{**move, "when": "b <= 5"}, other]},
        {"moves": [{**move, "by": [[1], [2]]}, other]},
        {"moves": [{**move, "by": ["a"]}, other]},
        {"moves": [{**move, "where": "a > 1"}, other]},
        {"moves": [move, other, {"lower": ["a", "b"], "by": [[1, 2]]}]},
        {"moves": [{**move, "split": "a"}, other]},
    ):
        assert verdict({**document, "games": {"still": {**game, **rules}}})["status"] == "undecided"
    for amounts in ({"by": [1, 2]}, {"at_most": 2}):
        rules = {"moves": [{**move, **amounts}, other]}
        assert verdict({**document, "games": {"still": {**game, **rules}}})["status"] == "refuted"
    names = [{"moves": [{**move, **m}, other]} for m in ({"at_most": "c"}, {"by": ["bits(2)"]})]
    for rules in ({"within": "a < 9"}, {"play": "misère"}, *names):
        with pytest.raises(ChocoError):
            verdict({**document, "games": {"still": {**game, **rules}}})


BAR = {
    "game": "bar",
    "parameters": {"d": 2, "e": 0},
    "coordinates": ["y", "z"],
    "heights": {"y": "(z+e)//d"},
    "moves": [{"lower": ["y"]}, {"lower": ["z"]}],
}


def test_a_game_of_ones_own_in_a_sum(verdict):
    own = {**certificate("sum"), "ruleset": "sum(game(bar, d=k, e=s), nim(1))", "games": {"bar": BAR}}  # fmt: skip
    found = verdict(own)
    assert found["status"] == "proved", found["why"]
    assert "y <= (z + s) // k" in found["statement"][0]
    for change in (
        {"heights": {"y": "(z+e+1)//d"}},
        {"heights": {"y": "(z+e)//2"}},
        {"heights": {"y": "(z+a)//d"}},
        {"heights": {"y": "(z+s)//k"}},  # its own parameters alone have a meaning
        {"heights": {"w": "(z+e)//d"}},
        {"parameters": {"d": 2, "e": 0, "z": 3}},
        {"parameters": {"d": 2}},
        {"coordinates": ["y", "z", "z"]},
        {"moves": [{"lower": ["y"]}, {"lower": {"z": "n+2"}}]},
        {"moves": [{"lower": ["y"]}, {"lower": ["z"], "by": [1, 2]}]},
        {"moves": [{"lower": ["y"]}, {"lower": ["z"], "at_most": 3}]},
        {"moves": [{"lower": ["y"]}, {"lower": ["z"], "when": "z > 1"}]},
        {"moves": [{"lower": ["y"]}, {"lower": ["z"], "clip": False}]},
        {"moves": [{"lower": ["y"]}]},
        {"within": "y + z < 10"},
        {"legal": "y != z"},
        {"ends": "y + z < 2"},
    ):
        try:
            status = verdict({**own, "games": {"bar": BAR | change}})["status"]
        except ChocoError:
            status = "no certificate"
        assert status in ("no certificate", "undecided", "refuted"), change


def height(terms, constant, divisor):
    part = {"terms": terms, "constant": constant, "divisor": divisor}
    return {"function": "min", "parts": [part]}


def written(ruleset, condition, relation, cases, **more):
    """Return a certificate that is written by hand."""
    shown = {"constant": {}, "offset": {}, "shifts": {}}
    return {
        "kind": "family",
        "format": 2,
        "ruleset": ruleset,
        "for": condition,
        "relation": {"kind": "p-positions", "formula": relation},
        "parameters": ["k"],
        "cases": [{**shown, **case} for case in cases],
        **more,
    }


def test_large_members_of_products_are_found(verdict):
    """z3 does not know products of names; without conditions that have one, it finds members."""
    case = {
        "parameters": {"j": {"m_j": 1}, "k": {"m_k": 1}},
        "conditions": [{"m_j*m_k": 1, "1": -1}, {"m_j": 1, "1": -100_001}, {"m_k": 1, "1": -1}],
        "heights": {"y": height({"x": {"1": 1}, "z": {"1": 1}}, {}, {"m_j*m_k": 1})},
        "largest": {"y": 0},
    }
    ruleset, condition = "solid-bar(f=(x+z)//(j*k))", "j > 100000 and k >= 1"
    more = {"where": "x + z < j", "parameters": ["j", "k"]}
    refused(verdict(written(ruleset, condition, NIM, [case], **more)), "case-1/largest-y")


def test_nim_without_heaps_is_no_game(verdict):
    with pytest.raises(ChocoError, match="1 to 15 heaps"):
        verdict({**certificate("sum"), "ruleset": "sum(step-bar(k=k, s=s), nim(0))"})


def test_nothing_is_refuted_where_limited_coordinates_let_others_fall(verdict):
    """The relation is true for k >= 100: from (1, 1, 0) the cut of w leaves (0, 0, 0), as y falls, which is in it."""
    moves = [{"lower": [name]} for name in "wyz"]
    game = {"game": "falling", "parameters": {"k": 2}, "coordinates": ["w", "y", "z"]}
    game |= {"heights": {"w": 1, "y": "k*w//k"}, "moves": moves}
    relation = "w ^ (y+1) ^ (z+min(1, max(0, 100-k))) == 1"
    large = parse_ruleset("game(falling, k=k)", {"k": 100}, games={"falling": game})
    for position in product(range(2), range(2), range(9)):
        if large.rules.why_not(position) is None:
            said = parse(relation).value({"k": 100, **large.rules.named(position)})
            assert said == (large.grundy(position) == 0)
    heights = {"w": height({}, {"1": 1}, {"1": 1}), "y": height({"w": {"m": 1}}, {}, {"m": 1})}
    cases = [
        {
            "parameters": {"k": {"m": 1}},
            "conditions": conditions,
            "heights": heights,
            "shifts": {"w": {}, "y": {"1": 1}, "z": shift},
            "constant": {"1": 1},
            "position": position,
        }
        for conditions, shift, position in (
            ([{"m": 1, "1": -1}, {"m": -1, "1": 99}], {"1": 1}, {"w": {}, "y": {}, "z": {}}),
            ([{"m": 1, "1": -100}], {}, {"w": {"1": 1}, "y": {"1": 1}, "z": {}}),
        )
    ]
    more = {"games": {"falling": game}, "verdict": "refuted"}
    found = verdict(written("game(falling, k=k)", "k >= 1", relation, cases, **more))
    refused(found, "depends on a limited coordinate")


@pytest.mark.parametrize("where", ["x <= 0 - 1", "x <= 2 and z >= k + x + 3 and z <= k + 2"])
def test_nothing_is_proved_of_no_position(where, verdict):
    """The conditions all hold then, whatever the relation is."""
    document = with_formula(certificate("inside"), "(x+1) ^ y ^ (z+2) == 0") | {"where": where}
    for case in document["cases"]:
        case["shifts"] = {"x": {"1": 1}, "y": {}, "z": {"1": 2}}
    refused(verdict(document), "no position")


@pytest.mark.parametrize("name", ["m", *(pytest.param(n, marks=FULL) for n in ("option", "lowered", "at", "position"))])  # fmt: skip
def test_no_name_of_a_case_is_that_of_a_coordinate(name, verdict):
    """A place that options leave proves nothing, whatever the case's number is called; it has positions for large members only."""
    document = with_formula(certificate("corner"), "x ^ y ^ z == 1")
    document["where"] = "z >= x + 1 and x + 100 <= k and x + z < k"
    (case,) = document["cases"]
    case["parameters"], case["conditions"] = {"k": {name: 1}}, [{name: 1, "1": -1}]
    case["constant"], case["heights"]["y"]["parts"][0]["divisor"] = {"1": 1}, {name: 1}
    refused(verdict(document), "case-1/inside-0")


@pytest.mark.parametrize("name", ["option", pytest.param("lowered", marks=FULL)])
def test_parameters_have_any_name(name):
    ruleset, members = f"solid-bar(f=(x+z)//{name})", f"{name} >= 1"
    assert prove_family(ruleset, members, p_positions=NIM, where=f"x + z < {name}").status == "proved"  # fmt: skip
    left = f"z >= x + 1 and x + 100 <= {name} and x + z < {name}"
    outside = prove_family(ruleset, members, p_positions="x ^ y ^ z == 1", where=left)
    assert outside.status == "refuted"


def renamed(part, old, new):
    """Return a part of a certificate with a name of its sums spelt otherwise."""
    if isinstance(part, list):
        return [renamed(p, old, new) for p in part]
    if not isinstance(part, dict):
        return part
    words = {key: "*".join(sorted(new if n == old else n for n in key.split("*"))) for key in part}
    return {words[key]: renamed(value, old, new) for key, value in part.items()}


@pytest.mark.parametrize(("name", "passes"), [("m_t", True), ("n_s", False), ("p_2", False)])
def test_a_case_in_which_parameters_depend_on_each_other_covers_nothing(
    name, passes, verdict, monkeypatch
):
    monkeypatch.setattr(families, "require_failure", lambda *_: None)
    document = certificate("sharp")
    odd, even = document["cases"]
    assert "m_k" in even["parameters"]["k"]
    found = verdict({**document, "cases": [odd, renamed(even, "m_k", name)]})
    assert found["every_member"] == passes
    assert passes or "a name in common" in found["why"]


def test_a_quotient_in_a_divisor_may_be_negative(verdict):
    """Who supposes that max(k-3000, -5000) is natural looks at large k alone: for k from 100 to 2999 it is Theorem 3.1."""
    document = certificate("sharp")
    odd = {**document["cases"][0], "conditions": []}
    right = "100 <= k and k <= 2999 and s < k"
    condition = f"k % 2 == 0 and s % 2 == 1 and (s & -s) == 1 and (k <= s or {right})"
    ruleset = "strip-bar(k=3000 + max(k-3000, -5000), s=s)"
    found = verdict({**document, "ruleset": ruleset, "for": condition, "cases": [odd]})
    refused(found, "position")


def test_parts_of_one_coordinate_are_not_taken_for_those_of_another():
    zero, one, power = families.ZERO, families.ONE, families.named("p_2")
    case = Mock(coordinates=["x", "y"], is_grundy=False, inside=[], written={})
    case.relation, case.shift = families.NimSum({"x": zero, "y": zero}), lambda _: zero
    x = families.Quotient(families.named(families.coordinate("x")), one)
    case.heights = {"y": families.Height((x,))}
    parts = {"x": (zero, one), "y": (one, zero)}
    assert families.PowerPlace(case, power, {"x": one, "y": power}, parts).parts
    with pytest.raises(families.UndecidedError, match="the same sum"):
        families.PowerPlace(case, power, {"x": power, "y": power}, parts)


@pytest.mark.parametrize("relation", [NIM, "(x-1) ^ y ^ (z-1) == 0", "(x+2) ^ (y-1) ^ z == 5"])
def test_conditions_say_what_the_definition_says(relation):
    """Of positions, of the relation, and of options in it: for places that are numbers, z3 decides them."""
    document, said, chance = with_formula(certificate("three"), relation), parse(relation), random.Random(1)  # fmt: skip
    data = families.formed(document, families.FAMILY, "certificate")
    case = families.Case(families.Family(data), data["cases"][0])
    few = families.FewValues(case)
    for _ in range(12):
        m, x, z = chance.randrange(3), chance.randrange(24), chance.randrange(24)
        game = parse_ruleset(f"solid-bar(f=(x+z)//{4 * m + 3})")
        most = (x + z) // (4 * m + 3)
        place = (x, chance.randrange(most + 1) if chance.random() < 0.9 else 9, z)
        at = dict(zip("xyz", map(families.as_sum, place), strict=True))
        expected = {few.is_here(at): place[1] <= most}
        if place[1] <= most:
            places = [dict(zip("xyz", q, strict=True)) for q in (place, *game.options(place))]
            related, *others = map(said.value, places)
            expected |= {few.is_related(at): related}
            expected |= {families.either(*few.related(at)): any(others)}
        of_member = (families.named("m_k") - families.as_sum(m)).zero
        for condition, truth in expected.items():
            text = families.both(of_member, condition)
            assert families.unsatisfiable("", text) == (not truth), (m, place, condition)


def test_formulas_in_parameters_are_read_right():
    """Floors, remainders, minima and absolute values, by their definitions."""
    text = "(2*k-7)//3 + (k-9)%4 + min(k, 5, 3-k) + max(k, 4) + abs(k-6)"
    node = families.parsed(text)
    for k in range(20):
        value = parse(text).value({"k": k})
        assert families.Reader().sum(node, {"k": families.as_sum(k)}).number == value
        assert families.value_of(node, {"k": k}) == value
        reader = families.Reader()
        read = reader.sum(node, {"k": families.named("k")})
        known = [*reader.definitions, (families.named("k") - families.as_sum(k)).zero]
        differs = families.contrary((read - families.as_sum(int(value))).zero)
        assert families.unsatisfiable("", families.both(*known, differs))
        assert not families.unsatisfiable("", families.both(*known))


def test_a_statement_that_one_member_contradicts_is_a_contradiction(verdict, monkeypatch):
    """Where small positions and all conditions say that it is true, check.py says of which member it is not."""
    monkeypatch.setattr(families, "wrong_position", lambda *_: None)
    monkeypatch.setattr(families, "unsatisfiable", lambda *_: True)
    monkeypatch.setattr(families.Case, "written_otherwise", lambda _: "false")
    with pytest.raises(DisagreementError, match=r"check\.py"):
        verdict(with_formula(certificate("three"), "x ^ y ^ z == 1"))


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("x + z < k and x != z", "another sign"),
        ("x + z < k and x*z < k", "coordinates are multiplied"),
        ("x + z < k and (x < k or z < k)", "no inequality"),
    ],
)
def test_conditions_on_positions_that_are_not_read_are_refused(where, why, verdict):
    refused(verdict({**certificate("inside"), "where": where}), why)


@pytest.mark.parametrize("height", ["x*z//k", "(x+z*z)//k", "(x+z)*x//k"])
def test_heights_with_products_of_coordinates_are_refused(height, verdict):
    document = {**certificate("three"), "ruleset": f"solid-bar(f={height})"}
    refused(verdict(document), "coordinates are multiplied")


@pytest.mark.parametrize(
    "change",
    [
        {"format": 1},
        {"more": 1},
        {"cases": []},
        {"ruleset": 3},
        {"relation": {"kind": "p", "formula": "x == 0"}},
    ],
)
def test_what_is_no_certificate_is_a_mistake(change, verdict):
    with pytest.raises(ChocoError):
        verdict({**certificate("three"), **change})


def test_the_command_checks_a_certificate(tmp_path, monkeypatch, capsys):
    def run(change, *more):
        path = tmp_path / "family.json"
        path.write_text(json.dumps({**certificate("three"), **change}), encoding="utf-8")
        monkeypatch.setattr("sys.argv", ["choco", "prove", "--check", path.as_posix(), *more])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, capsys.readouterr().out

    code, out = run({}, "--json")
    assert (code, json.loads(out)["engines"]) == (0, ["z3", "cvc5"])
    code, out = run({"for": "k % 4 == 2"}, "--json")
    assert (code, json.loads(out)["status"]) == (1, "refuted")
    assert run({"format": 1}) == (2, "")


@pytest.mark.parametrize("seconds", [0.001, 0.1])
def test_without_time_there_is_an_answer_without_evidence(seconds, tmp_path):
    path = tmp_path / "family.json"
    path.write_text(json.dumps(certificate("grundy")), encoding="utf-8")
    found = check_in_its_own_process(path.as_posix(), seconds)
    assert (found["status"], found["conditions"], found["engines"]) == ("undecided", 0, [])
    assert "time is over" in found["why"]
    assert STEP in found["statement"]


def test_an_answer_that_took_most_of_the_time_is_the_end_of_it(monkeypatch):
    """A solver counts seconds on the clock, of which a busy machine leaves it few of a processor."""

    def slow(text, milliseconds):
        end = families.time_left() / 3
        while families.time_left() > end:
            pass
        return "unknown"

    monkeypatch.setattr(families, "SOLVERS", {"slow": slow})
    with pytest.raises(families.UndecidedError, match="time is over"), families.limited(0.1):
        families.unsatisfiable("any", "false")


def test_a_time_limit_ends_the_checker_and_no_callback():
    """Callbacks of the garbage collector would swallow the error."""

    def spin():
        start = time.process_time()
        while time.process_time() < start + 0.1:
            pass

    def decide():
        with families.limited(0.02):
            spin()
            returned.append(True)
            deque(families.with_sum(500, 5), maxlen=0)

    returned = []
    with pytest.raises(families.UndecidedError):
        decide()
    assert returned
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


def test_a_time_limit_inside_another_leaves_its_rest():
    with families.limited(100.0):
        with families.limited(50.0):
            pass
        assert 90 < families.time_left() < 101
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
