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
    Box,
)
from mpbench.guest import middlebox_rules
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
            "ip protocol tcp @ih,0,8 >= 0 tcp option mptcp subtype 2 counter"
            " reset tcp option mptcp",
        ),
        (
            {"kind": DROP, "packets": "synack", "subtype": "mp_join"},
            "tcp flags & (syn | ack) == syn | ack tcp option mptcp subtype 1"
            " counter drop",
        ),
        (
            {"kind": GARBLE, "packets": "ack", "subtype": "mp_join"},
            "tcp flags & (syn | ack) == ack tcp option mptcp subtype 1"
            " tcp option mptcp length >= 8 counter"
            " tcp option @30,32,32 set 0xa5a5a5a5",
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
    assert ("ct state new counter drop" in made["a"]) == (kind == FIREWALL)


def test_a_timeout_holds_at_the_router_with_the_state() -> None:
    box = Box(link="one", kind=NAT, forgets=FORGETS_DROP, timeout_s=10)
    values = middlebox_rules.sysctls(box)
    assert values["net.netfilter.nf_conntrack_tcp_timeout_established"] == 10
    assert values["net.netfilter.nf_conntrack_tcp_loose"] == 0
    usual = middlebox_rules.sysctls(Box(link="one", kind=NAT, forgets=FORGETS_DROP))
    assert usual == middlebox_rules.SYSCTLS
    assert not middlebox_rules.sysctls(Box(link="one", kind=MSS, number=900))


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
            "offset 24 u8 add 16 munge offset 28 u8 add 240",
            "offset 24 u8 add 16 munge offset 28 u8 add 240",
        ),
        ("up", "offset 24 u8 add 16", "offset 28 u8 add 240"),
        ("down", "offset 28 u8 add 240", "offset 24 u8 add 16"),
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


NETWORK = """\
name: nat
network:
  links: {one: {mtu: 1200}, two: {}}
  users: {client: [one, two]}
middlebox: BOXES
cases: {only: {protocol: mptcp, congestion_control: cubic}}
traffic: [{tool: iperf3, from: client, to: server_client, duration: 5 s}]
"""


def job(boxes: str) -> Any:
    from mpbench.experiment_files import loads

    (run,) = make_plan(loads(NETWORK.replace("BOXES", boxes)), {}).runs
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
