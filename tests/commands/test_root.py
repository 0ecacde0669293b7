"""The root of a campaign: whatever is changed in a results folder is told.

A folder has labels of runs in `campaign.json`. Exchanging them once gave one case the
numbers of another, and nothing said so.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from mpbench.commands import analyse, report, rows, run, verify
from mpbench.report.loading import load_campaign
from mpbench.store import atomic, campaign, root
from mpbench.store.layout import Results
from tests.commands.test_rows import EXPERIMENT, invoke

Head = dict[str, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("root")
    (folder / "small.yaml").write_text(EXPERIMENT.replace("points: 4", "points: 2"))
    words = ("--backend", "fake", "--out", folder / "results")
    done = invoke(run.command, folder / "small.yaml", *words)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy/results"


def stored(folder: Path) -> tuple[int, str]:
    done = invoke(verify.command, folder, "--stored")
    return done.exit_code, done.output


def known_root(folder: Path) -> str:
    content = json.loads((folder / "root.json").read_text())
    return str(content["root"])


def in_head(change: Callable[[Head], object]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / "campaign.json"
        head = json.loads(path.read_text())
        change(head)
        path.write_bytes(atomic.encode(head))

    return edit


def exchange_ids(head: Head) -> None:
    """The first two runs of a point: MPTCP and TCP."""
    one, two = head["plan"][:2]
    one["id"], two["id"] = two["id"], one["id"]


def in_text(name: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return edit


def other_goodput(folder: Path) -> None:
    frame = pd.read_parquet(folder / "runs.parquet")
    frame["goodput_mbps"] *= 2
    frame.to_parquet(folder / "runs.parquet")


def in_csv(folder: Path) -> None:
    frame = pd.read_csv(folder / "runs.csv")
    frame["goodput_mbps"] *= 2
    frame.to_csv(folder / "runs.csv", index=False)


def without_a_run(folder: Path) -> None:
    shutil.rmtree(sorted((folder / "runs").iterdir())[0])


def other_root(folder: Path) -> None:
    text = (folder / "root.json").read_text()
    (folder / "root.json").write_text(text.replace(known_root(folder), "0" * 64))


def label(key: str, value: object) -> Callable[[Path], None]:
    return in_head(lambda head: head["plan"][0].update({key: value}))


EDITS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "ids exchanged": ("campaign.json", in_head(exchange_ids)),
    "case renamed": ("campaign.json", label("case", "tcp1")),
    "another repetition": ("campaign.json", label("repetition", 1)),
    "another point": ("campaign.json", label("point", 1)),
    "another factor": (
        "campaign.json",
        in_head(lambda h: h["plan"][0]["factors"].update({"path1.capacity_mbps": 7.0})),
    ),
    "a run left out": ("campaign.json", in_head(lambda head: head["plan"].pop())),
    "another build": (
        "campaign.json",
        in_head(lambda head: head["build"].update({"kernel": "other"})),
    ),
    "another spec": (
        "campaign.json",
        in_head(lambda head: head.update({"spec_hash": "0" * 64})),
    ),
    "another name": ("campaign.json", in_head(lambda h: h.update({"name": "other"}))),
    "another command": (
        "campaign.json",
        in_head(lambda head: head["invocations"][0].update({"argv": ["x"]})),
    ),
    "another duration": (
        "experiment.yaml",
        in_text("experiment.yaml", "duration: 5 s", "duration: 50 s"),
    ),
    "cases exchanged": (
        "experiment.yaml",
        in_text("experiment.yaml", "  tcp1: ", "  tcp9: "),
    ),
    "another design": ("design.csv", in_text("design.csv", "\n0,", "\n0,1")),
    "another table": ("runs.csv", in_csv),
    "another frame": ("runs.parquet", other_goodput),
    "a run lost": ("runs/", without_a_run),
    "another root": ("root.json", in_text("root.json", '"root": "', '"root": "0')),
    "a hash exchanged": ("root.json", other_root),
}


def test_a_campaign_as_it_was_stored_is_sound(folder: Path) -> None:
    status, said = stored(folder)
    assert status == 0, said
    assert f"root: {known_root(folder)}" in said


def test_a_campaign_whose_captures_were_removed_is_sound(tmp_path: Path) -> None:
    """Their metrics stay what they were, also where rows are computed again."""
    text = EXPERIMENT.replace("points: 4", "points: 2")
    (tmp_path / "captured.yaml").write_text(f"{text}\ncapture: [client-eth1]\n")
    words = ("--backend", "fake", "--out", tmp_path / "results")
    done = invoke(run.command, tmp_path / "captured.yaml", *words)
    assert done.exit_code == 0, done.output
    assert not list(tmp_path.rglob("capture-*.pcap"))
    status, text = stored(tmp_path / "results")
    assert (status, "0 damaged" in text) == (0, True), text
    again = invoke(analyse.command, tmp_path / "results")
    assert (again.exit_code, " 0 changed" in again.output) == (0, True), again.output


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_is_told(folder: Path, name: str) -> None:
    file, edit = EDITS[name]
    edit(folder)
    status, said = stored(folder)
    assert status == 1
    assert any(line.startswith(file) for line in said.splitlines()), said
    loaded, _ = load_campaign(folder)
    assert any(file in line for line in loaded.state), "a report says it too"
    assert "root" not in loaded.made


@pytest.mark.parametrize("name", ["ids exchanged", "case renamed", "another factor"])
def test_labels_are_those_of_the_rows(made: Path, folder: Path, name: str) -> None:
    EDITS[name][1](folder)
    loaded, _ = load_campaign(folder)
    right, _ = load_campaign(made / "results")
    by_id = loaded.runs.set_index("id").sort_index()
    wanted = right.runs.set_index("id").sort_index()
    pd.testing.assert_frame_equal(by_id, wanted, check_like=True)
    assert any("by its own row, which decides" in line for line in loaded.state), (
        "and this is told"
    )


@pytest.mark.parametrize("name", ["case renamed", "another factor"])
def test_analyse_does_not_take_labels_from_the_head(folder: Path, name: str) -> None:
    before = {path: path.read_bytes() for path in folder.glob("runs/*/row.json")}
    EDITS[name][1](folder)
    assert invoke(analyse.command, folder).exit_code == 0
    assert {path: path.read_bytes() for path in before} == before


def test_a_new_run_of_the_command_puts_right_what_was_edited(folder: Path) -> None:
    for name in ("case renamed", "another design", "another table"):
        EDITS[name][1](folder)
    words = ("--backend", "fake", "--out", folder)
    done = invoke(run.command, folder.parent / "small.yaml", *words)
    assert done.exit_code == 0, done.output
    assert stored(folder)[0] == 0


def test_a_case_with_another_name_keeps_its_runs(folder: Path) -> None:
    file = folder.parent / "small.yaml"
    file.write_text(file.read_text().replace("  tcp1:", "  single:"))
    done = invoke(run.command, file, "--backend", "fake", "--out", folder)
    assert done.exit_code == 0 and "0 to do" in done.output, done.output
    assert set(load_campaign(folder)[0].runs["case"]) == {"mptcp", "single", "tcp2"}
    assert stored(folder)[0] == 0


def test_results_without_a_root_are_read_and_told(folder: Path) -> None:
    (folder / "root.json").unlink()
    status, said = stored(folder)
    assert status == 0 and "No root: an earlier mpbench" in said
    loaded, _ = load_campaign(folder)
    assert not loaded.state and "root" not in loaded.made


Frame = pd.DataFrame


def of_another_version(folder: Path, change: Callable[[Frame], Frame]) -> None:
    """Write the tables as another version would, and a root that covers them."""
    results = Results(folder)
    frame = change(pd.read_parquet(results.parquet))
    frame.to_csv(results.csv, index=False)
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    known = {b"mpbench": json.dumps({"version": "0.0.1", "commit": None}).encode()}
    metadata = {**(table.schema.metadata or {}), **known}
    pyarrow.parquet.write_table(
        table.replace_schema_metadata(metadata), results.parquet
    )
    head = campaign.read(results.campaign)
    ids = {entry.id for entry in head.plan}
    root.write(results, head, {key: root.manifest_hash(results, key) for key in ids})


def other_columns(frame: Frame) -> Frame:
    """Columns that are computed from several rows, by another formula or not yet."""
    frame["experimental_aggregation_benefit"] = 0.5
    frame["column_of_another_version"] = 1
    return frame.drop(columns="first_path_bytes", errors="ignore")


def test_a_table_of_another_version_may_have_other_columns(folder: Path) -> None:
    of_another_version(folder, other_columns)
    status, said = stored(folder)
    assert status == 0, said


TABLE_EDITS: dict[str, Callable[[Frame], Frame]] = {
    "goodput": lambda frame: frame.assign(goodput_mbps=frame["goodput_mbps"] * 2),
    "case": lambda frame: frame.assign(case=frame["case"].replace("tcp1", "tcp2")),
    "a row less": lambda frame: frame.drop(index=0),
    "no ids": lambda frame: frame.drop(columns="id"),
}


@pytest.mark.parametrize("name", TABLE_EDITS)
def test_a_table_of_another_version_has_what_the_rows_have(
    folder: Path, name: str
) -> None:
    of_another_version(folder, TABLE_EDITS[name])
    status, said = stored(folder)
    assert status == 1, said
    assert "runs.csv: not the table" in said and "runs.parquet: not the table" in said


def test_runs_that_end_later_are_not_covered_yet(folder: Path) -> None:
    """A crash between a run's end and the next saving is no fault."""
    results = Results(folder)
    head = campaign.read(results.campaign)
    ids = [entry.id for entry in head.plan]
    hashes = {key: root.manifest_hash(results, key) for key in ids[1:]}
    root.write(results, head, hashes)
    status, said = stored(folder)
    assert status == 0 and "does not cover 1 run that ended after it" in said


def test_the_root_is_in_the_table_the_page_and_the_rows(folder: Path) -> None:
    value = known_root(folder)
    metadata = pyarrow.parquet.read_schema(folder / "runs.parquet").metadata
    assert json.loads(metadata[b"mpbench"])["root"] == value
    out = folder.parent / "page"
    assert invoke(report.command, folder, "--format", "md", "--out", out).exit_code == 0
    assert f"| root | `{value}` |" in (out / "README.md").read_text()
    kept = folder.parent / "rows"
    assert invoke(rows.command, folder, "--out", kept).exit_code == 0
    assert load_campaign(kept / "results")[0].made["root"] == value


def by_another(head: dict[str, Any]) -> None:
    head["spec_hash"] = "0" * 64
    head["provenance"]["mpbench"]["commit"] = "0" * 40


def test_the_hash_of_another_commit_is_judged_by_the_root_alone(folder: Path) -> None:
    """A key that came between two commits may count in it."""
    in_head(by_another)(folder)
    (folder / "root.json").unlink()
    status, said = stored(folder)
    assert (status, "spec_hash" in said) == (0, False), said
