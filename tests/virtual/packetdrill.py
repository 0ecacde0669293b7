"""packetdrill's tests of MPTCP, one after another in a guest, in virtual time.

packetdrill plays the other end of a connection through a device (TUN), and checks each
packet and its time. Each test has network namespaces of its own.
"""

import shlex
import tempfile
import threading
from collections.abc import Iterable
from pathlib import Path

from mpbench import kernel
from mpbench.backends import boot, roots
from mpbench.backends.virtual import VirtualBackend
from mpbench.kernel import packetdrill
from mpbench.kernel.packetdrill import Test
from mpbench.kernel.shell import CommandFailed, Shell
from tests.virtual.lab import Lab
from tests.virtual.selftests import (
    FULL,
    REPORT,
    Outcome,
    Script,
    read_results,
    read_text,
)

NAME = "packetdrill"
SCRIPT = Script(NAME, ())
TEST_S = 120
"""The most virtual time that a test may take. A test that polls a clock reaches it."""
BEGIN = f"""\
ip link set lo up
place=/run/mpbench/packetdrill number=0
run() {{
	name=$1 folder=$2
	shift 2
	number=$((number + 1))
	cd "$place/mptcp/$folder"
	timeout --kill-after=5 {TEST_S} "$place/packetdrill/in_netns.sh" \\
		"$place/packetdrill/packetdrill" --send_omit_free "$@" >/tmp/said 2>&1
	status=$?
	if [ $status = 0 ]; then
		echo "ok $number - {NAME}: $name # "
	else
		sed 's/^/# /' /tmp/said
		[ $status != 124 ] || echo "# not done after {TEST_S} virtual seconds"
		echo "not ok $number - {NAME}: $name # status $status"
	fi
}}
"""


def commands(tests: Iterable[Test]) -> str:
    """The shell script that runs the tests."""
    lines = []
    for test in tests:
        folder, _, script = test.script.rpartition("/")
        words = [test.name, folder, *packetdrill.VARIANTS[test.variant], script]
        lines.append(f"run {shlex.join(words)}\n")
    return f"{BEGIN}{''.join(lines)}echo 1..$number\n"


def run(
    checkout: Path,
    config: str,
    folder: Path,
    cpu: int | None = 0,
    cancel: threading.Event | None = None,
    only: str = "",
) -> Outcome:
    """Run the tests of a checkout in a guest with this kernel.

    folder : for the files of the run; it is created
    cpu : the CPU to pin the guest to, None for any
    cancel : ends the guest when set
    only : text in the names of the tests that run

    Raises UserError for what is no such checkout, or does not compile.
    """
    inside = folder / "run1"
    inside.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as logs:
        shell = Shell(Path(logs) / "build.log")
        try:
            packetdrill.prepare(checkout, inside / "packetdrill", shell)
        except CommandFailed as failed:
            said = shell.log.read_text(errors="replace")[-1000:]
            return Outcome(SCRIPT, {}, (), f"not compiled: {failed}\n{said}", 0.0)
        finally:
            shell.close()
    found = packetdrill.tests(inside / "packetdrill" / packetdrill.TESTS)
    chosen = [test for test in found if only in test.name]
    (inside / "run.sh").write_text(commands(chosen))
    argv = ("/bin/bash", "-c", "bash run.sh >artefacts/output.txt 2>&1; dmesg")
    machine = boot.Machine(memory_mib=FULL.memory_mib)
    backend = VirtualBackend(machine, argv, root=roots.HOST, built=kernel.find(config))
    lab = Lab(folder, backend, cancel or threading.Event())
    ended, artefacts = lab.execute({"seed": 1}, FULL.bounds, cpu)
    output = read_text(artefacts / "output.txt")
    results = dict(read_results(output))
    trouble = "" if ended.status == "finished" else ended.reason
    if not trouble and len(results) != len(chosen):
        trouble = f"{len(results)} results of {len(chosen)}"
    if trouble:
        trouble += f"\n{output[-2000:]}"
    console = read_text(artefacts / "console.log").splitlines()
    reports = [line for line in console if REPORT.search(line)]
    return Outcome(SCRIPT, results, reports, trouble, ended.cpu_s or 0.0)
