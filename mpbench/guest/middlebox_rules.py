"""Rules of nftables and tc for middleboxes, as text for these tools.

    users --- (backward) router (forward) --- servers

A box for packets that users send acts where its link's forward interface lets them out,
and one for the other direction at the backward interface. So it comes before the link's
queue. A box with a state stands at the forward interface, which both directions pass.

Each box has a table of its own, so that it can be switched off alone. The rules of a
table come after those of the boxes before it. Whatever nftables cannot do to a packet,
tc does: nftables marks the packet, and a filter at the interface edits it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from jobs.artefacts import UNINVITED
from jobs.changes import UP
from jobs.middleboxes import (
    ACK,
    ALL,
    BLEACH,
    DATA,
    DROP,
    DROPS,
    ECN,
    EDITS,
    FORGETS_RESET,
    GARBLE,
    ICMP,
    MSS,
    NAT,
    OF_OPTIONS,
    PROXY,
    REWRITE,
    SEQUENCE,
    STATEFUL,
    SUBTYPES,
    SYN,
    SYNACK,
    WITHOUT_SACK,
    Box,
)
from topologies.wiring import LinkPlace

Place = tuple[str, str]
"""A node and an interface of it."""
MOST_OPTIONS = 3
"""Options of MPTCP that one packet can have; a statement strips one of them."""
MPTCP = 30
"""The number of MPTCP's option."""
HIDDEN = 254
"""The kind of experiments (RFC 6994), which hides an option of MPTCP for a while."""
TCP_BYTES, OPTION_BYTES, WORD = 20, 40, 4
"""The fixed header of TCP, the space behind it, and the unit in which it is filled."""
NOPS = 0x01010101
PADDED = (10, 18, 26, 34)
"""Lengths of timestamps and of one to four blocks of SACK, which two NOPs precede."""
GARBLED_AT, GARBLED = 4, 0xA5A5A5A5
"""The place in an option of four bytes that `garble` overwrites, and their value."""
TCP = "ip protocol tcp"
SELECTED = {
    SYN: "tcp flags & (syn | ack) == syn",
    SYNACK: "tcp flags & (syn | ack) == syn | ack",
    ACK: "tcp flags & (syn | ack) == ack",
    DATA: f"{TCP} @ih,0,8 >= 0",
    ALL: TCP,
}
"""Conditions of packets. A rule that reads beyond a packet's end does not match."""
ANY_SYN = "tcp flags & syn == syn"
IP_BYTES = 20
HEADER_END = "at 32 f0 2"
"""In pedit: the length of TCP's header, in words, is added to an offset. It stands in
the upper half of byte 32, behind the bytes of IP's header, which count too."""
NUMBER_AT, ACKNOWLEDGED_AT = 24, 28
SHIFT = 128
"""The shift of sequence numbers, in units of 2^24. Half of all numbers: it is the same
in both directions, and inverts one bit, which nftables can do to a block of SACK."""
EDGES = ("left", "right")
SACK_BLOCKS = 4
"""Blocks that an option can have. A rule for a block that is not there ends at once."""
SYSCTLS = {
    "net.netfilter.nf_conntrack_tcp_loose": 0,
    "net.netfilter.nf_conntrack_tcp_be_liberal": 1,
}
"""A connection that is forgotten is not taken up again. A packet outside of the window
is no reason to drop it."""
TIMEOUTS = (
    "net.netfilter.nf_conntrack_tcp_timeout_established",
    "net.netfilter.nf_conntrack_udp_timeout",
    "net.netfilter.nf_conntrack_udp_timeout_stream",
)


@dataclass(frozen=True)
class Table:
    """The rules of a box at one node.

    rules : for `nft -f`, which switch the box on
    """

    node: str
    name: str
    rules: str

    @property
    def off(self) -> str:
        """Text for `nft -f` that switches the box off and keeps its counters."""
        return f"table ip {self.name} {{ flags dormant; }}\n"


