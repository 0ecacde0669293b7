"""Cases whose protocol a program of the user's own speaks."""

from pathlib import Path

import pytest

from analysis.run.row import row
from jobs import Transport, dump, hosts
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from mpbench.plan.job_format import load as check
from tests.calls import Command
from tests.plugins.elves import elf as made

pytestmark = pytest.mark.slow

FILE = """\
name: quic
plugins: {programs: {own: own}}
topology: two_path
cases:
  mpquic: {protocol: mpquic, program: own, congestion_control: bbr9, scheduler: any}
  quic: {protocol: quic, program: own, congestion_control: cubic, path: 2}
  mptcp: {protocol: mptcp, congestion_control: lia}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s, reverse: true}
metrics: [goodput, traffic_split, endpoint.path2_lost_packets]
figures:
  - {kind: over_time, quantities: [goodput, endpoint.path2_rtt_ms], case: mpquic}
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "own").write_bytes(made())
    place = tmp_path / "quic.yaml"
    place.write_text(FILE)
    return place


def test_jobs_of_each_case(file: Path) -> None:
    mpquic, quic, mptcp = (run.job for run in make_plan(load(file), {}).runs)
    assert mpquic.transport.program == "own" and set(mpquic.programs or ()) == {"own"}
    assert mptcp.transport.program is None and mptcp.programs is None
    assert dump(mptcp)["traffic"][0]["tool"] == "iperf3"
    entry = dump(mpquic)["traffic"][0]
    assert entry["values"] == {
        "control": "bbr9",
        "paths": "1,2",
        "program": "/run/programs/own",
        "reversed": 1.0,
        "scheduler": "any",
    }
    assert entry["received"] and entry["reverse"]
    assert dump(quic)["traffic"][0]["values"]["paths"] == "2"
    before = [run.id for run in make_plan(load(file), {}).runs]
    (file.parent / "own").write_bytes(made() + b"built again")
    after = [run.id for run in make_plan(load(file), {}).runs]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True]


def test_results_of_each_case(file: Path, command: Command) -> None:
    out = file.parent / "out"
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 0, done.out + done.err
    found = {}
    for folder in (out / "runs").glob("[0-9a-f]*"):
        one = row(folder)
        found[one["protocol"]] = one
    assert all(one["verdict"] == "ok" for one in found.values()), found
    assert found["mpquic"]["goodput_mbps"] > 1.5 * found["quic"]["goodput_mbps"] > 0
    assert found["mpquic"]["scheduler"] == "any" and not found["quic"]["scheduler"]
    assert 0.3 < found["mpquic"]["path1.share"] < 0.7
    assert found["quic"]["path1.share"] == 0
    assert "traffic_split: QUIC takes one path" in found["quic"]["absent"] or (
        found["quic"]["path2.share"] == 1
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("program: own, congestion_control: bbr9", "congestion_control: x", "missing;"),
        ("program: own, congestion_control: c", "program: on, congestion_control: c",
         "no program 'on' among plugins; did you mean 'own'?"),
        ("scheduler: any", "path: 1", "mpquic takes all paths"),
        ("cubic, path: 2", "cubic", "missing; which path"),
        ("cubic, path: 2", "cubic, path: 3", "there is no path 3"),
        ("cubic, path: 2", "cubic, path: 2, scheduler: x", "only mptcp has one"),
        ("control: lia", "control: lia, program: own", "mptcp is the kernel's"),
        ("path2_lost", "path3_lost", "no program of the experiment gives"),
        ("path2_rtt", "path3_rtt", "no tool gives 'endpoint.path3_rtt_ms'; did you"),
        ("bbr9", "{name: cubic}", "is not a name that a program can know"),
        ("duration: 5 s", "size: 1 MB", "no 'size' over mpquic"),
        ("duration: 5 s", "duration: 5 s, parallel: 2", "no 'parallel' over mpquic"),
    ],
)  # fmt: skip
def test_cases_that_cannot_be(file: Path, old: str, new: str, reason: str) -> None:
    assert old in FILE
    file.write_text(FILE.replace(old, new))
    with pytest.raises(UserError) as refused:
        make_plan(load(file), {})
    assert reason in str(refused.value) and "\n" not in str(refused.value)


def test_other_tools_are_refused(file: Path) -> None:
    head, _, _ = FILE.partition("traffic:")
    entry = "{tool: curl, from: client, to: server, size: 1 MB}"
    file.write_text(f"{head}traffic: [{entry}]\n")
    with pytest.raises(UserError, match="curl cannot send over mpquic; take iperf3"):
        make_plan(load(file), {})


def test_a_job_without_its_program_is_refused(file: Path) -> None:
    job = dump(make_plan(load(file), {}).runs[0].job)
    del job["transport"]["program"]
    with pytest.raises(ValueError, match="only QUIC has a program"):
        check(job)


def test_a_host_with_a_tcp_beside_quic_has_the_settings_of_the_tcp(file: Path) -> None:
    reno = "{protocol: tcp, congestion_control: reno, path: 1}"
    more = "  - {tool: iperf3, from: client, to: server, duration: 5 s, name: tcp,\n"
    more += f"     transport: {reno}}}\n"
    mptcp = "  mptcp: {protocol: mptcp, congestion_control: lia}\n"
    whole = FILE.partition("metrics:")[0] + more
    file.write_text(whole)
    with pytest.raises(UserError, match="client has another transport"):
        load(file)  # the case of MPTCP has none that is QUIC
    file.write_text(whole.replace(mptcp, ""))
    job = make_plan(load(file), {}).runs[0].job
    found: dict[str, Transport] = hosts.transports(job.traffic, job.transport)
    assert found["client"].congestion_control == "reno"
    assert job.transport.kernel_control == "cubic"
