"""Bytes and reinjections are those of the kernels' own counters, kind by kind.

Of the whole end: nstat's. Of a connection and of its subflows: MPTCP_INFO and TCP_INFO,
asked for when all had been acknowledged (make_traffic.py); iperf3 cannot be asked.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from tests.capture.kinds import EACH, KINDS, counters, said, seen

SIDE = {"client": 0, "server": 1}
NO_IPV4 = ("ipv6",)
RESET = ("closed",)
"""The connection ends with data that the receiver has thrown away."""
UNCOUNTED = ("failed-one",)
"""A subflow is reset: what it had in flight is sent again on the other, and the kernel
does not count that as reinjected."""
BEHIND = {("down", "client")}
"""The capture lies behind the interface that is down."""
LATER = ("lossy",)
"""Segments were sent again on their subflow after all data had been acknowledged, and
after the kernel had been asked; its SYNs, too, were lost."""


def asked(kind: str, end: str) -> Iterator[tuple[dict[str, Any], pd.Series, pd.Series]]:
    """The kernel's report on each connection, and our rows of what this end and the
    other sent on it."""
    found = seen(kind, end)
    order = sorted(found.connections["connection"])
    for number, told in enumerate(said(kind, end).get("kernel", [])):
        if told and kind not in RESET:
            rows = found.data[found.data["connection"] == order[number]]
            rows = rows.set_index("direction", drop=False)
            yield told, rows.loc[SIDE[end]], rows.loc[1 - SIDE[end]]


def of_subflow(kind: str, end: str, connection: int, port: int) -> tuple[Any, Any]:
    """Bytes that this end and the other sent on a subflow."""
    frame = seen(kind, end).subflows
    mine = (frame["source_port"] == port) | (frame["target_port"] == port)
    rows = frame[mine & (frame["connection"] == connection)].set_index("direction")
    return rows.loc[SIDE[end]], rows.loc[1 - SIDE[end]]


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_octets_received(kind: str, end: str) -> None:
    """IpExtInOctets, of whole packets with their headers. What is sent is counted
    before segmentation, with fewer headers, so the other end's is compared."""
    frame = seen(kind, end).subflows
    received = frame[frame["direction"] != SIDE[end]]
    kernel = counters(kind, end)
    assert int(received["packets"].sum()) == kernel["TcpInSegs"]
    if not kernel["IcmpInMsgs"] and kind not in NO_IPV4:
        assert int(received["ip_bytes"].sum()) == kernel["IpExtInOctets"]


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_bytes_of_connections(kind: str, end: str) -> None:
    for told, sent, received in asked(kind, end):
        assert sent["bytes"] == told["bytes_sent"]
        assert received["bytes"] == told["bytes_received"]
        # The kernel counts an acknowledged DATA_FIN as one.
        assert told["bytes_acked"] - sent["acked_bytes"] in (0, 1)


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_bytes_of_subflows(kind: str, end: str) -> None:
    for told, sent, _ in asked(kind, end):
        for one in told["subflows"]:
            mine, other = of_subflow(kind, end, sent["connection"], one["port"])
            if mine["resets"] or other["resets"] or kind in LATER:
                continue  # what came after it was not received
            if (kind, end) not in BEHIND:
                assert mine["payload_bytes"] == one["bytes_sent"]
                assert mine["retransmitted_bytes"] == one["bytes_retrans"]
                assert mine["retransmissions"] == one["total_retrans"]
            arrived = other["sequence_bytes"] - other["missing_bytes"]
            # The kernel counts a FIN that it has got as one, and nothing beyond a gap.
            if not other["missing_bytes"]:
                assert one["bytes_received"] - arrived in (0, 1)
            if (kind, end) not in BEHIND:
                assert mine["payload_packets"] == one["data_segs_out"]
                assert other["payload_packets"] == one["data_segs_in"]


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_reinjected_bytes(kind: str, end: str) -> None:
    """The kernel counts what it chose to send again, on another subflow or not."""
    for told, sent, _ in asked(kind, end):
        if kind not in UNCOUNTED:
            least = sent["reinjected_bytes"]
            assert least <= told["bytes_retrans"] <= least + sent["resent_bytes"]


