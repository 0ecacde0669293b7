"""Shapes of links: every number of the lines for tc, each way, at its bounds."""

import math
from dataclasses import replace
from typing import Any

import pytest

from jobs.links import Link, of_shapes
from jobs.reading import Fault, read
from topologies import fabric, impairments, reshaping, shaping
from topologies.impairments import BurstLoss, Impairments, Reordering
from topologies.parameters import traits, unusual
from topologies.queues import Discipline
from topologies.queues import from_json as discipline
from topologies.shaping import Shape, link_shape, ordering_rate_mbps, queue_packets

LINE = "qdisc add dev e root handle 1: netem limit 1000000"
BEHIND = "qdisc add dev e parent 1:1 handle 10: tbf"


def test_a_link_is_a_delay_line_and_a_bottleneck() -> None:
    shape = Shape(10, 5, queue_packets=7, loss_percent=0.3, jitter_ms=0.4)
    assert shape.tc_commands("e") == [
        f"{LINE} delay 5000.000us 400.000us rate 10000mbit loss 0.3%",
        f"{BEHIND} rate 10000000bit burst 3028 limit 10598",
    ]
    assert Shape(0.5, 0, 10).tc_commands("e") == [
        f"{LINE} delay 0.000us",
        f"{BEHIND} rate 500000bit burst 3028 limit 15140",
    ]
    delay_alone = Shape(None, 0.001)
    assert delay_alone.tc_commands("e") == [f"{LINE} delay 1.000us"]
    assert delay_alone == Shape(None, 0.001, queue_packets=0, loss_percent=0.0)


def test_a_tclink_is_one_queue_behind_a_token_bucket() -> None:
    shape = Shape(8, 5, 30, loss_percent=1, jitter_ms=0.2, tclink=True)
    assert shape.tc_commands("e") == [
        "qdisc add dev e root handle 5: htb default 1",
        "class add dev e parent 5: classid 5:1 htb rate 8000000bit"
        " burst 15k cburst 1600",
        "qdisc add dev e parent 5:1 handle 10: netem limit 30"
        " delay 5000.000us 200.000us rate 10000mbit loss 1%",
    ]


def test_a_discipline_stands_behind_the_rate_and_cake_in_its_place() -> None:
    codel = {"name": "codel", "target_ms": 5.0, "interval_ms": 100.0, "ecn": False}
    shape = Shape(8, 5, 30, discipline=discipline(codel))
    assert shape.tc_commands("e")[1:] == [
        f"{BEHIND} rate 8000000bit burst 3028 limit 45420",
        "qdisc add dev e parent 10:1 handle 20: codel limit 30 target 5000.000us"
        " interval 100000.000us noecn",
    ]
    cake = {"name": "cake", "rtt_ms": 20.0, "isolation": "flows", "memory_bytes": None}
    cake |= {"priorities": "besteffort", "ack_filter": False}
    assert Shape(8, 5, 30, discipline=discipline(cake)).tc_commands("e")[1:] == [
        "qdisc add dev e parent 1:1 handle 10: cake bandwidth 8000000bit"
        " rtt 20000.000us flows besteffort no-ack-filter"
    ]


@pytest.mark.parametrize(
    ("by_ms", "lines"),
    [
        (None, ["delay 9000.000us reorder 2%"]),
        (9.0, ["delay 9000.000us reorder 2%"]),
        (4.0, ["delay 4000.000us reorder 2%", "delay 5000.000us"]),
    ],
)
def test_packets_that_overtake_by_less_pass_a_first_delay_line(
    by_ms: float | None, lines: list[str]
) -> None:
    order = Impairments(reordering=Reordering(2, by_ms=by_ms))
    found = Shape(8, 9, 30, impairments=order).tc_commands("e")
    places = [LINE, "qdisc add dev e parent 1:1 handle 2: netem limit 1000000"]
    assert found[:-1] == [f"{at} {what}" for at, what in zip(places, lines)]  # noqa: B905
    parent = "parent 1:1" if len(lines) == 1 else "parent 2:1"
    assert f" {parent} handle 10: tbf " in found[-1]


