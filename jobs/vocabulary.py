"""The names that jobs may use. A new one is added here."""

QUIC = ("mpquic", "quic")
"""Protocols of programs of the user's own, over UDP: over all paths, or over one."""
PROTOCOLS = ("mptcp", "tcp", *QUIC)

CONGESTION_CONTROLS = (
    "balia",
    "bbr",
    "cmpbbr",
    "coupled",
    "cubic",
    "dlia",
    "ewtcp",
    "lia",
    "lia_rfc6356",
    "mpcc",
    "olia",
    "reno",
    "semicoupled",
    "vegas",
    "wvegas",
)
"""Controllers of the guest kernel: bbr, cubic, reno and vegas are its own, the others
are from the overlay (docs/controllers.md)."""

SCHEDULERS = (
    *("blest", "daps", "default", "ecf", "lowrtt", "otias", "paced", "redundant"),
    *("roundrobin", "stms", "weighted"),
)
"""Packet schedulers of MPTCP: the kernel's own, and those of the overlay."""

NDIFFPORTS = "ndiffports"
PATH_MANAGERS = ("fullmesh", NDIFFPORTS)
"""`fullmesh`: one subflow from every address of the client to the server;
`ndiffports`: several from its first address."""

READ_MODES = ("coalesced", "packet")

COLUMN_UNITS = {
    "mbps": "Mbit/s",
    "ms": "ms",
    "s": "s",
    "percent": "%",
    "packets": "packets",
    "bytes": "bytes",
}
"""The unit that the last part of a column's name stands for."""
PLAIN = "1"
"""The unit of a number without one."""
NUMBER_UNITS = (*COLUMN_UNITS.values(), PLAIN)
"""The units of numbers that a user's program prints."""
