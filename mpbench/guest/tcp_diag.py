"""Ask the kernel by netlink for the state of every TCP connection of a host.

This asks what `ss -ti` asks (sock_diag(7)), without a process for each question. To
netlink, a subflow of MPTCP is a TCP socket that reports the token of its connection.
"""

import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST_DUMP = 0x301
NLMSG_ERROR, NLMSG_DONE = 2, 3
INET_DIAG_INFO, INET_DIAG_ULP_INFO = 2, 19
INET_ULP_INFO_MPTCP = 3
TOKEN_LOCAL, ID_REMOTE, ID_LOCAL = 2, 9, 10
ESTABLISHED_OR_CLOSING = 1 << 1 | 1 << 4 | 1 << 8
IPV6 = Path("/proc/sys/net/ipv6")
"""Missing in a kernel without IPv6, such as the guest's."""
NESTED = 0x8000
ANSWER_BYTES = 1 << 13

_HEADER = struct.Struct("=IH10x")
_REQUEST = struct.Struct("=IHHIIBBBBI48s")
_IDENTITY = struct.Struct("=B3x48s")
_ENDS = struct.Struct("=2s2s16s16s12x")
_MESSAGE_BYTES = 72
_ATTRIBUTE = struct.Struct("=HH")
_INFO = struct.Struct("=68xI4xII16xI16xQ")
"""The fields of struct tcp_info: srtt, ssthresh, cwnd, retransmissions, bytes acked."""


class Subflow(NamedTuple):
    """A TCP connection or a subflow of MPTCP, by what does not change.

    local, remote : address and port
    token : of the MPTCP connection, 8 hexadecimal digits; empty for plain TCP
    local_id, remote_id : of the subflow's addresses
    """

    local: tuple[str, int]
    remote: tuple[str, int]
    token: str
    local_id: int
    remote_id: int


class Window(NamedTuple):
    """The present state of a subflow.

    srtt_us : 0 before the first measurement
    ssthresh, cwnd : segments
    retransmissions : segments so far
    bytes_acked : bytes of the subflow so far
    """

    srtt_us: int
    ssthresh: int
    cwnd: int
    retransmissions: int
    bytes_acked: int


class Connections:
    """A netlink socket of the namespace in which this is made."""

    def __init__(self) -> None:
        self._socket = socket.socket(
            socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG
        )
        # New memory is what costs most in a guest, so every answer is read into this.
        self._answer = bytearray(ANSWER_BYTES)
        self._known: dict[bytes, Subflow] = {}
        families = [socket.AF_INET, *([socket.AF_INET6] if IPV6.exists() else [])]
        self._requests = [_request(family) for family in families]

    def list(self) -> Iterator[tuple[Subflow, Window]]:
        """All connections that are established or still close."""
        answer = self._answer
        for request in self._requests:
            self._socket.send(request)
            done = False
            while not done:
                end = self._socket.recv_into(answer)
                offset = 0
                while offset < end:
                    length, kind = _HEADER.unpack_from(answer, offset)
                    if kind in (NLMSG_DONE, NLMSG_ERROR):
                        done = True
                        break
                    yield self._one(offset + _HEADER.size, offset + length)
                    offset += (length + 3) & ~3

    def _one(self, begin: int, end: int) -> tuple[Subflow, Window]:
        family, identity = _IDENTITY.unpack_from(self._answer, begin)
        subflow = self._known.get(identity)
        if subflow is None:
            subflow = _subflow(family, identity, bytes(self._answer[begin:end]))
            self._known[identity] = subflow
        at = begin + _MESSAGE_BYTES
        while at < end:
            length, kind = _ATTRIBUTE.unpack_from(self._answer, at)
            if kind == INET_DIAG_INFO and length >= _ATTRIBUTE.size + _INFO.size:
                at += _ATTRIBUTE.size
                return subflow, Window._make(_INFO.unpack_from(self._answer, at))
            at += max((length + 3) & ~3, _ATTRIBUTE.size)
        return subflow, Window(0, 0, 0, 0, 0)

    def close(self) -> None:
        self._socket.close()


def _request(family: int) -> bytes:
    body = (family, socket.IPPROTO_TCP, 1 << INET_DIAG_INFO - 1, 0)
    head = (_REQUEST.size, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST_DUMP, 0, 0)
    return _REQUEST.pack(*head, *body, ESTABLISHED_OR_CLOSING, bytes(48))


def _subflow(family: int, identity: bytes, message: bytes) -> Subflow:
    ends = _ENDS.unpack(identity)
    ports = [int.from_bytes(port, "big") for port in ends[:2]]
    addresses = [_address(family, address) for address in ends[2:]]
    ids: dict[int, int] = {}
    for kind, value in _attributes(message, _MESSAGE_BYTES):
        if kind == INET_DIAG_ULP_INFO:
            ids = _mptcp(value)
    token = ids.get(TOKEN_LOCAL)
    return Subflow(
        local=(addresses[0], ports[0]),
        remote=(addresses[1], ports[1]),
        token="" if token is None else f"{token:08x}",
        local_id=ids.get(ID_LOCAL, 0),
        remote_id=ids.get(ID_REMOTE, 0),
    )


def _address(family: int, packed: bytes) -> str:
    """The address as text; an IPv4 address mapped into IPv6 is given as IPv4."""
    if family == socket.AF_INET:
        return socket.inet_ntop(socket.AF_INET, packed[:4])
    if packed.startswith(b"\0" * 10 + b"\xff\xff"):
        return socket.inet_ntop(socket.AF_INET, packed[12:])
    return socket.inet_ntop(socket.AF_INET6, packed)


def _attributes(data: bytes, offset: int = 0) -> Iterator[tuple[int, bytes]]:
    while offset + _ATTRIBUTE.size <= len(data):
        length, kind = _ATTRIBUTE.unpack_from(data, offset)
        if length < _ATTRIBUTE.size:
            return
        yield kind & ~NESTED, data[offset + _ATTRIBUTE.size : offset + length]
        offset += (length + 3) & ~3


def _mptcp(value: bytes) -> dict[int, int]:
    """Token and ids of a subflow; empty for another kind of socket."""
    for kind, inner in _attributes(value):
        if kind == INET_ULP_INFO_MPTCP:
            return {k: int.from_bytes(v, "little") for k, v in _attributes(inner)}
    return {}
