"""Switch off segmentation and receive offloads, interface by interface.

With offloads on, netem and tbf see packets of several segments, and a queue of 10
packets holds up to 450 of them. This module sends the requests of `ethtool -K DEV tso
off gso off gro off tx-udp-segmentation off`, without a process for each interface. The
last is of programs that hand down several datagrams at once (UDP_SEGMENT), as those of
QUIC do.
"""

import array
import fcntl
import socket
import struct

SIOCETHTOOL = 0x8946
ETHTOOL_GTSO, ETHTOOL_STSO = 0x1E, 0x1F
ETHTOOL_GGSO, ETHTOOL_SGSO = 0x23, 0x24
ETHTOOL_GGRO, ETHTOOL_SGRO = 0x2B, 0x2C
FEATURES = {
    "tso": (ETHTOOL_GTSO, ETHTOOL_STSO),
    "gso": (ETHTOOL_GGSO, ETHTOOL_SGSO),
    "gro": (ETHTOOL_GGRO, ETHTOOL_SGRO),
}

ETHTOOL_GSTRINGS, ETHTOOL_GSSET_INFO, ETHTOOL_SFEATURES = 0x1B, 0x37, 0x3B
FEATURE_NAMES, NAME_BYTES = 4, 32
UDP = b"tx-udp-segmentation"


def _call(control: socket.socket, interface: str, text: bytes) -> bytes:
    value = array.array("B", text)
    address, _ = value.buffer_info()
    request = struct.pack("16sP16x", interface.encode(), address)
    fcntl.ioctl(control.fileno(), SIOCETHTOOL, request)
    return value.tobytes()


def _feature(control: socket.socket, interface: str, name: bytes) -> tuple[int, int]:
    """The number of a feature, and how many there are."""
    asked = struct.pack("=IIQI", ETHTOOL_GSSET_INFO, 0, 1 << FEATURE_NAMES, 0)
    (count,) = struct.unpack_from("=I", _call(control, interface, asked), 16)
    asked = struct.pack("=III", ETHTOOL_GSTRINGS, FEATURE_NAMES, count)
    told = _call(control, interface, asked + bytes(count * NAME_BYTES))[12:]
    names = [told[at : at + NAME_BYTES] for at in range(0, len(told), NAME_BYTES)]
    return [each.rstrip(b"\0") for each in names].index(name), count


def _without(number: int, count: int) -> bytes:
    """The request that switches one feature of so many off."""
    words = [(0, 0)] * ((count + 31) // 32)
    words[number // 32] = (1 << number % 32, 0)
    head = struct.pack("=II", ETHTOOL_SFEATURES, len(words))
    return head + b"".join(struct.pack("=II", *word) for word in words)


def _ask(control: socket.socket, interface: str, command: int) -> int:
    told = _call(control, interface, struct.pack("=II", command, 0))
    _, answer = struct.unpack("=II", told)
    return int(answer)


def switch_off(interfaces: list[str]) -> None:
    """Switch the offloads off on interfaces of the entered namespace.

    Raises OSError if the kernel refuses, or keeps one of them on.
    """
    if not interfaces:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        udp = _without(*_feature(control, interfaces[0], UDP))
        for interface in interfaces:
            _call(control, interface, udp)
            for name, (read, write) in FEATURES.items():
                _ask(control, interface, write)
                if _ask(control, interface, read):
                    raise OSError(f"{interface}: {name} stays on")
