"""Messages on standard error, JSON on standard output, and short numbers."""

from __future__ import annotations

import json
import sys

from choco_pipeline.documents.files import INVISIBLE

#: Most characters in a line of `note`.
LONGEST = 2000


def note(text: str) -> None:
    """Print text on standard error; escape control characters and cut long lines.

    The text may therefore contain untrusted input.
    """
    seen = INVISIBLE.sub(lambda character: ascii(character[0])[1:-1], text)
    lines = (line if len(line) <= LONGEST else f"{line[:LONGEST]}…" for line in seen.split("\n"))
    print("\n".join(lines), file=sys.stderr)


def emit(document: object) -> None:
    """Print a JSON document on standard output."""
    print(json.dumps(document, ensure_ascii=False))


def in_short(number: float) -> str:
    """Return a large number in a short form.

    Examples
    --------
    >>> in_short(950), in_short(12_300_000)
    ('950', '12.3 M')
    """
    for unit in ("", " k", " M", " G"):
        if number < 1000:
            return f"{number:.3g}{unit}" if unit else f"{number:.0f}"
        number /= 1000
    return f"{number:.4g} T"


def in_time(seconds: float) -> str:
    """Return a duration in a short form.

    Examples
    --------
    >>> in_time(0.04), in_time(9), in_time(90), in_time(4000)
    ('0.04 s', '9 s', '1 min 30 s', '1 h 6 min')
    """
    if seconds < 9.5:
        return f"{seconds:.2g} s"
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
