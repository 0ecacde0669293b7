"""`mpbench export`: files that flent reads."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from mpbench import load
from mpbench.report import flent
from tests.calls import Command
from tests.hostile.folders import EXPERIMENT, changed, first_run, forge


def made(command: Command, folder: Path, trace: str = "trace: 100 ms\n") -> Path:
    file = folder / "small.yaml"
    file.write_text(trace + EXPERIMENT)
    out = folder / "results"
    done = command("run", file, "--backend", "fake", "--out", out)
    assert done.status == 0, done.err
    return out


def documents(folder: Path) -> dict[str, Any]:
    return {
        path.name.removesuffix(flent.SUFFIX): json.loads(gzip.open(path).read())
        for path in folder.iterdir()
    }


def test_each_run_has_its_goodput_and_round_trip_time(
    command: Command, tmp_path: Path
) -> None:
    results = made(command, tmp_path)
    done = command("export", "--format", "flent", results)
    assert (done.status, done.err) == (0, "")
    assert done.out == f"wrote 4 files into {results}/flent\n"
    loaded = load(results)
    for run_id, document in documents(results / "flent").items():
        run = loaded[run_id]
        assert document["version"] == 4
        assert document["metadata"]["NAME"] == "tcp_upload"
        assert run.case in document["metadata"]["TITLE"]
        goodput = run.series("goodput")
        times = document["x_values"]
        assert times == pytest.approx(sorted(set(goodput["time_s"])))
        by_time = goodput.groupby("time_s")["value"].sum()
        assert document["results"]["TCP upload"] == pytest.approx(list(by_time))
        rtt = run.series("srtt").dropna()
        raw = document["raw_values"]["Ping (ms) ICMP"]
        means = rtt.groupby("time_s")["value"].mean()
        assert [one["val"] for one in raw] == pytest.approx(list(means))
        for series in document["results"].values():
            assert len(series) == len(times)


def test_the_same_results_give_the_same_bytes(command: Command, tmp_path: Path) -> None:
    results = made(command, tmp_path, trace="")
    for out in ("a", "b"):
        words = ("--format", "flent", results, "--out", tmp_path / out)
        assert command("export", *words).status == 0
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
    (first, *_) = documents(tmp_path / "a").values()
    assert list(first["results"]) == ["TCP upload"]


def test_round_trip_times_of_two_subflows_are_one_line() -> None:
    """Sample by sample, the line would jump between the two subflows."""
    two = [(1.0, 10.0), (1.0, 30.0), (2.0, 40.0), (3.0, 10.0), (3.0, 50.0)]
    assert flent._of_all_subflows(two) == [(1.0, 20.0), (2.0, 40.0), (3.0, 30.0)]


def test_sums_and_means() -> None:
    one, two = [(1.0, 2.0), (3.0, 4.0)], [(3.0, 10.0)]
    assert flent._total([one, two], [1.0, 2.0, 3.0, 4.0]) == [2.0, 3.0, 14.0, None]
    assert flent._means([(0.5, 1.0), (1.0, 3.0), (2.5, 7.0)], [1.0, 2.0, 3.0]) == [
        2.0,
        None,
        7.0,
    ]


def test_bad_folders_are_one_line(command: Command, tmp_path: Path) -> None:
    results = made(command, tmp_path)
    run = first_run(results)
    forge(run, "host.json", changed(run.host, begun="soon"))
    done = command("export", "--format", "flent", results)
    assert done.status == 0
    assert f"left out: run {run.root.name}: host.json: " in done.err
    linked = tmp_path / "linked"
    linked.symlink_to(tmp_path)
    words = ("--format", "flent", results, "--out", linked)
    assert "is a symbolic link" in command("export", *words).err
    assert command("export", results, "--format", "csv").status == 2
    assert command("export", "--format", "flent", tmp_path / "none").status == 2
