"""The list of commands in a help page: by what they are for, and none of their sentences cut."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

RUNS = "Runs"
GAMES = "One game, or a family"
CLAIMS = "Claims"
THIS_PROGRAM = "This program"
STEPS = "Steps of a run, which the workflow calls"
#: In the order of a help page; the last is for commands without one.
SECTIONS = (RUNS, GAMES, CLAIMS, THIS_PROGRAM, STEPS, "Commands")


class CommandSections(TyperGroup):
    """Commands whose help page lists them in sections."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each panel that commands have; those without one stand in the last."""
        sections: dict[str, list[tuple[str, str]]] = {section: [] for section in SECTIONS}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is None or command.hidden:
                continue
            first_sentence = " ".join((command.help or "").split("\n\n")[0].split())
            panel = getattr(command, "rich_help_panel", None) or SECTIONS[-1]
            sections[panel].append((name, first_sentence))
        for section, rows in sections.items():
            if rows:
                with formatter.section(section):
                    formatter.write_dl(rows)
