"""The files that a run needs in its folder before it begins."""

from collections.abc import Sequence
from pathlib import Path

from jobs import Job
from mpbench.errors import UserError
from mpbench.store import content
from tools import has_part, part


def prepare(job: Job, directory: Path) -> None:
    """Let the tools of a job write their files, and copy those of the user's own.

    Raises UserError.
    """
    for tool in dict.fromkeys(entry.tool for entry in job.traffic):
        if has_part(tool, "prepare"):
            part(tool, "prepare").write(job, directory)
    copy_content(job, directory)


def copy_content(job: Job, directory: Path) -> None:
    """Copy a job's own programs and files to where `mpbench.guest.content` finds them.

    A run may change its folder, so these are copies. Raises UserError if one is gone.
    """
    for folder, names in (
        ("programs", job.programs or {}),
        ("files", {name: name for name in job.files}),
    ):
        for name, sha256 in names.items():
            place = directory / folder / name
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(content.read(sha256))


def refuse_content(jobs: Sequence[Job], place: str) -> None:
    """Raises UserError if a job has programs or files of its own.

    place : who refuses them, as the beginning of a sentence
    """
    for job in jobs:
        named = [*(job.programs or {}), *job.files]
        if named:
            raise UserError(
                f"{place} has no place for programs and files of one's own "
                f"('{named[0]}'); use guests of this machine (--backend virtual)"
            )
