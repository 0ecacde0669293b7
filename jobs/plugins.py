"""The texts of a user's own plug-ins that a run needs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from jobs.marks import Among, Checked, Length, Matching
from jobs.values import NumberName
from jobs.vocabulary import CONGESTION_CONTROLS, NUMBER_UNITS, SCHEDULERS

MOST_BYTES = 1 << 16
"""Characters of a plug-in's text."""
MOST_KEYS = 50
NAME = re.compile(r"[a-z][a-z0-9_]{0,14}")
KERNEL = (*CONGESTION_CONTROLS, *SCHEDULERS)


def _not_ours(name: str) -> None:
    if name in KERNEL:
        raise ValueError(f"'{name}' is the name of one of mpbench's")


PROGRAMS, FILES = "/run/programs", "/run/files"
"""Folders in which a guest sees programs of one's own, by name, and files that keys of
tools name, by SHA-256."""
PROGRAM_NAME = re.compile(r"[a-z][a-z0-9_-]{0,29}")
MOST_PROGRAMS = 20

ProgramName = Annotated[str, Matching(PROGRAM_NAME, "the name of a program")]
Sha256 = Annotated[str, Matching(re.compile(r"[0-9a-f]{64}"), "a SHA-256")]
PluginName = Annotated[str, Matching(NAME, "the name of a plug-in")]
KernelName = Annotated[str, Checked(_not_ours), Matching(NAME, "the name of a plug-in")]
Code = Annotated[str, Length(0, MOST_BYTES)]
Unit = Annotated[str, Among(NUMBER_UNITS)]
Numbers = Annotated[Mapping[NumberName, Unit], Length(0, MOST_KEYS)]
"""The numbers that a plug-in's reader returns, and the unit of each."""


@dataclass(frozen=True, kw_only=True)
class PluginMetric:
    """A user's own metric, with the text that the guest runs."""

    code: Code
    numbers: Numbers


@dataclass(frozen=True, kw_only=True)
class KernelCode:
    """A user's own controller or scheduler, linked into the run's kernel."""

    code: Code
