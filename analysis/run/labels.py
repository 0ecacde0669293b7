"""The names of links in running text."""

import re


def label(name: str) -> str:
    """A link's name in running text: `path 1` for `path1`."""
    return re.sub(r"^path(\d+)$", r"path \1", name)
