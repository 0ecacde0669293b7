"""The fabric calibrated, and beside the network of namespaces."""

import json
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from analysis.run.row import row
from jobs import load as load_job
from mpbench.engine.bounds import bounds
from mpbench.spec import builtin
from topologies.fabric import BURST_PACKETS
from topologies.shaping import FRAME_BYTES, packet_time_ms, queue_packets

from .lab import MPTCP, Lab, contents, guest_call, job_of, lab_with, make_job
from .test_topologies import PROBE, TCP_MBPS, flow

SOURCE_AT = 14 + 12
"""Position of the source address in a frame."""
BARE_BYTES = (66, 78, 86, 94)
"""Of a segment of TCP without data, with none to three blocks of SACK."""
TINY_BYTES = 14 + 20 + 8 + 4
"""A datagram of four bytes, with its headers."""


def ended_well(folder: Path, job: dict[str, Any]) -> dict[str, Any]:
    ended, artefacts = Lab(folder).execute(job, bounds(load_job(job)))
    assert ended.status == "finished", ended.reason
    found = row(artefacts.parent)
    assert (found["verdict"], found["reason"]) == ("ok", "")
    return found


def way_of(files: dict[str, bytes]) -> dict[str, Any]:
    """The counters and settings of path 1 towards the server."""
    listed = json.loads(files["qdisc-end.json"])["r1"]
    (way,) = [one for one in listed if one["dev"] == "r1-hub"]
    return dict(way)


def times_ns(pcap: bytes, source: str = "") -> list[tuple[int, int]]:
    """The time and size of each packet of a capture by the guest's kernel.

    source : the address that packets come from; empty for all
    """
    from_ = bytes(map(int, source.split("."))) if source else b""
    found, at = [], 24
    while at < len(pcap):
        seconds, nanoseconds, kept, whole = struct.unpack_from("<IIII", pcap, at)
        if pcap.startswith(from_, at + 16 + SOURCE_AT):
            found.append((seconds * 10**9 + nanoseconds, whole))
        at += 16 + kept
    return found


@pytest.mark.parametrize(
    ("name", "burst"),
    [("two_path", None), ("two_links", None), ("triangle", None), ("two_path", 0)],
)
def test_round_trips_and_time_to_drain(
    tmp_path: Path, name: str, burst: int | None
) -> None:
    """With the bucket of namespaces, round trips and queues are theirs too. Without a
    bucket, a packet takes its time, and the one that is being sent does not wait."""
    description = builtin.describe(name)
    capacity_mbps, queueing_ms = 8.0, 60.0
    parameters: dict[str, Any] = {}
    delays_ms = {}
    for number, link in enumerate(description.links):
        delays_ms[link] = 3.0 + 2 * number
        parameters[f"{link}.delay"] = f"{delays_ms[link]} ms"
        parameters[f"{link}.capacity"] = f"{capacity_mbps} Mbit/s"
        parameters[f"{link}.queueing_delay"] = f"{queueing_ms} ms"
        parameters[f"{link}.jitter"] = "0 ms"
    job = job_of(
        tmp_path,
        topology=name,
        fabric={"burst": burst},
        parameters=parameters,
        cases={"only": {"protocol": "mptcp", "congestion_control": "reno"}},
        traffic=[
            {"tool": "iperf3", "from": u.host, "to": u.server, "duration": "1 s"}
            for u in description.users
        ],
    )
    ended, artefacts = lab_with(tmp_path, PROBE).execute({**job, "burst": 100})
    assert ended.status == "finished", ended.reason
    found = json.loads((artefacts / "probe.json").read_text())
    held = queue_packets(queueing_ms, capacity_mbps)
    for user in description.users:
        for number, links in enumerate(user.paths, start=1):
            probed = found.pop(f"{user.host}.path{number}")
            wait_ms = len(links) * TINY_BYTES * 8 / capacity_mbps / 1e3
            wait_ms = wait_ms if burst == 0 else 0.0
            one_way_ms = sum(delays_ms[link] for link in links) + wait_ms
            assert probed["rtt_ms"] == pytest.approx(2 * one_way_ms, abs=0.01)
            for direction in ("forward", "backward"):
                at_once = 1 if burst == 0 else BURST_PACKETS
                assert probed[direction]["arrived"] == held + at_once
                drain_ms = held * packet_time_ms(capacity_mbps)
                assert probed[direction]["took_ms"] == pytest.approx(drain_ms, abs=0.01)
    assert not found


PATHS = {
    "path1.capacity": "50 Mbit/s",
    "path2.capacity": "50 Mbit/s",
    "path1.queueing_delay": "20 ms",
    "path2.queueing_delay": "20 ms",
}


