"""P-positions of a game with one coordinate: a set of numbers, by residues or by the forms that sets of values have."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms.atoms import Truths
from choco_pipeline.mining.closed_forms.value_forms import forms

#: The least of the numbers, from which a set is guessed, hold so many of its periods at least.
PERIODS = 4
#: A set is not said to be so many residues or more.
MOST_RESIDUES = 6
#: Larger sets of residues have no form.
FEWEST_MEMBERS = 4


def conditions_on(name: str, inside: Truths) -> Iterator[str]:
    """Yield conditions on a number that are true of exactly the numbers in a set, as far as it is known, the best first.

    Parameters
    ----------
    name
        What the number is called.
    inside
        For 0, 1, … whether it is in the set.

    Examples
    --------
    >>> list(conditions_on("a", np.arange(64) % 5 == 2))
    ['a%5 == 2']
    """
    period = _period(inside)
    if period is not None:
        residues = np.flatnonzero(inside[:period]).tolist()
        if 0 < len(residues) <= MOST_RESIDUES:
            yield " or ".join(f"{name}%{period} == {residue}" for residue in residues)
        return
    members = np.flatnonzero(inside).tolist()
    if len(members) >= FEWEST_MEMBERS:
        for form in forms(members):
            yield parse(form.condition).rename({"v": name}).text


def _period(inside: Truths) -> int | None:
    """Return the least period of a set from 0 on, if it is short; None if there is none, or if all are in it or none."""
    longest = len(inside) // PERIODS
    periods = (p for p in range(1, longest + 1) if (inside[p:] == inside[:-p]).all())
    period = next(periods, None)
    return None if period == 1 else period
