"""One position read digit by digit, as an example of what an automaton does."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import product

from markupsafe import Markup

from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.proof.games.certificate import Certificate
from choco_pipeline.report.proved.automaton_picture import arrows, draw_automaton

#: The position that is read has coordinates below this.
BELOW = 8
#: States that make a good example.
LEAST_STATES, MOST_STATES = 3, 8


@dataclass(frozen=True)
class ReadingStep:
    """One column of digits, and where it leads; None where no arrow leads on."""

    digits: str
    before: int
    after: int | None


@dataclass(frozen=True)
class ReadPosition:
    """A position, and what happens when it is read."""

    position: tuple[int, ...]
    #: The coordinates in base 2, all of the same length.
    binary: list[str]
    steps: list[ReadingStep]
    #: Whether the automaton says that it is a P-position.
    yes: bool

    @property
    def last(self) -> int | None:
        """The state in which reading ends; None if it got stuck."""
        return self.steps[-1].after


@dataclass(frozen=True)
class WorkedReading:
    """An automaton of P-positions, a P-position, and an N-position beside it."""

    ruleset: str
    coordinates: tuple[str, ...]
    states: int
    picture: Markup
    p_position: ReadPosition
    n_position: ReadPosition


def worked_reading(certificates: Sequence[Certificate]) -> WorkedReading | None:
    """Return an example with the smallest automaton fit for it, of P-positions without a pass; None without one."""
    fit = [
        certificate
        for certificate in certificates
        if certificate.relation == "p"
        and LEAST_STATES <= certificate.automata[0].states <= MOST_STATES
        and len(certificate.automata) == 1
    ]
    for certificate in sorted(fit, key=lambda certificate: certificate.automata[0].states):
        automaton = certificate.automata[0]
        coordinates = certificate.ruleset.coordinates
        alive = {state for edge in arrows(automaton) for state in edge}
        readings = [
            read(automaton, position, alive)
            for position in product(range(1, BELOW), repeat=len(coordinates))
            if automaton.accepts(dict(zip(automaton.tracks, position, strict=True)))
        ]
        if not readings:
            continue
        shown = max(
            readings,
            key=lambda reading: (len({step.after for step in reading.steps}), len(reading.steps)),
        )
        # whatever a move makes of a P-position is an N-position
        options = [read(automaton, o, alive) for o in certificate.ruleset.options(shown.position)]
        option = max(options, key=lambda reading: (len(reading.steps), sum(reading.position)))
        return WorkedReading(
            certificate.ruleset.notation,
            tuple(coordinates),
            automaton.states,
            draw_automaton(automaton),
            shown,
            option,
        )
    return None


def read(automaton: Automaton, position: Sequence[int], alive: Collection[int]) -> ReadPosition:
    """Return what an automaton does with a position, up to where it leaves the states `alive`, and says no for good."""
    length = max(1, *(number.bit_length() for number in position))
    steps: list[ReadingStep] = []
    state: int | None = 0
    for place in range(length):
        if state is None:
            break
        digits = [number >> place & 1 for number in position]
        reached = int(automaton.delta[state, sum(digit << i for i, digit in enumerate(digits))])
        after = reached if reached in alive else None
        steps.append(ReadingStep("".join(map(str, digits)), state, after))
        state = after
    yes = automaton.accepts(dict(zip(automaton.tracks, position, strict=True)))
    return ReadPosition(
        tuple(position), [f"{number:0{length}b}" for number in position], steps, yes
    )
