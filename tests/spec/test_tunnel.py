"""Tunnels over links: in files, jobs, mtus of interfaces and the lines for tc."""

from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan
from tests.spec.files import text
from topologies import mtus
from topologies.shaping import Shape

IPERF3 = {"tool": "iperf3", "from": "client", "to": "server", "duration": "5 s"}
TCP = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}


def jobs(path1: dict[str, Any], **more: Any) -> list[Any]:
    found = {"traffic": [IPERF3], "cases": {"only": TCP}, "links": {"path1": path1}}
    plan = make_plan(loads(text(**{"design": None, **found, **more})), {})
    return [run.job for run in plan.runs]


def test_no_overhead_is_no_tunnel() -> None:
    ((plain,), (none,)) = jobs({}), jobs({"tunnel": 0})
    assert dump(none) == dump(plain)
    assert all("overhead_bytes" not in link for link in dump(plain)["links"])


@pytest.mark.parametrize(
    "given, overhead, mtu, at_host",
    [
        (60, 60, 1440, False),
        ("60 bytes", 60, 1440, False),
        ("wireguard", 60, 1440, False),
        ("gre", 24, 1476, False),
        ({"overhead": "pppoe", "at": "host"}, 8, 1492, True),
        ({"overhead": 36}, 36, 1464, False),
        (500, 500, 1000, False),
    ],
)
def test_packets_inside_are_smaller(
    given: object, overhead: int, mtu: int, at_host: bool
) -> None:
    (made,) = jobs({"tunnel": given})
    path1, path2 = made.links
    assert (path1.overhead_bytes, path1.mtu_bytes) == (overhead, mtu)
    assert (path1.tunnel_at_host, path1.hides_mtu) == (at_host, not at_host)
    assert path1.frame_bytes == 1514
    assert (path2.overhead_bytes, path2.mtu_bytes) == (0, 1500)
    assert job_format.load(dump(made)) == made


def test_the_mtu_of_the_link_is_that_outside() -> None:
    (made,) = jobs({"tunnel": 60, "mtu": 1560})
    assert (made.links[0].mtu_bytes, made.links[0].frame_bytes) == (1500, 1574)


def test_tc_counts_the_overhead_at_the_root() -> None:
    shape = Shape(10.0, 5.0, 10, mtu_bytes=1440, overhead_bytes=60)
    netem, tbf = shape.tc_commands("eth0")
    assert " root handle 1: stab overhead 60 linklayer ethernet netem " in netem
    assert "stab" not in tbf and "burst 3028 limit 15140" in tbf


def interface_mtus(tunnel: object) -> dict[str, list[str]]:
    (made,) = jobs({"tunnel": tunnel})
    unknown = {link.name for link in made.links if link.hides_mtu}
    return mtus.lines(made.description, made.wiring, made.shapes, unknown)


def test_a_router_tells_of_the_mtu_inside() -> None:
    lines = interface_mtus("wireguard")
    assert "client" not in lines
    assert lines["r1"] and all(line.endswith(" mtu 1440") for line in lines["r1"])


def test_a_host_with_the_tunnel_knows_the_mtu() -> None:
    lines = interface_mtus({"overhead": "wireguard", "at": "host"})
    assert lines["client"] == ["link set dev client-eth1 mtu 1440"]


def test_a_design_varies_it() -> None:
    design = {"factors": {"path1.tunnel": [0, 60]}, "method": "grid"}
    made = jobs({}, design=design)
    assert [one.links[0].overhead_bytes for one in made] == [0, 60]
    assert [one.links[0].mtu_bytes for one in made] == [1500, 1440]


@pytest.mark.parametrize(
    "path1, more, reason",
    [
        ({"tunnel": "wiregard"}, {}, "no tunnel 'wiregard' is known; did you mean"),
        ({"tunnel": 501}, {}, "501 is not 0 to 500 whole bytes; write e.g. tunnel:"),
        ({"tunnel": -1}, {}, "-1 is not 0 to 500"),
        ({"tunnel": "1.5 bytes"}, {}, "1.5 bytes is not 0 to 500"),
        ({"tunnel": "5 ms"}, {}, "5 ms"),
        ({"tunnel": {"at": "host"}}, {}, "needs 'overhead'; write e.g."),
        ({"tunnel": {"overhead": 8, "at": "hub"}}, {}, "hub is neither router nor"),
        ({"tunnel": {"overhed": 8}}, {}, "unknown key; did you mean 'overhead'?"),
        (
            {"tunnel": 60, "mtu": 600},
            {},
            "links.path1.tunnel: packets inside have 540 bytes; at least 576",
        ),
        ({"tunnel": 60}, {"fabric": True}, "a link of the fabric has no tunnel"),
        ({"tunnel": 60}, {"topology": "minitopo"}, "links of Mininet's have drop"),
        ({"tunnel": 60, "discipline": "red"}, {}, "take codel, or take 'tunnel' away"),
    ],
)
def test_what_a_link_cannot_have_is_refused(
    path1: dict[str, Any], more: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UserError) as error:
        jobs(path1, **more)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_a_job_has_one_tunnel_for_both_directions() -> None:
    (made,) = jobs({"tunnel": 60, "bucket": {"up": 3}})
    document = dump(made)
    document["links"][0]["down"]["overhead_bytes"] = 20
    with pytest.raises(ValueError, match="overhead_bytes: both directions"):
        job_format.load(document)