def tables(box: Box, number: int, place: LinkPlace) -> list[Table]:
    """The tables of a box, one per node. number : of the box in the job, from 0"""
    found: dict[str, list[str]] = {}
    if box.kind in STATEFUL:
        node, interface = place.forward
        found[node] = list(_stateful(box, number, interface))
    elif box.kind == PROXY:
        return []  # routes and a program do it: `mpbench.guest.terminators`
    elif box.kind == ICMP:
        end = " drop" if box.action == DROPS else ""
        rule = f"icmp type destination-unreachable counter{end}"
        for node in dict.fromkeys((place.forward[0], place.backward[0])):
            found[node] = [_chain(h, h, number, [rule]) for h in ("output", "forward")]
    else:
        rules: dict[str, list[str]] = {}
        for _, (node, interface) in _exits(box, place):
            rules.setdefault(node, []).append(
                f'oifname "{interface}" {_rule(box, number)}'
            )
        inner = [*_walk(box)] if _walks(box) else []
        for node, lines in rules.items():
            found[node] = [*inner, _chain("forward", "forward", number, lines)]
        for node, lines in _of_blocks(box, place).items():
            found[node].append(_chain("blocks", "forward", number, lines))
    name = f"box{number}"
    return [
        Table(node, name, f"table ip {name} {{\n{''.join(chains)}}}\n")
        for node, chains in found.items()
    ]


def _of_blocks(box: Box, place: LinkPlace) -> dict[str, list[str]]:
    """The rules that shift blocks of SACK with the numbers that they acknowledge, by
    node; none for a box that leaves them."""
    found: dict[str, list[str]] = {}
    if box.kind != SEQUENCE or box.action == WITHOUT_SACK:
        return found
    for way, (node, interface) in _exits(box, place):
        if any(other != way for other in box.ways):
            found.setdefault(node, []).extend(
                f'oifname "{interface}" {edge} set {edge} xor {SHIFT << 24:#x}'
                for block in range(SACK_BLOCKS)
                for edge in (f"tcp option sack{block} {end}" for end in EDGES)
            )
    return found


def _exits(box: Box, place: LinkPlace) -> Iterator[tuple[str, Place]]:
    """Each direction in which packets are looked at, and where they leave."""
    # Of sequence numbers, the other direction acknowledges.
    ways = ("up", "down") if box.kind == SEQUENCE else box.ways
    for way in ways:
        yield way, place.forward if way == UP else place.backward


def _chain(name: str, hook: str, number: int, rules: Sequence[str]) -> str:
    kind, priority = ("nat", 100) if hook == "postrouting" else ("filter", number)
    head = f"type {kind} hook {hook} priority {priority};"
    return _block(name, [head, *rules])


def _block(name: str, lines: Sequence[str]) -> str:
    text = "".join(f"    {line}\n" for line in lines)
    return f"  chain {name} {{\n{text}  }}\n"


def _walks(box: Box) -> bool:
    """Whether a box looks at all options of MPTCP in a packet for one subtype.

    nftables finds the first one only. A SYN has no second one.
    """
    return box.subtype is not None and box.packets not in (SYN, SYNACK)


def _walk(box: Box) -> Iterator[str]:
    """The chains that look at each option of MPTCP in a packet, one per place.

    An option that has been looked at is hidden as one of another kind, so that the next
    one is the first that nftables finds. On the way back all get their kind again, so
    TCP's checksum stays right.
    """
    for place in range(0, OPTION_BYTES, WORD):
        bits = 8 * (TCP_BYTES + place)
        kind = f"@th,{bits},8"
        sizes = range(2, OPTION_BYTES - place + 1)
        after = {size: place + WORD * math.ceil(size / WORD) for size in sizes}
        padded = {size: place + 2 + size for size in PADDED if 2 + size in after}
        lines = [
            f"tcp doff <= {(TCP_BYTES + place) // WORD} return",
            f"{kind} {MPTCP} {_on_option(box)}",
            f"{kind} {MPTCP} {kind} set {HIDDEN}",
            f"{kind} {HIDDEN} {_onwards(bits + 8, after)}",
            f"{kind} {HIDDEN} {kind} set {MPTCP}",
            f"@th,{bits},16 {NOPS & 0xFFFF:#x} {_onwards(bits + 24, padded)}",
            f"@th,{bits},32 {NOPS:#x} {_onwards(bits, {NOPS & 0xFF: place + WORD})}",
        ]
        yield _block(_at(place), [line for line in lines if not line.endswith(" ")])


def _at(place: int) -> str:
    """The name of the chain for options from a place behind TCP's fixed header."""
    return f"option{place}"


def _onwards(bits: int, after: Mapping[int, int]) -> str:
    """The end of a rule that goes on behind an option; "" if there is no space.

    bits : the place of the option's length; after : its value to the next place
    """
    words = [
        f"{size} : jump {_at(place)}"
        for size, place in after.items()
        if place < OPTION_BYTES
    ]
    return f"@th,{bits},8 vmap {{ {', '.join(words)} }}" if words else ""


