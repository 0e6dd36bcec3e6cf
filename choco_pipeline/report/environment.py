"""How the pages of a report are made from templates."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from choco_pipeline.report.findings import pretty
from choco_pipeline.tables.cost import in_bytes


def environment() -> Environment:
    """Return the templates: nothing that a run says becomes markup, and a name without a value is an error."""
    templates = Environment(
        loader=PackageLoader("choco_pipeline.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "count": count,
        "in_bytes": in_bytes,
        "pretty": pretty,
        "sentence": sentence,
    }
    return templates


def count(number: int, one: str, many: str = "") -> str:
    """Return ``1 table`` or ``1,234 tables``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def sentence(text: str) -> str:
    """Return a line of the ledger as a sentence.

    Examples
    --------
    >>> sentence("holds up to bound 9")
    'Holds up to bound 9.'
    """
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
