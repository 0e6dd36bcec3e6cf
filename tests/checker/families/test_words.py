"""The check of families' certificates: true ones pass, forged ones and almost all changed ones do not."""

import ast
import json
import random
import signal
import time
from collections import Counter, deque
from copy import deepcopy
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from choco_pipeline.cli.start import main
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.formula import parse
from choco_pipeline.proof.checker import check_family as check_in_its_own_process
from choco_pipeline.proof.uniform.family_certificate import write
from tests.checker.families.mutations import mutations
from tests.checker.families.program import families
from tests.proof.uniform.judged import prove_family

SUM, STEP = "solid-bar(f=(x+z)//k)", "step-bar(k=k, s=s)"
STRIP, MORE = "strip-bar(k=k, s=s)", "solid-bar(f=(x+z+c)//k)"
SHIFT = "(c+1)//2 - 1 + k%4//2"
THREE = (SUM, "k % 4 == 3", "p_positions", "x ^ y ^ z == 0")
ONE = (SUM, "k % 4 == 1", "p_positions", "(x-1) ^ y ^ (z-1) == 0")
GRUNDY = (STEP, "k % 2 == 0 and s < k", "grundy", "(y ^ (z+s)) - s")
BESIDE = (STRIP, "k % 2 == 0 and s < k", "p_positions", "(x+s) ^ y ^ (z+s) == 0")
LARGEST = ("solid-bar(f=max(x, z)//k)", "k % 2 == 0", "p_positions", "x ^ y ^ z == 0")
FLAT = ("solid-bar(f=z//k)", "k % 2 == 0", "p_positions", "x ^ y ^ z == 0")
CASES = (MORE, "k % 2 == 1 and c <= k + 1", "p_positions", f"(x+{SHIFT}) ^ y ^ (z+{SHIFT}) == 0")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    @cache
    def made(ruleset, condition, kind, relation):
        proof = prove_family(ruleset, condition, **{kind: relation})
        path = write(proof, tmp_path_factory.mktemp("families"))
        return json.loads(Path(path).read_text(encoding="utf-8"))

    return lambda family: made(*family)


@pytest.mark.parametrize("family", [THREE, GRUNDY, pytest.param(FLAT, marks=pytest.mark.full)])
def test_a_proof_passes(family, certificate, verdict, monkeypatch):
    # A loaded machine must not leave a member without a proof of its own.
    monkeypatch.setattr(families, "ONE_MEMBER", 100.0)
    found = verdict(certificate(family))
    assert (found["status"], found["engines"]) == ("proved", ["z3", "cvc5"]), found["why"]
    assert (found["members"], len(found["alone"])) == (13, 3)


@pytest.mark.slow
@pytest.mark.parametrize("family", [ONE, BESIDE, CASES])
def test_more_proofs_pass(family, certificate, verdict):
    assert verdict(certificate(family))["status"] == "proved"


#: False families; of the last ones all small members are right.
FORGED = [
    (THREE, {"for": "k % 4 == 1"}),
    (THREE, {"for": "k % 2 == 1"}),
    (THREE, {"for": "k % 4 == 2"}),
    (THREE, {"for": "k >= 1"}),
    (THREE, {"relation": "(x-1) ^ y ^ (z-1) == 0"}),
    (THREE, {"relation": "x ^ y ^ z == 1"}),
    (THREE, {"ruleset": "solid-bar(f=(x+z+3)//k)"}),
    (THREE, {"ruleset": "solid-bar(f=(x+z)//(k+1))"}),
    (THREE, {"ruleset": "solid-bar(f=(x+2*z)//k)"}),
    (GRUNDY, {"for": "k % 2 == 0 and s <= k + 1"}),
    (GRUNDY, {"for": "k % 2 == 1 and s < k"}),
    (GRUNDY, {"relation": "(y ^ (z+s)) - s + 1"}),
    (GRUNDY, {"relation": "(y ^ (z+s+1)) - s - 1"}),
    (GRUNDY, {"ruleset": "step-bar(k=k, s=s+2)"}),
    (THREE, {"for": "k % 4 == 3 or k == 101"}),
    (THREE, {"relation": "(x-min(max(k-99, 0), 1)) ^ y ^ (z-min(max(k-99, 0), 1)) == 0"}),
    (THREE, {"ruleset": "solid-bar(f=(x+z+3*min(max(k-99, 0), 1))//k)"}),
    (GRUNDY, {"for": "k % 2 == 0 and s <= max(k, 2*k-70)"}),
]


