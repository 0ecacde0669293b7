"""`mpbench compare`, on made-up numbers."""

import re
from pathlib import Path

import pandas as pd
import pytest

from tests.calls import Command
from tests.spec.files import TEXT

pytestmark = pytest.mark.slow


def ran(command: Command, name: str, text: str) -> str:
    """A campaign under results/NAME."""
    Path(f"{name}.yaml").write_text(text.replace("name: small", f"name: {name}"))
    done = command("run", f"{name}.yaml", "--backend", "fake")
    assert done.status == 0, done.err
    return f"results/{name}"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_same_points_with_another_seed(command: Command) -> None:
    a = ran(command, "a", TEXT.replace("points: 4", "points: 4\n  seed: 1"))
    b = ran(
        command, "b", TEXT.replace("points: 4", "points: 4\n  seed: 1") + "seed: 5\n"
    )
    done = command("compare", a, b, "--pairs", "pairs.csv")
    assert done.status == 0, done.err
    rows = [line.split() for line in done.out.splitlines() if line.startswith("good")]
    assert [row[1:3] for row in rows] == [["mptcp", "4"], ["tcp1", "4"], ["tcp2", "4"]]
    assert "needs 6" in done.out and "B > A" in done.out
    pairs = pd.read_csv("pairs.csv")
    assert len(pairs) == 12
    tables = [pd.read_csv(f"{path}/runs.csv") for path in (a, b)]
    one, other = (t.set_index(["case", "point"])["goodput_mbps"] for t in tables)
    assert pairs["difference"].sum() == pytest.approx((other - one).sum())
    assert command("compare", a, b).out == command("compare", a, b).out


def test_cases_of_other_names(command: Command) -> None:
    a = ran(command, "a", TEXT)
    b = ran(command, "b", TEXT.replace("mptcp:", "other:"))
    done = command("compare", a, b, "--case", "mptcp=other")
    assert done.status == 0, done.err
    assert "mptcp=other" in done.out
    (row,) = [line for line in done.out.splitlines() if line.startswith("goodput")]
    assert row.split()[5:7] == ["+0", "needs"]


def test_entries_that_are_not_added_have_rows_of_their_own(command: Command) -> None:
    there = "{tool: iperf3, name: up, from: client, to: server, duration: 5 s}"
    back = there.replace("up", "down").replace("5 s", "5 s, reverse: true")
    text = (
        "name: small\ntopology: two_path\nrepetitions: 2\n"
        "cases: {m: {protocol: mptcp, congestion_control: lia}}\n"
        f"traffic: [{there}, {back}]\nmetrics: [goodput, jain]\n"
    )
    a = ran(command, "a", text)
    done = command("compare", a, a, "--case", "m=m")
    assert done.status == 0, done.err
    rows = [line.split() for line in done.out.splitlines() if ".goodput" in line]
    assert [row[0] for row in rows] == ["up.goodput", "down.goodput"]
    assert "No pair of runs that are ok has jain." in done.out


def test_topologies_that_differ_in_how_links_are_built_only(command: Command) -> None:
    a = ran(command, "a", TEXT)
    b = ran(command, "b", TEXT.replace("topology: two_path", "topology: minitopo"))
    done = command("compare", a, b)
    assert done.status == 0, done.err


@pytest.mark.parametrize(
    ("old", "new", "options", "words"),
    [
        (
            "path2.delay: {min: 1 ms",
            "path2.queueing_delay: {min: 1 ms",
            (),
            "varies in",
        ),
        ("max: 25 ms", "max: 24 ms", (), "have no design point in common"),
        ("", "", ("--case", "mtpcp"), "results/a has no case 'mtpcp'; known: mptcp,"),
        ("", "", ("--case", "mptcp=x"), "results/b has no case 'x'"),
        ("", "", ("--metric", "completion_time"), "no pair of ok runs with completion"),
    ],
)
def test_unlike_campaigns_are_refused(
    command: Command, old: str, new: str, options: tuple[str, ...], words: str
) -> None:
    a, b = ran(command, "a", TEXT), ran(command, "b", TEXT.replace(old, new))
    done = command("compare", a, b, *options)
    assert done.status == 2
    assert words in done.err
    assert done.err.count("\n") == 1


def test_no_case_in_common(command: Command) -> None:
    a = ran(command, "a", TEXT)
    only = "cases: {other: {protocol: tcp, congestion_control: reno, path: 1}}\n"
    b = ran(
        command, "b", TEXT.split("cases:")[0] + only + TEXT[TEXT.index("traffic:") :]
    )
    done = command("compare", a, b)
    assert done.status == 2
    assert "no case in common" in done.err and "--case mptcp=other" in done.err


