"""YAML text to plain values that remember the line they stand on.

The scalars are those of YAML 1.2's core schema: only `true` and `false` are
booleans (`no` is a word), `010` is ten, `1e3` is a number, `12:30` is not, and
a date is text. A key that stands twice, a tag and a second document are refused.

A file may come from a stranger. So only regular files are read, and a file's size,
its depth, its number of values and its numbers are bounded.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from mpbench.errors import DIRECTIONS, UserError
from mpbench.spec.messages import listing, shortened
from mpbench.spec.syntax import describe

Place = tuple[str | int, ...]

MOST_BYTES = 1 << 18
"""Size of a file. The largest experiments that we know have a few kilobytes."""

MOST_VALUES = 100_000
"""Values of a file. Aliases of aliases can unfold into any number of values."""

MOST_DEPTH = 50
"""Collections within collections; an experiment needs about six."""

EXPERIMENT = "an experiment has a name, cases, traffic"

MOST_DIGITS = 100
"""Digits of a whole number, which the numbers of an experiment never reach."""


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

    name : the name of the file in messages
    text : the content of the file
    values : mappings, lists, text, numbers, booleans and None
    lines : the line number, from 1, of every place in `values`, such as
        ("design", "factors", "path1.delay", "min"); an entry of a mapping stands
        where its key stands
    origins : the name of the file for every place that an included file brought
    changes : the configurations that changed the values; empty: none
    rewritten : whether the values hold the content of a file that the text only names
    """

    name: str
    text: str
    values: dict[str, Any]
    lines: Mapping[Place, int]
    origins: Mapping[Place, str] = field(default_factory=dict)
    changes: str = ""
    rewritten: bool = False

    def line(self, place: Place) -> int:
        """Line of a place; of a place that is missing, the line of what encloses it."""
        return self.lines.get(self._nearest(place), 1)

    def origin(self, place: Place) -> str:
        """Name of the file that a place stands in."""
        return self.origins.get(self._nearest(place), self.name)

    def where(self, place: Place) -> str:
        """`file:line` of a place, as `line` and `origin` give them."""
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
        if self.count > MOST_VALUES:
            reason = f"more than {MOST_VALUES} values, with each alias written out"
            raise UserError(f"{self.name}:{line}: {reason}; use fewer aliases")
        if any(node is outer for outer in self.open_nodes):
            reason = "this alias stands inside what it is an alias of"
            raise UserError(f"{self.name}:{line}: {reason}; write the value instead")
        if len(self.open_nodes) >= MOST_DEPTH:
            raise UserError(_too_deep(self.name, line))
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
            key = self._text(key_node.value, line)
            if key in first:
                path = shortened(dotted((*place, key)))
                reason = f"{path}: stands on line {first[key]} already; remove one"
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
        for merged in nodes:
            if isinstance(merged, yaml.MappingNode):
                result = {**self.build(merged, place), **result}
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
            case "int" if len(text) > MOST_DIGITS:
                reason = f"a number of {len(text)} digits; at most {MOST_DIGITS} work"
                self.faults.append((line, reason))
                return 0
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "str" | "merge":
                return self._text(text, line)
        tag = shortened(node.tag)
        self.faults.append((line, f"the tag '{tag}' is not supported; remove it"))
        return text

    def _text(self, text: str, line: int) -> str:
        """The text. A control character is a fault, since messages print the text."""
        for character in text:
            if character not in "\n\t" and (
                unicodedata.category(character) in _UNPRINTED or _TURNS.match(character)
            ):
                reason = (
                    f"the character U+{ord(character):04X} cannot be used; remove it"
                )
                self.faults.append((line, reason))
                return "?"
        return text


_UNPRINTED = ("Cc", "Cs")
"""Unicode's categories of control characters and of halves of surrogate pairs."""

_TURNS = re.compile(f"[{DIRECTIONS}]")
"""With these, an editor shows another file than the one that is read."""


