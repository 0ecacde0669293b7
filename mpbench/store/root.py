"""``root.json``: one hash over a campaign, and the hashes that it is made of.

The root covers the experiment file, the plan and the manifest of every finished run of
the plan. Manifests cover all other files of their runs. Reports print the root, so a
reader who has it knows whether a folder holds the very results of a page.

The file is written with the table, so runs that end after it are not covered yet. It
also lists the hashes of the files beside the runs, which are made from the rest and are
no part of the root.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from mpbench.store import atomic, json_file
from mpbench.store.campaign import Campaign
from mpbench.store.json_file import DamagedError
from mpbench.store.layout import Results
from mpbench.store.records import Record, RunId, validated

MOST_BYTES = 512 << 20
Sha256 = Annotated[str, Field(pattern="^([0-9a-f]{64})?$")]
"""Empty for a file that could not be read."""
NAMED = 3
"""Runs that are named one by one; of more, the number."""


class RootFile(Record):
    """The file.

    root : hash of `experiment`, `plan` and `runs`
    experiment : of experiment.yaml; plan : of what campaign.json says about runs
    runs : the hash of each finished run's manifest
    files : of the files beside the runs, by name
    """

    format: Literal[1]
    root: Sha256
    experiment: Sha256
    plan: Sha256
    runs: dict[RunId, Sha256]
    files: dict[str, Sha256]


@dataclass(frozen=True)
class State:
    """The root of a results folder, compared with what the folder holds.

    root : None if the folder has none, or anything differs from it
    faults : what differs, one line each
    uncovered : how many finished runs the root does not cover yet
    """

    root: str | None
    faults: tuple[str, ...] = ()
    uncovered: int = 0


def write(results: Results, head: Campaign, runs: Mapping[str, str]) -> None:
    """Write the root of what the folder holds.

    runs : the hash of the manifest of each finished run of the plan, by id
    """
    made = {
        "experiment": hash_of(results.experiment),
        "plan": plan_hash(head),
        "runs": dict(sorted(runs.items())),
    }
    files = {path.name: hash_of(path) for path in _beside(results) if path.is_file()}
    content = {"format": 1, "root": _hash(made), **made, "files": files}
    atomic.write_json(results.root_file, content)


def value(results: Results, head: Campaign, runs: Mapping[str, str]) -> str:
    """The root that `write` would write."""
    made = {"experiment": hash_of(results.experiment), "plan": plan_hash(head)}
    return _hash({**made, "runs": dict(sorted(runs.items()))})


def check(results: Results, head: Campaign, ids: Iterable[str]) -> State:
    """Compare the folder with its root.

    ids : of the finished runs of the plan
    """
    path = results.root_file
    if not path.exists() and not path.is_symlink():
        return State(None)
    try:
        known: RootFile = validated(RootFile, json_file.read_object(path, MOST_BYTES))
    except DamagedError as error:
        return State(None, (f"root.json: damaged ({error})",))
    made = {"experiment": known.experiment, "plan": known.plan, "runs": known.runs}
    if _hash(made) != known.root:
        return State(None, ("root.json: its root is not that of its hashes",))
    there = set(ids)
    faults = tuple(_faults(results, head, known, there))
    uncovered = len(there - known.runs.keys())
    return State(None if faults or uncovered else known.root, faults, uncovered)


def covers_tables(results: Results, value: str) -> bool:
    """Whether the folder holds the tables that were made when its root was `value`."""
    try:
        content = json_file.read_object(results.root_file, MOST_BYTES)
        known: RootFile = validated(RootFile, content)
    except DamagedError:
        return False
    tables = [path for path in (results.csv, results.parquet) if path.exists()]
    return known.root == value and all(
        hash_of(path) == known.files.get(path.name) for path in tables
    )


def covered(results: Results) -> dict[str, str]:
    """The files beside the runs that `root.json` covers, with their hashes.

    Raises DamagedError if there is no such file.
    """
    content = json_file.read_object(results.root_file, MOST_BYTES)
    known: RootFile = validated(RootFile, content)
    return {**known.files, results.experiment.name: known.experiment}


def _faults(
    results: Results, head: Campaign, known: RootFile, there: set[str]
) -> Iterator[str]:
    """Differences from the hashes of a root, one line each."""
    if hash_of(results.experiment) != known.experiment:
        yield "experiment.yaml: not the file that the campaign's root covers"
    if plan_hash(head) != known.plan:
        yield "campaign.json: not the plan that the campaign's root covers"
    elif hash_of(results.campaign) != known.files.get(results.campaign.name):
        yield "campaign.json: was changed since root.json was written"
    for path in (results.design, results.csv, results.parquet):
        if path.name in known.files and hash_of(path) != known.files[path.name]:
            yield f"{path.name}: was changed since root.json was written"
    manifests = {key: manifest_hash(results, key) for key in known.runs}
    missing = sorted(key for key in known.runs if key not in there)
    changed = sorted(key for key in known.runs if manifests[key] != known.runs[key])
    for key in missing[:NAMED]:
        yield f"runs/{key}: not there, and the campaign's root covers it"
    altered = [key for key in changed if key not in missing]
    for key in altered[:NAMED]:
        yield f"runs/{key}: its manifest is not the one that the campaign's root covers"
    more = max(len(missing) - NAMED, 0) + max(len(altered) - NAMED, 0)
    if more:
        yield f"and {more} more runs that the campaign's root does not cover so"


def manifest_hash(results: Results, run_id: str) -> str:
    """The hash of a run's manifest; "" if there is none that can be read."""
    return hash_of(results.run(run_id).manifest)


def hash_of(path: Path) -> str:
    """SHA-256 of a regular file, hexadecimal; "" if there is none."""
    try:
        return hashlib.sha256(json_file.read_bytes(path, MOST_BYTES)).hexdigest()
    except DamagedError:
        return ""


def plan_hash(head: Campaign) -> str:
    """The hash of a campaign's name, build and labelled runs."""
    # `asdict` would copy the factors of every run, and all that is not hashed.
    plan = [{**vars(entry), "factors": dict(entry.factors)} for entry in head.plan]
    known = {key: getattr(head, key) for key in ("name", "spec_hash", "backend")}
    return _hash({**known, "build": dict(head.build), "plan": plan})


def _hash(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _beside(results: Results) -> tuple[Path, ...]:
    return (results.campaign, results.design, results.csv, results.parquet)
