"""Every experiment file is valid, and what it expects is about its own cases."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.published import cells
from jobs import dump
from jobs import load as load_job
from mpbench.experiment_files import load
from mpbench.plan import feasible, make_plan
from mpbench.spec import knobs, sysctls

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
STUDIES = [ROOT / "studies" / name for name in ("causes", "exploration")]
FILES = sorted((ROOT / "experiments").glob("*/*.yaml"))
FILES += [path for folder in STUDIES for path in sorted(folder.glob("*.yaml"))]


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_an_experiment_can_be_planned(path: Path) -> None:
    spec = load(path)
    plan = make_plan(spec, {})
    assert plan.runs
    for run in plan.runs[:2]:
        document = dump(run.job)
        assert dump(load_job(document)) == document
    if spec.expect is None:
        return
    expected = ROOT / spec.expect
    assert expected.is_file()
    if not cells.is_cells(expected):
        return
    job = plan.runs[0].job
    assert job.report
    known = {*(job.report.names or ()), *job.report.phases}
    for cell in cells.read(expected):
        assert cell.case in spec.cases, cell
        head, dot, _ = cell.metric.partition(".")
        known_links = {*job.shapes}
        assert not dot or head in known | known_links, f"{cell.metric} is of nothing"
        assert all(name in job.parameters for name in cell.point), cell


WITH_SYSCTLS = [
    path
    for folder in (ROOT / "experiments", *STUDIES)
    for path in sorted(folder.rglob("*.yaml"))
    if not {"parts", "configurations"} & {*path.parts}
    and any(word in path.read_text() for word in ("sysctls", "include: parts/"))
]


def patches(path: Path) -> list[Path]:
    """The patches of this repository that an experiment file names."""
    names = re.findall(r"[\w.-]+\.patch\b", path.read_text())
    folder = ROOT / "studies" / "causes"
    return [folder / name for name in dict.fromkeys(names) if (folder / name).is_file()]


@pytest.fixture
def fresh_names() -> Iterator[None]:
    sysctls.names.cache_clear()
    yield
    sysctls.names.cache_clear()


@pytest.mark.usefixtures("fresh_names")
@pytest.mark.parametrize("path", WITH_SYSCTLS, ids=lambda path: str(path.stem))
def test_the_guest_has_the_sysctls_of_an_experiment(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`studies.patched_kernel` runs an experiment with the patch that it names."""
    shutil.copytree(ROOT / "kernel", tmp_path / "kernel")
    shutil.copytree(ROOT / "topologies", tmp_path / "topologies")
    for patch in patches(path):
        apply = ["patch", "-p1", "-s", "-i", str(patch)]
        subprocess.run(apply, cwd=tmp_path, check=True)
    ranges = knobs.ranges(tmp_path / knobs.TABLE.relative_to(ROOT))
    monkeypatch.setattr(knobs, "ranges", lambda: ranges)
    feasible.check_sysctls(load(path))
