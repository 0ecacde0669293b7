"""Values that mpbench chooses obey the rules of values that a file gives."""

from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import make_plan, resolved
from topologies.shaping import MOST_QUEUE_PACKETS, Shape, ordering_rate_mbps

TEXT = """\
name: own
network:
  links: {{l: {{{link}}}}}
  users: {{client: {{paths: [l], to: server}}}}
cases: {{tcp: {{protocol: tcp, congestion_control: cubic}}}}
traffic: [{{tool: iperf3, from: client, to: server, duration: 3 s}}]
"""
FRAME_AT_1_MBPS_MS = 12.112


def link(text: str, more: str = "") -> dict[str, Any]:
    plan = make_plan(loads(TEXT.format(link=text) + more, "f.yaml"), {})
    found: dict[str, Any] = dump(plan.runs[0].job)["links"][0]
    return found


def refusal(text: str, more: str = "") -> str:
    with pytest.raises(UserError) as caught:
        link(text, more)
    return str(caught.value)


@pytest.mark.parametrize(
    ("delay_ms", "jitter_ms"),
    [(0, 0), (5, 5), (12.112, FRAME_AT_1_MBPS_MS), (20, FRAME_AT_1_MBPS_MS)],
)
def test_the_default_jitter_is_a_packet_time_and_at_most_the_delay(
    delay_ms: float, jitter_ms: float
) -> None:
    made = link(f"capacity: 1 Mbit/s, delay: {delay_ms} ms")
    assert made["jitter_ms"] == jitter_ms


def test_each_direction_has_a_default_jitter_of_its_own() -> None:
    made = link("capacity: 1 Mbit/s, delay: {up: 20 ms, down: 2 ms}")
    assert made["jitter_ms"] == FRAME_AT_1_MBPS_MS
    assert made["down"]["jitter_ms"] == 2


def test_the_default_jitter_is_at_most_the_least_delay_of_a_link_that_changes() -> None:
    changes = "changes: {l: {at: {1 s: {delay: 3 ms}, 2 s: {delay: 30 ms}}}}\n"
    assert link("capacity: 1 Mbit/s, delay: 20 ms", changes)["jitter_ms"] == 3


def test_a_change_towards_users_bounds_the_jitter_of_that_direction() -> None:
    changes = "changes: {l: {at: {1 s: {delay: {up: 20 ms, down: 3 ms}}}}}\n"
    made = link("capacity: 1 Mbit/s, delay: {up: 20 ms, down: 21 ms}", changes)
    assert made["jitter_ms"] == FRAME_AT_1_MBPS_MS
    assert made["down"]["jitter_ms"] == 3


def test_an_explicit_jitter_above_the_delay_towards_users_is_refused() -> None:
    said = refusal(
        "capacity: 9 Mbit/s, delay: {up: 20 ms, down: 2 ms}, jitter: 3 ms", ""
    )
    assert "jitter: 3 ms is more than the delay, 2 ms" in said


def test_a_queue_that_follows_from_a_delay_has_at_most_the_packets_of_one_given() -> (
    None
):
    most_ms = MOST_QUEUE_PACKETS * 8 * 1500 / 1e3 / 10_000
    fits = link(f"capacity: 10 Gbit/s, delay: 1 ms, queueing_delay: {most_ms} ms")
    assert fits["queue_packets"] == MOST_QUEUE_PACKETS
    more_ms = most_ms + 0.0013
    said = refusal(f"capacity: 10 Gbit/s, delay: 1 ms, queueing_delay: {more_ms} ms")
    assert said.startswith("f.yaml:3: network.links.l.queueing_delay: ")
    assert "1000001 packets, and 1000000 at most work" in said


def test_a_fault_of_both_directions_is_told_once() -> None:
    said = refusal("capacity: 9 Mbit/s, delay: 2 ms, jitter: 3 ms")
    assert len(said.splitlines()) == 1


def test_the_jitter_may_be_the_delay_and_no_more() -> None:
    assert not list(resolved.faults({"l": Shape(1.0, 5.0, 10, jitter_ms=5.0)}, ()))
    assert list(resolved.faults({"l": Shape(1.0, 5.0, 10, jitter_ms=5.001)}, ()))


@pytest.mark.parametrize(
    ("capacity_mbps", "rate_mbps"),
    [(1, 10_000), (10_000, 10_000), (10_001, 100_010), (100_000, 1_000_000)],
)
def test_the_rate_that_keeps_order_is_never_a_bottleneck(
    capacity_mbps: float, rate_mbps: int
) -> None:
    assert ordering_rate_mbps(capacity_mbps) == rate_mbps
    (delay, _) = Shape(capacity_mbps, 1.0, 10, jitter_ms=0.5).tc_commands("eth0")
    assert delay.endswith(f" rate {rate_mbps}mbit")


def test_a_link_that_only_delays_keeps_its_order() -> None:
    assert ordering_rate_mbps(None) == 10_000
