"""Endpoints of the box that cases name as their program, as programs of the user's own.

So a job has the hash of such a program, and results keep it.
"""

from collections.abc import Collection, Iterator
from typing import Any

from mpbench import endpoints
from mpbench.errors import UserError
from mpbench.plugins import elf
from mpbench.spec.document import Document, Place
from mpbench.spec.messages import shortened
from mpbench.spec.vocabulary import QUIC
from mpbench.store import content


def described(document: Document, known: Collection[str]) -> dict[str, dict[str, Any]]:
    """Name to SHA-256, size and needs of each endpoint that the document needs.

    known : the names of programs of the user's own, which come first
    Each is put into the cache. Raises UserError, one line, for one that is not built.
    """
    found: dict[str, dict[str, Any]] = {}
    for name, place in _named(document):
        if name in known or name in found:
            continue
        try:
            read = endpoints.find(name).path.read_bytes()
        except (UserError, OSError) as error:
            where = document.where(place)
            keys = ".".join(map(str, place))
            raise UserError(f"{where}: {shortened(keys, 100)}: {error}") from None
        found[name] = elf.described(read, content.add)
    return found


def _named(document: Document) -> Iterator[tuple[str, Place]]:
    """The endpoints of the box that transports of QUIC name, with their places."""
    for place, transport in _transports(document):
        if not isinstance(transport, dict) or transport.get("protocol") not in QUIC:
            continue
        name = transport.get("program")
        if name in endpoints.NAMES:
            yield str(name), (*place, "program")


def _transports(document: Document) -> Iterator[tuple[Place, object]]:
    cases = document.values.get("cases")
    for name, case in cases.items() if isinstance(cases, dict) else ():
        yield ("cases", name), case
    traffic = document.values.get("traffic")
    for index, entry in enumerate(traffic if isinstance(traffic, list) else ()):
        if isinstance(entry, dict):
            yield ("traffic", index, "transport"), entry.get("transport")
