"""Tests that the jobs of benchmarks are jobs; nothing is executed."""

import jobs
from benchmarks import growth, idle, virtual_lab_speed


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