def test_beside_namespaces(tmp_path: Path) -> None:
    """Goodput within 0.3 %, and the same links and counters in the row. The mean queue
    is measured on the fabric alone."""
    job = make_job(tmp_path, duration="10 s", parameters=PATHS)
    there = ended_well(tmp_path / "namespaces", job)
    here = ended_well(tmp_path / "fabric", {**job, "fabric": {"choose": "rotate"}})
    names = ("", "path1.up.", "path1.down.", "path2.up.", "path2.down.")
    assert here.keys() - there.keys() == {f"{name}mean_queue_packets" for name in names}
    assert not there.keys() - here.keys()
    assert here["goodput_mbps"] == pytest.approx(there["goodput_mbps"], rel=0.003)
    for key in ("path1.share", "path1.bytes", "path2.bytes"):
        assert here[key] == pytest.approx(there[key], rel=0.01)
    for key in ("path1.queue_packets", "path2.queue_packets"):
        assert here[key] == there[key]


@pytest.mark.parametrize("on", ["namespaces", "fabric"])
def test_round_trips_beside_namespaces(tmp_path: Path, on: str) -> None:
    job = make_job(tmp_path, parameters=PATHS)
    more = {"fabric": {"choose": "rotate"}} if on == "fabric" else {}
    ended, artefacts = lab_with(tmp_path, PROBE).execute({**job, **more, "burst": 2})
    assert ended.status == "finished", ended.reason
    found = json.loads((artefacts / "probe.json").read_text())
    assert found["client.path1"]["rtt_ms"] == pytest.approx(20.0, abs=0.05)


def test_one_tcp_gets_the_capacity_less_headers(tmp_path: Path) -> None:
    job = job_of(
        tmp_path,
        topology="shared_bottleneck",
        fabric=True,
        parameters={"access3.delay": "5 ms"},
        cases={"only": {"protocol": "tcp", "congestion_control": "reno"}},
        traffic=[flow("single", "20 s")],
    )
    found = ended_well(tmp_path, job)
    assert found["goodput_mbps"] == pytest.approx(15 * TCP_MBPS, rel=0.005)
    assert found["bottleneck.jitter_ms"] == pytest.approx(packet_time_ms(15), abs=1e-6)


def test_runs_repeat_and_are_observed(tmp_path: Path) -> None:
    """The same bytes again, with loss, jitter, captures and a trace; another seed gives
    others."""
    parameters = {"path1.loss": "1 %", "path2.jitter": "0.5 ms"}
    job = make_job(tmp_path, duration="2 s", parameters=parameters)
    names = ["client-eth1", "path1-up", "path1-down"]
    observed = {"interfaces": names, "full": False}
    job |= {"fabric": {"choose": "rotate"}, "capture": observed, "trace_s": 0.1}
    kept = []
    for number, seed in enumerate((1, 1, 2)):
        ended, folder = Lab(tmp_path / str(number)).execute({**job, "seed": seed})
        assert ended.status == "finished", ended.reason
        kept.append((folder, contents(folder)))
    assert kept[0][1] == kept[1][1]
    assert kept[0][1]["qdisc-end.json"] != kept[2][1]["qdisc-end.json"]
    folder, files = kept[0]
    sent, left, back = (times_ns(files[f"capture-{name}.pcap"]) for name in names)
    # In any time, no more leaves than the bucket holds and the capacity allows.
    full = [at for at, size in left if size == FRAME_BYTES]
    assert len(full) > 500
    gaps = [full[n + BURST_PACKETS] - at for n, at in enumerate(full[:-BURST_PACKETS])]
    assert min(gaps) >= packet_time_ms(10) * 1e6 - 1
    assert min(b - a for a, b in pairwise(full)) < packet_time_ms(10) * 1e6
    assert way_of(files)["options"]["burst"] == BURST_PACKETS * FRAME_BYTES
    way = way_of(files)
    assert way["kind"] == "fabric" and way["lost"] > 5
    assert way["packets"] == len(left) and len(sent) > len(left) + len(back)
    assert way["most_bytes"] > 0 and way["byte_seconds"] > 0
    assert len(files["trace.csv"].splitlines()) > 30


def test_orders_are_checked_and_hosts_can_vanish(tmp_path: Path) -> None:
    lab = lab_with(tmp_path, guest_call("tests.virtual.fabric_orders"))
    ended, artefacts = lab.execute(make_job(tmp_path, MPTCP))
    assert ended.status == "finished", ended.reason
    found = json.loads((artefacts / "orders.json").read_text())
    assert found["refused"] == found["tried"] and found["tried"] > 30
    assert found["received"] == [True, False, True]
    assert found["links"] == [0, 2, 0, 2]
    assert not [name for name in found["left"] if name.startswith("eth")]


