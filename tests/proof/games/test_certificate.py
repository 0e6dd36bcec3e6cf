"""Certificates and kept outcomes: written, read, checked again; every change is refused, without a traceback or a long wait."""

from __future__ import annotations

import copy
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from choco_pipeline import Nim, SolidBar, StepBar, WithPass
from choco_pipeline.automata.algebra import conjunction, renamed
from choco_pipeline.automata.arithmetic import linear, nim_sum_is_zero
from choco_pipeline.documents.files import write_json
from choco_pipeline.documents.record import read_record, write_record
from choco_pipeline.errors import ChocoError, StoreError
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
from choco_pipeline.proof.proof_errors import CertificateError, UndecidedError
from choco_pipeline.proof.records import GameProof, GameToProve
from choco_pipeline.proof.task import question_of
from tests.effort import examples

SMALL = [
    (WithPass(Nim(2)), "p"),
    (SolidBar("(x+z)//5"), "p"),
    (WithPass(StepBar(2, 1)), "p"),
    (StepBar(2, 1), "grundy"),
]


@pytest.fixture
def nim(tmp_path):
    """Return the path of a certificate, and what its file holds."""
    path = write_certificate(prove(WithPass(Nim(2))), tmp_path)
    return path, json.loads(path.read_text())


@pytest.mark.parametrize(("game", "relation"), SMALL)
def test_a_certificate_is_read_and_checked_as_it_was_written(tmp_path, game, relation):
    proof = prove(game, relation)
    path = write_certificate(proof, tmp_path)
    certificate = read_certificate(path)
    assert (certificate.ruleset, certificate.relation) == (game, relation)
    assert certificate.automata == proof.automata
    again = check_certificate(path)
    assert (again.status, again.why, again.automata) == ("proved", proof.why, proof.automata)
    assert len(again.checks) == len(proof.checks) > 0
    assert write_certificate(again, tmp_path) == path


def test_games_with_similar_names_have_certificates_of_their_own(tmp_path):
    proof = prove(SolidBar("(x+z)//3"))
    similar = replace(proof, ruleset=SolidBar("x+z//3"))
    first, second = write_certificate(proof, tmp_path), write_certificate(similar, tmp_path)
    assert first.name[:-13] == second.name[:-13]
    assert first != second


def test_only_what_is_proved_is_certified(tmp_path):
    with pytest.raises(CertificateError, match="undecided, so there is nothing to certify"):
        write_certificate(prove(SolidBar("x*z")), tmp_path)
    assert not list(tmp_path.iterdir())


def test_automata_of_other_passes_or_of_another_game_are_refused(nim, tmp_path):
    path, document = nim
    document["automata"].reverse()
    path.write_text(json.dumps(document))
    assert check_certificate(path).status == "refuted"
    path = write_certificate(prove(SolidBar("(x+z)//3")), tmp_path)
    path.write_text(path.read_text().replace("(x+z)//3", "(x+z)//4"))
    proof = check_certificate(path)
    assert proof.status == "refuted"
    assert "(x+z)//4" in proof.ruleset.notation


def test_sentences_in_a_file_of_an_earlier_version_are_not_checked(nim):
    path, document = nim
    document["obligations"] = [{"name": "a", "passes": 0, "sentence": "true", "checks": []}]
    path.write_text(json.dumps(document))
    assert check_certificate(path).status == "proved"
    document["automata"][1]["accepting"] = []
    path.write_text(json.dumps(document))
    with pytest.raises(
        CertificateError, match="for 1 pass left is not minimal and numbered breadth-first"
    ):
        check_certificate(path)


def test_a_larger_automaton_of_the_right_relation_is_refused(nim):
    path, document = nim
    automaton = document["automata"][0]
    automaton["delta"].append([2, 2, 2, 2])  # a state that nothing leads to
    path.write_text(json.dumps(document))
    with pytest.raises(
        CertificateError, match="for 0 passes left is not minimal and numbered breadth-first"
    ):
        read_certificate(path)


def change(*keys, to):
    def edit(document):
        for key in keys[:-1]:
            document = document[key]
        document[keys[-1]] = to

    return edit


