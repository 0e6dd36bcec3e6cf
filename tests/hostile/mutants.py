"""The kinds of things that are handed over, and what reads them."""

import random
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.cli.main import main
from choco_pipeline.cluster.cluster_file import CLUSTERS, load_cluster
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.games import CutGame
from choco_pipeline.proof.games.certificate import read_certificate, write_certificate
from choco_pipeline.proof.games.guess import Relation
from choco_pipeline.proof.games.prover import prove
from choco_pipeline.sweep.expand import expand, load_config
from tests.hostile.results import damage_a_document, damage_a_table, results

ROOT = Path(__file__).parents[2]
#: Seconds of a processor that anything may take, and seconds that it may wait.
PATIENCE, WAIT = 10, 300
#: Inserted pieces: parts of files, and inputs that once caused errors.
PIECES = [
    *"[]{}:,-#&*!|>'\"\\%@`\n\t ()^+/0",
    "!!int ''",
    "9" * 6000,
    "\x00",
    "é",
    "\ud7ff",
    "..",
    "~",
    *("1e999", ".nan", ".inf", "0x10", "010", "1:30", "-0", "1_0"),
    *("&a ", "*a", "<<: ", "? ", "!!binary ", "\ufeff", "\r\n", '"\\e[31m"', "\u202e"),
    "k" * 300,
    "[" * 40,
]


