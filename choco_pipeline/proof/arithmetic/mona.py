"""The same sentences, decided by MONA: a second engine that shares no code with the first.

MONA decides the weak monadic second-order logic of one successor; `choco_pipeline.proof.arithmetic.ws1s` says sentences in it. Any
program may be called ``mona``: before the first question it is asked sentences that are known to be true and to be
false (`mona_fault`), and is not used if it gets one wrong.
"""

from __future__ import annotations

import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from choco_pipeline.automata import arithmetic
from choco_pipeline.automata.dfa import Automaton
from choco_pipeline.proof.arithmetic.engine import Decision
from choco_pipeline.proof.arithmetic.logic import (
    Bitwise,
    Member,
    NimSumZero,
    Sentence,
    disjunction,
    exists,
    free,
    implies,
    less,
    linear,
    negation,
)
from choco_pipeline.proof.arithmetic.ws1s import SENTENCE, ws1s_files
from choco_pipeline.proof.clock import MOST_CROWDED, computed_by
from choco_pipeline.proof.proof_errors import UndecidedError
from choco_pipeline.tables.computing.cost import in_bytes

#: Bytes of address space that one process may take; it ends without an answer when it asks for more.
MOST_MEMORY = 2 << 30
#: Seconds of computing that MONA may take to say its version, or to answer a known sentence, for which it needs milliseconds.
MOST_SECONDS = 2.0
#: Seconds between two looks at how long MONA has computed, at least.
SHORTEST_WAIT = 0.05
#: MONA is started so many times in all if somebody else kills it; a machine without memory kills it each time.
TIMES = 2
#: Binary digits of a number in a counter-example; more are a mistake of the program.
MOST_DIGITS = 100_000

#: What MONA is asked first. True sentences, with None; false ones, each with what it says, for values of its free variables.
#: The relation R is that of 3x <= y.
KNOWN: tuple[tuple[Sentence, Callable[..., bool] | None], ...] = (
    (less("x", "y"), lambda x, y: x < y),
    (negation(less("x", "x")), None),
    (exists(("u",), less("x", "u")), None),
    (exists(("u",), less("u", "x")), lambda x: x > 0),
    (exists(("u",), linear({"x": 1, "u": -2}, 0, "==")), lambda x: x % 2 == 0),
    (
        exists(("u",), disjunction(*(linear({"x": 1, "u": -3}, -i, "==") for i in range(3)))),
        None,
    ),
    (NimSumZero(("x", "y", "x", "y")), None),
    (NimSumZero(("x", "y")), lambda x, y: x == y),
    (implies(Bitwise("&", "x", "y", "z"), linear({"z": 1, "x": -1}, 0, "<=")), None),
    (
        implies(Bitwise("|", "x", "y", "z"), linear({"z": 1, "x": -1}, 0, "<=")),
        lambda x, y, z: z != x | y or z <= x,
    ),
    (implies(Member("R", ("x", "y")), linear({"x": 1, "y": -1}, 0, "<=")), None),
    (
        implies(linear({"x": 1, "y": -1}, 0, "<="), Member("R", ("x", "y"))),
        lambda x, y: x > y or 3 * x <= y,
    ),
    (exists(("u",), Member("R", ("x", "u"))), None),
    (negation(exists(("u",), Member("R", ("u", "x")))), lambda x: False),
)


def mona_version() -> str | None:
    """Return the version of MONA that is installed, such as ``1.4-18``; None if there is none."""
    if shutil.which("mona") is None:
        return None
    try:
        output, complaint = _output([], MOST_SECONDS)
    except UndecidedError:
        return "unknown"
    version = re.search(r"MONA v(\S+)", output + complaint)
    return version.group(1) if version else "unknown"


class _NoAnswerError(UndecidedError):
    """MONA gave no answer; given the reason alone."""

    @property
    def why(self) -> str:
        """The reason, where it is said beside it which engine gave no answer."""
        return str(self.args[0])

    def __str__(self) -> str:
        return f"MONA gave no answer: {self.why}"


def mona_fault() -> str | None:
    """Return why MONA is not used, None if it is: it is not installed, or does not know what is known.

    The known sentences are asked once in a process, and again if the program is another one.
    """
    path = shutil.which("mona")
    if path is None:
        return "it is not installed"
    about = Path(path).stat()
    return _fault(path, about.st_ino, about.st_size, about.st_mtime_ns)


@lru_cache
def _fault(path: str, *_identity: int) -> str | None:
    relations = {"R": arithmetic.linear({"0": 3, "1": -1}, 0, "<=")}
    for sentence, says in KNOWN:
        try:
            decision = _decided(sentence, relations, MOST_SECONDS)
        except UndecidedError as error:
            return f"{path} is not used, since it did not answer a known sentence: {error}"
        wrong = f"{path} is not used, since it is wrong about a known sentence"
        if decision.valid != (says is None):
            return f"{wrong}: it finds a {'true' if says is None else 'false'} one {'valid' if decision.valid else 'invalid'}"
        at = {str(name): value for name, value in (decision.counterexample or {}).items()}
        if says is not None and says(**at):
            return f"{wrong}: its counter-example is none"
    return None


