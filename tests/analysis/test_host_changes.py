"""The record of hosts' changes, and sentences on scripts that had no effect."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from analysis.run.explain import explain
from analysis.run.readers import host_changes
from analysis.run.readers.host_changes import HEAD

CAPTURED = Path(__file__).parent / "captured/events"
LINE = "1.000008,1.000000,client,path2,create 2; create refused: File exists"


def test_a_change_has_its_parts() -> None:
    (change,) = host_changes.parse(f"{HEAD}\n{LINE}\n", "f")
    assert (change.time_s, change.at_s) == (1.000008, 1.0)
    assert (change.host, change.link) == ("client", "path2")
    assert change.state == "create 2; create refused: File exists"


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEAD,
        f"{HEAD}\n{LINE}",
        f"{HEAD}\n1,nan,a,b,c\n",
        f"{HEAD}\n1,2,a,b\n",
        f"{HEAD}\n1,2,a,b,\x1b[31m\n",
    ],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^f: "):
        host_changes.parse(text, "f")


def scripted(folder: Path, name: str, changes: list[dict[str, Any]]) -> Path:
    """A run whose client has a path manager in user space."""
    run = Path(shutil.copytree(CAPTURED / name, folder / "run"))
    job = json.loads((run / "job.json").read_text())
    job["hosts"] = {"client": {"pm": "userspace", "changes": changes}}
    (run / "job.json").write_text(json.dumps(job))
    return run


def test_commands_without_effect_are_told(tmp_path: Path) -> None:
    run = scripted(tmp_path, "well-mptcp-cubic", [])
    lines = [
        LINE,
        "2.0,2.0,client,path1,remove: no connection",
        "3.0,3.0,client,path2,destroy 2",
    ]
    record = "".join(f"{line}\n" for line in (HEAD, *lines))
    (run / "artefacts/host-changes.csv").write_text(record)
    assert [finding.sentence for finding in explain(run)] == [
        "the script of the client, create path2 at 1 s, was refused: File exists",
        "the script of the client, remove path1 at 2 s, met no MPTCP connection",
    ]


@pytest.mark.parametrize(
    "changes, reason",
    [
        ([], "its script creates none"),
        (
            [{"at_s": 900.0, "link": "path2", "command": "create"}],
            "its script creates one at 900 s, after its end",
        ),
    ],
)
def test_a_script_without_a_subflow_is_the_reason(
    tmp_path: Path, changes: list[dict[str, Any]], reason: str
) -> None:
    (finding,) = explain(scripted(tmp_path, "no-endpoint", changes))
    assert finding.sentence.endswith(
        f"the path manager of the client is in user space, and {reason}"
    )
