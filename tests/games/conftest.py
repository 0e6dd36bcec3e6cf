"""A folder with a game of one's own."""

import pytest

EXAMPLE = """\
game: example
parameters: {k: 4, s: 0}
coordinates: [a, b, c]
heights: {c: (a+b+s)//k}
moves:
  - {lower: [a]}
  - {lower: [b], by: [1, 3]}
  - {lower: [a, b], by: same}
  - {lower: [c], at_most: (c+1)//2}
  - {lower: [b], clip: false}
ends: a+b <= 1
"""


def write(project, text, name="example"):
    (project / "config" / "games" / f"{name}.yaml").write_text(text)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the game `example`, in which the test runs."""
    (tmp_path / "config" / "games").mkdir(parents=True)
    write(tmp_path, EXAMPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path
