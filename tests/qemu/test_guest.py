"""A kernel of Debian's, booted in QEMU: what a command in it leaves, and its bounds."""

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from jobs import bare
from jobs.linux import Linux
from mpbench.backends.base import Bounds, Exit
from mpbench.backends.qemu import machine, pins
from mpbench.backends.virtual import VirtualBackend

pytestmark = [
    pytest.mark.guest,
    pytest.mark.skipif(
        shutil.which(machine.PROGRAM) is None, reason=f"no QEMU: {machine.INSTALL}"
    ),
]

SCRIPT = """\
cd artefacts
uname -r > release; cat /proc/uptime > uptime; ls /run/code > code
cat /sys/devices/system/clocksource/clocksource0/current_clocksource > clock
ip link add v0 type veth peer name v1 && tc qdisc add dev v0 root netem delay 1ms
tc qdisc show dev v0 > tc; printf '%0300000d' 0 > large
ln -s /etc/passwd link; mkdir folder; echo other > console.log
sleep 3; exit 3
"""


def run(folder: Path, script: str, release: str = "6.12") -> Exit:
    (folder / "artefacts").mkdir(parents=True)
    linux = Linux(lab=False, packages=pins.of(release))
    job = replace(bare(1, 20.0), linux=linux)
    backend = VirtualBackend(argv=("/bin/sh", "-c", script.replace("\n", ";")))
    bounds = Bounds(virtual_s=20.0, wall_s=240.0, silence_s=120.0)
    silent = threading.Event()
    return backend.execute(job, folder, None, bounds, lambda _: None, silent)


def test_a_line_that_the_command_spoils_fails_the_run(tmp_path: Path) -> None:
    """The machine's root can write to the line too, and the host believes nothing."""
    ended = run(tmp_path, "echo mine > artefacts/a; echo x > /dev/ttyS1; exit 0")
    assert ended.status == "failed"
    assert ended.reason.startswith("the files that the machine sent are not whole: ")
    assert not ended.host_accident
    names = [path.name for path in (tmp_path / "artefacts").iterdir()]
    assert names == ["console.log"]


def test_a_command_leaves_its_files_and_nothing_else(tmp_path: Path) -> None:
    ended = run(tmp_path, SCRIPT)
    assert (ended.status, ended.reason) == ("failed", "guest code ended with 3")
    artefacts = tmp_path / "artefacts"
    names = ["clock", "code", "console.log", "large", "release", "tc", "uptime"]
    assert sorted(path.name for path in artefacts.iterdir()) == names
    assert (artefacts / "release").read_text() == "6.12.118+deb13-cloud-amd64\n"
    assert (artefacts / "clock").read_text() == "tsc\n"
    assert "code.pyc" in (artefacts / "code").read_text().split()
    assert "netem" in (artefacts / "tc").read_text()
    assert (artefacts / "large").read_bytes() == b"0" * 300_000
    assert float((artefacts / "uptime").read_text().split()[0]) < 10
    assert "mpbench: t 3\n" in (artefacts / "console.log").read_text()
    assert not (tmp_path / machine.SERIAL).exists()
