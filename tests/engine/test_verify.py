"""Executing again, and comparing."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rich.console import Console

from mpbench.backends.fake import FakeBackend
from mpbench.commands.verify import command
from mpbench.engine.verify import verify
from mpbench.errors import UserError
from mpbench.store.layout import Results
from mpbench.store.manifest import Difference, compare, take
from mpbench.version import __version__

from . import plans
from .conftest import Lab


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "scratch"
    path.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(path))
    return path


def again(
    lab: Lab, scripts: Sequence[dict[str, Any]] = (), build: str = "1", **options: Any
) -> tuple[int, str]:
    stream = io.StringIO()
    backend = FakeBackend(scripts, build)
    status = verify(lab.results, backend, Console(file=stream, width=200), **options)
    return status, stream.getvalue()


def test_the_same_run_gives_the_same_bytes(lab: Lab, scratch: Path) -> None:
    lab.run()
    status, said = again(lab)
    assert status == 0
    assert "executing 6 runs again" in said
    assert "6 same" in said
    assert list(scratch.iterdir()) == []


def test_what_differs_is_named_and_kept(lab: Lab, scratch: Path) -> None:
    lab.run()
    status, said = again(lab, [{"do": "differ", "when": "transport.path=2"}])
    assert status == 1
    assert "4 same, 2 differs" in said
    assert "console.log differs" in said
    [kept] = scratch.iterdir()
    assert str(kept) in said
    assert len(list(kept.iterdir())) == 2


def test_a_run_that_now_fails_differs(lab: Lab) -> None:
    lab.run()
    status, said = again(lab, [{"do": "panic", "when": "transport.path=2"}])
    assert status == 1
    assert "panicked: Kernel panic" in said
    assert "outcome.json missing" in said


def test_a_file_changed_on_disk_differs(lab: Lab) -> None:
    lab.run()
    run = lab.results.run(lab.folders()[0])
    (run.artefacts / "outcome.json").write_text("{}")
    (run.artefacts / "note.txt").write_text("mine")
    status, said = again(lab)
    assert status == 1
    assert "note.txt missing; outcome.json differs" in said


def test_removed_captures_are_compared_by_their_hashes(lab: Lab) -> None:
    lab.run(plans.experiment(capture=True), keep_captures="none")
    assert again(lab)[0] == 0
    run = lab.results.run(lab.folders()[0])
    content = json.loads(run.manifest.read_text())
    content["files"]["artefacts/capture-client.pcap"]["sha256"] = "0" * 64
    run.manifest.write_text(json.dumps(content))
    status, said = again(lab)
    assert status == 1
    assert "capture-client.pcap differs" in said


def test_a_sample_is_drawn_by_its_seed(lab: Lab) -> None:
    lab.run(jobs=1)
    _, one = again(lab, sample=2, jobs=1)
    _, same = again(lab, sample=2, jobs=1)
    others = [again(lab, sample=2, jobs=1, seed=seed)[1] for seed in (2, 3, 4)]
    assert "2 same" in one
    assert ids(one) == ids(same)
    assert any(ids(other) != ids(one) for other in others)
    assert "5 same" in again(lab, sample=5)[1]
    assert "6 same" in again(lab, sample=99)[1]


def ids(said: str) -> list[str]:
    return [line.split("] ")[1][:16] for line in said.splitlines() if "] " in line]


def test_runs_that_never_finished_are_left_out(lab: Lab) -> None:
    lab.run(scripts=[{"do": "panic", "when": "transport.path=2"}])
    assert "executing 4 runs again" in again(lab)[1]


def test_nothing_finished_is_told(lab: Lab) -> None:
    lab.run(limit=0)
    with pytest.raises(UserError, match="no finished run"):
        again(lab)


def test_another_build_is_refused(lab: Lab) -> None:
    lab.run()
    with pytest.raises(UserError, match="made with fake 1, here it is 2") as caught:
        again(lab, build="2")
    assert f"with that build (mpbench {__version__}" in str(caught.value)


def test_no_results_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a results folder"):
        verify(Results(tmp_path), FakeBackend(), Console())


def test_the_command_takes_the_backend_from_the_folder(lab: Lab) -> None:
    lab.run()
    done = CliRunner().invoke(command, [str(lab.results.root), "--sample", "2"])
    assert done.exit_code == 0, done.output
    assert "2 same" in done.output


def test_real_time_cannot_be_verified(lab: Lab) -> None:
    lab.run()
    head = json.loads(lab.results.campaign.read_text())
    lab.results.campaign.write_text(json.dumps({**head, "backend": "native"}))
    done = CliRunner().invoke(command, [str(lab.results.root)])
    assert isinstance(done.exception, UserError)
    assert "native backend in real time" in str(done.exception)
    assert "--backend virtual" in str(done.exception)


def test_compare_names_each_difference() -> None:
    before = {"a": {"sha256": "1"}, "b": {"sha256": "2"}, "c": {"sha256": "3"}}
    now = {"a": {"sha256": "1"}, "b": {"sha256": "x"}, "d": {"sha256": "4"}}
    assert compare(before, now) == [
        Difference("b", "differs"),
        Difference("c", "missing"),
        Difference("d", "new"),
    ]


def test_a_manifest_knows_links_and_folders(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("/nowhere")
    found = take(tmp_path)
    assert set(found) == {"below/file", "link"}
    assert found["below/file"]["bytes"] == 3
    assert found["below/file"]["sha256"].startswith("ba7816bf")
