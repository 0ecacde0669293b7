"""MPTCP in the captured kinds, and captures that begin too late."""

import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.capture.analyse import Settings, analyse
from analysis.capture.frames import Frames, frames
from analysis.run import metrics
from tests.capture.formats import HEAD, RECORD
from tests.capture.formats import frames as each
from tests.capture.kinds import KINDS, path, raw, seen, tables


def main_connection(kind: str, end: str = "client") -> pd.Series:
    found = seen(kind, end)
    totals = found.data.groupby("connection")["bytes"].sum()
    largest = totals.index[int(totals.argmax())]
    rows = found.connections.set_index("connection")
    row: pd.Series = rows[rows.index == largest].iloc[0]
    return row


@pytest.mark.parametrize(
    ("kind", "subflows"), [("two", 2), ("three", 3), ("eight", 8), ("ipv6", 2)]
)
def test_subflows_are_found_by_token(kind: str, subflows: int) -> None:
    found = seen(kind, "client")
    row = main_connection(kind)
    assert (row["kind"], row["version"], row["subflows"]) == ("mptcp", 1, subflows)
    assert not row["unknown"]
    mine = found.subflows[found.subflows["connection"] == row.name]
    hows = mine[mine["direction"] == 0].sort_values("number")["how"].tolist()
    assert hows == ["capable"] + ["join"] * (subflows - 1)
    assert mine.groupby("direction")["share"].sum()[0] == pytest.approx(1)


def test_ipv6_addresses() -> None:
    ends = seen("ipv6", "client").subflows
    assert {"fd00:7:1::1", "fd00:8:1::1"} <= set(ends["source"])


def test_fall_back_is_told() -> None:
    row = main_connection("fallback")
    assert (row["kind"], row["fallback"]) == ("fallback", "handshake")
    data = seen("fallback", "client").data
    assert data["bytes"].tolist() == [200_000, 0]
    assert main_connection("plain")["kind"] == "tcp"
    assert main_connection("plain")["fallback"] is None


def test_short_connections() -> None:
    found = seen("short", "client")
    assert found.connections["kind"].tolist() == ["mptcp"] * 5
    sizes = found.data[found.data["direction"] == 0]
    assert sizes["bytes"].tolist() == [0, 1, 100, 5000, 20000]
    done = sizes[sizes["bytes"] > 0]
    assert done["completion_s"].between(0.02, 0.2).all()
    assert sizes["complete_at_s"].isna().tolist() == [True] + [False] * 4
    assert sizes["data_fin_at_s"].notna().all()


def test_numbers_that_wrap_around() -> None:
    data = tables("wrap", "client").data
    (row,) = data[data["wraps"] > 0]
    first, count = int(row["first_dsn"]), int(row["bytes"])
    assert (first >> 32) != ((first + count) >> 32)
    assert row["wraps"] == 1
    assert (count, row["missing_bytes"], row["implausible"]) == (8_000_000, 0, 0)
    assert row["acked_bytes"] == count


def test_handshake_times_are_the_paths() -> None:
    """Path i has 5 x i ms each way, so the client's handshake takes 10 x i ms."""
    found = seen("eight", "client").subflows
    for _, row in found[found["direction"] == 0].iterrows():
        path_ = int(row["source"].split(".")[2])
        least = 0.010 * path_
        assert least - 1e-9 <= row["handshake_s"] <= least + 0.06
        assert row["rtt_min_s"] >= least - 1e-5


def test_an_interface_that_goes_down_moves_the_data() -> None:
    found = seen("down", "client")
    data = found.data[found.data["direction"] == 0].iloc[0]
    assert (data["bytes"], data["missing_bytes"]) == (900_000, 0)
    second = found.subflows.query("direction == 0 and number == 1").iloc[0]
    assert second["last_payload_at_s"] < data["last_at_s"]


