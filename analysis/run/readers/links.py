"""Interface counters of each node, from `ip -s -j link` or /proc/net/dev."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers.files import read_object


@dataclass(frozen=True)
class Link:
    """One interface. dropped, errors : both directions together.

    received_bytes, sent_bytes : of frames; 0 if the file does not say
    """

    node: str
    interface: str
    dropped: int
    errors: int
    received_bytes: int = 0
    sent_bytes: int = 0


def read(path: Path) -> tuple[Link, ...]:
    """The interfaces of every node, `lo` left out.

    The file holds, by node, either what `ip -s -j link` printed or an object of
    interface to `rx_dropped`, `tx_dropped`, `rx_errors`, `tx_errors`.
    Raises ValueError if the file is missing or holds something else.
    """
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> tuple[Link, ...]:
    try:
        return tuple(
            Link(
                node,
                interface,
                dropped=int(counts["rx_dropped"]) + int(counts["tx_dropped"]),
                errors=int(counts["rx_errors"]) + int(counts["tx_errors"]),
                received_bytes=int(counts.get("rx_bytes", 0)),
                sent_bytes=int(counts.get("tx_bytes", 0)),
            )
            for node, listed in document.items()
            for interface, counts in _counts(listed)
            if interface != "lo"
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"{type(error).__name__}: {error}"
        raise ValueError(f"{name}: not counters of interfaces ({what})") from error


def _counts(listed: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(listed, dict):
        yield from listed.items()
        return
    for each in listed:
        statistics = each["stats64"]
        yield (
            each["ifname"],
            {
                f"{way}_{what}": statistics[way][what]
                for way in ("rx", "tx")
                for what in ("dropped", "errors", "bytes")
            },
        )
