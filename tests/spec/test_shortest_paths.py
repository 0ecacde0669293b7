"""`path: shortest`: each TCP of a data centre takes a path with the fewest links."""

from typing import Any

import pytest

from jobs import dump
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan, shortest_paths
from tests.parts import part
from topologies.families import centre

TEXT = """\
name: shortest
topology: {topology}
cases:
  tcp: {{protocol: tcp, congestion_control: reno, path: {path}}}
  lia: {{protocol: mptcp, congestion_control: lia}}
traffic:
  - {{tool: flows, from: hosts, to: {to}, duration: 2 s}}
repetitions: 2
"""


def jobs(
    topology: str = "bcube-n3-k2", path: str = "shortest", to: str = "TP1"
) -> list[dict[str, Any]]:
    text = TEXT.format(topology=topology, path=path, to=to)
    return [dump(run.job) for run in make_plan(loads(text), {}).runs]


def digits(host: str, n: int) -> list[int]:
    number = int(host[1:]) - 1
    return [number // n**level % n for level in range(3)]


@pytest.mark.parametrize("to", ["TP1", "TP2", "TP3", "all"])
def test_the_path_begins_at_a_level_where_the_hosts_differ(to: str) -> None:
    (entry,) = jobs(to=to)[0]["traffic"]
    assert len(entry["paths"]) == len(entry["pairs"])
    for (here, there), path in zip(entry["pairs"], entry["paths"], strict=True):
        assert digits(here, 3)[path - 1] != digits(there, 3)[path - 1]


def test_paths_have_as_many_switches_as_levels_differ() -> None:
    made = centre("bcube-n3-k2")
    for there in list(made.ports)[1:]:
        differ = sum(digits(there, 3)[level] != 0 for level in range(3))
        found = shortest_paths.numbers("bcube-n3-k2", "h1", there)
        assert len(found) == differ
        for path in found:
            (chain,) = made.chains("h1", path - 1, there)
            assert len(chain) == 2 * differ + 1


def test_the_highest_path_is_the_shortest_from_the_last_level_that_differs() -> None:
    found = [
        job
        for job in jobs(path="highest", to="all")
        if job["transport"]["protocol"] == "tcp"
    ]
    for job in found:
        (entry,) = job["traffic"]
        for (here, there), path in zip(entry["pairs"], entry["paths"], strict=True):
            ends = zip(digits(here, 3), digits(there, 3), strict=True)
            differ = [level for level, (a, b) in enumerate(ends, start=1) if a != b]
            assert path == max(differ)
    assert found[0]["traffic"][0]["paths"] == found[1]["traffic"][0]["paths"]
    # It is the order of all digits, from the highest level down.
    (chain,) = centre("bcube-n3-k2").chains("h1", 2, "h27")
    assert [node[1] for node in chain if node[0] == "s"] == ["2", "1", "0"]


def test_the_seed_draws_among_paths_of_one_length() -> None:
    first, second = (
        job for job in jobs(to="all") if job["transport"]["protocol"] == "tcp"
    )
    paths = [job["traffic"][0]["paths"] for job in (first, second)]
    assert paths[0] != paths[1]
    assert paths[0] == jobs(to="all")[0]["traffic"][0]["paths"]
    counts = [paths[0].count(path) for path in (1, 2, 3)]
    assert min(counts) > 0.8 * sum(counts) / 3


def test_flows_open_from_the_port_of_their_path() -> None:
    (job, *_) = jobs()
    (entry,) = job["traffic"]
    assert job["transport"]["path"] is None
    lines = [
        line.split()
        for line in part("flows", "prepare").text(job_format.load(job)).splitlines()
    ]
    sources = {line[3]: line[4] for line in lines if line[0] == "flow"}
    for (here, _), path in zip(entry["pairs"], entry["paths"], strict=True):
        assert sources[here].split(".")[1] == str(path - 1)


def test_users_of_one_pair_draw_each_their_path() -> None:
    text = TEXT.format(topology="bcube-n3-k2", path="shortest", to="h27")
    text = text.replace("from: hosts", "from: h1")
    (job, *_) = [dump(run.job) for run in make_plan(loads(text), {}).runs]
    (entry,) = job["traffic"]
    assert len(entry["paths"]) == entry["users"] == 1


def test_a_fattree_has_paths_of_one_length_only() -> None:
    (job, *_) = jobs("fattree-k4")
    assert set(job["traffic"][0]["paths"]) == {1}


def test_other_jobs_have_no_paths() -> None:
    mptcp = [job for job in jobs() if job["transport"]["protocol"] == "mptcp"]
    for job in (*jobs(path="1"), *mptcp):
        assert "paths" not in job["traffic"][0]


def test_a_job_of_other_paths_is_refused() -> None:
    (job, *_) = jobs()
    (entry,) = job["traffic"]
    entry["paths"] = [*entry["paths"][:-1], 4]
    with pytest.raises(ValueError, match="has no path 4"):
        job_format.load(job)
    entry["paths"] = entry["paths"][:-1]
    with pytest.raises(ValueError, match="one path per user"):
        job_format.load(job)


def test_other_tools_take_a_path_by_its_number() -> None:
    text = TEXT.format(topology="bcube-n3-k2", path="shortest", to="h9")
    text = text.replace("from: hosts", "from: h1").replace("flows", "iperf3")
    with pytest.raises(UserError) as caught:
        loads(text, "f.yaml")
    told = str(caught.value)
    assert told.startswith(
        "f.yaml:4: cases.tcp.path: iperf3 takes a path by its number"
    )
