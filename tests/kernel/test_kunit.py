"""The KUnit suite of the controllers' arithmetic passes in the guest kernel."""

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
    "kunit.filter_glob=mptcp-coupled*",
    "kunit_shutdown=poweroff",
]


def test_the_suite_passes_in_a_kernel(tmp_path: Path) -> None:
    linux = kernel.find().path
    booted = subprocess.run(
        ["timeout", "60", "taskset", "-c", _cpu(), str(linux), *LINE],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=90,
    )
    console = booted.stdout.decode(errors="replace").replace("\r", "")
    for suite in ("mptcp-coupled", "mptcp-coupled-mpcc"):
        assert re.search(rf"^ok \d {suite}$", console, re.M), console[-3000:]
    assert not re.search(r"^\s*not ok", console, re.M)
    assert len(re.findall(r"^ {8}ok \d+ ", console, re.M)) >= VECTORS
    assert len(re.findall(r"^ {4}ok \d+ ", console, re.M)) >= 17


def _cpu() -> str:
    return str(max(os.sched_getaffinity(0)))
