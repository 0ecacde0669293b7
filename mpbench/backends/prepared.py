"""The files that traffic tools need in a run's folder before the run begins."""

from pathlib import Path

from jobs import Job
from tools import has_part, part


def prepare(job: Job, directory: Path) -> None:
    """Let the tools of a job write their files. Raises UserError."""
    for tool in dict.fromkeys(entry.tool for entry in job.traffic):
        if has_part(tool, "prepare"):
            part(tool, "prepare").write(job, directory)
