"""Documentation of models: JSON schemas, and tables of keys."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]
#: A noun with its article, and its plural.
Noun = tuple[str, str]


def schema_text(model: type[BaseModel]) -> str:
    """Return the JSON schema of a model, as text that ends with a line break."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def section(title: str, schema: Schema, words: Mapping[str, Noun]) -> str:
    """Return a section of a reference page: a model and a table of its keys.

    `words` has the nouns for models that are values of keys, by their names in the schema.
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
        default = f"`{json.dumps(field.get('default'))}` if left out"
        needed = "needed" if key in schema.get("required", []) else default
        several = [f"`{json.dumps(e, ensure_ascii=False)}`" for e in field.get("examples", [])]
        examples = f"For example {', '.join(several)}." if several else ""
        meaning = " ".join(filter(None, [field.get("description", ""), examples]))
        lines.append(f"| `{key}` | {_kind(field, words)[0]}; {needed} | {meaning} |")
    return "\n".join(lines) + "\n"


def _kind(field: Schema, words: Mapping[str, Noun]) -> Noun:
    """Return the noun for the values of a field of a schema."""
    if "anyOf" in field:
        options = [_kind(option, words) for option in field["anyOf"]]
        one, several = (" or ".join(dict.fromkeys(forms)) for forms in zip(*options, strict=True))
        return one, several
    if "oneOf" in field:
        return "one of the kinds below", "of the kinds below"
    if "$ref" in field:
        return words[field["$ref"].rpartition("/")[2]]
    match field.get("format") or field.get("type"):
        case "array":
            items = _kind(field["items"], words)[1]
            return f"a list of {items}", f"lists of {items}"
        case "object":
            values = _kind(next(iter(field["patternProperties"].values())), words)[1]
            return f"a mapping of names to {values}", f"mappings of names to {values}"
        case "integer":
            return "an integer", "integers"
        case "boolean":
            text = "`true` or `false`"
        case "null":
            text = "nothing"
        case str(name) if "format" in field:
            return f"a {name}", f"{name}s"
        case _:
            constants = field.get("enum", [field["const"]] if "const" in field else [])
            text = " or ".join(f"`{value}`" for value in constants) or "text"
    return text, text
