"""The live page of the campaign that `mpbench run --live` executes.

The page is a process of its own, because drawing would take the interpreter from the
threads that watch over runs. It reads the results folder like any other reader. It ends
when its standard input ends, so it never outlives the engine.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import mpbench
from mpbench.errors import UserError
from mpbench.live.watch import Board, Live, serve
from mpbench.report import dashboard

START_S = 300.0
END_S = 90.0
"""Time that the page may take to begin on a busy machine, and to end where somebody
reads it: it draws all runs once more, and waits until the browser shows them."""
SHOWN = "dashboard.html"


@contextlib.contextmanager
def page(root: Path, port: int | None) -> Iterator[str]:
    """The address of a page that shows the results folder `root`.

    port : None for any that is free
    Raises UserError if the page does not begin, for example because the port is taken.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, str(root), str(port or "")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": _search_path()},
        process_group=0,
    )
    with process:
        try:
            yield _address(process, root)
        finally:
            _end(process)


def _search_path() -> str:
    """Search path of the page's interpreter; this mpbench comes first."""
    own = Path(mpbench.__file__).parents[1]
    theirs = os.environ.get("PYTHONPATH")
    return f"{own}{os.pathsep}{theirs}" if theirs else str(own)


def _address(process: "subprocess.Popen[bytes]", root: Path) -> str:
    assert process.stdout is not None
    there, _, _ = select.select([process.stdout], [], [], START_S)
    line = process.stdout.readline() if there else b""
    if not line:
        raise UserError(
            "--live: the page did not begin; leave --live out, and call "
            f"`mpbench dashboard --live {root}` beside this command"
        )
    said: dict[str, str] = json.loads(line)
    if "error" in said:
        raise UserError(said["error"])
    return said["address"]


def _end(process: "subprocess.Popen[bytes]") -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(END_S)
    finally:
        if process.poll() is None:
            process.kill()


def _stop_with_input(board: Board) -> None:
    """Wait for the end of the standard input, tell readers, and stop the main thread.

    Without the last words, the page would stay at the state before the last runs ended.
    """
    while os.read(sys.stdin.fileno(), 1):
        pass
    board.conclude()
    os.kill(os.getpid(), signal.SIGTERM)


def _say(**words: str) -> None:
    print(json.dumps(words), flush=True)


def main() -> None:
    """Be the page: ROOT and PORT, which may be empty."""
    root, port = Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2] else None
    live = Live(
        title=f"{root.resolve().name}: dashboard",
        roots=[root],
        tabs=[("Dashboard", SHOWN)],
        draw=lambda folder: dashboard.write_finished([root], folder / SHOWN),
        finish=None,
    )

    def opened(address: str, board: Board) -> None:
        _say(address=address)
        threading.Thread(target=_stop_with_input, args=(board,), daemon=True).start()

    try:
        serve(live, port, opened)
    except UserError as error:
        _say(error=str(error))


if __name__ == "__main__":
    main()
