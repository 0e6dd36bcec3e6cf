"""docs/architecture.md names every package, and nothing else."""

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "choco_pipeline"
PAGE = (PACKAGE.parent / "docs" / "architecture.md").read_text()


def test_every_package_is_named_and_nothing_else():
    there = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    there |= {path.stem for path in PACKAGE.glob("[a-z]*.py")}
    rows = re.findall(r"^\| (`.*?`) \|", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == there
