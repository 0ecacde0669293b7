"""YAML text to plain values that remember the line they stand on.

The scalars are those of YAML 1.2's core schema: only `true` and `false` are
booleans (`no` is a word), `010` is ten, `1e3` is a number, `12:30` is not, and
a date is text. Twice the same key, a tag and a second document are refused.
"""

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from mpbench.errors import UserError
from mpbench.spec.syntax import describe

Place = tuple[str | int, ...]

MAXIMUM_NODES = 100_000  # aliases of aliases can unfold into any number of values


class _Loader(yaml.SafeLoader):
    """PyYAML's parser with the scalars of YAML 1.2."""


_Loader.yaml_implicit_resolvers = {}


_SCALARS: tuple[tuple[str, str, str], ...] = (
    ("tag:yaml.org,2002:null", r"~|null|Null|NULL|", "~nN"),
    ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("tag:yaml.org,2002:int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "tag:yaml.org,2002:float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?",
        "-+.0123456789",
    ),
    ("tag:yaml.org,2002:merge", r"<<", "<"),
)
for _tag, _pattern, _first in _SCALARS:
    _Loader.add_implicit_resolver(_tag, re.compile(rf"(?:{_pattern})\Z"), list(_first))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"\Z"), [""])


@dataclass(frozen=True)
class Document:
    """A file's values and the line on which each key or item stands.

    name : the file, as messages show it
    text : what the file holds
    values : mappings, lists, text, numbers, booleans and None
    lines : place in `values`, such as ("design", "factors", "path1.delay", "min"),
        to line number, from 1; the place of a mapping's entry is its key's
    origins : the file that a place stands in, of places that another file brought
    """

    name: str
    text: str
    values: dict[str, Any]
    lines: Mapping[Place, int]
    origins: Mapping[Place, str] = field(default_factory=dict)

    def line(self, place: Place) -> int:
        """Line of a place, or of the nearest thing that encloses it."""
        return self.lines.get(self._nearest(place), 1)

    def origin(self, place: Place) -> str:
        """Name of the file that it stands in."""
        return self.origins.get(self._nearest(place), self.name)

    def where(self, place: Place) -> str:
        """`file:line` of a place, or of the nearest thing that encloses it."""
        return f"{self.origin(place)}:{self.line(place)}"

    def _nearest(self, place: Place) -> Place:
        while place not in self.lines and place:
            place = place[:-1]
        return place


@dataclass
class _Builder:
    """Turns YAML's node tree into values, and notes lines and faults."""

    name: str
    lines: dict[Place, int] = field(default_factory=dict)
    faults: list[tuple[int, str]] = field(default_factory=list)
    open_nodes: list[yaml.Node] = field(default_factory=list)
    count: int = 0

    def build(self, node: yaml.Node, place: Place) -> Any:
        line = node.start_mark.line + 1
        self.lines.setdefault(place, line)
        self.count += 1
        if self.count > MAXIMUM_NODES:
            raise UserError(f"{self.name}:{line}: too many values (aliases?)")
        if any(node is outer for outer in self.open_nodes):
            raise UserError(f"{self.name}:{line}: an alias of what it stands in")
        self.open_nodes.append(node)
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, place)
            if isinstance(node, yaml.SequenceNode):
                return [self.build(n, (*place, i)) for i, n in enumerate(node.value)]
            return self._scalar(node, line)
        finally:
            self.open_nodes.pop()

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        first: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if key_node.tag == "tag:yaml.org,2002:merge":
                merged = {**self._merge(value_node, place, line), **merged}
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                self.faults.append((line, "a key must be a word, not a collection"))
                continue
            key = key_node.value
            if key in first:
                reason = f"{dotted((*place, key))}: stands on line {first[key]} already"
                self.faults.append((line, reason))
                continue
            first[key] = line
            self.lines[(*place, key)] = line
            own[key] = self.build(value_node, (*place, key))
        return {**merged, **own}

    def _merge(self, node: yaml.Node, place: Place, line: int) -> dict[str, Any]:
        """The entries that `<<: *anchor` brings; the earlier mapping wins."""
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        result: dict[str, Any] = {}
        for each in nodes:
            if isinstance(each, yaml.MappingNode):
                result = {**self.build(each, place), **result}
            else:
                self.faults.append((line, "'<<' takes a mapping, or a list of them"))
        return result

    def _scalar(self, node: yaml.Node, line: int) -> Hashable:
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        text: str = node.value
        match kind:
            case "null":
                return None
            case "bool":
                return text.lower() == "true"
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "str" | "merge":
                return text
        self.faults.append((line, f"the tag '{node.tag}' is not supported"))
        return text


def read(path: Path) -> Document:
    """Reads a file; raises UserError if it cannot be read or is not YAML."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; `ls` its folder") from None
    except IsADirectoryError:
        raise UserError(f"{path}: a folder; name an experiment file in it") from None
    except UnicodeDecodeError as error:
        reason = f"not text in UTF-8 (byte {error.start})"
        raise UserError(f"{path}: {reason}; save it as UTF-8") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    return parse(text, str(path))


def parse(text: str, name: str) -> Document:
    """YAML text to a Document.

    name : how messages call the file

    Raises UserError, with all faults one a line: syntax, keys that stand twice,
    tags, several documents, or something other than a mapping at the top.
    """
    try:
        nodes = list(yaml.compose_all(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        raise UserError(describe(error, name)) from None
    except yaml.YAMLError as error:
        first = str(error).splitlines()[0]
        raise UserError(f"{name}:1: not YAML: {first}") from None
    except RecursionError:
        raise UserError(f"{name}:1: nested too deeply") from None
    if not nodes:
        raise UserError(f"{name}:1: empty; an experiment has a name, cases, traffic")
    if len(nodes) > 1:
        line = nodes[1].start_mark.line + 1
        raise UserError(f"{name}:{line}: a second document; one file, one experiment")
    root = nodes[0]
    if not isinstance(root, yaml.MappingNode):
        line = root.start_mark.line + 1
        raise UserError(f"{name}:{line}: expected 'key: value' lines at the top")
    builder = _Builder(name)
    values = builder.build(root, ())
    if builder.faults:
        lines = (f"{name}:{line}: {reason}" for line, reason in builder.faults)
        raise UserError("\n".join(lines))
    return Document(name, text, values, builder.lines)


def dotted(place: Place) -> str:
    """A place as a path: `traffic[0].from`."""
    path = ""
    for part in place:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path
