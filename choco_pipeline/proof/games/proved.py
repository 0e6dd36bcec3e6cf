"""A proof of a relation of a game: its automata, and the obligations that hold of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.games import Position, Ruleset
from choco_pipeline.proof.games.membership import Relation
from choco_pipeline.proof.games.obligations import Obligation
from choco_pipeline.proof.games.periods import Period
from choco_pipeline.proof.proof_errors import UndecidedError

Status = Literal["proved", "refuted", "undecided"]


@dataclass(frozen=True)
class Check:
    """One obligation that holds."""

    obligation: Obligation
    seconds: float
    #: Of the largest automaton on the way.
    states: int


@dataclass(frozen=True)
class Proof:
    """The result of a search for a proof, or of a check.

    Attributes
    ----------
    ruleset, relation
        The game, and its P-positions (``p``) or Grundy numbers (``grundy``).
    status
        ``proved``: `automata` are the relation at all positions. ``refuted``: the given automata are not. ``undecided``: no automata
        were found, or a limit was reached.
    why
        The reason, in a sentence.
    automata
        For 0, 1, … passes left; of an undecided game, only the proved ones.
    checks
        The valid obligations.
    seconds
        Time for tables, guesses and decisions.
    growth
        Of an undecided game, the number of different residuals of words of at most 0, 1, 2, … digits.
    period
        The period of the Grundy numbers of a game with one heap, if it is the proof.
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
        """Return the game, the status and the reason, without the automata."""
        states = ", ".join(str(automaton.states) for automaton in self.automata)
        return f"<Proof: {self.relation} of {self.ruleset.notation}: {self.status}, {self.why}; states: {states or 'none'}>"

    def _repr_html_(self) -> str:
        """Return the status, the reason and the numbers of states, for notebooks."""
        relation = {"p": "P-positions", "grundy": "Grundy numbers"}[self.relation]
        states = " and ".join(map(str, self.states)) or "no"
        return Markup("<p><b>{}</b>: the {} of <code>{}</code>: {}; {} states</p>").format(
            self.status, relation, self.ruleset.notation, self.why, states
        )

    @property
    def states(self) -> tuple[int, ...]:
        """Numbers of states, for 0, 1, … passes left."""
        return tuple(automaton.states for automaton in self.automata)

    @property
    def certificate(self) -> dict[str, object]:
        """The certificate as plain data; `CertificateError` if nothing is proved."""
        from choco_pipeline.proof.games.certificate import proof_document  # noqa: PLC0415 -- it reads proofs

        return proof_document(self)

    def accepts(self, position: Sequence[int], value: int = 0) -> bool:
        """Return whether a position is a P-position, or its Grundy number is `value`.

        Raises `RulesetError` if it is not a position of the game; `UndecidedError` if nothing is proved.
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
