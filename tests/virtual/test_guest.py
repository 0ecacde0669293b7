"""Real guests: the same bytes twice, and every way to end badly."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from mpbench.backends import boot
from mpbench.backends.base import Bounds
from mpbench.backends.watching import SPINS

from .lab import BOUNDS, Lab, contents, lab_with, make_job, script

GLUTTON = "held = [bytearray(b'x' * (1 << 20)) for _ in iter(int, 1)]"


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def guests(root: Path) -> list[int]:
    """Processes, other than this one, whose working directory is below `root`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            inside = (entry / "cwd").readlink().is_relative_to(root)
        except OSError:
            continue
        if inside and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def assert_gone(root: Path) -> None:
    """No process of a guest is left: they are killed with it, and soon dead."""
    deadline_s = time.monotonic() + 10
    while guests(root):
        assert time.monotonic() < deadline_s, guests(root)
        time.sleep(0.01)


def test_the_same_run_leaves_the_same_bytes(lab: Lab, tmp_path: Path) -> None:
    parameters = {"path1.loss": "1 %"}
    job = make_job(tmp_path, parameters=parameters)
    ended, first = lab.execute(job)
    assert (ended.status, ended.reason) == ("finished", "")
    assert ended.virtual_s > 2.0
    assert lab.reported == sorted(lab.reported) and lab.reported[-1] >= 2.0
    _, second = lab.execute(job, cpu=max(os.sched_getaffinity(0)))
    assert contents(first) == contents(second)
    other = make_job(tmp_path, parameters=parameters, seed=2)
    _, third = lab.execute(other)
    assert contents(first) != contents(third)
    assert_gone(tmp_path)


def test_what_the_host_has_makes_no_difference(tmp_path: Path) -> None:
    """A name that is looked for in vain costs virtual time; some hosts have it."""
    left = []
    for name in ("/etc/passwd", "/no/such/name"):
        look = f'[ -e {name} ]; [ -e {name} ]; [ -e {name} ]; exec "$@"'
        folder = tmp_path / name.replace("/", "-")
        folder.mkdir()
        parameters = {"path1.loss": "1 %", "path1.jitter": "1 ms"}
        job = make_job(folder, parameters=parameters)
        host = lab_with(folder, ("/bin/sh", "-c", look, "sh", *boot.MEASURE))
        ended, artefacts = host.execute(job)
        assert ended.status == "finished", ended
        left.append(contents(artefacts))
    assert left[0] == left[1]


def test_time_stands_still_while_the_guest_computes(tmp_path: Path) -> None:
    text = (
        "import time; a = time.monotonic(); sum(range(10**6)); "
        "b = time.monotonic(); time.sleep(20); c = time.monotonic(); "
        "print('took', b - a < 1e-3, round(c - b, 3))"
    )
    ended, folder = lab_with(tmp_path, script(text)).execute({"seed": 1})
    assert ended.status == "finished"
    assert "took True 20.0\n" in (folder / "console.log").read_text()
    assert ended.wall_s < 15


def test_cpu_time_is_that_of_all_processes(tmp_path: Path) -> None:
    """A host's own count of the same work is the measure; waiting does not count."""
    work = "sum(range(3 * 10**7))"
    before = time.process_time()
    eval(work)
    alone_s = time.process_time() - before
    taken = []
    for text in ("pass", work):
        lab = lab_with(
            tmp_path / text[:3], script(f"import time; {text}; time.sleep(20)")
        )
        ended, _ = lab.execute({"seed": 1})
        assert ended.status == "finished" and ended.cpu_s is not None
        assert 0 < ended.cpu_s < ended.wall_s + 0.05
        taken.append(ended.cpu_s)
    assert taken[1] - taken[0] > alone_s / 6, (taken, alone_s)


def test_the_host_s_files_are_out_of_reach(tmp_path: Path) -> None:
    """A guest sees the host's programs, changes them for itself, and no more."""
    precious = tmp_path / "precious"
    precious.write_text("as it was")
    services = Path("/etc/services")
    before = services.read_bytes()
    text = (
        f"import pathlib; p = pathlib.Path({str(services)!r}); "
        "print('tcp' in p.read_text()); p.write_text('changed'); print(p.read_text()); "
        f"print(pathlib.Path({str(precious)!r}).exists()); "
        "pathlib.Path('artefacts/own').write_text('kept')"
    )
    ended, folder = lab_with(tmp_path, script(text)).execute({"seed": 1})
    assert ended.status == "finished"
    console = (folder / "console.log").read_text()
    assert console.startswith("True\nchanged\nFalse\n")
    assert services.read_bytes() == before
    assert (folder / "own").read_text() == "kept"


