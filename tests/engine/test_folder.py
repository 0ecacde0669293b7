"""Results folders that cannot be worked in, and what they are told."""

import errno
import fcntl
import json
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mpbench.engine.types import Experiment
from mpbench.errors import UserError
from mpbench.kernel.lock import exclusive
from mpbench.store import atomic, folder, layout, runs
from mpbench.store.disk_space import NoSpaceError

from . import plans
from .conftest import Lab
from .processes import ROOT


def test_another_format_is_refused_and_left_alone(lab: Lab) -> None:
    lab.run()
    head = json.loads(lab.results.campaign.read_text())
    head |= {"format": 3, "mpbench": "9.0"}
    lab.results.campaign.write_text(json.dumps(head))
    with pytest.raises(UserError, match=r"format 3, made by mpbench 9\.0"):
        lab.run()
    assert json.loads(lab.results.campaign.read_text()) == head


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 1}', ""])
def test_a_damaged_head_is_refused(lab: Lab, content: str) -> None:
    lab.run()
    lab.results.campaign.write_text(content)
    with pytest.raises(UserError, match=r"campaign\.json: damaged|results of format"):
        lab.run()


def test_another_experiment_is_refused(lab: Lab) -> None:
    lab.run()
    with pytest.raises(UserError, match="holds experiment 'small', not 'other'"):
        lab.run(Experiment("other", b"", plans.plan()))


def test_somebody_elses_folder_is_refused(lab: Lab) -> None:
    lab.results.root.mkdir()
    (lab.results.root / "thesis.tex").write_text("")
    with pytest.raises(UserError, match=r"not a results folder \(holds thesis.tex\)"):
        lab.run()
    assert [path.name for path in lab.results.root.iterdir()] == ["thesis.tex"]


def test_a_first_start_cut_short_is_no_strangers_folder(lab: Lab) -> None:
    lab.results.runs.mkdir(parents=True)
    lab.results.lock.write_text("1\n")
    (lab.results.root / ".new-campaign.json").write_text("{")
    lab.results.design.write_text("point\n")
    assert lab.run() == 0


@pytest.mark.parametrize("below", ["", "deeper"])
def test_a_file_in_the_place_of_the_folder_is_refused(lab: Lab, below: str) -> None:
    lab.results.root.write_text("")
    with pytest.raises(UserError, match="is a file, not a folder"):
        Lab(lab.results.root / below).run()


