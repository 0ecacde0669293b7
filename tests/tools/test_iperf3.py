"""iperf3: what its keys become in the commands of a run."""

import json
from typing import Any

import pytest

from jobs import dump, load
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tools.iperf3.processes import processes

FILE = """\
name: bulk
topology: two_path
cases: {only: {protocol: mptcp, congestion_control: cubic}}
traffic: [{tool: iperf3, from: client, to: server, duration: 5 sMORE}]
"""


def entry(more: str) -> dict[str, Any]:
    (run,) = make_plan(loads(FILE.replace("MORE", more)), {}).runs
    found: dict[str, Any] = dump(run.job)["traffic"][0]
    return found


@pytest.mark.parametrize(
    "more, said", [("", False), (", nodelay: true", True), (", nodelay: false", False)]
)
def test_nagle_is_switched_off_where_the_file_says_so(more: str, said: bool) -> None:
    assert ("nodelay" in entry(more)) == said, "the usual value is no part of the job"
    (run,) = make_plan(loads(FILE.replace("MORE", more)), {}).runs
    job = load(json.loads(json.dumps(dump(run.job))))
    one: Any = job.traffic[0]
    server, client = processes(0, one, job.transport, lambda *_: "10.0.0.1")
    assert ("--no-delay" in client.argv) == said
    assert "--no-delay" not in server.argv