@pytest.mark.parametrize(
    ("edit", "match"),
    [
        (change("format", to=2), "format"),
        (change("format", to=True), "format"),
        (change("relation", to="n"), "relation"),
        (change("ruleset", to="with-pass(nim(2))"), "must be written with-pass"),
        (change("ruleset", to="nimm(2)"), "unknown ruleset"),
        (change("coordinates", to=["a", "c"]), "coordinates must be a, b"),
        (change("automata", to={}), "automata"),
        (change("automata", to=[]), "automata for 0 to 1 passes left are needed, found none"),
        (change("automata", 0, "tracks", to=["0", "2"]), "has tracks 0, 2, needed are 0, 1"),
        (change("automata", 0, "delta", 0, 0, to=2), "states from 0 to 1"),
        (change("automata", 0, "delta", 0, 0, to=True), "states from 0 to 1"),
        (change("automata", 0, "accepting", to=[1, 0]), "ascending"),
        (change("automata", 0, "start", to=0), "tracks, delta and accepting"),
        (change("obligations", to=1), "obligations"),
        (change("note", to="proved by inspection"), "note"),
        (lambda document: document.pop("versions"), "versions"),
        (lambda document: document["automata"].append(document["automata"][0]), "0 to 1 passes"),
        (lambda document: document["automata"].pop(), "for 0 to 1 passes left are needed, found 0"),
    ],
)
def test_malformed_certificates_are_refused_in_one_line(nim, edit, match):
    path, document = nim
    edit(document)
    path.write_text(json.dumps(document))
    with pytest.raises(ChocoError, match=match) as caught:
        check_certificate(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["[" * 100_000, "[]", "null", '{"format": 1'])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "certificate.json"
    path.write_text(text)
    with pytest.raises((CertificateError, StoreError), match=r"certificate\.json: not a "):
        read_certificate(path)


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
    found = [place] if place else []
    if isinstance(document, list):
        document = dict(enumerate(document))
    for key, part in document.items() if isinstance(document, dict) else ():
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
        assert read_certificate(path).automata == proof.automata
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
    proof = check_relation(game, [nim_sum_on(game)], seconds=2)
    assert proof.status == "undecided"
    assert "'no position in the relation has an option in it' is wrong at {'x': " in proof.why
    assert proof.why.endswith(
        "the comparison with the definition did not end: the 2 seconds are over"
    )
    assert clock.spent < 20


@pytest.mark.parametrize("far", [10**9, 2**70])
def test_grundy_numbers_at_far_positions_are_compared_by_automata(far):
    beyond = conjunction(nim_sum_is_zero("0", "1", "2"), linear({"0": 1}, -far, "<="))
    assert check_relation(Nim(2), [beyond], "grundy", seconds=2).status == "refuted"


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


# ---- Kept outcomes.

TRIANGLE, OTHER = "solid-bar(f=(x+z)//3)", "solid-bar(f=(x+z)//5)"


def asked(ruleset, relation="p"):
    limits = {"seconds": 60, "memory": 4, "sweep": "s", "parameters": {}, "claims": ()}
    todo = GameToProve(ruleset=ruleset, relation=relation, **limits)
    return question_of(todo, Path("certificates"))


@pytest.fixture
def outcomes(tmp_path, monkeypatch):
    """Keep the outcomes of two games, proved, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    for ruleset in (TRIANGLE, OTHER):
        path = write_certificate(prove(parse_ruleset(ruleset)), Path("certificates"))
        said = {"relation": "p", "status": "proved", "why": "", "seconds": 1}
        more = {"sweep": "s", "parameters": {}, "certificate": path.as_posix()}
        asked(ruleset).add(GameProof(ruleset=ruleset, **said, **more))
        assert asked(ruleset).find() is not None
        assert asked(ruleset, "grundy").find() is None


def certificate_of(ruleset):
    return Path(asked(ruleset).find().certificate)


@pytest.mark.usefixtures("outcomes")
def test_an_outcome_in_another_spelling_is_the_same():
    found = asked("solid-bar( f = (x + z) // 3 )")
    assert found.find() is not None
    assert replace(found, engines={"own": "another version"}).find() is None
    assert replace(found, limits={"seconds": 99, "memory": 9}).find() is not None, (
        "the proof stands"
    )


@pytest.mark.usefixtures("outcomes")
@pytest.mark.parametrize("which", [0, 1, "both"])
def test_files_of_another_game_under_this_games_name_are_unknown(which):
    pairs = [
        (asked(OTHER).path, asked(TRIANGLE).path),
        (certificate_of(OTHER), certificate_of(TRIANGLE)),
    ]
    for source, target in pairs if which == "both" else [pairs[which]]:
        shutil.copy(source, target)
    assert asked(TRIANGLE).find() is None
    assert asked(OTHER).find() is not None


@pytest.mark.usefixtures("outcomes")
def test_an_outcome_that_was_changed_or_is_of_another_certificate_is_unknown():
    outcome, certificate = asked(TRIANGLE).path, certificate_of(TRIANGLE)
    another, written = certificate_of(OTHER).as_posix(), outcome.read_text()
    for changes in (
        {"certificate": another},
        {"certificate": None},
        {"certificate": f"../{Path.cwd().name}/{certificate}"},
        {"status": "proven"},
    ):
        known = read_record(outcome)
        known["outcome"] |= changes
        write_record(outcome, known)  # with a digest that is right
        assert asked(TRIANGLE).find() is None, changes
    for text in ("", "[]", "null", "5", '{"outcome": []}', "\x00", written.replace('""', '"x"', 1)):
        outcome.write_text(text)
        assert asked(TRIANGLE).find() is None, text
    outcome.write_text(written)
    assert asked(TRIANGLE).find() is not None
    certificate.unlink()
    assert asked(TRIANGLE).find() is None
