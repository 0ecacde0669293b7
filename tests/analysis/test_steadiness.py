"""Settling times, jitter, round-trip times and distances from fairness."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import yaml

from analysis.models import max_min
from analysis.models.networks import Network, User
from analysis.run import absent, needs, row, trace_metrics
from analysis.run.payload import TCP_SHARE
from analysis.run.readers import trace
from analysis.run.steadiness import Rate, _named, rate_jitter, settling_time_s
from tests import made_jobs
from tests.calls import Command

RENO = {"protocol": "tcp", "congestion_control": "reno"}


def rates(values: Sequence[float]) -> list[Rate]:
    return [Rate(10 + i, 11 + i, value) for i, value in enumerate(values)]


def naive(values: Sequence[float]) -> float:
    """The definition, second by second."""
    late = values[len(values) // 2 :]
    mean = sum(late) / len(late)
    for t in range(len(values) - 4):
        if all(abs(v - mean) <= 0.25 * mean for v in values[t : t + 5]):
            return t
    return len(values)


@pytest.mark.parametrize(
    ("values", "settled"),
    [
        ([100] * 10, 0),
        ([10, 50, 76, *[100] * 9], 2),
        # A dip after three seconds begins the five seconds again.
        ([100, 100, 100, 50, *[100] * 8], 4),
        # What comes after five good seconds does not matter.
        ([10, *[100] * 5, 10, *[100] * 9], 1),
        ([50, 150] * 10, 20),
        ([100] * 4, 4),
    ],
)
def test_a_rate_settles(values: list[float], settled: float) -> None:
    assert settling_time_s(rates(values)) == settled == naive(values)


def test_jitter_is_of_the_last_half() -> None:
    assert rate_jitter(rates([1, 1, 1000, 1, 8, 12, 8, 12])) == pytest.approx(0.2)
    assert rate_jitter(rates([1, 8, 12])) == pytest.approx(0.2)
    for function in (rate_jitter, settling_time_s):
        with pytest.raises(ValueError, match="mean rate is 0"):
            function(rates([5, 0]))


@pytest.mark.parametrize(
    ("values", "jitter"),
    [([4], None), ([3, 7], None), ([1, 8, 12], 0.2), ([5, 5, 5, 5], 0)],
)
def test_one_window_has_no_jitter(values: list[float], jitter: float | None) -> None:
    """A 0 there would say that the rate was constant, which nobody has seen."""
    entries: Any = [SimpleNamespace(name="bulk", background=False)]
    columns = _named("", entries, {0: rates(values)})
    assert columns["rate_jitter"] == columns["bulk.rate_jitter"]
    assert columns["rate_jitter"] == (jitter and pytest.approx(jitter))


@pytest.mark.parametrize(
    ("goodput", "metric", "reason"),
    [
        (9.0, "rate_jitter", "two windows of 1 s"),
        (9.0, "settling_time", "of more than 5 s"),
        (0.0, "rate_jitter", "nothing arrived"),
        (0.0, "settling_time", "nothing arrived"),
    ],
)
def test_a_short_transfer_says_what_it_lacks(
    goodput: float, metric: str, reason: str
) -> None:
    run: Any = SimpleNamespace(traffic=[SimpleNamespace(name="bulk")])
    column = needs.column(metric, "path1")
    columns = {
        "rate_jitter": None,
        "settling_time_s": None,
        "bulk.goodput_mbps": goodput,
    }
    assert reason in absent._of_rates(run, columns, metric, column)


@pytest.fixture
def measured(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> pd.DataFrame:
    """Three users on two links of 30 and 10 Mbit/s, without a kernel."""
    monkeypatch.chdir(tmp_path)
    starts = {"multi": "0 s", "single1": "0 s", "single2": "0 s"}
    values = {
        **{"name": "users", "topology": "two_links", "trace": "500 ms"},
        "parameters": {"link1.capacity": "30 Mbit/s", "link2.capacity": "10 Mbit/s"},
        "cases": {"lia": {"protocol": "mptcp", "congestion_control": "lia"}},
        "traffic": [
            {
                **{"tool": "iperf3", "from": host, "to": f"server_{host}"},
                **{"duration": "20 s", "start": start},
                **({} if host == "multi" else {"transport": RENO}),
            }
            for host, start in starts.items()
        ],
        "phases": {"short": "4 s..8 s", "late": "8 s..20 s"},
        "metrics": ["smoothed_rtt", "settling_time", "rate_jitter", "max_min_distance"],
    }
    Path("f.yaml").write_text(yaml.safe_dump(values))
    called = command("run", "f.yaml", "--backend", "fake", "-j", "1")
    assert called.status == 0, called.out + called.err
    return pd.read_csv("results/users/runs.csv")


def test_columns_of_a_run(measured: pd.DataFrame) -> None:
    """The fake backend's rates are constant, so nothing has to settle."""
    (run,) = measured.to_dict("records")
    assert run["verdict"] == "ok"
    users = ("multi", "single1", "single2")
    for prefix in ("", "late."):
        for name in users:
            assert run[f"{prefix}{name}.settling_time_s"] == 0
            assert run[f"{prefix}{name}.rate_jitter"] < 0.01
            assert run[f"{prefix}{name}.srtt_ms"] > 20
            # Four seconds cannot say whether a rate stays where it is for five.
            assert math.isnan(run[f"short.{name}.settling_time_s"])
            assert run[f"short.{name}.rate_jitter"] < 0.01
        means = [run[f"{prefix}{name}.srtt_ms"] for name in users]
        assert run[f"{prefix}srtt_ms"] == pytest.approx(sum(means) / 3)
        network = Network(
            links={"1": 30 * TCP_SHARE, "2": 10 * TCP_SHARE},
            users={
                "multi": User((("1",), ("2",))),
                "single1": User((("1",),)),
                "single2": User((("2",),)),
            },
        )
        goodputs = {name: run[f"{prefix}{name}.goodput_mbps"] for name in users}
        wanted = max_min.distance(network, goodputs)
        assert run[f"{prefix}max_min_distance"] == pytest.approx(wanted)


