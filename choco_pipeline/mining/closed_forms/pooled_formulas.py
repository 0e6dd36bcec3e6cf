"""A formula for several small tables at once, each of which holds too little to learn one from.

The bars of one cell each of an uncut bar are as many positions as it has cells. That is too few to tell a formula from chance,
and to test it on. In heaps, the coordinates of the positions, one formula may be right for bars of all sizes, though: so the
positions of all of them are put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from choco_pipeline.formula import parse
from choco_pipeline.mining.closed_forms.atoms import Ints, Truths
from choco_pipeline.mining.closed_forms.cases import shortest_cases
from choco_pipeline.mining.closed_forms.readings import Reading
from choco_pipeline.mining.closed_forms.synthesis import Atoms, Target

#: Positions that a formula is guessed from, and guesses, each from some that the last one had wrong, too.
SAMPLE, GUESSES, MORE = 400, 6, 40
#: P-positions that are needed, and others.
FEWEST = 24


def pooled_formula(readings: Sequence[Reading]) -> str | None:
    """Return the shortest formula that is 0 at the P-positions of several tables alone; None if there is none.

    The cells of these tables are positions, in coordinates with the same names.
    """
    blocks = [(reading, block) for reading in readings for block in reading.cells.blocks()]
    targets = [reading.target(block) for reading, block in blocks]
    tops = [target.tops for target in targets if target.tops is not None]
    if len(tops) < len(targets) or not targets:
        return None
    names = readings[0].names
    points: dict[str, Ints] = {
        name: np.concatenate([reading.points(block)[name] for reading, block in blocks])
        for name in names
    }
    target = Target(np.concatenate([part.numbers for part in targets]), np.concatenate(tops))
    if min(target.asked.sum(), (~target.asked).sum()) < FEWEST:
        return None
    random = np.random.default_rng(0)
    chosen: Truths = np.zeros(target.numbers.shape, np.bool_)
    for kind in (target.asked, ~target.asked):
        chosen[random.permutation(np.flatnonzero(kind))[: SAMPLE // 2]] = True
    for _ in range(GUESSES):
        here = {name: values[chosen] for name, values in points.items()}
        atoms = Atoms.grown(names, here, (), readings[0].passes)
        cases = shortest_cases(replace(atoms, passes={}), here, target.at(chosen))
        if cases is None or len(cases) > 1:
            return None
        numbers = np.asarray(parse(cases[0].formula).evaluate(points), np.int64)
        wrong = np.flatnonzero(~target.right(numbers))
        if not wrong.size:
            return cases[0].formula
        chosen[wrong[:MORE]] = True
    return None
