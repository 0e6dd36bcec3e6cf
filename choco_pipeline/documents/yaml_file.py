"""YAML files of users, and messages about mistakes in them.

A message has the file, the line, the key, the value found and the allowed values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from yaml.composer import Composer
from yaml.resolver import Resolver

from choco_pipeline.documents.files import INVISIBLE, read_bytes
from choco_pipeline.errors import ConfigError, hint

Location = tuple[str | int, ...]
M = TypeVar("M", bound=BaseModel)
DEEPEST = 30
#: Most binary digits of an integer, as for values of formulas. Python prints at most 4,300 decimal digits.
MOST_BITS = 4096
#: Most explained mistakes of one file. Each is compared with all others.
MOST_EXPLAINED = 20
#: A longer list of allowed words is not printed if a similar word is suggested.
MOST_LISTED = 8
#: Most bytes of a file. Text that is not YAML is read at about 100 kB/s; the project's files have at most 65 kB.
LARGEST_FILE = 512 << 10
#: Most characters of an integer. Python reads and prints at most 4,300 digits.
LONGEST_INTEGER = 1000
#: Most characters of a key, because messages contain keys. No known key has half as many.
LONGEST_KEY = 200
#: The form of an integer. YAML 1.1 would read 010 as 8 and 1:30 as 90.
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_BOOLEAN, _INTEGER = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:int"
_COLLECTIONS = {"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}


class Content:
    """Plain data from a user, with the place of each part.

    Errors name its `owner`: a file, or another source.
    """

    def __init__(self, owner: str, content: Any) -> None:
        """Wrap data without a file; raise `ConfigError` if it is nested too deeply."""
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
        """Return the place of a key, or of the nearest key that contains it."""
        while location not in self._places:
            location = location[:-1]
        return self._places[location]

    def error(self, location: Location, message: str) -> ConfigError:
        """Return a `ConfigError` with the place and the key."""
        key = ".".join(map(str, location))
        return ConfigError(f"{self.where(location)}: {key + ': ' if key else ''}{message}")

    def load(self, model: type[M]) -> M:
        """Return the content as a `model`; raise `ConfigError` with all mistakes."""
        try:
            return model.model_validate(self.content)
        except ValidationError as error:
            faults = error.errors(include_url=False)
        details = self._one_for_each_place(faults[:MOST_EXPLAINED])
        lines = [self._explanation(detail, model) for detail in details]
        if len(faults) > MOST_EXPLAINED:
            lines.append(f"{self.owner}: {len(faults) - MOST_EXPLAINED:,} more")
        raise ConfigError("\n".join(lines))

    def _one_for_each_place(self, details: Sequence[ErrorDetails]) -> Iterator[ErrorDetails]:
        """Yield one error for each place; pydantic has one for each member of a union."""
        by_place: dict[Location, list[ErrorDetails]] = {}
        misspelt = [str(d["loc"][-1]) for d in details if d["type"] == "extra_forbidden"]
        for detail in details:
            is_missing = detail["type"] == "missing"
            if is_missing and get_close_matches(str(detail["loc"][-1]), misspelt, 1):
                continue  # its misspelt name is reported instead
            place = detail["loc"] if is_missing else self._known(detail["loc"])
            if detail["type"] == "union_tag_invalid":
                place = (*place, _discriminator(detail))
            by_place.setdefault(place, []).append(detail)
        for place, group in by_place.items():
            if place and any(o != place and o[: len(place)] == place for o in by_place):
                continue  # an inner place has the mistake
            if not isinstance(group[0]["input"], list):
                # An error on this value is more helpful than "needs a list" of another member of the union.
                group = [d for d in group if d["type"] == "value_error"] or group
            needed = " or ".join(dict.fromkeys(map(_needed, group)))
            several: ErrorDetails = {**group[0], "type": "union", "msg": f"Needs {needed}"}
            yield group[0] if len(group) == 1 else several

    def _explanation(self, detail: ErrorDetails, model: type[BaseModel]) -> str:
        place = known = self._known(detail["loc"])
        key = ".".join(map(str, known)) or "the file"
        given = detail["input"]
        match detail["type"]:
            case "extra_forbidden":
                allowed = _keys_at(model, self.content, known[:-1])
                message = f"unknown key {known[-1]!r}{hint(known[-1], allowed)} (allowed: {', '.join(allowed)})"
                return f"{self.where(known)}: {message}"
            case "literal_error":
                message = _one_of(detail["ctx"]["expected"].replace(" or ", ", "), given)
            case "union_tag_invalid":
                name = _discriminator(detail)
                place, key = (*known, name), f"{key}.{name}"
                message = _one_of(detail["ctx"]["expected_tags"], given[name])
            case "union_tag_not_found":
                key, message = f"{key}.{_discriminator(detail)}", "this key is needed"
            case "missing":
                key = ".".join(map(str, (*known, detail["loc"][-1])))
                message = "this key is needed"
            case kind:
                needs = "needs " if kind in NEEDED else ""
                message = f"{needs}{_needed(detail)}, found {_short(given)}"
        if any(text.count("(") != text.count(")") for text in map(str, (key, given))):
            # YAML reads {c: min(a,b)} as the two keys "c" and "b)".
            message = 'a formula with a comma needs quotes, such as {c: "min(a, b)"}'
            key = ".".join(map(str, known[:-1])) or key
        return f"{self.where(place)}: {key}: {message}"

    def _known(self, location: Location) -> Location:
        """Return a location without pydantic's names of union members."""
        known: Location = ()
        for part in location:
            if (*known, part) in self._places:
                known = (*known, part)
        return known


