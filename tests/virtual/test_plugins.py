"""The folder of docs/extending.md in guests: what it measures, and what code can do."""

import csv
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.experiment_files import load
from tests.calls import Command
from tests.plugins.documented import write

from .lab import Lab  # noqa: F401  (marks these tests as booting guests)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "runs.csv").open() as file:
        return list(csv.DictReader(file))


def test_the_documented_folder(folder: Path, command: Command) -> None:
    file = write(folder)
    done = command("run", file.name)
    assert done.status == 0, done.out + done.err
    (row,) = rows(folder / "results/mine")
    assert row["verdict"] == "ok"
    # The shortest of the delays is 11 ms, that of a small message's way 20 ms.
    assert float(row["echo.median_ms"]) == pytest.approx(40, abs=0.1)
    assert float(row["spread.sent_packets"]) > 0
    for name in ("topologies/three.py", "tools/echo.py", "metrics/spread.py"):
        (folder / name).unlink()
    done = command("verify", "results/mine")
    assert done.status == 0, done.out + done.err


@pytest.mark.parametrize(
    ("stem", "old", "new", "reason"),
    [
        ("echo", "times_ms[-1]}", "1 / 0}", "echo.py:62: ZeroDivisionError"),
        ("echo", "times_ms[-1]}", "None}", "echo gives no 'greatest'"),
        ("echo", '"greatest": times', '"other": times', "other is not among NUMBERS"),
        ("spread", '{"sent": max', '{"sent": str(1) + max', "spread.py:12: TypeError"),
        ("spread", "max(sent) - min(sent)", "'3'", "sent is a str, not a number"),
        ("echo", '"role": "client"', '"role": "boss"', "role is 'boss'"),
    ],
)
def test_what_goes_wrong_is_said_with_its_line(
    folder: Path, command: Command, stem: str, old: str, new: str, reason: str
) -> None:
    done = command("run", write(folder, **{stem: (old, new)}).name)
    assert done.status == 1
    (row,) = rows(folder / "results/mine")
    assert reason in row["reason"]


def test_no_code_writes_to_this_machine(folder: Path, command: Command) -> None:
    """A topology and a metric that try to; both run as root in a guest."""
    mark = folder / "mark"
    write_it = f"open({str(mark)!r}, 'w').write('x')\n"
    file = write(folder, three=("LINKS =", f"{write_it}LINKS ="))
    try:
        load(file)
    except UserError as error:
        assert "three.py:6: " in str(error)
    assert not mark.exists()
    text = "    interfaces ="
    file = write(folder, spread=(text, f"    {write_it}{text}"))
    command("run", file.name)
    assert not mark.exists()


def test_the_documented_tool_on_every_path(folder: Path, command: Command) -> None:
    write(folder)
    file = folder / "paths.yaml"
    cases = "".join(
        f"  {n}: {{protocol: tcp, congestion_control: reno, path: {n}}}\n"
        for n in (1, 2)
    )
    file.write_text(
        "name: paths\nplugins: {tools: tools/echo.py}\ntopology: two_path\n"
        f"cases:\n{cases}"
        "traffic:\n"
        "  - {tool: echo, from: client, to: server, duration: 1 s, count: 5,"
        " size: 1 kB}\n"
    )
    done = command("run", file.name)
    assert done.status == 0, done.out + done.err
    carried = [
        [float(row[f"path{n}.bytes"]) > 5_000 for n in (1, 2)]
        for row in rows(folder / "results/paths")
    ]
    assert carried == [[True, False], [False, True]]
