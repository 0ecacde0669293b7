"""YAML files of published values: plain values that know the line they stand on."""

import difflib
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from analysis.published import files

Place = tuple[str | int, ...]

MOST_VALUES = 20_000
"""Five times the most of `results/published`; aliases can make far more."""

_TOO_DEEP = "nested too deeply"


class _Loader(yaml.SafeLoader):
    """PyYAML's parser, in which a date stays text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if not tag.endswith("timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True)
class Document:
    """A file's values, and the line of each value by its place."""

    path: Path
    values: Any
    lines: Mapping[Place, int] = field(default_factory=dict)

    def at(self, place: Place) -> str:
        """`file:line` of the value, or of the nearest value around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return f"{self.path}:{self.lines.get(place, 1)}"

    def checked(
        self, place: Place, needed: Sequence[str], optional: Sequence[str] = ()
    ) -> Mapping[str, Any]:
        """The mapping at a place.

        Raises ValueError, `file:line: what`, if it is no mapping, lacks a key of
        `needed`, or has a key that is in neither list.
        """
        value = self.values
        for step in place:
            value = value[step]
        if not isinstance(value, Mapping):
            raise ValueError(f"{self.at(place)}: must be keys with values")
        known = (*needed, *optional)
        for key in value:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, 1)
                hint = f"did you mean {near[0]}?" if near else f"has {', '.join(known)}"
                raise ValueError(
                    f"{self.at((*place, key))}: {key}: unknown key; {hint}"
                )
        for key in needed:
            if key not in value:
                raise ValueError(f"{self.at(place)}: the key {key} is missing")
        return value


def read(path: Path) -> Document:
    """The file's values. Raises ValueError, `file:line: what`, if it is no YAML."""
    lines: dict[Place, int] = {}
    content = files.text(path)
    try:
        node = yaml.compose(content, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or "is not text"
        line = mark.line + 1 if mark else 1
        raise ValueError(f"{path}:{line}: {what}") from None
    except RecursionError:
        raise ValueError(f"{path}:1: {_TOO_DEEP}") from None
    except (ValueError, OverflowError):
        raise ValueError(f"{path}:1: an escape stands for no character") from None
    if node is None:
        raise ValueError(f"{path}:1: the file is empty")
    try:
        return Document(path, _value(node, (), lines, path), lines)
    except RecursionError:
        raise ValueError(f"{path}:1: {_TOO_DEEP}") from None


def _value(node: yaml.Node, place: Place, lines: dict[Place, int], path: Path) -> Any:
    lines[place] = node.start_mark.line + 1
    if len(lines) > MOST_VALUES:
        raise ValueError(f"{path}:{lines[place]}: more than {MOST_VALUES} values")
    if isinstance(node, yaml.MappingNode):
        pairs: dict[Hashable, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            line = key_node.start_mark.line + 1
            if key in pairs:
                raise ValueError(f"{path}:{line}: {key} stands here twice")
            pairs[key] = _value(value_node, (*place, key), lines, path)
            lines[*place, key] = line
        return pairs
    if isinstance(node, yaml.SequenceNode):
        return [
            _value(child, (*place, index), lines, path)
            for index, child in enumerate(node.value)
        ]
    loader = _Loader("")
    try:
        return loader.construct_object(node)
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"{path}:{lines[place]}: {error}") from None
    finally:
        loader.dispose()