def test_some_bytes_were_reinjected() -> None:
    assert any(told["bytes_retrans"] for told, _, _ in asked("lossy", "client"))


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_first_copies_are_data_and_reinjections(kind: str, end: str) -> None:
    """The bytes that all subflows sent for the first time are the data, and what was
    sent again on another subflow or on the same; needs no counter of reinjections, so
    it holds where the kernel does not count them."""
    for told, sent, _ in asked(kind, end):
        frame = seen(kind, end).subflows
        mine = frame[frame["connection"] == sent["connection"]]
        ways = mine[mine["direction"] == SIDE[end]]
        if (kind, end) in BEHIND or len(told["subflows"]) < (
            ways["payload_packets"] > 0
        ).sum():
            continue  # the kernel has forgotten a subflow
        first = sum(s["bytes_sent"] - s["bytes_retrans"] for s in told["subflows"])
        again = sent["reinjected_bytes"] + sent["resent_bytes"]
        assert first == told["bytes_sent"] + again


def test_all_kinds_were_asked() -> None:
    """Every kind that is not iperf3's, plain, fallen back or reset has counters."""
    found = {kind for kind in KINDS for end in SIDE if any(asked(kind, end))}
    assert found >= {
        "down",
        "announced",
        "answered",
        "short",
        "checksum",
        "narrow",
        "failed-one",
        "ipv6",
        "wrap",
    }


@pytest.mark.parametrize(
    ("kind", "end", "expected"),
    [
        ("failed", "client", {"InfiniteMapTx": 1, "MPFailTx": 1, "MPFailRx": 1}),
        (
            "failed",
            "server",
            {"InfiniteMapRx": 1, "MPFailTx": 1, "MPFailRx": 1, "DssFallback": 1},
        ),
        ("failed-one", "client", {"MPFailRx": 1, "MPRstRx": 1}),
        ("failed-one", "server", {"MPFailTx": 1, "MPRstTx": 1, "DataCsumErr": 1}),
        ("stripped", "client", {"MPCapableFallbackSYNACK": 1}),
        ("stripped-acks", "client", {"MPCapableDataFallback": 1}),
        ("stripped-acks", "server", {"MPCapableFallbackACK": 1}),
    ],
)
def test_what_the_kernels_counted_of_faults(
    kind: str, end: str, expected: dict[str, int]
) -> None:
    """The captures hold what they were made to hold; test_against_kernel compares
    the options."""
    found = counters(kind, end)
    assert {name: found[f"MPTcpExt{name}"] for name in expected} == expected


@pytest.mark.parametrize("end", SIDE)
@pytest.mark.parametrize(
    ("kind", "client", "server"),
    [
        ("failed", "MP_FAIL", "MP_FAIL"),
        ("failed-one", None, None),
        ("stripped", "handshake", "tcp"),
        ("stripped-acks", "no DSS", "no DSS"),
        ("narrow", None, None),
    ],
)
def test_what_became_of_the_connection(
    kind: str, client: str | None, server: str | None, end: str
) -> None:
    (row,) = [row for _, row in seen(kind, end).connections.iterrows()]
    expected = {"client": client, "server": server}[end]
    if expected == "tcp":
        assert (row["kind"], row["fallback"]) == ("tcp", None)
    elif expected:
        assert (row["kind"], row["fallback"]) == ("fallback", expected)
    else:
        assert (row["kind"], row["fallback"], row["subflows"]) == ("mptcp", None, 2)
    sent = seen(kind, end).data.query("direction == 0").iloc[0]
    assert sent["missing_bytes"] == 0
    assert sent["completion_s"] > 0
    assert sent["bytes"] == sent["acked_bytes"]


def test_numbers_of_four_bytes_are_those_of_eight() -> None:
    """The client's packets have 8 bytes before the middleboxes, and 4 behind them."""
    ends = [seen("narrow", end).data for end in SIDE]
    columns = ["bytes", "missing_bytes", "acked_bytes", "first_dsn", "unmapped_bytes"]
    pd.testing.assert_frame_equal(ends[0][columns], ends[1][columns])
    assert ends[0]["bytes"].tolist() == [200_000, 200_000]
