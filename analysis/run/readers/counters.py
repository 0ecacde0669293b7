"""Reader of a host's SNMP and MIB counters, as `nstat -asz -j` prints them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.run.readers import values
from analysis.run.readers.files import read_object

MPTCP = "MPTcpExt"
FALLBACKS = (
    "MPCapableFallbackACK",
    "MPCapableFallbackSYNACK",
    "MPCapableSYNTXDrop",
    "MPCapableSYNTXDisabled",
    "MPCapableDataFallback",
    "MPFallbackTokenInit",
    "DSSCorruptionFallback",
    "DssFallback",
    "MD5SigFallback",
    "SimultConnectFallback",
    "InfiniteMapTx",
    "InfiniteMapRx",
    "MPFailTx",
    "MPFailRx",
)
"""MPTCP counters of Linux 7.3 that increase when a connection falls back to TCP."""


@dataclass(frozen=True)
class Counters:
    """The counters of one host since the creation of its network namespace."""

    values: Mapping[str, int]

    def get(self, name: str) -> int:
        """The value of a counter; 0 if the kernel has no counter of that name."""
        return self.values.get(name, 0)

    def known(self, name: str) -> int | None:
        """The value of a counter; None if the kernel has no counter of that name.

        A guest lists all counters of its kernel, and `nstat` without -z leaves out
        those that are 0. So in a list without any 0, a counter that is missing is 0.
        """
        whole = 0 in self.values.values()
        return self.values.get(name, None if whole else 0)

    def mptcp(self, name: str) -> int:
        """The value of an MPTCP counter, whose name is given without its prefix."""
        return self.get(MPTCP + name)

    def fallbacks(self) -> Iterator[tuple[str, int]]:
        """Names and values of the counters of FALLBACKS that are not 0."""
        for name in FALLBACKS:
            if count := self.mptcp(name):
                yield name, count

    @property
    def segments_sent(self) -> int:
        """Number of data segments that were sent for the first time.

        If the kernel has no such counter, all segments except retransmissions count.
        """
        original = self.get("TcpExtTCPOrigDataSent")
        return original or max(0, self.get("TcpOutSegs") - self.retransmitted)

    @property
    def retransmitted(self) -> int:
        """Number of segments that TCP, or a subflow, retransmitted."""
        return self.get("TcpRetransSegs")


def total(hosts: Iterable[Counters], name: str) -> int | None:
    """The sum of an MPTCP counter over hosts; None if their kernel has none."""
    found = [host.known(MPTCP + name) for host in hosts]
    known = [value for value in found if value is not None]
    return sum(known) if len(known) == len(found) else None


def read(path: Path) -> Counters:
    """Read the counters. Raises ValueError if the file is missing or not nstat's."""
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Counters:
    """Parse a JSON object. `name` is the file's name in error messages."""
    try:
        counted = values.mapping(document["kernel"])
        return Counters({key: values.whole(value) for key, value in counted.items()})
    except (KeyError, ValueError) as error:
        raise ValueError(
            f'{name}: no counters under "kernel", where `nstat -j` writes them'
        ) from error
