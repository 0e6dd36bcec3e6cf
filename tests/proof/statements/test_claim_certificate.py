"""Certificates of claims: written, decided again by the engines and by the checker, and refused where they were changed."""

import json
from pathlib import Path

import pytest

from choco_pipeline import CutGame
from choco_pipeline.claims.language.claim import Claim
from choco_pipeline.claims.language.verdict import Proved, Refuted, Undecided, Vacuous
from choco_pipeline.errors import ChocoError, DisagreementError
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof import checker
from choco_pipeline.proof.checker import Checked, EngineAnswers, ask_checker, check_files
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.statements.claim_certificate import (
    check_claim_certificate,
    is_of_a_claim,
    write_claim_certificate,
)

BAR, NIM_SUM = "solid-bar(f=(x+z)//k)", "(x-1) ^ y ^ (z-1)"
CONJECTURE = {
    "id": "conj",
    "ruleset": BAR,
    "when": "k % 4 == 1",
    "statement": f"P <=> {NIM_SUM} == 0",
}
VALUES = {
    "id": "values",
    "ruleset": BAR,
    "every": {"t": "2..3"},
    "statement": f"let u = t-t: {{{NIM_SUM}: P}} == {{v: v == u}}",
}
LIMITED = {
    "id": "limited",
    "ruleset": BAR,
    "statement": f"size <= 9 => (P <=> {NIM_SUM} == 0 and x < 10)",
}
OPTIONS = {
    "id": "options",
    "ruleset": "strip-bar(k=k, s=0)",
    "when": "k % 2 == 0",
    "statement": "x ^ y ^ z == 0 => no option: x' ^ y' ^ z' == 0",
}
INTEGERS = {
    "id": "integers",
    "statement": "for k in 2..6 step 2, z in 0..N: let y = z//k: y ^ z >= z - y",
    "bound": 20,
}
#: A reach bounds the passes of what the outermost passes are added to, as all coordinates.
COUNT = {
    "id": "count",
    "ruleset": "with-pass(with-pass(nim(1), passes=3), passes=1)",
    "statement": "count(position: size <= 1) == 8",
}
CASES = [
    (CONJECTURE, {"k": 5}, "solid-bar(f=(x+z)//5)"),
    (VALUES, {"k": 5, "t": 3}, "solid-bar(f=(x+z)//5)"),
    (LIMITED, {"k": 5}, "solid-bar(f=(x+z)//5)"),
    (OPTIONS, {"k": 4}, "strip-bar(k=4, s=0)"),
    (INTEGERS, {"k": 4}, None),
    (COUNT, {}, COUNT["ruleset"]),
]


@pytest.fixture(scope="module")
def proofs():
    games = {game for _, _, game in CASES if game}
    return {game: prove(parse_ruleset(game), "p") for game in games}


@pytest.fixture
def written(proofs, tmp_path):
    def write(said, names, game):
        proof = None if game is None else proofs[game]
        return write_claim_certificate(Claim.from_json(said), names, proof, tmp_path)

    return write


@pytest.mark.parametrize(("said", "names", "game"), CASES)
def test_a_certificate_is_decided_again_by_the_engine_and_by_the_checker(
    said, names, game, written
):
    path = written(said, names, game)
    assert is_of_a_claim(path)
    document, finding = check_claim_certificate(path)
    assert (document.claim.id, document.names) == (said["id"], names)
    assert isinstance(finding.verdict, Proved)
    assert finding.evidence["engines"] == ["own"]
    assert finding.verdict.reach == {"limited": 9, "count": 1}.get(said["id"])
    assert [one.answer for one in check_files([path], 60)] == ["proved"]
    again = written(said, names, game)
    assert again == path


def changed(path, change):
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def to(value, *place):
    """Return the change of a document that puts a value in a place."""

    def change(document):
        *before, last = place
        for key in before:
            document = document[key]
        document[last] = value

    return change


def with_another_automaton(document):
    automaton = document["game"]["automata"][0]
    automaton["accepting"] = [q for q in range(11) if q not in automaton["accepting"]]


FALSE_FAR_AWAY = "P <=> (x-1) ^ y ^ (z-1) == 0 and x != 1000"
OF_NOTHING = "x + z < x => (P <=> (x-1) ^ y ^ (z-1) == 0)"


def verdict_of(path):
    """Return what our engine says of a file, None if that is no certificate."""
    try:
        return check_claim_certificate(path)[1].verdict
    except ChocoError:
        return None


@pytest.mark.parametrize(
    ("change", "answers"),
    [
        (to(9, "names", "k"), {"no certificate"}),  # of another game
        (to(7, "names", "k"), {"vacuous", "no certificate"}),  # beyond its condition
        (to("P <=> x ^ y ^ z == 0", "claim", "statement"), {"refuted"}),
        (to(FALSE_FAR_AWAY, "claim", "statement"), {"refuted"}),
        (to(OF_NOTHING, "claim", "statement"), {"vacuous"}),
        (with_another_automaton, {"refuted", "no certificate"}),
        (to(None, "game"), {"no certificate"}),
        (to("it is so", "because"), {"no certificate"}),
    ],
)
def test_what_is_changed_is_proved_by_nobody(change, answers, written):
    path = written(*CASES[0])
    changed(path, change)
    (checked,) = check_files([path], 60)
    assert checked.answer in answers, checked
    assert isinstance(verdict_of(path), Refuted | Undecided | Vacuous | None)


