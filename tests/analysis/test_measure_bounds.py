"""Parts of a run, windows, links and models at the values where they change."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from analysis.campaign import cross_run_metrics, model_validation
from analysis.run import disciplines, link_measures, steadiness, trace_metrics
from analysis.run.tools import Flow
from jobs import FRAME_BYTES
from tests.analysis.test_conservation import CBR, ENTRY, made, packets
from tests.parts import part

LENGTHS = tuple((float(n), n + 1.0) for n in range(8))


def iperf3(spans: Sequence[tuple[float, float]], count: int = 1000) -> Any:
    """A receiver that read so many bytes in each of some intervals."""
    reader, results = part("iperf3", "reader"), part("iperf3", "results")
    intervals = tuple(
        reader.Interval(*span, count * n, (count * n,), False)
        for n, span in enumerate(spans, start=1)
    )
    report = reader.Report("3.12", None, 1, intervals)
    return results.Reports(client=report, server=report)


def test_an_interval_counts_by_its_time_inside() -> None:
    run = made({**ENTRY, "duration_s": 2.0}, reports=(iperf3(LENGTHS[:2]),))
    entry, found = run.traffic[0], part("iperf3", "results").part
    # half of the first interval's 1000 bytes, and a quarter of the second one's 2000
    assert found(entry, run.reports[0], 0.5, 1.25) == Flow(0.75, 1000, (1000,))
    assert found(entry, run.reports[0], 0.0, 2.0) == Flow(2.0, 3000, (3000,))
    assert found(entry, run.reports[0], 2.0, 3.0) is None


@pytest.mark.parametrize(("end_s", "count"), [(2.049, 3000), (2.051, 1000)])
def test_a_last_interval_may_be_late_by_a_twentieth(end_s: float, count: int) -> None:
    spans = ((0.0, 1.0), (1.0, end_s))
    run = made({**ENTRY, "duration_s": 2.0}, reports=(iperf3(spans),))
    found = part("iperf3", "results").flow(run.traffic[0], run.reports[0])
    assert found.bytes == count


def test_a_last_message_interval_ends_with_the_writer() -> None:
    results = part("cbr", "results")
    report = results.Messages(5, 5, 2.5, 1.0, (10, 10, 6, 0), {})
    (entry,) = made(CBR, reports=(report,)).traffic
    assert results.part(entry, report, 2.0, 2.25) == Flow(0.25, 3.0, ())
    assert results.part(entry, report, 0.0, 9.0) == Flow(2.5, 26.0, ())
    lost = results.columns(entry, results.Report(100, 80, 0, 1.0))
    assert lost["packet_loss_ratio"] == 0.2


def test_a_request_time_counts_those_at_a_time() -> None:
    report = part("ab", "reader").Report(
        *("nginx", 2.0, 4, 16, 0, {}, 0, None, 100, {0: 1.0, 100: 9.0})
    )
    found = part("ab", "results").columns(None, report)
    assert found["request_time_ms"] == 500 and found["requests_per_s"] == 8


def test_the_longest_wait_of_a_proxy() -> None:
    results = part("proxy", "results")
    report = results.Report(2, 2, 0, 1, 1, 1, (0.001, 0.003), (1.0, 2.0), "")
    assert results.columns(None, report)["proxy.longest_wait_ms"] == 3


@pytest.mark.parametrize(("end_s", "number"), [(2.91, 3), (2.89, 2)])
def test_a_window_that_is_much_shorter_is_left_out(end_s: float, number: int) -> None:
    spans = (*LENGTHS[:2], (2.0, end_s))
    run = made({**ENTRY, "duration_s": 3.0}, reports=(iperf3(spans),))
    assert len(steadiness._windows(run, 0)) == number


@pytest.mark.parametrize(("seconds", "there"), [(8, True), (7, False)])
def test_a_phase_needs_an_entry_for_half_of_it_less_two_windows(
    seconds: int, there: bool
) -> None:
    run = made(
        {**ENTRY, "duration_s": float(seconds)},
        reports=(iperf3(LENGTHS[:seconds]),),
        client_s=((0.0, float(seconds)),),
        report={"names": ["a"], "phases": {"part": [0.0, 20.0]}},
    )
    assert ("part.a.rate_jitter" in steadiness.columns(run)) == there


def test_losses_and_times_of_a_link() -> None:
    run = made(CBR, reports=(packets(1),))
    (link,) = run.links
    counts: dict[str, Any] = {"queue_drops": 3, "other_drops": 2, "packets": 95}
    counts["bytes"] = 2_500_000
    run = replace(run, links=(replace(link, forward=replace(link.forward, **counts)),))
    found = link_measures.columns(run, 2.0)
    assert found["a.up.loss_probability"] == 0.05 == found["loss_probability"]
    assert found["a.up.drops_per_s"] == 2.5
    assert found["a.up.busy_s"] == pytest.approx(2)
    assert found["a.down.loss_probability"] is None
    twice = replace(run, outcome=replace(run.outcome, links=run.outcome.links * 2))
    assert link_measures.columns(twice, 2.0)["a.up.busy_s"] == pytest.approx(1)


@pytest.mark.parametrize(("protocol", "payload"), [("tcp", 1448), ("mptcp", 1428)])
def test_full_packets_at_the_rate_use_all_of_it(protocol: str, payload: int) -> None:
    entry = {**ENTRY, "duration_s": 1.0}
    run = made(entry, reports=(iperf3(LENGTHS[:1]),), protocol=protocol)
    moved = [Flow(1.0, 1000 * payload, ())]
    mbps = 8e-3 * FRAME_BYTES
    found = link_measures.payload_utilisation(run, moved, 1.0, [mbps])
    assert found == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "wanted", "shown", "told"),
    [
        ("codel target_ms", 0.05, 0.0515, False),
        ("codel target_ms", 0.05, 0.0525, True),
        ("corruption_percent", 0.05, 0.05009, False),
        ("corruption_percent", 0.05, 0.05011, True),
        ("corruption_percent", 10.0, 10.009, False),
        ("corruption_percent", 10.0, 10.011, True),
    ],
)
def test_what_tc_shows_is_rounded(
    name: str, wanted: float, shown: float, told: bool
) -> None:
    said = list(disciplines.differences({name: wanted}, {name: shown}))
    assert bool(said) == told


def test_a_path_with_nine_tenths_of_all_windows_makes_one_sided() -> None:
    windows = [(0.0, 1, 9), (0.0, 2, 1), (1.0, 1, 8), (1.0, 2, 1), (2.0, 2, 5)]
    samples = pd.DataFrame(windows, columns=["time_s", "path", "cwnd"])
    assert trace_metrics._one_sided(samples) == pytest.approx(2 / 3)


def test_the_late_half_of_a_phase_begins_in_its_middle() -> None:
    samples = pd.DataFrame({"time_s": [0.0, 5.0, 10.0], "cwnd": [1, 20, 40]})
    found = trace_metrics._of_path("p", samples, 0.0, 10.0)
    assert found == {"p.cwnd": 30, "p.rise_s": 10, "p.cwnd_is_1": pytest.approx(1 / 3)}


def test_a_model_above_what_was_sent_has_an_error_above_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared = model_validation.Compared(
        0, "lia", (0.1, 0.0), (1.0, 1.0), (100.0, 50.0), (120.0, 40.0), (0.0, 0.0)
    )
    monkeypatch.setattr(model_validation, "compare", lambda row: compared)
    found = cross_run_metrics._model({}, ("a", "b"))
    assert found["a.model_error_packets_per_s"] == 20
    assert found["a.model_error_arrived_packets_per_s"] == pytest.approx(30)
    assert found["b.model_error_packets_per_s"] == -10
