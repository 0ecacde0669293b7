"""The KUnit suites of the controllers and of the fabric pass in the guest kernel."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from mpbench import kernel

pytestmark = pytest.mark.guest

VECTORS = 900
"""The smallest number of cases: twelve tests on each vector of the table."""

LINE = [
    "mem=128M",
    "con=null",
    "con0=fd:0,fd:1",
    "seccomp=on",
    "kunit.enable=1",
    "kunit.autorun=1",
    "kunit_shutdown=poweroff",
]


def test_the_suites_of_the_controllers_pass(tmp_path: Path) -> None:
    console = suites("mptcp-coupled*", tmp_path)
    for suite in ("mptcp-coupled", "mptcp-coupled-mpcc"):
        assert re.search(rf"^ok \d {suite}$", console, re.M), console[-3000:]
    assert len(re.findall(r"^ {8}ok \d+ ", console, re.M)) >= VECTORS
    assert len(re.findall(r"^ {4}ok \d+ ", console, re.M)) >= 17


def test_the_suites_of_the_fabric_pass(tmp_path: Path) -> None:
    console = suites("lab-fabric*", tmp_path)
    for suite in ("lab-fabric", "lab-fabric-chain", "lab-fabric-segments"):
        assert re.search(rf"^ok \d {suite}$", console, re.M), console[-3000:]
    assert len(re.findall(r"^ {4}ok \d+ ", console, re.M)) >= 29


def suites(names: str, folder: Path) -> str:
    """The console of a kernel that runs the suites of these names, none of which
    fails."""
    line = [str(kernel.find().path), *LINE, f"kunit.filter_glob={names}"]
    booted = subprocess.run(
        ["timeout", "60", "taskset", "-c", _cpu(), *line],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=90,
    )
    console = booted.stdout.decode(errors="replace").replace("\r", "")
    assert not re.search(r"^\s*not ok", console, re.M)
    return console


def _cpu() -> str:
    return str(max(os.sched_getaffinity(0)))
