"""What is known of a relation of a game: its automata, and what the engines found to hold of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.proof.arithmetic.mona import ENGINES, EngineName
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.obligations import Obligation
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.shown import ShownInNotebook

Status = Literal["proved", "refuted", "undecided"]


@dataclass(frozen=True)
class Check:
    """One obligation that an engine found to hold."""

    obligation: Obligation
    engine: EngineName
    seconds: float
    #: Of the largest automaton on the way; 0 where the engine does not say.
    states: int


@dataclass(frozen=True)
class Proof(ShownInNotebook):
    """What is known of a relation of a game.

    Attributes
    ----------
    ruleset, relation
        The game, and whether this is about its P-positions or its Grundy numbers.
    status
        ``proved``: `automata` hold exactly them, for all positions. ``refuted``: the given automata do not.
        ``undecided``: no automata were found, or no engine came to an end.
    why
        The reason, in a sentence.
    automata
        For no pass left, for one and so on; of an undecided game, those that are proved.
    checks
        What the engines found to hold.
    seconds
        In all, with the tables and the guesses.
    growth
        Of an undecided game, the number of different residuals of words of at most 0, 1, 2, … digits.
    no_answer
        Of a proof, the engines that did not find every obligation to hold, each with the reason.
    """

    ruleset: Ruleset
    relation: Relation
    status: Status
    why: str
    automata: tuple[Automaton, ...]
    checks: tuple[Check, ...]
    seconds: float
    growth: tuple[int, ...] = ()
    no_answer: Mapping[EngineName, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        """Return the game, what is known of it, and why, without the automata, which fill pages."""
        states = ", ".join(str(automaton.states) for automaton in self.automata)
        return f"<Proof: {self.relation} of {self.ruleset.notation}: {self.status}, {self.why}; states: {states or 'none'}>"

    @property
    def states(self) -> tuple[int, ...]:
        """Numbers of states, for no pass left, for one and so on."""
        return tuple(automaton.states for automaton in self.automata)

    @property
    def certificate(self) -> dict[str, object]:
        """The document that a certificate's file holds, as plain data; `CertificateError` if nothing is proved."""
        from choco_pipeline.proof.games.certificate import proof_document  # noqa: PLC0415 -- it reads proofs

        return proof_document(self)

    def accepts(self, position: Sequence[int], value: int = 0) -> bool:
        """Return whether a position, however large, is a P-position; of Grundy numbers, whether its number is `value`.

        Raises
        ------
        RulesetError
            If it is not a position of the game.
        UndecidedError
            If nothing is proved.
        """
        if self.status != "proved":
            raise UndecidedError(f"{self.ruleset.notation}: nothing is proved: {self.status}")
        number = (value,) if self.relation == "grundy" else ()
        return self.holds(self.ruleset.check(position), *number)

    def holds(self, position: Position, *value: int) -> bool:
        """Return whether the automata accept a legal position, with a value where they are of Grundy numbers."""
        heaps = len(self.ruleset.base.coordinates)
        passes = position[heaps] if len(position) > heaps else 0
        digits = enumerate((*position[:heaps], *value))
        return self.automata[passes].accepts({str(i): number for i, number in digits})

    @property
    def engines(self) -> tuple[EngineName, ...]:
        """The engines that found every obligation to hold; none if nothing is proved."""
        if self.status != "proved":
            return ()
        decided = {
            name: {c.obligation for c in self.checks if c.engine == name} for name in ENGINES
        }
        return tuple(
            name
            for name in ENGINES
            if decided[name] and decided[name] >= max(decided.values(), key=len)
        )
