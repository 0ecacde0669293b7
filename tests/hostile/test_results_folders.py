"""A results folder from a stranger: opening it may cost time and nothing else."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jobs import bare
from mpbench.backends.fake import FakeBackend
from mpbench.store import runs
from mpbench.store.layout import Results
from tests.calls import Called, Command

from . import folders
from .folders import changed, first_run, forge, snapshot

pytestmark = pytest.mark.slow

VERBS = ["report", "analyse", "verify", "dashboard", "cost", "stored"]
QUICK = ["stored", "analyse"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once, and copied for each test."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "small.yaml").write_text(folders.EXPERIMENT)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mpbench.cli", "run", "small.yaml"),
            "--backend",
            "fake",
            "--out",
            "results",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return folder / "results"


@pytest.fixture
def results(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(made, tmp_path / "results")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder of the user's, which no command may touch."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "thesis.tex").write_text("years of work")
    (folder / "row.json").write_text("{}")
    return folder


def call(command: Command, verb: str, results: Path) -> Called:
    if verb == "stored":
        return command("verify", "--stored", results)
    if verb == "run":
        return command("run", "small.yaml", "--backend", "fake", "--out", results)
    more = ["--out", "page.html"] if verb == "dashboard" else []
    return command(verb, results, *more)


def head(results: Path, **values: Any) -> None:
    file = results / "campaign.json"
    file.write_bytes(changed(file, **values))


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    "name", ["../../documents", "/etc", "", ".", "0123456789ABCDEF", "0" * 17]
)
def test_an_id_that_is_no_id_is_never_a_path(
    results: Path, outside: Path, command: Command, verb: str, name: str
) -> None:
    before = snapshot(outside)
    plan = json.loads((results / "campaign.json").read_text())["plan"]
    head(results, plan=[{**plan[0], "id": name}, *plan[1:]])
    done = call(command, verb, results)
    assert done.status == 2
    assert "campaign.json: damaged (plan.0.id: " in done.err
    assert done.err.count("\n") == 1
    assert snapshot(outside) == before


@pytest.mark.parametrize(
    "change",
    [
        {"transport": {"sysctls": {"/usr/bin/iperf3": "x"}}},
        {"topology": "../../evil"},
        {"seed": 1},
        {"surprise": 1},
        {"traffic": [{"tool": "../../os"}]},
    ],
)
def test_a_job_that_mpbench_did_not_write_is_not_executed(
    results: Path,
    command: Command,
    change: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    executed: list[object] = []
    monkeypatch.setattr(
        FakeBackend, "execute", lambda self, *given: executed.append(given)
    )
    run = first_run(results)
    job = json.loads(run.job.read_text())
    for key, value in change.items():
        job[key] = {**job[key], **value} if key == "transport" else value
    forge(run, "job.json", json.dumps(job).encode())
    for words in (("verify", results), ("capture", results, run.root.name)):
        done = command(*words)
        assert done.status == 2
        assert "so it is not executed" in done.err and "job.json" in done.err
        assert done.err.count("\n") == 1
    assert not executed


def test_a_job_of_another_run_is_not_executed(results: Path, command: Command) -> None:
    """Each job is valid, but the id of a run is the hash of its own job."""
    one, two, *_ = (
        Results(results).run(name) for name in runs.finished(Results(results))
    )
    forge(one, "job.json", two.job.read_bytes())
    done = command("verify", results)
    assert done.status == 2
    assert "not the job that gave the run its id" in done.err


@pytest.mark.parametrize("verb", [*VERBS, "run"])
@pytest.mark.parametrize(
    "place", ["runs", "run", "artefacts", "row.json", "manifest.json", "job.json"]
)
def test_a_link_is_not_followed(
    results: Path, outside: Path, command: Command, verb: str, place: str
) -> None:
    shutil.copy(results / "experiment.yaml", "small.yaml")
    run = first_run(results)
    paths = {"runs": results / "runs", "run": run.root}
    path = paths.get(place, run.root / place)
    kept = outside / "kept"
    shutil.move(path, kept)
    path.symlink_to(kept)
    before = snapshot(outside)
    done = call(command, verb, results)
    assert done.status in (0, 1, 2)
    assert snapshot(outside) == before
    assert "Traceback" not in done.out + done.err
    if verb in ("report", "stored", "dashboard"):
        said = done.out + done.err
        assert "link" in said or "not a regular file" in said


@pytest.mark.parametrize(
    "name", [".lock", "runs.csv", "runs.parquet", "design.csv", "experiment.yaml"]
)
@pytest.mark.parametrize("verb", ["run", "analyse"])
def test_nothing_is_written_through_a_link(
    results: Path, outside: Path, command: Command, name: str, verb: str
) -> None:
    shutil.copy(results / "experiment.yaml", "small.yaml")
    (results / name).unlink(missing_ok=True)
    (results / name).symlink_to(outside / "thesis.tex")
    (results / f".new-{name}").symlink_to(outside / "thesis.tex")
    before = snapshot(outside)
    done = call(command, verb, results)
    assert done.status == 2 and "is a symbolic link" in done.err
    (results / name).unlink()
    assert call(command, verb, results).status == 0
    assert snapshot(outside) == before


@pytest.mark.parametrize("name", ["report", "report/README.md", "report/notes.md"])
def test_a_report_is_not_written_through_a_link(
    results: Path, outside: Path, command: Command, name: str
) -> None:
    (results / name).parent.mkdir(exist_ok=True)
    target = outside if name == "report" else outside / "thesis.tex"
    (results / name).symlink_to(target)
    before = snapshot(outside)
    done = command("report", results, "--format", "md")
    assert done.status == 2 and "is a symbolic link" in done.err
    assert snapshot(outside) == before


@pytest.mark.parametrize("prefix", [".partial-", ".replaced-"])
def test_what_is_tidied_away_is_below_the_folder(
    results: Path, outside: Path, command: Command, prefix: str
) -> None:
    shutil.copy(results / "experiment.yaml", "small.yaml")
    (results / "runs" / f"{prefix}{'0' * 16}").symlink_to(outside)
    (results / "runs" / f"{prefix}x").symlink_to(outside)
    before = snapshot(outside)
    assert call(command, "run", results).status == 0
    assert snapshot(outside) == before
    assert not list((results / "runs").glob(f"{prefix}*"))


DEEP = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
CONTENTS = {
    "deep": DEEP,
    "deep list": b"[" * 200_000,
    "duplicate keys": b'{"format": 2, "format": 2}',
    "a long number": b'{"format": ' + b"9" * 5000 + b"}",
    "no number": b'{"format": NaN}',
    "half a character": b'{"format": 2, "name": "\\ud800"}',
    "not UTF-8": b'{"format": "\xff"}',
    "UTF-16": '{"format": 2}'.encode("utf-16"),
    "a list": b"[]",
    "nothing": b"",
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(
    "name", ["row.json", "job.json", "host.json", "manifest.json", "campaign.json"]
)
def test_json_that_is_none_is_told(
    results: Path, command: Command, name: str, content: str
) -> None:
    place = results if name == "campaign.json" else first_run(results).root
    (place / name).write_bytes(CONTENTS[content])
    for verb in QUICK:
        done = call(command, verb, results)
        assert done.status in (0, 1, 2)
        assert name in done.out + done.err


def test_a_file_of_a_gigabyte_is_not_read(results: Path, command: Command) -> None:
    """It has no blocks on the disk, so that the test costs nothing."""
    run = first_run(results)
    with run.row.open("wb") as file:
        file.truncate(1 << 30)
    assert "larger than 16 MiB" in command("verify", "--stored", results).out
    with (results / "campaign.json").open("wb") as file:
        file.truncate(1 << 30)
    assert "larger than 512 MiB" in command("report", results).err


@pytest.mark.parametrize("kind", ["folder", "pipe"])
@pytest.mark.parametrize("name", ["row.json", "job.json", "host.json", "manifest.json"])
def test_a_folder_or_a_pipe_in_place_of_a_file(
    results: Path, command: Command, name: str, kind: str
) -> None:
    path = first_run(results).root / name
    path.unlink()
    path.mkdir() if kind == "folder" else os.mkfifo(path)
    for verb in QUICK:
        done = call(command, verb, results)
        assert done.status in (0, 1, 2)
        assert name in done.out + done.err


@pytest.mark.parametrize("value", [[], {}, "x\x1b[2J", 10**30, True, "x" * 20_000])
@pytest.mark.parametrize("key", ["verdict", "goodput_mbps", "point", "case"])
def test_a_row_of_other_kinds(
    results: Path, command: Command, key: str, value: object
) -> None:
    run = first_run(results)
    forge(run, "row.json", changed(run.row, **{key: value}))
    for verb in QUICK:
        done = call(command, verb, results)
        assert done.status in (0, 1, 2)
        assert "\x1b[2J" not in done.out + done.err


def test_names_in_messages_cannot_reach_the_terminal(
    results: Path, command: Command
) -> None:
    head(results, format="\x1b]0;title\x07", mpbench="\x1b[31m\nred")
    done = command("report", results)
    assert done.status == 2
    assert "\x1b" not in done.err and done.err.count("\n") == 1


@pytest.mark.parametrize("verb", ["analyse", "dashboard", "report"])
@pytest.mark.parametrize("name", ["outcome.json", "traffic-0-server.json"])
def test_deep_json_among_the_artefacts(
    results: Path, command: Command, name: str, verb: str
) -> None:
    forge(first_run(results), f"artefacts/{name}", DEEP)
    done = call(command, verb, results)
    assert done.status in (0, 1, 2)
    assert "Traceback" not in done.out + done.err


def test_an_artefact_of_many_gigabytes_is_not_read(
    results: Path, command: Command
) -> None:
    """It is not even hashed, which would take as long as the stranger likes."""
    run = first_run(results)
    manifest = json.loads(run.manifest.read_text())
    for name, size in (("outcome.json", 1 << 34), ("console.log", 1 << 40)):
        with (run.artefacts / name).open("wb") as file:
            file.truncate(size)
        manifest["files"][f"artefacts/{name}"]["bytes"] = size
    run.manifest.write_text(json.dumps(manifest))
    said = command("verify", "--stored", results).out
    assert "console.log is larger than any run makes it" in said
    assert "outcome.json is larger than any run makes it" in said


STRANGE_NAMES = {"newline": b"a\nb", "escape": b"a\x1b[2J", "no text": b"a\xffb"}


@pytest.mark.parametrize("verb", [*VERBS, "run", "merge", "rows"])
@pytest.mark.parametrize("listed", [False, True])
def test_a_file_name_that_is_no_line_of_text_is_told(
    results: Path, command: Command, verb: str, listed: bool
) -> None:
    shutil.copy(results / "experiment.yaml", "small.yaml")
    run = first_run(results)
    for name in STRANGE_NAMES.values():
        Path(os.fsdecode(bytes(run.artefacts) + b"/" + name)).write_text("x")
    if listed:  # JSON has no way to write a byte that is no text
        forge(run, "artefacts/a\nb", b"x")
    if verb == "merge":
        done = command("merge", results, "--out", "merged")
    elif verb == "rows":
        done = command("rows", results, "--out", "kept")
    else:
        done = call(command, verb, results)
    said = done.out + done.err
    assert done.status in (0, 1, 2)
    assert "Traceback" not in said and "\x1b[2J" not in said and "a\nb" not in said
    if verb == "stored":
        assert done.status == 1
        assert "is not the path" in said if listed else "has a name that no run" in said


@pytest.mark.parametrize("name", STRANGE_NAMES.values(), ids=STRANGE_NAMES)
def test_a_guest_s_file_with_such_a_name_is_not_kept(
    results: Path, name: bytes
) -> None:
    stored = Results(results)
    run = runs.begin(stored, "0" * 16, bare(1, 1.0))
    strange = Path(os.fsdecode(bytes(run.artefacts) + b"/" + name))
    strange.write_text("x")
    (run.artefacts / "console.log").write_text("x")
    (said,) = runs.clean(run, bare(1, 1.0))
    assert said.isprintable() and said.startswith("artefacts/a\\")
    assert [path.name for path in run.artefacts.iterdir()] == ["console.log"]


def test_a_folder_of_other_files_is_told_in_one_line(
    tmp_path: Path, command: Command, results: Path
) -> None:
    shutil.copy(results / "experiment.yaml", "small.yaml")
    other = tmp_path / "other"
    other.mkdir()
    (other / "a\nb").write_text("x")
    done = command("run", "small.yaml", "--backend", "fake", "--out", other)
    assert done.status == 2
    assert "holds a\\nb" in done.err and done.err.count("\n") == 1
