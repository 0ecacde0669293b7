"""The kernel that runs has the defaults and ranges that experiment files rely on."""

import json
from pathlib import Path

from mpbench.spec import knobs, sysctls

from .lab import lab_with, make_job, script

SYSCTLS = script("import sys; from tests.virtual.sysctls import main; sys.exit(main())")
NAMES = script(
    "import sys; from tests.virtual.sysctls import write_names; sys.exit(write_names())"
)


def test_defaults_and_ranges_of_the_running_kernel(tmp_path: Path) -> None:
    ranges = knobs.ranges()
    job = make_job(tmp_path)
    job["tried"] = {
        name: [row.low - 1, row.low, row.high, row.high + 1]
        for name, row in ranges.items()
    }
    ended, artefacts = lab_with(tmp_path / "lab", SYSCTLS).execute(job)
    assert ended.status == "finished", ended.reason
    assert json.loads((artefacts / "sysctls.json").read_text()) == {
        name: [row.initial, sorted({row.low, row.high})] for name, row in ranges.items()
    }


def test_names_of_the_running_kernel(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    ended, artefacts = lab_with(tmp_path / "lab", NAMES).execute(job)
    assert ended.status == "finished", ended.reason
    writable = json.loads((artefacts / "names.json").read_text())
    assert sysctls.names() == {name for name in writable if writable[name]}
    assert {name for name in writable if not writable[name]} == sysctls.READ_ONLY
