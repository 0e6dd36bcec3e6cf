"""The configuration's JSON schema for editors, and its reference page for people, both made from the model."""

from __future__ import annotations

import json
from typing import Any

from choco_pipeline.sweep.config import Config

HEAD = """\
# Configuration reference

Made from the model in `choco_pipeline/sweep/config.py` by `choco schema --reference`; a test keeps them in step.
Editors that read YAML schemas find theirs in `config/schema.json`. A key that is not listed here is a mistake, and says so.
Paths start from the folder that `choco` runs in, and may not leave it.
"""


def json_schema() -> str:
    """Return the JSON schema of a configuration, as text that ends with a line break."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Config.model_json_schema(),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def reference_page() -> str:
    """Return the reference of all keys, in Markdown."""
    schema = Config.model_json_schema()
    parts = [HEAD, _section("The file", schema), _section("A sweep", schema["$defs"]["Sweep"])]
    return "\n".join(parts)


def _section(title: str, schema: dict[str, Any]) -> str:
    lines = [
        f"## {title}",
        "",
        schema["description"],
        "",
        "| key | value | meaning |",
        "|---|---|---|",
    ]
    for key, field in schema["properties"].items():
        needed = (
            "needed"
            if key in schema.get("required", [])
            else f"`{json.dumps(field.get('default'))}` if left out"
        )
        examples = ", ".join(
            f"`{json.dumps(e, ensure_ascii=False)}`" for e in field.get("examples", [])
        )
        meaning = field.get("description", "") + (f" For example {examples}." if examples else "")
        lines.append(f"| `{key}` | {_kind(field)}; {needed} | {meaning} |")
    return "\n".join(lines) + "\n"


def _kind(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_kind(option) for option in field["anyOf"]))
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if "$ref" in field:
        return "a sweep"
    match field.get("type"):
        case "array":
            return f"a list of {_kind(field['items'])}"
        case "object":
            values = next(iter(field["patternProperties"].values()))
            return f"a mapping of names to {_kind(values)}"
        case "integer":
            return "an integer"
        case "null":
            return "nothing"
        case _:
            return "text"
