"""Requests that a known kernel cannot meet are told where the file is read."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from jobs.linux import Linux
from mpbench.backends import features
from mpbench.backends.features import Features
from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.kernel import cache, variants
from mpbench.kernel.cache import Kernel

TEXT = """\
name: facts
topology: two_path
kernels:
  mine: {lab: none, options: {CONFIG_HZ: 100}}
cases:
  a: {protocol: mptcp, congestion_control: cubic, kernel: mine}
  b: {protocol: mptcp, congestion_control: lia, scheduler: lowrtt}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""
HAS = Features(
    controllers=("cubic", "reno"),
    schedulers=("default",),
    path_managers=("kernel",),
    sysctls=("net.ipv4.tcp_sack", "net.mptcp.enabled"),
    counters=(),
    fabric=False,
    release="6.12.118",
)


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with what the kernel `mine` has."""
    folder = tmp_path / "kernel"
    folder.mkdir()
    kernel = Kernel(folder / "linux", "key", folder, {"source_hash": "d"})

    def lookup(base: Kernel, own: Linux) -> Kernel:
        assert own.options == {"CONFIG_HZ": "100"}
        return kernel

    monkeypatch.setattr(variants, "lookup", lookup)
    monkeypatch.setattr(cache, "lookup", lambda recipe: kernel)
    file = folder / features.FILE
    file.write_text(json.dumps(asdict(HAS)))
    return file


def faults(folder: Path, old: str, new: str) -> list[str]:
    file = folder / "f.yaml"
    assert old in TEXT
    file.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        load(file)
    return [line.rpartition("/")[2] for line in str(caught.value).splitlines()]


def test_a_case_that_the_kernel_can_run(known: Path, tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_text(TEXT)
    assert load(tmp_path / "f.yaml").name == "facts"


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (
            "congestion_control: bbr, kernel",
            "f.yaml:6: cases.a.congestion_control: kernel 'mine' (6.12.118) has no"
            " congestion control 'bbr'; it has: cubic, reno",
        ),
        (
            "congestion_control: cubic, scheduler: lowrtt, kernel",
            "f.yaml:6: cases.a.scheduler: kernel 'mine' (6.12.118) has no scheduler"
            " 'lowrtt'; it has: default",
        ),
        (
            "congestion_control: cubic, sysctls: {net.ipv4.tcp_dsack: 0}, kernel",
            "f.yaml:6: cases.a.sysctls.net.ipv4.tcp_dsack: kernel 'mine' (6.12.118) has"
            " no sysctl 'net.ipv4.tcp_dsack'; did you mean 'net.ipv4.tcp_sack'?",
        ),
        (
            "congestion_control: cubic, hosts: {server: {sysctls: {net.ipv4.tcp_dsack:"
            " 0}}}, kernel",
            "f.yaml:6: cases.a.hosts.server.sysctls.net.ipv4.tcp_dsack: kernel 'mine'"
            " (6.12.118) has no sysctl 'net.ipv4.tcp_dsack'; did you mean"
            " 'net.ipv4.tcp_sack'?",
        ),
    ],
)
def test_what_it_lacks(known: Path, tmp_path: Path, new: str, said: str) -> None:
    assert faults(tmp_path, "congestion_control: cubic, kernel", new) == [said]


def test_several_faults_are_lines_of_their_own(known: Path, tmp_path: Path) -> None:
    new = "congestion_control: bbr, scheduler: lowrtt, kernel"
    found = faults(tmp_path, "congestion_control: cubic, kernel", new)
    assert [line.split(": ")[1] for line in found] == [
        "cases.a.congestion_control",
        "cases.a.scheduler",
    ]


def test_a_kernel_without_mptcp(known: Path, tmp_path: Path) -> None:
    known.write_text(json.dumps(asdict(replace(HAS, schedulers=()))))
    (line,) = faults(tmp_path, "name: facts", "name: facts ")
    assert "cases.a.protocol: kernel 'mine' (6.12.118) has no MPTCP" in line


@pytest.mark.parametrize("content", [None, "", "{}", "[1]"])
def test_a_kernel_that_was_not_asked_is_left_alone(
    known: Path, tmp_path: Path, content: str | None
) -> None:
    known.unlink()
    if content is not None:
        known.write_text(content)
    text = TEXT.replace("control: cubic, kernel", "control: bbr, kernel")
    (tmp_path / "f.yaml").write_text(text)
    assert load(tmp_path / "f.yaml").name == "facts"


def test_results_are_read_as_they_were_run(known: Path, tmp_path: Path) -> None:
    text = TEXT.replace("control: cubic, kernel", "control: bbr, kernel")
    (tmp_path / "f.yaml").write_text(text)
    assert load(tmp_path / "f.yaml", of_results=True).name == "facts"
