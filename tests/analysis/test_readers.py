"""Readers on captured output of tc, nstat and ip, ugly cases too."""

import json
from pathlib import Path

import pytest

from analysis.run import run_metrics
from analysis.run.readers import counters, links, outcome, qdiscs, trace

CAPTURED = Path(__file__).parent / "captured"


def test_counters_of_nstat() -> None:
    client = counters.read(CAPTURED / "mptcp/nstat-client.json")
    assert client.mptcp("MPCapableSYNACKRX") == 2
    assert client.mptcp("MPJoinSynAckRx") == 2
    assert client.segments_sent == client.get("TcpExtTCPOrigDataSent") > 10_000
    assert not list(client.fallbacks())
    assert client.get("NoSuchCounter") == 0


def test_counters_tell_of_fallback() -> None:
    client = counters.read(CAPTURED / "fallback/nstat-client.json")
    assert list(client.fallbacks()) == [("MPCapableFallbackSYNACK", 2)]


def test_every_fallback_counter_is_one_of_the_kernel() -> None:
    known = counters.read(CAPTURED / "mptcp/nstat-client.json").values
    assert {counters.MPTCP + name for name in counters.FALLBACKS} <= known.keys()


def test_a_counter_that_a_kernel_lacks_is_not_0() -> None:
    """A list with a 0 is whole; one without may leave out what is 0."""
    whole = counters.Counters({"MPTcpExtMPJoinSynAckRx": 2, "TcpOutSegs": 0})
    short = counters.Counters({"MPTcpExtMPJoinSynAckRx": 3})
    joined, other = "MPJoinSynAckRx", "MPCapableSYNACKRX"
    assert counters.total([whole, short], joined) == 5
    assert counters.total([short], other) == 0
    assert counters.total([whole, short], other) is None
    assert counters.total([], other) == 0
    assert whole.known("TcpOutSegs") == 0
    assert whole.get("MPTcpExtMPCapableSYNACKRX") == 0


def test_a_metric_whose_counter_the_kernel_lacks_is_missing() -> None:
    old = counters.Counters({"TcpExtTCPOrigDataSent": 9, "TcpRetransSegs": 0})
    row = run_metrics.retransmissions(old)
    assert row["reinjections"] is None and row["reinjection_ratio"] is None
    assert row["retransmission_ratio"] == 0


def test_counters_of_something_else_are_refused() -> None:
    with pytest.raises(ValueError, match="no counters"):
        counters.parse({"kernel": {"TcpOutSegs": "many"}}, "nstat.json")


def test_qdiscs() -> None:
    discs = qdiscs.read(CAPTURED / "mptcp-lossy/qdisc-end.json")
    (tbf, netem) = [q for q in discs if q.interface == "r1-out"]
    assert (tbf.kind, tbf.rate_mbps, tbf.parent) == ("tbf", 20.0, None)
    assert tbf.limit_bytes == pytest.approx(151400, abs=5)
    assert (netem.kind, netem.parent, netem.limit_packets) == ("netem", "1:1", 1000)
    assert netem.delay_ms == 5 and netem.loss_percent == 1 and netem.jitter_ms == 0
    assert tbf.packets > 1000 and tbf.drops > 10
    jittery = next(q for q in discs if q.interface == "r2-out" and q.kind == "netem")
    assert jittery.jitter_ms == pytest.approx(0.1, abs=0.002)


def test_tbf_with_a_queue_below_its_burst_shows_its_limit() -> None:
    """As tc writes it for `tbf rate 10mbit burst 3028 limit 1514`."""
    text = (
        '[{"kind":"tbf","handle":"8005:","root":true,"refcnt":3,"options":'
        '{"rate":1250000,"burst":3027,"limit":1514},"bytes":0,"packets":0,"drops":0,'
        '"overlimits":0,"requeues":0,"backlog":0,"qlen":0,"dev":"va"}]'
    )
    (tbf,) = qdiscs.parse({"r1": json.loads(text)}, "qdisc.json")
    assert tbf.limit_bytes == 1514


