"""The files and folders of a results folder.

OUT/
  campaign.json     format, experiment, plan, provenance, invocations
  experiment.yaml   the experiment file as it was run
  design.csv        the design points of the plan
  runs.csv          the table of runs, and the same in Parquet
  runs.parquet
  root.json         one hash over the experiment, the plan and all manifests
  runs/ID/          one finished run
    job.json        what was asked
    artefacts/      what the guest left; same job, same bytes
    boot/           the orders that the guest was booted with
    host.json       what may differ between executions: time, CPU, provenance
    row.json        verdict, reason, metrics
    manifest.json   size and SHA-256 of every other file of the run
  runs/.partial-ID/   a run in flight
    worker.json       on a cluster, who executes the run; no other file is there
  runs/.replaced-ID/  the old run while a new one takes its place
  programs/SHA256   programs and files of one's own that runs need
  captures/         what `mpbench capture` made
  report/           what `mpbench report` wrote
  .lock             held while an engine works here
"""

import re
from dataclasses import dataclass
from pathlib import Path

FORMAT = 2
"""Version of the results format, raised when a reader of the old one would err.
Since version 2 the manifest of a run covers its row."""

READABLE = (1, 2)
"""The versions that this mpbench can read."""

RUN_ID = re.compile(r"[0-9a-f]{16}")
"""A run's id names its folder; no other name ever becomes a path."""

PARTIAL = ".partial-"
REPLACED = ".replaced-"


@dataclass(frozen=True)
class Run:
    """The files of one run below `root`."""

    root: Path

    @property
    def job(self) -> Path:
        return self.root / "job.json"

    @property
    def artefacts(self) -> Path:
        return self.root / "artefacts"

    @property
    def console(self) -> Path:
        return self.artefacts / "console.log"

    @property
    def manifest(self) -> Path:
        return self.root / "manifest.json"

    @property
    def host(self) -> Path:
        return self.root / "host.json"

    @property
    def row(self) -> Path:
        return self.root / "row.json"

    @property
    def worker(self) -> Path:
        return self.root / "worker.json"


@dataclass(frozen=True)
class Results:
    """The files of one results folder."""

    root: Path

    @property
    def campaign(self) -> Path:
        return self.root / "campaign.json"

    @property
    def experiment(self) -> Path:
        return self.root / "experiment.yaml"

    @property
    def design(self) -> Path:
        return self.root / "design.csv"

    @property
    def csv(self) -> Path:
        return self.root / "runs.csv"

    @property
    def parquet(self) -> Path:
        return self.root / "runs.parquet"

    @property
    def root_file(self) -> Path:
        return self.root / "root.json"

    @property
    def lock(self) -> Path:
        return self.root / ".lock"

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    @property
    def programs(self) -> Path:
        return self.root / "programs"

    def run(self, run_id: str) -> Run:
        return Run(self.runs / _checked(run_id))

    def partial(self, run_id: str) -> Run:
        return Run(self.runs / f"{PARTIAL}{_checked(run_id)}")

    def replaced(self, run_id: str) -> Run:
        return Run(self.runs / f"{REPLACED}{_checked(run_id)}")


def is_run_id(name: str) -> bool:
    return RUN_ID.fullmatch(name) is not None


def _checked(run_id: str) -> str:
    if not is_run_id(run_id):
        raise ValueError(f"{run_id!r} is not a run id")
    return run_id
