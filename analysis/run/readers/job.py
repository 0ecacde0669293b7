"""Reader of `job.json`: what a run was to do."""

from pathlib import Path

import jobs
from analysis.run.readers.files import read_object


def read(path: Path) -> jobs.Job:
    """Read a job, with all checks. Raises ValueError, with one line, if the file is
    missing, damaged or of another format."""
    document = read_object(path)
    number = document.get("format")
    if number != jobs.FORMAT:
        raise ValueError(
            f"{path.name}: format {repr(number)[:40]}; this version reads format"
            f" {jobs.FORMAT}, and `mpbench run` executes older runs again"
        )
    try:
        return jobs.load(document)
    except ValueError as error:
        raise ValueError(f"{path.name}: not a job ({error})") from error
