"""What is known of a relation of a game: its automata, and the obligations that hold of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.obligations import Obligation
from choco_pipeline.proof.games.periods import Period
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.shown import ShownInNotebook

Status = Literal["proved", "refuted", "undecided"]


@dataclass(frozen=True)
class Check:
    """One obligation that holds."""

    obligation: Obligation
    seconds: float
    #: Of the largest automaton on the way.
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
        ``undecided``: no automata were found, or the engine came to no end.
    why
        The reason, in a sentence.
    automata
        For no pass left, for one and so on; of an undecided game, those that are proved.
    checks
        The obligations that hold.
    seconds
        In all, with the tables and the guesses.
    growth
        Of an undecided game, the number of different residuals of words of at most 0, 1, 2, … digits.
    period
        Where the Grundy numbers of a game of one heap begin to repeat, if this is how they are proved.
    """

    ruleset: Ruleset
    relation: Relation
    status: Status
    why: str
    automata: tuple[Automaton, ...]
    checks: tuple[Check, ...]
    seconds: float
    growth: tuple[int, ...] = ()
    period: Period | None = None

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
