"""Read this machine's settings and counters of MPTCP, without root.

Each source is kept as text by its name, so captured texts of other machines are read by
the same code.
"""

import re
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

SETTINGS = Path("/proc/sys/net/mptcp")
FILES = {
    "netstat": Path("/proc/net/netstat"),
    "tcp": Path("/proc/net/tcp"),
    "tcp6": Path("/proc/net/tcp6"),
}
COMMANDS = {
    "limits": ("ip", "mptcp", "limits"),
    "endpoint": ("ip", "mptcp", "endpoint"),
    "addr": ("ip", "-o", "addr"),
}
DEADLINE_S = 10.0
LISTEN = "0A"
EVERYWHERE = "0.0.0.0"
FLAGS = ("signal", "subflow", "backup", "fullmesh", "implicit", "laminar")
_LIMIT = re.compile(r"(add_addr_accepted|subflows)\W+(\d+)")


@dataclass(frozen=True)
class Endpoint:
    """An endpoint of the kernel's path manager. device : "" for none"""

    address: str
    flags: tuple[str, ...]
    device: str = ""

    @property
    def opens(self) -> bool:
        """Whether this machine opens subflows from it."""
        return not {"subflow", "fullmesh"}.isdisjoint(self.flags)


@dataclass(frozen=True)
class State:
    """The MPTCP of a machine's network namespace.

    settings : by name below net.mptcp; empty for a kernel without MPTCP
    subflows, add_addr_accepted : the limits; None if `ip` does not tell them
    endpoints : None if `ip` does not tell them
    addresses : the machine's own, without those of the loopback; None if not known
    counters : MPTCP's, by the name that nstat shows after MPTcpExt
    listeners : (IPv4 address, port) of all sockets that listen
    """

    settings: Mapping[str, str]
    subflows: int | None
    add_addr_accepted: int | None
    endpoints: tuple[Endpoint, ...] | None
    addresses: tuple[str, ...] | None
    counters: Mapping[str, int]
    listeners: tuple[tuple[str, int], ...] = ()

    def count(self, *names: str) -> int:
        """The sum of counters; one that the kernel does not have is 0."""
        return sum(self.counters.get(name, 0) for name in names)


def look() -> State:
    """The state of this machine."""
    texts = {name: _said(words) for name, words in COMMANDS.items()}
    texts["sysctls"] = "\n".join(_settings())
    for name, path in FILES.items():
        texts[name] = path.read_text() if path.is_file() else ""
    return parse(texts)


def parse(texts: Mapping[str, str]) -> State:
    """The state from the texts of its sources.

    texts : by source: the output of each of COMMANDS, `sysctls` with `NAME VALUE` per
        line, and FILES as they are; an empty one is not known
    """
    limits = {name: int(value) for name, value in _LIMIT.findall(texts["limits"])}
    settings = (line.partition(" ") for line in texts["sysctls"].splitlines())
    known = bool(limits)
    return State(
        settings={name: value.strip() for name, _, value in settings},
        subflows=limits.get("subflows"),
        add_addr_accepted=limits.get("add_addr_accepted"),
        endpoints=_endpoints(texts["endpoint"]) if known else None,
        addresses=_addresses(texts["addr"]) if texts["addr"] else None,
        counters=_counters(texts["netstat"]),
        listeners=(*_listeners(texts["tcp"]), *_everywhere(texts["tcp6"])),
    )


def _settings() -> list[str]:
    found = []
    for path in sorted(SETTINGS.iterdir()) if SETTINGS.is_dir() else ():
        try:
            found.append(f"{path.name} {path.read_text().strip()}")
        except OSError:
            continue
    return found


def _said(words: tuple[str, ...]) -> str:
    """The output of a command; "" if it is not there or fails."""
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, timeout=DEADLINE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def _endpoints(text: str) -> tuple[Endpoint, ...]:
    """The endpoints of lines such as `10.0.2.2 id 1 subflow backup dev eth1`."""
    found = []
    for line in text.splitlines():
        address, *words = line.split() or [""]
        if address:
            device = dict(pairwise(words)).get("dev", "")
            flags = tuple(word for word in words if word in FLAGS)
            found.append(Endpoint(address, flags, device))
    return tuple(found)


def _addresses(text: str) -> tuple[str, ...]:
    """The addresses of lines such as `2: eth0    inet 10.0.1.2/24 scope global`."""
    words = [line.split() for line in text.splitlines()]
    return tuple(
        each[3].partition("/")[0]
        for each in words
        if len(each) > 3 and each[2] in ("inet", "inet6") and each[1] != "lo"
        if ("scope", "link") not in pairwise(each)
    )


def _counters(text: str) -> dict[str, int]:
    rows = [line.split() for line in text.splitlines() if line.startswith("MPTcpExt:")]
    if len(rows) != 2:
        return {}
    return {
        name: int(value)
        for name, value in zip(rows[0][1:], rows[1][1:], strict=False)
        if value.isdecimal()
    }


def _listeners(text: str) -> Iterator[tuple[str, int]]:
    """Addresses and ports at which sockets listen, by /proc/net/tcp.

    Its addresses are numbers of the host's byte order.
    """
    for line in text.splitlines()[1:]:
        _, local, _, state, *_ = line.split()
        address, _, port = local.partition(":")
        if state == LISTEN:
            number = struct.pack("=I", int(address, 16))
            yield socket.inet_ntop(socket.AF_INET, number), int(port, 16)


def _everywhere(text: str) -> Iterator[tuple[str, int]]:
    """The ports of sockets that listen at ::, which take IPv4 as well."""
    for line in text.splitlines()[1:]:
        _, local, _, state, *_ = line.split()
        address, _, port = local.partition(":")
        if state == LISTEN and not int(address, 16):
            yield EVERYWHERE, int(port, 16)