def decide_with_mona(
    sentence: Sentence, relations: Mapping[str, Automaton], seconds_limit: float = inf
) -> Decision:
    """Return whether a sentence holds for all values of its free variables, as MONA finds.

    Raises `NotDefinableError` if a relation is not given, or has other arguments than the sentence says; `UndecidedError` if
    MONA is not used (`mona_fault`), computes longer than `seconds_limit` or takes more memory than `MOST_MEMORY`, or stops
    without an answer.
    """
    if seconds_limit <= 0:
        raise _NoAnswerError("no time was left for it")
    fault = mona_fault()
    if fault is not None:
        raise _NoAnswerError(fault)
    return _decided(sentence, relations, seconds_limit)


def _decided(
    sentence: Sentence, relations: Mapping[str, Automaton], seconds_limit: float
) -> Decision:
    names = sorted(free(sentence))
    start = time.perf_counter()
    files = ws1s_files(sentence, relations)
    with TemporaryDirectory() as directory:
        for name, text in files.items():
            Path(directory, name).write_text(text, encoding="ascii")
        output, complaint = _output(["-q", SENTENCE], seconds_limit, directory)
    valid, values = _answer(output, complaint, len(names))
    counterexample = None if valid else dict(zip(names, values, strict=True))
    return Decision(valid, counterexample, time.perf_counter() - start, 0)


def _output(
    arguments: list[str], seconds_limit: float, directory: str | None = None
) -> tuple[str, str]:
    """Return what MONA says, started in a directory, and its complaints; it is started again if somebody else kills it."""
    for _ in range(TIMES):
        output, complaint, code = _output_once(arguments, seconds_limit, directory)
        if code != -signal.SIGKILL:
            break
    else:
        raise _NoAnswerError("it was killed (SIGKILL); is there too little memory?")
    if "out of memory" in complaint + output:
        raise _NoAnswerError(f"it needs more than {in_bytes(MOST_MEMORY)} of memory")
    return output, complaint


def _output_once(
    arguments: list[str], seconds_limit: float, directory: str | None
) -> tuple[str, str, int]:
    """Return what MONA says, its complaints, and its exit code."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            ["mona", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
            errors="replace",
            cwd=directory,
        )
    except OSError as error:
        raise _NoAnswerError(f"it cannot be started ({error.strerror})") from None
    with process:
        if sys.platform == "linux":  # others cannot limit a process that runs
            resource.prlimit(process.pid, resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        try:
            output, complaint = _answered(process, seconds_limit)
        finally:
            process.kill()
        return output, complaint, process.returncode


def _answered(process: subprocess.Popen[str], seconds_limit: float) -> tuple[str, str]:
    """Return what MONA says once it has ended; raise `_NoAnswerError` if it has computed too long, or nobody lets it."""
    if seconds_limit == inf:
        return process.communicate()
    over = time.monotonic() + MOST_CROWDED * seconds_limit
    left = seconds_limit
    while left > 0 and time.monotonic() < over:
        try:
            return process.communicate(timeout=max(SHORTEST_WAIT, left))
        except subprocess.TimeoutExpired:
            left = seconds_limit - computed_by(process.pid)
    raise _NoAnswerError(f"stopped after {seconds_limit:.3g} seconds")


def _answer(output: str, complaint: str, variables: int) -> tuple[bool, list[int]]:
    """Return whether MONA found the formula valid, and the values of V0, V1, … in its counter-example."""
    if "Formula is valid" in output:
        return True, []
    _, marker, rest = output.partition("A counter-example of least length")
    if not marker:
        lines = (complaint + output).split("\n")
        raise _NoAnswerError(
            next((line.strip() for line in lines if line.strip()), "it says nothing")
        )
    example = rest.partition("A satisfying example")[0]
    sets = dict(re.findall(r"^(V\d+) = \{([\d,]*)\}$", example, re.MULTILINE))
    values = []
    for i in range(variables):
        places = [int(place) for place in sets.get(f"V{i}", "").split(",") if place]
        if max(places, default=0) > MOST_DIGITS:
            raise _NoAnswerError(f"its counter-example has more than {MOST_DIGITS:,} binary digits")
        values.append(sum(1 << place for place in places))
    return False, values


EngineName = Literal["own", "mona"]
ENGINES: tuple[EngineName, ...] = ("own", "mona")
#: Why an engine that others are preferred to gives no answer.
NOT_ASKED = "it was not asked"


def installed_engines() -> tuple[EngineName, ...]:
    """Return the engines that this machine has, and that know what is known (`mona_fault`)."""
    return ENGINES if mona_fault() is None else ("own",)


def unasked(asked: Collection[EngineName]) -> dict[EngineName, str]:
    """Return for each engine that is not among `asked` why it gives no answer."""
    reasons: dict[EngineName, str | None] = {"own": None, "mona": mona_fault()}
    return {name: why or NOT_ASKED for name, why in reasons.items() if name not in asked}
