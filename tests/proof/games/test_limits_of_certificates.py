"""Certificates and outcomes that anybody may have written: no traceback, no long wait, and nothing believed unseen."""

import copy
import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, SolidBar, StepBar, WithPass
from choco_pipeline.automata.algebra import conjunction, renamed
from choco_pipeline.automata.arithmetic import linear, nim_sum_is_zero
from choco_pipeline.documents.files import write_json
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.games import certificate as certificates
from choco_pipeline.proof.games.certificate import (
    check_certificate,
    read_certificate,
    write_certificate,
)
from choco_pipeline.proof.games.guess import Guesser
from choco_pipeline.proof.games.obligations import legal
from choco_pipeline.proof.games.prover import check_relation, contradiction, prove
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.proof.records import GameProof, GameToProve
from choco_pipeline.proof.task import EarlierProofs
from tests.effort import examples

GAMES = [(WithPass(Nim(2)), "p"), (SolidBar("(x+z)//5"), "p"), (StepBar(2, 1), "grundy")]
#: What stands in place of a part of a document.
OTHERS = st.sampled_from(
    [
        *(None, True, 0, 1, -1, 2, 10**12, -(10**30), 2**63, 1.5, "", "0", "x", [], [[]], {}),
        *("nim(2)", "nim(15)", "sum(nim(8), nim(8))", "step-bar(k=1, s=268435456)", "\x1b[2J\n"),
        *("with-pass(nim(2), passes=1000000000000)", "solid-bar(f=max(0, min(1, x-10**12)))"),
        *("solid-bar(f=x*z)", "solid-bar(f=csv(README.md))", "rectangular-bar(m=268435456, n=3)"),
    ]
)


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    return [
        json.loads(write_certificate(prove(game, relation), folder).read_text())
        for game, relation in GAMES
    ]


def places(document, place=()):
    """Return the places of all parts of a document."""
    pairs = (
        document.items()
        if isinstance(document, dict)
        else enumerate(document)
        if isinstance(document, list)
        else ()
    )
    found = [place] if place else []
    for key, part in pairs:
        found += places(part, (*place, key))
    return found


@settings(
    max_examples=examples(150),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_changed_certificate_is_refused_or_decided(data, documents, tmp_path):
    document = copy.deepcopy(data.draw(st.sampled_from(documents)))
    for _ in range(data.draw(st.integers(1, 2))):
        *before, last = data.draw(st.sampled_from(places(document)))
        inside = document
        for key in before:
            inside = inside[key]
        change = data.draw(st.sampled_from(["other", "gone", "twice", "named"]))
        if change == "gone":
            del inside[last]
        elif change == "twice" and isinstance(inside, list):
            inside.insert(last, copy.deepcopy(inside[last]))
        elif change == "named" and isinstance(inside, dict):
            inside[data.draw(OTHERS.filter(lambda key: isinstance(key, str)))] = inside.pop(last)
        else:
            inside[last] = copy.deepcopy(data.draw(OTHERS))  # which may be put into itself next
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(document))
    proof = None
    try:
        proof = check_certificate(path, 2)
        said = proof.why
    except ChocoError as error:
        said = str(error)
    assert said.isprintable()
    if proof is not None and proof.status == "proved":
        assert certificates.read_certificate(path).automata == proof.automata
        assert (proof.ruleset, proof.relation) in GAMES


def test_a_large_file_is_not_read(documents, tmp_path, monkeypatch):
    path = tmp_path / "certificate.json"
    write_json(path, documents[0])
    monkeypatch.setattr(certificates, "MOST_BYTES", path.stat().st_size - 1)
    with pytest.raises(ChocoError, match=r"too large, at most .* bytes are read"):
        read_certificate(path)


def nim_sum_on(game):
    position = Engine({}).automaton_of(legal(game, game.coordinates))
    numbers = {name: str(i) for i, name in enumerate(game.coordinates)}
    inside = renamed(position, {name: numbers[name] for name in position.tracks})
    return conjunction(nim_sum_is_zero(*numbers.values()), inside)


@pytest.mark.full
@pytest.mark.parametrize("step", ["10**6", "10**12"])
def test_a_position_with_too_many_options_is_undecided_in_time(step):
    game = SolidBar(f"max(0, min(1, x-{step}))")
    clock = Clock()
    proof = check_relation(game, {0: nim_sum_on(game)}, seconds=2)
    assert proof.status == "undecided"
    assert "'no position in the relation has an option in it' is wrong at {'x': " in proof.why
    assert proof.why.endswith("by the definition is not known: the 2 seconds are over")
    assert clock.spent < 20


