"""What the repository says about itself, and what no file in it may contain."""

import importlib.metadata
import json
import re
import subprocess
import tomllib
from pathlib import Path

import yaml

import choco_pipeline

ROOT = Path(__file__).parents[2]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
# A person's folder on some machine; a lone /home or /root is a word like any other.
HOME_PATH = re.compile(r"(?<![\w.])/(?:home|root|Users)/[\w.]|\b[A-Z]:\\Users\\")


def text_files():
    """Return the text files that git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    texts = {}
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file():
            content = path.read_bytes()
            if b"\0" not in content:
                texts[path.relative_to(ROOT)] = content.decode()
    return texts


def test_no_file_names_a_place_on_someones_machine():
    texts = text_files()
    assert Path("choco") in texts
    found = [
        f"{path}:{number}: {line.strip()}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if HOME_PATH.search(line) or str(ROOT) in line
    ]
    assert found == []


def test_one_version_everywhere():
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    assert newest is not None
    assert {
        "CITATION.cff": CITATION["version"],
        "CHANGELOG.md": newest[1],
        "choco_pipeline.__version__": choco_pipeline.__version__,
        "installed": importlib.metadata.version("choco-pipeline"),
    } == dict.fromkeys(
        ("CITATION.cff", "CHANGELOG.md", "choco_pipeline.__version__", "installed"),
        pyproject["project"]["version"],
    )


def test_codemeta_says_what_the_citation_says():
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    assert {
        "title": codemeta["name"],
        "abstract": codemeta["description"],
        "version": codemeta["version"],
        "license": codemeta["license"].removeprefix("https://spdx.org/licenses/"),
        "authors": [{"name": author["name"]} for author in codemeta["author"]],
        "keywords": codemeta["keywords"],
    }.items() <= CITATION.items()


def test_the_paper_cites_the_papers_of_the_citation():
    cited = (ROOT / "paper/paper.bib").read_text(encoding="utf-8")
    text = (ROOT / "paper/paper.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    assert [{"name": author["name"]} for author in head["authors"]] == CITATION["authors"]
    for reference in CITATION["references"]:
        assert f"{{{{{reference['title']}}}}}" in cited
    assert set(re.findall(r"^@\w+\{(\w+),", cited, re.MULTILINE)) == set(
        re.findall(r"@(\w+)", text.split("---\n")[2])
    )


def test_the_page_on_the_architecture_names_every_package_and_nothing_else():
    package = ROOT / "choco_pipeline"
    there = {path.parent.name for path in package.glob("*/__init__.py")}
    there |= {path.stem for path in package.glob("[a-z]*.py")}
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?`) \|", page, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == there
