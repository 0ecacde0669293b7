"""`mpbench pack`: an RO-Crate that another machine unpacks, reads and executes."""

import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mpbench.report import crate, pack
from mpbench.report.loading import load_campaign
from mpbench.store import content, runs
from mpbench.store.layout import Results
from tests.calls import Command
from tests.hostile.folders import changed, first_run, forge, make

NAME = "results.crate.zip"


@pytest.fixture
def results(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return make(command, tmp_path)


def unpacked(folder: Path, archive: str = NAME) -> Path:
    out = folder / "elsewhere" / "results"
    with zipfile.ZipFile(folder / archive) as file:
        file.extractall(out)
    return out


def graph(root: Path) -> dict[str, dict[str, Any]]:
    """The entities of the unpacked crate, by id."""
    document = json.loads((root / crate.NAME).read_text())
    assert document["@context"][0] == crate.CONTEXT
    return {entity["@id"]: entity for entity in document["@graph"]}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if value.keys() == {"@id"}:
            yield value["@id"]
        for inner in value.values():
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_a_reviewer_verifies_and_reports_the_unpacked_crate(
    command: Command, results: Path, tmp_path: Path
) -> None:
    done = command("pack", results)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"wrote {NAME}: 4 runs")
    root = unpacked(tmp_path)
    table, _ = load_campaign(results)
    shutil.rmtree(results)
    verified = command("verify", root, "--sample", 3)
    assert verified.status == 0, verified.err
    assert "3 same" in verified.out
    stored = command("verify", root, "--stored")
    assert stored.status == 0, stored.out
    assert (root / "report/README.md").is_file()
    assert command("report", root).status == 0
    again, _ = load_campaign(root)
    pd.testing.assert_frame_equal(again.runs, table.runs)


def test_the_same_results_give_the_same_bytes_wherever_they_lie(
    command: Command, results: Path, tmp_path: Path
) -> None:
    assert command("pack", results).status == 0
    copy = tmp_path / "other" / "results"
    shutil.copytree(results, copy)
    for path in copy.rglob("*"):
        os.utime(path, (0, 0))
    assert command("pack", copy, "--out", "copy.zip").status == 0
    assert Path("copy.zip").read_bytes() == Path(NAME).read_bytes()
    with zipfile.ZipFile(NAME) as archive:
        names = archive.namelist()
        dates = {about.date_time for about in archive.infolist()}
    assert names == sorted(names)
    assert dates == {(1980, 1, 1, 0, 0, 0)}


def test_the_metadata_have_one_action_per_run_and_name_what_made_it(
    command: Command, results: Path, tmp_path: Path
) -> None:
    wheel = tmp_path / "mpbench-1.0-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    done = command("pack", results, "--licence", "CC-BY-4.0", "--wheel", wheel)
    assert done.status == 0, done.err
    root = unpacked(tmp_path)
    entities = graph(root)
    ids = sorted(path.name for path in (root / "runs").iterdir())
    actions = [e for e in entities.values() if e["@type"] == "CreateAction"]
    assert sorted(action["identifier"] for action in actions) == ids
    for action in actions:
        made = [entities[one["@id"]] for one in action["instrument"]]
        assert [one["name"].partition(" ")[0] for one in made] == [
            "mpbench",
            "mpbench-1.0-py3-none-any.whl",
        ]
        assert made[1]["sha256"] == hashlib.sha256(b"wheel").hexdigest()
        assert action["result"] == {"@id": f"runs/{action['identifier']}/"}
        assert action["endTime"] >= action["startTime"]
    dataset = entities["./"]
    assert dataset["license"] == {"@id": "https://spdx.org/licenses/CC-BY-4.0"}
    assert len(dataset["mentions"]) == 4
    assert dataset["identifier"] == json.loads((root / "root.json").read_text())["root"]
    for reference in references(list(entities.values())):
        assert reference in entities or reference.startswith(
            ("http://schema.org/", crate.SPECIFICATION)
        )
    for entity in entities.values():
        if entity["@type"] == "File":
            data = (root / entity["@id"]).read_bytes()
            assert entity["sha256"] == hashlib.sha256(data).hexdigest()
            assert entity["contentSize"] == str(len(data))
    assert not (root / wheel.name).exists()