def test_a_queue_that_is_full_for_a_known_time(tmp_path: Path) -> None:
    """An even stream of R > C loses what is too much. A queue of 20 packets is full but
    for the time between a departure and the next arrival, which is half a gap of the
    stream on average: C / R / 2 packets are missing."""
    job = job_of(
        tmp_path,
        fabric=True,
        topology="two_path",
        parameters={"path1.capacity": "10 Mbit/s", "path1.queue": 20},
        cases={"only": {"protocol": "tcp", "congestion_control": "reno", "path": 1}},
        traffic=[
            {
                "tool": "cbr",
                "from": "client",
                "to": "server",
                "rate": "17 Mbit/s",
                "duration": "10 s",
            }
        ],
    )
    found = ended_well(tmp_path, job)
    share = (17 - 10) / 17
    assert found["path1.up.loss_probability"] == pytest.approx(share, abs=0.005)
    dropped_per_s = share * 17e6 / 8 / FRAME_BYTES
    assert found["path1.up.drops_per_s"] == pytest.approx(dropped_per_s, rel=0.01)
    mean = found["path1.up.mean_queue_packets"]
    assert mean == pytest.approx(20 - 10 / 17 / 2, abs=0.06)
    assert found["path1.down.loss_probability"] in (0, None)
    assert found["path1.down.mean_queue_packets"] == 0
    assert found["loss_probability"] == found["path1.up.loss_probability"]


def test_direct_segments_without_data_reach_the_other_end_at_once(
    tmp_path: Path,
) -> None:
    """They are on no link, and data are not changed by them."""
    job = job_of(
        tmp_path,
        topology="fattree-k4",
        design=None,
        fabric={"acks": "direct"},
        cases={"only": {"protocol": "tcp", "congestion_control": "reno", "path": 1}},
        traffic=[{"tool": "iperf3", "from": "h1", "to": "h9", "duration": "1 s"}],
    )
    names = ["h1-eth0", "h9-eth0", "h9-e5-up"]
    job |= {"capture": {"interfaces": names, "full": False}}
    ended, folder = Lab(tmp_path).execute(job, bounds(load_job(job)))
    assert ended.status == "finished", ended.reason
    files = contents(folder)
    address = json.loads(files["outcome.json"])["users"]["h1"][0]["address"]
    other = load_job(job).wiring.ports["h9"][0].address
    at_h1, at_h9, left_h9 = (
        times_ns(files[f"capture-{name}.pcap"], other) for name in names
    )
    small = [[at for at, size in one if size in BARE_BYTES] for one in (at_h1, at_h9)]
    assert len(small[0]) > 1000 and len(small[0]) == len(small[1])
    # What hosts do takes some clock readings of 256 ns.
    took_ns = max(got - sent for got, sent in zip(*small, strict=True))
    assert took_ns < 5000
    assert not [size for _, size in left_h9 if size in BARE_BYTES]
    sent, got = (times_ns(files[f"capture-{name}.pcap"], address) for name in names[:2])
    full = [[at for at, size in one if size > FRAME_BYTES / 2] for one in (sent, got)]
    ways = 6 * (packet_time_ms(100) + 0.02)
    assert (full[1][0] - full[0][0]) / 1e6 == pytest.approx(ways, rel=0.02)


@pytest.mark.parametrize("acks", ["in_turn", "first"])
def test_how_long_segments_without_data_wait_in_a_host(
    tmp_path: Path, acks: str
) -> None:
    """Two TCPs in opposite directions fill the host's own queue. An acknowledgement
    that goes first waits for the packet that is being sent, and for no other data."""
    entry = {"tool": "iperf3", "from": "h1", "to": "h9", "duration": "1 s"}
    job = job_of(
        tmp_path,
        topology="fattree-k4",
        design=None,
        fabric={"acks": acks, "host_queue": 1000},
        cases={"only": {"protocol": "tcp", "congestion_control": "reno", "path": 1}},
        traffic=[entry, {**entry, "from": "h9", "to": "h1"}],
    )
    names = ["h1-eth0", "h1-e1-up"]
    job |= {"capture": {"interfaces": names, "full": False}}
    ended, folder = Lab(tmp_path).execute(job, bounds(load_job(job)))
    assert ended.status == "finished", ended.reason
    files = contents(folder)
    address = json.loads(files["outcome.json"])["users"]["h1"][0]["address"]
    sent, left = (times_ns(files[f"capture-{name}.pcap"], address) for name in names)
    small = [[at for at, size in one if size in BARE_BYTES] for one in (sent, left)]
    out = [at for at in small[0] if at <= small[1][-1]]
    assert len(small[1]) > 1000 and len(out) == len(small[1])
    longest_ms = max(b - a for a, b in zip(out, small[1], strict=True)) / 1e6
    if acks == "in_turn":
        assert longest_ms > 20 * packet_time_ms(100)
    else:
        # Several acknowledgements can wait for the same packet.
        assert longest_ms < 2 * packet_time_ms(100)
