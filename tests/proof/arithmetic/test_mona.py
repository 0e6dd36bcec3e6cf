"""The second engine: it agrees with the first, and says why when it has no answer."""

import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings

from choco_pipeline import Nim, SolidBar, StepBar, StripBar, WithPass
from choco_pipeline.automata.arithmetic import linear as linear_automaton
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.proof.arithmetic import mona
from choco_pipeline.proof.arithmetic.engine import Engine
from choco_pipeline.proof.arithmetic.logic import (
    And,
    Bitwise,
    Exists,
    Linear,
    Member,
    NimSumZero,
    Not,
    equal,
    free,
    less,
    linear,
)
from choco_pipeline.proof.arithmetic.mona import decide_with_mona, mona_version
from choco_pipeline.proof.arithmetic.ws1s import SENTENCE, ws1s_files
from choco_pipeline.proof.games.obligations import obligations
from choco_pipeline.proof.proof_errors import NotDefinableError, UndecidedError
from tests.effort import examples
from tests.proof.interpret import REACH, depth, sentences, truth
from tests.proof.relations import by_formula, decide, small, small_sets

needs_mona = pytest.mark.skipif(mona_version() is None, reason="mona is not installed")


@needs_mona
@settings(max_examples=examples(100))
@given(sentences)
def test_both_engines_agree_on_drawn_sentences(sentence) -> None:
    own, other = decide(sentence, small()), decide_with_mona(sentence, small())
    assert own.valid == other.valid
    if other.counterexample is None:
        return
    assert set(other.counterexample) == free(sentence)
    most = max(other.counterexample.values(), default=0) + REACH * depth(sentence)
    assert not truth(sentence, other.counterexample, small_sets(most), most)


GAMES = [
    (SolidBar("(x+z)//3"), ["x^y^z == 0"], True),
    (SolidBar("(x+z)//5"), ["(x-1)^y^(z-1) == 0"], True),
    (SolidBar("(x+z)//5"), ["x^y^z == 0"], False),
    (SolidBar("(x+z)//5"), ["(x+1)^y^(z+1) == 0"], False),  # solid2022, Conj 2 as printed
    (StripBar(k=2), ["x^y^z == 0"], True),
    (StripBar(k=4, s=2), ["(x+2)^y^(z+2) == 0"], True),
    (StripBar(k=3), ["x^y^z == 0"], False),
    (
        WithPass(StripBar(k=4, s=1)),
        ["(x+1)^y^(z+1) == 0", "x+y+z == 0 or (x+1)^y^(z+1) == 1"],
        True,
    ),
    (
        WithPass(StripBar(k=4, s=2)),
        ["(x+2)^y^(z+2) == 0", "x+y+z == 0 or (x+2)^y^(z+2) == 1"],
        False,
    ),
    (SolidBar("max(x, z)//2"), ["x^y^z == 0"], True),
    (SolidBar("x//2+z//2"), ["x^y^z == 0"], False),
]


@needs_mona
@pytest.mark.parametrize(("game", "texts", "true"), GAMES, ids=lambda part: str(part)[:40])
def test_both_engines_agree_on_games(game, texts, true) -> None:
    base = game.ruleset if isinstance(game, WithPass) else game
    relations = {f"R{p}": by_formula(base, text) for p, text in enumerate(texts)}
    engine = Engine(relations)
    verdicts = []
    for obligation in obligations(game, "p"):
        own = engine.decide(obligation.sentence)
        other = decide_with_mona(obligation.sentence, relations)
        assert own.valid == other.valid, obligation.name
        verdicts.append(other.valid)
    assert all(verdicts) == true


@needs_mona
@pytest.mark.parametrize(
    ("game", "text", "true"),
    [
        (StepBar(k=4, s=2), "g == (y^(z+2))-2", True),
        (StepBar(k=3), "g == y^z", False),
        (Nim(2), "g == a^b", True),
    ],
    ids=str,
)
def test_both_engines_agree_on_grundy_numbers(game, text, true) -> None:
    relations = {"R0": by_formula(game, text, "g")}
    verdicts = []
    for obligation in obligations(game, "grundy"):
        own = decide(obligation.sentence, relations)
        assert own.valid == decide_with_mona(obligation.sentence, relations).valid, obligation.name
        verdicts.append(own.valid)
    assert all(verdicts) == true


@needs_mona
def test_counterexamples_are_numbers() -> None:
    is_45 = And((linear({"x": 1, "y": -2}, -5, "=="), linear({"y": 1}, -20, "==")))
    assert decide_with_mona(Not(is_45), {}).counterexample == {"x": 45, "y": 20}
    assert decide_with_mona(Linear((), 0, "!="), {}).counterexample == {}


@needs_mona
@pytest.mark.parametrize("factor", [1, 2, 3, 5, 6, 13, 61, 100])
def test_multiples(factor) -> None:
    is_product = And((linear({"x": factor, "y": -1}, 3, "=="), linear({"x": 1}, -11, "==")))
    counterexample = decide_with_mona(Not(is_product), {}).counterexample
    assert counterexample == {"x": 11, "y": 11 * factor + 3}


