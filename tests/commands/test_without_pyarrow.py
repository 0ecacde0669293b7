"""An installation without pyarrow, which is an extra."""

import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest

from mpbench import extras
from tests.commands.test_rows import EXPERIMENT

pytestmark = pytest.mark.slow

WITHOUT = """\
import sys
sys.modules["pyarrow"] = None  # as if it were not installed
from mpbench.cli import main
main()
"""
CAPTURE = Path(__file__).parents[1] / "capture/captured/loss/client.pcap.zst"


def mpbench(folder: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_all_but_parquet_works(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(EXPERIMENT.replace("points: 4", "points: 2"))
    done = mpbench(tmp_path, "run", "small.yaml", "--backend", "fake", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "out/runs.csv. `pip install pyarrow` adds Parquet." in done.stdout
    out = tmp_path / "out"
    assert (out / "runs.csv").is_file() and not (out / "runs.parquet").exists()
    done = mpbench(tmp_path, "verify", "out", "--stored")
    assert done.returncode == 0, done.stdout
    done = mpbench(tmp_path, "report", "out")
    assert done.returncode == 0, done.stderr
    assert (out / "report/README.md").is_file()
    assert (out / "report/dashboard.html").is_file()
    lines = (out / "runs.csv").read_text().splitlines(keepends=True)
    (out / "runs.csv").write_text("".join([lines[0], *reversed(lines[1:])]))
    done = mpbench(tmp_path, "verify", "out", "--stored")
    assert done.returncode == 1
    assert "runs.csv: not the table of the rows" in done.stdout


def test_a_table_of_before_goes(tmp_path: Path) -> None:
    """Its rows would be other ones than those of runs.csv."""
    (tmp_path / "small.yaml").write_text(EXPERIMENT.replace("points: 4", "points: 1"))
    words = ("run", "small.yaml", "--backend", "fake", "--out", "out")
    argv = [sys.executable, "-m", "mpbench.cli", *words]
    assert subprocess.run(argv, cwd=tmp_path, capture_output=True).returncode == 0
    assert (tmp_path / "out/runs.parquet").is_file()
    assert mpbench(tmp_path, *words).returncode == 0
    assert not (tmp_path / "out/runs.parquet").exists()


def test_parquet_is_refused_with_what_would_work(tmp_path: Path) -> None:
    done = mpbench(tmp_path, "analyse", CAPTURE, "--parquet", "tables")
    assert done.returncode == 2
    assert "--parquet: pyarrow is not installed; `pip install pyarrow`" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    done = mpbench(tmp_path, "analyse", CAPTURE, "--csv", "tables")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "packed with zstd; `pip install pyarrow`" in done.stderr
    plain = tmp_path / "plain.pcap"
    with pyarrow.input_stream(str(CAPTURE), compression="zstd") as packed:
        plain.write_bytes(packed.read())
    done = mpbench(tmp_path, "analyse", plain, "--csv", "tables")
    assert done.returncode == 0, done.stderr


def test_it_is_known_whether_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert extras.knows_parquet()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert not extras.knows_parquet()
