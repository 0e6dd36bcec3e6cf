"""Certificates: written, read, checked again; and every small change of one is refused."""

import copy
import json
import random
from dataclasses import replace

import pytest

from choco_pipeline import Nim, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.errors import ChocoError, StoreError
from choco_pipeline.proof.arithmetic.logic import written
from choco_pipeline.proof.games.certificate import (
    CertificateError,
    check_certificate,
    read_certificate,
    write_certificate,
)
from choco_pipeline.proof.games.prover import prove

SMALL = [
    (WithPass(Nim(2)), "p"),
    (SolidBar("(x+z)//5"), "p"),
    (WithPass(StepBar(2, 1)), "p"),
    (StepBar(2, 1), "grundy"),
]


def certified(game, relation, folder):
    return write_certificate(prove(game, relation), folder)


@pytest.fixture
def nim(tmp_path):
    """Return the path of a certificate, and what its file holds."""
    path = certified(WithPass(Nim(2)), "p", tmp_path)
    return path, json.loads(path.read_text())


def said(check):
    """Return an obligation as text: its own variables are others each time it is stated."""
    obligation, _ = check
    return obligation.name, obligation.passes, written(obligation.sentence)


@pytest.mark.parametrize(("game", "relation"), SMALL)
def test_a_certificate_is_read_and_checked_as_it_was_written(tmp_path, game, relation):
    proof = prove(game, relation)
    path = write_certificate(proof, tmp_path)
    certificate = read_certificate(path)
    assert (certificate.ruleset, certificate.relation) == (game, relation)
    assert certificate.automata == proof.automata
    again = check_certificate(path)
    assert (again.status, again.why, again.automata) == ("proved", proof.why, proof.automata)
    assert {said(check) for check in again.checks} == {said(check) for check in proof.checks}
    assert write_certificate(again, tmp_path) == path


def test_what_a_certificate_says(nim):
    path, document = nim
    assert path.name.startswith("with-pass-nim-2-passes-1-p-")
    assert document["ruleset"] == "with-pass(nim(2), passes=1)"
    assert document["coordinates"] == ["a", "b"]
    assert [len(automaton["delta"]) for automaton in document["automata"]] == [2, 6]
    assert {"choco_pipeline", "commit", "numpy"} <= set(document["versions"])
    third = document["obligations"][1]
    assert third["name"] == "no position in the relation has an option in it"
    assert "R0(a, b)" in third["sentence"]
    assert [check["engine"] for check in third["checks"]] == ["own"]


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


@pytest.mark.full
@pytest.mark.parametrize(("game", "relation"), SMALL)
def test_every_changed_target_and_acceptance_is_refused(tmp_path, game, relation):
    """All of them; and so for a false claim to pass, more than one must be changed."""
    path = certified(game, relation, tmp_path)
    refuse(path, mutations(json.loads(path.read_text())))


@pytest.mark.full
def test_changes_of_a_larger_certificate_are_refused(tmp_path):
    path = certified(WithPass(StripBar(4, 2)), "p", tmp_path)
    found = list(mutations(json.loads(path.read_text())))
    assert len(found) == 17 + 17 * 16 * 8 + 23 + 23 * 22 * 8
    refuse(path, random.Random(0).sample(found, 150))


def mutations(document):
    """Yield the document with one target, or one state's acceptance, changed in one of its automata."""
    for passes, automaton in enumerate(document["automata"]):
        states = range(len(automaton["delta"]))
        for state in states:
            changed = copy.deepcopy(document)
            flags = set(automaton["accepting"]) ^ {state}
            changed["automata"][passes]["accepting"] = sorted(flags)
            yield changed
            for symbol, now in enumerate(automaton["delta"][state]):
                for target in states:
                    if target != now:
                        changed = copy.deepcopy(document)
                        changed["automata"][passes]["delta"][state][symbol] = target
                        yield changed


def refuse(path, documents):
    reasons = set()
    for document in documents:
        path.write_text(json.dumps(document))
        try:
            proof = check_certificate(path)
        except CertificateError:
            reasons.add("malformed")
            continue
        assert proof.status == "refuted", document["automata"]
        reasons.add("refuted")
    assert reasons == {"malformed", "refuted"}


def test_two_automata_exchanged_are_refused(nim):
    path, document = nim
    document["automata"].reverse()
    path.write_text(json.dumps(document))
    assert check_certificate(path).status == "refuted"


def test_another_game_is_refused(tmp_path):
    path = certified(SolidBar("(x+z)//3"), "p", tmp_path)
    path.write_text(path.read_text().replace("(x+z)//3", "(x+z)//4"))
    proof = check_certificate(path)
    assert proof.status == "refuted"
    assert "(x+z)//4" in proof.ruleset.notation


def test_sentences_in_the_file_are_not_what_is_checked(nim):
    path, document = nim
    document["obligations"] = document["obligations"][:1]
    document["obligations"][0]["sentence"] = "true"
    path.write_text(json.dumps(document))
    proof = check_certificate(path)
    assert proof.status == "proved"
    assert proof.why.endswith("the obligations written in the file are not those that were checked")
    document["automata"][1]["accepting"] = []
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateError, match="for 1 pass left is not the least one"):
        check_certificate(path)


def test_a_larger_automaton_of_the_right_relation_is_refused(nim):
    path, document = nim
    automaton = document["automata"][0]
    automaton["delta"].append([2, 2, 2, 2])  # a state that nothing leads to
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateError, match="for 0 passes left is not the least one"):
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
        (change("obligations", 0, "checks", 0, "engine", to=1), "engine"),
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


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(StoreError, match="cannot be read"):
        read_certificate(tmp_path / "none.json")
