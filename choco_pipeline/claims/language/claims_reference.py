"""The JSON schema of claims files for editors, and their reference page for people, both made from the models."""

from __future__ import annotations

from choco_pipeline.claims.language.claims_file import ClaimsFile
from choco_pipeline.documents.reference import Noun, schema_text, section

HEAD = """\
# Claims files: reference

Made from the models in `choco_pipeline/claims/` by `choco schema --claims --reference`; a test keeps them in step.
[claims.md](claims.md) explains claims files by examples, [formula-language.md](formula-language.md) what a formula may say.
Editors that read YAML schemas find theirs in `config/claims/schema.json`. A key that is not listed here is a mistake, and
says so.
"""

WORDS = {
    "Paper": Noun.of("paper"),
    "Entry": Noun.of("claim"),
    "FollowsFrom": Noun.alike("what a claim follows from"),
    "Sample": Noun.of("sample"),
    "Case": Noun.of("case"),
    "MoveExample": Noun.of("move example"),
    "ShapeExample": Noun.of("shape example"),
    "Number": Noun.of("number"),
    "SectionCase": Noun("a case of sections", "cases of sections"),
}
#: The models that have a section before the kinds.
SECTIONS = ("Paper", "Entry", "FollowsFrom", "Sample")


def claims_schema() -> str:
    """Return the JSON schema of a claims file, as text that ends with a line break."""
    return schema_text(ClaimsFile)


def claims_reference() -> str:
    """Return the reference of all keys of a claims file, in Markdown."""
    schema = ClaimsFile.model_json_schema()
    models = schema["$defs"]
    kinds = models["Entry"]["properties"]["check"]["oneOf"]
    parts = [HEAD, section("The file", schema, WORDS)]
    for name in SECTIONS:
        parts.append(section(_heading(name), models[name], WORDS))
    for kind in kinds:
        model = models[kind["$ref"].rpartition("/")[2]]
        parts.append(section(f"Kind `{model['properties']['kind']['const']}`", model, WORDS))
    for name in WORDS:
        if name not in SECTIONS:
            parts.append(section(_heading(name), models[name], WORDS))
    return "\n".join(parts)


def _heading(name: str) -> str:
    return WORDS[name].one[0].upper() + WORDS[name].one[1:]