def test_kernel_and_image_are_named_by_their_hashes(
    command: Command, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_all: Any = runs.read_all
    build = {"kernel": "ebb1", "image": "34" * 32, "guest": "71"}
    facts = {
        "version": "7.3.4",
        "source": "Debian linux-source",
        "linux_hash": "a" * 64,
    }

    def guests(*arguments: Any) -> Any:
        found: dict[str, Any] = read_all(*arguments)
        for one in found.values():
            one.host.build.clear()
            one.host.build.update(build)
            one.host.provenance.model_extra["backend"] = {"kernel": facts}
        return found

    monkeypatch.setattr(runs, "read_all", guests)
    assert command("pack", results).status == 0
    entities = graph(unpacked(tmp_path))
    kernel, image = entities["#kernel-ebb1"], entities[f"#image-{'34' * 32}"]
    assert (kernel["softwareVersion"], kernel["sha256"]) == ("7.3.4", "a" * 64)
    assert kernel["license"] == {"@id": "https://spdx.org/licenses/GPL-2.0-only"}
    assert image["sha256"] == "34" * 32
    assert entities["./"]["license"] == {"@id": "#no-licence"}


def test_what_no_hash_covers_stays_out(
    command: Command, results: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret words")
    (results / "notes.txt").write_text("secret words")
    (results / "link").symlink_to(secret)
    (results / "report").symlink_to(tmp_path)
    (results / "captures").mkdir()
    (results / "captures" / "a.pcap").symlink_to(secret)
    (results / "programs").mkdir()
    (results / "programs" / ("0" * 64)).symlink_to(secret)
    assert command("pack", results).status == 0
    root = unpacked(tmp_path)
    files = [path for path in root.rglob("*") if path.is_file()]
    assert not any(b"secret words" in path.read_bytes() for path in files)
    assert not any(path.is_symlink() for path in root.rglob("*"))
    assert sorted(path.name for path in root.iterdir()) == [
        "campaign.json",
        "design.csv",
        "experiment.yaml",
        "report",
        crate.NAME,
        "root.json",
        "runs",
        "runs.csv",
        "runs.parquet",
    ]


def _link(path: Path) -> None:
    """Replace a file by a link to its content elsewhere."""
    aside = Path("aside").absolute()
    path.rename(aside)
    path.symlink_to(aside)


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize(
    "hurt, said",
    [
        (lambda root: _link(first_run(root).console), "is not a regular file"),
        (lambda root: _pipe(first_run(root).console), "is not a regular file"),
        (lambda root: first_run(root).console.write_text("x"), "was changed"),
        (
            lambda root: (first_run(root).artefacts / "more").write_text("x"),
            "is not in the manifest",
        ),
        (lambda root: (root / "runs.csv").write_text("x"), "runs.csv: was changed"),
        (lambda root: (root / "root.json").unlink(), "root.json does not cover"),
        (lambda root: _pipe(root / "design.csv"), "design.csv: was changed"),
        (lambda root: _link(root / "runs.csv"), "runs.csv: was changed"),
    ],
    ids=["link", "pipe", "changed", "added", "table", "root", "beside", "table-link"],
)
def test_a_folder_that_differs_from_its_hashes_is_not_packed(
    command: Command, results: Path, hurt: Callable[[Path], Any], said: str
) -> None:
    hurt(results)
    done = command("pack", results)
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not list(Path().glob("*.zip")) and not list(Path().glob(".new-*"))


def test_a_time_that_is_none_is_told(command: Command, results: Path) -> None:
    run = first_run(results)
    forge(run, "host.json", changed(run.host, ended="soon"))
    assert command("analyse", results).status == 0
    done = command("pack", results)
    assert done.status == 2
    assert f"runs/{run.root.name}/host.json: ended: 'soon' is no time" in done.err


def test_a_file_that_changes_while_it_is_packed_is_noticed(
    command: Command, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata = crate.metadata

    def late(found: Any) -> Any:
        _link(first_run(results).console)
        return metadata(found)

    monkeypatch.setattr(crate, "metadata", late)
    done = command("pack", results)
    assert done.status == 2
    assert "console.log: a symbolic link; nothing was packed" in done.err
    assert not list(Path().glob("*.zip"))


def test_programs_that_jobs_need_come_along(
    command: Command, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = hashlib.sha256(b"program").hexdigest()
    monkeypatch.setattr(content, "wanted", lambda results, ids: {name})
    done = command("pack", results)
    assert done.status == 2
    assert f"programs/{name}: missing" in done.err
    Results(results).programs.mkdir()
    (results / "programs" / name).write_bytes(b"another")
    assert "not the file that its name says" in command("pack", results).err
    (results / "programs" / name).write_bytes(b"program")
    (results / "programs").rename(tmp_path / "aside")
    (results / "programs").symlink_to(tmp_path / "aside")
    assert "programs: a symbolic link" in command("pack", results).err
    (results / "programs").unlink()
    (tmp_path / "aside").rename(results / "programs")
    (results / "programs" / ("1" * 64)).write_bytes(b"not needed")
    assert command("pack", results).status == 0
    assert [p.name for p in (unpacked(tmp_path) / "programs").iterdir()] == [name]


def test_more_than_a_crate_holds_is_refused(
    command: Command, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "MOST_BYTES", 1000)
    done = command("pack", results)
    assert done.status == 2
    assert "a crate holds" in done.err


@pytest.mark.parametrize(
    "words, said",
    [
        (["--licence", "my own"], "no SPDX identifier"),
        (["--wheel", "small.yaml"], "not a wheel of mpbench"),
        (["--out", "nowhere/x.zip"], "nowhere"),
    ],
)
def test_bad_options_are_one_line(
    command: Command, results: Path, words: list[str], said: str
) -> None:
    done = command("pack", results, *words)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert said in done.err


def test_the_crate_names_authors_and_publisher_that_were_given(
    command: Command, results: Path, tmp_path: Path
) -> None:
    orcid = "https://orcid.org/0000-0001-2345-6789"
    words = ["--author", f"Ada Lovelace <{orcid}>", "--author", "A. N. Other <a@b.org>"]
    done = command("pack", results, *words, "--publisher", "A University")
    assert (done.status, done.err) == (0, "")
    found = graph(unpacked(tmp_path))
    first, second = found["./"]["author"]
    assert first == {"@id": orcid}
    assert found[orcid] == {"@id": orcid, "@type": "Person", "name": "Ada Lovelace"}
    other = found[second["@id"]]
    assert (other["name"], other["email"]) == ("A. N. Other", "a@b.org")
    publisher = found[found["./"]["publisher"]["@id"]]
    assert publisher["@type"] == "Organization"
    assert publisher["name"] == "A University"


def test_no_author_is_invented(command: Command, results: Path, tmp_path: Path) -> None:
    command("pack", results)
    found = graph(unpacked(tmp_path))
    assert not {"author", "publisher"} & found["./"].keys()
    assert not {"Person", "Organization"} & {str(e["@type"]) for e in found.values()}


@pytest.mark.parametrize(
    "text", ["", " ", "<a@b.org>", "a <b", "Ada <mail>", "a\nb", "x" * 201]
)
def test_what_names_nobody_is_refused(
    command: Command, results: Path, text: str
) -> None:
    for option in ("--author", "--publisher"):
        done = command("pack", results, option, text)
        assert done.status == 2
        assert done.err.startswith(f"mpbench: {option}: ")
        assert "is no name; give one such as" in done.err
        assert done.err.count("\n") == 1
