"""The section on proofs: what a ledger says of them is there, grouped, and what it does not say is not made up."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from choco_pipeline.automata.algebra import complement
from choco_pipeline.automata.arithmetic import linear, nim_sum_is_zero
from choco_pipeline.games import parse_ruleset
from choco_pipeline.proof.certificate import write_certificate
from choco_pipeline.proof.prove import prove
from choco_pipeline.report.assemble import page
from choco_pipeline.report.automaton_picture import digit_sets, draw_automaton, is_drawable
from choco_pipeline.report.line_chart import Line, line_chart
from choco_pipeline.report.proofs import growth_factor, proof_section
from tests.report.test_page import Document


def an_entry(
    ruleset, parameters=None, *, status="proved", states=(3,), growth=(), certificate=None
):
    return {
        "ruleset": ruleset,
        "relation": "p",
        "parameters": parameters or {},
        "status": status,
        "why": f"why <{status}>",
        "states": list(states),
        "engines": ["own", "mona"] if status == "proved" else [],
        "seconds": 1.25,
        "growth": list(growth),
        "certificate": certificate,
    }


def solid(k, **changes):
    return an_entry(f"solid-bar(f=(x+z)//{k})", {"k": k}, **changes)


def test_games_that_differ_in_a_number_are_one_family_in_numeric_order():
    entries = [solid(k, states=(k,)) for k in (13, 3, 5)]
    entries += [an_entry("nim(3)"), an_entry("with-pass(nim(3), passes=1)", states=(2, 9))]
    section = proof_section({"proofs": entries})
    assert [(f.ruleset, len(f.rows)) for f in section.proved] == [
        ("solid-bar(f=(x+z)//k)", 3),
        ("nim(3)", 1),
        ("with-pass(nim(3), passes=1)", 1),
    ]
    assert [row.label for row in section.proved[0].rows] == ["k = 3", "k = 5", "k = 13"]
    assert section.proved[2].rows[0].states == "2, 9"
    assert section.games == 5


def test_passes_are_not_a_parameter_of_the_family_name():
    entry = an_entry("with-pass(strip-bar(k=4, s=1), passes=1)", {"s": 1})
    (family,) = proof_section({"proofs": [entry]}).proved
    assert family.ruleset == "with-pass(strip-bar(k=4, s=s), passes=1)"


def test_a_family_of_one_parameter_has_a_chart_and_others_have_none():
    (family,) = proof_section({"proofs": [solid(k, states=(k,)) for k in (3, 5, 9)]}).proved
    assert family.chart is not None
    assert family.chart.count("<circle") == 3
    assert "k 9, 9</title>" in family.chart
    (family,) = proof_section({"proofs": [solid(3), solid(5)]}).proved
    assert family.chart is None, "two points are no curve"
    both = [
        an_entry(f"strip-bar(k={k}, s={s})", {"k": k, "s": s}) for k, s in ((2, 0), (4, 1), (6, 3))
    ]
    (family,) = proof_section({"proofs": both}).proved
    assert family.chart is None, "two parameters vary"


def test_growth_is_tame_or_wild():
    assert growth_factor([1, 9, 62, 366]) > 2
    assert growth_factor([1, 10, 20, 30, 40]) < 2
    assert growth_factor([]) is None


def test_an_older_ledger_has_no_section(ledger):
    ledger.pop("proofs", None)
    assert 'id="proofs"' not in page(ledger, Path("results"))
    assert proof_section({}).games == 0


def test_the_section_on_the_page(ledger, tmp_path):
    proof = prove(parse_ruleset("solid-bar(f=(x+z)//3)"), engines=["own"])
    path = str(write_certificate(proof, tmp_path))
    missing = str(tmp_path / "no such file.json")
    ledger["proofs"] = [
        solid(3, certificate=path),
        solid(5, certificate=missing),
        solid(7, status="undecided", states=(), growth=(1, 9, 70, 500)),
        solid(9, status="undecided", states=(), growth=(1, 9, 12, 14)),
        an_entry("nim(2)", status="undecided", states=()),
    ]
    html = page(ledger, Path("results"))
    found = Document(html)
    assert found.ids.count("proofs") == 1
    assert len(set(found.ids)) == len(found.ids)
    assert "#proofs" in found.links
    text = re.sub(r"\s+", " ", found.text["proofs"])
    assert "For 2 games of this run there is no bound" in text
    assert f"./choco prove --check {path}" in text
    assert f"./choco prove --check '{missing}'" in text, "as a shell must be given it"
    assert "ours and MONA" in text
    assert "k = 7 wild 7.45 1, 9, 70, 500 why <undecided>" in text
    assert "k = 9 tame 1.25" in text
    assert "nim(2) – – – why <undecided>" in text
    assert "not a proof that there is no automaton" in text
    assert html.count('<svg class="automaton"') == 1, "only the certificate that is there is drawn"
    assert "why <undecided>" not in html, "text is no markup"
    assert "reads x, y, z" in text


def test_at_most_six_automata_and_none_twice(tmp_path):
    games = [f"strip-bar(k={k}, s={s})" for k, s in ((1, 0), (2, 0), (2, 1), (2, 0))]
    games += [f"nim({n})" for n in (2, 3, 4)] + ["solid-bar(f=(x+z)//3)"]
    entries = []
    for game in games:
        proof = prove(parse_ruleset(game), engines=["own"])
        path = str(write_certificate(proof, tmp_path))
        entries.append(an_entry(proof.ruleset.notation, states=proof.states, certificate=path))
    pictures = proof_section({"proofs": entries}).pictures
    assert len(pictures) == 6
    assert [one.states for one in pictures] == sorted(one.states for one in pictures)
    assert len({(one.ruleset, one.passes) for one in pictures}) == 6
    assert [len(one.reads) for one in pictures if one.ruleset == "nim(4)"] == [4]


@pytest.mark.parametrize("tracks", [1, 2, 3, 4])
def test_patterns_stand_for_exactly_the_symbols(tracks):
    for code in range(0, 1 << (1 << tracks), 1 if tracks < 4 else 97):
        symbols = [s for s in range(1 << tracks) if code >> s & 1]
        patterns = digit_sets(symbols, tracks)
        matched = {
            s
            for s in range(1 << tracks)
            for pattern in patterns
            if all(p in ("*", str(s >> i & 1)) for i, p in enumerate(pattern))
        }
        assert matched == set(symbols)
    assert digit_sets(range(1 << tracks), tracks) == ["*" * tracks]


@pytest.mark.parametrize(
    "automaton",
    [
        nim_sum_is_zero("x", "y", "z"),
        complement(nim_sum_is_zero("x", "y")),
        linear({"x": 2, "y": -5}, 3, "<="),
        linear({"x": 7, "y": -1}, 0, "=="),
    ],
)
def test_a_drawing_shows_each_state_that_can_still_accept_and_each_arrow(automaton):
    assert is_drawable(automaton)
    picture = unescape(draw_automaton(automaton, "one"))
    Document(picture)
    dead = [
        q
        for q, row in enumerate(automaton.delta.tolist())
        if set(row) == {q} and not automaton.accepting[q]
    ]
    alive = [q for q in range(automaton.states) if q not in dead]
    shown = re.findall(r'class="state"[^>]*>(\d+)<', picture)
    assert sorted(map(int, shown)) == alive
    assert picture.count("<circle") == len(alive) + sum(bool(automaton.accepting[q]) for q in alive)
    arrows = {(p, q) for p in alive for q in automaton.delta[p].tolist() if q in alive}
    assert picture.count("<path") == len(arrows) + 2, "and the start's, and the head"
    assert "nan" not in picture


def test_large_automata_are_not_drawn():
    assert not is_drawable(linear({"x": 31, "y": -1}, 0, "=="))


def test_a_chart_names_its_lines_and_says_where_it_is_logarithmic():
    chart = line_chart(
        [Line("a<b", [(0, 1), (1, 5000)]), Line("c", [(0, 2)])], "digits", "residuals"
    )
    assert "residuals, logarithmic" in chart
    assert "a&lt;b" in chart
    assert chart.count("<polyline") == 2
    places = [float(y) for y in re.findall(r'cy="([\d.]+)"', chart)]
    assert places[1] < places[2] < places[0], "more is higher"
    assert "logarithmic" not in line_chart([Line("", [(3, 4), (5, 9)])], "k", "states")
    assert line_chart([Line("", [(3, 0)])], "k", "states").count("<circle") == 1
