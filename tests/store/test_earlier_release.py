"""Results of release 0.2.0 are read, verified and reported.

The archive has a results folder of a fake campaign, and the rows that `mpbench rows`
kept of it, both as 0.2.0 wrote them. It is never written again, and every later release
must read it.
"""

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

import mpbench
from tests.calls import Command

ARCHIVE = Path(__file__).with_name("results-0.2.0.tar.xz")
ROOT = "bee3fb87c0af00c4917613347b27d44e7cb2134cfc07b0aea240cac08781578d"
"""The root that 0.2.0 printed at the end of `mpbench verify --stored`."""
GOODPUT_MBPS = {"tcp": 18.194592, "lia": 23.984092}
RUNS = {"ebd79ac594f67a3d", "0c9f59065398698d"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def test_results_are_as_they_were_stored(folder: Path, command: Command) -> None:
    told = command("verify", "--stored", folder / "kept")
    assert (told.status, told.err) == (0, "")
    assert "2 runs compared with manifests: 2 as stored, 0 damaged" in told.out
    assert f"root: {ROOT}" in told.out


def edit(file: str, old: bytes, new: bytes) -> Callable[[Path], None]:
    def changed(results: Path) -> None:
        path = results / file
        assert path.read_bytes().count(old) == 1
        path.write_bytes(path.read_bytes().replace(old, new))

    return changed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            edit("runs/0c9f59065398698d/row.json", b"23.984092", b"24.984092"),
            "row.json was changed",
        ),
        (
            edit("runs.csv", b",18.194592,2.0,", b",28.194592,2.0,"),
            "runs.csv: not the table",
        ),
        (edit("experiment.yaml", b"40 ms", b"41 ms"), "experiment.yaml"),
    ],
)
def test_a_change_of_them_is_told(
    folder: Path, command: Command, change: Callable[[Path], None], said: str
) -> None:
    change(folder / "kept")
    told = command("verify", "--stored", folder / "kept")
    assert told.status == 1
    assert said in told.out + told.err


def test_the_same_experiment_has_the_same_hash_and_points(folder: Path) -> None:
    campaign = mpbench.load(folder / "kept")
    runs = campaign.runs
    assert {*runs["id"]} == RUNS
    assert dict(zip(runs["case"], runs["goodput_mbps"], strict=True)) == GOODPUT_MBPS


@pytest.mark.parametrize("what", ["kept", "rows/kept"])
def test_they_are_reported(folder: Path, command: Command, what: str) -> None:
    told = command("report", folder / what)
    assert told.status == 0, told.err
    page = (folder / what / "report/README.md").read_text()
    assert "`lia` has 31.8 % more goodput" in page
    assert "18.2" in page and "24.0" in page
    assert (folder / what / "report/cdf-goodput.png").stat().st_size > 1000
    assert (folder / what / "report/dashboard.html").stat().st_size > 10_000
