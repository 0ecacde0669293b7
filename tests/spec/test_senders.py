"""Links on the interface of the host that sends: files, jobs, wirings and tc."""

from dataclasses import replace
from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan
from tests.spec.files import text
from topologies.impairments import Impairments
from topologies.shaping import Shape

TCP = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}
LINKS: dict[str, dict[str, Any]] = {
    "wifi": {"capacity": "10 Mbit/s", "delay": "20 ms", "queue": 60, "jitter": "0 ms"},
    "core": {"delay": "5 ms"},
}


def job(links: dict[str, Any], path: str = "wifi", **more: Any) -> Any:
    entry = {"tool": "iperf3", "from": "host", "to": "server", "duration": "5 s"}
    every = {name: {**LINKS[name], **links.get(name, {})} for name in path.split()}
    found = {
        "design": None,
        "topology": None,
        "network": {
            "links": every,
            "users": {"host": {"paths": [path], "to": "server"}},
        },
        "traffic": [entry],
        "cases": {"only": TCP},
        **more,
    }
    (run,) = make_plan(loads(text(**found)), {}).runs
    return run.job


def ends(made: Any) -> dict[str, Shape | None]:
    return {
        f"{end.node} {end.interface}": end.shape
        for wire in made.wiring.wires
        for end in (wire.one, wire.two)
        if end.shape is not None
    }


def test_a_router_is_the_usual_shaper() -> None:
    assert dump(job({"wifi": {"shaper": "router"}})) == dump(job({}))
    assert "at_sender" not in str(dump(job({})))


def test_the_queue_of_what_users_send_moves_to_their_host() -> None:
    made = job({"wifi": {"shaper": {"up": "sender"}}})
    (place,) = made.wiring.links
    assert place.forward[0] == "host" and place.backward[0] == "wifi-b"
    assert [key.split()[0] for key in ends(made)] == ["host", "wifi-b"]
    assert job_format.load(dump(made)) == made


def test_both_directions_move() -> None:
    made = job({"wifi": {"shaper": "sender"}})
    (place,) = made.wiring.links
    assert (place.forward[0], place.backward[0]) == ("host", "server")
    assert sorted(key.split()[0] for key in ends(made)) == ["host", "server"]


def test_only_the_first_link_of_a_path_is_on_the_users_host() -> None:
    made = job({"wifi": {"shaper": {"up": "sender"}}}, "wifi core")
    assert made.wiring.links[0].forward[0] == "host"
    with pytest.raises(UserError) as error:
        job({"wifi": {"shaper": {"up": "sender"}}}, "core wifi")
    assert str(error.value).endswith(
        "network.links.wifi.shaper: no user has an interface for this link alone; take"
        " a link at the user's end, or write {down: sender}"
    )


def test_one_netem_has_all_of_a_link() -> None:
    shape = Shape(10.0, 20.0, 60, 1.0, 2.0, at_sender=True)
    assert shape.tc_commands("eth1") == [
        "qdisc add dev eth1 root handle 3: netem limit 60 delay 20000.000us 2000.000us"
        " loss 1% rate 10000000bit"
    ]


@pytest.mark.parametrize(
    "alone",
    [
        {"delay_ms": 1.0},
        {"jitter_ms": 1.0},
        {"loss_percent": 1.0},
        {"impairments": Impairments(duplication_percent=1.0)},
    ],
)
def test_each_trait_by_itself_needs_the_netem(alone: dict[str, Any]) -> None:
    plain = Shape(10.0, 0.0, 60, at_sender=True)
    assert not plain.one_netem and replace(plain, **alone).one_netem
    assert not replace(plain, **alone, at_sender=False).one_netem


def test_a_queue_without_a_delay_has_no_netem() -> None:
    assert Shape(10.0, 0.0, 60, at_sender=True).tc_commands("eth1") == [
        "qdisc add dev eth1 root handle 10: tbf rate 10000000bit burst 3028 limit 90840"
    ]


@pytest.mark.parametrize(
    "wifi, more, reason",
    [
        ({"shaper": "hub"}, {}, "hub is neither router nor sender"),
        ({"shaper": "sender", "discipline": "codel"}, {}, "no codel; give the delay"),
        ({"shaper": "sender", "bucket": 9}, {}, "a netem has no token bucket"),
        (
            {"shaper": "sender", "reordering": {"share": "1 %", "by": "5 ms"}},
            {},
            "reordering 'by' needs two netems; take 'by' away",
        ),
        ({"shaper": "sender"}, {"fabric": True}, "the fabric has no shaper"),
        (
            {"shaper": {"up": "sender"}},
            {"changes": {"wifi": {"at": {"1 s": {"capacity": "1 Mbit/s"}}}}},
            "changes.wifi: wifi: its sender's netem gives packets their times",
        ),
        (
            {"shaper": {"up": "sender"}},
            {"changes": {"wifi": {"at": {"1 s": {"delay": "0 ms"}}}}},
            "the delay of a sender's netem changes beside a capacity and above 0 only",
        ),
        (
            {"shaper": {"up": "sender"}, "delay": "0 ms"},
            {"changes": {"wifi": {"at": {"1 s": {"loss": "1 %"}}}}},
            "its sender has a queue without a netem, whose loss stays 0",
        ),
        (
            {"shaper": {"up": "sender"}},
            {"middlebox": {"wifi": [{"strip": "syn"}]}},
            "middlebox.wifi: a host shapes this link, and no router",
        ),
    ],
)
def test_what_a_sender_cannot_have_is_refused(
    wifi: dict[str, Any], more: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UserError) as error:
        job({"wifi": wifi}, **more)
    assert reason in str(error.value)
    assert "\n" not in str(error.value)


def test_losses_and_delays_of_a_sender_may_change() -> None:
    changes = {"wifi": {"at": {"1 s": {"loss": "100 %", "delay": "40 ms"}}}}
    assert job({"wifi": {"shaper": {"up": "sender"}}}, changes=changes).changes
    changes = {"wifi": {"at": {"1 s": {"capacity": "1 Mbit/s"}}}}
    wifi = {"shaper": {"up": "sender"}, "delay": "0 ms"}
    assert job({"wifi": wifi}, changes=changes).changes


def test_two_path_has_no_interface_of_the_server_per_path() -> None:
    entry = {"tool": "iperf3", "from": "client", "to": "server", "duration": "5 s"}
    found = {"design": None, "traffic": [entry], "cases": {"only": TCP}}
    file = text(**found, links={"path1": {"shaper": "sender"}})
    with pytest.raises(UserError, match=r"links.path1.shaper: no server has an inter"):
        make_plan(loads(file), {})


@pytest.mark.parametrize("key", ["middleboxes", "changes"])
def test_a_strangers_job_is_checked_too(key: str) -> None:
    document = dump(job({"wifi": {"shaper": {"up": "sender"}}}))
    step = {"link": "wifi", "direction": "up", "quantity": "capacity_mbps"}
    box = {"link": "wifi", "kind": "icmp", "action": "drop"}
    parts = {
        "middleboxes": box,
        "changes": {**step, "at_s": [1.0], "values": [1.0], "period_s": None},
    }
    document[key] = [parts[key]]
    with pytest.raises(ValueError, match="sender"):
        job_format.load(document)
