"""Traffic tools: one folder per tool, and the parts that each folder has.

    NAME/record.py      the entry of the tool in a job
    NAME/processes.py   the processes of an entry, which a guest starts
    NAME/results.py     from what the processes left to the numbers of a run
    NAME/fake.py        the files that the fake backend leaves in their place
    NAME/prepare.py     the files of a run's folder that exist before it begins (if any)
    NAME/keys.py        the keys of the tool's entries in an experiment file (`proxy`
                        has none: entries of other tools have `via`)

docs/extending.md describes the functions of each part. Guests import `processes` with
the standard library alone, so each part is imported by itself, when it is needed.
"""

import importlib
from pathlib import Path
from typing import Any

NAMES = (
    "iperf3",
    "curl",
    "ab",
    "cbr",
    "command",
    "flows",
    "pingpong",
    "page",
    "video",
    "sync",
)
"""The registry: a tool is known when its name stands here."""
OWN = "plugin"
"""The folder for the tools of users, each of which is a file of the user's own."""
PROXY = "proxy"
"""The folder for the proxies of `via`, whose entries `mpbench.plan.proxies` makes."""
ALL = (*NAMES, OWN, PROXY)


def part(tool: str, name: str) -> Any:
    """The module `name` of a tool's folder. Raises ValueError for an unknown tool."""
    if tool not in ALL:
        raise ValueError(f"unknown tool {tool!r}; known: {', '.join(ALL)}")
    return importlib.import_module(f"{__name__}.{tool}.{name}")


def has_part(tool: str, name: str) -> bool:
    """Whether a tool has a part that not every tool has."""
    folder = Path(__file__).with_name(tool)
    return tool in ALL and (folder / f"{name}.py").exists()
