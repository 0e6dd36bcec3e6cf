"""One sentence put to every engine: an answer is one that all of them give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from textwrap import shorten
from typing import Any

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.errors import DisagreementError, LimitError
from choco_pipeline.proof.arithmetic.engine import Decision, Engine
from choco_pipeline.proof.arithmetic.logic import Sentence, negation, written
from choco_pipeline.proof.arithmetic.mona import EngineName, decide_with_mona, unasked
from choco_pipeline.proof.clock import Clock
from choco_pipeline.proof.proof_errors import UndecidedError

#: Characters of a sentence in an error.
MOST_TEXT = 600


class Agreement:
    """Several engines, asked about the same relations for a limited time.

    The seconds are for all questions together, about; a question to MONA has a limit of its own, too.
    """

    def __init__(
        self,
        relations: Mapping[str, Automaton],
        names: Sequence[EngineName],
        seconds: float,
        mona_seconds: float = inf,
        about: str = "a claim",
    ) -> None:
        self.relations = dict(relations)
        self.names = names
        self.own = Engine(relations)
        #: Of the largest automaton that our engine needed.
        self.states = 0
        #: The engines that gave no answer to some question, each with its first reason.
        self.silent: dict[EngineName, str] = {}
        self._clock = Clock(seconds)
        self._mona_seconds = mona_seconds
        self._about = about

    def evidence(self) -> Mapping[str, Any]:
        """Return as plain data which engines answered every question, and why others, asked or not, did not."""
        answering = [name for name in self.names if name not in self.silent]
        no_answer = unasked(self.names) | self.silent
        return {"engines": answering, "no_answer": no_answer, "states": self.states}

    def hold(self, sentence: Sentence) -> bool:
        """Return whether a sentence holds for all values, as all engines say that give an answer.

        Raises `UndecidedError` if none does; `DisagreementError` if they contradict each other.
        """
        answers: dict[EngineName, bool] = {}
        for name in self.names:
            try:
                answers[name] = self._decision(name, sentence).valid
            except LimitError as error:
                self.silent.setdefault(name, str(error))
            except UndecidedError as error:
                self.silent.setdefault(name, error.why)
        if not answers:
            raise UndecidedError("; ".join(f"{name}: {why}" for name, why in self.silent.items()))
        if len(set(answers.values())) > 1:
            disagreement = ", ".join(f"{valid} by {name}" for name, valid in answers.items())
            text = shorten(written(sentence), MOST_TEXT, placeholder=" …")
            raise DisagreementError(f"{self._about}: the sentence {text!r} is {disagreement}")
        return next(iter(answers.values()))

    def automaton(self, sentence: Sentence) -> Automaton:
        """Return the automaton of what makes a sentence true, or raise `UndecidedError`."""
        # Which keeps to the time, and keeps the automaton.
        self._decision("own", negation(sentence))
        return self.own.automaton_of(sentence)

    def _decision(self, name: EngineName, sentence: Sentence) -> Decision:
        left = self._clock.left
        if left <= 0:
            raise UndecidedError("the time is over")
        if name == "mona":
            return decide_with_mona(sentence, self.relations, min(left, self._mona_seconds))
        decision = self.own.decide(sentence, left)
        self.states = max(self.states, decision.states)
        return decision
