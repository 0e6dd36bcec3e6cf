"""What Snakemake says while it works, as far as a run needs to know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from choco_pipeline.stages import RULES

_COUNT = re.compile(r"(?P<rule>\w+)\s+(?P<count>\d+)")
_RULE = re.compile(r"(?:local)?rule (?P<rule>\w+):")
_SWEEP = re.compile(r"\s+wildcards: sweep=(?P<sweep>[\w-]+)")
_ERROR = re.compile(r"Error in rule (?P<rule>\w+):")
_LOG = re.compile(r"\s+log: (?P<log>.+?) \(check log file")


@dataclass(frozen=True)
class Jobs:
    """What will run: the number of jobs of each rule."""

    counts: dict[str, int]


@dataclass(frozen=True)
class Job:
    """A job has started, or in a dry run would."""

    rule: str
    sweep: str


@dataclass(frozen=True)
class Failed:
    """A job has failed; `logs` are the file that its command wrote to, and that of the queue that it ran in, if any."""

    rule: str
    logs: tuple[Path, ...]


Event = Jobs | Job | Failed


class SnakemakeLog:
    """Snakemake's output, read while it is being written."""

    def __init__(self, file: IO[bytes]) -> None:
        """Follow a file from where it stands."""
        self._file = file
        self._rest = b""
        self._counts: dict[str, int] | None = None
        self._rule = ""
        self._failed = ""

    def events(self) -> Iterator[Event]:
        """Yield what has happened since the last call."""
        *lines, self._rest = (self._rest + self._file.read()).split(b"\n")
        for line in lines:
            yield from self._event(line.decode(errors="replace"))

    def _event(self, line: str) -> Iterator[Event]:
        if line.startswith("Job stats:"):
            self._counts = {}
        elif (
            self._counts is not None
        ):  # inside the table of job counts, which ends with an empty line
            if written := _COUNT.fullmatch(line.strip()):
                self._counts[written["rule"]] = int(written["count"])
            elif not line.strip():
                yield Jobs({rule: self._counts[rule] for rule in RULES if rule in self._counts})
                self._counts = None
        elif written := _RULE.match(line):
            self._rule = written["rule"]
        elif written := _SWEEP.match(line):
            if self._rule:
                yield Job(self._rule, written["sweep"])
            self._rule = ""
        elif written := _ERROR.match(line):
            self._failed = written["rule"]
        elif self._failed and (written := _LOG.match(line)):
            yield Failed(self._failed, tuple(map(Path, written["log"].split(", "))))
            self._failed = ""
