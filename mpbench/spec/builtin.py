"""The topologies of mpbench, by name: files and modules of the folder `topologies`.

Most of them are files in the format of experiment files, with the section `network`
alone. A topology whose nodes are not those of chains of links is a module.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import topologies
from mpbench.spec.document import read
from mpbench.spec.networks import Network
from topologies import Description, families

FOLDER = Path(topologies.__file__).parent
COMMENT = "#"


@cache
def names() -> tuple[str, ...]:
    """The names of all topologies, sorted."""
    files = (file.stem for file in FOLDER.glob("[a-z]*.yaml"))
    return tuple(sorted({*files, *topologies.names()}))


def known(name: str) -> bool:
    """Whether a topology has this name, or a data centre."""
    if families.is_name(name):
        return not families.fault(name)
    return name in names()


@cache
def describe(name: str) -> Description:
    """The description of a topology.

    Raises KeyError for a name that is not one of `names()`.
    """
    network = network_of(name)
    if network is None:
        return topologies.describe(name)
    return replace(network.description, name=name)


@cache
def network_of(name: str) -> Network | None:
    """The section `network` of a topology's file; None for a module."""
    file = _file(name)
    if file is None:
        return None
    return Network.model_validate(read(file).values["network"])


def summary(name: str) -> str:
    """The text at the head of a topology's file, its drawing included.

    Raises KeyError for a name that is not one of `names()`.
    """
    file = _file(name)
    if file is None:
        return topologies.summary(name)
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith(COMMENT):
            break
        lines.append(line.removeprefix(COMMENT).removeprefix(" "))
    return "\n".join(lines).strip()


def _file(name: str) -> Path | None:
    """The file of a topology; None if it is a module or unknown."""
    return FOLDER / f"{name}.yaml" if name in names() and _is_file(name) else None


def _is_file(name: str) -> bool:
    return name not in topologies.names()
