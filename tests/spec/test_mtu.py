"""The mtu of links: in files, jobs and the lines for tc and ip."""

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


def job(links: dict[str, Any], **more: Any) -> Any:
    found = {"traffic": [IPERF3], "cases": {"only": TCP}, "links": links, **more}
    (run,) = make_plan(loads(text(design=None, **found)), {}).runs
    return run.job


def test_the_usual_mtu_changes_nothing() -> None:
    assert dump(job({"path1": {"mtu": 1500}})) == dump(job({}))
    assert all("mtu_bytes" not in link for link in dump(job({}))["links"])


def test_it_is_in_the_job_and_sizes_queues_by_time() -> None:
    """100 ms of 10 Mbit/s are 125,000 bytes: 83 packets of 1500, or 13 of 9000."""
    made = job({"path1": {"mtu": "9 kB"}})
    path1, path2 = made.links
    assert (path1.mtu_bytes, path2.mtu_bytes) == (9000, 1500)
    assert (path1.queue_packets, path2.queue_packets) == (13, 83)
    known = job({"path1": {"mtu": 576}}, parameters={"path1.queue": 50})
    assert known.links[0].queue_packets == 50
    assert job_format.load(dump(made)) == made


@pytest.mark.parametrize("mtu, burst, limit", [(9000, 18028, 90140), (576, 1180, 5900)])
def test_burst_and_queue_follow_it(mtu: int, burst: int, limit: int) -> None:
    (_, tbf) = Shape(10.0, 5.0, 10, mtu_bytes=mtu).tc_commands("eth0")
    assert f"burst {burst} limit {limit}" in tbf


def test_interfaces_have_that_of_their_link_or_the_largest() -> None:
    made = job({"path1": {"mtu": 9000}, "path2": {"mtu": 1400}})
    found = mtus.lines(made.description, made.wiring, made.shapes)
    assert found["client"] == [
        "link set dev client-eth1 mtu 9000",
        "link set dev client-eth2 mtu 1400",
    ]
    assert found["server"] == ["link set dev server-eth1 mtu 9000"]
    assert set(found["r2"]) == {
        "link set dev r2-client mtu 1400",
        "link set dev r2-hub mtu 1400",
    }
    usual = job({})
    assert mtus.lines(usual.description, usual.wiring, usual.shapes) == {}


@pytest.mark.parametrize(
    "mtu, more, reason",
    [
        (575, {}, "575 is not within 576 to 9216 bytes; write e.g. mtu: 1400"),
        (9217, {}, "9217 is not within 576 to 9216 bytes; write e.g. mtu: 1400"),
        ({"up": 1400}, {}, "both directions have the same; write e.g. mtu: 1400"),
        (1400, {"fabric": True}, "a link of the fabric has no mtu; take mtu away"),
        (1400, {"topology": "minitopo"}, "links of Mininet's have drop tail only"),
    ],
)
def test_what_a_link_cannot_have_is_refused(
    mtu: object, more: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UserError) as error:
        job({"path1": {"mtu": mtu}}, **more)
    assert reason in str(error.value)


def test_a_users_interface_has_the_least_of_its_path() -> None:
    """A path of two links, of which the second one carries less."""
    links = {
        "lan": {"capacity": "100 Mbit/s", "mtu": 9000},
        "dsl": {"capacity": "16 Mbit/s", "mtu": 1492},
    }
    users = {"client": {"paths": ["lan dsl"], "to": "server"}}
    network = {"links": links, "users": users}
    made = job({}, topology=None, network=network)
    found = mtus.lines(made.description, made.wiring, made.shapes)
    assert found["client"] == ["link set dev eth1 mtu 1492"]
    unknown = mtus.lines(made.description, made.wiring, made.shapes, {"dsl"})
    assert unknown["client"] == ["link set dev eth1 mtu 9000"]
    neither = mtus.lines(made.description, made.wiring, made.shapes, {"lan", "dsl"})
    assert "client" not in neither
