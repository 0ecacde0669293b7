"""The archive of a run is checked as if a stranger had sent it."""

import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mpbench.cluster.unpack import unpack
from mpbench.cluster.worker import pack
from mpbench.plan.stored_jobs import read_job
from mpbench.store import layout, runs
from mpbench.store.json_file import DamagedError
from tests.engine import plans
from tests.engine.conftest import Lab

__all__ = ["lab"]
from tests.engine.conftest import lab  # isort: skip


@pytest.fixture
def run(lab: Lab) -> layout.Run:
    assert lab.run() == 0
    return lab.results.run(runs.finished(lab.results)[0])


def archive(change: Callable[[tarfile.TarFile], object], run: layout.Run) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as file:
        file.add(run.root, run.root.name)
        change(file)
    return data.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def test_a_run_comes_back_as_it_was(run: layout.Run, lab: Lab, tmp_path: Path) -> None:
    job = read_job(lab.results, run.root.name)
    target = tmp_path / "target"
    target.mkdir()
    results = unpack(pack(run), target, run.root.name, job)
    files = sorted(path for path in run.root.rglob("*") if path.is_file())
    again = results.run(run.root.name).root
    assert len(files) > 5
    for path in files:
        assert (again / path.relative_to(run.root)).read_bytes() == path.read_bytes()


def test_strange_archives_are_refused(
    run: layout.Run, lab: Lab, tmp_path: Path
) -> None:
    name = run.root.name
    job = read_job(lab.results, name)
    cases: dict[str, Callable[[tarfile.TarFile], object]] = {
        "beside": lambda file: file.addfile(entry("other/x")),
        "beside ": lambda file: file.addfile(entry(f"{name}/../../x")),
        " beside": lambda file: file.addfile(entry("/etc/x")),
        "more than": lambda file: file.addfile(
            entry(f"{name}/x", tarfile.SYMTYPE, "/etc/passwd")
        ),
        "more than ": lambda file: file.addfile(entry(f"{name}/p", tarfile.FIFOTYPE)),
        "exists": lambda file: file.addfile(entry(f"{name}/row.json")),
        "not in": lambda file: file.addfile(entry(f"{name}/artefacts/added")),
    }
    for number, (reason, change) in enumerate(cases.items()):
        target = tmp_path / str(number)
        target.mkdir()
        with pytest.raises(DamagedError) as caught:
            unpack(archive(change, run), target, name, job)
        assert reason.strip() in str(caught.value) or reason == "not in"
    assert not (tmp_path / "x").exists()


def test_the_run_of_another_job_is_refused(
    run: layout.Run, lab: Lab, tmp_path: Path
) -> None:
    with pytest.raises(DamagedError, match="another job"):
        unpack(pack(run), tmp_path, run.root.name, plans.experiment().plan.runs[1].job)


def test_cut_short(run: layout.Run, lab: Lab, tmp_path: Path) -> None:
    job = read_job(lab.results, run.root.name)
    with pytest.raises(DamagedError, match="no archive of a run"):
        unpack(pack(run)[:-200], tmp_path, run.root.name, job)
