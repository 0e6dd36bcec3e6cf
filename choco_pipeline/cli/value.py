"""``choco value``: Grundy number, outcome and winning options of a position."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from choco_pipeline.api.terminal import emit
from choco_pipeline.cli.output import SETTINGS, Json
from choco_pipeline.commands import command
from choco_pipeline.errors import LimitError
from choco_pipeline.games import Position, Ruleset, parse_ruleset
from choco_pipeline.games.pictures import draw_text
from choco_pipeline.proof.games import certificate as certificates
from choco_pipeline.proof.games.answers import play
from choco_pipeline.proof.proof_errors import CertificateError
from choco_pipeline.tables.cells import Cells, find_table
from choco_pipeline.tables.computing import cost_of
from choco_pipeline.tables.location import RESULTS
from choco_pipeline.tables.machine import worker_memory
from choco_pipeline.tables.spec import Quantity

app = typer.Typer(**SETTINGS)
#: Folders of certificates of runs and of `choco prove`.
CERTIFICATES = (RESULTS / "certificates", RESULTS / "proofs")
#: Most options in total, of all positions below, for an answer by definition; it takes about five seconds.
BY_DEFINITION = 2_000_000
#: Most estimated seconds of a table that is computed for an answer.
MOST_SECONDS = 120.0
#: Most listed options of a position.
MOST_OPTIONS = 1_000_000
#: Positions with larger coordinates are not drawn.
MOST_DRAWN = 10_000


@dataclass(frozen=True)
class PositionAnswer:
    """The Grundy number and the outcome of a position, and the winning moves."""

    #: None if only the outcome is known.
    grundy: int | None
    outcome: Literal["P", "N"]
    #: The results of winning moves: P-positions, or pairs of positions whose sum is one.
    winning: Sequence[tuple[Position, ...]]
    #: Whether all winning moves are listed.
    is_complete: bool


@app.command()
def value(
    ruleset: Annotated[str, typer.Argument(help="For example 'solid-bar(f=(x+z)//3)'.")],
    position: Annotated[list[int], typer.Argument(help="Its coordinates; passes left come last.")],
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Use the automata of a certificate, for coordinates of any size. By default, existing certificates of runs and of"
            " `choco prove` are used if needed.",
            metavar="FILE",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Print a position's Grundy number, outcome and winning options, with drawings."""
    game = parse_ruleset(ruleset)
    here = game.check(tuple(position))
    try:
        with game.naming():
            answer = evaluate_by(certificate, game, here) if certificate else evaluate(game, here)
    except LimitError:
        paths = (
            certificates.certificate_path(game, relation, folder)
            for relation in ("grundy", "p")
            for folder in CERTIFICATES
        )
        certificate = next((path for path in paths if path.exists()), None)
        if certificate is None:
            raise
        answer = evaluate_by(certificate, game, here)
    if json:
        emit(
            {
                "ruleset": game.notation,
                "coordinates": list(game.coordinates),
                "position": list(here),
                "grundy": answer.grundy,
                "outcome": answer.outcome,
                "winning": [
                    list(result[0]) if len(result) == 1 else [list(part) for part in result]
                    for result in answer.winning
                ],
                "all": answer.is_complete,
                "certificate": None if certificate is None else certificate.as_posix(),
            }
        )
        return
    names = ", ".join(game.coordinates)
    print(f"{game.notation}, ({names}) = {_text(here)}\n{_drawn(game, here)}")
    why = "not computed: its table is too large here"
    if game.rules.misere:
        why = "none in misère play"
    elif certificate is not None:
        why = "not computed: the certificate is of P-positions only"
    grundy = why if answer.grundy is None else answer.grundy
    print(f"\nGrundy number: {grundy}")
    winner = "previous" if answer.outcome == "P" else "next"
    print(f"{answer.outcome}-position: the {winner} player wins")
    if answer.outcome == "N":
        least = "of each kind of move, the one that leaves least"
        print(f"\nWinning options ({len(answer.winning) if answer.is_complete else least}):")
        for result in answer.winning:
            drawn = "".join(_drawn(game, part) for part in result)
            print(f"\n{' + '.join(map(_text, result))}{drawn}")
    if certificate is not None:
        again = command("prove", "--check", certificate)
        print(f"\nBy the automata in {certificate}; check them: {again}")


def evaluate(game: Ruleset, position: Position) -> PositionAnswer:
    """Return the answer on a legal position, by definition or from a table.

    Raises `LimitError` if it is too large for both.
    """
    too_large = LimitError(
        f"{game.notation}: {_text(position)} is too large for a table or the definition on this machine; if"
        " `choco prove RULESET` writes a certificate, `--certificate FILE` answers for coordinates of any size"
    )
    most_options = game.rules.most_options(position)
    if most_options > MOST_OPTIONS:
        raise too_large
    results = list(dict.fromkeys(game.results(position)))
    is_misere = game.rules.misere
    is_p_position: Callable[[Position], bool]
    grundy_of: Callable[[Position], int]
    if math.prod(c + 1 for c in position) * most_options <= BY_DEFINITION:
        grundy = None if is_misere else game.grundy(position)
        is_p_position, grundy_of = game.is_p_position, game.grundy
    else:
        positions = [position, *(part for result in results for part in result)]
        numbers = None if is_misere else _lookup(game, positions, "grundy")
        known = numbers or _lookup(game, positions, "p-positions")
        if known is None or (game.rules.splits and numbers is None):
            raise too_large
        grundy = numbers.grundy(position) if numbers else None
        is_p_position, grundy_of = known.is_p_position, known.grundy

    def is_p(result: Sequence[Position]) -> bool:
        if len(result) == 1:
            return is_p_position(result[0])
        return len(set(map(grundy_of, result))) == 1

    winning = list(filter(is_p, results))
    return PositionAnswer(grundy, "P" if is_p([position]) else "N", winning, True)


def evaluate_by(certificate: Path, game: Ruleset, position: Position) -> PositionAnswer:
    """Return the answer on a legal position from a certificate's automata.

    It has one winning option for each kind of move that has any. Raises `StoreError` or `CertificateError` if the file is not a
    certificate of this game.
    """
    proved = certificates.read_certificate(certificate)
    if proved.ruleset.identity != game.identity:
        was, now = proved.ruleset.notation, game.notation
        another = "another game of this name" if was == now else f"not of {now}"
        raise CertificateError(f"{certificate}: a certificate of {was}, {another}")
    played = play(proved, position)
    winning = [(option,) for option in played.winning]
    return PositionAnswer(played.grundy, played.outcome, winning, played.outcome == "P")


def _lookup(game: Ruleset, positions: Sequence[Position], quantity: Quantity) -> Cells | None:
    """Return a table that covers positions, stored or new; None if it takes too long."""
    stored = find_table(RESULTS / "tables", game, quantity, positions)
    if stored is not None:
        return stored
    bound = max(map(max, positions))
    cost = cost_of(game, bound, quantity)
    if cost.memory_whole > worker_memory(1) or cost.seconds > MOST_SECONDS:
        return None
    computed = Cells.computed(game, bound, quantity)
    return computed if all(map(computed.covers, positions)) else None


def _drawn(game: Ruleset, position: Position) -> str:
    return f"\n{draw_text(game, position)}" if max(position, default=0) <= MOST_DRAWN else ""


def _text(position: Position) -> str:
    return f"({', '.join(map(str, position))})"
