"""Joins that were captured before their connection's handshake."""

import struct
from pathlib import Path

import pandas as pd
import pytest

from analysis.capture.analyse import EVENTS, Settings, analyse
from analysis.capture.frames import Frames, frames
from tests.capture.formats import HEAD, RECORD, Frame
from tests.capture.formats import frames as each
from tests.capture.kinds import raw, seen

SETTINGS = Settings(interval_s=0.05, events=tuple(EVENTS))
SAME = (
    "packets",
    "payload_bytes",
    "retransmissions",
    "ooo_packets",
    "gaps",
    "rtt_samples",
    "rtt_p50_s",
    "duplicate_acks",
    "mappings",
    "data_acks",
)
"""Columns that a subflow shows by itself, whatever else was captured."""


def ports(frame: Frame) -> frozenset[bytes]:
    return frozenset((frame.data[34:36], frame.data[36:38]))


def first_last(content: bytes, later_s: int = 0) -> tuple[bytes, bytes]:
    """Two captures: the subflows that joined, and those that began connections;
    `later_s` is added to the times of the second."""
    everything = list(each(content))
    joined = {
        ports(frame)
        for frame in everything
        if b"\x1e\x0c\x10" in frame.data[54:] or b"\x1e\x0c\x11" in frame.data[54:]
    }
    parts: list[list[bytes]] = [[content[: HEAD.size]], [content[: HEAD.size]]]
    for frame in everything:
        which = ports(frame) not in joined
        seconds = frame.seconds + later_s * which
        head = RECORD.pack(seconds, frame.micros, len(frame.data), frame.length)
        parts[which] += [head, frame.data]
    return b"".join(parts[0]), b"".join(parts[1])


def same(found: Frames, whole: Frames) -> None:
    assert len(found.connections) == len(whole.connections)
    ends = ["source", "source_port", "target", "target_port"]
    one, two = (f.subflows.sort_values(ends, ignore_index=True) for f in (found, whole))
    for name in (*ends, "direction", "how", *SAME):
        pd.testing.assert_series_equal(one[name], two[name], obj=name)
    one, two = (
        f.data.merge(
            f.connections[["connection", "token_b"]], on="connection"
        ).sort_values(["token_b", "direction"], ignore_index=True)
        for f in (found, whole)
    )
    for name in ("direction", "bytes", "missing_bytes", "first_dsn", "acked_bytes"):
        pd.testing.assert_series_equal(one[name], two[name], obj=name)
    names = ["token_a", "token_b", "key_a", "key_b", "kind", "unknown", "subflows"]
    one, two = (
        f.connections.sort_values("token_b", ignore_index=True)[names]
        for f in (found, whole)
    )
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.parametrize("kind", ["two", "three", "eight", "loss", "down", "wrap"])
@pytest.mark.parametrize("end", ["client", "server"])
def test_a_merged_capture_out_of_order(kind: str, end: str, tmp_path: Path) -> None:
    joins, begins = first_last(raw(kind, end))
    path = tmp_path / "merged.pcap"
    path.write_bytes(joins + begins[HEAD.size :])
    found = frames(analyse([path], settings=SETTINGS))
    same(found, seen(kind, end))
    # What came out before the connection was known has been given to it.
    assert set(found.events["connection"]) <= set(found.connections["connection"])
    assert len(found.events) >= len(seen(kind, end).events) / 2
    for table in (found.series, found.events):
        owner = found.subflows.drop_duplicates("subflow").set_index("subflow")
        mine = owner.loc[table["subflow"], "connection"].to_numpy()
        assert (table["connection"].to_numpy() == mine).all()


@pytest.mark.parametrize("kind", ["two", "loss", "answered", "narrow"])
@pytest.mark.parametrize("later_s", [1, 100])
def test_interfaces_whose_clocks_differ(
    kind: str, later_s: int, tmp_path: Path
) -> None:
    parts = first_last(raw(kind, "client"), later_s)
    paths = [tmp_path / name for name in ("eth1.pcap", "eth0.pcap")]
    for path, content in zip(paths, parts, strict=True):
        path.write_bytes(content)
    same(frames(analyse(paths, settings=SETTINGS)), seen(kind, "client"))


def test_joins_of_no_handshake_stay_by_themselves(tmp_path: Path) -> None:
    joins, _ = first_last(raw("three", "client"))
    path = tmp_path / "joins.pcap"
    path.write_bytes(joins)
    found = frames(analyse([path]))
    whole = seen("three", "client").connections
    assert sorted(found.connections["token_b"]) == sorted(whole["token_b"])
    assert (found.connections["subflows"] == 2).all()
    assert found.connections["unknown"].str.contains("explains no handshake").all()


def test_a_join_whose_syn_comes_after_its_answer(tmp_path: Path) -> None:
    """Within a subflow, too, packets can be out of order."""
    joins, begins = first_last(raw("answered", "client"))
    first, second, third, fourth, *rest = each(joins)
    out = [begins]
    for frame in (second, third, fourth, first, *rest):
        head = RECORD.pack(frame.seconds, frame.micros, len(frame.data), frame.length)
        out += [head, frame.data]
    path = tmp_path / "late-syn.pcap"
    path.write_bytes(b"".join(out))
    found, whole = frames(analyse([path])), seen("answered", "client")
    for name in ("subflows", "kind", "unknown", "token_b"):
        assert found.connections[name].tolist() == whole.connections[name].tolist()
    assert found.data["bytes"].tolist() == whole.data["bytes"].tolist()


def test_many_joins_wait_within_the_memory(tmp_path: Path) -> None:
    """Each waits for the connection that explains it. When memory is short, the oldest
    wait no longer, and their number is known."""
    syn = next(f for f in each(first_last(raw("two", "client"))[0]))
    out = [raw("two", "client")[: HEAD.size]]
    for number in range(20_000):
        data = bytearray(syn.data)
        struct.pack_into(">HI", data, 34, 10_000 + number, 0)
        struct.pack_into(">H", data, 36, 5201)
        at = bytes(data).index(b"\x1e\x0c")
        struct.pack_into(">I", data, at + 4, number)
        out += [RECORD.pack(1, 0, len(data), len(data)), bytes(data)]
    path = tmp_path / "joins.pcap"
    path.write_bytes(b"".join(out))
    found = analyse([path], settings=Settings(memory_bytes=32 << 20))
    assert not found.short_of_memory
    assert found.retired_early > 1000
    assert len(found.connections) == len(found.subflows) == 20_000
    assert sorted(found.connections["token_b"]) == list(range(20_000))
