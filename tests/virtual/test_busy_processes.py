"""CPU time of the processes below one."""

import os
import signal
import subprocess
import sys
import time

import pytest

from mpbench.backends import processes
from mpbench.backends.processes import Used


@pytest.mark.parametrize(("loop", "ready"), [("pass", True), ("time.sleep(1)", False)])
def test_a_child_that_spins_is_seen(loop: str, ready: bool) -> None:
    """The child of a shell; a busy machine lets it wait, which counts."""
    program = f"import time\nwhile True: {loop}"
    argv = ["/bin/sh", "-c", '"$@" & wait', "sh", sys.executable, "-S", "-c", program]
    shell = subprocess.Popen(argv, process_group=0)
    try:
        time.sleep(1.0)
        before = processes.used(shell.pid)
        time.sleep(0.5)
        assert processes.used(shell.pid).was_ready(before) is ready
    finally:
        assert os.getpgid(shell.pid) == shell.pid != os.getpgid(0)
        os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()


def test_bounds() -> None:
    before = Used(10.0, 1.0, 2.0)
    assert Used(12.0, 1.0, 3.0).was_ready(before)
    assert not Used(12.0, 2.0, 2.99).was_ready(before)
    assert Used(12.0, 2.0, 2.0).computed(before)
    assert not Used(12.0, 1.99, 9.0).computed(before)
