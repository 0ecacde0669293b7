"""Ask the kernel's path manager by generic netlink (`mptcp_pm`).

This does what ip-mptcp(8) does. It knows flags that are newer than the image's ip.
"""

import os
import socket
import struct
from collections.abc import Collection, Iterator

from mpbench.guest.network import LabNode

NETLINK_GENERIC = 16
GENL_ID_CTRL, CTRL_CMD_GETFAMILY = 16, 3
CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 1, 2
FAMILY, VERSION = "mptcp_pm", 1
NLM_F_REQUEST, NLM_F_ACK, NLMSG_ERROR = 1, 4, 2
CTRL_ATTR_MCAST_GROUPS, MCAST_GRP_NAME, MCAST_GRP_ID = 7, 1, 2
EVENTS = b"mptcp_pm_events\0"
SOL_NETLINK, NETLINK_ADD_MEMBERSHIP = 270, 1
ADD_ADDR, DEL_ADDR, SET_LIMITS, SET_FLAGS = 1, 2, 5, 7
ANNOUNCE, REMOVE, SUBFLOW_CREATE, SUBFLOW_DESTROY = 8, 9, 10, 11
ATTR_ADDR, ATTR_RCV_ADD_ADDRS, ATTR_SUBFLOWS = 1, 2, 3
ATTR_TOKEN, ATTR_LOC_ID, ATTR_ADDR_REMOTE = 4, 5, 6
ADDR_FAMILY, ADDR_ID, ADDR_ADDR4, ADDR_PORT, ADDR_FLAGS, ADDR_IF = 1, 2, 3, 5, 6, 7
NESTED = 0x8000
BITS = {"signal": 1, "subflow": 2, "backup": 4, "fullmesh": 8, "laminar": 32}
"""MPTCP_PM_ADDR_FLAG_* of include/uapi/linux/mptcp_pm.h."""
ANSWER_BYTES = 1 << 14
_HEADER = struct.Struct("=IHHII")
_GENERIC = struct.Struct("=BBH")
_ATTRIBUTE = struct.Struct("=HH")


class PathManagerError(Exception):
    """The kernel refused an endpoint, a limit or a command. reason : in its words"""

    def __init__(self, words: str, reason: str = "") -> None:
        super().__init__(words)
        self.reason = reason


