"""How the pages of a report are made from templates."""

from __future__ import annotations

from base64 import b64encode
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.tables.computing.cost import in_bytes


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
        "math_text": math_text,
        "sentence": sentence,
    }
    templates.globals["math_font"] = math_font
    return templates


def math_font() -> str:
    """Return the font of formulas as a data URL: a browser stretches braces only of one that has a table for that."""
    font = files("choco_pipeline.report").joinpath("fonts/choco-math.woff2").read_bytes()
    return f"data:font/woff2;base64,{b64encode(font).decode()}"


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