@needs_mona
@pytest.mark.parametrize("op", ["^", "&", "|"])
def test_bitwise(op) -> None:
    said = And(
        (Bitwise(op, "x", "y", "z"), *(linear({n: 1}, -v, "==") for n, v in (("x", 12), ("y", 10))))
    )
    counterexample = decide_with_mona(Not(said), {}).counterexample
    assert counterexample == {"x": 12, "y": 10, "z": {"^": 6, "&": 8, "|": 14}[op]}


@needs_mona
def test_a_relation_with_a_start_that_is_left_at_once_and_many_states() -> None:
    relation = linear_automaton({"0": 3, "1": -7, "2": 5}, -37, "==")
    same = linear({"a": 3, "b": -7, "c": 5}, -37, "==")
    member = Member("R", ("a", "b", "c"))
    agree = And((Not(And((member, Not(same)))), Not(And((same, Not(member))))))
    assert decide_with_mona(agree, {"R": relation}).valid
    nothing: Automaton = linear_automaton({"0": 1}, 1, "==")
    assert decide_with_mona(Not(Member("R", ("x",))), {"R": nothing}).valid


@needs_mona
@pytest.mark.parametrize(
    "arguments", [*permutations("abc"), "aab", "aba", "baa", "aaa"], ids="".join
)
def test_arguments_of_a_relation_in_any_order_and_repeated(arguments) -> None:
    relation = linear_automaton({"0": 3, "1": -7, "2": 5}, -37, "<=")
    # each state twice, which MONA need not know
    doubled = Automaton(
        relation.tracks,
        np.concatenate((relation.delta + relation.states, relation.delta)),
        np.tile(relation.accepting, 2),
    )
    member = Member("R", tuple(arguments))
    same = Linear(tuple(zip(arguments, (3, -7, 5), strict=True)), -37, "<=")
    for automaton in (relation, doubled):
        for both in (
            And((Not(And((member, Not(same)))), Not(And((same, Not(member)))))),
            # bound in another order than the one in which they stand
            Not(And((Exists(("b", "a"), And((member, Not(same)))),))),
        ):
            assert decide_with_mona(both, {"R": automaton}).valid
        rim = Linear(same.coefficients, -37, "==")
        at = decide_with_mona(Not(And((member, rim))), {"R": automaton}).counterexample
        assert at is not None
        assert sum(f * at[name] for name, f in zip(arguments, (3, -7, 5), strict=True)) == 37


@needs_mona
def test_a_name_may_be_bound_again() -> None:
    shadow = Exists(("u",), And((equal("u", "x"), Exists(("u",), less("x", "u")))))
    assert decide_with_mona(shadow, {}).valid


@needs_mona
def test_time_is_limited() -> None:
    slow = And(tuple(linear({"x": 977, "y": -991, "z": n}, 983, "==") for n in (499, 503)))
    with pytest.raises(UndecidedError, match="MONA gave no answer: stopped after"):
        decide_with_mona(slow, {}, 0.01)
    with pytest.raises(UndecidedError, match="MONA gave no answer: no time was left for it"):
        decide_with_mona(slow, {}, -0.001)


@needs_mona
@pytest.mark.skipif(sys.platform != "linux", reason="a process that runs is limited on Linux only")
def test_memory_is_limited(monkeypatch) -> None:
    large = And(tuple(linear({"x": 97, "y": -91, "z": n}, 83, "==") for n in (49, 53)))
    monkeypatch.setattr(mona, "MOST_MEMORY", 24 << 20)
    with pytest.raises(
        UndecidedError, match="MONA gave no answer: it needs more than 24 MiB of memory"
    ):
        decide_with_mona(large, {})
    assert decide_with_mona(Not(less("x", "x")), {}).valid, "which it can still do"


def test_text_names_free_variables_in_order() -> None:
    text = ws1s_files(And((less("z", "a"), NimSumZero(("m", "z", "z")))), {})[SENTENCE]
    assert "var2 V0, V1, V2;" in text
    assert "less(" in text


def test_relations_are_checked() -> None:
    with pytest.raises(NotDefinableError, match="no automaton for R0"):
        ws1s_files(Member("R0", ("x",)), {})


def test_without_mona(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert mona_version() is None
    with pytest.raises(UndecidedError, match="MONA gave no answer: it is not installed"):
        decide_with_mona(less("x", "y"), {})


def test_no_answer_is_no_verdict(monkeypatch, tmp_path) -> None:
    fake = tmp_path / "mona"
    fake.write_text("#!/bin/sh\necho 'BDD too large' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UndecidedError, match="MONA gave no answer: BDD too large"):
        decide_with_mona(less("x", "y"), {})
    assert mona_version() == "unknown"