def test_a_sleeper_is_stopped_by_virtual_time(tmp_path: Path) -> None:
    lab = lab_with(tmp_path, ["/bin/sleep", "infinity"])
    ended, folder = lab.execute({"seed": 1}, Bounds(30.0, 60.0, 60.0))
    assert (ended.status, ended.reason) == (
        "timeout",
        "not done after 30 virtual seconds",
    )
    assert "(sleep) " in (folder / "console.log").read_text()


@pytest.mark.parametrize(
    "bounds, reason",
    [
        (Bounds(30.0, 2.0, 60.0), "not done after 2 s of wall time"),
        (Bounds(30.0, 60.0, 2.0), "no sign of life for 2 s of wall time"),
    ],
)
@pytest.mark.parametrize("loop", ["pass", "__import__('os').times()"])
def test_a_loop_is_stopped_by_the_host(
    tmp_path: Path, bounds: Bounds, reason: str, loop: str
) -> None:
    """The clock of times(2) stands still while a program asks for it."""
    lab = lab_with(tmp_path, script(f"while True: {loop}"))
    ended, _ = lab.execute({"seed": 1}, bounds)
    assert ended.status == "timeout"
    if "life" not in reason:
        assert ended.reason == reason
    else:  # the command is in the words of a shell
        begin = f"{reason}; a program (`/usr/bin/python3 -S -c 'while True: "
        assert ended.reason.startswith(begin)
        assert ended.reason.endswith(f"`) {SPINS}")
    assert_gone(tmp_path)


def test_a_guest_without_memory_says_so(tmp_path: Path) -> None:
    lab = lab_with(tmp_path, script(GLUTTON), memory_mib=128)
    ended, _ = lab.execute({"seed": 1})
    assert ended.status == "failed"
    assert ended.reason == (
        "guest ran out of memory: its kernel killed python3 with 128 MiB in all"
    )


def test_a_guest_that_panics(tmp_path: Path) -> None:
    text = f"open('/proc/sys/vm/panic_on_oom', 'w').write('2'); {GLUTTON}"
    lab = lab_with(tmp_path, script(text), memory_mib=128)
    ended, folder = lab.execute({"seed": 1})
    assert ended.status == "panicked", (folder / "console.log").read_text()
    assert ended.reason.startswith("guest kernel panicked: ")
    assert not list(folder.parent.rglob("core*"))


def test_a_guest_that_runs_wild_on_its_console(tmp_path: Path) -> None:
    lab = lab_with(tmp_path, ["/usr/bin/yes", "x" * 4000])
    ended, _ = lab.execute({"seed": 1})
    assert (ended.status, ended.reason) == (
        "timeout",
        "console longer than 16 MiB",
    )


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    ended, _ = lab_with(tmp_path, ["/nosuch"]).execute({"seed": 1})
    assert (ended.status, ended.reason) == ("failed", "guest code ended with 127")


def during(lab: Lab, root: Path, act: Callable[[], None]) -> tuple[str, str]:
    """The end of a guest that sleeps, if `act` is done once it runs."""

    def wait_and_act() -> None:
        deadline_s = time.monotonic() + 30
        while not any(root.rglob("console.log")) or not guests(root):
            assert time.monotonic() < deadline_s
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=wait_and_act)
    thread.start()
    ended, _ = lab.execute({"seed": 1})
    thread.join()
    return ended.status, ended.reason


def test_a_guest_that_is_killed(tmp_path: Path) -> None:
    lab = lab_with(tmp_path, script("while True: pass"))

    def kill() -> None:
        # While the launcher moves into the enclosure, its folder cannot be read.
        while not (found := guests(tmp_path)):
            time.sleep(0.01)
        os.kill(min(found), signal.SIGKILL)

    status, reason = during(lab, tmp_path, kill)
    assert (status, reason) == ("killed", "guest was killed by signal 9 (SIGKILL)")
    assert_gone(tmp_path)


def test_a_guest_that_is_given_up(tmp_path: Path) -> None:
    lab = lab_with(tmp_path, script("while True: pass"))
    status, _ = during(lab, tmp_path, lab.cancel.set)
    assert status == "cancelled"
    assert_gone(tmp_path)


def test_a_kernel_without_the_controller_is_a_failed_run(
    lab: Lab, tmp_path: Path
) -> None:
    job = json.loads(json.dumps(make_job(tmp_path)))
    job["transport"]["congestion_control"] = "nosuch"
    ended, _ = lab.execute(job, BOUNDS)
    assert ended.status == "failed"
    assert "net.ipv4.tcp_congestion_control cannot be 'nosuch'" in ended.reason
