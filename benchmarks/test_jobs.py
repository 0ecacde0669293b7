"""Tests that the jobs of benchmarks are jobs; nothing is executed."""

import pytest

import jobs
from benchmarks import growth, idle, offload_networks, virtual_lab_speed
from mpbench.experiment_files import loads
from mpbench.plan import make_plan


def test_every_job_of_the_lab_s_speed() -> None:
    for case in virtual_lab_speed.cases("coalesced", 16384):
        assert jobs.load(case.job).traffic, case.name


def test_the_network_without_traffic_of_growth() -> None:
    (entry,) = jobs.load(growth.without_traffic(2, 4)).traffic
    assert entry.tool == "command"


def test_every_job_of_idle_connections() -> None:
    made = {name: jobs.load(asked) for name, asked in idle.jobs_by_name().items()}
    assert made.keys() == idle.KINDS.keys()
    hours = [made[name] for name, (_, _, aimed) in idle.KINDS.items() if aimed]
    assert [one.traffic[0].between_s for one in hours] == [3600.0] * 3
    assert [one.tool for one in hours[-1].traffic] == ["pingpong", "proxy"]


@pytest.mark.parametrize("name", offload_networks.NETWORKS)
def test_every_network_of_whole_segments(name: str) -> None:
    plain = offload_networks.FABRIC + offload_networks.text(name, 5)
    for spec in plain, *offload_networks.ways(name, 5).values():
        runs = make_plan(loads(spec), {}).runs
        assert [run.case for run in runs] == ["MPTCP", "TCP"]
