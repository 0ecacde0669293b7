"""C-MPBBR closes a subflow without a benefit, and the connection goes on."""

import csv
from pathlib import Path

import pytest

from .lab import Lab, job_of

ENDS = {"tool": "iperf3", "from": "client", "to": "server", "duration": "8 s"}
PARAMETERS = {
    **{"path1.capacity": "20 Mbit/s", "path2.capacity": "5 Mbit/s"},
    **{"path1.delay": "10 ms", "path2.delay": "10 ms"},
    "path1.queueing_delay": "400 ms",
}


@pytest.mark.parametrize("benefit", [1, 0])
def test_the_slower_subflow_is_closed(tmp_path: Path, benefit: int) -> None:
    """At 4 s path 1 delivers a twentieth of what BBR remembers of it.

    With the strictest rule the other path, which still counts as the slower one, is
    closed at its next look; with 0 the rule is off.
    """
    control = {"name": "cmpbbr", "benefit": benefit, "cycles": 1}
    job = job_of(
        tmp_path,
        topology="two_path",
        parameters=PARAMETERS,
        changes={"path1": {"at": {"4 s": {"capacity": "1 Mbit/s"}}}},
        cases={
            "only": {
                "protocol": "mptcp",
                "congestion_control": control,
                "scheduler": "lowrtt",
            }
        },
        traffic=[ENDS],
    )
    ended, artefacts = Lab(tmp_path / "lab").execute(job)
    assert ended.status == "finished", ended.reason
    rows = list(csv.DictReader((artefacts / "events.csv").read_text().splitlines()))
    closed = [
        row for row in rows if row["event"] == "sub_closed" and row["host"] == "client"
    ]
    assert [row["local"].split(":")[0] for row in closed] == ["10.0.2.2"] * benefit
    assert all(4 <= float(row["time_s"]) < 5 for row in closed)
    last = [float(row["time_s"]) for row in rows if row["event"] == "closed"]
    assert max(last) > 8
