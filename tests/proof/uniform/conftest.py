"""Fixtures for tests of families and their certificates."""

import pytest

from tests.checker.families.program import without_members
from tests.proof.uniform.judged import untried, verdict

__all__ = ["untried", "verdict", "without_members"]

GAMES = {
    "at-most": "parameters: {k: 3}\ncoordinates: [x]\nmoves: [{lower: [x], at_most: k}]",
    "two": "parameters: {a: 1, b: 2}\ncoordinates: [x]\nmoves: [{lower: [x], by: [a, b]}]",
    "three": "parameters: {a: 1, b: 2, c: 3}\ncoordinates: [x]\nmoves: [{lower: [x], by: [a, b, c]}]",
    # a part of the heap, and no more than k
    "part": "parameters: {k: 2}\ncoordinates: [x]\nmoves: [{lower: [x], at_most: 'min(k, (x+1)//2)'}]",
    "both": "parameters: {k: 2}\ncoordinates: [x]\nmoves: [{lower: [x], by: [1, k], at_most: k-1}]",
    "bar": "parameters: {k: 2, m: 1}\ncoordinates: [y, z]\nheights: {y: z//k}\n"
    "moves: [{lower: [y], at_most: 1}, {lower: [z], at_most: m, clip: false}]",
    "rows": "parameters: {k: 2, m: 1}\ncoordinates: [y, z]\nheights: {y: z//k}\n"
    "moves: [{lower: [y], by: [m]}, {lower: [z]}]",
}


@pytest.fixture
def games_with_amounts(tmp_path, monkeypatch):
    """Games whose moves take only some amounts, in the working directory."""
    folder = tmp_path / "config" / "games"
    folder.mkdir(parents=True)
    for name, rules in GAMES.items():
        (folder / f"{name}.yaml").write_text(f"game: {name}\n{rules}\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
