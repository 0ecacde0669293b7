"""Programs and files of the user's own, put where a guest's programs find them.

The host puts them into the run's folder before the guest boots (`prepared`). They are
copied from there into memory: the copies have the guest's date, which is the same in
every run, and nothing can change them.
"""

import os
import shutil
from pathlib import Path

from jobs import Job
from jobs.plugins import FILES, PROGRAMS
from mpbench.guest.namespaces import mount_memory, seal

HERE = {PROGRAMS: ("programs", 0o555), FILES: ("files", 0o444)}
"""Folder of the guest to the folder in the run's, and the mode of its files."""


def install(job: Job) -> None:
    """Make the folders that the job needs, read-only, and find its programs by name.

    The working directory is the run's folder.
    """
    wanted = {PROGRAMS: sorted(job.programs or {}), FILES: list(job.files)}
    for target, names in wanted.items():
        if not names:
            continue
        here, mode = HERE[target]
        Path(target).mkdir()
        mount_memory(target)
        for name in names:
            file = Path(target, name)
            shutil.copyfile(Path(here, name), file)
            file.chmod(mode)
        seal(target)
        shutil.rmtree(here)
    if job.programs:
        # Last, so that the image's programs are found by as many look-ups as always.
        os.environ["PATH"] += f":{PROGRAMS}"
