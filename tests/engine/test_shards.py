"""Parts of a campaign on several machines, and their merging."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from mpbench.commands import merge as command_file
from mpbench.commands import run as run_file
from mpbench.engine.merge import merge
from mpbench.engine.types import Shard
from mpbench.errors import UserError
from mpbench.store import campaign, manifest, runs
from mpbench.store.layout import Results

from . import plans
from .conftest import Lab

Merge = Callable[..., int]


@pytest.fixture
def parts(tmp_path: Path) -> list[Lab]:
    """The three parts of a campaign of six runs, each in a folder of its own."""
    labs = [Lab(tmp_path / f"part{number}") for number in (1, 2, 3)]
    for number, lab in enumerate(labs, 1):
        assert lab.run(shard=Shard(number, 3)) == 0
    return labs


class Merging:
    """Merges folders into one; what was printed is in `text`."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.text = ""

    def __call__(self, *labs: Lab) -> int:
        stream = io.StringIO()
        sources = [lab.results.root for lab in labs]
        console = Console(file=stream, width=200)
        try:
            return merge(sources, self.out, plans.tabulate, console)
        finally:
            self.text = stream.getvalue()


@pytest.fixture
def merging(tmp_path: Path) -> Merging:
    return Merging(tmp_path / "whole")


@pytest.mark.parametrize("count", [1, 2, 3, 7, 100])
def test_each_run_belongs_to_exactly_one_part(count: int) -> None:
    ids = [run.id for run in plans.experiment().plan.runs]
    shards = [Shard(number, count).ids(ids) for number in range(1, count + 1)]
    assert sorted(run_id for part in shards for run_id in part) == sorted(ids)
    sizes = [len(part) for part in shards]
    assert max(sizes) - min(sizes) <= 1


def test_the_parts_together_are_the_campaign(
    parts: list[Lab], merging: Merging, lab: Lab
) -> None:
    assert lab.run() == 0
    assert merging(*parts) == 0
    assert "6 runs copied" in merging.text
    whole = Results(merging.out)
    assert whole.csv.read_bytes() == lab.results.csv.read_bytes()
    assert whole.experiment.read_bytes() == lab.results.experiment.read_bytes()
    for run_id in runs.finished(lab.results):
        assert (
            manifest.read(whole.run(run_id)).artefacts
            == manifest.read(lab.results.run(run_id)).artefacts
        )
    assert len(campaign.read(whole.campaign).invocations) >= 2
    again = Lab(merging.out)
    assert again.run() == 0
    assert "6 finished (6 ok), 0 to do now" in again.text


def test_a_part_says_that_it_is_one(parts: list[Lab]) -> None:
    assert "part 3/3 of the plan" in parts[2].text
    assert "mpbench merge" in parts[2].text


def test_a_missing_part_is_told_and_can_follow(
    parts: list[Lab], merging: Merging
) -> None:
    assert merging(*parts[:2]) == 1
    assert "2 runs in none of the folders" in merging.text
    assert merging(parts[2]) == 0
    assert "2 runs copied" in merging.text
    assert merging(*parts) == 0
    assert "0 runs copied" in merging.text


def test_a_changed_run_is_left_out(parts: list[Lab], merging: Merging) -> None:
    victim = runs.finished(parts[0].results)[0]
    row = parts[0].results.run(victim).row
    row.write_text(row.read_text().replace("ok", "OK"))
    assert merging(*parts) == 1
    assert f"{victim}: damaged (row.json" in merging.text
    assert "1 run in none of the folders" in merging.text


def test_a_job_that_is_not_the_runs_is_left_out(
    parts: list[Lab], merging: Merging
) -> None:
    victim = parts[0].results.run(runs.finished(parts[0].results)[0])
    job = json.loads(victim.job.read_text())
    job["seed"] += 1
    manifest.rewrite(victim, {"job.json": json.dumps(job).encode()})
    assert merging(*parts) == 1
    assert "not the job that gave the run its id" in merging.text


def test_the_same_run_with_other_bytes_is_told(
    parts: list[Lab], merging: Merging, tmp_path: Path
) -> None:
    assert merging(*parts) == 0
    other = Lab(tmp_path / "other")
    assert other.run(shard=Shard(1, 3)) == 0
    run = other.results.run(runs.finished(other.results)[0])
    artefact = next(path for path in sorted(run.artefacts.iterdir()) if path.is_file())
    changed = artefact.read_bytes() + b" "
    name = artefact.relative_to(run.root).as_posix()
    manifest.rewrite(run, {name: changed})
    files = manifest.read(run).files
    files[name] = {**manifest.read(run).files[name], **manifest._entry_of(changed)}
    run.manifest.write_text(json.dumps({"format": 2, "files": files}))
    assert merging(other) == 1
    assert "not the same bytes" in merging.text
    assert artefact.name in merging.text


def test_a_run_without_a_result_gives_way_to_one_with(
    tmp_path: Path, merging: Merging, parts: list[Lab]
) -> None:
    bad = Lab(tmp_path / "bad")
    assert bad.run(shard=Shard(1, 3), scripts=[{"do": "die"}], give_up=0) == 1
    assert merging(bad, *parts[1:]) == 1
    assert merging(*parts) == 0
    assert "2 runs copied" in merging.text


def test_another_build_is_refused(
    tmp_path: Path, parts: list[Lab], merging: Merging
) -> None:
    other = Lab(tmp_path / "other")
    other.run(build="2", shard=Shard(1, 3))
    with pytest.raises(UserError, match=r"other: holds runs of another build \(fake"):
        merging(parts[0], other)
    assert not merging.out.exists()


def test_another_plan_is_refused(
    tmp_path: Path, parts: list[Lab], merging: Merging
) -> None:
    other = Lab(tmp_path / "other")
    other.run(plans.experiment(3))
    with pytest.raises(UserError, match="another version of the experiment file"):
        merging(parts[0], other)


def test_a_folder_is_not_merged_into_itself(parts: list[Lab]) -> None:
    with pytest.raises(UserError, match="one of the folders to merge"):
        Merging(parts[0].results.root)(*parts)


def test_a_link_in_a_part_is_not_followed(
    parts: list[Lab], merging: Merging, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    run = parts[0].results.run(runs.finished(parts[0].results)[0])
    run.console.unlink(missing_ok=True)
    run.console.symlink_to(secret)
    assert merging(*parts) == 1
    copies = [path for path in merging.out.rglob("*") if path.is_symlink()]
    assert not copies


@pytest.mark.parametrize(
    "text", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2", "1/99999999"]
)
def test_what_is_no_part_is_refused(text: str) -> None:
    done = CliRunner().invoke(run_file.command, ["x.yaml", f"--shard={text}"])
    assert done.exit_code == 2
    assert "such as 2/8" in done.output


def test_merge_needs_a_results_folder(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        command_file.command, [str(tmp_path), "--out", str(tmp_path / "out")]
    )
    assert isinstance(done.exception, UserError)
    assert "no campaign.json" in str(done.exception)
