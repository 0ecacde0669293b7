"""Traits of a link with words of their own: tunnels, and where packets wait.

Each is declared once, in WORDED. Its key in files, its factor in designs, its JSON
Schema and its words in plans are made from that; `mpbench.plan.links` says what a link
with the trait is like.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic.config import JsonDict

from mpbench import units
from mpbench.spec.messages import shortened
from mpbench.spec.suggestions import nearest
from mpbench.spec.values import ANY_QUANTITY, Faults
from topologies.parameters import Trait
from topologies.shaping import MOST_OVERHEAD_BYTES


@dataclass(frozen=True, kw_only=True)
class Worded:
    """A trait with words of its own.

    read : the value of a direction from that of a file; raises ValueError or
        ValidationError
    schema : JSON Schema of what `read` takes
    doc : one sentence for users
    words : the value in a plan
    alike : True if both directions have the same, so that no file tells them apart
    number : the trait as a factor of a design; None if no design varies it
    made : the value that a number of the factor stands for
    """

    read: Callable[[object], Any]
    schema: JsonDict
    doc: str
    words: Callable[[Any], str]
    alike: bool = False
    number: Trait | None = None
    made: Callable[[float], Any] = float


TUNNELS: Mapping[str, int] = {
    "pppoe": 8,
    "ipip": 20,
    "gre": 24,
    "gtp": 36,
    "vxlan": 50,
    "wireguard": 60,
}
"""Bytes that tunnels over IPv4 add to each IP packet: PPPoE and PPP; an IP header; that
and GRE's; IP, UDP and GTP-U; IP, UDP, VXLAN and an Ethernet header; IP, UDP, and
WireGuard's header and tag."""
TUNNEL, SHAPER = "tunnel", "shaper"
ROUTER, HOST, SENDER = "router", "host", "sender"
_TUNNEL_EXAMPLE = "tunnel: wireguard, or tunnel: {overhead: 60}"


@dataclass(frozen=True)
class Tunnel:
    """A tunnel over a link.

    overhead_bytes : what it adds to each packet
    at_host : whether it begins on the users' hosts, and not in a router
    """

    overhead_bytes: int
    at_host: bool = False

    def plain(self) -> dict[str, Any]:
        at = HOST if self.at_host else ROUTER
        return {"overhead": self.overhead_bytes, "at": at}


def _tunnel(value: object) -> Tunnel:
    """The tunnel of a link."""
    given = value if isinstance(value, Mapping) else {"overhead": value}
    faults = Faults()
    for key in given:
        if key not in ("overhead", "at"):
            hint = nearest(str(key), ("overhead", "at"))
            faults.add((str(key),), f"unknown key; {hint}")
    faults.raise_any()
    if "overhead" not in given:
        raise ValueError(f"needs 'overhead'; write e.g. {_TUNNEL_EXAMPLE}")
    at = given.get("at", ROUTER)
    if at not in (ROUTER, HOST):
        raise ValueError(f"at: {shortened(at)} is neither {ROUTER} nor {HOST}")
    return Tunnel(_overhead(given["overhead"]), at == HOST)


def _overhead(value: object) -> int:
    """The bytes that a tunnel adds, from its name or their number."""
    if isinstance(value, str) and re.fullmatch(r"[a-z]\w*", value):
        if value not in TUNNELS:
            hint = f"{nearest(value, TUNNELS)}, or give its bytes: {{overhead: 60}}"
            raise ValueError(f"no tunnel '{shortened(value)}' is known; {hint}")
        return TUNNELS[value]
    number = units.parse(value, "bytes", "bytes")
    if not 0 <= number <= MOST_OVERHEAD_BYTES or number != int(number):
        reason = f"{shortened(value)} is not 0 to {MOST_OVERHEAD_BYTES} whole bytes"
        raise ValueError(f"{reason}; write e.g. {_TUNNEL_EXAMPLE}")
    return int(number)


def _shaper(value: object) -> str:
    """Who shapes a direction of a link: its router, or the host that sends."""
    if value not in (ROUTER, SENDER):
        raise ValueError(f"{shortened(value)} is neither {ROUTER} nor {SENDER}")
    return str(value)


_TUNNEL_SCHEMA: JsonDict = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": MOST_OVERHEAD_BYTES},
        {"type": "string"},
        {
            "type": "object",
            "properties": {"overhead": ANY_QUANTITY, "at": {"enum": [ROUTER, HOST]}},
            "required": ["overhead"],
            "additionalProperties": False,
        },
    ]
}


WORDED: Mapping[str, Worded] = {
    TUNNEL: Worded(
        read=_tunnel,
        schema=_TUNNEL_SCHEMA,
        doc="A tunnel over the link: its name, its bytes per packet, or"
        " {overhead, at}.",
        words=lambda tunnel: f"tunnel of {tunnel.overhead_bytes} bytes",
        alike=True,
        number=Trait(
            key=TUNNEL,
            unit="bytes",
            low=0,
            high=MOST_OVERHEAD_BYTES,
            whole=True,
            alike=True,
            doc="overhead of the tunnel",
        ),
        made=lambda number: Tunnel(int(number)),
    ),
    SHAPER: Worded(
        read=_shaper,
        schema={"anyOf": [{"enum": [ROUTER, SENDER]}]},
        doc="Where packets wait and are delayed: 'router', or 'sender' for the"
        " interface of the host that sends; or {up, down}.",
        words=lambda where: f"shaped by its {where}",
    ),
}
"""The traits with words of their own, by their keys."""
