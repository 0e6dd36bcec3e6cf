"""The commands for users.

The function of a command has the command's name, and returns the exit code; None means 0. A command imports only its own module,
because all modules together take two seconds.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from choco_pipeline.cli.output import SETTINGS

#: The modules of the commands, by section of the help page.
SECTIONS = {
    "Runs": {
        "run": "run",
        "plan": "run",
        "verify": "stored",
        "export": "stored",
        "repair": "stored",
    },
    "One game, or a family": {
        "value": "value",
        "mine": "mine",
        "check": "claims",
        "heights": "mine",
        "prove": "prove",
    },
    "Claims": {"claims": "claims"},
    "This program": {"doctor": "doctor", "schema": "doctor", "version": "doctor"},
}
MODULES = {name: module for section in SECTIONS.values() for name, module in section.items()}


class Commands(TyperGroup):
    """The commands; each is imported on demand."""

    def list_commands(self, _context: Any) -> list[str]:
        """Return the names of the commands."""
        return [*MODULES]

    def get_command(self, _context: Any, name: str) -> Any:
        """Return the command with this name, or None."""
        if name not in MODULES:
            return None
        app = import_module(f"choco_pipeline.cli.{MODULES[name]}").app
        return typer.main.get_group(app).commands[name]

    def format_commands(self, _context: Any, formatter: Any) -> None:
        """List the commands in sections."""
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name, _summary(name)) for name in commands])


def _summary(name: str) -> str:
    """Return the first paragraph of a command's docstring, without importing it."""
    text = Path(__file__).with_name(f"{MODULES[name]}.py").read_text(encoding="utf-8")
    (function,) = (
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name == name.replace("-", "_")
    )
    return " ".join((ast.get_docstring(function) or "").split("\n\n")[0].split())


def _show_version(is_given: bool) -> None:
    if is_given:
        from choco_pipeline.provenance import package_version  # noqa: PLC0415 -- slow, and rarely needed

        print(f"choco {package_version()}")
        raise typer.Exit


def _exit(code: int | None, **_options: object) -> None:
    raise typer.Exit(code or 0)


app = typer.Typer(
    name="choco",
    cls=Commands,
    help="Conjecture search for impartial chocolate-bar games.",
    no_args_is_help=True,
    result_callback=_exit,
    **SETTINGS,
)


@app.callback()
def every_command(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version),
    ] = False,
) -> None:
    """Define the options that precede a command."""
