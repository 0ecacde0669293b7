"""Ends of programs and of traffic entries, one by one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from analysis.run import tools
from analysis.run import traffic as entries
from analysis.run.outcomes import endings
from analysis.run.outcomes.endings import (
    COMPLETE,
    INCOMPLETE,
    Ending,
    Read,
    all_of,
    cause,
    entry_of,
    succeeded,
    way,
)
from analysis.run.readers.outcome import Outcome, Process
from tests.analysis.explain.made import JOB

(ENTRY,) = entries.of_job(JOB)
RESULTS = tools.tool(ENTRY.tool)
"""The results of the entry's tool, whose functions tests exchange."""


def of_tool(name: str, **keys: Any) -> Any:
    """An entry of another tool, with what its end depends on."""
    record = SimpleNamespace(tool=name, served=None, most_file_bytes=None)
    return replace(ENTRY, record=SimpleNamespace(**{**vars(record), **keys}))


def ended(*processes: Process) -> Outcome:
    return SimpleNamespace(processes=processes)  # type: ignore[return-value]


def end_of(entry: Any, *processes: Process, report: Any, folder: Path) -> Ending:
    """The end of the only entry of a run."""
    (found,) = all_of([entry], ended(*processes), [Read(report)], folder)
    return found


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (None, "did not end"),
        (0, "exit status 0"),
        (1, "exit status 1"),
        (-1, "killed by signal 1"),
        (-9, "killed by signal 9"),
        (-25, "ended because a file that it wrote reached the limit of size"),
    ],
)
def test_the_way_in_which_a_program_ended(code: int | None, words: str) -> None:
    assert way(code) == words


@pytest.mark.parametrize(
    ("count", "size"),
    [
        (1 << 20, "1 MiB"),
        (16 << 20, "16 MiB"),
        (2_500_000, "2.5 MB"),
        ((1 << 20) + 1, "1.04858 MB"),
        (1 << 19, "0.524288 MB"),
    ],
)
def test_a_limit_of_files_is_told_with_its_size(
    tmp_path: Any, count: int, size: str
) -> None:
    entry = of_tool(ENTRY.tool, most_file_bytes=count)
    process = Process("traffic-0-client", -25)
    assert f"reached the limit of {size};" in cause(process, entry, tmp_path)
    assert cause(replace(process, exit_code=1), entry, tmp_path).startswith(
        "exit status 1"
    )
    none = of_tool(ENTRY.tool)
    assert cause(process, none, tmp_path).startswith(way(-25))


def test_the_words_of_a_program_follow_its_end(tmp_path: Any) -> None:
    (tmp_path / "traffic-0-client.err").write_text("no such host\n")
    failed = Process("traffic-0-client", 1)
    said = "exit status 1: traffic-0-client.json: missing"
    assert cause(failed, ENTRY, tmp_path) == said
    assert cause(failed, None, tmp_path) == "exit status 1: no such host"


@pytest.mark.parametrize(
    ("name", "number", "end"),
    [
        ("traffic-0-client", 0, "client"),
        ("traffic-1-server", 1, "server"),
        ("traffic-2-client", None, "client"),
        ("traffic-2-server", None, "client"),
        ("dumpcap", None, "client"),
    ],
)
def test_a_process_belongs_to_its_entry(
    name: str, number: int | None, end: str
) -> None:
    traffic: Sequence[Any] = (ENTRY, replace(ENTRY, source="other"))
    own = None if number is None else traffic[number]
    assert entry_of(Process(name, 0), traffic) == (own, end)


def test_a_server_that_is_ended_has_not_failed() -> None:
    """That of pingpong goes on until it is ended; that of iperf3 ends by itself."""
    lasting = of_tool("pingpong")
    running, ended_s = Process("s", -15, 0.0, None), Process("s", -15, 0.0, 4.0)
    assert succeeded(running, lasting, "server")
    assert not succeeded(ended_s, lasting, "server")
    assert not succeeded(running, ENTRY, "server")
    assert not succeeded(running, lasting, "client")
    assert succeeded(Process("c", 0), ENTRY, "client")
    assert succeeded(Process("s", 0), ENTRY, "server")
    assert not succeeded(Process("c", 1), ENTRY, "client")


def test_a_client_may_end_in_the_ways_that_its_tool_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(RESULTS, "allowed", lambda _: (0, 7))
    assert succeeded(Process("c", 7), ENTRY, "client")
    assert not succeeded(Process("s", 7), ENTRY, "server")


@pytest.mark.parametrize(
    ("end", "end_s", "said"),
    [
        ("client", 4.0, "client said"),
        ("client", None, "client said"),
        ("server", 4.0, "server said"),
        ("server", None, ""),
    ],
)
def test_a_server_that_was_ended_says_nothing_about_a_report(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
    end: str,
    end_s: float | None,
    said: str,
) -> None:
    """The report cannot be read, and each end could say why."""
    monkeypatch.setattr(
        RESULTS, "error_of", lambda _f, _n, end: f"{end} said", raising=False
    )
    process = Process(f"traffic-0-{end}", 0, 0.0, end_s)
    found = endings._failure(process, ENTRY, 0, Read(fault="damaged"), tmp_path)
    assert found == said
    sound = endings._failure(process, ENTRY, 0, Read("report"), tmp_path)
    assert sound == ""


def test_an_entry_without_its_client_has_no_end(tmp_path: Path) -> None:
    none = end_of(ENTRY, report=None, folder=tmp_path)
    assert (none.word, none.at_s) == ("", None)
    client = Process("traffic-0-client", 0, 0.0, 4.0)
    fine = end_of(ENTRY, client, report="report", folder=tmp_path)
    assert (fine.word, fine.at_s) == (COMPLETE, 4.0)
    server = Process("traffic-0-server", 1, 0.0, 4.0)
    bad = end_of(ENTRY, client, server, report="report", folder=tmp_path)
    assert bad.word == "aborted" and bad.error.startswith("exit status 1")


def test_the_one_process_of_a_tool_is_the_client_of_all_its_entries(
    tmp_path: Path,
) -> None:
    entry = of_tool("flows")
    report = SimpleNamespace(flows=())
    process = Process("flows", 1, 0.0, 4.0)
    found = end_of(entry, process, report=report, folder=tmp_path)
    assert (found.word, found.at_s) == ("aborted", 4.0)
    # It belongs to no entry of another tool.
    other = end_of(ENTRY, process, report=report, folder=tmp_path)
    assert (other.word, other.at_s) == ("", None)


@pytest.mark.parametrize(("opened", "word"), [(2, COMPLETE), (1, INCOMPLETE)])
def test_a_proxy_ends_as_its_report_says(
    tmp_path: Path, opened: int, word: str
) -> None:
    """It has no client, and its server goes on until it is ended."""
    entry = of_tool("proxy", served=0)
    report = SimpleNamespace(accepted=2, opened=opened, error="no route")
    server = Process("traffic-0-server", -15, 0.0, None)
    found = end_of(entry, server, report=report, folder=tmp_path)
    assert (found.word, found.at_s) == (word, None)
    assert found.error == ("" if opened == 2 else "no route")
    assert end_of(entry, server, report=None, folder=tmp_path).word == ""
