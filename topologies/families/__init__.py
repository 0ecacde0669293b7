"""Data centres: topologies whose names have their sizes, such as `fattree-k4`.

Every host reaches every other one, over several paths. They run on the fabric only. A
name is that of a module here, and its sizes: a letter and a number each, in any order;
sizes that are missing have defaults.
"""

import importlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from topologies.description import Description
from topologies.families.centre import Centre

FAMILIES = ("fattree", "bcube", "clos")
EXAMPLES = ("bcube-n5-k2", "clos-l4-s2-h1", "fattree-k4", "fattree-k8")
MOST_HOSTS = 1024
"""Every host takes memory of the one guest, and descriptors of its programs."""
MOST_WIRES = 8192
_SIZE = re.compile(r"([a-z])([1-9][0-9]{0,3})")


def is_name(name: str) -> bool:
    """Whether a name is that of a data centre, whatever its sizes."""
    return name.partition("-")[0] in FAMILIES


def fault(name: str) -> str:
    """Reason why there is no data centre of this name, and what would work; empty if
    there is."""
    family, *words = name.split("-")
    module = _module(family)
    try:
        sizes = _sizes(module, words)
    except ValueError as error:
        return str(error)
    reason: str = module.fault(**sizes)
    if reason:
        return f"{name}: {reason}"
    hosts, wires = module.count(**sizes)
    if hosts > MOST_HOSTS or wires > MOST_WIRES:
        return (
            f"{name} has {hosts} hosts and {wires} links; {MOST_HOSTS} hosts and"
            f" {MOST_WIRES} links work, such as {module.EXAMPLE}"
        )
    return ""


@cache
def centre(name: str) -> Centre:
    """The data centre of a name. Raises KeyError if there is none."""
    if not is_name(name) or fault(name):
        raise KeyError(name)
    family, *words = name.split("-")
    module = _module(family)
    made: Centre = module.make(name, **_sizes(module, words))
    return made


@cache
def describe(name: str) -> Description:
    """The description of a data centre. Raises KeyError if there is none."""
    return centre(name).description


def summary(name: str) -> str:
    """The text at the head of the family's file."""
    return (_module(name.partition("-")[0]).__doc__ or "").strip()


def _module(family: str) -> Any:
    return importlib.import_module(f"topologies.families.{family}")


def _sizes(module: Any, words: Sequence[str]) -> Mapping[str, int]:
    """The sizes that the rest of a name gives, by letter."""
    known: Mapping[str, int | None] = module.SIZES
    sizes: dict[str, int] = {}
    for word in words:
        found = _SIZE.fullmatch(word)
        if found is None or found[1] not in known or found[1] in sizes:
            letters = ", ".join(known)
            raise ValueError(
                f"'{word[:20]}' is no size; give {letters} with a number each, once,"
                f" such as {module.EXAMPLE}"
            )
        sizes[found[1]] = int(found[2])
    return {**known, **sizes}  # type: ignore[dict-item]
