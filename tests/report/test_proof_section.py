"""The section on proofs: what a ledger says of them is there by family, and what it does not say is not made up."""

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
from tests.report.documents import whole
from tests.report.proof_entries import an_entry, solid
from tests.report.read_pages import Document, Site


def families(entries):
    return proof_families(whole({"proofs": entries}))[0]


def test_the_games_of_a_sweep_are_one_family_in_numeric_order():
    entries = [solid(k, states=(k,)) for k in (13, 3)]
    entries += [solid(5, status="undecided", growth=(1, 9, 70, 500))]
    entries += [an_entry("nim(3)", sweep="nim")]
    entries += [an_entry("with-pass(nim(3), passes=1)", sweep="nim-with-pass", states=(2, 9))]
    found = families(entries)
    assert [(f.ruleset, len(f.proved), f.games) for f in found] == [
        ("solid-bar(f=(x+z)//k)", 2, 3),
        ("nim(3)", 1, 1),
        ("with-pass(nim(3), passes=1)", 1, 1),
    ]
    first = found[0]
    assert [row.label for row in first.proved] == ["k = 3", "k = 13"]
    assert (first.main, first.largest) == ("k", 13)
    assert first.undecided == [("no automaton found: residuals grow fast", "k = 5")]
    assert found[2].proved[0].states == "2, 9"


def test_a_family_may_have_several_kinds_of_games():
    games = ["nim(2)", "with-pass(nim(2), passes=1)"]
    entries = [an_entry(game, {"passes": passes}) for passes, game in enumerate(games)]
    (family,) = families(entries)
    assert family.ruleset == "nim(2), with-pass(nim(2), passes=1)"
    assert len(family.proved) == 2
    entries[1]["relation"] = "grundy"
    assert len(families(entries)) == 2


def test_parameters_that_are_not_in_the_ruleset_or_do_not_vary_are_no_label():
    entries = [
        an_entry(
            f"with-pass(strip-bar(k={k}, s={s}), passes=1)",
            {"k": k, "s": s, "t": 10 + s, "passes": 1},
        )
        for k, s in ((2, 1), (4, 1), (4, 2), (4, 4))
    ]
    (family,) = families(entries)
    assert family.ruleset == "with-pass(strip-bar(k=k, s=s), passes=1)"
    assert [row.label for row in family.proved][-1] == "k = 4, s = 4"
    heights = ["max(x, z)//2", "min(x, z)", "z//2"]
    entries = [an_entry(f"solid-bar(f={f})", {"f": f}) for f in heights]
    (family,) = families(entries)
    assert family.ruleset == "solid-bar(f=f)"
    assert (family.main, family.largest, family.laws, family.no_law) == (None, None, [], None)
    assert [row.label for row in family.proved] == [
        "f = ⌊max(x, z)/2⌋",
        "f = min(x, z)",
        "f = ⌊z/2⌋",
    ]


