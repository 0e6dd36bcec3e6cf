"""Jinja environments for the pages and papers of a report."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from choco_pipeline.claims.conclusions.conclusion import SIGNS
from choco_pipeline.claims.conclusions.rows import ENGINES, engines_text, enumerated
from choco_pipeline.commands import command
from choco_pipeline.formula.written.family_statement import Phrase
from choco_pipeline.formula.written.latex import (
    LaTeX,
    markdown_code,
    markdown_text,
    tex_code,
    tex_text,
)
from choco_pipeline.formula.written.math_text import math_text
from choco_pipeline.formula.written.mathml import MathML, in_page
from choco_pipeline.report.prose import prose
from choco_pipeline.tables.computing import in_bytes


def templates(*, autoescape: bool, **syntax: Any) -> Environment:
    """Return a Jinja environment in which an undefined name is an error."""
    return Environment(
        loader=PackageLoader("choco_pipeline.report"),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        **syntax,
    )


@cache
def environment() -> Environment:
    """Return the environment of pages, which escapes all text."""
    pages = templates(autoescape=True)
    pages.filters |= {
        "count": count,
        "engines": named_engines,
        "engines_text": engines_text,
        "in_bytes": in_bytes,
        "formulas": lambda statement: map(Markup, statement.formulas(MathML())),
        "lead": lambda statement: in_page(statement.lead(MathML())),
        "math_text": math_text,
        "math": lambda inner: Markup(f"<math>{inner}</math>"),
        "phrases": in_page,
        "prose": lambda text: in_page(prose(text, MathML())),
        "sentence": sentence,
    }
    font = files("choco_pipeline.report").joinpath("fonts/choco-math.woff2").read_bytes()
    # The font of formulas; it has stretchable braces.
    url = f"data:font/woff2;base64,{b64encode(font).decode()}"
    pages.globals |= {"command": command, "math_font": url, "signs": SIGNS}
    return pages


def papers(*, markdown: bool = False) -> Environment:
    """Return the environment for LaTeX or Markdown, where braces are text."""
    documents = templates(
        autoescape=False,  # neither is HTML
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        keep_trailing_newline=True,
    )
    text, code, formula = tex_text, tex_code, "${}$"
    if markdown:
        text, code, formula = markdown_text, markdown_code, "$`{}`$"

    def phrases(several: Iterable[Phrase]) -> str:
        """Return a sentence with spaces outside of formulas, where lines can wrap."""
        written = ""
        for phrase in several:
            inner = phrase.text.strip()
            before, _, after = phrase.text.partition(inner)
            write = {"formula": formula.format, "code": code, "words": text}[phrase.kind]
            written += f"{before}{write(inner)}{after}"
        return written

    documents.filters |= {
        "math": formula.format,
        "text": text,
        "code": code,
        "phrases": phrases,
        "count": count,
        "formulas": lambda statement: statement.formulas(LaTeX()),
        "lead": lambda statement: statement.lead(LaTeX()),
        "sentence": sentence,
    }
    documents.globals["command"] = command
    return documents


def count(number: int, one: str, many: str = "") -> str:
    """Return ``1 table`` or ``1,234 tables``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def named_engines(names: Iterable[str]) -> str:
    """Return the engines in words."""
    return enumerated([ENGINES.get(name, name) for name in names])


def sentence(text: str) -> str:
    """Return a line of the ledger as a sentence.

    Examples
    --------
    >>> sentence("holds up to bound 9")
    'Holds up to bound 9.'
    """
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
