"""The live page: who may read it, what it says, and what it leaves behind."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.live import standing
from mpbench.live.server import Answer, LiveServer, check_host
from mpbench.live.standing import Folder
from mpbench.store.lock import locked
from tests.calls import Command
from tests.dashboard.conftest import campaign
from tests.dashboard.live_page import Filling, Page, live, until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of 12 runs, 3 of which failed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MPBENCH_FAKE", '{"do": "panic", "when": "transport.path=2"}')
        return campaign(tmp_path_factory.mktemp("whole"), 3, "[0 %]", 5)


@pytest.fixture
def filling(whole: Path, tmp_path: Path) -> Filling:
    return Filling(whole, tmp_path / "results")


@pytest.fixture(scope="module")
def page(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page of finished results."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(whole, folder / "results")
    with live(folder, "dashboard", "--live", "results") as served:
        until(lambda: served.state()["version"])
        yield served


def test_an_address_without_the_token_is_refused(page: Page) -> None:
    path = page.split.path
    assert page.ask(path)[0] == 200
    other = "/" + ("x" if path[1] != "x" else "y") + path[2:]
    for wrong in ("/", path[:-1], other, path.swapcase(), "/%2e" + path, "//"):
        status, body, _ = page.ask(wrong)
        assert status == 403, wrong
        assert b"token" in body


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", ""],
)
def test_another_host_is_refused(page: Page, host: str) -> None:
    """As after DNS rebinding: the right address under a foreign name."""
    status, body, _ = page.ask(page.split.path, host=host or " ")
    assert status == 403
    assert b"127.0.0.1" in body


def test_a_tunnel_is_not_refused(page: Page) -> None:
    for host in ("localhost:9000", "127.0.0.1:9000", "localhost"):
        assert page.ask(page.split.path, host=host)[0] == 200


def test_two_hosts_are_refused(page: Page) -> None:
    with socket.create_connection(("127.0.0.1", page.split.port or 0)) as asked:
        lines = f"GET {page.split.path} HTTP/1.0\r\nHost: localhost\r\nHost: x\r\n\r\n"
        asked.sendall(lines.encode())
        assert b" 403 " in asked.recv(100)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_the_page_can_only_be_read(page: Page, method: str) -> None:
    assert page.ask(page.split.path, method=method)[0] == 501


def test_only_what_was_drawn_is_served(page: Page) -> None:
    path, version = page.split.path, page.state()["version"]
    assert page.ask(f"{path}v{version}/dashboard.html")[0] == 200
    for wrong in (
        f"v{version}/../v{version}/dashboard.html",
        f"v{version}/%2e%2e/live.log",
        f"v{version}/..%2f..%2fetc%2fpasswd",
        f"v{version}//etc/passwd",
        "../live.log",
        ".mpbench-temporary",
        "v0/dashboard.html",
        "v99/dashboard.html",
        f"v{version}/%00",
        f"v{version}",
        "watch.py",
    ):
        assert page.ask(path + wrong)[0] == 404, wrong


def test_nothing_is_kept_and_nothing_leaves(page: Page) -> None:
    _, _, headers = page.ask(page.split.path)
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    status, body, headers = page.ask(page.split.path, method="HEAD")
    assert (status, body) == (200, b"") and int(headers["Content-Length"]) > 100


def test_only_this_machine_is_listened_to(page: Page) -> None:
    """Every address of the machine but the loopback one refuses the connection."""
    port = page.split.port or 0
    hexadecimal = f":{port:04X}"
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    assert [each for each in listening if each.endswith(hexadecimal)] == [
        f"0100007F{hexadecimal}"
    ]
    six = Path("/proc/net/tcp6")
    assert not six.exists() or hexadecimal not in six.read_text()


def test_tokens_differ() -> None:
    found = set()
    for _ in range(3):
        server = LiveServer(None, lambda _: Answer("text/plain", b""))
        found.add(server.address.split("/")[3])
        server.close()
    assert len(found) == 3 and min(map(len, found)) >= 24


def test_another_host_to_listen_on_is_refused(command: Command, whole: Path) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.2"):
        done = command("dashboard", "--live", whole, "--host", host, "--port", 8123)
        assert done.status == 2 and done.err.count("\n") == 1
        assert f"--host {host}" in done.err and "ssh -L 8123:127.0.0.1:8123" in done.err
    check_host("127.0.0.1", None)


def test_a_port_that_is_taken(command: Command, whole: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"--port {port}: .*leave --port out"):
            LiveServer(port, lambda _: None)


def test_options_that_do_not_fit(command: Command, whole: Path, tmp_path: Path) -> None:
    done = command("report", whole, "--port", 8000)
    assert done.status == 2 and "add --watch" in done.err
    done = command("report", whole, whole, "--watch")
    assert done.status == 2 and "one by one" in done.err
    done = command("report", whole, "--watch", "--format", "pdf")
    assert done.status == 2 and "add html" in done.err
    (tmp_path / "notes.txt").write_text("something else")
    done = command("dashboard", "--live", tmp_path)
    assert done.status == 2 and "no campaign.json" in done.err


def test_the_folder_says_where_the_campaign_stands(filling: Filling) -> None:
    folder = Folder(filling.root.root)
    assert not folder.look().working and folder.look().finished == ()
    with filling.working():
        run = filling.begin()
        now = folder.look()
        assert now.working and [flight.id for flight in now.flights] == [run]
        assert (now.planned, now.eta_s) == (12, None)
        filling.add()
        then = folder.look()
        assert [done.id for done in then.finished] == [run] and then.mark != now.mark
        filling.add(5)
        assert folder.look().verdicts.total() == 6
    ended = folder.look()
    assert not ended.working and ended.flights == () and ended.eta_s is None
    assert folder.look().mark == ended.mark


def test_the_worker_of_a_run_is_told(filling: Filling) -> None:
    folder = Folder(filling.root.root)
    with filling.working():
        run = filling.begin("node7 (tcp://10.0.0.7:4000)\x1b[2J")
        (flight,) = folder.look().flights
        assert (flight.id, flight.worker) == (run, "node7 (tcp://10.0.0.7:4000)?[2J")
        assert flight.since_s == filling.root.partial(run).worker.stat().st_mtime


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"worker": 3}',
        b'{"worker": ""}',
        b'{"worker": ["a"]}',
        b'{"worker": "a\\u001b[2J"}',
        b'{"worker": "a", "more": 1}',
        b'{"worker": "' + b"a" * 501 + b'"}',
        b'{"worker": "a"}' + b" " * 5000,
    ],
)
def test_a_worker_that_a_stranger_made_up(filling: Filling, content: bytes) -> None:
    with filling.working():
        run = filling.root.partial(filling.begin("node7"))
        run.worker.write_bytes(content)
        (flight,) = Folder(filling.root.root).look().flights
        assert flight.worker == ""


def test_a_worker_where_none_can_be(filling: Filling, tmp_path: Path) -> None:
    """Links and pipes are not read, and a guest of this machine is not believed."""
    with filling.working():
        run = filling.root.partial(filling.begin("node7"))
        folder = Folder(filling.root.root)
        run.worker.rename(tmp_path / "worker.json")
        run.worker.symlink_to(tmp_path / "worker.json")
        assert folder.look().flights[0].worker == ""
        run.worker.unlink()
        os.mkfifo(run.worker)
        assert folder.look().flights[0].worker == ""
        run.worker.unlink()
        run.job.write_text("{}")
        shutil.copy(tmp_path / "worker.json", run.worker)
        assert folder.look().flights[0].worker == ""


@pytest.mark.parametrize("words", [("dashboard", "--live"), ("report", "--watch")])
def test_a_campaign_that_has_not_begun_is_waited_for(
    whole: Path, tmp_path: Path, words: tuple[str, str]
) -> None:
    with live(tmp_path, *words, "results") as page:
        (before,) = page.state()["campaigns"]
        assert before["waiting"] and not before["working"]
        until(lambda: "has not begun the campaign" in page.state()["note"])
        assert "results: waiting for `mpbench run`" in page.said
        filling = Filling(whole, tmp_path / "results")
        with filling.working():
            filling.add(2)
            until(lambda: page.state()["version"])
            (then,) = page.state()["campaigns"]
            assert not then["waiting"] and (then["finished"], then["planned"]) == (
                2,
                12,
            )
        until(lambda: "2 of 12 runs" in page.said)
        assert page.stop()[0] == 0


def test_ctrl_c_while_waiting(tmp_path: Path) -> None:
    with live(tmp_path, "dashboard", "--live", "results") as page:
        assert page.stop() == (130, until(lambda: page.said))
        assert "no file was written: results: not begun" in page.said
    assert not (tmp_path / "results").exists()


def test_the_folder_before_its_head(whole: Path, tmp_path: Path) -> None:
    """An engine locks the folder, and writes its head later."""
    root = tmp_path / "results"
    folder = Folder(root)
    assert folder.look().waiting
    root.mkdir()
    with locked(root / ".lock"):
        (root / "runs").mkdir()
        assert folder.look().waiting and folder.look().working
        shutil.copy(whole / "campaign.json", root)
        assert not folder.look().waiting and folder.look().planned == 12
    (root / "campaign.json").unlink()
    with pytest.raises(UserError, match=r"no campaign\.json"):
        folder.look()


def test_time_to_go_follows_the_pace(
    filling: Filling, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = json.loads(filling.root.campaign.read_text())
    head["invocations"][-1]["at"] = "2026-11-22T10:00:00+00:00"
    filling.root.campaign.write_text(json.dumps(head))
    with filling.working():
        filling.add(4)
        for number, run in enumerate(sorted(filling.root.runs.iterdir())):
            # The first run is of an earlier invocation.
            ended_s = 1795341600 + (20 * number if number else -5)
            os.utime(run, (ended_s, ended_s))
        monkeypatch.setattr("time.time", lambda: 1795341660.0)
        # Three runs in 60 s, and eight are left.
        assert Folder(filling.root.root).look().eta_s == pytest.approx(160)


def test_a_strangers_folder(filling: Filling, tmp_path: Path) -> None:
    """Links, damaged rows and folders of other names are not counted."""
    filling.add(4)
    first, second, third, _ = sorted(filling.root.runs.iterdir())
    (first / "row.json").write_text("{")
    (second / "row.json").unlink()
    (second / "row.json").symlink_to(third / "row.json")
    third.rename(tmp_path / "aside")
    third.symlink_to(tmp_path / "aside")
    (filling.root.runs / "..x").mkdir()
    assert len(Folder(filling.root.root).look().finished) == 1


def test_a_lock_is_seen_without_taking_it(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    assert not standing.is_locked(path)
    with locked(path):
        assert standing.is_locked(path)
        path.chmod(0o444)
    assert not standing.is_locked(path)


def test_the_dashboard_at_the_end_is_the_plain_one(
    tmp_path: Path, whole: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a campaign of the real engine."""
    shutil.copy(whole / "experiment.yaml", tmp_path / "file.yaml")
    run = [sys.executable, "-m", "mpbench.cli", "run", "file.yaml"]
    run += ["--backend", "fake", "--out", "results", "-j", "1"]
    engine = subprocess.Popen(
        run,
        cwd=tmp_path,
        env={**os.environ, "MPBENCH_FAKE": '{"wall_s": 0.3}'},
        stdout=subprocess.DEVNULL,
    )
    until((tmp_path / "results/campaign.json").exists)
    with live(tmp_path, "dashboard", "--live", "results") as page:
        assert engine.wait(100) == 0
        until(lambda: "wrote results/report/dashboard.html" in page.said)
        until(lambda: "12 of 12 runs: 12 ok; the page stays" in page.said)
        served = page.file("dashboard.html")
        status, said = page.stop()
    assert status == 0
    assert said.splitlines()[-1].startswith("stopped; the files are written: results:")
    plain = tmp_path / "plain.html"
    monkeypatch.chdir(tmp_path)
    assert command("dashboard", "results", "--out", plain).status == 0
    written = (tmp_path / "results/report/dashboard.html").read_bytes()
    assert written == plain.read_bytes() == served


