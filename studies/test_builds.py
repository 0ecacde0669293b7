"""Kept runs beside the same runs under another build, with made-up results."""

import json
import lzma
from pathlib import Path

import pytest
from click.testing import CliRunner

from mpbench.backends.fake import FakeBackend
from mpbench.commands import rows, run
from mpbench.store.kept_rows import FILE
from studies import builds

EXPERIMENT = """\
name: small
topology: two_path
design:
  method: grid
  factors: {path1.capacity: [1 Mbit/s, 5 Mbit/s]}
repetitions: 2
cases:
  mptcp: {protocol: mptcp, congestion_control: lia}
  tcp1: {protocol: tcp, congestion_control: reno, path: 1}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 5 s}
"""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    file, results, out = tmp_path / "small.yaml", tmp_path / "small", tmp_path / "rows"
    file.write_text(EXPERIMENT)
    for command, words in (
        (run.command, [file, "--backend", "fake", "--out", results]),
        (rows.command, [results, "--out", out]),
    ):
        done = CliRunner().invoke(command, [str(word) for word in words])
        assert done.exit_code == 0, done.output
    return out / "small"


def changed(kept: Path, column: str, value: object) -> str:
    """Give the kept rows of `tcp1` another value; the id of the first of them."""
    head, *lines = lzma.decompress((kept / FILE).read_bytes()).splitlines()
    found = [json.loads(line) for line in lines]
    chosen = [each for each in found if each["case"] == "tcp1"]
    for each in chosen:
        each[column] = value
    text = b"\n".join([head, *(json.dumps(each).encode() for each in found), b""])
    (kept / FILE).write_bytes(lzma.compress(text))
    return str(chosen[0]["id"])


def checked(
    kept: Path, capsys: pytest.CaptureFixture[str], *words: str, build: str = "2"
) -> tuple[int, list[str]]:
    status = builds.main([str(kept), *words], FakeBackend(build=build))
    return status, capsys.readouterr().out.splitlines()


def test_another_build_leaves_the_same_rows(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert checked(kept, capsys) == (0, ["small: 6 of 6 runs equal"])
    assert checked(kept, capsys, "--runs", "99") == (0, ["small: 8 of 8 runs equal"])


def test_rows_of_a_version_with_other_jobs_are_paired_by_their_places(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No id is known; columns that only one side has say nothing."""
    head, *lines = lzma.decompress((kept / FILE).read_bytes()).splitlines()
    found = [json.loads(line) for line in lines]
    for number, each in enumerate(found):
        each["id"] = f"{number:016x}"
        each["column_of_that_version"] = each.pop("jain")
    text = b"\n".join([head, *(json.dumps(each).encode() for each in found), b""])
    (kept / FILE).write_bytes(lzma.compress(text))
    assert builds.main([str(kept)], FakeBackend(build="2")) == 2
    assert "--any-version" in capsys.readouterr().err
    said = ["small: 8 of 8 runs equal"]
    assert checked(kept, capsys, "--any-version", "--runs", "8") == (0, said)
    changed(kept, "goodput_mbps", 99.5)
    status, (first, *_) = checked(kept, capsys, "--any-version", "--runs", "8")
    assert (status, first) == (1, "small: 4 of 8 runs equal")


def test_a_run_that_differs_is_named_with_its_column(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(kept, "goodput_mbps", 99.5)
    status, (first, *others) = checked(kept, capsys, "--runs", "8")
    assert (status, first) == (1, "small: 4 of 8 runs equal")
    assert len(others) == 4
    for line in others:
        assert "tcp1, repetition " in line
        assert "goodput_mbps 99.5 -> " in line


def test_a_column_that_is_new_differs(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed(kept, "gone", None)
    status, (_, line, *_) = checked(kept, capsys, "--runs", "8")
    assert status == 1
    assert line.endswith("gone None -> None")


def test_other_jobs_cannot_be_compared(
    kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = kept / "experiment.yaml"
    file.write_text(file.read_text().replace("duration: 5 s", "duration: 6 s"))
    assert builds.main([str(kept)], FakeBackend()) == 2
    assert "makes other jobs of its experiment" in capsys.readouterr().err
    assert builds.main([str(kept.parent)], FakeBackend()) == 2
    assert "no kept rows" in capsys.readouterr().err


def test_a_sample_is_spread_over_the_plan() -> None:
    assert builds.regular(range(10), 3) == [0, 3, 6]
    assert builds.regular(range(2), 3) == [0, 1]


def test_a_run_that_was_cut_short_says_nothing(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = FakeBackend(({"do": "die", "when": "transport.protocol=tcp"},), build="2")
    words = [str(kept), "--runs", "8", "--out", str(tmp_path / "again")]
    assert builds.main(words, lost) == 1
    first, *others = capsys.readouterr().out.splitlines()
    assert first == "small: 4 of 4 runs equal"
    assert len(others) == 4
    assert all("interrupted by this machine" in line for line in others)
    assert builds.main(words, FakeBackend(build="2")) == 0
    assert capsys.readouterr().out.splitlines() == ["small: 8 of 8 runs equal"]