#: The needed value for each type of error; ``{…}`` is filled from the error's context.
NEEDED = {
    "int_type": "an integer",
    "string_type": "text",
    "list_type": "a list",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "keys and values"),
    "literal_error": "one of {expected}",
    "string_too_long": "text of at most {max_length:,} characters",
    "string_pattern_mismatch": "text of the form {pattern}",
    "too_long": "at most {max_length} items",
    "too_short": "{min_length} or more items",
    "greater_than_equal": "a number of at least {ge}",
    "less_than_equal": "a number of at most {le}",
}


def _needed(detail: ErrorDetails) -> str:
    """Return the needed value, or a sentence for errors of other types."""
    context = detail.get("ctx", {})
    if detail["type"] == "value_error":
        return str(context["error"])
    message = detail["msg"][:1].lower() + detail["msg"][1:]
    return NEEDED[detail["type"]].format(**context) if detail["type"] in NEEDED else message


def _discriminator(detail: ErrorDetails) -> str:
    """Return the key that distinguishes the members of a union."""
    name: str = detail["ctx"]["discriminator"].strip("'")
    return name


def _one_of(listed: str, given: object) -> str:
    """Return the message that one of the listed words is needed."""
    allowed = [word.strip("'") for word in listed.split(", ")]
    near = hint(given, allowed)
    is_long = near and len(allowed) > MOST_LISTED
    words = f"one of {len(allowed)} words" if is_long else " or ".join(map(repr, allowed))
    return f"needs {words}, found {_short(given)}{near}"


def _keys_at(model: type[BaseModel], content: object, location: Location) -> list[str]:
    """Return the allowed keys of the mapping at `location` in `content`."""
    here: Any = model
    for part in location:
        if _is_model(here):
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
    """Return the model whose literals match the content, or else the first model."""
    given = content if isinstance(content, dict) else {}
    for model in models:
        for name, field in model.model_fields.items():
            literals = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            if given.get(name) in literals:
                return model
    return models[0] if models else None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _RefusedError(Exception):
    """Valid YAML that is not allowed here, with its place."""

    def __init__(self, mark: Any, why: str) -> None:
        super().__init__(why)
        self.mark, self.why = mark, why


class _Loader(Composer, Resolver):
    """A loader that rejects deep nesting and aliases while it reads."""

    depth = 0

    def __init__(self, events: Any) -> None:
        self._events = events
        self.check_event = self._events.check_event
        self.peek_event = self._events.peek_event
        Composer.__init__(self)
        Resolver.__init__(self)

    def get_event(self) -> Any:
        """Return and remove the next event."""
        event: Any = self._events.get_event()
        # PyYAML takes quadratic time in the depth, so the limit must be checked during reading.
        self.depth += isinstance(event, yaml.CollectionStartEvent)
        self.depth -= isinstance(event, yaml.CollectionEndEvent)
        if self.depth > DEEPEST:
            raise _RefusedError(event.start_mark, "nested too deeply")
        if isinstance(event, yaml.AliasEvent):
            why = "aliases (*name) are not read; write the value out"
            raise _RefusedError(event.start_mark, why)
        return event


