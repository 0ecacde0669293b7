"""Which sysctls a run may set: those of the network, and no other file."""

import re

NAME = re.compile(r"net(\.[A-Za-z0-9_-]+)+")
"""A sysctl's name becomes a path below /proc/sys, so the pattern admits no `/`, no
empty part and no `..`."""


def path(name: str) -> str:
    """The file of the sysctl `name`, which is written with dots.

    Raises ValueError for a name that is not one of the network's.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a network sysctl such as net.ipv4.tcp_sack")
    return "/proc/sys/" + name.replace(".", "/")
