"""`mpbench run --live`: the campaign and its page in one command."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome

from tests.calls import Command
from tests.dashboard.conftest import EXPERIMENT
from tests.dashboard.live_page import PATIENCE_S, Page, live, until
from tests.dashboard.looks import Look
from tests.dashboard.test_live_browser import counted, text_of

pytestmark = pytest.mark.slow

RUN = ("run", "file.yaml", "--backend", "fake", "--out", "results", "-j", "1", "--live")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With an experiment of 12 runs."""
    text = EXPERIMENT.format(points=3, losses="[0 %]", seconds=5)
    (tmp_path / "file.yaml").write_text(text)
    return tmp_path


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, wall_s=0.5)


def fake(monkeypatch: pytest.MonkeyPatch, **does: Any) -> None:
    monkeypatch.setenv("MPBENCH_FAKE", json.dumps(does))


def answers(page: Page) -> bool:
    """Whether something listens at the page's address."""
    try:
        with socket.create_connection(("127.0.0.1", page.split.port or 0)):
            return True
    except OSError:
        return False


def pages_of(page: Page) -> list[int]:
    """The processes that the command has started."""
    number = page.process.pid
    children = Path(f"/proc/{number}/task/{number}/children").read_text()
    return [int(child) for child in children.split()]


def left(temporary: Path) -> list[str]:
    return [path.name for path in temporary.iterdir()]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder for temporary folders."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    yield place


@pytest.mark.usefixtures("slow")
def test_the_page_ends_with_the_campaign(folder: Path, temporary: Path) -> None:
    with live(folder, *RUN) as page:
        assert page.address.startswith("http://127.0.0.1:")
        (state,) = page.state()["campaigns"]
        assert state["working"] and state["planned"] == 12
        assert page.ask("/")[0] == 403
        until(lambda: page.state()["version"])
        assert b"<html" in page.file("dashboard.html")
        assert page.process.wait(PATIENCE_S) == 0
        assert not answers(page)
    assert "12 ok" in page.said and "Next: mpbench report" in page.said
    assert not (folder / "results/report").exists()
    assert left(temporary) == []


def test_the_exit_status_is_the_campaigns(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(monkeypatch, do="panic", when="transport.path=2")
    with live(folder, *RUN) as page:
        assert page.process.wait(PATIENCE_S) == 1
        assert not answers(page)
    assert "3 failed" in page.said


@pytest.mark.usefixtures("slow")
def test_ctrl_c_ends_both(folder: Path, temporary: Path) -> None:
    with live(folder, *RUN) as page:
        until(lambda: page.state()["campaigns"][0]["finished"])
        status, said = page.stop()
        assert status == 130 and "of 12 finished and safe" in said
        assert not answers(page)
    assert left(temporary) == []


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_page_does_not_outlive_the_command(
    folder: Path, temporary: Path, number: int
) -> None:
    with live(folder, *RUN) as page:
        (server,) = pages_of(page)
        page.stop(number)
        until(lambda: not Path(f"/proc/{server}").exists())
        assert not answers(page)
        until(lambda: not [name for name in left(temporary) if "live" in name])


@pytest.mark.usefixtures("slow")
def test_the_campaign_outlives_the_page(folder: Path) -> None:
    with live(folder, *RUN) as page:
        (server,) = pages_of(page)
        os.kill(server, signal.SIGKILL)
        assert page.process.wait(PATIENCE_S) == 0
    assert "12 ok" in page.said


def test_a_port_that_is_taken_stops_the_campaign(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = command(*RUN, "--port", port)
    assert done.status == 2 and done.err.count("\n") == 1
    assert f"--port {port}: " in done.err and "leave --port out" in done.err
    assert list((folder / "results/runs").iterdir()) == []


def test_without_runs_there_is_no_page(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert command(*RUN).status == 0
    done = command(*RUN)
    assert done.status == 0 and "live at" not in done.out
    assert "0 to do now" in done.out


def test_options_that_do_not_fit(folder: Path, command: Command) -> None:
    file = folder / "file.yaml"
    done = command("run", file, "--live", "--dry-run")
    assert done.status == 2 and "leave --dry-run out" in done.err
    done = command("run", file, "--port", 8000)
    assert done.status == 2 and "add --live" in done.err
    done = command("run", file, "--live", "--host", "0.0.0.0")
    assert done.status == 2 and "ssh -L" in done.err


def test_a_strangers_modules_are_not_imported(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The working folder may be a stranger's, with a json.py in it."""
    (folder / "json.py").write_text("open('imported', 'w')\n")
    monkeypatch.chdir(folder)
    assert command(*RUN).status == 0
    assert not (folder / "imported").exists()


def test_a_reader_sees_the_campaign(
    browser: Chrome, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(monkeypatch, wall_s=600, when="transport.path=2")
    with live(folder, *RUN, "-j", "2") as page:
        look = Look(browser, page.address)
        look.until(lambda: "of 12 runs" in text_of(look, "#campaigns"))
        look.until(lambda: text_of(look, "td .running") == "running")
        until(lambda: page.state()["version"])
        look.until(lambda: counted(look).partition(" ")[0].isdigit())
        assert look.complaints() == []
        assert page.stop()[0] == 130
        look.until(lambda: "has ended" in text_of(look, "#connection"))
        assert counted(look).partition(" ")[0].isdigit()
