"""The kinds of things that are handed over, and what reads them."""

import json
import random
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from choco_pipeline import parse_ruleset
from choco_pipeline.claims.language.catalogue import load_catalogue
from choco_pipeline.cluster.cluster_file import CLUSTERS, load_cluster
from choco_pipeline.documents.record import DamagedError, read_record, write_record
from choco_pipeline.errors import ChocoError
from choco_pipeline.formula import parse
from choco_pipeline.games import CutGame
from choco_pipeline.proof.games.certificate import read_certificate
from choco_pipeline.sweep.expand import expand, load_config

ROOT = Path(__file__).parents[2]
#: Seconds that anything may take.
PATIENCE = 10
#: Pieces that are put in: what files are made of, and what has hurt before.
PIECES = [
    *"[]{}:,-#&*!|>'\"\\%@`\n\t ()^+/0",
    "!!int ''",
    "9" * 6000,
    "\x00",
    "é",
    "\ud7ff",
    "..",
    "~",
]
RECORD = {
    "verdicts": [{"claim": "a", "verdict": "refuted", "position": [2, 1, 3], "seconds": 0.25}]
}


def mutant(text: str, chance: random.Random) -> str:
    """Return the text with one to three of its parts left out, doubled, replaced or moved."""
    for _ in range(chance.randint(1, 3)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice([0, 1, 2, 8, 40]))
        part = chance.choice(["", text[start:end] * 2, chance.choice(PIECES), text[end : end + 5]])
        text = text[:start] + part + text[end:]
    return text


def flipped(content: bytes, chance: random.Random) -> bytes:
    """Return the content with one bit turned."""
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << chance.randrange(8)]) + content[at + 1 :]


def _file(
    source: str, name: str, read: Callable[[Path], object]
) -> Callable[[random.Random], None]:
    def attempt(chance: random.Random) -> None:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(mutant(source, chance), encoding="utf-8")
        read(Path(name))

    return attempt


def _record(chance: random.Random) -> None:
    path = Path("record.json")
    write_record(path, RECORD)
    path.write_bytes(flipped(path.read_bytes(), chance))
    with suppress(DamagedError):
        assert read_record(path) == RECORD, "a changed record was read"


def _text(pool: list[str], read: Callable[[str], object]) -> Callable[[random.Random], None]:
    return lambda chance: (read(mutant(chance.choice(pool), chance)), None)[1]


CONFIG = (ROOT / "tests/workflow/tiny.yaml").read_text(encoding="utf-8")
CLAIMS = (ROOT / "tests/workflow/claims.yaml").read_text(encoding="utf-8")
GAME = next((ROOT / "config/games").glob("*.yaml"))
CLUSTER = "scheduler: tcp://127.0.0.1:8786\n"
CERTIFICATE = json.dumps({"format": 1, "ruleset": "nim(2)", "relation": "p", "automata": [{}]})
FORMULAS = ["x ^ y ^ z == 0", "(x+z)//k", "max(x,z)//2 if x > z else 0", "not (a|b) & 3 <= 1 << k"]
RULESETS = [
    "with-pass(strip-bar(k=4, s=2), passes=1)",
    "solid-bar(f=(x+z)//3)",
    "sum(nim(1), nim(2))",
]

#: What is tried, by its name; each raises `ChocoError` or nothing.
KINDS: Mapping[str, Callable[[random.Random], None]] = {
    "configurations": _file(CONFIG, "c.yaml", lambda path: expand(*load_config(path))),
    "claims": _file(CLAIMS, "claims.yaml", lambda path: load_catalogue([path])),
    "games": _file(GAME.read_text(encoding="utf-8"), GAME.name, CutGame.from_file),
    "clusters": _file(CLUSTER, str(CLUSTERS / "m.yaml"), lambda _: load_cluster("m", None, None)),
    "height tables": _file(
        "0,1,1\n1,1,2\n", "h.csv", lambda _: parse_ruleset("solid-bar(f=csv(h.csv))")
    ),
    "certificates": _file(CERTIFICATE, "certificate.json", read_certificate),
    "formulas": _text(FORMULAS, lambda text: parse(text).text),
    "rulesets": _text(RULESETS, lambda text: parse_ruleset(text).identity),
    "records": _record,
}


class TooSlow(BaseException):
    """Something takes longer than anybody waits."""


def attempt(kind: str, seed: str) -> str | None:
    """Try one mutant in the working directory; return what was wrong with what happened, None if nothing was."""

    def ring(number: int, frame: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(PATIENCE)
    try:
        KINDS[kind](random.Random(seed))
    except ChocoError as error:
        return None if str(error).strip() else "an error that says nothing"
    except TooSlow:
        return f"more than {PATIENCE} s"
    except Exception as error:  # what a user would see as a traceback
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return None