def test_round_trips_need_no_phase(tmp_path: Path) -> None:
    lines = [",".join(trace.COLUMNS)]
    for second in range(20):
        for end, rtt in (
            ("10.0.0.1:5", 20_000 + 1000 * second),
            ("10.0.1.1:5", 60_000),
        ):
            tail = f"0,0,9,9,{rtt},0,{200_000 * second}"
            lines.append(f"{second}.0,u,1,{end},10.0.0.2:6,ab,{tail}")
    (tmp_path / "trace.csv").write_text("\n".join(lines) + "\n")
    job: dict[str, Any] = {
        **{"format": 2, "parameters": {}, "links": []},
        **{"transport": {"protocol": "mptcp"}, "trace_s": 1.0},
        "traffic": [{"tool": "iperf3", "from": "u", "to": "s", "duration_s": 20.0}],
    }
    found = trace_metrics.columns(tmp_path, made_jobs.whole(job))
    # Nothing was acknowledged before the first sample, so it has no weight.
    assert found == {"srtt_ms": pytest.approx((30 + 60) / 2)}
    job["report"] = {"names": None, "phases": {"late": [10, 20]}}
    found = trace_metrics.columns(tmp_path, made_jobs.whole(job))
    assert found["late.srtt_ms"] == pytest.approx((34.5 + 60) / 2)


def test_a_round_trip_has_the_weight_of_its_data(tmp_path: Path) -> None:
    """One subflow carries nine tenths at 20 ms; another carries nothing at 900 ms."""
    lines = [",".join(trace.COLUMNS)]
    for second in range(11):
        for end, rtt, acked in (
            ("10.0.0.1:5", 20_000, 900_000 * second),
            ("10.0.1.1:5", 120_000, 100_000 * second),
            ("10.0.2.1:5", 900_000, 0),
        ):
            tail = f"0,0,9,9,{rtt},0,{acked}"
            lines.append(f"{second}.0,u,1,{end},10.0.0.2:6,ab,{tail}")
    (tmp_path / "trace.csv").write_text("\n".join(lines) + "\n")
    job: dict[str, Any] = {
        **{"format": 2, "parameters": {}, "links": []},
        **{"transport": {"protocol": "mptcp"}, "trace_s": 1.0},
        "traffic": [{"tool": "iperf3", "from": "u", "to": "s", "duration_s": 10.0}],
    }
    found = trace_metrics.columns(tmp_path, made_jobs.whole(job))
    assert found == {"srtt_ms": pytest.approx(0.9 * 20 + 0.1 * 120)}


def test_a_run_by_size_has_none_of_these(make_run: Any) -> None:
    found = row.row(make_run("mptcp-sized"))
    assert "settling_time_s" not in found and "max_min_distance" not in found
    json.dumps(found)