def test_the_rate_that_keeps_order_is_never_below_the_capacity() -> None:
    found = [ordering_rate_mbps(m) for m in (None, 1, 9999.9, 10_000)]
    assert found == [10_000] * 4
    assert ordering_rate_mbps(10_000.1) == 100_001
    assert ordering_rate_mbps(25_000) == 250_000


def test_a_queue_drains_within_the_queueing_delay() -> None:
    """Equation 3.2 of the thesis: 12 Mbit/s send a packet of 1500 bytes per ms."""
    assert queue_packets(50, 12) == 50
    assert queue_packets(50.999, 12) == 50
    assert [queue_packets(ms, 12) for ms in (0, 9, 10, 10.999, 11)] == [10] * 4 + [11]


def test_a_packet_time_is_that_of_a_whole_frame() -> None:
    assert shaping.packet_time_ms(1) == 12.112
    assert shaping.packet_time_ms(3) == 4.037333
    assert shaping.packet_time_ms(100_000) == 0.000121


def parameters(**values: float | None) -> dict[str, float | None]:
    given = {"capacity_mbps": 12.0, "delay_ms": 5.0, "queueing_delay_ms": 40.0}
    return {f"l.{key}": value for key, value in {**given, **values}.items()}


def test_each_way_of_a_link_has_its_own_numbers() -> None:
    down = {"down_capacity_mbps": 24.0, "down_delay_ms": 7.0, "down_loss_percent": 2.0}
    more = {"loss_percent": 1.0, "jitter_ms": 0.5, "down_queue_packets": None}
    shape = link_shape(parameters(**down, **more), "l")
    assert shape == Shape(12.0, 5.0, 40, 1.0, 0.5, down=Shape(24.0, 7.0, 80, 2.0, 0.5))
    same = link_shape(parameters(down_delay_ms=None), "l")
    assert same.down == Shape(12.0, 5.0, 40)
    assert link_shape(parameters(), "l") == Shape(12.0, 5.0, 40)
    assert link_shape({"l.delay_ms": 3.0}, "l") == Shape(None, 3.0)
    assert link_shape({"l.delay_ms": 3.0, "l.down_delay_ms": 4.0}, "l") == Shape(
        None, 3.0, down=Shape(None, 4.0)
    )


@pytest.mark.parametrize(
    ("up", "down", "packets"),
    [
        # A queue in packets holds both ways, and each way can have another.
        ({"queue_packets": 33.0}, {}, (33, 33)),
        ({"queue_packets": 33.0}, {"down_queue_packets": 11.0}, (33, 11)),
        ({"queue_packets": None}, {"down_queue_packets": 11.0}, (40, 11)),
        # A time towards users replaces the packets of the other way, at 24 Mbit/s.
        ({"queue_packets": 33.0}, {"down_queueing_delay_ms": 20.0}, (33, 40)),
        ({}, {"down_queueing_delay_ms": 20.0}, (40, 40)),
        ({}, {"down_queueing_delay_ms": 30.0}, (40, 60)),
        # But not packets that are given towards users too.
        (
            {"queue_packets": 33.0},
            {"down_queueing_delay_ms": 20.0, "down_queue_packets": 11.0},
            (33, 11),
        ),
    ],
)
def test_packets_and_times_of_queues_towards_users(
    up: dict[str, Any], down: dict[str, Any], packets: tuple[int, int]
) -> None:
    own = {"down_capacity_mbps": 24.0, "down_delay_ms": 5.0, **down}
    shape = link_shape(parameters(**up, **own), "l")
    assert shape.down is not None
    assert (shape.queue_packets, shape.down.queue_packets) == packets


def test_the_default_jitter_is_one_packet_time_of_each_way_or_the_delay() -> None:
    own = {"jitter_ms": None, "down_capacity_mbps": 24.0, "down_delay_ms": 0.3}
    shape = link_shape(parameters(**own), "l")
    assert shape.jitter_ms == shaping.packet_time_ms(12) == 1.009333
    assert shape.down is not None and shape.down.jitter_ms == 0.3


