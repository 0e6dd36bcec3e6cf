"""Notebooks executed without Jupyter, in one namespace.

``python -m tests.docs.notebook`` rewrites the outputs of the notebooks in ``docs/notebooks``.
"""

from __future__ import annotations

import ast
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
SHOWN = "shown_by_the_last_expression"


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook with new outputs."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell = {**cell, "outputs": _outputs("".join(cell["source"]), names)}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1]
        shown = ast.Assign([ast.Name(SHOWN, ast.Store())], last.value)
        tree.body[-1] = ast.fix_missing_locations(ast.copy_location(shown, last))
    names[SHOWN] = None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())}
        )
    if names[SHOWN] is not None:
        outputs.append(
            {
                "output_type": "execute_result",
                "execution_count": None,
                "metadata": {},
                "data": _data(names[SHOWN]),
            }
        )
    return outputs


def _data(shown: object) -> dict[str, list[str]]:
    html = getattr(shown, "_repr_html_", None)
    if html is None:
        return {"text/plain": _lines(repr(shown))}
    # Some texts contain seconds.
    return {"text/html": _lines(str(html())), "text/plain": [f"<{type(shown).__name__}>"]}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    """Rewrite all outputs."""
    for path in NOTEBOOKS:
        notebook = executed(json.loads(path.read_text(encoding="utf-8")))
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
