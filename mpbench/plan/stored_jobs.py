"""Jobs of stored runs, read back and compared with what gave the runs their ids."""

from typing import Any

from jobs import Job
from mpbench.plan import job_format
from mpbench.plan.make import run_id as run_id_of
from mpbench.store import json_file, runs
from mpbench.store.json_file import DamagedError
from mpbench.store.layout import Results


class OlderFormatError(DamagedError):
    """A job of another version of the format; it may be sound."""


def read_job(results: Results, run_id: str) -> Job:
    """The job of a stored run, which it is safe to execute.

    Raises DamagedError if it does not fit the schema of jobs, or if the run's id is
    not the hash of this job on the build that made the run.
    """
    run = results.run(run_id)
    runs.check_folders(results, run)
    document: dict[str, Any] = runs.named(
        "job.json", lambda: json_file.read_object(run.job)
    )
    if document.get("format") != job_format.FORMAT:
        number = repr(document.get("format"))[:20]
        raise OlderFormatError(
            f"job.json: of format {number}; this mpbench has format "
            f"{job_format.FORMAT}, and `mpbench run` executes older runs again"
        )
    try:
        job = job_format.load(document)
    except ValueError as error:
        raise DamagedError(f"job.json: {error}") from error
    if run_id_of(document, runs.read_host(results, run_id).build) != run_id:
        raise DamagedError("job.json: not the job that gave the run its id")
    return job
