"""Laws of observed numbers as statements: planted ones with their evidence, none for random numbers."""

from __future__ import annotations

from random import Random

from choco_pipeline.finding.observed import law_statements
from choco_pipeline.finding.statement import Statement
from choco_pipeline.formula import parse

FAMILY = "solid-bar(f=(x+z)//k)"


def test_states():
    """Two residue classes with a law each, as the automata of triangular bars have them."""
    states = {k: (k + 3) // 2 if k % 4 == 3 else (3 * k + 7) // 2 for k in range(1, 64, 2)}
    found = {one.when: one for one in law_statements(FAMILY, "states", "k", states)}
    assert set(found) == {"k%4 == 1", "k%4 == 3"}
    for when, one in found.items():
        (line,) = one.formulas
        assert line.label == "states ="
        for k in range(1, 64, 2):
            if parse(when).value({"k": k}):
                assert parse(line.formula).value({"k": k}) == states[k]
        assert one.verdict.status == "observed"
        assert one.held_on.tables == 8
        assert Statement.from_json(one.as_json()) == one


def test_what_the_language_cannot_say_has_no_formula():
    (one,) = law_statements(
        FAMILY, "states", "k", {k: 2 * k + k.bit_length() for k in range(1, 30)}
    )
    assert one.formulas == ()
    assert one.text.endswith("states = 2k+⌊log₂ k⌋+1 for every k")


def test_random_numbers():
    for seed in range(30):
        random = Random(seed)
        numbers = {k: random.randint(1, 9) for k in range(1, 40)}
        assert law_statements(FAMILY, "states", "k", numbers) == [], f"seed {seed}"
