"""The documentation as a site, which `./choco docs` builds without a network: pages of this folder, and what code says of itself.

``cli.md`` and ``python-api.md`` have only a beginning here. Their rest is written from the commands and from the docstrings while the
site is built, so it cannot be out of date.
"""

import typer.cli
from sphinx.application import Sphinx
from typer.main import get_command

import choco_pipeline
from choco_pipeline.cli.app import app

project = "choco_pipeline"
copyright = "choco_pipeline authors"
version = release = choco_pipeline.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"choco_pipeline {version}"
html_show_sphinx = False
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
highlight_language = "none"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_inherit_docstrings = False
napoleon_numpy_docstring = True


def commands() -> str:
    """Return a section for each command, in Markdown."""
    command = get_command(app)
    context = typer.Context(command, info_name="choco")
    text = typer.cli.get_docs_for_click(obj=command, ctx=context, name="choco")
    return text[text.index("\n## ") :]  # without the list of commands, which the page is


def objects() -> str:
    """Return what the package exports, class by class and function by function."""
    lines = []
    for name in sorted(choco_pipeline.__all__, key=str.lower):
        kind = "class" if isinstance(getattr(choco_pipeline, name), type) else "function"
        lines += [
            f".. auto{kind}:: choco_pipeline.{name}",
            "   :members:" if kind == "class" else "",
            "",
        ]
    return "```{eval-rst}\n" + "\n".join(lines) + "```\n"


GENERATED = {"cli": commands, "python-api": objects}


def add_generated(_app: Sphinx, page: str, source: list[str]) -> None:
    """Write the rest of a page."""
    if page in GENERATED:
        source[0] += "\n" + GENERATED[page]()


def setup(app: Sphinx) -> None:
    """Tell Sphinx who writes the rest of these pages."""
    app.connect("source-read", add_generated)