def test_states_have_a_chart_and_a_law_where_there_are_enough():
    entries = [solid(k, states=((k + 3) // 2 + 7 * (k % 4 == 1),)) for k in range(1, 40, 2)]
    (family,) = families(entries)
    assert [(of, law.formula, law.where) for of, law in family.laws] == [
        ("", "(k+17)/2", "k ≡ 1 mod 4"),
        ("", "(k+3)/2", "k ≡ 3 mod 4"),
    ]
    fitted, held_out = family.laws[1][1].fitted, family.laws[1][1].held_out
    assert (fitted, held_out) == ((3, 7, 11, 15, 19), (23, 27, 31, 35, 39))
    chart = str(family.states_chart)
    assert chart.count("<polyline") == 2
    assert chart.count("<circle") == 20
    assert "(k+17)/2: k 5, 11</title>" in chart
    (family,) = families(entries[:3])
    assert family.states_chart is not None
    assert (family.laws, family.no_law) == ([], "too few games for a law")
    (family,) = families(entries[:2])
    assert family.states_chart is None, "two points are no curve"


def test_laws_of_a_grid_are_of_one_line_of_it_each():
    entries = [
        an_entry(
            f"with-pass(strip-bar(k={k}, s={s}), passes=1)",
            {"k": k, "s": s, "passes": 1},
            states=(3 * k + 2 * s, k * k),
        )
        for k in range(2, 30, 2)
        for s in (1, 3)
    ]
    (family,) = families(entries)
    assert [(of, law.formula) for of, law in family.laws] == [
        ("s = 1, 0 passes left", "3k+2"),
        ("s = 3, 0 passes left", "3k+6"),
    ]


def test_the_section_on_the_page(ledger, tmp_path):
    proof = prove(parse_ruleset("solid-bar(f=(x+z)//3)"))
    path = str(write_certificate(proof, tmp_path))
    missing = str(tmp_path / "no such file.json")
    formula = {
        "text": "P ⇔ all <of> it",
        "cases": [
            {"where": "k < 4", "formula": "x ^ z - 1 == 0"},
            {"where": "k >= 4", "formula": "x == z"},
        ],
    }
    ledger["tables"] = []
    ledger["verdicts"] = [v for v in ledger["verdicts"] if v["table"] is None]
    ledger["findings"] = []
    ledger["proofs"] = [
        {
            **solid(3, certificate=path),
            "counts": [one.model_dump() for one in described_counts(proof)],
            "formula": formula,
        },
        {**solid(5, certificate=missing), "formula": formula},
        solid(7, status="undecided", states=(), growth=(1, 9, 70, 500)),
        solid(9, status="undecided", states=(), growth=(1, 9, 12, 14)),
        an_entry("nim(2)", sweep="nim", status="undecided", states=()),
    ]
    site = Site(ledger)
    assert "proofs.html" in site.first.links
    html = site.html["proofs.html"]
    found = Document(html)
    assert found.ids.count("proofs") == 1
    assert len(set(found.ids)) == len(found.ids)
    assert {"#proofs-1", "#proofs-2"} <= set(found.links)
    text = re.sub(r"\s+", " ", found.text["proofs"])
    assert "For 2 games of this run there is no bound" in text
    assert f"./choco prove --check {path}" in text
    assert f"./choco prove --check '{missing}'" in text, "as a shell must be given it"
    assert "solid-bar(f=(x+z)//5) 3 ours and the checker 1.25" in text, "a row names its game"
    assert "solid-bar(f=(x+z)//7) fast 7.45 1, 9, 70, 500 why <undecided>" in text
    assert "solid-bar(f=(x+z)//9) slowly 1.25" in text
    assert "nim(2) – – – why <undecided>" in text
    assert "k = 7: no automaton found: residuals grow fast" in text
    assert "Neither is a proof that there is no automaton" in text
    assert len(re.findall('<(?:svg|table) class="automaton', html)) == 2, (
        "the example, and the certificate that is there"
    )
    assert "why <undecided>" not in html, "text is no markup"
    assert "reads x, y, z" in text
    assert "P-positions, 0 passes left 1, " in text
    assert "x ⊕ (z−1) = 0 where k < 4" in text
    assert text.count("x = z where k ≥ 4") == 1, "games with one formula share it"
    assert "<of>" not in html


def test_small_automata_are_drawn_each_once_and_the_rest_is_counted(tmp_path):
    entries = []
    for k, s in ((1, 0), (2, 0), (2, 1), (2, 0), (4, 0), (4, 1), (4, 2), (4, 3), (6, 2), (8, 1)):
        proof = prove(parse_ruleset(f"strip-bar(k={k}, s={s})"))
        path = str(write_certificate(proof, tmp_path))
        entries.append(
            an_entry(
                proof.ruleset.notation,
                {"k": k, "s": s},
                status=proof.status,
                states=proof.states,
                certificate=path,
            )
        )
    (family,) = families(entries)
    states = [one.states for one in family.pictures]
    assert len(states) <= MOST_PICTURES
    assert len({one.ruleset for one in family.pictures}) == len(states)
    different = {(entry["ruleset"], entry["states"][0]) for entry in entries}
    assert len(states) + family.not_drawn == len(different)
    assert max(states) <= min(
        (
            number
            for game, number in different
            if game not in {one.ruleset for one in family.pictures}
        )
    )


@pytest.mark.parametrize(
    "game", ["solid-bar(f=(x+z)//3)", "solid-bar(f=(x+z)//1)", "strip-bar(k=2, s=0)"]
)
def test_the_worked_reading_is_what_the_automaton_does(game):
    proof = prove(parse_ruleset(game))
    (automaton,) = proof.automata
    example = worked_reading([proof])
    assert example is not None
    assert proof.ruleset.is_p_position(example.p_position.position)
    assert not proof.ruleset.is_p_position(example.n_position.position)
    assert example.n_position.position in set(
        map(tuple, proof.ruleset.options(example.p_position.position))
    )
    for reading in (example.p_position, example.n_position):
        assert [int(number, 2) for number in reading.binary] == list(reading.position)
        columns = ["".join(column) for column in zip(*reading.binary, strict=True)][::-1]
        assert [digits for digits, _, _ in reading.steps] == columns[: len(reading.steps)]
        for (_, _, after), (_, before, _) in pairwise(reading.steps):
            assert after == before
        ends_well = reading.last is not None and bool(automaton.accepting[reading.last])
        assert ends_well == (reading is example.p_position)


def test_there_is_no_example_where_no_automaton_is_a_good_one():
    proof = prove(parse_ruleset("nim(2)"))
    assert worked_reading([proof]) is None
    assert worked_reading([]) is None
