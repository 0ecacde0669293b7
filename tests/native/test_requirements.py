"""Missing parts are named with their remedy, all in one line."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jobs import Job, Link, Transport, bare
from mpbench.backends import requirements
from mpbench.backends.requirements import Machine
from mpbench.errors import UserError
from tests.calls import Command
from tests.parts import part
from topologies import Shape
from topologies.impairments import Impairments, Reordering
from topologies.queues import Discipline

KERNEL = {
    "mptcp": "1",
    "congestion_controls": "reno cubic",
    "schedulers": "default",
}
TRIED = {"mininet": None, "veth": None, "netem": None, "tbf": None, "pm": None}


def machine(root: bool = True, without: str = "", **tried: Any) -> Machine:
    return Machine(
        root,
        lambda tool: tool.name not in without.split(),
        {**TRIED, "kernel": KERNEL, **tried},
    )


def refusal(described: Machine) -> str:
    with pytest.raises(UserError) as caught:
        requirements.refuse_missing(requirements.needs(described))
    words = str(caught.value)
    assert "\n" not in words
    return words


def transport(control: str = "cubic", scheduler: str = "default") -> Transport:
    return Transport(
        protocol="mptcp",
        congestion_control=control,
        scheduler=scheduler,
        path=None,
        path_manager="fullmesh",
        sysctls={},
    )


def job(control: str = "cubic", scheduler: str = "default") -> Job:
    """A job without links and traffic."""
    return replace(bare(1, 1.0), transport=transport(control, scheduler))


def test_a_machine_with_all_is_not_refused() -> None:
    requirements.refuse_missing(requirements.needs(machine()))


def test_no_root_and_no_programs() -> None:
    words = refusal(machine(root=False, without="iperf3 mptcpize"))
    assert words == (
        "--backend native: this machine lacks root (run it through sudo); "
        "iperf3: not found (apt-get install iperf3); "
        "mptcpize: not found (apt-get install mptcpize)"
    )


@pytest.mark.parametrize(
    ("tried", "expected"),
    [
        ({"netem": "unknown kind"}, "netem: unknown kind (modprobe sch_netem"),
        ({"tbf": "unknown kind"}, "tbf: unknown kind (modprobe sch_tbf"),
        ({"veth": "no"}, "veth: no (modprobe veth"),
        (
            {"mininet": "No module"},
            "Mininet in python3: No module (apt-get install --reinst",
        ),
        ({"enclosure": "unshare: no"}, "namespaces: unshare: no (run it on a machine"),
        ({"kernel": {}}, "MPTCP: not in this kernel (a kernel with CONFIG_MPTCP=y)"),
        ({"kernel": {"mptcp": "0"}}, "MPTCP: switched off (sysctl -w"),
    ],
)
def test_each_missing_one_has_its_remedy(tried: dict[str, Any], expected: str) -> None:
    assert expected in refusal(machine(**tried))


def test_a_job_that_the_kernel_can_do() -> None:
    requirements.check_jobs([job(), job()], machine())


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            job("bbr"),
            "congestion control bbr: not in this kernel, which has reno, cubic; "
            "modprobe tcp_bbr, or use --backend virtual",
        ),
        (
            job("lia"),
            "congestion control lia: not in this kernel, which has reno, cubic; "
            "lia exists only in the guest kernel: use --backend virtual",
        ),
        (
            job(scheduler="lowrtt"),
            "scheduler lowrtt: not in this kernel, which has default; "
            "lowrtt exists only in the guest kernel: use --backend virtual",
        ),
    ],
)
def test_a_job_that_it_cannot(asked: Job, expected: str) -> None:
    with pytest.raises(UserError) as caught:
        requirements.check_jobs([job(), asked, asked], machine())
    assert str(caught.value) == f"--backend native: {expected}"


def test_all_that_jobs_lack_is_told_at_once() -> None:
    entry = part("curl", "record").Curl(
        tool="curl",
        source="client",
        destination="server",
        start_s=0.0,
        port=80,
        duration_s=None,
        bytes=1,
        reverse=True,
        timeout_s=None,
        transport=transport("lia", "lowrtt"),
    )
    jobs = [job("bbr"), replace(job(), traffic=(entry,))]
    with pytest.raises(UserError) as caught:
        requirements.check_jobs(jobs, machine())
    words = str(caught.value)
    assert words.count("not in this kernel") == 3
    assert words.startswith("--backend native: congestion control bbr: ")


EXPERIMENT = """
name: lacking
topology: two_path
parameters: {path1.capacity: 10 Mbit/s, path2.capacity: 10 Mbit/s}
cases:
  first: {protocol: tcp, congestion_control: reno, path: 1}
  second: {protocol: mptcp, congestion_control: lia, scheduler: default}
traffic: [{tool: iperf3, from: client, to: server, duration: 5 s}]
"""


@pytest.fixture
def lacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An experiment whose second case this machine cannot run."""
    monkeypatch.setattr(requirements, "look", machine)
    file = tmp_path / "lacking.yaml"
    file.write_text(EXPERIMENT)
    return file


def test_a_case_that_cannot_run_is_refused_before_the_first_run(
    lacking: Path, tmp_path: Path, command: Command
) -> None:
    results = tmp_path / "results"
    done = command("run", lacking, "--backend", "native", "--out", results)
    assert done.status == 2
    assert "congestion control lia: not in this kernel" in done.err
    assert not list(results.glob("runs/*"))


@pytest.mark.parametrize(
    ("case", "missing"),
    [
        ("congestion_control: mpcc, scheduler: default", "congestion control mpcc"),
        ("congestion_control: reno, scheduler: paced", "scheduler paced"),
    ],
)
def test_what_only_the_guest_kernel_has_is_named(
    lacking: Path, command: Command, case: str, missing: str
) -> None:
    theirs = "congestion_control: lia, scheduler: default"
    lacking.write_text(EXPERIMENT.replace(theirs, case))
    done = command("plan", lacking, "--backend", "native")
    (line,) = [text for text in done.err.splitlines() if missing in text]
    name = missing.split()[-1]
    assert f"{name} exists only in the guest kernel: use --backend virtual" in line


def test_the_plan_says_what_cannot_run(lacking: Path, command: Command) -> None:
    done = command("plan", lacking, "--backend", "native")
    assert done.status == 0
    assert "cannot run here: --backend native: congestion control lia" in done.err
    assert "2 runs" in done.out


def test_the_plan_of_a_case_that_can_run_warns_of_nothing(
    lacking: Path, command: Command
) -> None:
    lacking.write_text(EXPERIMENT.replace("lia", "cubic"))
    assert command("plan", lacking, "--backend", "native").err == ""


def test_links_that_need_the_guests_kernel_are_refused() -> None:
    def with_red(gentle: bool, down: Shape | None) -> Job:
        red = Discipline("red", (("gentle", gentle),))
        link = Link(
            name="l", capacity_mbps=1.0, delay_ms=1.0, discipline=red, down=down
        )
        return replace(job(), links=(link,))

    more = Impairments(reordering=Reordering(1.0))
    down = Shape(1.0, 1.0, impairments=more)
    with pytest.raises(UserError, match=r"gentle red .* reordering before a queue"):
        requirements.check_jobs([with_red(True, down)], machine())
    requirements.check_jobs([with_red(False, None)], machine())
