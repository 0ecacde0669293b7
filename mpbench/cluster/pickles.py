"""A bound on pickles: names that a pickle may import in this process.

A stranger's pickle executes code in the process that reads it. It can do so only
through a name that it imports. Python announces each such import by the audit event
`pickle.find_class`, in every thread and for every library. So an audit hook refuses a
name before it is imported.
"""

import contextlib
import pickle
import pickletools
import sys
from collections.abc import Iterator

Names = frozenset[tuple[str, str]]
"""Pairs of a module and a name in it."""

_allowed: Names | None = None
_installed = False


class RefusedPickleError(pickle.UnpicklingError, TypeError):
    """A pickle imports a name that is not allowed.

    It is a TypeError, because `distributed` expects one where it reads tracebacks.
    """


@contextlib.contextmanager
def only(allowed: Names) -> Iterator[None]:
    """Let pickles import nothing but the `allowed` names while the context lasts.

    It holds for all threads of this process.
    """
    global _allowed, _installed
    if not _installed:
        sys.addaudithook(_check)
        _installed = True
    before, _allowed = _allowed, allowed
    try:
        yield
    finally:
        _allowed = before


def strings(data: bytes) -> list[str]:
    """The strings in a pickle, without executing it; those before its first fault."""
    found = []
    with contextlib.suppress(ValueError, IndexError):
        for _, argument, _ in pickletools.genops(data):
            if isinstance(argument, str):
                found.append(argument)
    return found


def _check(event: str, arguments: tuple[object, ...]) -> None:
    if event != "pickle.find_class" or _allowed is None:
        return
    if arguments not in _allowed:
        module, name = arguments
        raise RefusedPickleError(f"a pickle that imports {module}.{name}")