def test_what_is_no_results_folder(command: Command) -> None:
    done = command("compare", "nowhere", "nowhere")
    assert done.status == 2
    assert "no campaign.json" in done.err


def test_limits_decide_the_exit_status(command: Command) -> None:
    a = ran(command, "a", TEXT.replace("points: 4", "points: 8"))
    words = ("compare", a, a, "--limit", "goodput=1")
    same = command(*words, "--case", "mptcp")
    assert (same.status, same.out.partition(":")[0]) == (0, "ok")
    slow = TEXT.replace("points: 4", "points: 8")
    slow += "parameters: {path2.capacity: 1 Mbit/s}\n"
    b = ran(command, "b", slow)
    worse = command("compare", a, b, *words[3:], "--case", "tcp2", "--tap")
    assert worse.status == 1
    assert worse.out.startswith("TAP version 14\n1..1\nnot ok 1 - goodput, tcp2 aga")
    assert "worst: {path1.capacity_mbps: " in worse.out
    few = ran(command, "few", TEXT)
    undecided = command("compare", few, few, "--limit", "goodput=1", "--case", "mptcp")
    assert undecided.status == 3
    assert "n = 6 would probably decide" in undecided.out


KERNELS = """\
name: kernels
topology: two_path
kernels:
  stock: {lab: none}
  fast: {base: stock, options: {CONFIG_HZ: 1000}}
  slow: {base: stock, options: {CONFIG_HZ: 100}}
cases:
  mptcp: {protocol: mptcp, congestion_control: cubic}
  tcp: {protocol: tcp, congestion_control: cubic, path: 1}
design:
  points: 8
  factors:
    kernel: [stock, fast, slow]
    path1.capacity: {min: 1, max: 100, unit: Mbit/s}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""


def test_kernels_are_compared_under_each_transport(command: Command) -> None:
    a = ran(command, "kernels", KERNELS)
    done = command("compare", a, "--kernel", "stock", "--pairs", "pairs.csv")
    assert done.status == 0, done.err
    rows = [line.split()[1] for line in done.out.splitlines() if "good" in line[:4]]
    transports = ("mptcp", "tcp")
    others = [f"{t}-stock={t}-{k}" for k in ("fast", "slow") for t in transports]
    assert rows == others
    assert "mptcp-fast: 8 of 8 runs left the bytes of mptcp-stock." in done.out
    pairs = pd.read_csv("pairs.csv")
    assert set(pairs["partner"]) == {other.partition("=")[2] for other in others}
    words = ("compare", a, "--kernel", "stock=slow", "--limit", "goodput=1")
    judged = command(*words, "--tap")
    assert (judged.status, judged.out.splitlines()[1]) == (0, "1..2")
    assert "mptcp-slow against mptcp-stock" in judged.out
    assert "8 of them equal (8 byte for byte)" in judged.out


def test_the_networks_that_moved_most_can_be_executed_again(command: Command) -> None:
    a = ran(command, "a", TEXT.replace("points: 4", "points: 8"))
    words = ("compare", a, a, "--case", "tcp1=tcp2", "--limit", "goodput=1")
    done = command(*words)
    (first, *_) = re.findall(r"mpbench verify (\S+) --run (\w+) --run (\w+)", done.out)
    rows = pd.read_csv(f"{a}/runs.csv").set_index("id").loc[[*first[1:]]]
    assert (first[0], [*rows["case"]]) == (a, ["tcp1", "tcp2"])
    assert rows["point"].nunique() == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "name two folders, A and B, or A with --kernel"),
        (("results/kernels", "--kernel", "stock"), "name two folders"),
        (("--kernel", "stock", "--case", "tcp"), "with --kernel and no --case"),
        (("--kernel", "new"), "no case has 'new'; known: stock, fast, slow"),
        (("--kernel", "stock=new"), "no case has 'new'"),
        (("--kernel", "stock=stock"), "no two cases differ in these kernels alone"),
    ],
)
def test_kernels_that_cannot_be_compared(
    command: Command, options: tuple[str, ...], words: str
) -> None:
    a = ran(command, "kernels", KERNELS)
    done = command("compare", a, *options)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert words in done.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--limit", "goodput"), "expected METRIC=PERCENT; write e.g."),
        (("--limit", "goodput=-1"), "expected METRIC=PERCENT"),
        (("--limit", "goodpt=1"), "no metric has this name; "),
        (("--limit", "traffic_split=1"), "neither more nor less of it is better"),
        (("--limit", "request_time=1"), "no pair of ok runs with request_time"),
        (("--tap",), "--tap: shows limits; give some"),
    ],
)
def test_limits_that_cannot_be(
    command: Command, options: tuple[str, ...], words: str
) -> None:
    a = ran(command, "a", TEXT)
    done = command("compare", a, a, *options)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert words in done.err
