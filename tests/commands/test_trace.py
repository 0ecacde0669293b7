"""``mpbench trace``: the statistics of what it writes, and its faults."""

import statistics
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from jobs import dump
from mpbench.experiment_files import load
from mpbench.plan import delivery_traces, make_plan
from mpbench.radio_traces import KINDS, Model, opportunities_ms, rates_mbps
from tests.calls import Command


@pytest.mark.parametrize("kind", KINDS)
def test_mean_variation_and_coherence(kind: str) -> None:
    model = KINDS[kind]
    lasts_s = 1000 * model.coherence_s
    rates = np.array(rates_mbps(model, 20.0, lasts_s, seed=3))
    assert rates.mean() == pytest.approx(20, rel=1e-9)
    # 1,000 coherence times are about 500 independent values.
    assert rates.std() / rates.mean() == pytest.approx(model.variation, rel=0.15)
    logs = np.log(rates) - np.log(rates).mean()
    lag = round(model.coherence_s * 1e3)
    correlation = (logs[:-lag] * logs[lag:]).mean() / (logs**2).mean()
    assert correlation == pytest.approx(np.exp(-1), abs=0.1)
    normal = np.abs(logs / logs.std())
    assert (normal < 1).mean() == pytest.approx(0.683, abs=0.06)


def test_outages_have_their_mean_times() -> None:
    model = Model(0.3, 0.1, outage_every_s=5.0, outage_s=1.0)
    out = np.array(rates_mbps(model, 10.0, 3000.0, seed=1)) == 0
    begins = np.flatnonzero(np.diff(out.astype(int)) == 1)
    assert out.mean() == pytest.approx(1 / 6, abs=0.02)
    assert 3000 / len(begins) == pytest.approx(6, rel=0.12)


def test_without_variation_the_capacity_is_constant() -> None:
    flat = replace(KINDS["lte"], variation=0.0)
    assert rates_mbps(flat, 12.112, 1.0, 1) == pytest.approx([12.112] * 1000)
    assert opportunities_ms([12.112] * 50) == list(range(1, 51))
    assert opportunities_ms([6.056] * 6) == [2, 4, 6]
    assert opportunities_ms([6.056] * 5) == [2, 4, 5]


def test_the_file_follows_from_the_seed(tmp_path: Path, command: Command) -> None:
    texts = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        out = tmp_path / name
        done = command("trace", "lte", "--seed", seed, "--duration", "5 s", "-o", out)
        assert done.status == 0, done.err
        texts.append(out.read_text())
    assert texts[0] == texts[1] != texts[2]
    times = [int(line) for line in texts[0].split()]
    assert all(a <= b for a, b in pairwise(times)) and times[-1] == 5000
    trace = delivery_traces.read(str(tmp_path / "a"), "a")
    assert trace.mean_mbps == pytest.approx(20, rel=1e-3)


def test_an_experiment_takes_the_file(tmp_path: Path, command: Command) -> None:
    out = tmp_path / "lte.trace"
    done = command(
        "trace", "lte", "--mean", "8 Mbit/s", "--duration", "10 s", "--out", out
    )
    assert "changes: {LINK: {trace: lte.trace, repeat: true}}" in done.out
    file = tmp_path / "f.yaml"
    file.write_text(
        "name: t\ntopology: two_path\ncases: {a: {protocol: mptcp,"
        " congestion_control: lia}}\ntraffic: [{tool: iperf3, from: client, to:"
        " server, duration: 60 s}]\nchanges: {path1: {trace: lte.trace, repeat: true}}"
    )
    (run,) = make_plan(load(file), {}).runs
    (one,) = dump(run.job)["changes"]
    assert one["period_s"] == 10 and len(one["at_s"]) > 80
    assert np.mean(one["values"]) == pytest.approx(8, rel=0.1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mean", "20"], "--mean: '20' has no unit; write '20 Mbit/s'"),
        (["--mean", "0 Mbit/s"], "--mean: 0 Mbit/s is out of range"),
        (["--duration", "2 h"], "--duration: 7200 s is out of range; it is 1 to 3600"),
        (["--duration", "1 h", "--mean", "1 Gbit/s"], "more than 4000000 packets"),
        (["--coherence", "0 s"], "--coherence: 0 s is out of range"),
        (
            ["--outage-every", "1 ms", "--outage-length", "1 h"],
            "outages fill more than 95%",
        ),
    ],
)
def test_faults(
    tmp_path: Path, command: Command, arguments: list[str], words: str
) -> None:
    done = command("trace", "wifi", "-o", tmp_path / "t", *arguments)
    assert done.status == 2 and words in done.err and "Traceback" not in done.err
    assert not (tmp_path / "t").exists()


def test_no_file_is_overwritten(tmp_path: Path, command: Command) -> None:
    (tmp_path / "t").write_text("mine")
    done = command("trace", "lte", "-o", tmp_path / "t")
    assert done.status == 2 and "is there already" in done.err
    assert (tmp_path / "t").read_text() == "mine"
    done = command("trace", "lte", "-o", tmp_path / "no" / "t")
    assert done.status == 2 and "No such file" in done.err


def test_two_models_fade_independently_under_one_seed() -> None:
    """Two nearly equal models have a correlation of 0.998 if they share their draws."""
    fast = replace(KINDS["lte"], coherence_s=0.9)
    both = [rates_mbps(model, 10.0, 600.0, 1) for model in (KINDS["lte"], fast)]
    assert abs(statistics.correlation(*(rates[::1000] for rates in both))) < 0.15
