"""A search for a queue in guests: the queue that gave the number is found."""

import json
from pathlib import Path

import pytest

from analysis.run.row import row
from tests.calls import Command

from .lab import Lab, job_of

PARAMETERS = {"path1.capacity": "10 Mbit/s", "path1.delay": "20 ms"}
CASE = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}
QUEUE = 8
FILE = """\
name: shortqueue
topology: two_path
parameters: {{path1.capacity: 10 Mbit/s, path1.delay: 20 ms}}
observed: {{goodput: {mbps} Mbit/s, within: 6 %}}
unknown: {{path1.queue: [2, 40]}}
cases: {{tcp: {{protocol: tcp, congestion_control: cubic, path: 1}}}}
traffic: [{{tool: iperf3, from: client, to: server, duration: 4 s}}]
"""


def test_a_queue_that_gave_the_number_is_found(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of(
        tmp_path,
        topology="two_path",
        parameters={**PARAMETERS, "path1.queue": QUEUE},
        cases={"tcp": CASE},
        traffic=[
            {"tool": "iperf3", "from": "client", "to": "server", "duration": "4 s"}
        ],
    )
    _, artefacts = Lab(tmp_path).execute(job)
    mbps = row(artefacts.parent)["goodput_mbps"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.yaml").write_text(FILE.format(mbps=round(mbps, 3)))
    done = command("diagnose", tmp_path / "f.yaml", "--runs", "12", "--rounds", "2")
    assert done.status == 0, done.err + done.out
    kept = tmp_path / "results/shortqueue-diagnosis/diagnosis.json"
    answer = json.loads(kept.read_text())
    queues = [one["unknown"]["path1.queue"] for one in answer["fits"]]
    assert min(queues) <= QUEUE + 3 and max(queues) >= QUEUE - 3
    assert answer["influence"]["path1.queue"] > 0.14