@pytest.mark.parametrize(("family", "forged"), FORGED)
@pytest.mark.parametrize("has_tables", [pytest.param(True, marks=pytest.mark.full), False])
def test_a_forged_certificate_is_refused(
    family, forged, has_tables, certificate, verdict, monkeypatch
):
    """Also where the tables of small members are not looked at: the conditions alone refuse it."""
    if not has_tables:
        monkeypatch.setattr(families, "wrong_position", lambda *_: None)
    document = {**certificate(family), **forged}
    if "relation" in forged:
        document["relation"] = {**certificate(family)["relation"], "formula": forged["relation"]}
    found = verdict(document)
    assert found["status"] == "undecided" if not has_tables else found["status"] != "proved"
    assert found["engines"] == []


#: The same, with cases that fit them, so that nothing but the invariants is wrong.
DRESSED = [
    (THREE, {"for": "k % 4 == 1"}, {"k": {"m_k": 4, "1": 1}}),
    (THREE, {"for": "k % 4 == 2"}, {"k": {"m_k": 4, "1": 2}}),
    (THREE, {"for": "k % 2 == 1"}, {"k": {"m_k": 2, "1": 1}}),
    (THREE, {"relation": "(x-1) ^ y ^ (z-1) == 0"}, {}),
    (THREE, {"relation": "x ^ y ^ z == 1"}, {}),
    (THREE, {"ruleset": "solid-bar(f=(x+z+3)//k)"}, {}),
    (THREE, {"ruleset": "solid-bar(f=(x+2*z)//k)"}, {}),
    (GRUNDY, {"for": "k % 2 == 1 and s < k"}, {"k": {"m_k": 2, "1": -1}}),
    (GRUNDY, {"relation": "(y ^ (z+s)) - s + 1"}, {}),
    (GRUNDY, {"relation": "(y ^ (z+s+1)) - s - 1"}, {}),
    (GRUNDY, {"ruleset": "step-bar(k=k, s=s+2)"}, {}),
]


@pytest.mark.parametrize(("family", "forged", "parameters"), DRESSED)
def test_an_invariant_proves_no_false_family(
    family, forged, parameters, certificate, verdict, monkeypatch
):
    monkeypatch.setattr(families, "wrong_position", lambda *_: None)
    monkeypatch.setattr(families.Case, "written_otherwise", lambda _: "false")
    document = json.loads(json.dumps(certificate(family))) | forged
    document["relation"] = {**certificate(family)["relation"]}
    if "relation" in forged:
        document["relation"]["formula"] = forged["relation"]
    for case in document["cases"]:
        case["parameters"].update(parameters)
    found = verdict(document)
    assert found["status"] == "undecided"
    assert "cases" not in found["why"]


HEAPS = ("nim(3)", "k >= 0", "p_positions", "a ^ b ^ c == 0")


def with_false_heap(document):
    """Return the certificate with another relation, which is false for k >= 40, and cases in which that is linear."""
    small, large = deepcopy(document["cases"][0]), deepcopy(document["cases"][0])
    small["conditions"] = [{"k": -1, "1": 39}]
    large["conditions"] = [{"k": 1, "1": -40}]
    large["shifts"]["c"] = {"k": 1, "1": -39}
    relation = {"kind": "p-positions", "formula": "a ^ b ^ (c + max(k-39, 0)) == 0"}
    return {**document, "relation": relation, "cases": [small, large]}


def test_the_start_supposes_nothing(certificate, verdict):
    """Of a word of which nothing was read, a certificate could say that 1 = 0, and have every condition."""
    document = with_false_heap(certificate(HEAPS))
    for case in document["cases"]:
        for obligation in case["obligations"]:
            start = obligation["locations"][0]
            obligation["locations"] = [{**start, "equalities": [{"1": 1}], "strategy": []}]
    found = verdict(document)
    assert (found["status"], found["engines"]) == ("undecided", [])
    assert "start" in found["why"]


def test_no_option_is_smaller_at_the_start(certificate, verdict):
    """A certificate could begin where a is less already, and write b^(c+s) for it, whether that is less or not."""
    document = with_false_heap(certificate(HEAPS))
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
    found = verdict(document)
    assert (found["status"], found["engines"]) == ("undecided", [])
    assert "start" in found["why"]


def test_members_with_other_coordinates_are_no_family(certificate, verdict):
    """All small members have three heaps, and those from k = 40 on more."""
    found = verdict({**certificate(HEAPS), "ruleset": "nim(3 + k//40)"})
    assert (found["status"], found["engines"]) == ("undecided", [])


