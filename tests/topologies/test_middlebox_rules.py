"""Rules of nftables and tc for middleboxes, and the routes and mtus that they need."""

from typing import Any

import pytest

from jobs.middleboxes import (
    ALL,
    BLEACH,
    DATA,
    DROP,
    ECN,
    FIREWALL,
    FORGETS_DROP,
    FORGETS_RESET,
    GARBLE,
    ICMP,
    MSS,
    NAT,
    REWRITE,
    SEQUENCE,
    STRIP,
    SYN,
    WITHOUT_SACK,
    Box,
)
from mpbench.guest import middlebox_rules, terminators
from mpbench.plan import make_plan
from topologies import mtus
from topologies.wiring import LinkPlace

ONE = LinkPlace("one", forward=("r", "r-out"), backward=("r", "r-in"))
TWO = LinkPlace("one", forward=("a", "a-out"), backward=("b", "b-in"))


def rules(place: LinkPlace, at: int = 0, **box: Any) -> dict[str, str]:
    """The rules of a box by node. at : its number in the job"""
    found = middlebox_rules.tables(Box(link="one", **box), at, place)
    assert all(table.name == f"box{at}" for table in found)
    return {table.node: table.rules for table in found}


def test_a_box_has_a_table_whose_place_is_its_number() -> None:
    made = rules(ONE, 3, kind=DROP, packets=SYN, direction="up")
    assert made["r"] == (
        "table ip box3 {\n"
        "  chain forward {\n"
        "    type filter hook forward priority 3;\n"
        '    oifname "r-out" tcp flags & (syn | ack) == syn tcp option mptcp exists'
        " counter drop\n"
        "  }\n"
        "}\n"
    )
    (table,) = middlebox_rules.tables(Box(link="one", kind=DROP, packets=SYN), 3, ONE)
    assert table.off == "table ip box3 { flags dormant; }\n"


@pytest.mark.parametrize(
    "box, rule",
    [
        (
            {"kind": STRIP, "packets": ALL},
            "ip protocol tcp tcp option mptcp exists counter"
            + " reset tcp option mptcp" * 3,
        ),
        (
            {"kind": STRIP, "packets": DATA, "subtype": "dss"},
            "ip protocol tcp @ih,0,8 >= 0 tcp option mptcp exists jump option0",
        ),
        (
            {"kind": DROP, "packets": "synack", "subtype": "mp_join"},
            "tcp flags & (syn | ack) == syn | ack tcp option mptcp subtype 1"
            " counter drop",
        ),
        (
            {"kind": GARBLE, "packets": "ack", "subtype": "mp_join"},
            "tcp flags & (syn | ack) == ack tcp option mptcp exists jump option0",
        ),
        (
            {"kind": MSS, "number": 1300},
            "tcp flags & syn == syn counter tcp option maxseg size set 1300",
        ),
        (
            {"kind": ECN, "action": "ce"},
            "ip ecn != not-ect counter ip ecn set ce",
        ),
        (
            {"kind": ECN, "action": BLEACH},
            "ip ecn != not-ect counter ip ecn set not-ect",
        ),
        (
            {"kind": REWRITE, "number": 400},
            "ip protocol tcp @ih,3200,8 >= 0 counter meta mark set meta mark or 0x1",
        ),
    ],
)
def test_each_direction_is_met_where_it_leaves(box: dict[str, Any], rule: str) -> None:
    made = rules(TWO, **box)
    assert f'    oifname "a-out" {rule}\n' in made["a"]
    assert f'    oifname "b-in" {rule}\n' in made["b"]
    one = rules(ONE, **box)["r"]
    assert one.count(rule + "\n") == 2
    assert "b" not in rules(TWO, **box, direction="up")


