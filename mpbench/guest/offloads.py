"""Switch off segmentation and receive offloads, interface by interface.

With offloads on, netem and tbf see packets of several segments, and a queue of 10
packets holds up to 450 of them. This module sends the requests of `ethtool -K DEV tso
off gso off gro off`, without a process for each interface.
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


def _ask(control: socket.socket, interface: str, command: int) -> int:
    value = array.array("B", struct.pack("=II", command, 0))
    address, _ = value.buffer_info()
    request = struct.pack("16sP16x", interface.encode(), address)
    fcntl.ioctl(control.fileno(), SIOCETHTOOL, request)
    _, answer = struct.unpack("=II", value.tobytes())
    return int(answer)


def switch_off(interfaces: list[str]) -> None:
    """Switch tso, gso and gro off on interfaces of the entered namespace.

    Raises OSError if the kernel refuses, or keeps one of them on.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for interface in interfaces:
            for name, (read, write) in FEATURES.items():
                _ask(control, interface, write)
                if _ask(control, interface, read):
                    raise OSError(f"{interface}: {name} stays on")
