"""Middleboxes: what the routers of a link do to packets beside forwarding them."""

from dataclasses import dataclass
from typing import Annotated

from jobs.changes import BOTH, DOWN, UP
from jobs.marks import Among, Bounds
from jobs.values import LastingSeconds, Name, Seconds

STRIP, DROP, GARBLE = "strip", "drop", "garble"
REWRITE, SEQUENCE = "rewrite", "sequence"
NAT, FIREWALL, MSS, ICMP, ECN = "nat", "firewall", "mss", "icmp", "ecn"
PROXY = "proxy"
KINDS = (STRIP, DROP, GARBLE, REWRITE, SEQUENCE, NAT, FIREWALL, MSS, ICMP, ECN, PROXY)
OF_OPTIONS = (STRIP, DROP, GARBLE)
STATEFUL = (NAT, FIREWALL)
"""Boxes that see both directions, and keep a state of each connection."""
EDITS = (REWRITE, SEQUENCE)
BOTH_WAYS = (*STATEFUL, ICMP, PROXY)
"""Boxes without a direction."""

PROVOKING = (STRIP, DROP, GARBLE, REWRITE, SEQUENCE, NAT, FIREWALL, ICMP, PROXY)
"""Boxes by which connections may fall back, end, or leave a path unused. The others
change sizes and marks, which every connection survives."""

SYN, SYNACK, ACK, DATA, ALL = "syn", "synack", "ack", "data", "all"
PACKETS = (SYN, SYNACK, ACK, DATA, ALL)
SUBTYPES = (
    "mp_capable",
    "mp_join",
    "dss",
    "add_addr",
    "rm_addr",
    "mp_prio",
    "mp_fail",
    "mp_fastclose",
    "mp_tcprst",
)
"""The subtypes of MPTCP's option, each at its number (RFC 8684, section 8.1)."""
GARBLED = ("mp_capable", "mp_join", "add_addr")
"""The subtypes whose bytes 4 to 7 are of a key, a token, a code or an address."""
FORGETS_DROP, FORGETS_RESET = "drop", "reset"
FORGETS = (FORGETS_DROP, FORGETS_RESET)
CE, BLEACH = "ce", "bleach"
PASSES, DROPS = "pass", "drop"
SHIFT, WITHOUT_SACK = "shift", "shift_without_sack"
SHIFTS = (SHIFT, WITHOUT_SACK)
SPEAKS = ("tcp", "mptcp")
ENDS = tuple(f"{accepts}-{opens}" for accepts in SPEAKS for opens in SPEAKS)
"""The protocols with which a proxy listens and connects, as `tcp-mptcp`."""
ACTIONS = {ECN: (CE, BLEACH), ICMP: (DROPS, PASSES), PROXY: ENDS}
LEAST_MSS, MOST_MSS = 88, 65_495
MOST_OFFSET = 65_000
MOST_BOXES = 32
MOST_TIMEOUT_S = 432_000
"""Linux's own timeout of an established connection, five days."""
KERNEL_OPTIONS = {
    f"CONFIG_{name}": "y"
    for name in (
        "NETFILTER",
        "NETFILTER_ADVANCED",
        "NF_CONNTRACK",
        "NF_NAT",
        "NF_TABLES",
        "NF_TABLES_IPV4",
        "NFT_CT",
        "NFT_MASQ",
        "NFT_NAT",
        "NFT_REJECT",
        "NET_CLS_FW",
        "NET_ACT_CSUM",
        "NET_ACT_PEDIT",
    )
}
"""Options of the kernel in which a file with middleboxes runs. The kernel without them
does less per packet, so it stays the usual one."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """One middlebox.

    link : at whose routers it stands
    kind : of KINDS
    direction : of the packets that it acts on: `up` is what users send
    from_s, until_s : seconds after the start of the traffic; None for the whole run,
        the time before included, and for its end
    packets : of `strip`, `drop` and `garble`: those of a connection that it looks at
    subtype : of `strip`, `drop` and `garble`: the subtype of MPTCP's option; None for
        all
    number : of `rewrite`: the place of a byte in the payload, from 0; of `mss`: the
        segment size, in bytes
    timeout_s : of `nat` and `firewall`: idle time after which a connection is
        forgotten; None for Linux's own
    forgets : of `nat` and `firewall`: what then becomes of the connection's packets
    action : of `ecn`: `ce`, or `bleach` for no mark; of `icmp`: what becomes of the
        message that a packet could not be delivered, `drop` or `pass`. With either,
        users do not know the link's mtu beforehand; of `sequence`:
        `shift_without_sack`, or None for SACK blocks that are shifted too; of `proxy`:
        what it listens with and what it connects with, of ENDS
    """

    link: Name
    kind: Annotated[str, Among(KINDS)]
    direction: Annotated[str, Among((BOTH, UP, DOWN))] = BOTH
    from_s: Seconds | None = None
    until_s: LastingSeconds | None = None
    packets: Annotated[str, Among(PACKETS)] | None = None
    subtype: Annotated[str, Among(SUBTYPES)] | None = None
    number: Annotated[int, Bounds(0, MOST_OFFSET)] | None = None
    timeout_s: Annotated[int, Bounds(1, MOST_TIMEOUT_S)] | None = None
    forgets: Annotated[str, Among(FORGETS)] | None = None
    action: (
        Annotated[str, Among((CE, BLEACH, DROPS, PASSES, WITHOUT_SACK, *ENDS))] | None
    ) = None

    def check(self) -> None:
        wanted = {
            "packets": self.kind in OF_OPTIONS,
            "number": self.kind in (REWRITE, MSS),
            "forgets": self.kind in STATEFUL,
            "action": self.kind in ACTIONS or self.action == WITHOUT_SACK,
        }
        for name, needed in wanted.items():
            if (getattr(self, name) is not None) != needed:
                raise ValueError(
                    f"{name}: {'needed' if needed else 'not'} of {self.kind}"
                )
        allowed = ACTIONS.get(self.kind) or (
            (WITHOUT_SACK,) if self.kind == SEQUENCE else ()
        )
        if self.action is not None and self.action not in allowed:
            raise ValueError(f"action: not of {self.kind}")
        if self.subtype is not None and self.kind not in OF_OPTIONS:
            raise ValueError(f"subtype: not of {self.kind}")
        if self.kind == GARBLE and self.subtype not in GARBLED:
            raise ValueError(f"subtype: one of {', '.join(GARBLED)} for {GARBLE}")
        if self.timeout_s is not None and self.kind not in STATEFUL:
            raise ValueError(f"timeout_s: not of {self.kind}")
        if self.kind in BOTH_WAYS and self.direction != BOTH:
            raise ValueError(f"direction: {self.kind} acts on both")
        if self.kind == PROXY and (self.from_s, self.until_s) != (None, None):
            raise ValueError(f"from_s: a {PROXY} acts in the whole run")
        if self.kind == MSS and not (self.number or 0) >= LEAST_MSS:
            raise ValueError(f"number: a segment has {LEAST_MSS} bytes or more")
        if self.until_s is not None and self.until_s <= (self.from_s or 0.0):
            raise ValueError("until_s: not after from_s")

    @property
    def ways(self) -> tuple[str, ...]:
        """The directions: `up`, `down` or both."""
        return (UP, DOWN) if self.direction == BOTH else (self.direction,)