def test_numbers_that_a_statement_does_not_have_are_refused(written):
    path = written(*CASES[4])
    changed(path, lambda document: document["names"].clear())
    with pytest.raises(ChocoError, match="values are needed for exactly these names: k"):
        check_claim_certificate(path)


def test_the_answer_of_the_checker_joins_ours(monkeypatch):
    answers = [Checked("proved", ""), Checked("out of time", "more than 1 s")]
    answers.append(Checked("undecided", "seconds cannot be said"))
    monkeypatch.setattr(checker, "check_files", lambda paths, seconds: answers)
    said = ask_checker([f"{name}.json" for name in "abc"], 1)
    assert said[0] == EngineAnswers(("own", "checker"), {})
    assert said[1].engines == ("own",)
    assert "choco prove --check b.json" in said[1].no_answer["checker"]
    assert said[2].no_answer == {"checker": "seconds cannot be said"}, "no longer time helps"


@pytest.mark.parametrize("answer", ["refuted", "vacuous"])
def test_a_checker_that_finds_otherwise_is_a_contradiction(answer, monkeypatch):
    monkeypatch.setattr(checker, "check_files", lambda paths, seconds: [Checked(answer, "why")])
    with pytest.raises(
        DisagreementError, match=rf"a\.json is proved by our engine; check\.py says: {answer}: why"
    ):
        ask_checker(["a.json"], 1)


def test_a_checker_that_cannot_answer_is_silent(tmp_path, monkeypatch, written):
    path = written(*CASES[0])
    monkeypatch.setattr(checker, "PROGRAM", Path(tmp_path) / "none.py")
    assert check_files([path], 1)[0].answer == "undecided"
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit('no memory')")
    monkeypatch.setattr(checker, "PROGRAM", broken)
    assert check_files([path], 1) == [Checked("undecided", "no memory")]
    broken.write_text(f"print({f'{path}: out of time: more than 1 s'!r})")
    assert check_files([path], 1) == [Checked("out of time", "more than 1 s")]


def test_a_certificate_is_of_the_integers_it_names_not_of_others_that_its_claim_lists_some_of(
    tmp_path,
):
    statement = "for k in sample 2..4 step 2, x in 0..N: x//k <= x"
    claim = Claim.from_json({"id": "drawn", "statement": statement, "bound": 9})
    path = write_claim_certificate(claim, {"k": 4}, None, tmp_path)
    assert "sample" not in json.loads(path.read_text(encoding="utf-8"))["claim"]["statement"]
    assert isinstance(check_claim_certificate(path)[1].verdict, Proved)
    assert [one.answer for one in check_files([path], 60)] == ["proved"]


def test_a_number_outside_of_its_range_is_one_that_the_statement_does_not_speak_of(written):
    for number in (8, 3, -2):  # beyond 2..6, between its steps, below
        path = written(*CASES[4])
        changed(path, to(number, "names", "k"))
        assert isinstance(verdict_of(path), Vacuous)
        assert check_files([path], 60)[0].answer == "vacuous"


@pytest.mark.parametrize(
    "statement", ["P <=> a % (k+4) == 0 or a % (k+4) == 2", "a % 7 == 0 => no option: a' % 7 == 0"]
)
def test_a_claim_on_a_game_of_ones_own_is_of_the_game_that_its_certificate_describes(
    statement, tmp_path, monkeypatch
):
    moves = [{"lower": ["a"], "by": [1, "k", "k+1"]}]
    game = CutGame(["a"], moves, parameters={"k": 3}, name="own-1")
    claim = {"id": "own", "ruleset": "game(own-1, k=k)", "statement": statement}
    said = Claim(Claim.from_json(claim).statement, games=game.documents)
    path = write_claim_certificate(said, {"k": 3}, prove(game), tmp_path)
    monkeypatch.chdir(tmp_path)  # where no file describes it
    _, finding = check_claim_certificate(path)
    assert isinstance(finding.verdict, Proved)
    assert check_files([path], 20)[0].answer == "proved"
    document = json.loads(path.read_text())
    document["games"]["own-1"]["moves"][0]["by"] = [1, "k", 7]
    path.write_text(json.dumps(document))
    assert not isinstance(check_claim_certificate(path)[1].verdict, Proved)
    assert check_files([path], 20)[0].answer == "refuted"
    path.write_text(json.dumps({**document, "games": {}}))
    with pytest.raises(ChocoError, match="own-1"):
        check_claim_certificate(path)
    assert check_files([path], 20)[0].answer == "no certificate"
