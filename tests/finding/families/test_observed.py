"""Laws of observed numbers as statements: planted ones with their evidence, none for random numbers."""

from __future__ import annotations

from random import Random

from choco_pipeline.finding.families.observed import law_statements, laws_of_states
from choco_pipeline.finding.statements.statement import FoundStatement
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
        assert one.verdict == "unchecked"
        assert one.held_on.tables == 8
        assert FoundStatement.from_json(one.as_json()) == one


def test_what_the_language_cannot_say_has_no_formula():
    (one,) = law_statements(
        FAMILY, "states", "k", {k: 2 * k + k.bit_length() for k in range(1, 30)}
    )
    assert one.formulas == ()
    assert one.text == f"{FAMILY}: states = 2k+⌊log₂ k⌋+1"


def test_random_numbers():
    for seed in range(30):
        random = Random(seed)
        numbers = {k: random.randint(1, 9) for k in range(1, 40)}
        assert law_statements(FAMILY, "states", "k", numbers) == [], f"seed {seed}"


def test_laws_of_a_runs_proofs_are_those_of_families_with_one_parameter():
    def proof(ruleset, states, status="proved"):
        return {"ruleset": ruleset, "relation": "p", "status": status, "states": states}

    triangles = {f"solid-bar(f=(x+z)//{k})": k for k in range(3, 64, 4)}
    pairs = {f"strip-bar(k={k}, s={s})": (k, s) for k in range(1, 8) for s in range(k)}
    proofs = [proof(game, [(k + 3) // 2]) for game, k in triangles.items()]
    proofs += [proof(game, [k + s]) for game, (k, s) in pairs.items()]
    proofs += [proof("nim(3)", [2]), proof("solid-bar(f=(x+z)//2)", [9], "undecided")]
    families = dict.fromkeys(triangles, FAMILY) | dict.fromkeys(pairs, "strip-bar(k=k, s=s)")
    (law,) = laws_of_states(proofs, families | {"solid-bar(f=(x+z)//2)": FAMILY})
    assert (
        law.text == f"for k%4 == 3: {FAMILY}: states of the automaton of the P-positions = (k+3)/2"
    )
    assert law.verdict == "unchecked"
    with_pass = [proof(f"with-pass({g}, passes=1)", [k, 2 * k]) for g, k in triangles.items()]
    family = f"with-pass({FAMILY}, passes=1)"
    found = laws_of_states(with_pass, {one["ruleset"]: family for one in with_pass})
    assert [one.text.partition("automaton ")[2] for one in found] == [
        "of the P-positions with 0 passes left = k",
        "of the P-positions with 1 pass left = 2k",
    ]
