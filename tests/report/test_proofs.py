"""The page on proofs: families, laws, automata and an example."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.games.answers import described_counts
from choco_pipeline.proof.games.certificate import write_certificate
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.report.pictures import worked_reading
from choco_pipeline.report.proofs import MOST_PICTURES, proof_families
from tests.report.documents import an_entry, solid, whole
from tests.report.read_pages import Document, Site

STRIP = "strip-bar(k=k, s=s)"


def families(entries, some_games="solid-bar(f=(x+z)//k)"):
    sweeps = {"some-games": some_games, "nim": "nim(3)", "s": "nim(2)"}
    return proof_families(whole({"proofs": entries, "sweeps": sweeps}))[0]


def with_pass(k, s, **changes):
    ruleset = f"with-pass(strip-bar(k={k}, s={s}), passes=1)"
    return an_entry(ruleset, {"k": k, "s": s, "t": 10 + s, "passes": 1}, **changes)


def test_the_games_of_a_sweep_are_one_family_in_numeric_order():
    entries = [solid(k, states=(k,)) for k in (13, 3)]
    entries += [solid(5, status="undecided", growth=(1, 9, 70, 500))]
    entries += [an_entry("nim(3)", sweep="nim")]
    games = ["nim(2)", "with-pass(nim(2), passes=1)"]
    entries += [an_entry(game, {"passes": p}, sweep="s") for p, game in enumerate(games)]
    first, second, third = families(entries)
    assert (first.ruleset, len(first.proved), first.games) == ("solid-bar(f=(x+z)//k)", 2, 3)
    assert (second.ruleset, second.games) == ("nim(3)", 1)
    assert (third.ruleset, third.games) == (", ".join(games), 2)
    assert [row.label for row in first.proved] == ["k = 3", "k = 13"]
    assert (first.main, first.largest) == ("k", 13)
    assert first.undecided == [("no automaton found: residuals grow fast", "k = 5")]
    entries[-1]["relation"] = "grundy"
    assert len(families(entries)) == 4


def test_parameters_that_are_not_in_the_ruleset_or_do_not_vary_are_no_label():
    entries = [with_pass(k, s) for k, s in ((2, 1), (4, 1), (4, 2), (4, 4))]
    (family,) = families(entries, STRIP)
    assert family.ruleset == "with-pass(strip-bar(k=k, s=s), passes=1)"
    assert [row.label for row in family.proved][-1] == "k = 4, s = 4"
    (family,) = families(entries[1:], STRIP)
    assert family.ruleset == "with-pass(strip-bar(k=k, s=s), passes=1) with k = 4"
    heights = ["max(x, z)//2", "z//2"]
    entries = [an_entry(f"solid-bar(f={f})", {"f": f}) for f in heights]
    (family,) = families(entries, "solid-bar(f=f)")
    assert family.ruleset == "solid-bar(f=f)"
    assert (family.main, family.largest, family.laws, family.no_law) == (None, None, [], None)
    assert [row.label for row in family.proved] == ["f = ⌊max(x, z)/2⌋", "f = ⌊z/2⌋"]


def test_states_have_a_chart_and_a_law_where_there_are_enough():
    entries = [solid(k, states=((k + 3) // 2 + 7 * (k % 4 == 1),)) for k in range(1, 40, 2)]
    (family,) = families(entries)
    assert [(of, law.formula, law.where) for of, law in family.laws] == [
        ("", "(k+17)/2", "k ≡ 1 mod 4"),
        ("", "(k+3)/2", "k ≡ 3 mod 4"),
    ]
    chart = str(family.states_chart)
    assert (chart.count("<polyline"), chart.count("<circle")) == (2, 20)
    (family,) = families(entries[:3])
    assert family.states_chart is not None
    assert (family.laws, family.no_law) == ([], "too few games for a law")
    (family,) = families(entries[:2])
    assert family.states_chart is None, "two points are no curve"
    grid = [with_pass(k, s, states=(3 * k + 2 * s, k * k)) for k in range(2, 30, 2) for s in (1, 3)]
    (family,) = families(grid, STRIP)
    assert [(of, law.formula) for of, law in family.laws] == [
        ("s = 1, 0 passes left", "3k+2"),
        ("s = 3, 0 passes left", "3k+6"),
    ]


def test_the_page(ledger, tmp_path):
    assert "proofs.html" not in Site(ledger).html
    proof = prove(parse_ruleset("solid-bar(f=(x+z)//3)"))
    path, missing = str(write_certificate(proof, tmp_path)), str(tmp_path / "no such file.json")
    cases = [
        {"where": "k < 4", "formula": "x ^ z - 1 == 0"},
        {"where": "k >= 4", "formula": "x == z"},
    ]
    formula = {"text": "P ⇔ all <of> it", "cases": cases}
    counts = [one.model_dump() for one in described_counts(proof)]
    ledger |= {"tables": [], "findings": []}
    ledger["verdicts"] = [v for v in ledger["verdicts"] if v["table"] is None]
    ledger["proofs"] = [
        {**solid(3, certificate=path), "counts": counts, "formula": formula},
        {**solid(5, certificate=missing), "formula": formula},
        solid(7, status="undecided", states=(), growth=(1, 9, 70, 500)),
        solid(9, status="undecided", states=(), growth=(1, 9, 12, 14)),
        an_entry("nim(2)", sweep="nim", status="undecided", states=()),
    ]
    html = Site(ledger).html["proofs.html"]
    page = Document(html)
    assert len(set(page.ids)) == len(page.ids)
    assert {"#proofs-1", "#proofs-2"} <= set(page.links)
    text = re.sub(r"\s+", " ", page.text["proofs"])
    for said in (
        f"./choco prove --check {path}",
        f"./choco prove --check '{missing}'",  # as a shell must be given it
        "solid-bar(f=(x+z)//5) 3 ours and the checker 1.25",
        "solid-bar(f=(x+z)//7) fast 7.45 1, 9, 70, 500 why <undecided>",
        "solid-bar(f=(x+z)//9) slowly 1.25",
        "nim(2) – – – why <undecided>",
        "P-positions, 0 passes left 1, ",
        "x ⊕ (z−1) = 0 where k < 4",
    ):
        assert said in text
    assert text.count("x = z where k ≥ 4") == 1, "games with one formula share it"
    pictures = len(re.findall('<(?:svg|table) class="automaton', html))
    assert pictures == 2, "the example, and the certificate that is there"
    assert "why <undecided>" not in html, "text is no markup"
    assert "<of>" not in html


def test_small_automata_are_drawn_each_once_and_the_rest_is_counted(tmp_path):
    entries = []
    for k, s in ((1, 0), (2, 0), (2, 1), (2, 0), (4, 0), (4, 1), (4, 2), (4, 3), (6, 2), (8, 1)):
        proof = prove(parse_ruleset(f"strip-bar(k={k}, s={s})"))
        path, notation = str(write_certificate(proof, tmp_path)), proof.ruleset.notation
        entry = an_entry(notation, {"k": k, "s": s}, states=proof.states, certificate=path)
        entries.append({**entry, "status": proof.status})
    (family,) = families(entries, STRIP)
    states = {one.ruleset: one.states for one in family.pictures}
    assert len(family.pictures) == len(states) <= MOST_PICTURES
    different = {(entry["ruleset"], entry["states"][0]) for entry in entries}
    assert len(states) + family.not_drawn == len(different)
    assert max(states.values()) <= min(n for game, n in different if game not in states)


@pytest.mark.parametrize(
    "game", ["solid-bar(f=(x+z)//3)", "solid-bar(f=(x+z)//1)", "strip-bar(k=2, s=0)"]
)
def test_the_worked_reading_is_the_run_of_the_automaton(game):
    proof = prove(parse_ruleset(game))
    (automaton,) = proof.automata
    example = worked_reading([proof])
    assert example is not None
    p_position, n_position = example.p_position, example.n_position
    assert proof.ruleset.is_p_position(p_position.position)
    assert not proof.ruleset.is_p_position(n_position.position)
    assert n_position.position in {*map(tuple, proof.ruleset.options(p_position.position))}
    for reading in (p_position, n_position):
        assert [int(number, 2) for number in reading.binary] == list(reading.position)
        columns = ["".join(column) for column in zip(*reading.binary, strict=True)][::-1]
        assert [digits for digits, _, _ in reading.steps] == columns[: len(reading.steps)]
        assert reading.steps[0][1] == 0
        assert all(after == before for (_, _, after), (_, before, _) in pairwise(reading.steps))
        for digits, before, after in reading.steps:
            assert after in (None, int(automaton.delta[before, int(digits[::-1], 2)]))
        last = reading.steps[-1][2]
        ends_well = last is not None and bool(automaton.accepting[last])
        assert ends_well == (reading is p_position)


def test_there_is_no_example_where_no_automaton_is_a_good_one():
    proof = prove(parse_ruleset("nim(2)"))
    assert worked_reading([proof]) is None
    assert worked_reading([]) is None
