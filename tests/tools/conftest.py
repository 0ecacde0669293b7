"""Leaves out the tests of tools that the registry does not have."""

from pathlib import Path

import tools

collect_ignore = [
    folder.parent.name
    for folder in Path(__file__).parent.glob("*/__init__.py")
    if folder.parent.name not in tools.ALL
]
