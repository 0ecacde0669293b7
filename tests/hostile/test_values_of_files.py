"""Values that no program writes, in each file of a run and in answers of workers.

Each value of each file is replaced by numbers beyond every type, texts that no file
can hold, and other types. A row, the details of a run and its explanation are made from
the files, or a ValueError of one line says what is wrong.
"""

import copy
import json
import math
import shutil
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import jobs
from analysis.dashboard.details import detail
from analysis.run.explain import explain
from analysis.run.row import row
from mpbench.backends.base import Exit
from mpbench.cli import group
from mpbench.cluster.messages import Answer, MessageError, load_build
from mpbench.store import json_file
from mpbench.store.json_file import DamagedError
from mpbench.store.records import check_row
from tests.tools.test_registry import ENTRIES, HEAD

pytestmark = pytest.mark.slow

RAW = {
    "an integer beyond a double": "1" + "0" * 400,
    "a negative one": "-1" + "0" * 400,
    "digits that Python refuses": "1" + "0" * 5000,
    "infinity": "1e400",
    "NaN": "NaN",
    "Infinity": "-Infinity",
    "a negative number": "-1",
    "minus zero": "-0.0",
    "true": "true",
    "null": "null",
    "half a character": '"\\ud800"',
    "control characters": '"a\\u0000\\u001b[2J\\nb"',
    "nesting": "[" * 100_000 + "]" * 100_000,
    "less nesting": "[" * 500 + "]" * 500,
    "a list": "[]",
    "an object": "{}",
    "a text": '"x"',
}
CELLS = ("1" + "0" * 400, "1e400", "nan", "-1", "", "x", "\u0663", "a\x1b[2Jb", "1_0")
MARK = "@mark@"
DRAWN = """\
trace: 100 ms
changes: {path1: {at: {1 s: {capacity: 3 Mbit/s, loss: 1 %}}}}
phases: {a: 0 s..1 s}
cases:"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with an entry of every tool."""
    folder = tmp_path_factory.mktemp("values")
    return executed(folder, HEAD + "".join(ENTRIES.values()))


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with tables of changes, of events, of flows and of states of subflows."""
    entries = ENTRIES["iperf3"] + ENTRIES["flows"]
    folder = tmp_path_factory.mktemp("drawn")
    return executed(folder, HEAD.replace("cases:", DRAWN) + entries)


def executed(folder: Path, text: str) -> Path:
    """The folder of the only run of an experiment."""
    file = folder / "one.yaml"
    file.write_text(text)
    words = ["run", str(file), "--backend", "fake", "--out", str(folder / "out")]
    done = CliRunner().invoke(group, words)
    assert done.exit_code == 0, done.output
    (run,) = (folder / "out/runs").iterdir()
    return run


def places(part: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of each value; of several in a list, that of the last."""
    if isinstance(part, list):
        pairs = [(len(part) - 1, part[-1])] if part else []
    else:
        pairs = list(part.items())
    for key, value in pairs:
        yield (*above, key)
        if isinstance(value, dict | list):
            yield from places(value, (*above, key))


def marked(document: Any, place: tuple[Any, ...]) -> str:
    """The text of a document with a mark in place of one value."""
    changed = copy.deepcopy(document)
    part = changed
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = MARK
    return json.dumps(changed)


def check(run: Path) -> None:
    """Read the files of a run in each way, as a command does."""
    try:
        found = row(run)
    except ValueError as error:
        assert "\n" not in str(error)
    else:
        numbers = [value for value in found.values() if isinstance(value, float)]
        assert all(math.isfinite(n) for n in numbers if n == n)
    shown = detail(run, "ok")
    json.dumps(shown, ensure_ascii=False).encode()
    try:
        explain(run)
    except ValueError as error:
        assert "\n" not in str(error)


OUTCOME = "artefacts/outcome.json"
"""All readers read it, so more values are tried in it."""
JSON = (
    "job.json",
    OUTCOME,
    "artefacts/link-end.json",
    "artefacts/qdisc-end.json",
    "artefacts/nstat-client.json",
    *(f"artefacts/traffic-{n}-client.json" for n in (0, 1, 3, 6, 7, 8, 9)),
    *(f"artefacts/traffic-{n}-server.json" for n in (0, 3)),
)


@pytest.mark.parametrize("name", JSON)
def test_a_value_of_a_file(made: Path, tmp_path: Path, name: str) -> None:
    run = Path(shutil.copytree(made, tmp_path / made.name))
    document = json.loads((run / name).read_bytes())
    words = cycle(RAW.values())
    for place in places(document):
        text = marked(document, place)
        for word in islice(words, 6 if name == OUTCOME else 1):
            (run / name).write_text(text.replace(f'"{MARK}"', word))
            check(run)


@pytest.mark.parametrize("name", ["changes", "events", "trace", "flows"])
def test_a_cell_of_a_table(drawn: Path, tmp_path: Path, name: str) -> None:
    run = Path(shutil.copytree(drawn, tmp_path / drawn.name))
    path = run / f"artefacts/{name}.csv"
    lines = [line.split(",") for line in path.read_text().splitlines()]
    last = max(n for n, line in enumerate(lines) if len(line) == len(lines[-2]))
    cells = cycle(CELLS)
    for column in range(len(lines[last])):
        for cell in islice(cells, 4):
            changed = copy.deepcopy(lines)
            changed[last][column] = cell
            path.write_text("\n".join(map(",".join, changed)) + "\n")
            check(run)


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW)
def test_a_value_of_a_job(made: Path, raw: str) -> None:
    document = json.loads((made / "job.json").read_bytes())
    for place in places(document):
        text = marked(document, place).replace(f'"{MARK}"', raw)
        try:
            job = jobs.load(json_file.parse_object(text.encode()))
        except (DamagedError, jobs.Fault) as error:
            assert "\n" not in str(error)
        else:
            json.dumps(jobs.dump(job), ensure_ascii=False).encode()


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW)
def test_a_value_of_a_workers_answer(raw: str) -> None:
    ended = Exit("finished", "", 1.0, 2.0, 3.0)
    line, _, _ = Answer("host", "tcp://host:1", exit=ended).dump().partition(b"\n")
    document = json.loads(line)
    for place in places(document):
        text = marked(document, place).replace(f'"{MARK}"', raw)
        try:
            answer = Answer.load(text.encode() + b"\n")
        except MessageError as error:
            assert "\n" not in str(error)
        else:
            assert answer.worker.isprintable() and answer.error.isprintable()
            if answer.exit is not None:
                assert answer.exit.wall_s >= 0 and answer.exit.reason.isprintable()
    try:
        built = load_build(f'{{"kernel": {raw}}}'.encode())
    except MessageError:
        return
    assert built["kernel"].isprintable()


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW)
def test_a_value_of_a_row(raw: str) -> None:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return
    for column in ("point", "reason", "verdict", "goodput_mbps", "console_tail"):
        found = {"id": "0" * 16, "case": "a", "point": 0, "repetition": 0}
        found |= {"verdict": "ok", "reason": "", column: value}
        try:
            check_row(found, "0" * 16)
        except DamagedError as error:
            assert "\n" not in str(error)
            continue
        json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