def _rule(box: Box, number: int) -> str:
    """The rule of a box without a state, behind the interface."""
    if box.kind in OF_OPTIONS:
        chosen = SELECTED[box.packets or ALL]
        if _walks(box):
            return f"{chosen} tcp option mptcp exists jump {_at(0)}"
        return f"{chosen} {_on_option(box)}"
    if box.kind == MSS:
        return f"{ANY_SYN} counter tcp option maxseg size set {box.number}"
    if box.kind == ECN:
        mark = "not-ect" if box.action == BLEACH else "ce"
        return f"ip ecn != not-ect counter ip ecn set {mark}"
    chosen = TCP
    if box.kind == REWRITE:
        chosen += f" @ih,{8 * (box.number or 0)},8 >= 0"
    return f"{chosen} counter meta mark set meta mark or {_mark(number):#x}"


def _on_option(box: Box) -> str:
    """The end of a rule: the condition on the first option, and what the box does."""
    if box.subtype is None:
        chosen = "tcp option mptcp exists"
    else:
        chosen = f"tcp option mptcp subtype {SUBTYPES.index(box.subtype)}"
    if box.kind == DROP:
        return f"{chosen} counter drop"
    if box.kind == GARBLE:
        # A shorter option has no such bytes, and nftables would drop its packet.
        chosen += f" tcp option mptcp length >= {GARBLED_AT + 4}"
        at = f"@{MPTCP},{8 * GARBLED_AT},32"
        return f"{chosen} counter tcp option {at} set {GARBLED:#x}"
    number_of = MOST_OPTIONS if box.subtype is None else 1
    return f"{chosen} counter{' reset tcp option mptcp' * number_of}"


def _mark(number: int) -> int:
    """The mark of packets that a box edits: a bit of its own."""
    return 1 << number


def _stateful(box: Box, number: int, interface: str) -> Iterator[str]:
    reset = box.forgets == FORGETS_RESET
    end = "reject with tcp reset" if reset else "drop"
    there, back = f'oifname "{interface}" ', f'iifname "{interface}" '
    rules = [f"{side}{TCP} ct state invalid counter {end}" for side in (there, back)]
    yield _chain("forward", "forward", number, rules)
    if box.kind != NAT:
        rule = f"{back}ct state new counter drop"
        yield _chain(UNINVITED, "forward", number, [rule])
    if box.kind == NAT:
        if not reset:
            # The router itself would answer packets to its address with a reset.
            own = [f"{back}{TCP} counter drop"]
            yield _chain("input", "input", number, own)
        yield _chain("translate", "postrouting", number, [f"{there}counter masquerade"])


def edits(box: Box, number: int, place: LinkPlace) -> dict[Place, list[str]]:
    """The lines for `tc -batch` by interface; none for a box that edits nothing.

    They expect the discipline `clsact` at the interface, and edit packets that bear the
    box's mark.
    """
    if box.kind not in EDITS:
        return {}
    found = {}
    for way, (node, interface) in _exits(box, place):
        keys = " ".join(f"munge {key}" for key in _keys(box, way))
        mark = f"{_mark(number):#x}"
        found[node, interface] = [
            f"filter add dev {interface} egress protocol ip prio {number + 1}"
            f" handle {mark}/{mark} fw action pedit ex {keys} pipe"
            " action csum ip and tcp continue"
        ]
    return found


def _keys(box: Box, way: str) -> Iterator[str]:
    """The edits that pedit makes in packets of one direction."""
    if box.kind == REWRITE:
        # One byte: the checksum of the inverse of two would be that of zero bytes.
        yield f"offset {IP_BYTES + (box.number or 0)} u8 {HEADER_END} invert"
        return
    if way in box.ways:
        yield f"offset {NUMBER_AT} u8 add {SHIFT}"
    if any(other != way for other in box.ways):
        yield f"offset {ACKNOWLEDGED_AT} u8 add {256 - SHIFT}"


def sysctls(box: Box) -> dict[str, str | int]:
    """The sysctls of the node with a box's state; none for a box without one."""
    if box.kind not in STATEFUL:
        return {}
    found: dict[str, str | int] = {**SYSCTLS}
    if box.timeout_s is not None:
        found |= dict.fromkeys(TIMEOUTS, box.timeout_s)
    return found
