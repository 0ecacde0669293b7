"""Comparison with the kernel's counters and with what the programs received."""

import pandas as pd
import pytest

from tests.capture.kinds import EACH, KINDS, counters, said, seen

SIDE = {"client": 0, "server": 1}
RESET = ("failed-one",)
"""Kinds in which a subflow is reset with data in flight: the kernel sends these again
without counting it as a reinjection."""


def halves(kind: str, end: str, sent: bool = True) -> pd.DataFrame:
    frame = seen(kind, end).subflows
    return frame[(frame["direction"] == SIDE[end]) == sent]


def data(kind: str, end: str) -> pd.DataFrame:
    frame = seen(kind, end).data
    return frame[frame["direction"] == SIDE[end]]


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_segments(kind: str, end: str) -> None:
    kernel, mine = counters(kind, end), halves(kind, end)
    names = ("retransmissions", "syn_retransmissions", "fin_retransmissions")
    again = int(mine[list(names)].sum().sum())
    if (kind, end) == ("down", "client"):
        return  # not all that was sent passed the interface
    # TcpOutSegs leaves retransmissions out, but not those of SYN/ACKs.
    first = int(mine["packets"].sum()) - again
    if end == "server":
        first += int(mine["syn_retransmissions"].sum())
    assert first == pytest.approx(kernel["TcpOutSegs"], abs=kernel["TcpOutRsts"])
    assert again == kernel["TcpRetransSegs"]


@pytest.mark.parametrize("kind", KINDS)
def test_fast_retransmissions_are_those_that_the_kernel_calls_so(kind: str) -> None:
    kernel, mine = counters(kind, "client"), halves(kind, "client")
    fast = int(mine["fast_retransmissions"].sum())
    slow = int(mine["timeout_retransmissions"].sum())
    probes = int(mine["probe_retransmissions"].sum())
    assert abs(fast - kernel["TcpExtTCPFastRetrans"]) <= 1
    assert fast + slow + probes == int(mine["retransmissions"].sum())
    assert int(mine["timeouts"].sum()) <= kernel["TcpExtTCPTimeouts"] + probes


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_reinjections_are_the_kernels(kind: str, end: str) -> None:
    if kind in RESET:
        return
    found = int(data(kind, end)["reinjections"].sum())
    assert found == counters(kind, end)["MPTcpExtMPTCPRetrans"]


def test_some_kind_has_reinjections() -> None:
    assert any(data(k, e)["reinjections"].sum() for k, e in EACH)


@pytest.mark.parametrize(("kind", "end"), EACH)
def test_signals(kind: str, end: str) -> None:
    kernel = counters(kind, end)
    sent, received = halves(kind, end), halves(kind, end, sent=False)
    for name, counter, where in (
        ("add_addrs", "AddAddr", received),
        ("add_addr_echoes", "EchoAdd", received),
        ("remove_addrs", "RmAddr", received),
        ("mp_prios", "MPPrioTx", sent),
        ("fastcloses", "MPFastcloseTx", sent),
        ("mp_resets", "MPRstTx", sent),
        ("mp_fails", "MPFailTx", sent),
    ):
        assert int(where[name].sum()) == kernel[f"MPTcpExt{counter}"], name


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_are_what_the_programs_received(kind: str) -> None:
    """iperf3's second connection, or one connection after the other."""
    if kind == "closed":
        return
    found = sorted(int(b) for b in data(kind, "client")["bytes"])
    report = said(kind, "server")["received"]
    if isinstance(report, list):
        assert found == sorted(report)
    else:
        sent = said(kind, "client")["sent"]
        assert report <= found[-1] <= sent + 37  # iperf3's cookie goes first


@pytest.mark.parametrize("kind", KINDS)
def test_both_ends_saw_the_same_data(kind: str) -> None:
    if kind == "closed":
        return
    first, second = (seen(kind, end).data for end in SIDE)
    key = ["direction", "bytes", "missing_bytes"]
    assert sorted(first[key].itertuples(index=False)) == sorted(
        second[key].itertuples(index=False)
    )
