"""Stored results: what was changed since is told by whoever reads them."""

import errno
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from mpbench.engine.verify import verify_stored
from mpbench.errors import UserError
from mpbench.store import atomic, disk_space, manifest, runs, scratch
from mpbench.store.layout import Run

from . import plans
from .conftest import Lab


def stored(lab: Lab) -> tuple[int, str]:
    stream = io.StringIO()
    status = verify_stored(lab.results, Console(file=stream, width=300))
    return status, stream.getvalue()


def first(lab: Lab) -> Run:
    return lab.results.run(lab.folders()[0])


def test_what_is_as_it_was_stored_is_sound(lab: Lab) -> None:
    lab.run()
    status, said = stored(lab)
    assert status == 0
    assert "6 runs compared with manifests: 6 as stored, 0 damaged" in said


def edit_row(run: Run) -> None:
    run.row.write_text(run.row.read_text().replace("goodput_mbps", "goodput_mbpS"))


def edit_one_byte(run: Run) -> None:
    file = run.artefacts / "outcome.json"
    file.write_bytes(file.read_bytes().replace(b"ok", b"oK", 1))


DAMAGE: dict[str, Callable[[Run], object]] = {
    "row.json was changed": edit_row,
    "artefacts/outcome.json was changed": edit_one_byte,
    "artefacts/outcome.json is missing": lambda run: (
        run.artefacts / "outcome.json"
    ).unlink(),
    "artefacts/note.txt is not in the manifest": lambda run: (
        run.artefacts / "note.txt"
    ).write_text(""),
    "note.txt is not in the manifest": lambda run: (run.root / "note.txt").write_text(
        ""
    ),
    "host.json: missing": lambda run: run.host.unlink(),
    "manifest.json: missing": lambda run: run.manifest.unlink(),
}


@pytest.mark.parametrize("fault", DAMAGE)
def test_what_was_changed_is_told_and_executed_again(lab: Lab, fault: str) -> None:
    lab.run()
    run = first(lab)
    DAMAGE[fault](run)
    status, said = stored(lab)
    assert status == 1
    assert run.root.name in said and fault in said
    assert "5 as stored, 1 damaged" in said
    assert lab.run() == 0
    assert f"{run.root}: damaged ({fault})" in lab.text
    assert "1 to do now" in lab.text
    assert stored(lab)[0] == 0


def test_an_edited_row_never_reaches_the_table(lab: Lab) -> None:
    lab.run()
    run = first(lab)
    row = json.loads(run.row.read_text())
    run.row.write_text(json.dumps(row | {"goodput_mbps": 1e6}))
    lab.run(limit=0)
    assert len(lab.table()) == 5
    assert (lab.table()["goodput_mbps"].astype(float) < 1e5).all()


def test_a_manifest_of_the_older_format_says_nothing_of_the_row(lab: Lab) -> None:
    """As mpbench wrote it before: the artefacts alone, without a format."""
    lab.run()
    lab.results.root_file.unlink()
    for name in lab.folders():
        run = lab.results.run(name)
        run.manifest.write_text(json.dumps(manifest.take(run.artefacts)))
    status, said = stored(lab)
    assert status == 0
    assert "6 runs stored by an older mpbench" in said
    assert "0 as stored, 0 damaged, 6 without a covered row" in said
    assert lab.run() == 0
    assert "0 to do now" in lab.text and "do not cover their rows" in lab.text
    edit_one_byte(first(lab))
    assert "artefacts/outcome.json was changed" in stored(lab)[1]


@pytest.mark.parametrize("step", range(1, 5))
def test_a_rewriting_that_is_cut_short_is_finished(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """Killed before any of its steps, it leaves a run that is sound."""
    lab.run()
    run, calls = first(lab), []
    write = atomic.write_bytes

    def cut_short(path: Path, data: bytes) -> None:
        calls.append(path)
        if len(calls) == step:
            raise KeyboardInterrupt
        write(path, data)

    row = json.loads(run.row.read_text()) | {"goodput_mbps": 1.0}
    new = {"row.json": json.dumps(row).encode(), "job.json": run.job.read_bytes()}
    with monkeypatch.context() as patch:
        patch.setattr(atomic, "write_bytes", cut_short)
        with pytest.raises(KeyboardInterrupt):
            manifest.rewrite(run, new)
    found = runs.read(lab.results, run.root.name)
    assert found is not None and found.row is not None
    assert found.unsettled == (step > 1)
    lab.run()
    found = runs.read(lab.results, run.root.name)
    assert found is not None and not found.unsettled
    assert found.row is not None and found.row["goodput_mbps"] > 1.0


def test_a_folder_that_is_moved_meanwhile_is_told(lab: Lab, tmp_path: Path) -> None:
    calls = []

    def measure(folder: Path) -> dict[str, object]:
        calls.append(1)
        if len(calls) == 2:
            shutil.move(lab.results.root, tmp_path / "elsewhere")
        return plans.measure(folder) if len(calls) < 2 else {"verdict": "ok"}

    with pytest.raises(UserError, match="is gone: it was moved or removed"):
        lab.run(measure=measure, jobs=1)


def test_used_up_inodes_are_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = SimpleNamespace(f_bavail=25_000, f_frsize=4096, f_files=100, f_favail=0)
    monkeypatch.setattr(os, "statvfs", lambda path: state)
    error = disk_space.explain(OSError(errno.ENOSPC, "No space left"), tmp_path)
    assert "no inodes left" in str(error) and "102.4 MB are free" in str(error)
    with pytest.raises(disk_space.NoSpaceError, match="no inodes left"):
        disk_space.check_space(tmp_path)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


KILLED = """\
import tempfile, sys, time
tempfile.tempdir = sys.argv[1]
from mpbench.store import scratch
with scratch.folder("verify") as folder:
    (folder / "file").write_text("")
    print("there", flush=True)
    time.sleep(60)
"""


def test_the_temporary_folder_of_a_killed_command_goes(temporary: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(temporary)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None and process.stdout.readline() == b"there\n"
    [left] = temporary.iterdir()
    with scratch.folder("shell"):
        assert left.exists(), "the folder of a living command stays"
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert left.exists()
    with scratch.folder("shell") as own:
        assert list(temporary.iterdir()) == [own]
    assert list(temporary.iterdir()) == []


def test_what_is_kept_or_of_others_stays(temporary: Path) -> None:
    (temporary / "mpbench-verify-mine").mkdir()
    (temporary / "mpbench-link").symlink_to("/etc")
    with scratch.folder("verify") as kept:
        scratch.keep(kept)
    scratch.remove_abandoned()
    assert kept.exists() and len(list(temporary.iterdir())) == 3


def test_a_campaign_clears_what_a_killed_launcher_left(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "memory"
    (memory / "mpbench-memory-abc").mkdir(parents=True)
    monkeypatch.setattr(scratch, "MEMORY_PARENTS", (memory,))
    lab.run()
    assert not list(memory.iterdir())


def test_a_hundred_runs_are_compared_in_a_second_or_two(lab: Lab) -> None:
    lab.run()
    source = first(lab)
    row = json.loads(source.row.read_text())
    for number in range(100):
        run = lab.results.run(f"{number:016x}")
        shutil.copytree(source.root, run.root)
        run.row.write_text(json.dumps(row | {"id": run.root.name}))
        manifest.write(run, manifest.take(run.artefacts))
    began_s = time.process_time()
    stored_runs = runs.read_all(lab.results, runs.finished(lab.results))
    assert time.process_time() - began_s < 5
    assert len(stored_runs) == 106 and all(run.row for run in stored_runs.values())
