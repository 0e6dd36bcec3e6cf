"""Pictures by matplotlib: Grundy numbers of a plane, P-positions, automata.

They need the extra ``notebook``. Each function draws on given or new axes, and returns them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from choco_pipeline.errors import ConfigError, require_package
from choco_pipeline.formula.written.parameter_text import assigned
from choco_pipeline.games import Ruleset, as_game
from choco_pipeline.proof.games.prover import Proof
from choco_pipeline.report.pictures import MOST_STATES, arrows
from choco_pipeline.tables.cells import p_positions as frame_of_p_positions
from choco_pipeline.tables.computing import grundy_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def grundy_numbers(
    game: Ruleset | str, bound: int | None = None, *, axes: Axes | None = None, **fixed: int
) -> Axes:
    """Draw a heat map of the Grundy numbers of a game on a plane.

    Parameters
    ----------
    game
        A game of at least two coordinates, or its notation.
    bound
        As for `grundy_table`.
    axes
        Where to draw; new axes by default.
    **fixed
        Values of all coordinates except two.

    Returns
    -------
    Axes
        The last free coordinate is horizontal. Places without a position are empty.

    Raises
    ------
    ConfigError
        If a coordinate is unknown or outside the table, not two are free, or matplotlib is not installed.

    Examples
    --------
    >>> from choco_pipeline import plot
    >>> axes = plot.grundy_numbers("solid-bar(f=(x+z)//3)", 20, y=2)
    >>> axes.get_xlabel(), axes.get_ylabel(), axes.get_title()
    ('z', 'x', 'solid-bar(f=(x+z)//3), y = 2')
    """
    game = as_game(game)
    data = grundy_table(game, bound).grundy
    free = _free(game, [str(dim) for dim in data.dims], fixed, (2,))
    try:
        plane = data.sel(fixed)
    except KeyError:
        raise ConfigError(f"{game.notation}: {assigned(fixed)} is outside the table") from None
    axes = axes or _new_axes()
    cells = np.ma.masked_less(plane.values, 0)
    vertical, horizontal = free
    places = plane[horizontal].values, plane[vertical].values
    picture = axes.pcolormesh(*places, cells, shading="nearest")
    axes.figure.colorbar(picture, ax=axes, label="Grundy number")
    axes.set(xlabel=horizontal, ylabel=vertical, title=_title(game, fixed))
    return axes


def p_positions(
    game: Ruleset | str, bound: int | None = None, *, axes: Axes | None = None, **fixed: int
) -> Axes:
    """Draw the P-positions of a game as points of a plane or of space.

    Parameters
    ----------
    game, bound
        As for `choco_pipeline.p_positions`.
    axes
        Where to draw; new axes by default, with ``projection="3d"`` for three free coordinates.
    **fixed
        Values of all coordinates except two or three.

    Raises
    ------
    ConfigError
        If a coordinate is unknown, not two or three are free, or matplotlib is not installed.

    Examples
    --------
    >>> from choco_pipeline import plot
    >>> plot.p_positions("game(wythoff)", 20).get_xlabel()
    'a'
    """
    game = as_game(game)
    frame = frame_of_p_positions(game, bound)
    free = _free(game, [str(name) for name in frame.columns], fixed, (2, 3))
    for name, value in fixed.items():
        frame = frame[frame[name] == value]
    axes = axes or _new_axes("3d" if len(free) == 3 else None)
    axes.scatter(*(frame[name].to_numpy() for name in free), marker=".")
    axes.set(xlabel=free[0], ylabel=free[1], title=_title(game, fixed))
    if len(free) == 3:
        axes.set(zlabel=free[2])
    else:
        axes.set_aspect("equal")
    return axes


def automaton(proof: Proof, passes: int = 0, *, axes: Axes | None = None) -> Axes:
    """Draw an automaton of a proof with its states on a circle.

    Accepting states have a thick border. The label of an arrow is the first of its patterns, with a digit for each coordinate;
    ``*`` stands for either digit, and ``↻`` for a loop. The dead state is not drawn.

    Raises
    ------
    ConfigError
        If the proof has no such automaton, the automaton has more than 20 states, or matplotlib is not installed.

    Examples
    --------
    >>> from choco_pipeline import StepBar, plot, prove
    >>> plot.automaton(prove(StepBar(k=2), "grundy")).get_title()
    'step-bar(k=2, s=0): 4 states'
    """
    require_package("matplotlib", "notebook", "choco_pipeline.plot")
    if not 0 <= passes < len(proof.automata):
        raise ConfigError(f"{proof.ruleset.notation}: no automaton for {passes} passes left")
    dfa = proof.automata[passes]
    if dfa.states > MOST_STATES:
        raise ConfigError(
            f"{proof.ruleset.notation}: {dfa.states} states, at most {MOST_STATES} are drawn"
        )
    labels = arrows(dfa)
    states = sorted({0, *(q for edge in labels for q in edge)})
    angles = np.pi - 2 * np.pi * np.arange(len(states)) / len(states)
    place = dict(zip(states, zip(np.cos(angles), np.sin(angles), strict=True), strict=True))
    axes = axes or _new_axes()
    for (p, q), read in labels.items():
        text = read[0] if len(read) == 1 else f"{read[0]} …"
        (x0, y0), (x1, y1) = place[p], place[q]
        if p == q:
            axes.text(1.25 * x0, 1.25 * y0, f"↻ {text}", ha="center", va="center", fontsize=8)
            continue
        bend = {"arrowstyle": "->", "connectionstyle": "arc3,rad=0.1", "shrinkA": 12, "shrinkB": 12}
        axes.annotate("", place[q], place[p], arrowprops=bend)
        # A third of the way, where the labels of arrows in both directions do not meet.
        at = (2 * x0 + x1) / 3 + 0.06 * (y1 - y0), (2 * y0 + y1) / 3 - 0.06 * (x1 - x0)
        axes.text(*at, text, ha="center", va="center", fontsize=8)
    for q, (x, y) in place.items():
        width = 3 if dfa.accepting[q] else 1
        axes.plot(x, y, "o", markersize=22, color="white", markeredgecolor="black", mew=width)
        axes.text(x, y, str(q), ha="center", va="center")
    axes.set_title(f"{proof.ruleset.notation}: {dfa.states} states")
    axes.margins(0.2)
    axes.set_aspect("equal")
    axes.set_axis_off()
    return axes


def _free(
    game: Ruleset, names: list[str], fixed: dict[str, int], allowed: tuple[int, ...]
) -> list[str]:
    """Return the free coordinates; raise `ConfigError` if their number is wrong."""
    require_package("matplotlib", "notebook", "choco_pipeline.plot")
    for name in fixed:
        if name not in names:
            raise ConfigError(f"{game.notation}: no coordinate {name!r}, only {', '.join(names)}")
    free = [name for name in names if name not in fixed]
    if len(free) not in allowed:
        numbers = " or ".join(map(str, allowed))
        raise ConfigError(
            f"{game.notation}: {numbers} coordinates must be free, found {len(free)} ({', '.join(free)});"
            " fix the others, as in y=0"
        )
    return free


def _new_axes(projection: str | None = None) -> Axes:
    from matplotlib import pyplot  # noqa: PLC0415 -- an optional dependency

    return pyplot.figure(layout="constrained").add_subplot(projection=projection)


def _title(game: Ruleset, fixed: dict[str, int]) -> str:
    return ", ".join(filter(None, (game.notation, assigned(fixed))))
