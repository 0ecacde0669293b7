"""Reader of the interface counters of all nodes (`ip -s -j link`, /proc/net/dev)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import values
from analysis.run.readers.files import read_object


@dataclass(frozen=True)
class Link:
    """The counters of one interface.

    dropped, errors : packets, both directions together
    received_bytes, sent_bytes : size of the frames; 0 if the file does not have it
    """

    node: str
    interface: str
    dropped: int
    errors: int
    received_bytes: int = 0
    sent_bytes: int = 0


def read(path: Path) -> tuple[Link, ...]:
    """The interfaces of all nodes except `lo`.

    The file has, by node, either what `ip -s -j link` printed, or by interface an
    object with the counters `rx_dropped`, `tx_dropped`, `rx_errors` and `tx_errors`.

    Raises ValueError if the file is missing or has another format.
    """
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> tuple[Link, ...]:
    """Parse a JSON object. `name` is the file's name in error messages."""
    try:
        return tuple(
            Link(
                node,
                interface,
                dropped=_sum(counts, "dropped"),
                errors=_sum(counts, "errors"),
                received_bytes=values.count(counts.get("rx_bytes", 0)),
                sent_bytes=values.count(counts.get("tx_bytes", 0)),
            )
            for node, listed in document.items()
            for interface, counts in _counts(listed)
            if interface != "lo"
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not counters of interfaces ({reason})") from error


def _sum(counts: Mapping[str, Any], counter: str) -> int:
    """A counter of both directions."""
    received, sent = counts[f"rx_{counter}"], counts[f"tx_{counter}"]
    return values.count(received) + values.count(sent)


def _counts(interfaces: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The name and the counters of each interface of a node, in either format."""
    if isinstance(interfaces, dict):
        yield from interfaces.items()
        return
    for interface in interfaces:
        statistics = interface["stats64"]
        yield (
            values.text(interface["ifname"]),
            {
                f"{direction}_{counter}": statistics[direction][counter]
                for direction in ("rx", "tx")
                for counter in ("dropped", "errors", "bytes")
            },
        )