def read(path: Path, needs: str = EXPERIMENT) -> Document:
    """Reads a file; raises UserError if it cannot be read or is not YAML.

    needs : contents of such a file, for one that is empty
    """
    try:
        content = _content(path)
    except FileNotFoundError:
        raise UserError(f"{_name(path)}: no such file; `ls` its folder") from None
    except IsADirectoryError:
        reason = "this is a folder; name an experiment file in it"
        raise UserError(f"{_name(path)}: {reason}") from None
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        raise UserError(f"{_name(path)}: {reason}; name another file") from None
    except ValueError:  # a name that no file can have
        reason = "no file can have this name; name another file"
        raise UserError(f"{_name(path)}: {reason}") from None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        reason = f"not text in UTF-8 (byte {error.start})"
        raise UserError(f"{_name(path)}: {reason}; save it as UTF-8") from None
    return parse(text, str(path), needs)


def _content(path: Path) -> bytes:
    """The bytes of a regular file.

    A device or a pipe may have no end, or keep a reader waiting. So the file is opened
    without waiting and read up to a bound. Files of the kernel, which have no size,
    count as empty. Standard input, below /dev, may be a pipe.
    """
    piped = path.parts[:2] == ("/", "dev") and path.is_fifo()
    waiting = 0 if piped else os.O_NONBLOCK
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | waiting)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not piped and not stat.S_ISREG(status.st_mode):
            reason = "not a regular file; save the experiment as one"
            raise UserError(f"{_name(path)}: {reason}")
        if not piped and status.st_size == 0:
            return b""  # also files of the kernel, some of which reading changes
        content = file.read(MOST_BYTES + 1) or b""
    if len(content) > MOST_BYTES:
        raise UserError(f"{_name(path)}: {_TOO_LARGE}")
    return content


_TOO_LARGE = (
    f"larger than {MOST_BYTES // 1024} KiB; divide the experiment, or use ranges"
    " instead of lists"
)


def _name(path: Path) -> str:
    return shortened(path, 300)


def parse(text: str, name: str, needs: str = EXPERIMENT) -> Document:
    """YAML text to a Document.

    name : the name of the file in messages
    needs : contents of such a file, for one that is empty

    Raises UserError, with one line per fault: wrong syntax, keys that stand twice,
    tags, several documents, or something other than a mapping at the top.
    """
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise UserError(f"{name}:1: {_TOO_LARGE}")
    try:
        nodes = list(yaml.compose_all(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        raise UserError(listing([describe(error, name)])) from None
    except yaml.YAMLError as error:
        first = shortened(str(error).splitlines()[0])
        reason = f"not YAML: {first}; save it as plain text in UTF-8"
        raise UserError(f"{name}:1: {reason}") from None
    except (ValueError, OverflowError):
        reason = 'an escape such as "\\UFFFFFFFF" stands for no character; remove it'
        raise UserError(f"{name}:1: not YAML: {reason}") from None
    except RecursionError:
        raise UserError(_too_deep(name, 1)) from None
    if not nodes:
        raise UserError(f"{name}:1: empty; {needs}")
    if len(nodes) > 1:
        line = nodes[1].start_mark.line + 1
        reason = "a second document begins here; one file holds one experiment"
        raise UserError(f"{name}:{line}: {reason}")
    root = nodes[0]
    if not isinstance(root, yaml.MappingNode):
        line = root.start_mark.line + 1
        raise UserError(f"{name}:{line}: expected 'key: value' lines at the top")
    builder = _Builder(name)
    values = builder.build(root, ())
    if builder.faults:
        lines = [f"{name}:{line}: {reason}" for line, reason in builder.faults]
        raise UserError(listing(lines))
    return Document(name, text, values, builder.lines)


def _too_deep(name: str, line: int) -> str:
    reason = f"more than {MOST_DEPTH} collections within one another"
    return f"{name}:{line}: nested too deeply: {reason}; close some"


def dotted(place: Place) -> str:
    """A place as a path: `traffic[0].from`."""
    path = ""
    for part in place:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path
