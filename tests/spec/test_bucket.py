"""The depth of a link's token bucket: in files, jobs and the lines for tc."""

from typing import Any

import pytest

from analysis.run import conservation
from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan
from tests.spec.files import text
from topologies.shaping import Shape

IPERF3 = {"tool": "iperf3", "from": "client", "to": "server", "duration": "5 s"}
TCP = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}


def jobs(links: dict[str, Any], **more: Any) -> list[Any]:
    found = {"traffic": [IPERF3], "cases": {"only": TCP}, "links": links, **more}
    plan = make_plan(loads(text(**{"design": None, **found})), {})
    return [run.job for run in plan.runs]


def job(links: dict[str, Any], **more: Any) -> Any:
    (one,) = jobs(links, **more)
    return one


def test_the_usual_depth_changes_nothing() -> None:
    assert dump(job({"path1": {"bucket": 2}})) == dump(job({}))
    assert all("bucket_packets" not in link for link in dump(job({}))["links"])


@pytest.mark.parametrize(
    "given, packets", [(1, 1), (40, 40), ("40 packets", 40), ("64 KiB", 43)]
)
def test_it_is_in_the_job(given: object, packets: int) -> None:
    made = job({"path1": {"bucket": given}})
    path1, path2 = made.links
    assert (path1.bucket_packets, path2.bucket_packets) == (packets, 2)
    assert job_format.load(dump(made)) == made


def test_directions_may_differ() -> None:
    (link, _) = job({"path1": {"bucket": {"up": 5, "down": 9}}}).links
    assert (link.bucket_packets, link.down.bucket_packets) == (5, 9)


def test_tc_gets_its_bytes() -> None:
    (_, tbf) = Shape(10.0, 5.0, 10, bucket_packets=40).tc_commands("eth0")
    assert "burst 60560 limit 15140" in tbf


def test_a_design_varies_it() -> None:
    made = jobs({}, design={"factors": {"path1.bucket": [1, 10]}, "method": "grid"})
    assert [one.links[0].bucket_packets for one in made] == [1, 10]


@pytest.mark.parametrize(
    "bucket, more, reason",
    [
        (
            0,
            {},
            "0 is not within 1 to 10000 full packets of 1514 bytes; write e.g. bucket",
        ),
        (2.5, {}, "2.5 is not within 1 to 10000 full packets"),
        ("1 kB", {}, "1 kB holds no full packet, which has 1514 bytes; give more"),
        ("5 ms", {}, "5 ms"),
        (
            4,
            {"fabric": True},
            "all links of a fabric have one; write fabric: {burst: 4}",
        ),
        (4, {"topology": "minitopo"}, "links of Mininet's have drop tail only"),
        (
            10000,
            {"parameters": {"path1.capacity": "0.5 Mbit/s"}},
            "links.path1.bucket: takes 242 s to fill; 200 s at most",
        ),
    ],
)
def test_what_a_link_cannot_have_is_refused(
    bucket: object, more: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UserError) as error:
        job({"path1": {"bucket": bucket}}, **more)
    assert reason in str(error.value)


def test_cake_has_none() -> None:
    links = {"path1": {"bucket": 4, "discipline": "cake"}}
    with pytest.raises(UserError, match="bucket: cake has no token bucket"):
        job(links)


class Run:
    """As much of a run as the bytes of buckets need."""

    def __init__(self, one: Any) -> None:
        self.job = one


def test_the_law_of_conservation_knows_the_bucket() -> None:
    made = job({"path1": {"bucket": {"up": 100, "down": 1}}})
    link = made.links[0]
    known = [
        conservation._burst_bytes(Run(made), link.direction(forward))  # type: ignore[arg-type]
        for forward in (True, False)
    ]
    assert known == [(12 + 98) * 1514, 12 * 1514]


@pytest.mark.parametrize(
    ("capacity", "given", "packets"),
    [
        ("10 Gbit/s", {}, 2),
        ("12.1 Gbit/s", {}, 2),
        ("12.2 Gbit/s", {}, 3),
        ("40 Gbit/s", {}, 7),
        ("100 Gbit/s", {}, 17),
        ("40 Gbit/s", {"bucket": 2}, 2),
        ("40 Gbit/s", {"mtu": 9000}, 2),
        ("40 Gbit/s", {"discipline": "cake"}, 2),
    ],
)
def test_a_fast_link_holds_what_it_sends_in_two_microseconds(
    capacity: str, given: dict[str, Any], packets: int
) -> None:
    """A link of 40 Gbit/s sends 35 with two packets: timers are some 100 ns late."""
    links = {"path1": given} if given else {}
    path1, path2 = job(links, parameters={"path1.capacity": capacity}).links
    assert (path1.bucket_packets, path2.bucket_packets) == (packets, 2)
