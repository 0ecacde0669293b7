"""Network topologies, one per file, and networks that experiment files describe.

A topology is a file in this folder with a `DESCRIPTION` of its parameters, its users
and their paths. It is found by its file name, so no list has to name it. It may have
two functions of its own:

wire(shapes)
    builds the network, if the paths are not just chains of links
resolve(parameters)
    computes the shapes of the links, if `link_shape` does not fit

Only `topologies.network` needs Mininet. Everything else needs the standard library
alone.
"""

import importlib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from topologies import chains, fabric, families, templates
from topologies.description import Description, User
from topologies.parameters import Parameter
from topologies.shaping import Shape, link_shape
from topologies.wiring import Wiring

__all__ = [
    "Description",
    "Parameter",
    "Shape",
    "User",
    "describe",
    "names",
    "resolve",
    "summary",
    "wire",
]

_PARTS = (
    "addresses",
    "capturing",
    "chains",
    "description",
    "fabric",
    "impairments",
    "mtus",
    "network",
    "networks",
    "pairs",
    "parameters",
    "queues",
    "reshaping",
    "senders",
    "shaping",
    "templates",
    "translations",
    "wiring",
)
"""Files in this folder that are not topologies."""


NETWORK = "the network"
"""Name of a network that an experiment file describes, in messages."""


@cache
def names() -> tuple[str, ...]:
    """The names of all topologies, sorted."""
    files = (file.stem for file in Path(__file__).parent.glob("[a-z]*.py"))
    return tuple(sorted(set(files) - set(_PARTS)))


def describe(name: str) -> Description:
    """The description of a topology.

    Raises KeyError for a name that is not one of `names()`.
    """
    if families.is_name(name):
        return families.describe(name)
    description: Description = _module(name).DESCRIPTION
    return description


def summary(name: str) -> str:
    """The text at the head of a topology's file, its drawing included.

    Raises KeyError for a name that is not one of `names()`.
    """
    if families.is_name(name):
        return families.summary(name)
    return (_module(name).__doc__ or "").strip()


def resolve(
    topology: str | Description, parameters: Mapping[str, float | None]
) -> dict[str, Shape]:
    """The shape of every link by its name, with queues in packets and jitter in ms.

    parameters : value by canonical key; a missing key counts as 0

    Raises KeyError for a name that is not one of `names()`.
    """
    description, module = _described(topology)
    if hasattr(module, "resolve"):
        own: dict[str, Shape] = module.resolve(parameters)
        return own
    return {link: link_shape(parameters, link) for link in description.all_links}


def wire(topology: str | Description, shapes: Mapping[str, Shape]) -> Wiring:
    """The network of a topology.

    shapes : every link's shape by its name, as `resolve` returns them

    Raises KeyError for a name that is not one of `names()`.
    """
    description, module = _described(topology)
    if description.wiring is not None:
        return templates.wire(description.wiring, shapes)
    if description.mesh:
        return families.centre(description.name).wiring()
    if hasattr(module, "wire"):
        own: Wiring = module.wire(shapes)
        return own
    return chains.wire(description, shapes)


def tabulate(
    description: Description,
    wiring: Wiring,
    shapes: Mapping[str, Shape],
    pairs: Sequence[tuple[str, str]],
    seed: int,
) -> fabric.Table:
    """A network for the fabric.

    pairs : the hosts between which traffic flows, each pair once
    seed : of the run

    Raises ValueError if the fabric cannot have one of its links.
    """
    if reason := fabric.fault(shapes):
        raise ValueError(reason)
    if description.mesh:
        return families.centre(description.name).table(shapes, pairs, seed)
    return fabric.table(description, wiring, shapes)


def _described(topology: str | Description) -> tuple[Description, Any]:
    """The description of a topology and, if it has one, its module."""
    description = describe(topology) if isinstance(topology, str) else topology
    own = description.described or description.mesh
    return description, None if own else _module(description.name)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f"topologies.{name}")
    except ModuleNotFoundError:
        raise KeyError(name) from None