def test_the_report_at_the_end_is_the_plain_one(
    filling: Filling, tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notes that lie where the report will be stand in it while the campaign runs."""
    folder = filling.root.root / "report"
    folder.mkdir()
    (folder / "notes.md").write_text("## Why\n\nA note of mine.\n")
    with filling.working(), live(tmp_path, "report", "--watch", "results") as page:
        assert page.state()["note"] == "No run is finished yet."
        filling.add(4)
        until(lambda: page.state()["version"])
        assert b"A note of mine." in page.file("index.html")
        assert b"Unfinished: 8 of 12 runs" in page.file("index.html")
        assert page.file("dashboard.html") and page.file("network.svg")
        assert [path.name for path in folder.iterdir()] == ["notes.md"]
        filling.add(8)
        status, said = page.stop(signal.SIGTERM)
        assert status == 130 and "stopped; no file was written" in said
    with live(tmp_path, "report", "--watch", "results") as page:
        until(lambda: "the page stays until Ctrl-C" in page.said)
        assert page.stop()[0] == 0
    monkeypatch.chdir(tmp_path)
    shutil.copytree(filling.root.root, tmp_path / "again")
    shutil.rmtree(filling.root.root)
    shutil.copytree(tmp_path / "again", filling.root.root)
    live_files = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        if path.name != "notes.md":
            path.unlink()
    assert command("report", "results").status == 0
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == live_files
    assert {"README.md", "index.html", "dashboard.html"} <= set(live_files)


def test_a_file_that_cannot_be_written(filling: Filling, tmp_path: Path) -> None:
    filling.add(4)
    (tmp_path / "taken").write_text("a file")
    out = "taken/dashboard.html"
    with live(tmp_path, "dashboard", "--live", "results", "--out", out) as page:
        until(lambda: "cannot be written" in page.said)
        assert "give another with --out" in page.state()["note"]
        assert page.stop()[0] == 2
