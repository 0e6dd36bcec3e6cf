"""What a model says about itself: its JSON schema for editors, and tables of its keys for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

Schema = Mapping[str, Any]


class Noun(NamedTuple):
    """What is said of one thing, with its article, and of several."""

    one: str
    several: str

    @classmethod
    def of(cls, word: str) -> Noun:
        """Return a noun that is regular.

        Examples
        --------
        >>> Noun.of("integer")
        Noun(one='an integer', several='integers')
        """
        return cls(f"{'an' if word[0] in 'aeiou' else 'a'} {word}", f"{word}s")

    @classmethod
    def alike(cls, text: str) -> Noun:
        """Return what is said of one and of several alike."""
        return cls(text, text)


def schema_text(model: type[BaseModel]) -> str:
    """Return the JSON schema of a model, as text that ends with a line break."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **model.model_json_schema(),
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def section(title: str, schema: Schema, words: Mapping[str, Noun]) -> str:
    """Return a section of a reference page, in Markdown: what a model is, and a table of its keys.

    `words` say what to call the models that it holds, by their names in the schema.
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
        description = field.get("description", "")
        meaning = " ".join(
            filter(None, [description, f"For example {examples}." if examples else ""])
        )
        lines.append(f"| `{key}` | {_kind(field, words).one}; {needed} | {meaning} |")
    return "\n".join(lines) + "\n"


def _kind(field: Schema, words: Mapping[str, Noun]) -> Noun:
    """Return what a field of a schema holds."""
    if "anyOf" in field:
        options = [_kind(option, words) for option in field["anyOf"]]
        single, several = (
            " or ".join(dict.fromkeys(forms)) for forms in zip(*options, strict=True)
        )
        return Noun(single, several)
    if "oneOf" in field:
        return Noun("one of the kinds below", "of the kinds below")
    if "enum" in field:
        return Noun.alike(" or ".join(f"`{value}`" for value in field["enum"]))
    if "const" in field:
        return Noun.alike(f"`{field['const']}`")
    if "$ref" in field:
        return words[field["$ref"].rpartition("/")[2]]
    if "format" in field:
        return Noun.of(field["format"])
    match field.get("type"):
        case "array":
            items = _kind(field["items"], words).several
            return Noun(f"a list of {items}", f"lists of {items}")
        case "object":
            values = _kind(next(iter(field["patternProperties"].values())), words).several
            return Noun(f"a mapping of names to {values}", f"mappings of names to {values}")
        case "integer":
            return Noun.of("integer")
        case "boolean":
            return Noun.alike("`true` or `false`")
        case "null":
            return Noun.alike("nothing")
        case _:
            return Noun.alike("text")