def test_qdiscs_of_something_else_are_refused() -> None:
    for document in ({"r1": [{"kind": "tbf"}]}, {"r1": 3}):
        with pytest.raises(ValueError, match="not what `tc -s -j qdisc` writes"):
            qdiscs.parse(document, "qdisc.json")


HTB = (
    "class htb 5:1 root leaf 10: prio 0 rate {rate} ceil {rate} burst 15Kb cburst 1600b"
    " \n Sent 4474069 bytes 2973 pkt (dropped 56, overlimits 1545 requeues 0) \n"
    " backlog 0b 0p requeues 0\n lended: 1666 borrowed: 0 giants: 0\n"
    " tokens: 37900 ctokens: 3510\n\n"
)
"""As tc shows the class of an htb, which it has no JSON for."""


@pytest.mark.parametrize(
    "shown, mbps",
    [("50Mbit", 50.0), ("51547Kbit", 51.547), ("999999bit", 0.999999), ("1Gbit", 1e3)],
)
def test_the_rate_of_htb_is_its_class_s(shown: str, mbps: float) -> None:
    rates = qdiscs.parse_classes({"r1": {"r1-hub": HTB.format(rate=shown)}}, "class")
    assert rates == {("r1", "r1-hub"): pytest.approx(mbps, rel=1e-12)}


@pytest.mark.parametrize("text", ["", "Error: no class", HTB.format(rate="5Mbit") * 2])
def test_classes_of_something_else_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"class-end\.json: not what `tc -s class`"):
        qdiscs.parse_classes({"r1": {"r1-hub": text}}, "class-end.json")


def test_htb_without_its_classes_is_refused(tmp_path: Path) -> None:
    htb = {"kind": "htb", "handle": "5:", "root": True, "dev": "r1-hub"}
    (tmp_path / "qdisc-end.json").write_text(json.dumps({"r1": [htb]}))
    with pytest.raises(ValueError, match=r"class-end\.json"):
        qdiscs.read(tmp_path / "qdisc-end.json")


def test_a_trace_without_a_subflow() -> None:
    """A run of datagrams, or of QUIC, leaves the head of the table alone."""
    head = ",".join([*trace.COLUMNS, "increase_2^-40", "interval"])
    frame = trace.parse(f"{head}\n", "trace.csv")
    assert frame.empty and {"connection", "throughput_mbps"} <= {*frame.columns}
    with pytest.raises(ValueError, match="line 2 does not have"):
        trace.parse(f"{head}\n1,client\n", "trace.csv")


def test_links_of_ip_and_of_the_guest_read_alike() -> None:
    of_ip = links.read(CAPTURED / "mptcp/link-end.json")
    of_guest = links.read(CAPTURED / "guest-mptcp/link-end.json")
    assert {link.node for link in of_ip} == {"client", "server", "r1", "r2"}
    assert {link.node for link in of_guest} == {"client", "server", "r1", "r2", "hub"}
    for link in (*of_ip, *of_guest):
        assert link.interface != "lo"
        assert link.dropped == link.errors == 0
    with pytest.raises(ValueError, match="not counters of interfaces"):
        links.parse({"r1": [{"ifname": "x"}]}, "link.json")


def test_outcome() -> None:
    end = outcome.read(CAPTURED / "guest-mptcp/outcome.json")
    assert end.error is None
    assert end.links[1].forward == ("r2", "r2-hub")
    assert {process.exit_code for process in end.processes} == {0}
    assert end.transports["client"]["congestion_control"] == "reno"


def test_outcome_of_a_failure_or_of_another_format() -> None:
    document = {"format": 1, "status": "failed", "error": "NetworkError: r1: no tbf"}
    assert outcome.parse(document, "outcome.json").error == "NetworkError: r1: no tbf"
    with pytest.raises(ValueError, match="format 2; this version reads 1"):
        outcome.parse({"format": 2}, "outcome.json")
