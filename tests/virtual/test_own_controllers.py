"""Controllers and schedulers of users: compiled, linked, and run in a guest."""

import csv
import math
import time
from pathlib import Path

import pytest

from analysis.run.readers.trace import read
from mpbench import kernel
from mpbench.errors import UserError
from mpbench.kernel import linking
from tests.calls import Command
from tests.plugins.documented import files, write

from .lab import REPOSITORY

CODE = files()["controllers/halflia.c"]
COUNTS = REPOSITORY / "tests/plugins/counts.c"
SCHEDULER = REPOSITORY / "kernel/overlay/net/mptcp/roundrobin.c"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_half_of_the_increase_gives_71_percent(folder: Path, command: Command) -> None:
    """W = sqrt(2/p) for LIA and sqrt(1/p) for half of its increase."""
    write(folder)
    done = command("run", "half.yaml")
    assert done.status == 0, done.out + done.err
    with Path("results/half/runs.csv").open() as file:
        rows = {row["case"]: row for row in csv.DictReader(file)}
    assert rows["halflia"]["congestion_control"] == "halflia"
    ratio = float(rows["halflia"]["goodput_mbps"]) / float(rows["lia"]["goodput_mbps"])
    assert ratio == pytest.approx(math.sqrt(0.5), rel=0.05)
    done = command("verify", "results/half", "--sample", "1", "--seed", "2")
    assert done.status == 0, done.out + done.err


def test_linking_takes_seconds_and_changes_nothing_else() -> None:
    began_s = time.monotonic()
    text = f"{CODE}/* {began_s} */\n"
    image = linking.image(kernel.find(), {"halflia": text}, may_compile=True)
    assert time.monotonic() - began_s < 30
    again = linking.image(kernel.find(), {"halflia": f"{CODE}\n"}, may_compile=True)
    assert image.read_bytes() == again.read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(lia_increase(", "(lia_incr(", "own/halflia.c:10:20: implicit declaration"),
        ('"lia.h"', '"nope.h"', "own/halflia.c:5:10: nope.h: No such file"),
        (";\n}", "\n}", "own/halflia.c:11:1: expected ';' before '}' token"),
        ("return ", "void gone(void);\n\tgone();\n\treturn ", "no function 'gone'"),
    ],
)
def test_gcc_is_quoted_with_file_and_line(old: str, new: str, reason: str) -> None:
    assert old in CODE
    text = CODE.replace(old, new, 1)
    with pytest.raises(UserError) as refused:
        linking.check(kernel.find(), "halflia", text, "own/halflia.c")
    assert reason in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('__asm__(".incbin \\"{secret}\\"");', "in assembly: file not found"),
        ('#include "{secret}"', "(No such file|Permission denied)"),
    ],
)
def test_no_file_of_the_user_enters_a_kernel(
    folder: Path, line: str, reason: str
) -> None:
    """The private key of who ran a stranger's file stood in the run's console log."""
    secret = folder / "key"
    secret.write_text('static const char key[] __used = "of-this-user-alone";\n')
    text = f"{CODE}\n{line.format(secret=secret)}\n"
    with pytest.raises(UserError, match=rf"own/halflia\.c:.* {reason}"):
        linking.check(kernel.find(), "halflia", text, "own/halflia.c")


def test_a_scheduler(folder: Path, command: Command) -> None:
    text = SCHEDULER.read_text().replace("roundrobin", "turns")
    (folder / "turns.c").write_text(text.replace("LAB_TURNS", "LAB_ROUNDROBIN"))
    (folder / "e.yaml").write_text(
        "name: own\nplugins: {schedulers: turns.c}\ntopology: two_path\ncases:\n"
        "  a: {protocol: mptcp, congestion_control: lia, scheduler: turns}\n"
        "traffic: [{tool: iperf3, from: client, to: server, duration: 5 s}]\n"
    )
    done = command("run", "e.yaml")
    assert done.status == 0, done.out + done.err
    assert ",turns," in Path("results/own/runs.csv").read_text()


@pytest.mark.parametrize("missing", ["", "release", "init_subflow"])
def test_hooks_of_connections_and_subflows(
    folder: Path, command: Command, missing: str
) -> None:
    """A scheduler that sends only if each hook was called, once per connection or
    subflow. Without one of its hooks it sends nothing, at the latest in the third
    connection.
    """
    kept = [
        line
        for line in COUNTS.read_text().splitlines()
        if not line.startswith((f"\t.{missing}\t", f"\t.{missing} ")) or not missing
    ]
    text = "\n".join(kept) + "\n"
    if missing:
        text = text.replace(f"static void counts_{missing}(", f"void counts_{missing}(")
    (folder / "counts.c").write_text(text)
    entries = "".join(
        f"  - {{tool: curl, from: client, to: server, size: 200 kB, start: {at} s}}\n"
        for at in (0, 100, 200)
    )
    (folder / "e.yaml").write_text(
        "name: own\nplugins: {schedulers: counts.c}\ntopology: two_path\ncases:\n"
        "  a: {protocol: mptcp, congestion_control: cubic, scheduler: counts}\n"
        f"time_limit: 400 s\ntraffic:\n{entries}"
    )
    done = command("run", "e.yaml")
    table = Path("results/own/runs.csv").read_text()
    assert (done.status == 0 and ",ok," in table) is (not missing), done.out + done.err


def test_the_documented_scheduler(folder: Path, command: Command) -> None:
    """`near` leaves out the long path, and `far` uses both: its parameter arrives."""
    write(folder)
    done = command("run", "near.yaml")
    assert done.status == 0, done.out + done.err
    with Path("results/near/runs.csv").open() as file:
        rows = {row["case"]: row for row in csv.DictReader(file)}
    goodput = {case: float(row["goodput_mbps"]) for case, row in rows.items()}
    assert goodput["near"] == pytest.approx(goodput["tcp1"], rel=0.05)
    assert goodput["far"] > 1.5 * goodput["tcp1"]
    trace = {
        row["case"]: Path("results/near/runs", row["id"], "artefacts/trace.csv")
        for row in rows.values()
    }
    for case, published in {"near": True, "far": True, "tcp1": False}.items():
        frame = read(trace[case])
        assert ("scheduler_number" in trace[case].read_text()[:600]) is published
        # `far` asks for the second path before its round-trip time is known, too
        counts = frame["scheduler_number"].max()
        assert bool(counts > 10) is (case == "near"), (case, counts)
    done = command("verify", "results/near", "--sample", "1")
    assert done.status == 0, done.out + done.err


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("times: 50", "times: 500", "13: cases.far.scheduler.times: 500 is out of"),
        ("times: 50", "time: 5", "13: cases.far.scheduler.time: near has no such"),
    ],
)
def test_a_parameter_of_one_s_own_out_of_range(
    folder: Path, command: Command, old: str, new: str, reason: str
) -> None:
    write(folder)
    file = folder / "near.yaml"
    file.write_text(file.read_text().replace(old, new))
    done = command("plan", "near.yaml")
    assert done.status == 2
    assert f"near.yaml:{reason}" in done.err


def test_a_declaration_is_refused_with_its_line(folder: Path, command: Command) -> None:
    write(folder)
    file = folder / "schedulers/near.c"
    file.write_text(file.read_text().replace("(times, 3, 1, 100)", "(times, 3, 1)"))
    done = command("plan", "near.yaml")
    assert done.status == 2
    assert "schedulers/near.c:7: cannot be read" in done.err