@pytest.mark.parametrize(
    "name",
    [
        "constant",
        pytest.param("target", marks=pytest.mark.full),
        pytest.param("value", marks=pytest.mark.full),
    ],
)
def test_no_coordinate_is_called_as_another_track(name, verdict, tmp_path, monkeypatch):
    """What cannot be moved, and is 0 in members with k < 40, does not count in who wins."""
    (tmp_path / "config" / "games").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config" / "games" / "still.yaml").write_text(
        "game: still\nparameters: {h: 0}\ncoordinates: [a, b, rest]\nheights: {rest: h}\n"
        "moves:\n  - {lower: [a]}\n  - {lower: [b]}\n"
    )
    proof = prove_family("game(still, h=max(k-39, 0))", "k >= 0", p_positions="a ^ b == 0")
    text = write(proof, tmp_path).read_text(encoding="utf-8")
    document = json.loads(text.replace('"rest"', f'"{name}"'))
    document["relation"]["formula"] = f"a ^ b ^ {name} == 0"
    for case in document["cases"]:
        case["shifts"][name] = {}
    found = verdict(document)
    assert (found["status"], found["engines"]) == ("undecided", [])
    assert "name of a parameter or of a track" in found["why"]


def test_rules_that_are_not_read_are_refused(verdict, tmp_path, monkeypatch):
    """A family of a game of one's own, with one rule more."""
    (tmp_path / "config" / "games").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config" / "games" / "still.yaml").write_text(
        "game: still\nparameters: {h: 0}\ncoordinates: [a, b, c]\nheights: {c: h}\n"
        "moves:\n  - {lower: [a]}\n  - {lower: [b]}\n"
    )
    proof = prove_family("game(still, h=k)", "k >= 1", p_positions="a ^ b == 0")
    text = write(proof, tmp_path).read_text(encoding="utf-8")
    document = json.loads(text)
    assert verdict(document)["status"] == "proved"
    game = document["games"]["still"]
    move, other = game["moves"]
    for rules in (
        {"legal": "a <= 2 * b"},
        {"ends": "c == 0"},
        {"moves": [move, {"lower": {"b": "n"}}]},
        {"moves": [{**move, "when": "b <= 5"}, other]},
        {"moves": [{**move, "by": [1, 2]}, other]},
        {"moves": [{**move, "by": [[1], [2]]}, other]},
        {"moves": [{**move, "where": "a > 1"}, other]},
        {"moves": [move, other, {"lower": ["a", "b"], "by": [[1, 2]]}]},
        {"moves": [{**move, "split": "a"}, other]},
    ):
        assert verdict({**document, "games": {"still": {**game, **rules}}})["status"] == "undecided"
    for rules in ({"within": "a < 9"}, {"play": "misère"}):
        with pytest.raises(ChocoError):
            verdict({**document, "games": {"still": {**game, **rules}}})


@pytest.fixture
def remembered(monkeypatch):
    """Conditions that are the same are asked once, and members of the same texts are compared once."""
    asked, ask, known = {}, families.unsatisfiable, {}

    def again(name, condition, clock):
        if condition not in asked:
            asked[condition] = ask(name, condition, clock)
        return asked[condition]

    compare = families.wrong_position

    def compared(member):
        family = member.family
        key = (
            *map(ast.dump, (family.ruleset, family.condition, family.relation)),
            str(member.values),
        )
        if key not in known:
            known[key] = compare(member)
        return known[key]

    monkeypatch.setattr(families, "unsatisfiable", again)
    monkeypatch.setattr(families, "wrong_position", compared)
    monkeypatch.setattr(families, "prove_alone", lambda _: None)


#: What may be otherwise in a proof, now and then: a weaker inequality, one that another makes superfluous, or one more state.
MAY_PASS = {
    "never: a number by 1",
    "never: turned",
    "never: one left out",
    "predicates: a number by 1",
    "predicates: turned",
    "states: a digit",
    "states: one more",
    "states: one left out",
    "equalities: a number by 1",
    "conditions: a number by 1",
    "conditions: one left out",
    "strategy: a digit",
    "strategy: leads elsewhere",
    "strategy: no answer",
    "parities: another",
    "orders: another",
}


