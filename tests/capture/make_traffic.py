"""One end of a few transfers, for make_captures.py, and what its kernel counted.

    serve|ask ADDRESS KIND BYTES...

One connection for each number of bytes, which the asking end sends (`both`: and gets
back). KIND: mptcp, tcp, fallback (the server knows TCP only), abort (the asking end
ends with a reset), slow (in pieces of 2000 bytes, 0.1 s apart), wrap (connections
without data until one comes whose data numbers pass 2^32; that has two subflows).

Of each connection over MPTCP, the kernel's counters are asked for when all has been
acknowledged, before it is closed: of the connection (MPTCP_INFO), and of the subflows
that it still has (MPTCP_TCPINFO, MPTCP_SUBFLOW_ADDRS).
"""

import ctypes
import json
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

PORT = 5300
MPTCP = getattr(socket, "IPPROTO_MPTCP", 262)
PIECE = bytes(range(256)) * 64
SOL_MPTCP = 284
INFO, TCP_INFOS, ADDRESSES = 1, 2, 3
OF_CONNECTION = {
    "retransmits": ("I", 44),
    "bytes_retrans": ("Q", 48),
    "bytes_sent": ("Q", 56),
    "bytes_received": ("Q", 64),
    "bytes_acked": ("Q", 72),
}
"""Of `struct mptcp_info` (include/uapi/linux/mptcp.h): type and offset."""
OF_SUBFLOW = {
    "total_retrans": ("I", 100),
    "bytes_acked": ("Q", 120),
    "bytes_received": ("Q", 128),
    "data_segs_in": ("I", 152),
    "data_segs_out": ("I", 156),
    "bytes_sent": ("Q", 200),
    "bytes_retrans": ("Q", 208),
}
"""Of `struct tcp_info`."""
TCP_INFO_SIZE, SUBFLOWS = 248, 16

Outcome = tuple[list[int | str], list[dict[str, Any]]]
"""Bytes received on each connection, or the error that ended it; its counters."""


def endpoint(kind: str, serving: bool, family: int = socket.AF_INET) -> socket.socket:
    plain = kind == "tcp" or (kind == "fallback" and serving)
    return socket.socket(family, socket.SOCK_STREAM, 0 if plain else MPTCP)


def send(peer: socket.socket, count: int, kind: str | None = None) -> None:
    largest, pause_s = (2000, 0.1) if kind == "slow" else (len(PIECE), 0)
    while count:
        count -= peer.send(PIECE[: min(count, largest)])
        time.sleep(pause_s)


def receive(peer: socket.socket) -> int:
    count = 0
    while piece := peer.recv(1 << 16):
        count += len(piece)
    return count


def counted(peer: socket.socket) -> dict[str, Any]:
    """The kernel's counters of a connection over MPTCP; {} where it fell back."""
    try:
        whole = peer.getsockopt(SOL_MPTCP, INFO, 96)
    except OSError:
        return {}
    found: dict[str, Any] = {
        n: struct.unpack_from(f"={t}", whole, at)[0]
        for n, (t, at) in OF_CONNECTION.items()
    }
    infos = many(peer, TCP_INFOS, TCP_INFO_SIZE)
    pairs = many(peer, ADDRESSES, 256)
    found["subflows"] = [
        {
            "port": ports(pair),
            **{
                n: struct.unpack_from(f"={t}", info, at)[0]
                for n, (t, at) in OF_SUBFLOW.items()
            },
        }
        for info, pair in zip(infos, pairs, strict=True)
    ]
    return found


def many(peer: socket.socket, option: int, size: int) -> list[bytes]:
    """One record of each subflow (`struct mptcp_subflow_data` is the head)."""
    head = struct.pack("=IIII", 16, 0, 0, size)
    room = bytearray(head + bytes(size * SUBFLOWS))
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = (ctypes.c_char * len(room)).from_buffer(room)
    length = ctypes.c_uint32(len(room))
    if libc.getsockopt(peer.fileno(), SOL_MPTCP, option, buffer, ctypes.byref(length)):
        return []
    _, count, _, _ = struct.unpack_from("=IIII", room)
    return [bytes(room[16 + size * i : 16 + size * (i + 1)]) for i in range(count)]


def ports(pair: bytes) -> int:
    """The client's port: that which is not the server's."""
    here: int = struct.unpack_from(">H", pair, 2)[0]
    there: int = struct.unpack_from(">H", pair, 130)[0]
    return there if here == PORT else here


def settled(peer: socket.socket) -> dict[str, Any]:
    """The counters, when all that was sent has been acknowledged."""
    for _ in range(200):
        found = counted(peer)
        if not found or found["bytes_acked"] >= found["bytes_sent"]:
            return found
        time.sleep(0.05)
    return found


def wraps(peer: socket.socket, count: int) -> bool:
    """Whether the numbers of so many bytes pass 2^32, with some on either side."""
    whole = peer.getsockopt(SOL_MPTCP, INFO, 96)
    first: int = struct.unpack_from("=Q", whole, 16)[0]
    return count // 50 < (1 << 32) - (first & 0xFFFFFFFF) < count - count // 50


def wrapping(address: str, count: int) -> Iterator[tuple[socket.socket, int]]:
    """A connection for each number of bytes that is to be sent: 0 until one wraps."""
    while True:
        peer = connected("wrap", address)
        if wraps(peer, count):
            break
        yield peer, 0
    announce = "ip netns exec mpb-server ip mptcp endpoint add 10.8.2.1 dev s2 signal"
    subprocess.run(announce.split(), check=True)
    yield peer, count


def serve(address: str, kind: str, sizes: list[int]) -> Outcome:
    listener = endpoint(kind, True, family(address))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Anywhere: a subflow may come to another address that was announced.
    listener.bind(("", PORT))
    listener.listen(8)
    received: list[int | str] = []
    counters: list[dict[str, Any]] = []
    left = sizes[::-1]
    while left:
        count = left.pop()
        peer, _ = listener.accept()
        try:
            received.append(receive(peer))
            if kind == "wrap" and not received[-1]:
                left.append(count)
            if kind == "both":
                send(peer, count)
        except ConnectionError as error:
            received.append(str(error))
        counters.append(settled(peer) if received[-1] or kind != "wrap" else {})
        peer.close()
    return received, counters


def connected(kind: str, address: str) -> socket.socket:
    """A connection, as soon as the server listens."""
    for _ in range(200):
        peer = endpoint(kind, False, family(address))
        try:
            peer.connect((address, PORT))
            return peer
        except ConnectionRefusedError:
            peer.close()
            time.sleep(0.05)
    raise TimeoutError(f"{address}: no server")


def ask(address: str, kind: str, sizes: list[int]) -> Outcome:
    received: list[int | str] = []
    counters: list[dict[str, Any]] = []
    peers: Iterator[tuple[socket.socket, int]]
    if kind == "wrap":
        peers = wrapping(address, *sizes)
    else:
        peers = ((connected(kind, address), count) for count in sizes)
    for peer, count in peers:
        send(peer, count, kind)
        if kind == "abort":
            peer.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
        else:
            peer.shutdown(socket.SHUT_WR)
            received.append(receive(peer))
            counters.append(settled(peer) if count or kind != "wrap" else {})
        peer.close()
    return received, counters


def family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET


if __name__ == "__main__":
    role, where, how, *counts = sys.argv[1:]
    do = {"serve": serve, "ask": ask}[role]
    done, counters = do(where, how, [int(c) for c in counts])
    print(json.dumps({"received": done, "kernel": counters}))
