"""The JSON schema of games of one's own for editors, and their reference page for people, both made from the model."""

from __future__ import annotations

from choco_pipeline.documents.reference import schema_text, section
from choco_pipeline.games.game_file import GameFile

HEAD = """\
# Games of one's own: reference

Made from the model in `choco_pipeline/games/game_file.py` by `choco schema --games --reference`; a test keeps them in step.
[games.md](games.md) explains these files by examples, [statements.md](statements.md) what a formula may say.
Editors that read YAML schemas find theirs in `config/games/schema.json`. A key that is not listed here is a mistake, and
says so.
"""

WORDS = {"GameMove": ("a move", "moves")}


def games_schema() -> str:
    """Return the JSON schema of a game's file, as text that ends with a line break."""
    return schema_text(GameFile)


def games_reference() -> str:
    """Return the reference of all keys of a game's file, in Markdown."""
    schema = GameFile.model_json_schema()
    parts = [
        HEAD,
        section("The file", schema, WORDS),
        section("A move", schema["$defs"]["GameMove"], WORDS),
    ]
    return "\n".join(parts)
