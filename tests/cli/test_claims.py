"""``choco claims`` in a project with two claims files and one run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from choco_pipeline import SolidBar
from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.claims.language.claims_file import ClaimsFile
from choco_pipeline.claims.language.verdict import Counterexample, HoldsToBound, Proved, Refuted
from choco_pipeline.documents.record import write_record
from choco_pipeline.documents.reference import schema_text
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.proof.statements.claim_certificate import write_claim_certificate
from tests.claims.verdict_documents import verdict_document
from tests.cli import command
from tests.cli.command import ROOT
from tests.report.documents import a_row, whole

#: What a verdict has beside what it says of which claim.
ON_CLAIM = {"evidence": {}, "seconds": 0.1}
CONFIG = """\
run: t
claims: [config/claims/one.yaml]
sweeps:
  a: {ruleset: solid-bar(f=(x+z)//k), parameters: {k: 5..9}, bound: 9, quantity: p-positions}
"""
ONE = """\
paper: {key: one, title: On Triangles, authors: [A. Author, B. Author], year: 2020, reference: Journal 1}
claims:
  - {id: one-conj-1, number: Conjecture 1, status: conjecture, where: section 7, note: Read as printed.,
     words: "For k = 4m+1 the P-positions are those with (x+1) ⊕ y ⊕ (z+1) = 0.",
     ruleset: solid-bar(f=(x+z)//k), when: k % 4 == 1, statement: P <=> (x+1) ^ y ^ (z+1) == 0}
  - {id: one-conj-1-intended, number: Conjecture 1, status: conjecture, corrects: one-conj-1,
     words: "For k = 4m+1 the P-positions are those with (x−1) ⊕ y ⊕ (z−1) = 0.",
     ruleset: solid-bar(f=(x+z)//k), when: k % 4 == 1, statement: P <=> (x-1) ^ y ^ (z-1) == 0,
     sample: {parameters: {k: 5..9}, bound: 24}}
"""
TWO = """\
paper: {key: two, title: On Integers, authors: [C. Author], reference: preprint}
claims:
  - {id: two-lemma-1, number: Lemma 1, status: lemma, words: x ⊕ y ≤ x + y., bound: 9,
     statement: 'for x in 0..N, y in 0..N: x ^ y <= x + y'}
"""


def choco(folder, *arguments):
    """Run ``choco claims`` in a folder."""
    return command.choco("claims", *arguments, cwd=folder)


def document(folder, *arguments):
    return json.loads(choco(folder, *arguments, "--json").stdout)


@pytest.fixture
def folder(tmp_path):
    """Return a project without a run."""
    (tmp_path / "config" / "claims").mkdir(parents=True)
    for name, text in (("config", CONFIG), ("claims/one", ONE), ("claims/two", TWO)):
        (tmp_path / "config" / f"{name}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def with_run(folder):
    """Return the project with a ledger that refutes the printed conjecture."""
    found = Counterexample("N", "P-position", (4, 2, 6), ("x", "y", "z"), (4, 1, 3), "a reason")
    larger = Counterexample("N", "P-position", (8, 4, 8), ("x", "y", "z"))
    verdicts = [
        {**ON_CLAIM, "claim": claim, "table": f"t{k}", "parameters": {"k": k}}
        | verdict_document(verdict)
        for claim, k, verdict in [
            ("one-conj-1", 9, Refuted(larger, 70)),
            ("one-conj-1", 5, Refuted(found, 80)),
            ("one-conj-1-intended", 5, HoldsToBound(80, 9)),
        ]
    ]
    decided = {"table": "t5", "parameters": {"k": 5}, "coordinates": (), "position": None}
    rows = [
        {**a_row([]), "claim": claim, "verdict": verdict, "text": verdict, "decided": where}
        for claim, verdict, where in (
            ("one-conj-1", "refuted", decided),
            ("one-conj-1-intended", "holds-to-bound", None),
        )
    ]
    tables = [
        {"id": f"t{k}", "ruleset": f"solid-bar(f=(x+z)//{k})", "bound": 5 * k} for k in (5, 9)
    ]
    ledger = whole({"run": "t", "verdicts": verdicts, "rows": rows, "tables": tables})
    write_record(folder / "results" / "t" / "ledger.json", ledger.document())
    return folder


def test_list(with_run):
    def ids(*arguments):
        return [line["id"] for line in document(with_run, "list", *arguments)["claims"]]

    assert ids("--paper", "two") == ["two-lemma-1"]
    assert ids("--status", "conjecture", "--verdict", "holds-to-bound") == ["one-conj-1-intended"]
    assert ids("--config", "config/config.yaml") == ["one-conj-1", "one-conj-1-intended"]
    assert ids("--file", "config/claims/two.yaml") == ["two-lemma-1"]
    lines = choco(with_run, "list").stdout.splitlines()
    assert "  one-conj-1  Conjecture 1 (conjecture): refuted" in lines
    assert lines[-1] == "3 of 3 claims"


def test_show(with_run):
    shown = document(with_run, "show", "one-conj-1-intended")
    assert shown["corrects"] == "one-conj-1"
    assert shown["last"]["verdict"] == "holds-to-bound"
    assert [v["parameters"] for v in shown["verdicts"]] == [{"k": 5}]
    assert shown["commands"][0] == "./choco claims check one-conj-1-intended"
    assert "x=0" in choco(with_run, "show", "one-conj-1").stdout, "the least refutation is drawn"


def test_a_run_is_recommended_only_if_it_includes_the_claim(folder, with_run):
    run = "./choco run config/config.yaml"
    (folder / "same.yaml").write_text(ONE, encoding="utf-8")
    ids = ("one-conj-1", "one-conj-1-intended")
    for claim in ids:
        assert run in document(folder, "show", claim)["commands"]
        assert run in document(folder, "show", claim, "--file", "same.yaml")["commands"]
    (folder / "config" / "config.yaml").write_text(CONFIG.replace("one.yaml", "two.yaml"))
    for claim in ids:
        assert run not in document(folder, "show", claim)["commands"]


def test_a_verdict_of_the_last_run_is_not_shown_for_another_statement(folder):
    catalogue = load_catalogue([folder / "config/claims/two.yaml"])
    ledger = whole(
        {
            "run": "t",
            "claims": [catalogue.claims["two-lemma-1"].as_ledger().model_dump()],
            "rows": [{**a_row([]), "claim": "two-lemma-1", "verdict": "proved"}],
        }
    )
    write_record(folder / "results" / "t" / "ledger.json", ledger.document())
    (folder / "mine.yaml").write_text(TWO.replace("<=", ">="), encoding="utf-8")
    words = ("show", "two-lemma-1")
    assert document(folder, *words)["last"]["verdict"] == "proved"
    assert document(folder, *words, "--file", "mine.yaml")["last"] is None


def test_check_of_what_is_refuted(folder):
    done = choco(folder, "check", "one-conj-1", "k=5", "--bound", "12")
    assert (done.returncode, "x=0" in done.stdout) == (1, True), "drawn"
    found = document(folder, "check", "one-conj-1", "k=5..9", "--bound", "12")
    assert found["status"] == "refuted"
    (claim,) = found["claims"]
    assert [trial["parameters"] for trial in claim["trials"]] == [{"k": 5}, {"k": 9}]
    first = claim["trials"][0]
    game = SolidBar("(x+z)//5")
    wrong = [
        (x, y, z)
        for x, y, z in game.positions(12)
        if ((x + 1) ^ y ^ (z + 1) == 0) != game.is_p_position((x, y, z))
    ]
    assert first["counterexample"]["position"] == list(min(wrong, key=lambda p: (max(p), p)))
    assert first["evidence"]["failures"] == len(wrong)


def test_a_statement_on_integers_is_decided_for_all_of_them(folder):
    with_fixed = document(folder, "check", "two-lemma-1", "x=3")
    assert [trial["verdict"] for trial in with_fixed["claims"][0]["trials"]] == ["holds-to-bound"]
    (claim,) = document(folder, "check", "two-lemma-1")["claims"]
    assert [trial["verdict"] for trial in claim["trials"]] == ["holds-to-bound", "proved"]
    assert "own" in claim["trials"][1]["evidence"]["engines"]


def test_a_check_ends_after_some_seconds(folder):
    found = document(folder, "check", "two-lemma-1", "--bound", "40000", "--seconds", "0.2")
    ((trial,),) = (claim["trials"] for claim in found["claims"])
    assert trial["verdict"] == "undecided"
    assert "it takes more than 0.2 s of a processor; --seconds allows more" in trial.values()


def test_check_of_several_claims_and_of_all(folder):
    found = document(folder, "check", "--all")
    assert ([one["claim"] for one in found["skipped"]], found["status"]) == (
        ["one-conj-1"],
        "not refuted",
    )
    found = document(folder, "check", "two-lemma-1", "one-conj-1-intended", "--bound", "5")
    assert [claim["claim"] for claim in found["claims"]] == ["two-lemma-1", "one-conj-1-intended"]
    assert {trial["bound"] for claim in found["claims"] for trial in claim["trials"]} == {5}


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "one-conj-2"],
        ["check", "one-conj-2"],
        ["check"],
        ["check", "one-conj-1", "--all"],
        ["check", "one-conj-1", "k=3"],
        ["check", "one-conj-1", "k=x"],
        ["check", "one-conj-1", "k=5"],
        ["list", "--paper", "three"],
        ["list", "--file", "none.yaml"],
        ["list", "--config", "none.yaml"],
        ["new", "config/config.yaml"],
        ["new", "../new.yaml"],
        ["new", "new.txt"],
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(folder, arguments):
    done = choco(folder, *arguments, "--json")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
    assert json.loads(done.stdout)["status"] == "error"
    assert (folder / "config" / "config.yaml").read_text(encoding="utf-8") == CONFIG


@pytest.mark.full
def test_claims_are_proved_for_the_games_that_are_named(folder):
    done = document(folder, "check", "one-conj-1-intended", "k=5..9", "--prove")
    (claim,) = done["claims"]
    found = [(one["parameters"], one["verdict"], one["bound"]) for one in claim["trials"]]
    assert found == [({"k": 5}, "proved", None), ({"k": 9}, "proved", None)]
    assert Path(folder, claim["trials"][0]["why"]).is_file()
    wrong = choco(folder, "check", "one-conj-1", "k=5", "--prove")
    assert (wrong.returncode, "(4, 2, 6)" in wrong.stdout) == (1, True)
    for options in (["--all"], ["--bound", "9"], ["--proofs"]):
        assert choco(folder, "check", "one-conj-1", "--prove", *options).returncode == 2


INTEGERS = """\
paper: {key: three, title: On Numbers, authors: [D. Author], reference: preprint}
claims:
  - {id: three-true, number: Lemma 1, status: lemma, words: True., statement: 'for x in 0..9: x <= 9'}
  - {id: three-false, number: Lemma 2, status: lemma, words: False., statement: 'for x in 0..9: x <= 8'}
  - {id: three-vacuous, number: Lemma 3, status: lemma, words: Nothing., statement: 'for x in 5..3: x == 7'}
  - {id: three-table, number: Lemma 4, status: lemma, words: Without a proof., ruleset: nim(2),
     statement: 'at (1, 1): option(0, 1)', sample: {bound: 4}}
  - {id: three-game, number: Lemma 5, status: lemma, words: False of a game that is not proved.,
     ruleset: game(wythoff), statement: P <=> a == b, sample: {bound: 4}}
"""


def test_what_the_check_decides_needs_no_proof_and_what_is_refused_ends_nothing(folder):
    (folder / "config" / "claims" / "three.yaml").write_text(INTEGERS, encoding="utf-8")
    shutil.copytree(ROOT / "config" / "games", folder / "config" / "games")
    ids = ["three-true", "three-table", "three-false", "three-vacuous", "three-game"]
    done = choco(folder, "check", "--prove", *ids, "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    verdicts = {claim["claim"]: claim["verdict"] for claim in found["claims"]}
    assert verdicts == {
        "three-true": "exhausted",
        "three-false": "refuted",
        "three-vacuous": "vacuous",
        "three-game": "refuted",
    }
    assert [one["claim"] for one in found["skipped"]] == ["three-table"]
    assert choco(folder, "check", "--prove", "three-true").returncode == 0
    assert choco(folder, "check", "--prove", "three-table").returncode == 2
    assert choco(folder, "check", "--prove", "two-lemma-1", "x=3").returncode == 2


def test_a_new_file_is_right_and_its_claims_hold(folder):
    done = choco(folder, "new", "claims/mine.yaml")
    assert done.returncode == 0, done.stderr
    assert "./choco claims check --all --file claims/mine.yaml" in done.stdout
    assert choco(folder, "new").stdout == (folder / "claims" / "mine.yaml").read_text("utf-8")
    found = document(folder, "check", "--all", "--file", "claims/mine.yaml")
    assert (found["status"], found["skipped"], len(found["claims"])) == ("not refuted", [], 3)
    verdicts = {trial["verdict"] for claim in found["claims"] for trial in claim["trials"]}
    assert verdicts <= {"holds-to-bound", "exhausted"}


def test_the_schema_of_claims_files_is_that_of_the_models():
    assert (ROOT / "config" / "claims" / "schema.json").read_text("utf-8") == schema_text(
        ClaimsFile
    ), "run: choco schema --claims > config/claims/schema.json"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Return the paths of certificates by their fault."""
    folder = tmp_path_factory.mktemp("certificates")
    (folder / "one.yaml").write_text(ONE, encoding="utf-8")
    claims = load_catalogue([folder / "one.yaml"]).claims
    proofs = {k: prove(parse_ruleset(f"solid-bar(f=(x+z)//{k})"), "p") for k in (5, 9)}

    def written(claim_id, k):
        path = write_claim_certificate(claims[claim_id], {"k": k}, proofs[k], folder)
        return path.as_posix()

    changed = Path(written("one-conj-1-intended", 9))
    text = changed.read_text(encoding="utf-8").replace('"k": 9', '"k": 5')
    changed.write_text(text, encoding="utf-8")
    return {
        "right": written("one-conj-1-intended", 5),
        "of another game": changed.as_posix(),
        "of another claim": written("one-conj-1", 5),
    }


@pytest.mark.full
@pytest.mark.parametrize(
    ("claim", "of", "code", "verdict"),
    [
        ("one-conj-1-intended", "right", 0, "proved-for-listed"),
        ("one-conj-1", "right", 1, "undecided"),
        ("one-conj-1", "of another claim", 1, "refuted"),
        ("one-conj-1-intended", "of another game", 2, None),
    ],
)
def test_what_a_run_proved_is_proved_again_from_its_certificates(
    folder, certificates, claim, of, code, verdict
):
    proved = verdict_document(Proved(certificates[of]))
    written = {**ON_CLAIM, "claim": claim, "table": None, "parameters": {"k": 5}, **proved}
    ledger = whole({"run": "t", "verdicts": [{**written, "certificate": certificates[of]}]})
    write_record(folder / "results" / "t" / "ledger.json", ledger.document())
    done = choco(folder, "check", claim, "--proofs", "--json")
    assert done.returncode == code, done.stderr
    if verdict:
        (found,) = json.loads(done.stdout)["claims"]
        assert found["verdict"] == verdict
    assert choco(folder, "check", "one-conj-1", "--all", "--proofs").returncode == 2
    nothing = next(one for one in ("one-conj-1", "one-conj-1-intended") if one != claim)
    assert choco(folder, "check", nothing, "--proofs").returncode == 2, "there is no proof of it"


def test_a_proof_for_all_parameters_of_a_claim_that_asks_for_none_any_more_is_no_proof(folder):
    everything = {"parameters": ["k"], "condition": "k >= 0", "where": ""}
    of_all = {**verdict_document(Proved("")), "for_all": everything, "certificate": None}
    verdict = {**ON_CLAIM, "claim": "one-conj-1", "table": None, "parameters": {}, **of_all}
    ledger = whole({"run": "t", "verdicts": [verdict]})
    write_record(folder / "results" / "t" / "ledger.json", ledger.document())
    done = choco(folder, "check", "one-conj-1", "--proofs", "--json")
    assert (done.returncode, json.loads(done.stdout)["claims"][0]["verdict"]) == (1, "undecided")