@pytest.mark.full
@pytest.mark.parametrize("far", [10**9, 2**70])
def test_grundy_numbers_at_far_positions_are_undecided_in_time(far):
    beyond = conjunction(nim_sum_is_zero("0", "1", "2"), linear({"0": 1}, -far, "<="))
    proof = check_relation(Nim(2), {0: beyond}, "grundy", seconds=2)
    assert proof.status == "undecided"
    assert "the 2 seconds are over" in proof.why


def test_a_contradiction_is_looked_for_as_long_as_there_is_time():
    nothing = linear({"0": 1}, 1, "==")
    with pytest.raises(UndecidedError, match=r"the 0\.2 seconds are over"):
        contradiction(Nim(1), "p", [nothing], 0, {"a": 10**15}, Clock(0.2))
    half = linear({"0": 2, "1": -1}, 0, "==")
    with pytest.raises(UndecidedError, match=r"the 0\.2 seconds are over"):
        contradiction(Nim(1), "grundy", [half], 0, {"a": 10**15}, Clock(0.2))


@pytest.mark.full
def test_guesses_have_a_clock_too():
    guesser = Guesser(SolidBar("(x+z)//2"), "grundy", Clock(0.05))
    with pytest.raises(UndecidedError, match=r"the 0\.05 seconds are over"):
        list(guesser.attempts(0))


#: Remembered outcomes.
TRIANGLE, OTHER = "solid-bar(f=(x+z)//3)", "solid-bar(f=(x+z)//5)"


def todo(ruleset, relation="p"):
    return GameToProve(
        ruleset=ruleset,
        relation=relation,
        sweep="s",
        parameters={},
        seconds=60,
        memory=4,
        claims=(),
    )


@pytest.fixture
def outcomes(tmp_path, monkeypatch):
    """Return what is known of two games, proved, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    known = EarlierProofs(Path("certificates"), {"own": "1"})
    for ruleset in (TRIANGLE, OTHER):
        path = write_certificate(prove(parse_ruleset(ruleset)), known.certificates)
        proof = GameProof(
            ruleset=ruleset,
            relation="p",
            status="proved",
            why="",
            seconds=1,
            sweep="s",
            parameters={},
            certificate=path.as_posix(),
        )
        known.add(todo(ruleset), proof)
        assert known.find(todo(ruleset)) is not None
    return known


def files_of(outcomes, ruleset):
    outcome = outcomes._path(parse_ruleset(ruleset), "p")
    return outcome, outcomes.certificates / outcome.name


def forge(outcome, **changes):
    """Change what an outcome says, with a digest that is right."""
    known = read_record(outcome)
    known["proof"] |= changes
    write_record(outcome, known)


def test_an_outcome_in_another_spelling_is_the_same(outcomes):
    found = outcomes.find(todo("solid-bar( f = (x + z) // 3 )"))
    assert found is not None
    assert found.ruleset == "solid-bar( f = (x + z) // 3 )"


@pytest.mark.parametrize("which", [0, 1, "both"])
def test_files_of_another_game_under_this_games_name_are_unknown(outcomes, which):
    pairs = list(zip(files_of(outcomes, OTHER), files_of(outcomes, TRIANGLE), strict=True))
    for source, target in pairs if which == "both" else [pairs[which]]:
        shutil.copy(source, target)
    assert outcomes.find(todo(TRIANGLE)) is None
    assert outcomes.find(todo(OTHER)) is not None


def test_an_outcome_of_another_game_or_certificate_is_unknown(outcomes):
    outcome, certificate = files_of(outcomes, TRIANGLE)
    _, another = files_of(outcomes, OTHER)
    written = outcome.read_text()
    for changes in (
        {"ruleset": OTHER},
        {"relation": "grundy"},
        {"certificate": another.as_posix()},
        {"certificate": None},
        {"certificate": f"../{Path.cwd().name}/{certificate}"},
        {"status": "proven"},
    ):
        forge(outcome, **changes)
        assert outcomes.find(todo(TRIANGLE)) is None, changes
        outcome.write_text(written)
    assert outcomes.find(todo(TRIANGLE)) is not None


def test_an_outcome_that_was_changed_is_unknown(outcomes):
    outcome, certificate = files_of(outcomes, TRIANGLE)
    known = json.loads(outcome.read_text())
    known["proof"]["formula"] = {"text": "G = 0"}
    write_json(outcome, known)
    assert outcomes.find(todo(TRIANGLE)) is None
    for text in ("", "[]", "null", "5", '{"proof": []}', '{"proof": {"status": {}}}', "\x00"):
        outcome.write_text(text)
        assert outcomes.find(todo(TRIANGLE)) is None, text
    os.remove(certificate)
    assert outcomes.find(todo(TRIANGLE)) is None