def test_a_shape_comes_back_from_a_job() -> None:
    codel = {"name": "codel", "target_ms": 5.0, "interval_ms": 100.0, "ecn": False}
    shape = Shape(
        12.0,
        5.0,
        40,
        0.0,
        0.5,
        discipline=discipline(codel),
        impairments=Impairments(BurstLoss(1, 2), Reordering(3, 4, 5), 6, 7),
        down=Shape(24.0, 7.0, 80),
    )
    (link,) = of_shapes({"l": shape})
    job = link.to_json()
    assert job.keys() >= {"name", "discipline", "impairments", "down"}
    assert read(Link, job) == link
    plain = shaping.plain(Shape(12.0, 5.0))
    assert not plain.keys() & {"discipline", "impairments", "down"}
    assert read(Link, {"name": "l", **plain}) == Link.of("l", Shape(12.0, 5.0))


@pytest.mark.parametrize(
    ("mtu_bytes", "taken"),
    [(575, False), (576, True), (1499, True), (9216, True), (9217, False)],
)
def test_packets_of_a_link_are_between_576_and_9216_bytes(
    mtu_bytes: int, taken: bool
) -> None:
    """The least that every host of IPv4 takes, and usual jumbo frames."""
    link = Link.of("l", Shape(12.0, 5.0, mtu_bytes=mtu_bytes))
    if taken:
        assert read(Link, link.to_json()) == link
    else:
        with pytest.raises(Fault, match="mtu_bytes"):
            read(Link, link.to_json())


def test_the_fabric_has_the_bursts_of_the_routers() -> None:
    """Two full packets, in either kind of network."""
    line = Shape(10, 5, 7).tc_commands("e")[1]
    assert f" burst {shaping.BURST_BYTES} " in line
    assert (shaping.BURST_BYTES, fabric.BURST_PACKETS) == (3028, 2)


def test_impairments_as_netem_has_them() -> None:
    every = Impairments(BurstLoss(1, 20, 90, 0.5), None, 2, 3)
    assert impairments.options(every) == (
        " loss gemodel 1% 20% 90% 0.5% duplicate 2% corrupt 3%"
    )
    assert impairments.options(Impairments()) == ""
    assert impairments.reorder_option(Reordering(5, 25)) == " reorder 5% 25%"
    assert BurstLoss(1, 19).share_percent == 5
    assert BurstLoss(1, 19, 50, 10).share_percent == 12
    assert BurstLoss(25, 75).share_percent == 25
    assert every.to_json() == {
        "burst_loss": {
            "enter_percent": 1,
            "leave_percent": 20,
            "bad_percent": 90,
            "good_percent": 0.5,
        },
        "duplication_percent": 2,
        "corruption_percent": 3,
    }


@pytest.mark.parametrize(
    ("more", "numbers", "fault"),
    [
        (Impairments(BurstLoss(1, 2)), (5, 0, 0.1), "burst_loss works beside no loss"),
        (Impairments(BurstLoss(1, 2)), (5, 0, 0), ""),
        (Impairments(reordering=Reordering(1)), (0, 0, 0), "needs a delay"),
        (Impairments(reordering=Reordering(1)), (5, 0, 1), ""),
        (Impairments(reordering=Reordering(1, by_ms=4)), (5, 1, 0), ""),
        (Impairments(reordering=Reordering(1, by_ms=4)), (5, 1.1, 0), "jitter, 3.9 ms"),
        (Impairments(reordering=Reordering(1, by_ms=5)), (5, 1, 0), ""),
        (Impairments(None, Reordering(1, by_ms=4), 2), (5, 0, 0), "exclude one"),
        (Impairments(None, Reordering(1, by_ms=5), 2), (5, 0, 0), ""),
        (Impairments(None, Reordering(1), 2), (5, 0, 0), ""),
    ],
)
def test_impairments_that_cannot_be(
    more: Impairments, numbers: tuple[float, float, float], fault: str
) -> None:
    found = impairments.fault(more, *numbers)
    assert fault in found and bool(fault) == bool(found)


