"""Variables that no name can be: each is equal to itself alone, and all of them and names have one order."""

import pickle

from hypothesis import given
from hypothesis import strategies as st

from choco_pipeline.automata.arithmetic import linear
from choco_pipeline.automata.dfa import Auxiliary
from choco_pipeline.proof.arithmetic.logic import Exists, less, negation
from tests.proof.relations import decide

labels = st.sampled_from(["x", "x'", "y", "'1", ""])
variables = st.one_of(labels, st.builds(Auxiliary, labels))


@given(labels)
def test_it_is_equal_to_nothing_else(label) -> None:
    one, other = Auxiliary(label), Auxiliary(label)
    assert len({one, other, label, pickle.loads(pickle.dumps(one))}) == 4
    assert str(one) == str(other) == label
    again, twice = pickle.loads(pickle.dumps((one, one)))
    assert again is twice


@given(variables, variables, variables)
def test_they_have_one_order(a, b, c) -> None:
    assert (a == b) + (a < b) + (b < a) == 1
    assert (a > b) == (b < a)
    if a < b < c:
        assert a < c


def test_a_number_with_the_label_of_another_is_not_that_one() -> None:
    there = Auxiliary("x")
    both = linear({"x": 1, there: -1}, 0, "<")
    assert both.accepts({"x": 1, there: 2})
    assert not both.accepts({"x": 2, there: 1})
    # some number is below x: not of 0, though it is written alike
    assert decide(Exists((there,), less(there, "x")), {}).counterexample == {"x": 0}
    assert decide(negation(Exists((there,), less(there, "x"))), {}).counterexample == {"x": 1}
