"""Commands that write where `--out` says: a pipe or a device stays what it is."""

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from click.testing import CliRunner

from mpbench.commands import cost, dashboard
from tests.dashboard.conftest import campaign


@contextmanager
def reading(pipe: Path) -> Iterator[list[bytes]]:
    """Text that is written into a pipe until the block ends."""
    os.mkfifo(pipe)
    found: list[bytes] = []
    descriptor = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    done = Event()

    def read() -> None:
        while True:
            last = done.is_set()
            try:
                more = os.read(descriptor, 1 << 16)
            except BlockingIOError:
                more = b""
            found.append(more)
            if last and not more:
                return
            time.sleep(0 if more else 0.001)

    thread = Thread(target=read)
    thread.start()
    try:
        yield found
    finally:
        done.set()
        thread.join()
        os.close(descriptor)


def test_a_dashboard_and_a_page_go_into_a_pipe(tmp_path: Path) -> None:
    results = campaign(tmp_path, 2, "[0 %]", 2)
    for command, words in ((dashboard, b"</html>"), (cost, b"| ")):
        pipe = tmp_path / "pipe"
        with reading(pipe) as found:
            ended = CliRunner().invoke(
                command.command,
                [str(results), "--out", str(pipe)],
                catch_exceptions=False,
            )
        assert ended.exit_code == 0, ended.output
        assert stat.S_ISFIFO(pipe.stat().st_mode)
        assert words in b"".join(found)
        pipe.unlink()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".new")]


def test_a_file_that_is_there_is_replaced(tmp_path: Path) -> None:
    results = campaign(tmp_path, 2, "[0 %]", 2)
    out = tmp_path / "page.html"
    out.write_text("old")
    ended = CliRunner().invoke(
        dashboard.command, [str(results), "--out", str(out)], catch_exceptions=False
    )
    assert ended.exit_code == 0
    assert out.read_text() != "old" and "</html>" in out.read_text()
