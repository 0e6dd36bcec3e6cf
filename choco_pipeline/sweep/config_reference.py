"""The configuration's JSON schema for editors, and its reference page for people, both made from the model."""

from __future__ import annotations

from choco_pipeline.documents.reference import Noun, schema_text, section
from choco_pipeline.sweep.config import Config

HEAD = """\
# Configuration reference

Made from the model in `choco_pipeline/sweep/config.py` by `choco schema --reference`; a test keeps them in step.
Editors that read YAML schemas find theirs in `config/schema.json`. A key that is not listed here is a mistake, and says so.
Paths start from the folder that `choco` runs in, and may not leave it.
"""


def json_schema() -> str:
    """Return the JSON schema of a configuration, as text that ends with a line break."""
    return schema_text(Config)


def reference_page() -> str:
    """Return the reference of all keys, in Markdown."""
    schema = Config.model_json_schema()
    words = {"Sweep": Noun.of("sweep"), "HeightBox": Noun("a box", "boxes")}
    parts = [
        HEAD,
        section("The file", schema, words),
        section("A sweep", schema["$defs"]["Sweep"], words),
        section("A box of height functions", schema["$defs"]["HeightBox"], words),
    ]
    return "\n".join(parts)
