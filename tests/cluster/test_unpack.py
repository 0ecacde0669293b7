"""The archive of a run is checked as if a stranger had sent it."""

import gzip
import io
import tarfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from jobs import bare
from mpbench.cluster import unpack as unpacking
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
    with tarfile.open(fileobj=data, mode="w:gz", format=tarfile.GNU_FORMAT) as file:
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
        "control": lambda file: file.addfile(entry(f"{name}/a\nb")),
        "utf-8": lambda file: file.addfile(entry(f"{name}/\udcff")),
        "too long": lambda file: file.addfile(entry(f"{name}/{'x/' * 3000}")),
        "nested": lambda file: file.addfile(entry(f"{name}/{'x/' * 8}y")),
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


HUGE = 3 << 30
BOMBS = {
    "sparse": (tarfile.GNUTYPE_SPARSE, HUGE, 0),
    "pax": (tarfile.XHDTYPE, HUGE, 300 << 20),
    "pax for all": (tarfile.XGLTYPE, HUGE, 300 << 20),
    "long name": (tarfile.GNUTYPE_LONGNAME, HUGE, 300 << 20),
    "long link": (tarfile.GNUTYPE_LONGLINK, HUGE, 300 << 20),
    "zeros": (tarfile.REGTYPE, HUGE, 300 << 20),
    "negative": (tarfile.REGTYPE, -1, 0),
}
"""Type and size of a header, and the zero bytes behind it."""


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_archive_is_not_made_large(tmp_path: Path, name: str) -> None:
    """Neither on the disk nor in memory, whatever its headers say."""
    kind, size, zeros = BOMBS[name]
    info = entry("0123456789abcdef/x", kind)
    info.size = size
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as file:
        file.write(info.tobuf(tarfile.GNU_FORMAT))
        for _ in range(zeros >> 20):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(DamagedError):
            unpack(packed.getvalue(), tmp_path, "0123456789abcdef", bare(1, 1.0))
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 8 << 20
    written = sum(path.stat().st_size for path in tmp_path.rglob("*"))
    assert written < 1 << 20


def test_the_bound_on_unpacked_bytes_is_exact(tmp_path: Path) -> None:
    for bound, fits in ((1000, True), (999, False)):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as file:
            info = entry("run/x")
            info.size = 1000
            file.addfile(info, io.BytesIO(bytes(1000)))
        data.seek(0)
        target = tmp_path / str(bound)
        (target / "run").mkdir(parents=True)
        if fits:
            unpacking._extract(data, "run", target, bound)
            assert (target / "run/x").stat().st_size == 1000
        else:
            with pytest.raises(ValueError, match="too large"):
                unpacking._extract(data, "run", target, bound)
    assert unpacking.most_bytes(0) == 64 << 20
    assert unpacking.most_bytes(1 << 20) == (64 << 20) + (300 << 20)
    assert unpacking.most_bytes(1 << 40) == 16 << 30
