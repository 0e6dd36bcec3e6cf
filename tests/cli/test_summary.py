"""The last lines of a run, for any number of claims and any length of texts."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from choco_pipeline.claims.conclusions.conclusion import OUTCOMES, SIGNS, Conclusion
from choco_pipeline.cli.output import WIDTH
from choco_pipeline.cli.run import MOST_OPEN, MOST_OTHERS, OPEN, count_verdicts, show_summary
from choco_pipeline.finding.statement import FoundStatement
from choco_pipeline.mining.table_findings import Evidence, Tried
from tests.report.documents import a_claim, a_row, whole

STATUSES = ("theorem", "conjecture", "question", "figure", "ours")
long_words = st.text("abc ⊕=,", max_size=200)
widths = st.sampled_from([None, 60, 80, 120, 300])


def ledger_of(claims, pairs=None, verdicts=None):
    """Return a ledger of claims with ids 0, 1, 2."""
    plain, rest = a_claim(), {"table": None, "parameters": {}, "text": "", "seconds": 0}
    return whole(
        {
            "claims": [
                {
                    **plain,
                    "id": str(i),
                    "paper": {**plain["paper"], "key": key},
                    "number": number,
                    "status": status,
                }
                for i, (key, number, status, _, _) in enumerate(claims)
            ],
            "rows": [
                {**a_row([]), "claim": str(i), "verdict": verdict, "text": text, "for_all": ""}
                for i, (_, _, _, verdict, text) in enumerate(claims)
            ],
            "pairs": [
                {"text": "", "decided": None, "right": "open", **pair} for pair in pairs or []
            ],
            "verdicts": [{**rest, **verdict} for verdict in verdicts or []],
        }
    )


@st.composite
def ledgers(draw):
    """Draw claims, pairs of them, and reasons of undecided claims."""
    claims = [
        (
            draw(st.sampled_from(["first", "second"])),
            f"N{i} {draw(long_words)}",
            draw(st.sampled_from(STATUSES)),
            draw(st.sampled_from(list(SIGNS))),
            draw(long_words),
        )
        for i in range(draw(st.integers(0, 12)))
    ]
    ids = st.sampled_from([str(i) for i in range(len(claims))]) if claims else st.nothing()
    kinds = st.sampled_from(["misprint", "disagreement"])
    pair = st.fixed_dictionaries({"kind": kinds, "printed": ids, "intended": ids})
    verdicts = [
        {"claim": str(i), "verdict": "undecided", "why": draw(long_words), "evidence": {}}
        for i, claim in enumerate(claims)
        if claim[3] == "undecided"
    ]
    return ledger_of(claims, draw(st.lists(pair, max_size=3)) if claims else [], verdicts)


def statement(outcome, number, known=()):
    return FoundStatement(
        search="formulas",
        ruleset="nim(2)",
        words=f"the Grundy number of {number} is right",
        found_on=Evidence(1, "a"),
        held_on=Evidence(1, "b"),
        tried=Tried(1, "c"),
        conclusion=Conclusion(outcome, f"what is known of {number}"),
        known=known,
    )


def printed(ledger, new=0, width=None, *, verbose=False):
    file = io.StringIO()
    on = {} if width is None else {"force_terminal": True, "width": width}
    found = [statement(OUTCOMES[n % len(OUTCOMES)], n) for n in range(new)]
    found.append(statement("proved", 100, ("a-thm-1",)))
    console = Console(file=file, color_system=None, **on)
    show_summary(ledger, found, console, verbose=verbose)
    lines = file.getvalue().splitlines()
    assert all(len(line) <= min(WIDTH, width or WIDTH) for line in lines)
    assert not any("number of 100" in line for line in lines), "it is implied by a claim"
    return lines


def claims_in(ledger, lines):
    """Return the ids of the claims that have a paragraph, in their order."""
    keys = {f"{claim.paper.key} {claim.number.split()[0]}": claim.id for claim in ledger.claims}
    signs = {f"  {sign}" for sign, _ in SIGNS.values()}
    starts = [" ".join(line[3:].split()[:2]) for line in lines if line[:3] in signs]
    return [keys[start.rstrip(":")] for start in starts if start.startswith(("first", "second"))]


@given(ledgers(), st.integers(0, 12), widths)
def test_a_summary_is_short(ledger, new, width):
    lines = printed(ledger, new, width)
    assert len(lines) <= 22 or width == 60
    verdict = {row.claim: row.verdict for row in ledger.rows}
    unsolved = [claim.id for claim in ledger.claims if claim.status in OPEN]
    rest = [claim for claim in unsolved if verdict[claim] not in ("proved", "exhausted")]
    rest.sort(key=lambda claim: (verdict[claim] != "refuted", verdict[claim] == "unchecked"))
    assert claims_in(ledger, lines) == rest[:MOST_OPEN]
    assert (f"  + {len(rest) - MOST_OPEN} more" in lines) == (len(rest) > MOST_OPEN)


@given(ledgers(), st.integers(0, 12), widths)
def test_with_verbose_nothing_is_cut(ledger, new, width):
    lines = printed(ledger, new, width, verbose=True)
    row_of = {row.claim: row for row in ledger.rows}
    misprints = {pair.printed for pair in ledger.pairs if pair.kind == "misprint"}
    unsolved = [claim.id for claim in ledger.claims if claim.status in OPEN]
    others = [claim for claim in row_of if claim not in {*unsolved, *misprints}]
    refuted = [claim for claim in others if row_of[claim].verdict == "refuted"]
    rest = [claim for claim in others if claim not in refuted]
    rest.sort(key=lambda claim: OUTCOMES.index(row_of[claim].verdict))
    rest.sort(key=lambda claim: row_of[claim].verdict == "unchecked")
    expected = [*unsolved, *refuted, *rest[:MOST_OTHERS]]
    assert claims_in(ledger, lines) == expected
    letters = "".join("".join(lines).split())
    texts = [row_of[claim].text for claim in expected]
    texts += [verdict.why or "" for verdict in ledger.verdicts]
    assert all("".join(text.split()) in letters for text in texts)


@given(ledgers())
def test_every_claim_is_counted_once(ledger):
    groups = count_verdicts(ledger)
    status = {claim.id: claim.status for claim in ledger.claims}
    assert sum(sum(counts.values()) for counts in groups.values()) == len(ledger.claims)
    for group, counts in groups.items():
        of = {group} if group in ("question", "ours") else {"theorem", "conjecture", "figure"}
        for verdict, number in counts.items():
            rows = [row for row in ledger.rows if row.verdict == verdict]
            assert number == sum(status[row.claim] in of for row in rows)


def test_a_summary_as_a_whole():
    claims = [
        ("a", "N1", "conjecture", "proved", ""),
        ("a", "N2", "conjecture", "holds-to-bound", "word " * 40),
        ("a", "N3", "conjecture", "refuted", "word " * 40),
        ("a", "N4", "question", "proved", ""),
        ("a", "N5", "theorem", "proved", ""),
        ("a", "N6", "theorem", "refuted", ""),
    ]
    pair = {"kind": "disagreement", "printed": "5", "intended": "4"}
    lines = printed(ledger_of(claims, [pair]), 8)
    assert lines[0].startswith("Conjectures: 1 proved, 1 holding to the bound, 1 refuted")
    assert [(line[:7], line[-2:]) for line in lines[1:3]] == [("  ✗ a N", " …"), ("  ◐ a N", " …")]
    assert lines[3] == "New and proved: 1"
    assert lines[5] == "New and open: 6"
    assert lines[8].endswith(" (+ 3 more: found.html)")
    assert lines[9] == "Papers disagree: a N5 and a N6"
    assert lines[-1] == "every claim: ./choco claims list --config c.yaml"


@pytest.mark.parametrize(
    ("verdict", "evidence", "is_named"),
    [("undecided", {}, True), ("exhausted", {}, False), ("exhausted", {"key": "let.t"}, True)],
)
def test_the_reason_of_an_undecided_claim(verdict, evidence, is_named):
    silent = {"claim": "0", "verdict": "undecided", "why": "claims.yaml:8:9", "evidence": evidence}
    ledger = ledger_of([("a", "Lemma 1", "lemma", verdict, "")], verdicts=[silent])
    assert ("  a Lemma 1: claims.yaml:8:9" in printed(ledger, verbose=True)) == is_named
