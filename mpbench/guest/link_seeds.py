"""Give the delay line (netem) of each link a seed of its own.

netem draws losses and delays from a stream of its own, whose seed the kernel draws when
the discipline is made. With a seed that follows from the run's and from the link's
name, the k-th packet of a link meets the same fate under every kernel. The image's tc
does not know the option, which Linux has since 6.7, so this speaks netlink. A kernel
without the option keeps its own seeds.
"""

import hashlib
import os
import socket
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mpbench.guest.network import LabNetwork
from topologies.wiring import LinkPlace

RTM_NEWQDISC, RTM_GETQDISC = 36, 38
NLM_F_REQUEST, NLM_F_ACK, NLM_F_DUMP = 1, 4, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
TCA_KIND, TCA_OPTIONS = 1, 2
TCA_NETEM_PRNG_SEED = 14
OPTIONS_BYTES = 24
"""Size of struct tc_netem_qopt, which stands before the attributes."""
ANSWER_BYTES = 1 << 16
_HEADER = struct.Struct("=IHHII")
_TCMSG = struct.Struct("=BxxxiIII")
_ATTRIBUTE = struct.Struct("=HH")


class LinkSeedError(Exception):
    """The kernel refused a seed."""


@dataclass(frozen=True)
class Netem:
    """A delay line as the kernel describes it.

    interface : its number; handle, parent : its place
    options : its settings, as netlink has them
    """

    interface: int
    handle: int
    parent: int
    options: bytes

    def seeded(self, seed: int) -> bytes | None:
        """The options with another seed; None if the kernel has none."""
        whole = bytearray(self.options)
        for kind, start, end in _attributes(self.options, OPTIONS_BYTES):
            if kind == TCA_NETEM_PRNG_SEED and end - start == 8:
                whole[start:end] = struct.pack("=Q", seed)
                return bytes(whole)
        return None


def apply(seed: int, places: Iterable[LinkPlace], network: LabNetwork) -> None:
    """Set the seeds of all links in both directions. seed : of the run"""
    by_node: dict[str, dict[str, tuple[str, int]]] = {}
    for place in places:
        for way, (node, interface) in enumerate((place.forward, place.backward)):
            by_node.setdefault(node, {})[interface] = (place.link, way)
    for node, wanted in by_node.items():
        with (
            network.nodes[node].namespace.entered(),
            socket.socket(
                socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE
            ) as link,
        ):
            ways = {socket.if_nametoindex(name): way for name, way in wanted.items()}
            for netem in list(_netems(link)):
                if netem.interface not in ways:
                    continue
                own = of_link(seed, *ways[netem.interface], netem.handle)
                options = netem.seeded(own)
                if options is not None:
                    _change(link, netem, options)


def of_link(seed: int, link: str, way: int, handle: int) -> int:
    """The seed of a delay line, of 64 bits.

    way : 0 forward, 1 backward
    handle : of the discipline, because a link that reorders packets has two
    """
    text = f"{seed}/{link}/{way}/{handle}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _netems(link: socket.socket) -> Iterator[Netem]:
    """All delay lines of the namespace in which a socket was opened."""
    body = _TCMSG.pack(socket.AF_UNSPEC, 0, 0, 0, 0)
    flags = NLM_F_REQUEST | NLM_F_DUMP
    head = _HEADER.pack(_HEADER.size + len(body), RTM_GETQDISC, flags, 1, 0)
    link.send(head + body)
    while True:
        answer = link.recv(ANSWER_BYTES)
        at = 0
        while at + _HEADER.size <= len(answer):
            length, kind, *_ = _HEADER.unpack_from(answer, at)
            if kind in (NLMSG_DONE, NLMSG_ERROR) or length < _HEADER.size:
                return
            if kind == RTM_NEWQDISC:
                yield from read(answer[at + _HEADER.size : at + length])
            at += (length + 3) & ~3


def read(message: bytes) -> Iterator[Netem]:
    """The delay line that a message about a discipline describes; nothing for any
    other discipline."""
    _, interface, handle, parent, _ = _TCMSG.unpack_from(message)
    parts = {
        kind: message[start:end]
        for kind, start, end in _attributes(message, _TCMSG.size)
    }
    if parts.get(TCA_KIND) == b"netem\0" and TCA_OPTIONS in parts:
        yield Netem(interface, handle, parent, parts[TCA_OPTIONS])


def _change(link: socket.socket, netem: Netem, options: bytes) -> None:
    place = (socket.AF_UNSPEC, netem.interface, netem.handle, netem.parent, 0)
    body = _TCMSG.pack(*place)
    for kind, value in ((TCA_KIND, b"netem\0"), (TCA_OPTIONS, options)):
        head = _ATTRIBUTE.pack(_ATTRIBUTE.size + len(value), kind)
        body += head + value + bytes(-len(value) % 4)
    flags = NLM_F_REQUEST | NLM_F_ACK
    head = _HEADER.pack(_HEADER.size + len(body), RTM_NEWQDISC, flags, 2, 0)
    link.send(head + body)
    answer = link.recv(ANSWER_BYTES)
    _, kind, *_ = _HEADER.unpack_from(answer)
    (number,) = struct.unpack_from("=i", answer, _HEADER.size)
    if kind == NLMSG_ERROR and number:
        raise LinkSeedError(f"netem: the kernel refuses a seed: {os.strerror(-number)}")


def _attributes(data: bytes, offset: int) -> Iterator[tuple[int, int, int]]:
    """Kind of each attribute, and where its value begins and ends."""
    while offset + _ATTRIBUTE.size <= len(data):
        length, kind = _ATTRIBUTE.unpack_from(data, offset)
        if length < _ATTRIBUTE.size:
            return
        yield kind & 0x3FFF, offset + _ATTRIBUTE.size, offset + length
        offset += (length + 3) & ~3
