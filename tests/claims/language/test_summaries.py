"""What claims say in one line, as mathematics: nothing of a program's spelling is left in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from choco_pipeline.claims.language.catalogue import BACKGROUND, load_catalogue
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.statements.tree import Grundy, PPosition, walk

FILES = sorted((Path(__file__).parents[3] / "config/claims").glob("*.yaml"))
SPELLING = re.compile(r"==|!=|<=|>=|//|\*|>>|<<|%| \^ |#\{")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_summaries_of_the_catalogue_are_mathematics(file: Path):
    for claim in load_catalogue([file]).claims.values():
        text = claim.summary
        for part in walk(claim.proposition) if claim.statement.statement else ():
            if isinstance(part, PPosition | Grundy) and part.place.game is not None:
                text = text.replace(part.place.game.text, "")
        assert not SPELLING.findall(text), claim.id


def test_the_background_theorems_are_there():
    assert BACKGROUND.name in [file.name for file in FILES]


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("k % 4 != 1", "k ≢ 1 (mod 4)"),
        ("x // (2*k) == z >> (n+1)", "⌊x/(2k)⌋ = ⌊z/2^(n+1)⌋"),
        ("2**(2*n) >= abs(x-y) and m_k != v2(s)", "2^(2n) ≥ |x−y| and mₖ ≠ v₂(s)"),
        ("not (x == 0 or y ^ z == 1)", "not (x = 0 or y ⊕ z = 1)"),
    ],
)
def test_formulas_are_said_as_mathematics(formula: str, text: str):
    assert math_text(formula) == text
