"""Payload of a full frame, by protocol."""

from jobs import FRAME_BYTES

TCP_BYTES = 1448
"""TCP has its timestamps."""
MPTCP_BYTES = 1428
"""MPTCP has timestamps and a mapping."""
UDP_BYTES = 1472
BYTES = {
    "tcp": TCP_BYTES,
    "mptcp": MPTCP_BYTES,
    "quic": UDP_BYTES,
    "mpquic": UDP_BYTES,
}
"""QUIC has the whole datagram, because its overhead depends on the program."""
TCP_SHARE = TCP_BYTES / FRAME_BYTES
"""The largest share of a link's capacity that can be goodput. The options of MPTCP make
it a little smaller."""
