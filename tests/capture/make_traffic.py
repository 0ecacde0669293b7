"""One end of a few transfers, for make_captures.py.

    serve|ask ADDRESS KIND BYTES...

One connection for each number of bytes, which the asking end sends (`both`: and gets
back). KIND: mptcp, tcp, fallback (the server knows TCP only), abort (the asking end
ends with a reset).
"""

import json
import socket
import struct
import sys
import time

PORT = 5300
MPTCP = getattr(socket, "IPPROTO_MPTCP", 262)
PIECE = bytes(range(256)) * 64


def endpoint(kind, serving, family=socket.AF_INET):
    plain = kind == "tcp" or (kind == "fallback" and serving)
    return socket.socket(family, socket.SOCK_STREAM, 0 if plain else MPTCP)


def send(peer, count):
    while count:
        count -= peer.send(PIECE[: min(count, len(PIECE))])


def receive(peer):
    count = 0
    while piece := peer.recv(1 << 16):
        count += len(piece)
    return count


def serve(address, kind, sizes):
    listener = endpoint(kind, True, family(address))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Anywhere: a subflow may come to another address that was announced.
    listener.bind(("", PORT))
    listener.listen(8)
    received = []
    for count in sizes:
        peer, _ = listener.accept()
        try:
            received.append(receive(peer))
            if kind == "both":
                send(peer, count)
        except ConnectionError as error:
            received.append(str(error))
        peer.close()
    return received


def connected(kind, address):
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


def ask(address, kind, sizes):
    received = []
    for count in sizes:
        peer = connected(kind, address)
        send(peer, count)
        if kind == "abort":
            peer.setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
            )
        else:
            peer.shutdown(socket.SHUT_WR)
            received.append(receive(peer))
        peer.close()
    return received


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


if __name__ == "__main__":
    role, where, how, *counts = sys.argv[1:]
    done = {"serve": serve, "ask": ask}[role](where, how, [int(c) for c in counts])
    print(json.dumps({"received": done}))
