"""The names of links in running text.

A link called `path1` is usually the first path of every user, and reads `path 1`. In a
network of the user's own it may be another path, or a part of one. There it reads
`link path1`, so that nobody takes its name for the number of a path.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LINKS: ContextVar[frozenset[str]] = ContextVar("links", default=frozenset())


@contextmanager
def no_paths(names: Iterable[str]) -> Iterator[None]:
    """Call the links with these names links, while the context lasts."""
    token = _LINKS.set(frozenset(names))
    try:
        yield
    finally:
        _LINKS.reset(token)


def label(name: str) -> str:
    """A link's name in running text: `path 1` for `path1`, or `link path1`."""
    if name in _LINKS.get():
        return f"link {name}"
    return re.sub(r"^path(\d+)$", r"path \1", name)