class Walked:
    """A TCP header that the chains of a box have looked at, by a second reading.

    header : from TCP's first byte on; options end at `doff` words
    counted : times a rule with a counter was met
    """

    def __init__(self, text: str, options: bytes, payload: bytes = b"") -> None:
        self.header = bytearray(20) + options + payload
        self._words = 5 + len(options) // 4
        self.counted, self.dropped = 0, False
        self._chains: dict[str, list[str]] = {}
        for line in map(str.strip, text.splitlines()):
            if line.startswith("chain "):
                rules = self._chains.setdefault(line.split()[1], [])
            elif line and line != "}" and "table" not in line:
                rules.append(line)
        self._run("option0", 0)

    @property
    def options(self) -> bytes:
        return bytes(self.header[20 : 4 * self._words])

    def _first(self) -> int:
        """The place of the first option of MPTCP, as the kernel finds it; 0 if none."""
        at = 20
        while at < 4 * self._words - 1:
            if self.header[at] == 30:
                return at
            at += 1 if self.header[at] in (0, 1) else max(self.header[at + 1], 1)
        return 0

    def _read(self, word: str) -> int:
        _, bits, count = word.split(",")
        at, rest = divmod(int(bits), 8)
        assert rest == 0, "between two bytes"
        return int.from_bytes(self.header[at : at + int(count) // 8])

    def _run(self, chain: str, depth: int) -> None:
        assert depth < 16, "deeper than the kernel jumps"
        for line in self._chains[chain]:
            self._rule(line, depth)
            if self.dropped or (line.endswith("return") and self._past(line)):
                return

    def _past(self, line: str) -> bool:
        return self._words <= int(line.split()[3])

    def _rule(self, line: str, depth: int) -> None:
        words = line.split()
        while words and not self.dropped and words[-1] != "return":
            head = words.pop(0)
            if head == "counter":
                self.counted += 1
            elif head == "drop":
                self.dropped = True
            elif head == "reset":
                del words[:3]
                if at := self._first():
                    self.header[at : at + self.header[at + 1]] = bytes(
                        [1] * self.header[at + 1]
                    )
            elif head.startswith("@th") and words[0] == "set":
                self.header[int(head.split(",")[1]) // 8] = int(words[1])
                del words[:2]
            elif head.startswith("@th") and words[0] == "vmap":
                pairs = "".join(words[2:-1]).split(",")
                targets = dict(pair.split(":jump") for pair in pairs)
                if target := targets.get(str(self._read(head))):
                    self._run(target, depth + 1)
                return
            elif head.startswith("@th"):
                if self._read(head) != int(words.pop(0), 0):
                    return
            elif words[:3] == ["option", "mptcp", "subtype"]:
                at = self._first()
                if not at or self.header[at + 2] >> 4 != int(words[3]):
                    return
                del words[:4]
            else:
                raise AssertionError(line)


TIMES = bytes([1, 1, 8, 10, 30, 8, 80, 0, 254, 30, 16, 3])
"""Timestamps with bytes that look like options."""
BLOCK = bytes([1, 1, 5, 10, 30, 4, 80, 0, 254, 4, 80, 0])
DSS = bytes([30, 12, 0x20, 3, *range(8)])
MAPPED = bytes([30, 26, 0x20, 0x0F, *range(22), 1, 1])
PRIO = bytes([30, 3, 0x51, 1])
ADD = bytes([30, 16, 0x30, 2, 10, 0, 0, 1, *range(8)])


@pytest.mark.parametrize(
    "options, subtype, met",
    [
        (PRIO, "mp_prio", True),
        (TIMES + PRIO, "mp_prio", True),
        (TIMES + DSS + PRIO, "mp_prio", True),
        (TIMES + BLOCK + DSS + PRIO, "mp_prio", True),
        (TIMES + DSS + ADD, "add_addr", True),
        (DSS + ADD + PRIO, "mp_prio", True),
        (MAPPED + PRIO, "mp_prio", True),
        (TIMES + MAPPED, "dss", True),
        (bytes([1] * 12) + DSS + PRIO, "mp_prio", True),
        (TIMES + DSS + ADD, "mp_prio", False),
        (TIMES + BLOCK + DSS, "mp_prio", False),
        (TIMES, "mp_prio", False),
    ],
)
def test_each_option_of_a_packet_is_looked_at(
    options: bytes, subtype: str, met: bool
) -> None:
    """By a second reading of the rules; what looks like an option is none."""
    for kind in (STRIP, DROP):
        made = rules(ONE, kind=kind, packets=ALL, subtype=subtype)["r"]
        seen = Walked(made, options, PRIO * 4)
        assert seen.counted == met
        assert seen.dropped == (met and kind == DROP)
        assert len(seen.options) == len(options)
        if kind == STRIP:
            wanted = {"mp_prio": PRIO, "add_addr": ADD, "dss": MAPPED}[subtype]
            gone = bytes([1] * len(wanted))
            assert seen.options == (options.replace(wanted, gone) if met else options)
            assert seen.header.endswith(PRIO * 4)


@pytest.mark.parametrize("blocks", [1, 2, 3, 4])
def test_an_option_behind_blocks_of_sack_is_looked_at(blocks: int) -> None:
    """Each block has eight bytes, which look like options here."""
    sack = bytes([1, 1, 5, 2 + 8 * blocks, *[30, 3, 0x51, 1, 254, 4, 80, 0] * blocks])
    made = rules(ONE, kind=STRIP, packets=ALL, subtype="mp_prio")["r"]
    seen = Walked(made, sack + PRIO)
    assert (seen.counted, seen.options) == (1, sack + bytes([1] * len(PRIO)))


def test_a_payload_behind_the_options_is_not_looked_at() -> None:
    """It begins with the kind that hides an option, which would get another one."""
    hidden = bytes([254, 4, 0x51, 1]) * 4
    for options in (TIMES + DSS, MAPPED, PRIO, TIMES):
        made = rules(ONE, kind=STRIP, packets=ALL, subtype="add_addr")["r"]
        seen = Walked(made, options, hidden)
        assert bytes(seen.header).endswith(options + hidden)


def test_an_option_has_two_bytes_at_least() -> None:
    """The next place is behind it, in whole words, as far as there is space."""
    made = rules(ONE, kind=STRIP, packets=ALL, subtype="dss", direction="up")["r"]
    for at in (0, 24, 36):
        chain = made.partition(f"chain option{at} {{")[2].partition("}\n  }")[0]
        line = next(
            (ln for ln in chain.splitlines() if f",{168 + 8 * at},8 vmap" in ln), ""
        )
        pairs = line.partition("{ ")[2].partition(" }")[0].split(", ")
        found = dict(pair.split(" : jump option") for pair in pairs if pair)
        sizes = range(2, 37 - at)
        assert found == {str(n): str(at + 4 * -(-n // 4)) for n in sizes}


@pytest.mark.parametrize(
    "kind, forgets, end, input_chain",
    [
        (NAT, FORGETS_DROP, "drop", True),
        (NAT, FORGETS_RESET, "reject with tcp reset", False),
        (FIREWALL, FORGETS_RESET, "reject with tcp reset", False),
    ],
)
def test_a_state_is_kept_at_the_forward_interface(
    kind: str, forgets: str, end: str, input_chain: bool
) -> None:
    made = rules(TWO, kind=kind, forgets=forgets)
    assert [*made] == ["a"]
    invalid = f"ip protocol tcp ct state invalid counter {end}\n"
    assert f'    oifname "a-out" {invalid}' in made["a"]
    assert f'    iifname "a-out" {invalid}' in made["a"]
    assert ("hook input" in made["a"]) == input_chain
    assert ("counter masquerade" in made["a"]) == (kind == NAT)
    strangers = 'iifname "a-out" ct state new counter drop\n'
    assert (strangers in made["a"]) == (kind == FIREWALL)
    if kind == FIREWALL:
        assert strangers in made["a"].partition("chain uninvited {")[2]


def test_a_timeout_holds_at_the_router_with_the_state() -> None:
    box = Box(link="one", kind=NAT, forgets=FORGETS_DROP, timeout_s=10)
    values = middlebox_rules.sysctls(box)
    assert values["net.netfilter.nf_conntrack_tcp_timeout_established"] == 10
    assert values["net.netfilter.nf_conntrack_tcp_loose"] == 0
    usual = middlebox_rules.sysctls(Box(link="one", kind=NAT, forgets=FORGETS_DROP))
    assert usual == middlebox_rules.SYSCTLS
    assert not middlebox_rules.sysctls(Box(link="one", kind=MSS, number=900))


def test_a_forgotten_connection_is_not_taken_up_and_no_window_is_judged() -> None:
    assert middlebox_rules.SYSCTLS == {
        "net.netfilter.nf_conntrack_tcp_loose": 0,
        "net.netfilter.nf_conntrack_tcp_be_liberal": 1,
    }


@pytest.mark.parametrize(
    ("box", "number", "lines"),
    [
        (
            {"kind": NAT, "forgets": FORGETS_DROP},
            3,
            [
                "type filter hook forward priority 3;",
                "type filter hook input priority 3;",
                "type nat hook postrouting priority 100;",
            ],
        ),
        ({"kind": MSS, "number": 900}, 0, ["type filter hook forward priority 0;"]),
        ({"kind": ICMP, "action": "drop"}, 7, ["type filter hook output priority 7;"]),
    ],
)
def test_rules_are_met_in_the_order_of_boxes(
    box: dict[str, Any], number: int, lines: list[str]
) -> None:
    text = rules(ONE, at=number, **box)["r"]
    for line in lines:
        assert f"    {line}\n" in text


@pytest.mark.parametrize(("action", "mark"), [("ce", "ce"), (BLEACH, "not-ect")])
def test_marks_of_ecn_are_set_where_there_is_one(action: str, mark: str) -> None:
    text = rules(ONE, kind=ECN, action=action)["r"]
    assert f"ip ecn != not-ect counter ip ecn set {mark}\n" in text


def test_a_byte_of_the_payload_is_chosen_by_its_place() -> None:
    """Rules of nft count in bits, pedit's in bytes behind IP's header."""
    for number, bits in ((0, 0), (1, 8), (400, 3200)):
        text = rules(ONE, 2, kind=REWRITE, number=number, direction="up")["r"]
        assert f" @ih,{bits},8 >= 0 counter meta mark set meta mark or 0x4\n" in text
        box = Box(link="one", kind=REWRITE, number=number, direction="up")
        [[line]] = middlebox_rules.edits(box, 2, ONE).values()
        assert (
            f" prio 3 handle 0x4/0x4 fw action pedit ex munge offset {20 + number} u8"
            in line
        )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": MSS, "number": 88}, ""),
        ({"kind": MSS, "number": 87}, "a segment has 88 bytes or more"),
        ({"kind": REWRITE, "number": 0}, ""),
        ({"kind": REWRITE}, "number: needed of rewrite"),
        ({"kind": ECN, "action": "ce", "number": 1}, "number: not of ecn"),
        ({"kind": ECN, "action": "drop"}, "action: not of ecn"),
        ({"kind": DROP, "packets": ALL, "subtype": "dss"}, ""),
        ({"kind": SEQUENCE, "subtype": "dss"}, "subtype: not of sequence"),
        ({"kind": NAT, "forgets": FORGETS_DROP, "timeout_s": 5}, ""),
        ({"kind": SEQUENCE, "timeout_s": 5}, "timeout_s: not of sequence"),
        ({"kind": NAT}, "forgets: needed of nat"),
        ({"kind": SEQUENCE, "forgets": FORGETS_DROP}, "forgets: not of sequence"),
        (
            {"kind": ICMP, "action": "drop", "direction": "up"},
            "direction: icmp acts on both",
        ),
        ({"kind": SEQUENCE, "direction": "down"}, ""),
        ({"kind": SEQUENCE, "action": WITHOUT_SACK}, ""),
        ({"kind": SEQUENCE, "action": "ce"}, "action: not of sequence"),
        ({"kind": MSS, "number": 900, "action": WITHOUT_SACK}, "action: not of mss"),
        ({"kind": "proxy"}, "action: needed of proxy"),
        ({"kind": "proxy", "action": "tcp-quic"}, "action: not of proxy"),
        ({"kind": "proxy", "action": "mptcp-tcp"}, ""),
        (
            {"kind": "proxy", "action": "tcp-tcp", "from_s": 1.0},
            "from_s: a proxy acts in the whole run",
        ),
        ({"kind": SEQUENCE, "from_s": 2.0, "until_s": 2.0}, "until_s: not after"),
        ({"kind": SEQUENCE, "from_s": 2.0, "until_s": 2.1}, ""),
    ],
)
def test_a_box_of_a_job_has_what_its_kind_needs(
    change: dict[str, Any], reason: str
) -> None:
    box = Box(link="one", **change)
    if reason:
        with pytest.raises(ValueError, match=reason):
            box.check()
    else:
        box.check()


def test_icmp_is_dropped_at_both_routers_and_passes_counted() -> None:
    made = rules(TWO, kind=ICMP, action="drop")
    assert [*made] == ["a", "b"]
    for text in made.values():
        assert text.count("icmp type destination-unreachable counter drop\n") == 2
        assert "hook output" in text
        assert "hook forward" in text
    assert "unreachable counter\n" in rules(ONE, kind=ICMP, action="pass")["r"]


def test_a_payload_is_inverted_behind_a_header_of_any_length() -> None:
    box = Box(link="one", kind=REWRITE, number=401, direction="up")
    assert middlebox_rules.edits(box, 2, ONE) == {
        ("r", "r-out"): [
            "filter add dev r-out egress protocol ip prio 3 handle 0x4/0x4 fw"
            " action pedit ex munge offset 421 u8 at 32 f0 2 invert pipe"
            " action csum ip and tcp continue"
        ]
    }
    assert not middlebox_rules.edits(Box(link="one", kind=MSS, number=900), 0, ONE)


@pytest.mark.parametrize(
    "direction, up, down",
    [
        (
            "both",
            "offset 24 u8 add 128 munge offset 28 u8 add 128",
            "offset 24 u8 add 128 munge offset 28 u8 add 128",
        ),
        ("up", "offset 24 u8 add 128", "offset 28 u8 add 128"),
        ("down", "offset 28 u8 add 128", "offset 24 u8 add 128"),
    ],
)
def test_a_shifted_number_is_shifted_back_in_acknowledgements(
    direction: str, up: str, down: str
) -> None:
    box = Box(link="one", kind=SEQUENCE, direction=direction)
    found = middlebox_rules.edits(box, 0, TWO)
    assert f"pedit ex munge {up} pipe" in found["a", "a-out"][0]
    assert f"pedit ex munge {down} pipe" in found["b", "b-in"][0]
    assert [*rules(TWO, kind=SEQUENCE, direction=direction)] == ["a", "b"]


@pytest.mark.parametrize(
    "direction, up, down", [("both", 8, 8), ("up", 0, 8), ("down", 8, 0)]
)
def test_blocks_of_sack_are_shifted_with_acknowledgements(
    direction: str, up: int, down: int
) -> None:
    made = rules(TWO, kind=SEQUENCE, direction=direction)
    assert (made["a"].count("tcp option sack"), made["b"].count("tcp option sack")) == (
        2 * up,
        2 * down,
    )
    edge = "tcp option sack3 right"
    assert (f'oifname "b-in" {edge} set {edge} xor 0x80000000\n' in made["b"]) == (
        down > 0
    )
    left = rules(TWO, kind=SEQUENCE, direction=direction, action=WITHOUT_SACK)
    assert not any("sack" in text for text in left.values())


NETWORK = """\
name: nat
network:
  links: {one: {mtu: 1200}, two: {}}
  users: {client: [one, two]}
middlebox: BOXES
cases: {only: {protocol: mptcp, congestion_control: cubic}}
traffic: [{tool: iperf3, from: client, to: server_client, duration: 5 s}]
"""


TWO_PATH = """\
name: tunnel
topology: two_path
links: {path1: {mtu: 1200}}
cases: {only: {protocol: mptcp, congestion_control: cubic}}
traffic: [{tool: iperf3, from: client, to: server, duration: 5 s}]
"""


def job(boxes: str, network: str = NETWORK) -> Any:
    from mpbench.experiment_files import loads

    (run,) = make_plan(loads(network.replace("BOXES", boxes)), {}).runs
    return run.job


def test_servers_find_the_way_back_to_a_router_with_nat() -> None:
    plain, made = (
        {node.name: node.configuration for node in job(boxes).wiring.nodes}
        for boxes in ("{}", "{one: [{nat: true}]}")
    )
    added = {name: [*set(made[name]) - set(plain[name])] for name in made}
    known = next(line for line in plain["server_client"] if "10.1.1.1 " in line)
    assert added["server_client"] == [known.replace("10.1.1.1", "10.200.1.1")]
    assert [name for name, lines in added.items() if lines] == ["server_client"]


def test_users_do_not_know_the_mtu_of_a_link_with_an_icmp_box() -> None:
    made = job("{one: [{icmp: drop}]}")
    known, unknown = (
        mtus.lines(made.description, made.wiring, made.shapes, links)
        for links in ((), ("one",))
    )
    assert known["client"] == ["link set dev eth1 mtu 1200"]
    assert "client" not in unknown
    assert {*known} - {"client"} == {*unknown}


def test_one_router_tells_the_mtu_of_a_link_in_both_directions() -> None:
    """Its interfaces take what any link carries: a smaller one would drop the packets
    of the other direction without a word."""
    made = job("{one: [{icmp: drop}]}", TWO_PATH)
    known, unknown = (
        mtus.lines(made.description, made.wiring, made.shapes, links)
        for links in ((), ("path1",))
    )
    assert known["client"] == ["link set dev client-eth1 mtu 1200"]
    assert known["r1"] == [
        f"link set dev r1-{end} mtu 1200" for end in ("client", "hub")
    ]
    assert unknown == {
        "r1": [
            "route add 10.0.1.2 dev r1-client mtu 1200",
            "route add 10.1.1.2 dev r1-hub mtu 1200",
            "route replace default via 10.1.1.2 mtu 1200",
        ]
    }


TRANSPARENT = """\
name: transparent
topology: two_path
middlebox: BOXES
hosts: {server: {addresses: {path2: 10.250.0.2}}}
cases: {only: {protocol: mptcp, congestion_control: cubic}}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s}
  - {tool: cbr, from: client, to: server, duration: 5 s, rate: 1 Mbit/s}
  - {tool: curl, from: client, to: server, size: 1 MB, port: 80}
"""


def test_a_router_delivers_to_its_proxy_what_users_send_to_servers() -> None:
    """Packets of its own, and those that come back, pass. Datagrams do, too."""
    made = job("{path1: [proxy: {opens: mptcp}]}", TRANSPARENT)
    found = terminators.lines(made, made.wiring)
    rule = "rule add pref 100 iif r1-client to {} ipproto tcp dport {} table 2000"
    addresses = ("10.2.0.2", "10.250.0.2")
    assert found == {
        "r1": [
            *(f"route add local {to} dev lo table 2000" for to in addresses),
            *(rule.format(to, port) for port in (5201, 80) for to in addresses),
        ]
    }
    one, two = terminators.processes(made, made.wiring)
    assert (one.name, one.host, one.listens) == ("box0-5201", "r1", 5201)
    assert one.argv[-6:] == ("5201", "tcp", "mptcp", "same", "0", "10.1.1.1")
    assert (two.listens, two.lasting) == (80, True)
    box = made.middleboxes[0]
    place = next(p for p in made.wiring.links if p.link == "path1")
    assert middlebox_rules.tables(box, 0, place) == []


def test_a_chain_of_routers_has_its_proxy_before_the_link() -> None:
    made = job("{one: [proxy: {accepts: mptcp}]}")
    (place,) = terminators.places(made, made.wiring)
    assert (place.router, place.accepts, place.opens) == ("one-a", "mptcp", "tcp")
    forward = next(p.forward for p in made.wiring.links if p.link == "one")
    assert forward[0] == "one-a" and forward[1] not in place.interfaces
    plain = job("{}")
    known = [
        line
        for node in made.wiring.nodes
        for line in node.configuration
        if f" {place.source} " in f"{line} " and node.name == "server_client"
    ]
    assert known, "the server knows the way back"
    assert not list(terminators.places(plain, plain.wiring))
