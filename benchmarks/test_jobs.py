"""Tests that the jobs of benchmarks are jobs; nothing is executed."""

import jobs
from benchmarks import growth, virtual_lab_speed


def test_every_job_of_the_lab_s_speed() -> None:
    for case in virtual_lab_speed.cases("coalesced", 16384):
        assert jobs.load(case.job).traffic, case.name


def test_the_network_without_traffic_of_growth() -> None:
    (entry,) = jobs.load(growth.without_traffic(2, 4)).traffic
    assert entry.tool == "command"