def test_reinjections_say_who_and_when() -> None:
    found = seen("loss", "client")
    row = main_connection("loss")
    events = found.events[
        (found.events["kind"] == "reinjection")
        & (found.events["connection"] == row.name)
    ]
    subflows = found.subflows[found.subflows["connection"] == row.name]
    numbers = dict(zip(subflows["subflow"], subflows["number"], strict=True))
    assert {numbers[s] for s in events["subflow"]} == {1}
    assert {numbers[s] for s in events["other"]} == {0}
    data = found.data[found.data["connection"] == row.name].iloc[0]
    assert len(events) == data["reinjected_packets"] == 21
    assert events["length"].sum() == data["reinjected_bytes"]
    assert events["at_s"].min() == data["first_reinjection_at_s"]


@pytest.mark.parametrize("kind", ["loss", "two", "three", "down", "wrap", "answered"])
def test_cut_before_the_handshake(kind: str, tmp_path: Path) -> None:
    """Keys are unknown then: no connection is made up, and what is not known is
    told. What each subflow carried stays countable."""
    content, skipped = raw(kind, "client"), 60
    out = [content[: HEAD.size]]
    for frame in list(each(content))[skipped:]:
        head = (frame.seconds, frame.micros, len(frame.data), frame.length)
        out.append(RECORD.pack(*head) + frame.data)
    late = tmp_path / "late.pcap"
    late.write_bytes(b"".join(out))
    found = frames(analyse([late]))
    whole = seen(kind, "client")
    assert len(found.subflows) <= len(whole.subflows)
    begun = found.connections[found.connections["kind"] == "mptcp"]
    unknown = begun["unknown"].str.contains("begins after the handshake")
    assert unknown.any()
    assert begun[unknown]["key_a"].isna().all()
    least = whole.data["bytes"].sum() - skipped * 70_000
    assert least <= found.data["bytes"].sum() <= whole.data["bytes"].sum()
    assert found.data["unmapped_bytes"].sum() <= 64_000
    assert found.data["implausible"].sum() == 0


def rewritten(content: bytes, seq_shift: int) -> bytes:
    """The same capture, its client's TCP numbers moved so that they wrap."""
    out = [content[: HEAD.size]]
    for frame in each(content):
        data = bytearray(frame.data)
        forth = data[34:36] != bytes.fromhex("14b4")  # port 5300
        at = 38 if forth else 42
        number = struct.unpack_from(">I", data, at)[0]
        if forth or data[47] & 16:
            moved = number + seq_shift & 0xFFFFFFFF
            struct.pack_into(">I", data, at, moved)
        if not forth:
            shift_sacks(data, seq_shift)
        head = (frame.seconds, frame.micros, len(data), frame.length)
        out.append(RECORD.pack(*head) + bytes(data))
    return b"".join(out)


def shift_sacks(data: bytearray, shift: int) -> None:
    at, end = 54, 34 + (data[46] >> 4) * 4
    while at < end and data[at]:
        if data[at] == 1:
            at += 1
            continue
        if data[at] == 5:
            for place in range(at + 2, at + data[at + 1], 4):
                (number,) = struct.unpack_from(">I", data, place)
                struct.pack_into(">I", data, place, number + shift & 0xFFFFFFFF)
        at += data[at + 1]


def test_subflow_numbers_that_wrap_around(tmp_path: Path) -> None:
    """Of plain TCP with losses, its numbers moved to 30 kB before the end."""
    content = raw("plain", "client")
    first = next(f for f in each(content))
    (isn,) = struct.unpack_from(">I", first.data, 38)
    moved = tmp_path / "moved.pcap"
    moved.write_bytes(rewritten(content, (1 << 32) - 30_000 - isn))
    one, two = tables("plain", "client"), analyse([moved])
    for name in one.directions.dtype.names or ():
        assert np.array_equal(one.directions[name], two.directions[name]), name