def test_a_link_that_changes_keeps_packets_in_order() -> None:
    shape, later = Shape(10, 5, 7), Shape(10, 6, 7)
    before = reshaping.lines(shape, "e", ordered=True)
    assert before[0] == f"{LINE} delay 5000.000us rate 10000mbit"
    assert before[1] == shape.tc_commands("e")[1]
    assert reshaping.lines(shape, "e", ordered=False) == shape.tc_commands("e")
    after = reshaping.lines(later, "e", ordered=True)
    changed = LINE.replace("qdisc add", "qdisc change")
    wanted = [f"{changed} delay 6000.000us rate 10000mbit"]
    assert reshaping.changed(before, after) == wanted
    assert reshaping.changed(before, before) == []
    jittery = Shape(20_000, 5, 7, jitter_ms=1)
    (line, _) = reshaping.lines(jittery, "e", ordered=True)
    assert line.count(" rate ") == 1 and line.endswith(" rate 200000mbit")
    assert math.isclose(reshaping.OUT_MBPS * 1e6, 8)


def test_a_bucket_holds_1_to_10000_packets_and_fills_within_200_s() -> None:
    bucket = traits(Shape)["bucket_packets"]
    assert (bucket.low, bucket.high) == (1, 10_000)
    # 10,000 packets of 1514 bytes at 0.6056 Mbit/s are 200 s to the last bit.
    deep = Shape(0.6056, 5.0, 10, bucket_packets=10_000)
    assert bucket.fault(deep) == ""
    slower = replace(deep, capacity_mbps=0.605)
    assert bucket.fault(slower) == "takes 200 s to fill; 200 s at most"
    small_packets = replace(deep, capacity_mbps=0.25, mtu_bytes=576)
    assert bucket.fault(small_packets) == ""


@pytest.mark.parametrize("field", ["duplication_percent", "corruption_percent"])
@pytest.mark.parametrize(
    ("percent", "taken"),
    [(-0.1, False), (0.0, True), (0.1, True), (100.0, True), (100.1, False)],
)
def test_a_share_of_packets_is_0_to_100_percent(
    field: str, percent: float, taken: bool
) -> None:
    if taken:
        assert getattr(read(Impairments, {field: percent}), field) == percent
    else:
        with pytest.raises(Fault, match=field):
            read(Impairments, {field: percent})


def test_every_queue_but_that_of_cake_stands_behind_a_bucket() -> None:
    fault = traits(Shape)["bucket_packets"].fault
    plain = Shape(10.0, 5.0, 10, bucket_packets=4)
    assert fault(replace(plain, discipline=Discipline("codel", ()))) == ""
    cake = replace(plain, discipline=Discipline("cake", ()))
    assert fault(cake) == "cake has no token bucket"


def test_messages_have_an_example_of_each_whole_trait() -> None:
    found = {each.key: each.example for each in traits(Shape).values()}
    assert found == {"mtu": 1400, "bucket": 10}


def test_what_is_unusual_is_named_with_its_field() -> None:
    assert not list(unusual(Shape(10.0, 5.0, 10)))
    found = dict(unusual(Shape(10.0, 5.0, 10, mtu_bytes=1400, bucket_packets=3)))
    assert {name: each.key for name, each in found.items()} == {
        "mtu_bytes": "mtu",
        "bucket_packets": "bucket",
    }


def test_a_delay_line_of_a_fast_link_has_ten_times_its_rate() -> None:
    assert ordering_rate_mbps(10_000.5) == 100_005
    assert ordering_rate_mbps(20_000) == 200_000


def test_packets_that_leave_after_the_whole_delay_need_no_second_line() -> None:
    for by_ms, lines in ((4.9, 3), (5.0, 2), (5.1, 2)):
        order = Reordering(share_percent=1.0, by_ms=by_ms)
        shape = Shape(10.0, 5.0, 10, impairments=Impairments(reordering=order))
        assert len(shape.tc_commands("eth0")) == lines
