"""How the pages of a report are made from templates."""

from __future__ import annotations

from base64 import b64encode
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.report.math.mathml import MathML, in_page
from choco_pipeline.report.math.prose import prose
from choco_pipeline.tables.computing.cost import in_bytes


def templates(*, autoescape: bool, **syntax: Any) -> Environment:
    """Return the templates, in which a name without a value is an error; `syntax` as Jinja's `Environment` takes it."""
    return Environment(
        loader=PackageLoader("choco_pipeline.report"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **syntax,
    )


def environment() -> Environment:
    """Return the templates of pages: nothing that a run says becomes markup."""
    pages = templates(autoescape=True)
    pages.filters |= {
        "count": count,
        "in_bytes": in_bytes,
        "math_text": math_text,
        "prose": lambda text: in_page(prose(text, MathML())),
        "sentence": sentence,
    }
    pages.globals["math_font"] = math_font
    return pages


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
