"""A program in a guest learns nothing of the host that differs from run to run.

What still differs is listed here by name, and stands in docs/virtual-lab.md.
"""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from .lab import REPOSITORY, guest_call, lab_with

REMAINS = {"rdrand", "rdseed", "cpuid"}
"""Instructions that a guest's kernel cannot catch: random numbers of the CPU, and the
number of the CPU in its leaf 1."""


def instructions_missing() -> list[str]:
    """Those of the instructions that this machine does not have."""
    words = (
        Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n")[0].split()
    )
    return [name for name in ("rdrand", "rdseed", "rdtscp") if name not in words]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Findings of two executions, in other folders, on other CPUs, a second apart."""
    listed = []
    cpus = sorted(os.sched_getaffinity(0))
    for name, cpu in (("a", cpus[0]), ("longer", cpus[-1])):
        folder = tmp_path_factory.mktemp(name)
        program = guest_call("tests.virtual.host_traces", instructions_missing())
        ended, artefacts = lab_with(folder, program).execute({"seed": 1}, cpu=cpu)
        assert ended.status == "finished", (artefacts / "console.log").read_text()
        listed.append(json.loads((artefacts / "traces.json").read_text()))
        time.sleep(1.1)
    return listed


def test_what_differs_between_two_executions(found: list[dict[str, Any]]) -> None:
    one, other = found
    assert one.keys() == other.keys()
    differ = {name for name in one if one[name] != other[name]}
    assert differ <= REMAINS, {name: (one[name], other[name]) for name in differ}
    page = (REPOSITORY / "docs/virtual-lab.md").read_text()
    assert all(name.upper() in page for name in REMAINS)


def test_the_counter_is_the_clock_of_the_guest(found: list[dict[str, Any]]) -> None:
    _, monotonic_ns, _ = found[0]["clock"]
    assert 0 < found[0]["rdtsc"] < found[0]["rdtscp"] < monotonic_ns
    assert monotonic_ns - found[0]["rdtsc"] < 1e9


def test_openssl_takes_no_random_numbers_of_the_cpu(
    found: list[dict[str, Any]],
) -> None:
    words = bytes.fromhex(found[0]["/proc/self/environ"]).split(b"\0")
    assert b"OPENSSL_ia32cap=~0x4000000000000000:~0x40000" in words