def tried(chosen, verdict):
    refused, passed = Counter(), Counter()
    for kind, mutant in chosen:
        try:
            status = verdict(mutant)["status"]
        except ChocoError:
            status = "no certificate"
        assert status != "refuted", kind
        (passed if status == "proved" else refused)[kind] += 1
    return refused, passed


@pytest.mark.full
@pytest.mark.parametrize(
    ("family", "seed"),
    [
        (THREE, 1),
        pytest.param(GRUNDY, 2, marks=pytest.mark.slow),
        pytest.param(LARGEST, 3, marks=pytest.mark.slow),
    ],
)
def test_a_changed_certificate_is_refused_or_another_proof(
    family, seed, certificate, verdict, remembered
):
    document = certificate(family)
    chosen = random.Random(seed).sample(list(mutations(document)), 60)
    refused, passed = tried(chosen, verdict)
    assert passed.keys() <= MAY_PASS
    assert refused.total() > passed.total()


@pytest.mark.slow
@pytest.mark.parametrize("family", [THREE, ONE, GRUNDY, BESIDE])
def test_every_changed_certificate_is_refused_or_another_proof(
    family, certificate, verdict, remembered
):
    document = certificate(family)
    refused, passed = tried(mutations(document), verdict)
    assert passed.keys() <= MAY_PASS
    assert refused.total() > passed.total()


@pytest.fixture
def command(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["choco", "prove", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, capsys.readouterr().out

    return run


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
def test_what_is_no_certificate_is_a_mistake(change, certificate, verdict):
    with pytest.raises(ChocoError):
        verdict({**certificate(THREE), **change})


def test_the_command_checks_a_certificate(certificate, tmp_path, command):
    path = tmp_path / "family.json"
    path.write_text(json.dumps(certificate(THREE)), encoding="utf-8")
    code, out = command("--check", path.as_posix())
    assert (code, "by z3 and by cvc5" in out) == (0, True)
    path.write_text(json.dumps({**certificate(THREE), "for": "k % 4 == 2"}), encoding="utf-8")
    code, out = command("--check", path.as_posix(), "--json")
    assert (code, json.loads(out)["status"]) == (1, "refuted")
    path.write_text(json.dumps({**certificate(THREE), "format": 1}), encoding="utf-8")
    assert command("--check", path.as_posix()) == (2, "")


@pytest.mark.parametrize("seconds", [0.001, 0.1])
def test_without_time_there_is_an_answer_without_evidence(seconds, certificate, tmp_path):
    path = tmp_path / "family.json"
    path.write_text(json.dumps(certificate(GRUNDY)), encoding="utf-8")
    found = check_in_its_own_process(path.as_posix(), seconds)
    assert (found["status"], found["conditions"], found["engines"]) == ("undecided", 0, [])
    assert found["why"] == "the time is over" or "seconds" in found["why"]
    assert "step-bar(k=k, s=s)" in found["statement"]


def test_what_no_certificate_is_needed_for_is_read_right():
    """Floors, remainders, minima and absolute values of parameters, by their definitions."""
    text = "(2*k-7)//3 + (k-9)%4 + min(k, 5, 3-k) + max(k, 4) + abs(k-6)"
    node, clock = families.parsed(text), families.Clock(0)
    for k in range(20):
        value = parse(text).value({"k": k})
        assert families.Reader().sum(node, {"k": families.Sum(k)}).number == value
        assert families.value_of(node, {"k": k}) == value
        reader = families.Reader()
        read = reader.sum(node, {"k": families.named("k")})
        known = [*reader.definitions, (families.named("k") - families.Sum(k)).zero]
        differs = families.contrary((read - families.Sum(int(value))).zero)
        assert families.unsatisfiable("", families.both(*known, differs), clock)
        assert not families.unsatisfiable("", families.both(*known), clock)


def test_a_statement_that_one_member_contradicts_is_a_contradiction(
    certificate, verdict, monkeypatch
):
    """Where small positions and all conditions say that it is true, check.py says of which member it is not."""
    monkeypatch.setattr(families, "wrong_position", lambda *_: None)
    monkeypatch.setattr(families, "unsatisfiable", lambda *_: True)
    monkeypatch.setattr(families.Case, "written_otherwise", lambda _: "false")
    document = {
        **certificate(THREE),
        "relation": {"kind": "p-positions", "formula": "x ^ y ^ z == 1"},
    }
    with pytest.raises(DisagreementError, match=r"check\.py: .*one should be"):
        verdict(document)


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
        left, _ = signal.getitimer(signal.ITIMER_PROF)
        assert 90 < left < 101
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
