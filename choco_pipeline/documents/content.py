"""Plain data read into models: every mistake is answered with its place, its key, what was found and what is allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from choco_pipeline.errors import ConfigError

Location = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)
DEEPEST = 30
#: Binary digits of an integer, those of formulas' values. Python writes none of more than 4,300 decimal ones.
MOST_BITS = 4096
#: What a terminal takes for a command, or shows in another order, and halves of a surrogate pair.
INVISIBLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
#: Mistakes that are explained: a reader corrects no more of them at once, and each is looked for among all.
MOST_EXPLAINED = 20
#: More allowed words than this are not listed where a near one can be named.
MOST_LISTED = 8


class Content:
    """Plain data that somebody has written, and where each part of it stands.

    The `owner` is what errors call what the data belongs to: a file, or whatever else it came from.
    """

    def __init__(self, owner: str, content: Any) -> None:
        """Take data that stands in no file, or raise `ConfigError` if it is nested too deeply."""
        self.owner = owner
        self.content = content
        self._places: dict[Location, str] = {}
        self._place(content, ())

    def _place(self, content: Any, location: Location) -> None:
        self._places[location] = self.owner
        if len(location) > DEEPEST:
            raise ConfigError(f"{self.owner}: nested too deeply")
        if isinstance(content, int) and content.bit_length() > MOST_BITS:
            what = f"an integer of {content.bit_length():,} binary digits, at most {MOST_BITS:,} are read"
            raise ConfigError(f"{self.owner}: {'.'.join(map(str, location))}: {what}")
        keyed = enumerate(content) if isinstance(content, list) else ()
        for key, value in content.items() if isinstance(content, dict) else keyed:
            self._place(value, (*location, key))

    def where(self, location: Location) -> str:
        """Return the place of a key, or of the nearest one above it: of a file, ``file:line:column``."""
        while location not in self._places:
            location = location[:-1]
        return self._places[location]

    def error(self, location: Location, message: str) -> ConfigError:
        """Return a `ConfigError` that names the place."""
        key = ".".join(map(str, location))
        return ConfigError(f"{self.where(location)}: {key + ': ' if key else ''}{message}")

    def load(self, model: type[M]) -> M:
        """Return the content as a `model`, or raise `ConfigError` with one line for each of its first mistakes."""
        try:
            return model.model_validate(self.content)
        except ValidationError as error:
            faults = error.errors(include_url=False)
            details = self._one_for_each_place(faults[:MOST_EXPLAINED])
            lines = [self._explain(detail, model) for detail in details]
            if len(faults) > MOST_EXPLAINED:
                lines.append(f"{self.owner}: {len(faults) - MOST_EXPLAINED:,} more")
            raise ConfigError("\n".join(lines)) from None

    def _one_for_each_place(self, details: list[ErrorDetails]) -> Iterator[ErrorDetails]:
        """Yield one error for each place: a value that fits no member of a union has one for each of them."""
        by_place: dict[Location, list[ErrorDetails]] = {}
        misspelt = [str(d["loc"][-1]) for d in details if d["type"] == "extra_forbidden"]
        for detail in details:
            if detail["type"] == "missing" and get_close_matches(
                str(detail["loc"][-1]), misspelt, 1
            ):
                continue  # it is there under a misspelt name, which is an error of its own
            place = detail["loc"] if detail["type"] == "missing" else self._known(detail["loc"])
            if detail["type"] == "union_tag_invalid":
                place = (*place, _discriminator(detail))
            by_place.setdefault(place, []).append(detail)
        for place, group in by_place.items():
            if any(
                len(other) > len(place) > 0 and other[: len(place)] == place for other in by_place
            ):
                continue  # what is wrong is further in
            if not isinstance(group[0]["input"], list):
                # What one member of a union says of this very value says more than that another wants a list.
                group = [d for d in group if d["type"] == "value_error"] or group
            needed = " or ".join(dict.fromkeys(_needed(detail) for detail in group))
            yield (
                group[0]
                if len(group) == 1
                else {**group[0], "type": "union", "msg": f"Needs {needed}"}
            )

    def _explain(self, detail: ErrorDetails, model: type[BaseModel]) -> str:
        place = known = self._known(detail["loc"])
        key = ".".join(map(str, known)) or "the file"
        given = detail["input"]
        match detail["type"]:
            case "extra_forbidden":
                allowed = _keys_at(model, self.content, known[:-1])
                near = get_close_matches(str(known[-1]), allowed, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                message = f"unknown key {known[-1]!r}{hint} (allowed: {', '.join(allowed)})"
                return f"{self.where(known)}: {message}"
            case "literal_error":
                allowed = _words(detail["ctx"]["expected"].replace(" or ", ", "))
                message = _one_of(allowed, given)
            case "union_tag_invalid":
                name = _discriminator(detail)
                place, key = (*known, name), f"{key}.{name}"
                message = _one_of(_words(detail["ctx"]["expected_tags"]), given[name])
            case "union_tag_not_found":
                key, message = f"{key}.{_discriminator(detail)}", "this key is needed"
            case "string_pattern_mismatch":
                form = detail["ctx"]["pattern"]
                message = f"needs text of the form {form}, found {_short(given)}"
            case "too_long" | "too_short" as kind:
                at, limit = ("most", "max") if kind == "too_long" else ("least", "min")
                n, actual = detail["ctx"][f"{limit}_length"], detail["ctx"]["actual_length"]
                message = f"list should have at {at} {n} item{'s' * (n != 1)}, found {actual}"
            case "missing":
                key = ".".join(map(str, (*known, detail["loc"][-1])))
                message = "this key is needed"
            case "value_error":
                message = f"{_needed(detail)}, found {_short(given)}"
            case "dict_type" | "model_type" | "model_attributes_type":
                message = f"needs keys and values, found {_short(given)}"
            case _:
                message = f"{detail['msg'][0].lower()}{detail['msg'][1:]}, found {_short(given)}"
        if any(text.count("(") != text.count(")") for text in map(str, (key, given))):
            # YAML reads {c: min(a,b)} as the two keys "c" and "b)".
            message = 'a formula with a comma needs quotes, such as {c: "min(a, b)"}'
            key = ".".join(map(str, known[:-1])) or key
        return f"{self.where(place)}: {key}: {message}"

    def _known(self, location: Location) -> Location:
        """Drop what pydantic adds to a location to say which member of a union it tried."""
        known: Location = ()
        for part in location:
            if (*known, part) in self._places:
                known = (*known, part)
        return known


def _needed(detail: ErrorDetails) -> str:
    kinds = {
        "int_type": "an integer",
        "string_type": "text",
        "list_type": "a list",
        "dict_type": "keys and values",
        "literal_error": "one of ",
    }
    if detail["type"] == "literal_error":
        return f"one of {detail.get('ctx', {}).get('expected', '')}"
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    if detail["type"] == "string_too_long":
        return f"text of at most {detail['ctx']['max_length']:,} characters"
    return kinds.get(detail["type"], detail["msg"].lower())


def _discriminator(detail: ErrorDetails) -> str:
    """Return the key that tells the members of a union apart."""
    name: str = detail["ctx"]["discriminator"].strip("'")
    return name


def _words(listed: str) -> list[str]:
    """Return what pydantic lists, as ``'a', 'b'``."""
    return [word.strip("'") for word in listed.split(", ")]


def _one_of(allowed: list[str], given: object) -> str:
    near = get_close_matches(str(given), allowed, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    listed = f"one of {len(allowed)} words" if near and len(allowed) > MOST_LISTED else None
    return f"needs {listed or ' or '.join(map(repr, allowed))}, found {_short(given)}{hint}"


def _keys_at(model: type[BaseModel], content: object, location: Location) -> list[str]:
    """Return the keys that are allowed in the mapping at `location` of `content`."""
    here: Any = model
    for part in location:
        if isinstance(here, type) and issubclass(here, BaseModel):
            known = here.model_fields.get(str(part))
            here = known.annotation if known else None
        else:
            here = (get_args(here) or (None,))[-1]
        if isinstance(content, dict):
            content = content.get(part)
        elif isinstance(content, list) and isinstance(part, int):
            content = content[part]
        if get_origin(here) in (Union, UnionType):
            here = _member_for(content, [a for a in get_args(here) if _is_model(a)]) or here
    return list(here.model_fields) if _is_model(here) else []


def _is_model(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _member_for(content: object, models: list[type[BaseModel]]) -> type[BaseModel] | None:
    """Return the model whose fixed words (`kind: …`) the content has, or the first."""
    for model in models:
        fixed = {n: f for n, f in model.model_fields.items() if get_origin(f.annotation) is Literal}
        if isinstance(content, dict) and any(
            content.get(name) in get_args(field.annotation) for name, field in fixed.items()
        ):
            return model
    return models[0] if models else None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
