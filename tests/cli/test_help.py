"""What commands there are: in a help page, in a shell that completes words, and by their version."""

from __future__ import annotations

import json

import pytest

import choco_pipeline
from tests.cli.command import choco


def test_the_version_is_the_package_s() -> None:
    assert choco("--version").stdout == f"choco {choco_pipeline.__version__}\n"
    assert json.loads(choco("version", "--json").stdout)["choco_pipeline"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(monkeypatch, shell) -> None:
    monkeypatch.setenv("_CHOCO_COMPLETE", f"source_{shell}")
    assert f"complete_{shell}" in choco().stdout, "the script that the shell reads"
    monkeypatch.setenv("_CHOCO_COMPLETE", f"complete_{shell}")
    for words, found in (("choco cl", "claims"), ("choco claims check --pr", "--proofs")):
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        monkeypatch.setenv("_TYPER_COMPLETE_ARGS", words)
        monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
        assert found in choco().stdout


def test_an_unknown_verdict_is_refused() -> None:
    done = choco("claims", "list", "--verdict", "true")
    assert done.returncode == 2
    assert "'true' is not one of 'refuted'" in done.stderr
