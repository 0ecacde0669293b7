"""Results of every release are read, verified, analysed and reported.

Each archive has a results folder of a fake campaign, and that of 0.2.0 has rows that
`mpbench rows` kept of it too, all as the release wrote them. They are never written
again, and every later release must read them.
"""

import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import mpbench
from mpbench import experiment_files
from tests.calls import Command

HERE = Path(__file__).parent
ARCHIVE = HERE / "results-0.2.0.tar.xz"
ROOT = "bee3fb87c0af00c4917613347b27d44e7cb2134cfc07b0aea240cac08781578d"
"""The root that 0.2.0 printed at the end of `mpbench verify --stored`."""
TRAFFIC = "bd22593a8cc68f4258e95cc5a0ad8215fb2b33a61a8aa98e3f3fedad9a3d4ace"
"""The hash that 0.2.0 gave `traffic-0.2.0.yaml`, which has an entry of each of its
tools."""


@dataclass(frozen=True)
class Old:
    """Results of an earlier release.

    runs : the ids of its runs
    goodput_mbps : by case, as the release printed it
    more : the goodput of `lia` over that of `tcp`
    """

    version: str
    runs: frozenset[str]
    goodput_mbps: dict[str, float]
    more: str


OLD = (
    Old(
        "0.1.0",
        frozenset({"f720949fac90aa95", "3303abefb1e0d896"}),
        {"tcp": 18.143768, "lia": 23.946548},
        "32 %",
    ),
    Old(
        "0.2.0",
        frozenset({"ebd79ac594f67a3d", "0c9f59065398698d"}),
        {"tcp": 18.194592, "lia": 23.984092},
        "31.8 %",
    ),
)


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


@pytest.fixture(params=OLD, ids=lambda old: old.version)
def old(request: pytest.FixtureRequest) -> Old:
    found: Old = request.param
    return found


def unpacked(old: Old, target: Path) -> Path:
    with tarfile.open(HERE / f"results-{old.version}.tar.xz") as archive:
        archive.extractall(target)
    return target / "kept"


def test_the_runs_have_the_ids_and_numbers_of_their_release(
    tmp_path: Path, old: Old
) -> None:
    runs = mpbench.load(unpacked(old, tmp_path)).runs
    assert {*runs["id"]} == old.runs
    assert (
        dict(zip(runs["case"], runs["goodput_mbps"], strict=True)) == old.goodput_mbps
    )


def test_a_file_with_every_tool_has_the_hash_that_its_release_gave_it() -> None:
    """Results folders and kept rows know a file by it."""
    spec = experiment_files.load(HERE / "traffic-0.2.0.yaml")
    assert spec.digest == TRAFFIC


def test_results_without_a_root_are_compared_with_manifests(
    tmp_path: Path, command: Command
) -> None:
    """0.1.0 wrote no root: it is said, and a changed run is found all the same."""
    kept = unpacked(OLD[0], tmp_path)
    told = command("verify", "--stored", kept)
    assert (told.status, told.err) == (0, "")
    assert "2 as stored, 0 damaged" in told.out
    assert "No root: an earlier mpbench stored these results" in told.out
    edit("runs/3303abefb1e0d896/row.json", b"23.946548", b"24.946548")(kept)
    told = command("verify", "--stored", kept)
    assert told.status == 1
    assert "row.json was changed" in told.out + told.err


def test_runs_are_analysed_again(tmp_path: Path, command: Command, old: Old) -> None:
    """Every release measures the goodput as the first one did."""
    kept = unpacked(old, tmp_path)
    assert command("analyse", kept).status == 0
    runs = mpbench.load(kept).runs
    assert (
        dict(zip(runs["case"], runs["goodput_mbps"], strict=True)) == old.goodput_mbps
    )
    told = command("verify", "--stored", kept)
    assert (told.status, told.err) == (0, "")
    assert "root: " in told.out


def test_results_are_reported(tmp_path: Path, command: Command, old: Old) -> None:
    kept = unpacked(old, tmp_path)
    reported(kept, command, old)


def test_kept_rows_are_reported(folder: Path, command: Command) -> None:
    reported(folder / "rows/kept", command, OLD[1])


def reported(folder: Path, command: Command, old: Old) -> None:
    told = command("report", folder)
    assert told.status == 0, told.err
    page = (folder / "report/README.md").read_text()
    assert f"`lia` has {old.more} higher goodput" in page
    assert all(f"{mbps:.1f}" in page for mbps in old.goodput_mbps.values())
    assert (folder / "report/cdf-goodput.png").stat().st_size > 1000
    assert (folder / "report/dashboard.html").stat().st_size > 10_000