class PathManager:
    """The path manager of a host's network namespace."""

    def __init__(self, node: LabNode) -> None:
        self._name = node.name
        with node.namespace.entered():
            self._socket = socket.socket(
                socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC
            )
        request = _attribute(CTRL_ATTR_FAMILY_NAME, FAMILY.encode() + b"\0")
        answer = self._ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, request)
        self._facts = dict(_attributes(answer, _GENERIC.size))
        (self._family,) = struct.unpack("=H", self._facts[CTRL_ATTR_FAMILY_ID][:2])
        self._listener: socket.socket | None = None

    def add(
        self,
        number: int,
        address: str,
        interface: int,
        flags: Collection[str],
        port: int | None = None,
    ) -> None:
        """Add an endpoint. number : its id, 1 to 255; interface : its number"""
        self._change(ADD_ADDR, _endpoint(number, address, flags, port, interface))

    def delete(self, number: int, address: str) -> None:
        self._change(DEL_ADDR, _endpoint(number, address, (), None, 0))

    def set_flags(self, number: int, address: str, flags: Collection[str]) -> None:
        """Change `backup` and `fullmesh` of an endpoint."""
        self._change(SET_FLAGS, _endpoint(number, address, flags, None, 0))

    def limit(self, subflows: int, add_addr_accepted: int) -> None:
        found = _number(ATTR_RCV_ADD_ADDRS, add_addr_accepted)
        self._change(SET_LIMITS, found + _number(ATTR_SUBFLOWS, subflows))

    def act_for_userspace(self) -> None:
        """Stand for a path manager in user space: without a listener to its events, the
        kernel accepts no subflows. Nobody reads them, so that nothing wakes."""
        self._listener = socket.socket(
            socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC
        )
        for _, group in _attributes(self._facts[CTRL_ATTR_MCAST_GROUPS], 0):
            named = dict(_attributes(group, 0))
            if named[MCAST_GRP_NAME] == EVENTS:
                (number,) = struct.unpack("=I", named[MCAST_GRP_ID])
                option = (SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, number)
                self._listener.setsockopt(*option)
                return
        raise PathManagerError(f"{self._name}: the path manager has no events")

    def announce(self, token: int, number: int, address: str, interface: int) -> None:
        """Announce an address to the peer of a connection. number : its id"""
        own = _endpoint(number, address, ("signal",), None, interface)
        self._change(ANNOUNCE, own + _number(ATTR_TOKEN, token))

    def remove(self, token: int, number: int) -> None:
        """Take back an address that was announced, and close its subflows."""
        which = _attribute(ATTR_LOC_ID, struct.pack("=B", number))
        self._change(REMOVE, _number(ATTR_TOKEN, token) + which)

    def create(
        self, token: int, number: int, address: str, interface: int, to: "End"
    ) -> None:
        """Open a subflow from an address to the peer's address and port."""
        own = _endpoint(number, address, (), None, interface)
        self._change(SUBFLOW_CREATE, own + _number(ATTR_TOKEN, token) + _remote(to))

    def destroy(self, token: int, own: "End", to: "End") -> None:
        """Close the subflow between two ends."""
        here = _place(ATTR_ADDR, own)
        self._change(SUBFLOW_DESTROY, here + _number(ATTR_TOKEN, token) + _remote(to))

    def set_backup(self, token: int, own: "End", to: "End", backup: bool) -> None:
        """Tell the peer whether a subflow is a backup (MP_PRIO)."""
        here = _place(ATTR_ADDR, own, ("backup",) if backup else ())
        self._change(SET_FLAGS, here + _number(ATTR_TOKEN, token) + _remote(to))

    def _change(self, command: int, body: bytes) -> None:
        self._ask(self._family, command, body)

    def _ask(self, family: int, command: int, body: bytes) -> bytes:
        """The body of the kernel's answer. Raises PathManagerError if it refuses."""
        body = _GENERIC.pack(command, VERSION, 0) + body
        flags = NLM_F_REQUEST | (0 if family == GENL_ID_CTRL else NLM_F_ACK)
        head = _HEADER.pack(_HEADER.size + len(body), family, flags, 1, 0)
        self._socket.send(head + body)
        answer = self._socket.recv(ANSWER_BYTES)
        _, kind, *_ = _HEADER.unpack_from(answer)
        if kind == NLMSG_ERROR:
            (number,) = struct.unpack_from("=i", answer, _HEADER.size)
            if number:
                reason = os.strerror(-number)
                raise PathManagerError(
                    f"{self._name}: the path manager refuses command {command}:"
                    f" {reason}",
                    reason,
                )
        return answer[_HEADER.size :]

    def close(self) -> None:
        self._socket.close()
        if self._listener:
            self._listener.close()


End = tuple[str, int]
"""An address and a port."""


def _place(kind: int, end: End, flags: Collection[str] = ()) -> bytes:
    """One end of a subflow, as an attribute."""
    address, port = end
    parts = [
        _attribute(ADDR_FAMILY, struct.pack("=H", socket.AF_INET)),
        _attribute(ADDR_ADDR4, socket.inet_aton(address)),
        _attribute(ADDR_PORT, struct.pack("=H", port)),
        _number(ADDR_FLAGS, sum(BITS[flag] for flag in flags)),
    ]
    return _attribute(kind | NESTED, b"".join(parts))


def _remote(end: End) -> bytes:
    return _place(ATTR_ADDR_REMOTE, end)


def _attribute(kind: int, value: bytes) -> bytes:
    head = _ATTRIBUTE.pack(_ATTRIBUTE.size + len(value), kind)
    return head + value + bytes(-len(value) % 4)


def _number(kind: int, value: int) -> bytes:
    return _attribute(kind, struct.pack("=I", value))


def _endpoint(
    number: int,
    address: str,
    flags: Collection[str],
    port: int | None,
    interface: int,
) -> bytes:
    bits = sum(BITS[flag] for flag in flags)
    parts = [
        _attribute(ADDR_FAMILY, struct.pack("=H", socket.AF_INET)),
        _attribute(ADDR_ID, struct.pack("=B", number)),
        _attribute(ADDR_ADDR4, socket.inet_aton(address)),
        _number(ADDR_FLAGS, bits),
    ]
    if port is not None:
        parts.append(_attribute(ADDR_PORT, struct.pack("=H", port)))
    if interface:
        parts.append(_attribute(ADDR_IF, struct.pack("=i", interface)))
    return _attribute(ATTR_ADDR | NESTED, b"".join(parts))


def _attributes(data: bytes, offset: int) -> Iterator[tuple[int, bytes]]:
    while offset + _ATTRIBUTE.size <= len(data):
        length, kind = _ATTRIBUTE.unpack_from(data, offset)
        if length < _ATTRIBUTE.size:
            return
        yield kind & ~NESTED, data[offset + _ATTRIBUTE.size : offset + length]
        offset += (length + 3) & ~3
