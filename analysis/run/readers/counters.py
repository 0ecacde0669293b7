"""The kernel's SNMP and MIB counters of one host, as `nstat -asz -j` names them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
"""Counters of Linux 7.3 that tell of a connection which became plain TCP."""


@dataclass(frozen=True)
class Counters:
    """Counts since the host's network namespace was made."""

    values: Mapping[str, int]

    def get(self, name: str) -> int:
        """A counter; 0 if the kernel has none of that name."""
        return self.values.get(name, 0)

    def mptcp(self, name: str) -> int:
        """A counter of MPTCP, without its prefix."""
        return self.get(MPTCP + name)

    def fallbacks(self) -> Iterator[tuple[str, int]]:
        """The counters of fall back to TCP that are not 0."""
        for name in FALLBACKS:
            if count := self.mptcp(name):
                yield name, count

    @property
    def segments_sent(self) -> int:
        """Segments with data sent for the first time.

        A kernel without that counter: all segments but retransmissions.
        """
        original = self.get("TcpExtTCPOrigDataSent")
        return original or max(0, self.get("TcpOutSegs") - self.retransmitted)

    @property
    def retransmitted(self) -> int:
        """Segments sent again by TCP, or by a subflow."""
        return self.get("TcpRetransSegs")


def read(path: Path) -> Counters:
    """Raises ValueError if the file is missing or holds something else."""
    return parse(read_object(path), path.name)


def parse(document: Mapping[str, Any], name: str) -> Counters:
    values = document.get("kernel")
    if not isinstance(values, dict) or not all(
        isinstance(value, int) for value in values.values()
    ):
        raise ValueError(f'{name}: no counters under "kernel", as `nstat -j` writes')
    return Counters(values)
