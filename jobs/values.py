"""The values of which records are made, each a type with its marks."""

import re
from typing import Annotated

from jobs import sysctls
from jobs.marks import Bounds, Checked, Length, Matching
from topologies import networks

MOST_SECONDS = 1e8
MOST_BYTES = 10**15
MOST_ENTRIES = 1000

_WORD = re.compile(r"[a-z0-9][a-z0-9_-]{0,15}")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SYSCTL_VALUE = re.compile(r"[\x20-\x7e\t]{0,1000}")
NUMBER_NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")
"""The name of a number that a program prints. It becomes part of a column's name."""

Word = Annotated[str, Matching(_WORD, "a name that a kernel knows")]
Name = Annotated[str, Matching(NAME, "a name of letters, digits, '-', '_' and '.'")]
NumberName = Annotated[str, Matching(NUMBER_NAME, "the name of a number")]
Sysctl = Annotated[str, Checked(sysctls.path)]
SysctlValue = Annotated[str, Matching(_SYSCTL_VALUE, "a line of text")]
Number = Annotated[float, Bounds(-1e15, 1e15)]
Seconds = Annotated[float, Bounds(0, MOST_SECONDS)]
LastingSeconds = Annotated[float, Bounds(above=0, most=MOST_SECONDS)]
Milliseconds = Annotated[float, Bounds(0, 1e6)]
Percent = Annotated[float, Bounds(0, 100)]
Size = Annotated[int, Bounds(1, MOST_BYTES)]
"""Bytes."""
Port = Annotated[int, Bounds(1, 65535)]
PathNumber = Annotated[int, Bounds(1, networks.MOST_PATHS)]
Paths = Annotated[tuple[PathNumber, ...], Length(0, networks.MOST_PATHS)]
"""Numbers of paths, from 1."""
