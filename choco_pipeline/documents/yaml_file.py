"""YAML files: plain data with the line and column of every key."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.resolver import Resolver

from choco_pipeline.documents.content import DEEPEST, INVISIBLE, Content, Location
from choco_pipeline.documents.files import read_bytes
from choco_pipeline.errors import ConfigError

_BOOLEAN, _INTEGER = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:int"
_COLLECTIONS = {"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}
#: Bytes of a file. What is no YAML is read at some 100 kB in a second; ours have at most 65 kB.
LARGEST_FILE = 512 << 10
#: Characters of an integer: Python writes and reads none of more than 4,300 digits.
LONGEST_INTEGER = 1000
#: How an integer is written. YAML 1.1 takes 010 for 8 and 1:30 for 90, without a word.
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)")
#: Characters of a key. No key that is read has half as many, and errors name keys.
LONGEST_KEY = 200


__all__ = ["Location", "YamlFile", "read_yaml_text"]


class _RefusedError(Exception):
    """What YAML allows and these files do not, with its place."""

    def __init__(self, mark: Any, why: str) -> None:
        super().__init__(why)
        self.mark, self.why = mark, why


class _Loader(Composer, Resolver):
    """Refuses what is nested too deeply, and aliases, as soon as it is read."""

    depth = 0

    def __init__(self, events: Any) -> None:
        self._events = events
        self.check_event = self._events.check_event
        self.peek_event = self._events.peek_event
        Composer.__init__(self)
        Resolver.__init__(self)

    def get_event(self) -> Any:
        """Return the next event: each is asked for once."""
        event: Any = self._events.get_event()
        # PyYAML takes a time that grows with the square of the depth, so that this is looked at while it reads.
        self.depth += isinstance(event, yaml.CollectionStartEvent)
        self.depth -= isinstance(event, yaml.CollectionEndEvent)
        if self.depth > DEEPEST:
            raise _RefusedError(event.start_mark, "nested too deeply")
        if isinstance(event, yaml.AliasEvent):
            why = "aliases (*name) are not read; write the value out"
            raise _RefusedError(event.start_mark, why)
        return event


def _parsed(text: str) -> Any:
    """Return the one node of a text, None if there is none; libyaml takes about an eighth of the time of PyYAML's own parser.

    PyYAML may be built without it. And what libyaml refuses, the other parser says more clearly, with a place. So it does
    of a tab inside of a word, which libyaml takes.
    """
    if yaml.__with_libyaml__ and "\t" not in text:
        with suppress(yaml.YAMLError):
            return _Loader(yaml.CSafeLoader(text)).get_single_node()
    return _Loader(yaml.SafeLoader(text)).get_single_node()


class YamlFile(Content):
    """A YAML file's content with the line of every key; its path is as the user gave it."""

    def __init__(self, path: Path, text: str | None = None) -> None:
        """Read `path`, unless `text` says what it holds; `ConfigError` if it cannot be used."""
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
        if len(location) > DEEPEST:
            raise self._at(node.start_mark, "nested too deeply")
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
            return node.value  # no, yes, on and off are words, as in YAML 1.2
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
        except (IndexError, AttributeError):  # what PyYAML stumbles over in !!int '' and the like
            kind = node.tag.rpartition(":")[2]
            what = f"cannot be read: {node.value[:60]!r} is no {kind}"
            raise self._at(node.start_mark, what) from None
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            problem = getattr(error, "problem", None) or str(error)
            raise self._at(node.start_mark, f"cannot be read: {problem}") from None


def read_yaml_text(path: Path, shown: Path | None = None, most: int = LARGEST_FILE) -> str:
    """Return what a file holds, or raise `ConfigError`: it is too large, no UTF-8 text, or cannot be read.

    Errors name it as `shown`, by default its path.
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
