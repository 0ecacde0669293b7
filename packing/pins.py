"""Write constraints.txt: `python -m packing.pins REPORT > constraints.txt`.

REPORT is what `pip install --dry-run --ignore-installed --report REPORT` wrote: the
version of every package that mpbench and its extras need. `make constraints` runs both.
"""

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packing import parts

FILE = parts.TOP / "constraints.txt"
HEADER = """\
# The versions of the Python packages that mpbench is tested with, those of all extras
# included: pip install -c constraints.txt ... `make constraints` writes this file.
"""
_LINE = re.compile(r"([a-z0-9-]+)==(\S+)")


def text(report: Mapping[str, Any]) -> str:
    """The file's content, from pip's report."""
    found = {
        normal(entry["metadata"]["name"]): entry["metadata"]["version"]
        for entry in report["install"]
    }
    found.pop("mpbench", None)
    return HEADER + "".join(f"{name}=={found[name]}\n" for name in sorted(found))


def read(file: Path = FILE) -> dict[str, str]:
    """Package to version. Raises ValueError, `file:line: what`."""
    found = {}
    for number, line in enumerate(file.read_text().splitlines(), start=1):
        if line.startswith("#") or not line:
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"{file}:{number}: expected NAME==VERSION")
        found[match[1]] = match[2]
    return found


def normal(name: str) -> str:
    """A package's name as pip compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    print(text(json.loads(Path(sys.argv[1]).read_text())), end="")
