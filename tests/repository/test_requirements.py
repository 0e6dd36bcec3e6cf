"""The lock files and environment.yml agree with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK_FILES = sorted(ROOT.glob("requirements/*.txt"))
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUN = [Requirement(line) for line in PYPROJECT["project"]["dependencies"]]
EXTRAS = [
    Requirement(line)
    for lines in PYPROJECT["project"]["optional-dependencies"].values()
    for line in lines
]
DEV = [*EXTRAS, *(Requirement(line) for line in PYPROJECT["dependency-groups"]["dev"])]
CONDA_NAMES = {"dask": "dask-core", "snakemake": "snakemake-minimal"}


def locked(name):
    """Return the versions in a lock file; each is pinned and has hashes.

    A package has several versions where a newer Python gets a newer one.
    """
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    versions: dict[str, set[str]] = {}
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        pin, *hashes = re.split(r"\s+--hash=", line.strip())
        requirement = Requirement(pin)
        (specifier,) = requirement.specifier
        assert specifier.operator == "==", f"{name}.txt does not pin {pin}"
        assert hashes, f"{name}.txt locks {pin} without a hash"
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", digest) for digest in hashes), line
        versions.setdefault(canonicalize_name(requirement.name), set()).add(specifier.version)
    return versions


@pytest.mark.parametrize(("name", "wanted"), [("run", RUN), ("dev", RUN + DEV)])
def test_a_lock_file_satisfies_every_dependency(name, wanted):
    lock = locked(name)
    for requirement in wanted:
        versions = lock.get(canonicalize_name(requirement.name), set())
        assert versions, f"{name}.txt does not lock {requirement}: run ./choco lock"
        for version in versions:
            assert requirement.specifier.contains(version), (
                f"{name}.txt locks {version}, pyproject.toml asks for {requirement}"
            )


def test_the_lock_files_agree_with_each_other():
    run, dev = locked("run"), locked("dev")
    assert {name: dev.get(name) for name in run} == run
    assert locked("bootstrap") == {"uv": dev["uv"]}


@pytest.mark.parametrize("path", LOCK_FILES, ids=lambda path: path.name)
def test_a_lock_file_holds_no_address(path):
    text = path.read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^\s*(-i|-f|--[a-z-]*index-url|--find-links)\b", text, re.MULTILINE)


def test_conda_environment_agrees_with_pyproject():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    *packages, from_pip = environment["dependencies"]
    assert from_pip == {"pip": ["--editable ."]}
    wanted = {
        CONDA_NAMES.get(requirement.name, requirement.name): str(requirement.specifier)
        for requirement in RUN
    }
    wanted |= {"python": PYPROJECT["project"]["requires-python"], "pip": ""}
    found = {Requirement(line).name: str(Requirement(line).specifier) for line in packages}
    assert found == wanted
