"""Bounds of a run's time, by default and as told."""

import pytest

from mpbench.engine.bounds import bounds
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from mpbench.plan.estimate import HOST_S, estimate
from mpbench.plan.runs import Run

CASE = "cases: {a: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}}\n"
LARGE = f"""
name: large
topology: fattree-k8
{CASE}
traffic: [{{tool: flows, from: hosts, to: TP1, duration: 20 s}}]
"""
SMALL = f"""
name: small
topology: two_path
parameters:
  {{path1.capacity: 10 Mbit/s, path2.capacity: 10 Mbit/s, path1.delay: 10 ms,
   path2.delay: 10 ms, path1.queue: 50, path2.queue: 50}}
{CASE}
traffic: [{{tool: iperf3, from: client, to: server, duration: 20 s}}]
"""


def run_of(text: str) -> Run:
    (run,) = make_plan(loads(text), {}).runs
    return run


def test_a_small_run_has_minutes_and_ten_times_its_virtual_time() -> None:
    job = run_of(SMALL).job
    found = bounds(job)
    assert found.wall_s == 60 + 10 * job.time_limit_s and found.silence_s == 120
    told = bounds(job, 5.0, 7.0)
    assert (told.wall_s, told.silence_s) == (5.0, 7.0)
    assert told.virtual_s == job.time_limit_s


def test_a_data_centre_has_ten_times_what_it_is_estimated_to_take() -> None:
    """With 570 s, a run of 340 s of CPU time was given up beside other work."""
    job = run_of(LARGE).job
    estimated_s = estimate(job).wall_s
    assert estimated_s > 120
    found = bounds(job)
    assert found.wall_s == pytest.approx(60 + 10 * estimated_s)
    assert found.silence_s == pytest.approx(estimated_s)


def test_each_host_of_a_data_centre_takes_time_to_set_up() -> None:
    idle = LARGE.replace("tool: flows, from: hosts, to: TP1, duration: 20 s", "IDLE")
    idle = idle.replace(
        "IDLE", 'tool: command, from: h1, to: h2, client: ["true"], duration: 1 s'
    )
    small = estimate(run_of(idle.replace("k8", "k4")).job).wall_s
    large = estimate(run_of(idle).job).wall_s
    assert large - small == pytest.approx((128 - 16) * HOST_S)