def mutant(text: str, chance: random.Random) -> str:
    """Return the text with one to three random changes."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice([0, 1, 2, 8, 40]))
        part = chance.choice(["", text[start:end] * 2, chance.choice(PIECES), text[end : end + 5]])
        text = text[:start] + part + text[end:]
    return text


def _file(
    pool: list[str], name: str, read: Callable[[Path], object]
) -> Callable[[random.Random], None]:
    def attempt(chance: random.Random) -> None:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(mutant(chance.choice(pool), chance), encoding="utf-8")
        read(Path(name))

    return attempt


def _text(pool: list[str], read: Callable[[str], object]) -> Callable[[random.Random], None]:
    return lambda chance: (read(mutant(chance.choice(pool), chance)), None)[1]


def _contents(pattern: str) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob(pattern))]


#: Commands that take no longer than a moment, whatever one of their words says.
COMMANDS = [
    ["value", "solid-bar(f=(x+z)//3)", "3", "1", "4"],
    ["value", "with-pass(nim(2), passes=1)", "1", "2", "1", "--json"],
    ["plan", "c.yaml", "--json"],
    ["plan", "c.yaml", "--workers", "2"],
    ["claims", "list", "--file", "claims.yaml", "--status", "theorem"],
    ["claims", "show", "tiny-thm-1", "--file", "claims.yaml"],
    ["claims", "check", "tiny-lemma-5", "--file", "claims.yaml", "--json"],
    ["claims", "check", "tiny-thm-1", "k=2", "--bound", "8", "--file", "claims.yaml"],
    ["verify", "--seed", "3"],
    ["export", "small", "--json"],
    ["schema", "--claims"],
    ["version", "--json"],
]
FORMULAS = ["x ^ y ^ z == 0", "(x+z)//k", "max(x,z)//2 if x > z else 0", "not (a|b) & 3 <= 1 << k"]
RULESETS = [
    "with-pass(strip-bar(k=4, s=2), passes=1)",
    "solid-bar(f=(x+z)//3)",
    "sum(nim(1), nim(2))",
]


@cache
def certificate(game: str, relation: Relation) -> str:
    proof = prove(parse_ruleset(game), relation)
    with TemporaryDirectory() as folder:
        return write_certificate(proof, Path(folder)).read_text(encoding="utf-8")


def _certificates() -> list[str]:
    games: tuple[tuple[str, Relation], ...] = (("nim(2)", "p"), ("nim(2)", "grundy"))
    return [certificate(*game) for game in (*games, ("with-pass(nim(1), passes=1)", "p"))]


def _certificate(chance: random.Random) -> None:
    _file(_certificates(), "certificate.json", read_certificate)(chance)


def _command(chance: random.Random) -> None:
    """Type a command with one to three random changes."""
    for name in ("tiny.yaml", "claims.yaml"):
        shutil.copy(ROOT / "tests/workflow" / name, "c.yaml" if name == "tiny.yaml" else name)
    words = list(chance.choice(COMMANDS))
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(words))
        part = chance.choice([[], words[at : at + 1] * 2, [mutant(words[at], chance)], ["--bound"]])
        words[at : at + 1] = part or words[at + 1 : at + 2] or ["--json"]
    words = [word.replace("\x00", "") for word in words]  # which no system hands over
    with (
        redirect_stdout(StringIO()),
        redirect_stderr(StringIO()) as said,
        patch.object(sys, "argv", ["choco", *words]),
        pytest.raises(SystemExit) as end,
    ):
        main()
    assert end.value.code in (None, 0, 1, 2), (words, end.value.code, said.getvalue()[-200:])
    assert "Traceback" not in said.getvalue(), words


#: The kinds of mutants by name; each raises `ChocoError` or nothing.
KINDS: Mapping[str, Callable[[random.Random], None]] = {
    "configurations": _file(
        _contents("tests/workflow/[st]*.yaml"), "c.yaml", lambda path: expand(*load_config(path))
    ),
    "claims": _file(
        _contents("tests/workflow/claims.yaml") + _contents("choco_pipeline/cli/*_template.yaml"),
        "claims.yaml",
        lambda path: load_catalogue([path]),
    ),
    "games": _file(_contents("config/games/*.yaml"), "game.yaml", CutGame.from_file),
    "clusters": _file(
        ["kind: running\nscheduler: tcp://127.0.0.1:8786\n", *_contents("config/clusters/*.yaml")],
        str(CLUSTERS / "m.yaml"),
        lambda _: load_cluster("m", None, None),
    ),
    "height tables": _file(
        ["0,1,1\n1,1,2\n"], "h.csv", lambda _: parse_ruleset("solid-bar(f=csv(h.csv))")
    ),
    "certificates": _certificate,
    "formulas": _text(FORMULAS, lambda text: parse(text).text),
    "rulesets": _text(RULESETS, lambda text: parse_ruleset(text).identity),
    "command lines": _command,
    "documents of runs": damage_a_document,
    "stored tables": damage_a_table,
}


#: Preparations of a kind, before any clock runs.
MADE_FIRST: Mapping[str, Callable[[], object]] = {
    "certificates": _certificates,
    **dict.fromkeys(["documents of runs", "stored tables"], results),
}
#: The number of mutants of each kind with ``--slow``; a twentieth of it with ``--all``.
ALL: Mapping[str, int] = {
    **dict.fromkeys(KINDS, 10_000),
    **dict.fromkeys(["formulas", "rulesets"], 20_000),
    "command lines": 2_000,
    "documents of runs": 50_000,
    "stored tables": 400,
}


class TooSlow(BaseException):
    """Something takes longer than anybody waits."""


def attempt(kind: str, seed: str) -> str | None:
    """Try one mutant in the working directory; return the fault, if any."""

    def ring(number: int, frame: object) -> None:
        raise TooSlow

    MADE_FIRST.get(kind, lambda: None)()
    clocks = {
        signal.ITIMER_VIRTUAL: (signal.SIGVTALRM, PATIENCE),
        signal.ITIMER_REAL: (signal.SIGALRM, WAIT),
    }
    before = {number: signal.signal(number, ring) for number, _ in clocks.values()}
    for clock, (_, seconds) in clocks.items():
        signal.setitimer(clock, seconds)
    try:
        KINDS[kind](random.Random(seed))
    except ChocoError as error:
        return None if str(error).strip() else "an error that says nothing"
    except TooSlow:
        return f"more than {PATIENCE} s of a processor, or {WAIT} s"
    except Exception as error:  # what a user would see as a traceback
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        for clock in clocks:
            signal.setitimer(clock, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
    return None