@pytest.mark.slow
def test_a_folder_that_may_not_be_written_is_refused(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    (locked / "out").mkdir(parents=True)
    (locked / "out").chmod(0o555)
    locked.chmod(0o555)
    for out in (locked / "out", locked / "new"):
        done = bound_by_permissions(str(out), "1")
        assert done.returncode == 2, done.stderr
        assert "no permission to write; give a folder" in done.stderr
        assert done.stderr.count("\n") == 1
    locked.chmod(0o755)


def bound_by_permissions(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """A campaign for which permissions count, also when root runs the tests."""
    capabilities = "--bounding-set=-dac_override,-dac_read_search"
    humbly = ["setpriv", capabilities] if os.getuid() == 0 else []
    return subprocess.run(
        [*humbly, sys.executable, "-m", "tests.engine.driver", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_killed_replacement_is_put_right(lab: Lab) -> None:
    """Between the two renames of a replacement the old run stands aside."""
    lab.run()
    one, two = lab.folders()[:2]
    aside = lab.results.replaced(one).root
    lab.results.run(one).root.rename(aside)
    lab.results.replaced(two).root.mkdir()
    lab.results.partial(two).artefacts.mkdir(parents=True)
    lab.run()
    assert "6 finished" in lab.text
    assert len(lab.folders()) == 6


def test_no_space_while_writing_a_run_stops_cleanly(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish, calls = runs.finish, []

    def full(*arguments: Any) -> None:
        calls.append(1)
        if len(calls) > 2:
            raise OSError(errno.ENOSPC, "No space left on device", "x")
        finish(*arguments)

    monkeypatch.setattr(runs, "finish", full)
    with pytest.raises(NoSpaceError, match=r"no space left .* finished runs are kept"):
        lab.run(jobs=1)
    assert len(lab.folders()) == 2
    monkeypatch.setattr(runs, "finish", finish)
    assert lab.run() == 0
    assert len(lab.table()) == 6


def test_no_space_while_writing_the_table_keeps_the_old_one(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.run(limit=2)
    before = lab.results.csv.read_bytes()

    def full(rows: list[dict[str, Any]]) -> pd.DataFrame:
        raise OSError(errno.ENOSPC, "No space left on device", "x")

    with pytest.raises(NoSpaceError):
        lab.run(tabulate=full)
    assert lab.results.csv.read_bytes() == before
    assert len(lab.folders()) == 6


def test_a_disk_that_is_truly_full(tmp_path: Path) -> None:
    """A small file system, runs that leave 3 MB each: some fit, the rest do not."""
    script = (
        'mount -t tmpfs -o size=16m none "$1" || exit 77; '
        'MPBENCH_FAKE=\'{"ballast_bytes": 3000000}\' "$2" -m tests.engine.driver '
        '"$1/out" 4; status=$?; ls -A "$1/out/runs"; exit $status'
    )
    disk = tmp_path / "disk"
    disk.mkdir()
    done = subprocess.run(
        [
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            *("sh", "-c", script, "sh", str(disk), sys.executable),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode in (1, 77) and "finished" not in done.stdout:
        pytest.skip(f"cannot mount a small file system: {done.stderr.strip()}")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "no space left" in done.stderr
    assert done.stderr.count("\n") == 1
    left = [line for line in done.stdout.splitlines() if len(line) == 16]
    assert 1 <= len(left) <= 5
    assert ".partial" not in done.stdout


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    atomic.write_json(path, {"a": 1})

    def interrupted(temporary: Path) -> None:
        temporary.write_text("{")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        atomic.write_with(path, interrupted)
    assert json.loads(path.read_text()) == {"a": 1}
    assert [each.name for each in tmp_path.iterdir()] == ["value.json"]


def test_no_result_is_written_that_is_not_json(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        atomic.write_json(tmp_path / "value.json", {"a": float("nan")})
    assert list(tmp_path.iterdir()) == []


def test_the_lock_is_let_go(tmp_path: Path) -> None:
    for _ in range(2):
        with folder.working(tmp_path / "out", "x") as results:
            assert results == layout.Results(tmp_path / "out")


@pytest.mark.parametrize("kind", ["pipe", "device", "socket"])
def test_a_lock_that_is_no_file_is_told(lab: Lab, kind: str) -> None:
    lab.run()
    lab.results.lock.unlink()
    if kind == "pipe":
        os.mkfifo(lab.results.lock)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(lab.results.lock))
    else:
        try:
            os.mknod(lab.results.lock, stat.S_IFCHR, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("only root makes devices")
    words = "a device, a pipe or a socket, not a file; remove it"
    with pytest.raises(UserError, match=f"{re.escape(str(lab.results.lock))}: {words}"):
        lab.run()


@pytest.mark.parametrize(
    ("content", "named"), [("", ""), ("12\n", " (process 12)"), ("\x1b[31m", "")]
)
def test_a_held_lock_names_its_process_if_it_has_one(
    lab: Lab, content: str, named: str
) -> None:
    lab.run()
    lab.results.lock.write_text(content)
    with lab.results.lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(UserError) as told:
            lab.run()
    assert f": another mpbench{named} is working here; wait for it" in str(told.value)


def test_a_pipe_as_the_lock_of_a_cache_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "lock")
    with (
        pytest.raises(UserError, match="its lock is not a regular file"),
        exclusive(tmp_path, print),
    ):
        pass