def test_one_way_delay_and_loss() -> None:
    """The client's packets wait 5 x i ms on path i, and 3 % are lost on the way."""
    found = frames(analyse([path("loss", "client")], [path("loss", "server")]))
    near = found.subflows[(found.subflows["point"] == 0)]
    forth = near[(near["direction"] == 0) & (near["payload_packets"] > 50)]
    assert len(forth) == 2
    for _, row in forth.iterrows():
        least = 0.005 * int(row["source"].split(".")[2])
        assert row["delay_min_s"] == pytest.approx(least, abs=2e-5)
        sent = row["matched"] + row["lost_packets"] + row["undecided"]
        assert sent == row["packets"]
        assert 0.003 < row["loss_probability"] < 0.08
    far = found.subflows[(found.subflows["point"] == 1)]
    for _, row in forth.iterrows():
        there = far[
            (far["source"] == row["source"])
            & (far["source_port"] == row["source_port"])
        ].iloc[0]
        assert there["packets"] == row["matched"]
    data = found.data.merge(found.connections[["connection", "point"]], on="connection")
    mean = data[(data["point"] == 0) & (data["bytes"] > 10_000)].iloc[0]
    by_hand = (forth["loss_probability"] * forth["share"]).sum()
    assert mean["mean_loss_probability"] == pytest.approx(by_hand)


def test_the_less_lossy_path_out_of_captures() -> None:
    """Of TCP on each path by itself (thesis, 5.2.2): 2 % are lost on one."""
    ratios = [
        seen(kind, "client")
        .data.query("direction == 0")["retransmission_ratio"]
        .iloc[0]
        for kind in ("plain", "fallback")
    ]
    assert ratios[0] > ratios[1] == 0
    assert metrics.less_lossy_path(ratios) == 2
    assert metrics.less_lossy_path(ratios[::-1]) == 1


def test_series_of_losses_and_shares() -> None:
    """A loss counts when the packet was sent, not when it was known to be lost."""
    settings = Settings(interval_s=0.05, events=("loss",))
    both = analyse([path("loss", "client")], [path("loss", "server")], settings)
    found = frames(both)
    series = both.series[both.series["unmatched"] > 0]
    assert series["unmatched"].sum() == found.subflows["unmatched"].sum() > 20
    began = both.inputs["first_ns"].min()
    counted = Counter(
        ((e["time_ns"] - began) // 50_000_000, e["subflow"], e["direction"])
        for e in both.events
    )
    told = {(s["interval"], s["subflow"], s["direction"]): s for s in series}
    assert {key: s["unmatched"] for key, s in told.items()} == counted
    sums = found.series.groupby(["at_s", "connection", "direction"])["share"].sum()
    assert set(sums.round(9)) == {0.0, 1.0}


def test_lossless_paths_lose_nothing() -> None:
    found = frames(analyse([path("two", "client")], [path("two", "server")]))
    assert found.subflows["lost_packets"].fillna(0).sum() == 0
    assert found.subflows["undecided"].sum() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_far_end_alone_and_beside_is_the_same(kind: str) -> None:
    both = frames(analyse([path(kind, "client")], [path(kind, "server")]))
    alone = seen(kind, "server")
    columns = ["source", "source_port", "packets", "retransmissions", "data_bytes"]
    beside = both.subflows[both.subflows["point"] == 1][columns]
    assert sorted(beside.itertuples(index=False)) == sorted(
        alone.subflows[columns].itertuples(index=False)
    )


def test_signals_are_listed() -> None:
    found: Frames = seen("announced", "client")
    signals = found.events[found.events["kind"] == "signal"]
    assert {"ADD_ADDR"} <= set(signals["what"])
    closed = seen("closed", "client").events
    assert {"MP_FASTCLOSE", "MP_TCPRST"} <= set(closed["what"].dropna())


def test_interval_of_the_series_does_not_change_the_sums() -> None:
    sums = []
    for interval_s in (0.001, 0.1, 10):
        found = analyse([path("loss", "client")], settings=Settings(interval_s))
        sums.append({n: found.series[n].sum() for n in ("packets", "data_bytes")})
    assert sums[0] == sums[1] == sums[2]