def _parsed(text: str) -> Any:
    """Return the root node of a text; None if it is empty.

    libyaml takes about an eighth of the time of PyYAML's own parser, but PyYAML may be built without it. The own parser has better
    error messages, with a place, and rejects a tab inside a word, which libyaml accepts.
    """
    if yaml.__with_libyaml__ and "\t" not in text:
        with suppress(yaml.YAMLError):
            return _Loader(yaml.CSafeLoader(text)).get_single_node()
    return _Loader(yaml.SafeLoader(text)).get_single_node()


class YamlFile(Content):
    """The content of a YAML file with the line of every key."""

    def __init__(self, path: Path, text: str | None = None) -> None:
        """Read `path`, or use its `text`; raise `ConfigError` for a mistake."""
        self.path = path
        self.owner = str(path)
        self._places: dict[Location, str] = {}
        if text is None:
            text = read_yaml_text(path)
        try:
            node = _parsed(text)
        except _RefusedError as error:
            raise self._at(error.mark, error.why) from None
        except yaml.reader.ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            column = error.position - text.rfind("\n", 0, error.position)
            what = f"the character U+{ord(text[error.position]):04X} is not allowed"
            raise ConfigError(f"{path}:{line}:{column}: not YAML: {what}") from None
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            problem = getattr(error, "problem", None) or str(error)
            raise self._at(mark, f"not YAML: {problem}") from None
        if node is None:
            raise ConfigError(f"{path}: the file is empty")
        self.content = self._construct(node, ())

    def _at(self, mark: Any, message: str) -> ConfigError:
        return ConfigError(f"{self._mark(mark)}: {message}")

    def _mark(self, mark: Any) -> str:
        return f"{self.path}:{mark.line + 1}:{mark.column + 1}" if mark else str(self.path)

    def _construct(self, node: yaml.Node, location: Location) -> Any:
        self._places.setdefault(location, self._mark(node.start_mark))
        if isinstance(node, yaml.CollectionNode) and node.tag not in _COLLECTIONS:
            raise self._at(node.start_mark, f"tags are not read, found {node.tag}")
        if isinstance(node, yaml.MappingNode):
            content: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = key_node.value
                if not isinstance(key_node, yaml.ScalarNode):
                    raise self._at(key_node.start_mark, "a key must be a word")
                if len(key) > LONGEST_KEY:
                    what = f"a key of {len(key):,} characters, at most {LONGEST_KEY:,} are read"
                    raise self._at(key_node.start_mark, what)
                if key in content:
                    raise self._at(key_node.start_mark, f"the key {key!r} is given twice")
                self._places[(*location, key)] = self._mark(key_node.start_mark)
                content[key] = self._construct(value_node, (*location, key))
            return content
        if isinstance(node, yaml.SequenceNode):
            return [self._construct(item, (*location, i)) for i, item in enumerate(node.value)]
        if node.tag == _BOOLEAN and node.value.lower() not in ("true", "false"):
            return node.value  # no, yes, on and off are text, as in YAML 1.2
        if invisible := INVISIBLE.search(node.value):
            what = f"the character U+{ord(invisible[0]):04X} is not allowed"
            raise self._at(node.start_mark, what)
        if node.tag == _INTEGER and len(node.value) > LONGEST_INTEGER:
            what = f"an integer of {len(node.value):,} characters, at most {LONGEST_INTEGER:,} are read"
            raise self._at(node.start_mark, what)
        if node.tag == _INTEGER and node.value and not _DECIMAL.fullmatch(node.value):
            what = f"an integer is written in decimal digits, without a leading zero, found {node.value[:60]}"
            raise self._at(node.start_mark, what)
        try:
            return yaml.constructor.SafeConstructor().construct_object(node)
        except (IndexError, AttributeError):  # PyYAML on !!int '' and similar text
            kind = node.tag.rpartition(":")[2]
            what = f"cannot be read: {node.value[:60]!r} is not of type {kind}"
            raise self._at(node.start_mark, what) from None
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            problem = getattr(error, "problem", None) or str(error)
            raise self._at(node.start_mark, f"cannot be read: {problem}") from None


def read_yaml_text(path: Path, shown: Path | None = None, most: int = LARGEST_FILE) -> str:
    """Return the text of a file; messages call it `shown`, by default its path.

    Raises `ConfigError` if it is too large, not UTF-8 text, or cannot be read.
    """
    shown = shown or path
    try:
        content = read_bytes(path, most + 1)
        if len(content) > most:
            raise ConfigError(f"{shown}: too large, at most {most:,} bytes are read")
        return content.decode("utf-8")
    except OSError as error:
        raise ConfigError(f"{shown}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{shown}: not UTF-8 text ({error.reason} at byte {error.start})"
        ) from None
