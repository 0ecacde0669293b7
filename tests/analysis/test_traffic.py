"""The entries of a run, as the analysis sees them in its job."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.run import row, traffic
from analysis.run.readers import job as job_file
from mpbench.experiment_files import loads
from mpbench.plan import make_plan
from tests import made_jobs

MPTCP = {"protocol": "mptcp", "scheduler": "lowrtt"}
TCP = made_jobs.transport({"protocol": "tcp", "path": 2})
ENTRY = {"tool": "iperf3", "duration_s": 5.0}
NETWORK = """\
name: n
network:
  links: {a: {capacity: 9 Mbit/s, delay: 5 ms}, b: {capacity: 9 Mbit/s, delay: 5 ms}}
  users: {u: {paths: [a, {links: b, backup: true}]}}
cases: {only: CASE}
traffic: [{tool: iperf3, from: u, to: server_u, duration: 5 s}]
"""


def entries(*given: dict[str, Any], **more: Any) -> tuple[traffic.Traffic[Any], ...]:
    job = made_jobs.whole({"transport": MPTCP, "traffic": list(given), **more})
    return traffic.of_job(job)


def test_an_entry_has_its_own_transport_or_that_of_the_case() -> None:
    own, case = entries({**ENTRY, "transport": TCP}, {**ENTRY, "port": 5202})
    assert (own.transport.protocol, own.transport.path) == ("tcp", 2)
    assert (case.transport.protocol, case.transport.scheduler) == ("mptcp", "lowrtt")
    assert traffic.opens_mptcp((own, case), "client")
    assert not traffic.opens_mptcp((own,), "client")
    assert not traffic.opens_mptcp((own, case), "server")


def test_names_and_background_are_those_of_the_report() -> None:
    report = {"names": ["a", "b"], "phases": {}, "background": [1]}
    first, second = entries(ENTRY, {**ENTRY, "reverse": True}, report=report)
    assert (first.name, first.background) == ("a", False)
    assert (second.name, second.background) == ("b", True)
    assert (first.receiver, first.sending_host) == ("server", "client")
    assert (second.receiver, second.sending_host) == ("client", "server")


@pytest.mark.parametrize(
    ("case", "backups"), [("", [2]), (", backup: 1", [1]), (", backup: []", [])]
)
def test_a_transport_says_more_of_backups_than_the_network(
    case: str, backups: list[int]
) -> None:
    text = NETWORK.replace(
        "CASE", f"{{protocol: mptcp, congestion_control: lia{case}}}"
    )
    job = make_plan(loads(text, "f.yaml"), {}).runs[0].job
    (entry,) = traffic.of_job(job)
    assert [n for n in (1, 2) if traffic.is_backup(job, entry, n)] == backups


def test_subflows_between_a_pair_of_addresses_need_their_number() -> None:
    bad = {**MPTCP, "path_manager": "ndiffports"}
    with pytest.raises(ValueError, match=r"ndiffports needs the sysctl .*, a number"):
        entries(ENTRY, transport=bad)
    good = {**bad, "sysctls": {"net.mptcp.ndiffports": "3"}}
    (entry,) = entries(ENTRY, transport=good)
    assert entry.transport.same_pair == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 1}, "job.json: format 1; this version reads format 2, and"),
        ({"odd": 1}, r"job.json: not a job \(odd: Extra inputs are not permitted\)"),
        ({"seed": "x"}, r"job.json: not a job \(seed: Input should be a valid int"),
    ],
)
def test_a_job_of_a_stranger_is_refused_in_one_line(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    known = made_jobs.document({"transport": MPTCP, "traffic": [ENTRY]})
    path = tmp_path / "job.json"
    path.write_text(json.dumps(known))
    assert job_file.read(path).traffic[0].tool == "iperf3"
    path.write_text(json.dumps({**known, **change}))
    with pytest.raises(ValueError, match=said) as refused:
        row.row(tmp_path)
    assert "\n" not in str(refused.value)


def test_a_row_reads_its_job_once(
    make_run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, opened = make_run("guest-mptcp"), []
    read = Path.read_text

    def counted(path: Path, *args: Any, **keys: Any) -> str:
        opened.append(path.name)
        return read(path, *args, **keys)

    monkeypatch.setattr(Path, "read_text", counted)
    assert row.row(folder)["verdict"] == "ok"
    assert opened.count("job.json") == 1
