"""What a model says about itself: its JSON schema for editors, and tables of its keys for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]


def schema_text(model: type[BaseModel]) -> str:
    """Return the JSON schema of a model, as text that ends with a line break."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def section(title: str, schema: Schema, words: Mapping[str, str]) -> str:
    """Return a section of a reference page, in Markdown: what a model is, and a table of its keys.

    Parameters
    ----------
    title
        Heading of the section.
    schema
        The model's JSON schema, or its part of a larger one.
    words
        What to call the models that it holds, by their names in the schema.
    """
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
        said = field.get("description", "")
        meaning = " ".join(filter(None, [said, f"For example {examples}." if examples else ""]))
        lines.append(f"| `{key}` | {_kind(field, words)}; {needed} | {meaning} |")
    return "\n".join(lines) + "\n"


def _kind(field: Schema, words: Mapping[str, str]) -> str:
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_kind(option, words) for option in field["anyOf"]))
    if "oneOf" in field:
        return "one of the kinds below"
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if "$ref" in field:
        return words[field["$ref"].rpartition("/")[2]]
    if "format" in field:
        return f"{'an' if field['format'][0] in 'aeiou' else 'a'} {field['format']}"
    match field.get("type"):
        case "array":
            items = _kind(field["items"], words)
            return f"a list of {items if 'enum' in field['items'] else _several(items)}"
        case "object":
            values = next(iter(field["patternProperties"].values()))
            return f"a mapping of names to {_several(_kind(values, words))}"
        case "integer":
            return "an integer"
        case "boolean":
            return "`true` or `false`"
        case "null":
            return "nothing"
        case _:
            return "text"


def _several(kind: str) -> str:
    """Return the plural of what `_kind` says.

    Examples
    --------
    >>> _several("an integer or text"), _several("a list of integers")
    ('integers or text', 'lists of integers')
    """
    one = [part.removeprefix("an ").removeprefix("a ") for part in kind.split(" or ")]
    return " or ".join(
        part if old == part else part.replace(" of ", "s of ", 1) if " of " in part else f"{part}s"
        for old, part in zip(kind.split(" or "), one, strict=True)
    )
