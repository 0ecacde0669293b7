"""Network topologies, one per file.

A topology is a file here with a `DESCRIPTION`: its parameters, its users and their
paths. No list names it. A topology whose paths are more than chains of links has a
function `wire` too, from its links' shapes to its network, and one whose links are
not made in the usual way has a function `resolve`, from its parameters to the
shapes. Only `topologies.network` needs Mininet; everything else needs the standard
library alone.
"""

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from topologies import chains
from topologies.description import Description, User
from topologies.parameters import Parameter
from topologies.shaping import Shape, from_json, link_shape
from topologies.wiring import Wiring

__all__ = [
    "Description",
    "Parameter",
    "Shape",
    "User",
    "describe",
    "names",
    "resolve",
    "wire",
    "wire_job",
]

_PARTS = ("chains", "description", "network", "parameters", "shaping", "wiring")
"""Files here that are not topologies."""


@cache
def names() -> tuple[str, ...]:
    """The names of all topologies, sorted."""
    files = (file.stem for file in Path(__file__).parent.glob("[a-z]*.py"))
    return tuple(sorted(set(files) - set(_PARTS)))


def describe(name: str) -> Description:
    """The description of a topology.

    Raises KeyError for a name that is not one of `names()`.
    """
    description: Description = _module(name).DESCRIPTION
    return description


def resolve(name: str, parameters: Mapping[str, float | None]) -> dict[str, Shape]:
    """The shape of every link: queues in packets, jitter in ms.

    parameters : by canonical key; a missing key counts as 0
    """
    module = _module(name)
    if hasattr(module, "resolve"):
        own: dict[str, Shape] = module.resolve(parameters)
        return own
    links = describe(name).all_links
    return {link: link_shape(parameters, link) for link in links}


def wire(name: str, shapes: Mapping[str, Shape]) -> Wiring:
    """The network of a topology.

    shapes : every link's shape by its name, as `resolve` gives them
    """
    module = _module(name)
    if hasattr(module, "wire"):
        own: Wiring = module.wire(shapes)
        return own
    return chains.wire(describe(name), shapes)


def wire_job(job: Mapping[str, Any]) -> Wiring:
    """The network of a job, with its links as the plan resolved them."""
    return wire(job["topology"], from_json(job["links"]))


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f"topologies.{name}")
    except ModuleNotFoundError:
        raise KeyError(name) from None
